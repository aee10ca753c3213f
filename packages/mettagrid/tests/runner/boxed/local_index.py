"""A package index on this machine that wants a user name and a password, and tells what was asked for."""

import base64
import http.server
import json
import threading
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

USER, PASSWORD = "operator", "pass/word-8fe2c61"
CREDENTIALS = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


def write_wheel(folder: Path, name: str, text: str) -> Path:
    """A package of one module, as pip installs it."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-1.0.dist-info"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", text)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


@dataclass
class Page:
    """What the server answers under a path."""

    body: bytes
    content_type: str = "text/html"
    status: int = 200
    location: str | None = None


@dataclass
class LocalIndex:
    """Serves `pages` by path; with `protected`, to those who send the credentials."""

    protected: bool = True
    pages: dict[str, Page] = field(default_factory=dict)
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    """(method, path, Authorization) of every request"""

    def __enter__(self) -> "LocalIndex":
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index._respond(self)

            do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def offer(self, wheel: Path, *, files: "LocalIndex | None" = None, as_json: bool = False) -> None:
        """Put a wheel on its project page; its file is here, or on another server."""
        project, path = wheel.name.partition("-")[0], f"/files/{wheel.name}"
        (files or self).pages[path] = Page(wheel.read_bytes(), "application/octet-stream")
        link = path if files is None else f"http://{files.place}{path}"
        if as_json:
            page = {"meta": {"api-version": "1.0"}, "name": project, "files": [{"filename": wheel.name, "url": link}]}
            self.pages[f"/simple/{project}/"] = Page(
                json.dumps(page | {"hashes": {}}).encode(), "application/vnd.pypi.simple.v1+json"
            )
        else:
            self.pages[f"/simple/{project}/"] = Page(f'<a href="{link}">{wheel.name}</a>'.encode())

    def _respond(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        authorization = handler.headers.get("Authorization")
        self.asked.append((handler.command, handler.path, authorization))
        if self.protected and authorization != f"Basic {CREDENTIALS}":
            page = Page(b"who are you?", status=401)
        else:
            page = self.pages.get(handler.path, Page(b"not here", status=404))
        handler.send_response(page.status)
        handler.send_header("Content-Type", page.content_type)
        handler.send_header("Content-Length", str(len(page.body)))
        if page.location is not None:
            handler.send_header("Location", page.location)
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(page.body)
