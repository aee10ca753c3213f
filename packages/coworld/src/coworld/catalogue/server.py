"""Read the reporters of a server: `GET /v2/reporters` and `GET /v2/reporters/ID`."""

from __future__ import annotations

import json
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from coworld.errors import SourceError
from coworld.uris.transfer import public_uri

__all__ = ["ReporterOutput", "ReporterPage", "ServerReporter", "fetch_reporter", "fetch_reporters"]

LARGEST_RESPONSE = 16 << 20
TIMEOUT = 30.0
_Model = TypeVar("_Model", bound=BaseModel)


class ReporterOutput(BaseModel):
    """A declared output."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True, serialize_by_alias=True)

    name: str
    type: str
    description: str = ""
    schema_uri: str | None = Field(default=None, alias="schema")
    optional: bool = False


class ServerReporter(BaseModel):
    """A reporter as the server describes it; `latest_version` is missing for one that runs elsewhere."""

    model_config = ConfigDict(extra="allow")

    id: str
    name: str
    display_name: str = ""
    description: str = ""
    user_id: str = ""
    latest_version: int | None = None
    outputs: list[ReporterOutput] = []
    run_count: int = 0
    output_count: int = 0
    created_at: str | None = None

    @property
    def mode(self) -> str:
        return "hosted" if self.latest_version is not None else "external"

    def document(self) -> dict[str, Any]:
        return {**self.model_dump(mode="json"), "mode": self.mode}


class ReporterPage(BaseModel):
    """One page of a listing."""

    entries: list[ServerReporter]
    next_cursor: str | None = None


def fetch_reporters(server: str, parameters: dict[str, Any]) -> ReporterPage:
    """Fetch one page of a server's reporters.

    Raises:
        SourceError: the server cannot be reached, refuses, or answers something else.
    """
    document, headers = _get(server, "/v2/reporters", {key: value for key, value in parameters.items() if value})
    if isinstance(document, list):
        document = {"entries": document, "next_cursor": headers.get("X-Next-Cursor")}
    return _validated(ReporterPage, document, server)


def fetch_reporter(server: str, reporter_id: str) -> ServerReporter:
    """Fetch one reporter; raises SourceError."""
    document, _headers = _get(server, f"/v2/reporters/{quote(reporter_id, safe='')}", {})
    return _validated(ServerReporter, document, server)


def _get(server: str, path: str, parameters: dict[str, Any]) -> tuple[Any, Any]:
    import httpx

    base = server.rstrip("/")
    if not base.startswith(("http://", "https://")) or not urlsplit(base).netloc:
        raise SourceError(f"The server {public_uri(base)!r} is not an http(s) address", hint="--server https://HOST")
    if urlsplit(base).path.endswith("/api"):  # the address of a site, whose API is below
        base += "/observatory"
    host = urlsplit(base).netloc.rpartition("@")[2]
    try:
        with httpx.stream("GET", base + path, params=parameters, timeout=TIMEOUT) as response:
            data = b""
            for block in response.iter_bytes():
                data += block
                if len(data) > LARGEST_RESPONSE:
                    raise SourceError(f"The server {host} sent too much for {path}", hint="use a smaller --limit")
            status, headers = response.status_code, response.headers
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        raise SourceError(f"The server {host} could not be reached: {reason}", hint="check the address") from None
    if status == 404 and path != "/v2/reporters":
        raise SourceError(f"The server {host} has no reporter {path.rpartition('/')[2]}", hint="check the id")
    if status >= 400:
        hint = (
            "it needs an account" if status in (401, 403) else "check the address; a server may have no reporters yet"
        )
        raise SourceError(f"The server {host} refused {path} (status {status})", hint=hint)
    try:
        return json.loads(data), headers
    except ValueError:
        raise SourceError(f"The server {host} did not answer {path} with JSON", hint="check the address") from None


def _validated(model: type[_Model], document: Any, server: str) -> _Model:
    try:
        return model.model_validate(document)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(map(str, problem["loc"]))
        raise SourceError(
            f"The server {public_uri(server)} answered in another form: {where}: {problem['msg']}",
            hint="check the address",
        ) from None
