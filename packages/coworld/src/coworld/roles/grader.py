"""The default grader: how decided an episode was, as one number from 0 (a tie) to 1.

In: `COGAME_EPISODE_BUNDLE_URI`. Out: JSON at `COGAME_GRADE_URI`.
"""

from __future__ import annotations

import os
import sys

from coworld.roles.episode import Episode, read_episode, stand
from coworld.roles.program import json_bytes, run_role, variable
from coworld.uris.transfer import write_uri


def grade(episode: Episode) -> dict[str, object]:
    """Return the grade of one episode."""
    return {"grader_id": os.environ.get("COGAME_GRADER_ID", "default-grader"), **stand(episode).document()}


def run() -> None:
    bundle, target = variable("COGAME_EPISODE_BUNDLE_URI"), variable("COGAME_GRADE_URI")
    write_uri(target, json_bytes(grade(read_episode(bundle))), content_type="application/json")


if __name__ == "__main__":
    sys.exit(run_role(run))
