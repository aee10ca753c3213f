"""Settings and helpers of all commands that play episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cogames.episodes.executors import Executor
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.runner.episode.holder import PolicySource
    from mettagrid.runner.episode.outcome import EpisodeOutcome

__all__ = ["PlaySettings", "bad_verdicts", "sources", "unique_names"]


@dataclass(frozen=True)
class PlaySettings:
    """How to play episodes.

    With `isolate` each policy runs in its own sandbox. `workers` is the number of processes that play; None chooses a
    suitable number. `replay_dir` is created if it does not exist.
    """

    action_timeout_ms: int = 250
    device: str | None = None
    isolate: bool = False
    workers: int | None = None
    replay_dir: Path | None = None
    executor: Executor | None = None
    """plays the episodes; None: processes of this machine"""


def sources(policies: Sequence[PolicySpec], settings: PlaySettings) -> list[PolicySpec | PolicySource]:
    """Return the policies for the runner: in this process, or each in its own sandbox."""
    if not settings.isolate:
        return list(policies)
    from mettagrid.runner.boxed import BoxedPolicy, BoxPolicyOptions

    return [BoxedPolicy.from_spec(policy, BoxPolicyOptions(echo=True)) for policy in policies]


def unique_names(names: Sequence[str]) -> list[str]:
    """Return the names made unique: the second occurrence of a name becomes `name (2)`."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique


def bad_verdicts(outcomes: Sequence[EpisodeOutcome], names: Sequence[str]) -> list[str]:
    """Return a sentence for each policy that did not play to the end of every episode, with its first message."""
    sentences = []
    for number, name in enumerate(names):
        bad = [outcome.verdicts[number] for outcome in outcomes if not outcome.verdicts[number].played_to_the_end]
        if bad:
            how = bad[0].status.replace("_", " ")
            sentences.append(f"{name} failed in {len(bad)} of {len(outcomes)} episodes ({how}: {bad[0].message})")
    return sentences
