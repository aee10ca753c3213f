"""Print the results of a ladder as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softmax.cli.output import decimal, print_table

if TYPE_CHECKING:
    from cogames.ladder import LadderResults

__all__ = ["print_ladder"]

WIDEST_MATRIX = 12


def print_ladder(results: LadderResults) -> None:
    """Print standings, the matrix of a small ladder, and what decided each pairing."""
    _print_standings(results)
    _print_matrix(results)
    _print_pairings(results)


def _print_standings(results: LadderResults) -> None:
    rows = [
        (
            row.rank,
            row.name,
            f"{row.rating.rating:.0f}",
            "-" if row.rating.low is None else f"[{row.rating.low:.0f}, {row.rating.high:.0f}]",
            row.wins,
            row.draws,
            row.losses,
            row.failures or "",
        )
        for row in results.standings
    ]
    headers = ["Rank", "Policy", "Rating", "95% Interval", "Won", "Drawn", "Lost", "Failures"]
    print_table(headers, rows, title="Standings", right=[0, 2, 3, 4, 5, 6, 7])


def _print_matrix(results: LadderResults) -> None:
    names = [standing.name for standing in results.standings]
    if len(names) > WIDEST_MATRIX:
        return
    rows = [
        (f"{place}. {name}", *("-" if share is None else f"{100 * share:.0f}" for share in shares))
        for place, (name, shares) in enumerate(zip(names, results.matrix, strict=True), 1)
    ]
    columns = [str(place) for place in range(1, len(names) + 1)]
    print_table(["Points in Percent", *columns], rows, title="Head to Head", right=[*range(1, len(names) + 1)])


def _print_pairings(results: LadderResults) -> None:
    rows = []
    for pairing in results.pairings:
        best = pairing.decided_by[0] if pairing.decided_by and pairing.decided == pairing.decided_by[0].label else None
        values = "" if best is None else f"{decimal(best.first)} : {decimal(best.second)}"
        result = f"{pairing.wins}-{pairing.draws}-{pairing.losses}"
        rows.append((pairing.first, pairing.second, result, pairing.decided, values))
    headers = ["First", "Second", "Won-Drawn-Lost", "Decided By", "First : Second"]
    print_table(headers, rows, title="Pairings", right=[2, 4])
