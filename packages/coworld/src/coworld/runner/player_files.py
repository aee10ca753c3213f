"""Players of games that host them: a file, or a folder packed into one, known by its digest."""

import hashlib
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from coworld.errors import SourceError
from coworld.models.requests import CoworldPlayerFileSpec
from coworld.models.runnables import is_sha256_reference
from coworld.package import CoworldPackage
from coworld.runner.failures import RunnerEpisodeError

LARGEST = 100 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)


def player_file_bytes(source: Path) -> bytes:
    """A file as it is, a folder as a zip that is the same for the same contents; raises SourceError."""
    if source.is_symlink():
        raise SourceError(f"{source} is a link", hint="a player is a plain file or a folder of plain files")
    try:
        data = _packed(source) if source.is_dir() else source.read_bytes()
    except OSError as error:
        raise SourceError(f"{source} could not be read: {error.strerror}", hint="check the path") from None
    if len(data) > LARGEST:
        raise SourceError(
            f"{source} is larger than {LARGEST >> 20} MiB", hint="leave out what the player does not need"
        )
    return data


def _packed(folder: Path) -> bytes:
    paths = sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix())
    if link := next((path for path in paths if path.is_symlink()), None):
        raise SourceError(f"{link} is a link", hint="a player's folder holds plain files only")
    files = [path for path in paths if path.is_file()]
    if sum(path.stat().st_size for path in files) > LARGEST:
        raise SourceError(
            f"{folder} holds more than {LARGEST >> 20} MiB", hint="leave out what the player does not need"
        )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), compresslevel=9)
    return buffer.getvalue()


def player_file_spec(source: Path) -> CoworldPlayerFileSpec:
    """The seat of an episode request for a file or folder."""
    data = player_file_bytes(source)
    return CoworldPlayerFileSpec(
        type="player-file", content_hash=hashlib.sha256(data).hexdigest(), size_bytes=len(data)
    )


def fixture_player_files(package: CoworldPackage) -> list[Path]:
    """The files of the certification fixture's players, one per seat."""
    paths = []
    for seat in package.manifest.certification.players:
        name = package.player(seat.player_id).file or ""
        if is_sha256_reference(name):
            name = f"player-files/{name.removeprefix('sha256:')}"
        paths.append(package.file(name))
    return paths


def staged_files(players: Sequence[object], sources: Sequence[Path] | None) -> list[bytes]:
    """What is put at `players/SLOT/file`; each must be what the request says. Raises RunnerEpisodeError."""
    if sources is None or len(sources) != len(players):
        raise RunnerEpisodeError(
            f"the request has {len(players)} seats with player files, and {len(sources or ())} files were given",
            error_type="player_file_unavailable",
        )
    staged = []
    for slot, (player, source) in enumerate(zip(players, sources, strict=True)):
        try:
            data = player_file_bytes(source)
        except SourceError as error:
            raise RunnerEpisodeError(
                f"the file of slot {slot}: {error}", error_type="player_file_unavailable"
            ) from None
        if isinstance(player, CoworldPlayerFileSpec):
            digest = hashlib.sha256(data).hexdigest()
            if len(data) != player.size_bytes or digest != player.content_hash:
                raise RunnerEpisodeError(
                    f"the file of slot {slot} has {len(data)} bytes and the digest {digest[:12]}..., and the request "
                    f"says {player.size_bytes} and {player.content_hash[:12]}...",
                    error_type="player_file_mismatch",
                )
        staged.append(data)
    return staged
