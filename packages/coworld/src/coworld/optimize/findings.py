"""Look at a version's worst episodes before it is changed: reports, grades and diagnoses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from coworld.bundle import make_bundle
from coworld.errors import CoworldError
from coworld.optimize.arena import Condition, Played
from coworld.roles.diagnoser import diagnose
from coworld.roles.episode import RoleInputError, read_episode
from coworld.roles.grader import grade
from coworld.roles.program import archive, json_bytes
from coworld.roles.reporter import report
from coworld.roles.role_runner import RoleName, check_grade
from coworld.uris.transfer import write_uri

EPISODES = 2
_NAMES: dict[RoleName, tuple[str, str]] = {
    "reporter": ("report", "zip"),
    "grader": ("grade", "json"),
    "diagnoser": ("diagnosis", "zip"),
}


@dataclass(frozen=True)
class Analysis:
    """The output of one role for one episode, or the reason why there is none."""

    role: RoleName
    id: str
    data: bytes | None = None
    error: str | None = None


class Analyst(Protocol):
    """Runs reporters, graders and diagnosers."""

    def analyze(self, bundle: Path, slot: int) -> Iterable[Analysis]:
        """Analyze an episode bundle for the policy in a slot."""


class DefaultRoles:
    """The default reporter, grader and diagnoser, in this process."""

    def analyze(self, bundle: Path, slot: int) -> Iterable[Analysis]:
        episode = read_episode(str(bundle))
        outputs: dict[RoleName, Callable[[], bytes]] = {
            "reporter": lambda: archive(report(episode)),
            "grader": lambda: json_bytes(grade(episode)),
            "diagnoser": lambda: diagnose(episode, f"slot={slot}"),
        }
        for role, make in outputs.items():
            try:
                yield Analysis(role, f"default-{role}", make())
            except RoleInputError as error:
                yield Analysis(role, f"default-{role}", error=f"The default {role} failed: {error}")


@dataclass(frozen=True)
class Finding:
    """One line of the journal: what a role said about one episode."""

    role: str
    id: str
    episode: int
    """index among the analyzed episodes"""
    file: str | None = None
    """name in the iteration's folder"""
    error: str | None = None
    score: float | None = None
    """of a grade"""

    def document(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Findings:
    """The outputs of all roles in one iteration."""

    entries: list[Finding] = field(default_factory=list)

    def paths(self, role: RoleName, folder: Path) -> list[Path]:
        return [folder / entry.file for entry in self.entries if entry.role == role and entry.file is not None]


def find_out(episodes: list[tuple[Condition, Played]], folder: Path, analyst: Analyst) -> Findings:
    """Analyze the episodes with the lowest scores; a role that fails leaves an error and no file."""
    worst = sorted(
        (episode for episode in episodes if episode[1].score is not None and episode[1].workspace is not None),
        key=lambda episode: (episode[1].score, episode[0].seed),
    )[:EPISODES]
    findings = Findings()
    folder.mkdir(parents=True, exist_ok=True)
    for index, (condition, played) in enumerate(worst):
        assert played.workspace is not None
        bundle = folder / f"episode-{index}.zip"
        try:
            write_uri(str(bundle), make_bundle(played.workspace))
            findings.entries.append(Finding("bundle", f"seat {condition.slot}", index, bundle.name, score=played.score))
            counts: dict[str, int] = {}
            for analysis in analyst.analyze(bundle, condition.slot):
                number = counts.setdefault(analysis.role, 0)
                findings.entries.append(_keep(analysis, index, number, folder))
                counts[analysis.role] += analysis.data is not None
        except (CoworldError, RoleInputError, OSError) as error:
            findings.entries.append(Finding("analysis", f"seat {condition.slot}", index, error=str(error)))
    return findings


def _keep(analysis: Analysis, index: int, number: int, folder: Path) -> Finding:
    if analysis.data is None:
        return Finding(analysis.role, analysis.id, index, error=analysis.error)
    stem, ending = _NAMES[analysis.role]
    name = f"{stem}-{index}.{ending}" if number == 0 else f"{stem}-{index}-{number}.{ending}"
    write_uri(str(folder / name), analysis.data)
    score = float(check_grade(analysis.data)["score"]) if analysis.role == "grader" else None
    return Finding(analysis.role, analysis.id, index, name, score=score)
