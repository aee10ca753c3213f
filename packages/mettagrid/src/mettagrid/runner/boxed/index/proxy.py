"""A read-only proxy of the package index for one box: `http://127.0.0.1:PORT/TOKEN/0/`, without credentials.

| path after the token | response |
|---|---|
| `/N/PROJECT/` | the page of a project of source number N, with rewritten links |
| `/N/` | the page of links number N |
| `/file/ID/NAME` | a file that a page linked to; NAME may end with `.metadata` (PEP 658) |

All other requests are refused. The token keeps other users of this machine from using the index.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.server
import re
import secrets
import threading
from http import HTTPStatus
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from mettagrid.runner.boxed.index.pages import ACCEPT, FileLink, read_page, write_page
from mettagrid.runner.boxed.index.settings import PackageIndex
from mettagrid.runner.boxed.index.upstream import Upstream, UpstreamFailed

__all__ = ["INDEX_PORT", "IndexProxy"]

INDEX_PORT = 3141
"""inside the box"""
MAX_PAGE_BYTES = 32 << 20
MAX_LINKS = 100_000
"""most remembered links; the oldest are evicted"""
_CHUNK_BYTES = 1 << 16
_METADATA = ".metadata"
_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")
_AT_ONCE = 2
"""most pages parsed concurrently: a page takes many times its size in memory"""


class IndexProxy:
    """Serves the package index to one box until it is stopped; without an `index` it refuses every request."""

    def __init__(self, index: PackageIndex | None) -> None:
        self.was_refused = False
        """whether a request was refused because there is no index"""
        self.outage: str | None = None
        """why the index gave no page, unless the request was at fault"""
        self.folders: list[Path] = [] if index is None else index.folders
        """of this machine, visible to pip in the box"""
        self._index = index
        self._upstream = None if index is None else Upstream(index)
        self._token = secrets.token_urlsafe(24)
        self._links: dict[str, str] = {}
        self._lock = threading.Lock()
        self._pages = threading.Semaphore(_AT_ONCE)
        proxy = self

        class Handler(_Handler):
            owner = proxy

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.address: tuple[str, int] = self._server.server_address[:2]  # type: ignore[assignment]

    def __enter__(self) -> IndexProxy:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def variables(self) -> dict[str, str]:
        """The environment variables of pip in the box."""
        index = PackageIndex({}) if self._index is None else self._index
        return index.variables(f"http://127.0.0.1:{INDEX_PORT}/{self._token}")

    def respond(self, handler: _Handler, method: str) -> None:
        """Answer one request."""
        words = unquote(urlsplit(handler.path).path).split("/")
        if len(words) < 3 or not hmac.compare_digest(words[1].encode(), self._token.encode()):
            handler.refuse(HTTPStatus.NOT_FOUND, "not found")
            return
        if self._index is None:
            self.was_refused = True
            handler.refuse(HTTPStatus.FORBIDDEN, "this setup script may not use the package index")
            return
        match words[2:]:
            case ["file", key, name] if (url := self._file_url(key, name)) is not None:
                self._send_file(handler, method, url)
            case [number, project, ""] if _PROJECT.fullmatch(project) and self._is_source(number, is_index=True):
                self._send_page(handler, f"{self._index.sources[int(number)].url}/{project}/")
            case [number, ""] if self._is_source(number, is_index=False):
                self._send_page(handler, self._index.sources[int(number)].url)
            case _:
                handler.refuse(HTTPStatus.NOT_FOUND, "not found")

    def _is_source(self, number: str, *, is_index: bool) -> bool:
        sources = [] if self._index is None else self._index.sources
        return number in map(str, range(len(sources))) and sources[int(number)].is_index is is_index

    def _file_url(self, key: str, name: str) -> str | None:
        """Return the original address of a rewritten link, or that of its metadata."""
        with self._lock:
            url = self._links.get(key)
        if url is None:
            return None
        parts = urlsplit(url)
        known = unquote(parts.path.rpartition("/")[2])
        if name == known + _METADATA:
            return urlunsplit(parts._replace(path=parts.path + _METADATA))
        return url if name == known else None

    def _address(self, link: FileLink) -> str:
        """Return the address of a linked file for the box, and allow requests for it from now on."""
        key = hashlib.sha256(link.url.encode()).hexdigest()[:32]
        with self._lock:
            self._links.pop(key, None)
            self._links[key] = link.url
            if len(self._links) > MAX_LINKS:
                del self._links[next(iter(self._links))]
        return f"/{self._token}/file/{key}/{quote(link.name)}"

    def _send_page(self, handler: _Handler, url: str) -> None:
        assert self._upstream is not None
        with self._pages:
            try:
                with self._upstream.open("GET", url, accept=ACCEPT) as (response, final):
                    body = response.read(MAX_PAGE_BYTES + 1)
                    content_type = response.headers.get("Content-Type", "")
                if len(body) > MAX_PAGE_BYTES:
                    raise UpstreamFailed(f"the page is larger than {MAX_PAGE_BYTES >> 20} MB")
                page = write_page(read_page(final, content_type, body), self._address)
            except UpstreamFailed as error:
                self.outage = str(error) if error.is_outage else self.outage
                handler.refuse(error.status, str(error))
                return
            except ValueError as error:
                handler.refuse(HTTPStatus.BAD_GATEWAY, str(error))
                return
        handler.begin(HTTPStatus.OK, "text/html; charset=utf-8", len(page))
        handler.body(page)

    def _send_file(self, handler: _Handler, method: str, url: str) -> None:
        assert self._upstream is not None
        begun = False
        try:
            with self._upstream.open(method, url) as (response, _):
                begun = True
                length = response.headers.get("Content-Length", "")
                handler.begin(HTTPStatus.OK, "application/octet-stream", int(length) if length.isdecimal() else None)
                while block := response.read(_CHUNK_BYTES):
                    handler.body(block)
        except UpstreamFailed as error:
            if not begun:
                handler.refuse(error.status, str(error))
            else:
                handler.close_connection = True


class _Handler(http.server.BaseHTTPRequestHandler):
    """Handles GET and HEAD only; one request per connection, so that a body without a length has an end."""

    owner: ClassVar[IndexProxy]
    timeout = 60

    def do_GET(self) -> None:
        self._respond("GET")

    def do_HEAD(self) -> None:
        self._respond("HEAD")

    def _respond(self, method: str) -> None:
        with contextlib.suppress(ConnectionError, TimeoutError):
            self.owner.respond(self, method)

    def begin(self, status: HTTPStatus, content_type: str, length: int | None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def body(self, block: bytes) -> None:
        if self.command != "HEAD":
            self.wfile.write(block)

    def refuse(self, status: HTTPStatus, reason: str) -> None:
        text = f"{reason}\n".encode()
        self.begin(status, "text/plain; charset=utf-8", len(text))
        self.body(text)

    def version_string(self) -> str:
        return "package-index"

    def log_message(self, format: str, *args: object) -> None:
        """Do not log: pip's output is in the policy's log."""
