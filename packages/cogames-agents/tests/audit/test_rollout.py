"""`cogames agents rollout`: a sound policy passes, each defect fails its own check."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from cogames_agents.audit.rollout import run_rollout
from cogames_agents.audit.setting import Setting
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.simulator.rollout import Rollout

TEAM = "audited_policies.TeamPolicy"
Agents = Callable[..., Any]

DEFECTS = {
    "KeepsCargo": ["deposit attempts"],
    "MissesOwnJunctions": ["no own junction targeted"],
    "TakesNeutralForClips": ["no neutral junction taken for an enemy's"],
    "WithoutScramblerGear": ["all roles present", "scramble attempts"],
    "SwapsRoles": ["all roles present", "mine attempts", "deposit attempts", "scramble attempts", "roles as reported"],
    "ClaimsAllJunctions": ["junction alignment"],
    "MinesJunctions": ["mine targets"],
}


def test_a_sound_policy_passes_all_checks(agents: Agents) -> None:
    ran = agents("rollout", "-p", TEAM)
    assert (ran.code, ran.failed, ran.err) == (0, [], "")
    assert ran.out.endswith("Result: pass\n")
    assert ran.section("Hub") == ["hub: status=seen in_view_from_step=0 known_from_step=0"]
    assert "steps_with_all_roles=0" not in ran.out
    assert "all: gear_acquired=9 gear_attempts_without_resources=0" in ran.section("Gear stations")


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_fails_its_check(agents: Agents, defect: str) -> None:
    ran = agents("rollout", "-p", f"audited_policies.{defect}")
    assert ran.failed == DEFECTS[defect]
    assert ran.code == 1
    assert ran.out.endswith(f"Result: {len(ran.failed)} of 15 checks failed\n")


@pytest.mark.parametrize(
    ("defect", "code"), [("KeepsCargo", 0), ("TakesNeutralForClips", 1), ("ClaimsAllJunctions", 1)]
)
def test_missing_roles_can_be_allowed_but_wrong_beliefs_cannot(agents: Agents, defect: str, code: int) -> None:
    ran = agents("rollout", "-p", f"audited_policies.{defect}", "--allow-missing-roles")
    assert ran.code == code
    if defect == "KeepsCargo":
        assert ran.line("note") == "note  deposit attempts: no miner attempted it"


def test_a_policy_without_infos_is_judged_by_the_gear_it_holds(agents: Agents) -> None:
    ran = agents("rollout", "-p", "starter")
    assert ran.code == 1
    assert ran.failed == ["all roles present", "scramble attempts", "scout knows structures"]
    assert ran.line("FAIL  all roles present").endswith("scout, scrambler")
    assert ran.line("hub:").endswith("known_from_step=untold")
    assert agents("rollout", "-p", "starter", "--allow-missing-roles").code == 0


def test_single_role_policies_are_checked_for_their_role(agents: Agents) -> None:
    ran = agents("rollout", "-p", "miner", "--roles", "miner", "--steps", 100)
    assert (ran.code, ran.failed) == (0, [])
    assert "skip  align attempts: the role aligner is not expected" in ran.section("Checks")
    broken = agents("rollout", "-p", "class=audited_policies.KeepsCargo", "--roles", "miner, scout", "--steps", 100)
    assert (broken.code, broken.failed) == (1, ["deposit attempts"])


def test_a_vibe_is_the_role_of_an_agent_without_infos_and_gear(agents: Agents) -> None:
    ran = agents("rollout", "-p", "noop", "-c", 8, "-v", "forced_role_vibes", "--steps", 3, "--trace-roles")
    assert ran.line("step=0").startswith("step=0 roles[miner=2 scout=2 aligner=2 scrambler=2 none=0] present[miner=0 ")


def test_counts_equal_the_stats_of_an_ordinary_episode() -> None:
    setting = Setting(steps=200, agents=10, max_steps=200)
    report = run_rollout(setting, TEAM)

    env = setting.make_env()
    policy = initialize_or_load_policy(PolicyEnvInterface.from_mg_cfg(env), PolicySpec(class_path=TEAM))
    episode = Rollout(env, [policy.agent_policy(agent) for agent in range(10)], seed=setting.seed)
    episode.run_until_done()
    stats = episode._sim.episode_stats

    def total(name: str) -> float:
        return sum(agent.get(name, 0) for agent in stats["agent"])

    counts = report.behavior.counts
    assert counts["align_successes"] == total("junction.aligned_by_agent") == 10
    assert counts["scramble_successes"] == total("junction.scrambled_by_agent") == 2
    for role in ("miner", "scout", "aligner", "scrambler"):
        assert report.stations.acquired[role] == total(f"{role}.gained")
        assert report.stations.lost[role] == total(f"{role}.lost")
    for element in ("carbon", "oxygen", "germanium", "silicon"):
        assert report.stock.rows()[element]["deposited"] == stats["game"][f"cogs/{element}.deposited"] > 0


def test_gear_attempts_of_a_hub_that_cannot_pay_are_counted() -> None:
    report = run_rollout(Setting(steps=60, agents=10), "audited_policies.StationPolicy")
    stations = report.stations
    assert set(stations.uses) == {"miner", "aligner"}
    for role in stations.uses:
        assert stations.uses[role] == stations.acquired[role] + stations.attempts_without_resources[role]
        assert stations.acquired[role] <= stations.uses_with_resources[role] < stations.uses[role]
    stock = report.stock.rows()
    assert stock["carbon"]["end"] == 30 - stations.acquired["miner"] - 3 * stations.acquired["aligner"]
    assert stock["germanium"]["end"] == 30 - 3 * stations.acquired["miner"] - stations.acquired["aligner"]


def test_traces_follow_their_options(agents: Agents) -> None:
    words = ["rollout", "-p", TEAM, "--steps", 30, "--allow-missing-roles"]
    ran = agents(*words, "--trace-roles", "--trace-role-every", 10, "--trace-resources", "--trace-resource-limit", 2)
    roles = [line for line in ran.out.splitlines() if "roles[" in line and "present[" in line]
    stock = [line for line in ran.out.splitlines() if " inv[" in line]
    assert [line.split()[0] for line in roles] == ["step=0", "step=10", "step=20"]
    assert roles[0].endswith("transitions=0")
    assert [line.split()[0] for line in stock] == ["step=0", "step=1"]
    assert "step=" not in agents(*words).out.partition("Hub")[0]

    prereqs = agents(*words, "--trace-prereqs").out.partition("\n\nHub")[0].splitlines()[1:]
    assert prereqs[0] == "step=0 agent=0 role=miner gear=no extractor=no"
    assert "step=4 agent=7 role=miner gear=yes extractor=yes" in prereqs


@pytest.mark.parametrize("count", [1, 20])
def test_any_number_of_agents_that_the_mission_takes(agents: Agents, count: int) -> None:
    ran = agents("rollout", "-p", TEAM, "--agents", count, "--steps", 40, "--allow-missing-roles")
    assert ran.code == 0
    assert f"arena, {count} agents, 40 of 1000 steps, seed 42" in ran.out


def test_scrambling_is_not_expected_without_an_enemy(agents: Agents) -> None:
    ran = agents("rollout", "-p", TEAM, "--variant", "no_clips")
    assert (ran.code, ran.failed) == (0, [])
    assert ran.line("skip") == "skip  scramble attempts: no team held a junction that could be scrambled"


def test_a_world_without_a_hub_fails(agents: Agents) -> None:
    ran = agents("rollout", "-p", "noop", "-m", "empty", "-c", 4, "--steps", 5, "--allow-missing-roles")
    assert (ran.code, ran.failed) == (1, ["hub seen"])


def test_the_recipe_adds_training_rewards_and_keeps_the_rules() -> None:
    plain, recipe = Setting().make_env(), Setting(recipe=True).make_env()
    assert recipe.label == "arena.milestones.credit"
    assert set(recipe.game.agents[0].rewards) > set(plain.game.agents[0].rewards)
    assert recipe.game.objects == plain.game.objects


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_a_document_has_the_same_content(agents: Agents, kind: str) -> None:
    words = ["rollout", "-p", "audited_policies.Mumbles", "--steps", 30]
    words += ["--trace-resources", "--trace-resource-every", 29]
    ran = agents(*words, "--format", kind)
    document = yaml.safe_load(ran.out)  # JSON is YAML
    assert ran.code == 1
    assert document["trace"][1]["delta"]["heart"] == -5
    assert document["infos"] == {"unreadable": {"keys": ["known_hubs"]}}
    assert document["role_coverage"]["miner"]["max"] == 4
    assert {"verdict": "pass", "check": "hub seen", "reason": ""} in document["checks"]
    assert [check["check"] for check in document["checks"] if check["verdict"] == "FAIL"] == agents(*words).failed


def test_the_traces_of_a_policy_that_fails_are_printed(agents: Agents) -> None:
    ran = agents("rollout", "-p", "audited_policies.Crashes", "--trace-roles", "--trace-role-every", 4)
    assert ran.code == 1
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == ["step=0", "step=4", "step=8"]
    assert ran.err.startswith(
        "Error: The policy 'audited_policies.Crashes' failed in step 10 for agent 0: RuntimeError: out of ideas\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "nope"], "Cannot load the policy 'nope': Invalid symbol name: nope; did you mean noop?"),
        (["-p", "metta://policy/starter?miner=4"], "Cannot load the policy 'metta://policy/starter?miner=4': "),
        (["-p", "starter", "--agents", "21"], "The mission 'arena' takes 1 to 20 cogs, not 21."),
        (["-p", "starter", "-m", "arenaa"], "Mission 'arenaa' not found."),
        (["-p", "starter", "-v", "no_clip"], "Unknown variant 'no_clip'."),
        (
            ["--roles", "miner,healer"],
            "Unknown role 'healer' in --roles; the roles are miner, scout, aligner, scrambler.",
        ),
        (["--steps", "0"], "Invalid value for '--steps'"),
        (["--trace-role-every", "0"], "Invalid value for '--trace-role-every'"),
        (["--seed", "x"], "Invalid value for '--seed'"),
        (["--trace-everything"], "No such option: --trace-everything"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_options_get_one_sentence_and_exit_code_2(agents: Agents, words: list[str], message: str) -> None:
    ran = agents("rollout", *words)
    assert (ran.code, ran.out) == (2, "")
    first, *rest = ran.err.splitlines()
    assert first.startswith(f"Error: {message}")
    assert all(line.startswith("hint: ") for line in rest)
