"""Write `explanation.json` of a league match, beside the files of `mettagrid.runner.boxed.job`."""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Sequence
from pathlib import Path

from cogames.explain.explaining import Seats, explain
from mettagrid.replay import Replay
from mettagrid.runner.boxed.job import ACTIONS, RESULTS, RUNTIME_INFO, JobRuntime
from mettagrid.runner.types import PureSingleEpisodeResult

__all__ = ["EXPLANATION", "write_explanation"]

EXPLANATION = "explanation.json"

logger = logging.getLogger(__name__)


def write_explanation(folder: Path, replay: Replay, names: Sequence[str], assignments: Sequence[int]) -> None:
    """Explain an episode from its replay and the files in its folder.

    A match does not depend on its explanation: if this fails, there is a log message and no file.
    """
    try:
        document = explain(replay, _seats(folder, names, assignments)).model_dump_json()
        (folder / EXPLANATION).write_text(document)
    except Exception:
        logger.exception("The episode could not be explained")
        (folder / EXPLANATION).unlink(missing_ok=True)


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
