"""Run untrusted programs in a sandbox.

    import cogbox

    result = cogbox.run(["python3", "-c", "print(6 * 7)"], limits=cogbox.Limits(wall_seconds=5))
    print(result.verdict, result.level, result.stdout)

`sandbox()` chooses the strongest level that the self-test proves on this machine; `Sandbox.start` returns a running
`Box`, `run` its `Result`. docs/concepts/sandbox.md describes what each level prevents.
"""

from cogbox.box import Box
from cogbox.errors import BadRequest, CogboxError, LevelMissing
from cogbox.image_root import ImageRoot
from cogbox.level import Level
from cogbox.limits import Limits
from cogbox.mounts import Mount, python_runtime
from cogbox.network import Door, Egress, Link
from cogbox.sandbox import Sandbox, run, sandbox
from cogbox.verdict import Result, Verdict

__all__ = [
    "BadRequest",
    "Box",
    "CogboxError",
    "Door",
    "Egress",
    "ImageRoot",
    "Level",
    "LevelMissing",
    "Limits",
    "Link",
    "Mount",
    "Result",
    "Sandbox",
    "Verdict",
    "python_runtime",
    "run",
    "sandbox",
]
