"""Files of a finished ladder: `results.json`, tables as CSV, and `report.html`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence

from cogames.ladder.folder import LadderFolder
from cogames.ladder.recordings import Recording
from cogames.ladder.report import render_report
from cogames.ladder.results import LadderResults

__all__ = ["pairings_csv", "standings_csv", "write_outputs"]


def write_outputs(folder: LadderFolder, results: LadderResults, recordings: Sequence[Recording]) -> None:
    """Write all files of the results."""
    folder.write("results.json", json.dumps(results.document(), indent=2, allow_nan=False) + "\n")
    folder.write("standings.csv", standings_csv(results))
    folder.write("pairings.csv", pairings_csv(results))
    folder.write("duels.csv", duels_csv(results))
    folder.write("report.html", render_report(results, recordings))


def standings_csv(results: LadderResults) -> str:
    """Return a row for each policy, best first, with its mean score on each mission."""
    missions = [mission["name"] for mission in results.plan["missions"]]
    header = ["rank", "policy", "rating", "low", "high", "points", "duels", "wins", "draws", "losses"]
    return _csv(
        [*header, "failures", "timeouts", *(f"score {mission}" for mission in missions)],
        (
            [
                *(row.rank, row.name, row.rating.rating, row.rating.low, row.rating.high, row.points, row.duels),
                *(row.wins, row.draws, row.losses, row.failures, row.timeouts),
                *(row.scores[mission].mean for mission in missions),
            ]
            for row in results.standings
        ),
    )


def pairings_csv(results: LadderResults) -> str:
    """Return a row for each pairing and mission."""
    return _csv(
        ["first", "second", "mission", "wins", "draws", "losses", "difference", "low", "high", "decided by"],
        (
            [
                *(pairing.first, pairing.second, part.mission, part.wins, part.draws, part.losses),
                *(part.difference.mean, part.difference.low, part.difference.high, pairing.decided),
            ]
            for pairing in results.pairings
            for part in pairing.missions
        ),
    )


def duels_csv(results: LadderResults) -> str:
    """Return a row for each duel."""
    return _csv(
        ["first", "second", "mission", "map", "seed", "first score", "second score", "result", "reason"],
        (
            [
                *(duel.first, duel.second, duel.mission, duel.map, duel.seed),
                *(duel.first_score, duel.second_score, duel.result, duel.reason),
            ]
            for duel in results.duels
        ),
    )


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
