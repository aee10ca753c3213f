"""Explain why a program of a mapped folder cannot import one of our packages, and how to make it importable."""

import re
from importlib.util import find_spec

from coworld.engines.interpreters import OURS
from coworld.engines.local_images import SIDE_FILE

_MISSING = re.compile(r"^(?:ModuleNotFoundError|ImportError): No module named '(\w+)'$", re.MULTILINE)


def missing_package_advice(log: str, image: str) -> str | None:
    """Return how to give an image our package that its log reports as missing; None when none is missing.

    Only packages that are installed here count: a mapping cannot provide others.
    """
    names = [name for name in _MISSING.findall(log) if name in OURS]
    if not names or find_spec(names[-1]) is None:
        return None
    return (
        f"the interpreter of {image!r} does not have `{names[-1]}`; to run it with ours, add "
        f'"packages": ["{names[-1]}"] to the image in {SIDE_FILE}, or install it in a virtual environment of the image'
    )
