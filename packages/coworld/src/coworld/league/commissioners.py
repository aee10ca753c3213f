"""For the server: the commissioners that come with this package, and whether a message is valid."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from coworld.commissioner.protocol import COMMISSIONER_STATE_MAX_BYTES, CommissionerMessage, message_problems
from coworld.errors import CoworldError
from coworld.roles.report_checks import assert_safe_render_html

__all__ = ["OWN_COMMISSIONERS", "commissioner_message"]

OWN_COMMISSIONERS = (
    {
        "id": "ruleset-commissioner",
        "type": "commissioner",
        "name": "Ruleset commissioner",
        "image": "softmax/ruleset-commissioner:latest",
    },
    {
        "id": "default-commissioner",
        "type": "commissioner",
        "name": "Default commissioner",
        "image": "softmax/default-commissioner:latest",
    },
)
"""entries of a manifest; a league of a game without a commissioner has the first"""
MAX_PAGE_CHARACTERS = 1 << 20


def commissioner_message(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message of a commissioner with all its fields, in today's form; raise `ValueError`.

    A state that is too large and a page that is not safe are left out, and `warnings` says so.
    """
    document, warnings = dict(document), list[str]()
    if document.get("type") == "round_complete":
        size = len(json.dumps(document.get("state")))
        if size > COMMISSIONER_STATE_MAX_BYTES:
            document["state"] = None
            limit = COMMISSIONER_STATE_MAX_BYTES
            warnings.append(f"The state has {size} bytes and at most {limit} are stored; the former state stays")
        if (problem := _page_problem(document.get("observability"))) is not None:
            document["observability"] = {**document["observability"], "render_html": None}
            warnings.append(f"The page of the report is not shown: {problem}")
    try:
        message = CommissionerMessage.from_json(document).to_json()
    except ValidationError as error:
        raise ValueError(str(message_problems(error))) from None
    except CoworldError as error:
        raise ValueError(str(error)) from None
    return {**message, "warnings": warnings} if warnings else message


def _page_problem(report: Any) -> str | None:
    page = report.get("render_html") if isinstance(report, dict) else None
    if not isinstance(page, str):
        return None
    if len(page) > MAX_PAGE_CHARACTERS:
        return f"it has {len(page)} characters, and at most {MAX_PAGE_CHARACTERS} are allowed"
    try:
        assert_safe_render_html(page)
    except CoworldError as error:
        return str(error)
    return None
