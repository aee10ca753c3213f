"""Players of games that host them: a file, or a folder packed into one, identified by its digest."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from coworld.errors import SourceError
from coworld.manifest.package import CoworldPackage
from coworld.models.requests import CoworldHumanPlayerSpec, CoworldPlayerFileSpec, CoworldRunnableSpec
from coworld.models.runnables import is_sha256_reference
from coworld.models.seats import (
    CoworldPlayerSeat,
    CoworldPlayerSeats,
    CoworldPlayerSeatsSchema,
    CoworldPlayHumanSeat,
    CoworldPlayPolicySeat,
)
from coworld.runner.artifacts import CONTAINER_WORKDIR, EpisodeArtifacts, write_file
from coworld.runner.failures import RunnerEpisodeError

SeatedPlayer = CoworldRunnableSpec | CoworldPlayerFileSpec | CoworldHumanPlayerSpec

PLAYER_FILE_MAX_BYTES = 100 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)


class InvalidPlayerFile(SourceError):
    """A file or folder that cannot be a player."""


def resolve_player_file(source: Path, *, package_root: Path | None = None) -> Path:
    """Return the file or folder, which must exist, not be a link and, with a package, be inside it.

    Raises:
        InvalidPlayerFile: it does not.
    """
    path = source if package_root is None else package_root / source
    if path.is_symlink():
        raise InvalidPlayerFile(f"{path} is a link", hint="a player is a plain file or a folder of plain files")
    path = path.resolve()
    if package_root is not None and not path.is_relative_to(package_root.resolve()):
        raise InvalidPlayerFile(f"{source} is outside the package {package_root}", hint="keep players in the package")
    if not path.exists():
        raise InvalidPlayerFile(f"{path} does not exist", hint="check the path")
    return path


def player_file_bytes(source: Path, *, package_root: Path | None = None) -> bytes:
    """Return the bytes of a file, or of a folder as a deterministic zip; raises InvalidPlayerFile."""
    source = resolve_player_file(source, package_root=package_root)
    try:
        data = _packed(source) if source.is_dir() else source.read_bytes()
    except OSError as error:
        raise InvalidPlayerFile(f"{source} could not be read: {error.strerror}", hint="check the path") from None
    if len(data) > PLAYER_FILE_MAX_BYTES:
        raise InvalidPlayerFile(
            f"{source} is larger than {PLAYER_FILE_MAX_BYTES >> 20} MiB", hint="leave out what the player does not need"
        )
    return data


def _packed(folder: Path) -> bytes:
    paths = sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix())
    if link := next((path for path in paths if path.is_symlink()), None):
        raise InvalidPlayerFile(f"{link} is a link", hint="a player's folder holds plain files only")
    files = [path for path in paths if path.is_file()]
    if sum(path.stat().st_size for path in files) > PLAYER_FILE_MAX_BYTES:
        raise InvalidPlayerFile(
            f"{folder} holds more than {PLAYER_FILE_MAX_BYTES >> 20} MiB",
            hint="leave out what the player does not need",
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
    """Return the seat of an episode request for a file or folder."""
    data = player_file_bytes(source)
    return CoworldPlayerFileSpec(
        type="player-file", content_hash=hashlib.sha256(data).hexdigest(), size_bytes=len(data)
    )


def fixture_player_files(package: CoworldPackage) -> list[Path]:
    """Return the files of the certification fixture's players, one per seat."""
    paths = []
    for seat in package.manifest.certification.players:
        name = package.player(seat.player_id).file or ""
        if is_sha256_reference(name):
            name = f"player-files/{name.removeprefix('sha256:')}"
        paths.append(package.file(name))
    return paths


def player_seats(
    players: Sequence[SeatedPlayer], folder: str, schema: CoworldPlayerSeatsSchema = "coworld-player-seats/1"
) -> CoworldPlayerSeats:
    """Build a game's seats document; `folder` is the game's folder as it sees it. Raises pydantic's ValidationError."""
    mixed = any(isinstance(player, CoworldHumanPlayerSpec) for player in players)
    kind = CoworldPlayPolicySeat if mixed or schema == "coworld-play-seats/1" else CoworldPlayerSeat
    seats: list[Any] = []
    for slot, player in enumerate(players):
        if not isinstance(player, CoworldPlayerFileSpec):
            seats.append(CoworldPlayHumanSeat(slot=slot))
            continue
        annotated = schema == "coworld-player-seats/2"
        seats.append(
            kind(
                slot=slot,
                file_uri=f"file://{folder}/players/{slot}/file",
                content_hash=f"sha256:{player.content_hash}",
                size_bytes=player.size_bytes,
                log_uri=f"file://{folder}/logs/policy_agent_{slot}.log",
                artifact_uri=f"file://{folder}/policy_artifact_{slot}.zip",
                annotations_uri=f"file://{folder}/policy_annotations_{slot}.jsonl" if annotated else None,
            )
        )
    return CoworldPlayerSeats(schema_=schema, seats=seats, player_status_uri=f"file://{folder}/player_status.json")


def stage_player_files(
    players: Sequence[SeatedPlayer],
    read_player_file: Callable[[int], bytes],
    artifacts: EpisodeArtifacts,
    *,
    player_seats_schema: CoworldPlayerSeatsSchema = "coworld-player-seats/1",
) -> int:
    """Write `players/SLOT/file` and `player_seats.json` to the workspace; return the total size of the files in bytes.

    Raises RunnerEpisodeError: a file cannot be had (`player_file_unavailable`), is not what the request says
    (`player_file_mismatch`), or there is no such seats document (`config_error`).
    """
    total = 0
    for slot, player in enumerate(players):
        if not isinstance(player, CoworldPlayerFileSpec):
            continue
        try:
            data = read_player_file(slot)
        except (OSError, ValueError) as error:
            raise RunnerEpisodeError(
                f"the file of slot {slot}: {error}", error_type="player_file_unavailable"
            ) from None
        digest = hashlib.sha256(data).hexdigest()
        if len(data) != player.size_bytes or digest != player.content_hash:
            raise RunnerEpisodeError(
                f"the file of slot {slot} has {len(data)} bytes and the digest {digest[:12]}..., and the request "
                f"says {player.size_bytes} and {player.content_hash[:12]}...",
                error_type="player_file_mismatch",
            )
        target = artifacts.player_file_path(slot)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, data)
        total += len(data)
    write_player_seats(players, artifacts, folder=CONTAINER_WORKDIR, schema=player_seats_schema)
    return total


def write_player_seats(
    players: Sequence[SeatedPlayer], artifacts: EpisodeArtifacts, *, folder: str, schema: CoworldPlayerSeatsSchema
) -> bytes:
    """Write `player_seats.json` to the workspace; returns what it holds."""
    try:
        document = player_seats(players, folder, schema)
    except ValidationError:
        raise RunnerEpisodeError(
            f"the game asks for the seats document {schema!r}, which does not exist", error_type="config_error"
        ) from None
    data = json.dumps(document.model_dump(mode="json", by_alias=True), indent=2).encode()
    write_file(artifacts.player_seats_path, data)
    return data
