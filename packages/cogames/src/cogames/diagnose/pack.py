"""The pack `cvc_stage1`: the missions that measure each axis, and the standard options of a run."""

from collections.abc import Sequence

from pydantic import BaseModel

from cogames.diagnose.cases import DiagnoseCase

PACK_ID = "cvc_stage1"
PACK_VERSION = "v1"

AXES = ("stability", "efficiency", "control")

AXIS_MISSIONS = {
    "stability": ("eval_balanced_spread", "eval_single_use_world", "scout_tutorial"),
    "efficiency": ("eval_collect_resources", "eval_collect_resources_medium", "miner_tutorial"),
    "control": ("eval_divide_and_conquer", "eval_clip_oxygen", "aligner_tutorial", "scrambler_tutorial"),
}
"""Missions that measure each axis; at least one per axis must be played."""

GATED_SETS = ("cvc_evals", "role_specific_evals")
"""Mission sets that the axes were designed for."""

PACK_SET = "cvc_evals"
PACK_COGS = (4, 7, 8)
PACK_CASES = (4, 15)
PACK_STEPS = 1000
PACK_EPISODES = 3


class Check(BaseModel):
    """The result of one check with its details."""

    check_id: str
    passed: bool
    details: str


class PackContract(BaseModel):
    """Whether a run follows the standard pack, so that its results are comparable with other runs."""

    valid: bool
    checks: list[Check]

    @property
    def failures(self) -> list[str]:
        return [check.details for check in self.checks if not check.passed]


class AxisRequirement(BaseModel):
    """Whether an axis has a mission that measures it."""

    axis: str
    satisfied: bool
    matched_missions: list[str]
    required_count: int = 1
    accepted_probe_missions: list[str]


class Gate(BaseModel):
    """Whether stage 1 can measure every axis."""

    satisfied: bool
    results: list[AxisRequirement]

    @property
    def missing(self) -> list[AxisRequirement]:
        return [result for result in self.results if not result.satisfied]

    def covers(self, axis: str) -> bool:
        return any(result.axis == axis and result.satisfied for result in self.results)


def check_pack(mission_set: str, cases: Sequence[DiagnoseCase], *, steps: int, episodes: int) -> PackContract:
    """Compare the options of a run with the standard pack. Other options are allowed, but not comparable."""
    cogs = sorted({case.cogs for case in cases})
    min_cases, max_cases = PACK_CASES
    checks = [
        ("mission_set", mission_set == PACK_SET, f"mission_set={mission_set}; expected={PACK_SET}"),
        ("cogs", set(cogs) <= set(PACK_COGS), f"case_cogs={cogs}; expected={list(PACK_COGS)}"),
        (
            "case_count",
            min_cases <= len(cases) <= max_cases,
            f"case_count={len(cases)}; expected={min_cases}..{max_cases}",
        ),
        ("steps", steps == PACK_STEPS, f"steps={steps}; expected={PACK_STEPS}"),
        ("episodes", episodes == PACK_EPISODES, f"episodes={episodes}; expected={PACK_EPISODES}"),
    ]
    return PackContract(
        valid=all(passed for _, passed, _ in checks),
        checks=[Check(check_id=f"pack.{name}", passed=passed, details=text) for name, passed, text in checks],
    )


def check_gate(mission_set: str, cases: Sequence[DiagnoseCase]) -> Gate:
    """Return which axes the cases cover. Other mission sets never satisfy the gate, whatever their missions' names."""
    played = {case.mission for case in cases}
    results = []
    for axis, accepted in AXIS_MISSIONS.items():
        matched = sorted(played & set(accepted))
        results.append(
            AxisRequirement(
                axis=axis, satisfied=bool(matched), matched_missions=matched, accepted_probe_missions=list(accepted)
            )
        )
    return Gate(satisfied=mission_set in GATED_SETS and all(r.satisfied for r in results), results=results)
