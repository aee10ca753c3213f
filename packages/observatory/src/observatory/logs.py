"""Logs as one JSON document per line, each with the id of the request it belongs to.

What a line may hold is chosen here: never a header, a body or a query string, because those carry tokens, secrets and
signatures.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime

__all__ = ["JsonFormatter", "configure_logging", "request_id", "without_secrets"]

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

_FIELDS = ("method", "path", "status", "duration_ms", "principal", "address", "job_id", "worker")
_TOKEN = re.compile(r"\b(obs|ply|wrk|job|inv|opr)_[A-Za-z0-9_\-.]{24,}")
_QUERY = re.compile(r"(https?://[^\s\"'?]+)\?[^\s\"']+")


def without_secrets(text: str) -> str:
    """Return the text without our tokens and without the query strings of URLs, which may be signatures."""
    return _QUERY.sub(r"\1?…", _TOKEN.sub(r"\1_…", text))


def _clean(value: object) -> object:
    return without_secrets(value) if isinstance(value, str) else value


class JsonFormatter(logging.Formatter):
    """A log record as one line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if (current := request_id.get()) is not None:
            line["request_id"] = current
        line |= {name: _clean(getattr(record, name)) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info:
            line["exception"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


class PlainFormatter(logging.Formatter):
    """For a terminal."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:
        # One line, whatever a path held: a second one would look like a record of ours.
        return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in super().formatMessage(record))


def configure_logging(style: str = "json", level: str = "INFO") -> None:
    """Send every log of this process to stderr; `style` is `json` or `plain`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if style == "json" else PlainFormatter())
    os.environ.setdefault("METTAGRID_LOG_LEVEL", level)  # the engine sets the level when it is imported
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for name in ("httpx", "httpcore", "botocore", "alembic", "multipart"):
        logging.getLogger(name).setLevel(logging.WARNING)
