"""Write `explanation.json` of a league match, beside the files of `mettagrid.runner.boxed.job`."""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from cogames.explain.bitworld import explain_match
from cogames.explain.explaining import Seats, explain
from mettagrid.replay import Replay
from mettagrid.runner.boxed.job import ACTIONS, HISTORY, RESULTS, RUNTIME_INFO, JobRuntime
from mettagrid.runner.types import PureSingleEpisodeResult
from softmax.wire import Explanation

__all__ = ["EXPLANATION", "write_bitworld_explanation", "write_explanation"]

EXPLANATION = "explanation.json"

logger = logging.getLogger(__name__)


def write_explanation(folder: Path, replay: Replay, names: Sequence[str], assignments: Sequence[int]) -> None:
    """Explain an episode from its replay and the files in its folder.

    A match does not depend on its explanation: if this fails, there is a log message and no file.
    """
    _write(folder, lambda: explain(replay, _seats(folder, names, assignments)))


def write_bitworld_explanation(
    folder: Path, names: Sequence[str], assignments: Sequence[int], *, max_steps: int
) -> None:
    """Explain a match of a BitWorld game from the files in its folder, like `write_explanation`."""
    if (folder / HISTORY).exists():
        _write(folder, lambda: _match(folder, _seats(folder, names, assignments), max_steps))


def _write(folder: Path, explained: Callable[[], Explanation]) -> None:
    try:
        (folder / EXPLANATION).write_text(explained().model_dump_json())
    except Exception:
        logger.exception("The episode could not be explained")
        (folder / EXPLANATION).unlink(missing_ok=True)


def _match(folder: Path, seats: Seats, max_steps: int) -> Explanation:
    result = PureSingleEpisodeResult.model_validate_json((folder / RESULTS).read_bytes())
    idle = [int(stats.get("action.noop.success", 0)) for stats in result.stats["agent"]]
    history = json.loads((folder / HISTORY).read_bytes())
    return explain_match(history, seats, steps=result.steps, max_steps=max_steps, idle=idle)


def _seats(folder: Path, names: Sequence[str], assignments: Sequence[int]) -> Seats:
    result = PureSingleEpisodeResult.model_validate_json((folder / RESULTS).read_bytes())
    runtime = JobRuntime.model_validate_json((folder / RUNTIME_INFO).read_bytes())
    return Seats(
        names,
        assignments,
        statuses=[policy.status for policy in runtime.policies],
        failed_steps=[policy.failed_step for policy in runtime.policies],
        missed=result.action_timeouts,
        late=_late(folder / ACTIONS) if any(result.action_timeouts) else (),
    )


def _late(path: Path) -> list[tuple[int, int]]:
    """Return (tick, agent) of each missed deadline from the recorded actions: the tick is the one after the step."""
    document = json.loads(zlib.decompress(path.read_bytes()))
    return [(step + 1, agent) for step, agent in document["late"]]
