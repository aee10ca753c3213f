"""Report policies that failed: the kind of failure, how many episodes it ended, and where it happened in their code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from softmax.cli.output import print_table, warn

if TYPE_CHECKING:
    from mettagrid.runner.episode.outcome import EpisodeOutcome

__all__ = ["OUTCOME_COLUMNS", "outcome_cells", "print_policies", "show_failures", "show_last_words"]

OUTCOME_COLUMNS = ("Outcome", "Missed Deadlines")


def outcome_cells(outcomes: Sequence[EpisodeOutcome], policy: int) -> tuple[str, int]:
    """Return a policy's outcome (`ok`, or `crashed in 2 of 10`) and its number of missed deadlines."""
    verdicts = [outcome.verdicts[policy] for outcome in outcomes]
    bad = [verdict for verdict in verdicts if not verdict.played_to_the_end]
    missed = sum(verdict.timeouts for verdict in verdicts)
    if not bad:
        return "ok", missed
    how = bad[0].status.replace("_", " ")
    return (how if len(outcomes) == 1 else f"{how} in {len(bad)} of {len(outcomes)}"), missed


def print_policies(outcomes: Sequence[EpisodeOutcome], names: Sequence[str]) -> None:
    """Print a table of all policies with their outcomes."""
    rows = [(name, *outcome_cells(outcomes, number)) for number, name in enumerate(names)]
    print_table(["Policy", *OUTCOME_COLUMNS], rows, title="Policies", right=[2])


def show_failures(outcomes: Sequence[EpisodeOutcome], names: Sequence[str], *, prefix: str = "") -> bool:
    """Warn about each policy that failed, with the traceback of its first failure; return whether any failed."""
    from cogames.episodes.settings import bad_verdicts

    sentences = bad_verdicts(outcomes, names)
    for sentence in sentences:
        warn(f"{prefix}{sentence}")
    for number in range(len(names)):
        words = [outcome.last_words[number] for outcome in outcomes if number < len(outcome.last_words)]
        first = next((text for text in words if text), "").strip()
        if not any(first in sentence for sentence in sentences):  # skip a traceback that the sentence already quotes
            show_last_words(first)
    return bool(sentences)


def show_last_words(text: str) -> None:
    """Print the traceback of a policy, or the end of its output, indented on stderr."""
    for line in text.splitlines():
        print(f"  {line}".rstrip(), file=sys.stderr)
