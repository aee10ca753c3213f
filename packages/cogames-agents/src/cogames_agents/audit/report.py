"""A report of the commands, as text or as one document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cogames_agents.audit.text import Row, Rows, Signed, fields, section

if TYPE_CHECKING:
    from softmax.cli.output import Format

__all__ = ["Report"]


@dataclass
class Report:
    """Rows of traces, sections of counts, verdicts and a result; a part that is empty is left out."""

    title: str
    trace: list[Row] = field(default_factory=list)
    sections: dict[str, Rows] = field(default_factory=dict)
    checks: list[Row] = field(default_factory=list)
    result: str = ""

    def lines(self) -> list[str]:
        lines = [self.title, *map(fields, self.trace)]
        for title, rows in self.sections.items():
            lines += section(title, rows)
        if self.checks:
            lines += ["", "Checks", *map(_check, self.checks)]
        if self.result:
            lines += ["", f"Result: {self.result}"]
        return lines

    def document(self) -> dict[str, object]:
        """Return the report for programs; titles of sections become keys such as `role_behavior`."""
        parts: dict[str, object] = {"title": self.title, "trace": self.trace}
        parts |= {title.lower().replace(" ", "_"): rows for title, rows in self.sections.items()}
        parts |= {"checks": self.checks, "result": self.result}
        return {name: _plain(part) for name, part in parts.items() if part}

    def print(self, kind: Format | None) -> None:
        if kind is not None:
            from softmax.cli.output import print_data

            print_data(self.document(), kind)
            return
        for line in self.lines():
            print(line)


def _plain(part: object) -> object:
    """Return a part of the document with plain numbers, which YAML needs."""
    if isinstance(part, dict):
        return {name: _plain(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_plain(value) for value in part]
    return int(part) if isinstance(part, Signed) else part


def _check(check: Row) -> str:
    reason = f": {check['reason']}" if check["reason"] else ""
    return f"  {check['verdict']}  {check['check']}{reason}"
