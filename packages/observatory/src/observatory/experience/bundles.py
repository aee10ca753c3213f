"""The files of an episode as one zip archive."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO, Any

from observatory.accounts.principal import Principal
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus
from observatory.errors import BadRequest
from observatory.experience.files import CATEGORIES, Category, EpisodeFile, error_info, json_bytes, readable_files
from observatory.public_ids import public_id
from observatory.store import Missing, Store

__all__ = ["parse_include", "streamed", "write_bundle"]

_PIECE = 1 << 20
_BUNDLED: tuple[Category, ...] = tuple(category for category in CATEGORIES if category != "events")
_DATE = (1980, 1, 1, 0, 0, 0)


def parse_include(text: str | None) -> list[Category]:
    """Return the categories of `a,b,c`; all of them without a text."""
    if not text:
        return list(_BUNDLED)
    words = [word.strip() for word in text.split(",") if word.strip()]
    unknown = [word for word in words if word not in _BUNDLED]
    if unknown:
        raise BadRequest(f"A bundle has no {unknown[0]!r}; it may have: {', '.join(_BUNDLED)}")
    return [category for category in _BUNDLED if category in words]


def write_bundle(
    episode: EpisodeRequest,
    principal: Principal | None,
    *,
    include: Sequence[Category],
    store: Store,
    identity: dict[str, str] | None = None,
) -> IO[bytes]:
    """Return a temporary file with the archive. Files that the caller may not read are left out."""
    archive_file = tempfile.TemporaryFile()  # noqa: SIM115 - `streamed` closes it
    files: dict[str, Any] = {}
    with zipfile.ZipFile(archive_file, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in readable_files(episode, principal, include=include):
            if _add(archive, episode, file, store):
                _list(files, file)
        manifest = {
            **(identity or {"ereq_id": public_id("ereq", episode.id)}),
            "status": "success" if episode.status is EpisodeRequestStatus.COMPLETED else "failed",
            "include": [category for category in _BUNDLED if category in files],
            "files": files,
        }
        archive.writestr(zipfile.ZipInfo("manifest.json", _DATE), json_bytes(manifest))
    archive_file.seek(0)
    return archive_file


def streamed(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the contents of a file, and close it."""
    with file:
        while piece := file.read(_PIECE):
            yield piece


def _add(archive: zipfile.ZipFile, episode: EpisodeRequest, file: EpisodeFile, store: Store) -> bool:
    info = zipfile.ZipInfo(_name(file), _DATE)
    info.compress_type = zipfile.ZIP_STORED if file.category == "player_artifact" else zipfile.ZIP_DEFLATED
    if file.category == "error_info" and episode.error_type is None:
        return False
    try:
        pieces = store.stream(file.key(episode))
    except Missing:
        if file.category != "error_info":
            return False
        archive.writestr(info, json_bytes(error_info(episode)))
        return True
    with archive.open(info, "w", force_zip64=True) as member:
        for piece in pieces:
            member.write(piece)
    return True


def _name(file: EpisodeFile) -> str:
    folders = {"game_logs": "logs/", "player_logs": "logs/", "player_artifact": "artifacts/"}
    return folders.get(file.category, "") + file.name


def _list(files: dict[str, Any], file: EpisodeFile) -> None:
    if file.category == "game_logs":
        files[file.category] = {"combined": _name(file)}
    elif file.position is None:
        files[file.category] = _name(file)
    else:
        files.setdefault(file.category, {})[str(file.position)] = _name(file)
