"""Describe a program's failure by the end of its log."""

import re

LOG_TAIL = 64 << 10
"""bytes of the log that are searched"""
MAX_CHARACTERS = 300
_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Group|Warning)(?::.*)?")


def describe_log_end(log: str) -> str:
    """Return a clause for a message: the exception of the last traceback, else the last line; "" for an empty log."""
    lines = [line.rstrip() for line in log.splitlines() if line.strip()]
    traceback = max((number for number, line in enumerate(lines) if line.startswith("Traceback (")), default=None)
    if traceback is not None:
        for line in lines[traceback + 1 :]:
            if _EXCEPTION.fullmatch(line):
                return f": {line[:MAX_CHARACTERS]}"
    return f"; the last line of its log: {lines[-1].strip()[:MAX_CHARACTERS]}" if lines else ""
