"""Check the output of reporters: safe pages, event logs, and the zip of an older container reporter."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from coworld.bundle.archives import opened_archive
from coworld.errors import BundleError, CoworldError
from coworld.roles.event_log import Event, write_event_log
from coworld.roles.html_safety import (
    DISALLOWED_HTML_TAGS,
    LARGEST_PAGE,
    LINK_URL_ATTRS,
    RENDER_CSP,
    RESOURCE_URL_ATTRS,
    html_violations,
)
from coworld.schema.problems import problems_of
from coworld.schema.validation import parse_json_object

__all__ = [
    "DISALLOWED_HTML_TAGS",
    "EVENT_LOG_EXTENSIONS",
    "LINK_URL_ATTRS",
    "PART_TYPES",
    "RENDERABLE_EXTENSIONS",
    "RENDER_CSP",
    "RESOURCE_URL_ATTRS",
    "TRACE_EXTENSIONS",
    "Event",
    "Report",
    "ReportManifest",
    "ReportRenderError",
    "ReportValidationError",
    "StoredReportManifest",
    "assert_safe_render_html",
    "declared_parts_missing",
    "read_event_log",
    "read_report",
    "validate_report_zip",
    "write_event_log",
]

PART_TYPES = ("render-html", "render-markdown", "event-log", "json", "file")
"""The kinds of a report's parts."""

RENDERABLE_EXTENSIONS = frozenset({".html", ".md"})
EVENT_LOG_EXTENSIONS = frozenset({".parquet"})
TRACE_EXTENSIONS = frozenset({".json", ".jsonl"})
_ENDINGS = {"render": RENDERABLE_EXTENSIONS, "event_log": EVENT_LOG_EXTENSIONS, "trace": TRACE_EXTENSIONS}

ReportValidationError = CoworldError
"""The errors of an invalid report."""


class StoredReportManifest(BaseModel):
    """The `manifest.json` of a report's zip, read leniently: its reporter and its files."""

    model_config = ConfigDict(extra="ignore")

    reporter_id: str | None = None
    render: str | None = None
    """the page to show"""
    event_log: str | None = None
    trace: str | None = None


class ReportManifest(StoredReportManifest):
    """The `manifest.json` as a reporter must write it: it names the reporter and has no other keys."""

    model_config = ConfigDict(extra="forbid")

    reporter_id: str


class ReportRenderError(CoworldError):
    """An unsafe page; `violations` says why, and `html` is its source, to be shown as text."""

    def __init__(self, source: str, violations: list[str], html: str = "") -> None:
        lines = "".join(f"\n- {violation}" for violation in violations)
        super().__init__(
            f"render entry {source!r} is unsafe to embed:{lines}",
            hint="write a page of text, tables, styles and inline images",
        )
        self.violations = violations
        self.html = html


def assert_safe_render_html(html: str, *, source: str = "render", zip_entries: Collection[str] | None = None) -> None:
    """Refuse a page that runs or fetches anything.

    `source` is the page's name. With `zip_entries`, the names of the files in the report's zip, the page may refer to
    those files.

    Raises:
        ReportRenderError: lists every violation.
    """
    violations = html_violations(html, source=source, zip_entries=zip_entries)
    if violations:
        raise ReportRenderError(source, violations, html)


def read_event_log(data: bytes) -> list[Event]:
    """Read and check the rows of an event log: parquet with `ts` and `player` as int64 and `key` and
    `value` as strings, nothing missing, one row group at most.

    Raises:
        CoworldError: it is something else, or the `reports` extra is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise CoworldError("reading parquet needs pyarrow", hint="pip install 'coworld[reports]'") from error
    try:
        # One thread: pyarrow's pool can abort a program that ends right after it was started.
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data), pre_buffer=False)
        table = file.read(use_threads=False)
    except (pyarrow.ArrowException, OSError) as error:
        raise CoworldError(f"the event log is not parquet: {error}", hint="write it with `write_event_log`") from error
    expected_columns = {"ts": "int64", "player": "int64", "key": "string", "value": "string"}
    columns = {field.name: str(field.type) for field in table.schema}
    if columns != expected_columns:
        raise CoworldError(f"the event log has the columns {columns}", hint=f"write {expected_columns}")
    if file.num_row_groups > 1:
        raise CoworldError(f"the event log has {file.num_row_groups} row groups", hint="write one")
    if any(column.null_count for column in table.columns):
        raise CoworldError("the event log has empty cells", hint="write every cell")
    return [Event(**row) for row in table.to_pylist()]


@dataclass(frozen=True)
class Report:
    """The contents of a reporter's zip."""

    manifest: StoredReportManifest
    render: tuple[str, str] | None
    """name and text of the page to show"""
    events: list[Event] | None
    """the event log; None without one, or without the `reports` extra"""
    files: tuple[str, ...]


def read_report(source: Path | bytes) -> Report:
    """Read the zip of a container reporter.

    Its `manifest.json` names the page (`render`) and the event log (`event_log`); it may be missing, and so may its
    keys. A page in HTML must be safe and may refer to files of the zip.

    Raises:
        BundleError: the file is not a zip, is a harmful one, or names files that it does not contain.
        ReportRenderError: the page is unsafe.
        CoworldError: the event log is invalid.
    """
    with opened_archive(source, name="the report") as archive:
        names = archive.names
        manifest = _manifest(archive.read("manifest.json")) if "manifest.json" in names else StoredReportManifest()
        page = manifest.render
        text = archive.read(page).decode(errors="replace") if page else None
        events = _events(archive.read(manifest.event_log)) if manifest.event_log else None
        if manifest.trace and manifest.trace not in names:
            raise BundleError(f"the report has no {manifest.trace}", hint="write it, or leave `trace` out")
    if page and text is not None and page.lower().endswith((".html", ".htm")):
        if len(text) > LARGEST_PAGE:
            raise BundleError(f"the page {page} is larger than {LARGEST_PAGE >> 20} MiB", hint="write a smaller one")
        assert_safe_render_html(text, source=page, zip_entries=names)
    return Report(
        manifest=manifest,
        render=(page, text) if page and text is not None else None,
        events=events,
        files=tuple(name for name in names if not name.endswith("/")),
    )


def validate_report_zip(zip_bytes: bytes) -> ReportManifest:
    """Check the zip of a container reporter strictly, and return its manifest.

    There must be a `manifest.json` without unknown keys. The files it names must exist and have the right endings. The
    page must be UTF-8 and, in HTML, safe. `read_report` also reads the event log.

    Raises:
        ReportValidationError: it is not a zip, or a file is missing or has another ending (`ReportRenderError` for an
            unsafe page).
        pydantic.ValidationError: `manifest.json` has a wrong shape.
        UnicodeDecodeError: the page is not UTF-8.
    """
    with opened_archive(zip_bytes, name="the report") as archive:
        if "manifest.json" not in archive.names:
            raise BundleError("the report zip is missing a top-level manifest.json", hint="write one")
        manifest = ReportManifest.model_validate_json(archive.read("manifest.json"))
        for key, endings in _ENDINGS.items():
            _check_file(key, getattr(manifest, key), endings, archive.names)
        if manifest.render:
            text = _decoded(manifest.render, archive.read(manifest.render))
            if manifest.render.lower().endswith(".html"):
                assert_safe_render_html(text, source=manifest.render, zip_entries=archive.names)
    return manifest


def _check_file(key: str, name: str | None, endings: frozenset[str], names: Collection[str]) -> None:
    if name is None:
        return
    ending = Path(name).suffix
    if ending.lower() not in endings:
        message = f"manifest.{key}={name!r} has extension {ending!r}; expected one of {sorted(endings)}"
        raise BundleError(message, hint="rename the file")
    if name not in names:
        raise BundleError(f"manifest.{key}={name!r} is not present in the report zip", hint="write the file")


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        reason = f"{error.reason}: {name} of the report must be UTF-8"
        raise UnicodeDecodeError(error.encoding, error.object, error.start, error.end, reason) from None


def _events(data: bytes) -> list[Event] | None:
    """Return the rows of a report's event log; without the `reports` extra, check only its first and last bytes."""
    if find_spec("pyarrow") is not None:
        return read_event_log(data)
    if not (data.startswith(b"PAR1") and data.endswith(b"PAR1")):
        raise CoworldError("the event log is not parquet", hint="write it with `write_event_log`")
    return None


def _manifest(data: bytes) -> StoredReportManifest:
    """Read the manifest. Values may be paths, or objects with a `path`, as different reporters write them."""
    document = parse_json_object(data, name="the report's manifest.json")
    plain = {key: value.get("path") if isinstance(value, dict) else value for key, value in document.items()}
    try:
        return StoredReportManifest.model_validate(plain)
    except ValidationError as error:
        first = problems_of(error, StoredReportManifest)[0]
        raise BundleError(f"the report's manifest.json: {first}", hint=first.fix) from None


def declared_parts_missing(attributes: dict[str, Any], emitted: Iterable[str]) -> list[str]:
    """Return the required parts that a reporter declares as its `outputs` and did not emit."""
    have = set(emitted)
    outputs = attributes.get("outputs")
    return [
        output["name"]
        for output in (outputs if isinstance(outputs, list) else ())
        if isinstance(output, dict)
        and isinstance(output.get("name"), str)
        and not output.get("optional")
        and output["name"] not in have
    ]
