"""No isolation, only limits: for trusted programs."""

import os

from cogbox._guard import missing_guard
from cogbox._job import Job
from cogbox._levels.landlock import count_tasks
from cogbox._plan import Pairs
from cogbox.errors import BadRequest


def missing() -> str | None:
    return missing_guard()


def plan(job: Job) -> Pairs:
    if job.links or job.doors:
        raise BadRequest("a link or a door needs a network namespace, which the level `none` does not have")
    if job.work_at is not None or any(mount.inside != mount.source for mount in job.mounts):
        raise BadRequest("a mount at another place needs a mount namespace, which the level `none` does not have")
    pairs: Pairs = [("level", "none"), *job.common()]
    if job.uid is not None:
        return pairs + job.process_limit()
    # Per-user limits do not apply to root; the guard's own count does.
    return pairs + ([("allow_root", "1")] if os.geteuid() == 0 else job.process_limit(count_tasks(os.geteuid())))
