"""Read the archive of a bundle, which is untrusted.

No file is written before every member has been checked. Written files keep only the execute permission of the archive.
A refused archive raises a `ValueError` that names the member and the reason.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

__all__ = [
    "archive_digest",
    "check_submission_archive",
    "extract_submission_archive",
    "validate_submission_archive_member",
]

MAX_MEMBERS = 20_000
MAX_TOTAL_BYTES = 4 * 2**30
MAX_RATIO = 200
# Small archives may have any compression ratio: a file of zeros is not an attack.
RATIO_FREE_BYTES = 64 * 2**20

_MAX_NAME_BYTES = 255
_MAX_PATH_BYTES = 1024
_ENCRYPTED = 0x1
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_DEVICE_NAMES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)


def archive_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def extract_submission_archive(archive_path: Path, destination: Path) -> None:
    """Write the members of an archive under `destination`, which is created; existing files are replaced."""
    try:
        with zipfile.ZipFile(archive_path) as archive:
            check_submission_archive(archive, archive_path.stat().st_size, destination)
            destination.mkdir(parents=True, exist_ok=True)
            for entry in archive.infolist():
                _extract_member(archive, entry, destination / _relative(entry))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ValueError(f"Invalid submission archive: {archive_path}: {error}") from error


def check_submission_archive(archive: zipfile.ZipFile, packed_size: int, destination: Path) -> None:
    """Raise ValueError for an archive of `packed_size` bytes that is unsafe to unpack into `destination`."""
    entries = archive.infolist()
    _validate_archive(entries, packed_size)
    for entry in entries:
        validate_submission_archive_member(entry, destination)
    _refuse_collisions(entries)


def validate_submission_archive_member(entry: zipfile.ZipInfo, destination_root: Path) -> None:
    """Raise ValueError for a member that is unsafe to write under `destination_root`."""
    name = entry.filename
    path = PurePosixPath(name)
    parts = path.parts
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if path.is_absolute() or (len(name) > 1 and name[1] == ":"):
        _refuse("absolute path", name)
    if "\\" in name or any(ord(character) < 32 for character in name):
        _refuse("path with a backslash or control character", name)
    if ".." in parts:
        _refuse("path traversal", name)
    if not parts:
        _refuse("member without a name", name)
    if kind == stat.S_IFLNK:
        _refuse("symlink entry", name)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        _refuse("special file", name)
    if any(part.lower() in _DEVICE_NAMES for part in parts):
        _refuse("device name", name)
    if len(name.encode()) > _MAX_PATH_BYTES or any(len(part.encode()) > _MAX_NAME_BYTES for part in parts):
        _refuse("path that is too long", name[:80])
    if entry.flag_bits & _ENCRYPTED:
        _refuse("encrypted member", name)
    if entry.compress_type not in _COMPRESSIONS:
        _refuse("member with an unknown compression", name)
    root = destination_root.resolve()
    if not (root / name).resolve().is_relative_to(root):
        _refuse("member that escapes its folder", name)


def _refuse(problem: str, name: str) -> None:
    raise ValueError(f"Submission archive contains {problem}: {name}")


def _validate_archive(entries: Sequence[zipfile.ZipInfo], packed_size: int) -> None:
    """Raise ValueError for an archive that is small but would fill the disk."""
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_MEMBERS:
        raise ValueError(f"Submission archive has {len(entries)} members; at most {MAX_MEMBERS} are allowed")
    if total > MAX_TOTAL_BYTES:
        raise ValueError(f"Submission archive unpacks to {total} bytes; at most {MAX_TOTAL_BYTES} are allowed")
    if total > RATIO_FREE_BYTES and total > MAX_RATIO * packed_size:
        raise ValueError(f"Submission archive unpacks to more than {MAX_RATIO} times its size")
    if sum(entry.compress_size for entry in entries) > packed_size:
        raise ValueError("Submission archive has members that overlap")


def _refuse_collisions(entries: Sequence[zipfile.ZipInfo]) -> None:
    """Raise ValueError for two members with one name, and for a file that is also the folder of another member."""
    files: set[PurePosixPath] = set()
    folders: set[PurePosixPath] = set()
    for entry in entries:
        path = _relative(entry)
        if entry.is_dir():
            folders.add(path)
        elif path in files:
            _refuse("two members with one name", entry.filename)
        else:
            files.add(path)
        folders.update(path.parents)
    both = sorted(files & folders)
    if both:
        _refuse("a file that is also a folder", str(both[0]))


def _extract_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path) -> None:
    if entry.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        target.chmod(0o755)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, target.open("wb") as file:
        shutil.copyfileobj(source, file)
    can_execute = (entry.external_attr >> 16) & stat.S_IXUSR
    target.chmod(0o755 if can_execute else 0o644)


def _relative(entry: zipfile.ZipInfo) -> PurePosixPath:
    return PurePosixPath(entry.filename)
