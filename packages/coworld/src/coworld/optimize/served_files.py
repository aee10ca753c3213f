"""Turn the outputs of roles into something a browser can show safely."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from coworld.bundle.archives import opened_archive
from coworld.errors import CoworldError
from coworld.roles.html_safety import RENDER_CSP
from coworld.roles.report_checks import assert_safe_render_html, read_report
from coworld.roles.role_runner import check_diagnosis

TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True)
class ServedFile:
    """The body of a response, its type and its Content-Security-Policy."""

    data: bytes
    content_type: str
    policy: str = "default-src 'none'; frame-ancestors 'self'; sandbox"
    file_name: str | None = None
    """of a download"""


def show(path: Path, *, download: bool = False) -> ServedFile:
    """Read a role's output: the page of a report or diagnosis, or indented JSON; with `download` as it is.

    Raises:
        CoworldError: it is unsafe or damaged.
    """
    data = path.read_bytes()
    if download:
        return ServedFile(data, "application/octet-stream", file_name=path.name)
    if path.suffix == ".json":
        return ServedFile(_indented(data), TEXT)
    if path.name.startswith("report-"):
        return _page(read_report(data).render, data)
    if path.name.startswith("diagnosis-"):
        manifest, names = check_diagnosis(data)
        name = manifest.get("render") if manifest else None
        if not isinstance(name, str) or name not in names:
            return _page(None, data)
        with opened_archive(data, name="the diagnosis") as archive:
            return _page((name, archive.read(name).decode(errors="replace")), data)
    raise CoworldError(f"{path.name} cannot be shown", hint="download it")


def _page(render: tuple[str, str] | None, data: bytes) -> ServedFile:
    if render is None:
        with opened_archive(data, name="the output") as archive:
            return ServedFile(("It has no page. Its files:\n" + "\n".join(archive.names)).encode(), TEXT)
    name, text = render
    if name.lower().endswith((".html", ".htm")):
        assert_safe_render_html(text, source=name)
        return ServedFile(text.encode(), "text/html; charset=utf-8", RENDER_CSP)
    return ServedFile(text.encode(), TEXT)


def _indented(data: bytes) -> bytes:
    try:
        return json.dumps(json.loads(data), indent=2, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return data
