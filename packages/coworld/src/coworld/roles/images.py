"""The default roles under the names that manifests use, for engines without containers."""

import re

from coworld.engines.local_images import register

ROLES = ("commissioner", "reporter", "grader", "diagnoser", "optimizer")
DEFAULT_REPORTER = "softmax/default-reporter@1"
"""how a manifest refers to the default reporter where containers are no longer accepted as reporters"""

for _role in ROLES:
    register(f"softmax/default-{_role}:latest", ["python", "-m", f"coworld.roles.{_role}"])
register("softmax/ruleset-commissioner:latest", ["python", "-m", "coworld.roles.ruleset"])


def reporter_image(reference: str) -> str | None:
    """Return our image for a reference to a published reporter; None when there is none."""
    return "softmax/default-reporter:latest" if re.fullmatch(r"softmax/default-reporter@[1-9]\d*", reference) else None
