"""What is found out about a version before it is changed: reports, grades and diagnoses of its worst episodes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from coworld.bundle import make_bundle
from coworld.errors import CoworldError
from coworld.optimize.arena import Condition, Played
from coworld.roles.diagnoser import diagnose
from coworld.roles.episode import RoleInputError, read_episode
from coworld.roles.grader import grade
from coworld.roles.program import archive, json_bytes
from coworld.roles.reporter import report
from coworld.uris import write_uri

EPISODES = 2


@dataclass(frozen=True)
class Findings:
    reports: list[Path]
    grades: list[Path]
    diagnoses: list[Path]


def find_out(episodes: list[tuple[Condition, Played]], folder: Path) -> Findings:
    """Look at the episodes with the lowest scores, by the default roles; what they cannot read is left out."""
    worst = sorted(
        (one for one in episodes if one[1].score is not None and one[1].workspace is not None),
        key=lambda one: (one[1].score, one[0].seed),
    )[:EPISODES]
    found = Findings([], [], [])
    folder.mkdir(parents=True, exist_ok=True)
    for index, (condition, played) in enumerate(worst):
        assert played.workspace is not None
        bundle = folder / f"episode-{index}.zip"
        try:
            write_uri(str(bundle), make_bundle(played.workspace))
            episode = read_episode(str(bundle))
            outputs = [
                (found.reports, f"report-{index}.zip", archive(report(episode))),
                (found.grades, f"grade-{index}.json", json_bytes(grade(episode))),
                (found.diagnoses, f"diagnosis-{index}.zip", diagnose(episode, f"slot={condition.slot}")),
            ]
        except (CoworldError, RoleInputError, OSError):
            continue
        for paths, name, data in outputs:
            write_uri(str(folder / name), data)
            paths.append(folder / name)
    return found
