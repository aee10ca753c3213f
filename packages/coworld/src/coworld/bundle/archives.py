"""Zip files: write the same bytes for the same contents, and read archives from untrusted sources."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from coworld.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Archive", "ArchiveLimits", "opened_archive", "write_archive"]

_EPOCH = (1980, 1, 1, 0, 0, 0)
Contents = bytes | Path
"""the contents of a member: bytes, or a file to read them from"""


def write_archive(target: Path | IO[bytes], members: Iterable[tuple[str, Contents]]) -> None:
    """Write members sorted by name, dated 1980-01-01, mode 0644, deflated at level 9.

    Raises:
        BundleError: a member's file is a link or no plain file.
    """
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, contents in sorted(members, key=lambda member: member[0]):
            info = zipfile.ZipInfo(name, date_time=_EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # unix, on every system
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            if isinstance(contents, bytes):
                archive.writestr(info, contents, compresslevel=9)
                continue
            if contents.is_symlink() or not contents.is_file():
                raise BundleError(f"{contents} is not a plain file", hint="replace it with a plain file")
            large = contents.stat().st_size >= 1 << 31
            with contents.open("rb") as source, archive.open(info, "w", force_zip64=large) as member:
                while block := source.read(1 << 20):
                    member.write(block)


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits for an untrusted archive."""

    members: int = 10_000
    member_bytes: int = 1 << 30
    total_bytes: int = 4 << 30


class Archive:
    """A checked zip: plain files with plain names, within limits."""

    def __init__(self, archive: zipfile.ZipFile, limits: ArchiveLimits, name: str) -> None:
        self._archive, self._limits, self._name = archive, limits, name

    @property
    def names(self) -> list[str]:
        """Return the names of the members."""
        return self._archive.namelist()

    def read(self, member: str) -> bytes:
        """Return the contents of a member.

        Raises:
            BundleError: there is none of this name, it is damaged, or it is longer than it says.
        """
        try:
            with self._archive.open(member) as file:
                data = file.read(self._limits.member_bytes + 1)
        except KeyError:
            raise BundleError(f"{self._name} has no {member}", hint="make the archive again") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise BundleError(f"{member} of {self._name} is damaged: {error}", hint="make the archive again") from error
        if len(data) > self._limits.member_bytes:
            raise BundleError(f"{member} of {self._name} is too large", hint="leave it out")
        return data


@contextmanager
def opened_archive(
    source: Path | bytes, *, name: str = "the archive", limits: ArchiveLimits | None = None
) -> Iterator[Archive]:
    """Open a zip and check all its headers before reading any member.

    Raises:
        BundleError: the file is not a zip, or it is harmful: names outside the folder, links, duplicate names,
            encryption, too many members or too many bytes.
    """
    limits = limits or ArchiveLimits()
    try:
        archive = zipfile.ZipFile(BytesIO(source) if isinstance(source, bytes) else source)
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise BundleError(f"{name} is not a valid zip: {error}", hint="give a zip file") from error
    with archive:
        reason = _harmful(archive.infolist(), limits)
        if reason:
            raise BundleError(f"{name} is refused: {reason}", hint="get it from a source you trust, or create it again")
        yield Archive(archive, limits, name)


def _harmful(members: list[zipfile.ZipInfo], limits: ArchiveLimits) -> str | None:
    if len(members) > limits.members:
        return f"it has more than {limits.members} members"
    seen: set[str] = set()
    total = 0
    for member in members:
        if member.filename in seen:
            return f"{member.filename!r} is duplicated"
        seen.add(member.filename)
        if not _is_plain_name(member.filename):
            return f"{member.filename!r} is not a plain relative path"
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            return f"{member.filename!r} is a link or a device"
        if member.flag_bits & 0x1:
            return f"{member.filename!r} is encrypted"
        total += member.file_size
        if member.file_size > limits.member_bytes or total > limits.total_bytes:
            return "it unpacks to too many bytes"
    return None


def _is_plain_name(name: str) -> bool:
    if not name or "\\" in name or "\0" in name or ":" in name or any(ord(letter) < 32 for letter in name):
        return False
    path = PurePosixPath(name)
    return not path.is_absolute() and all(part not in ("", ".", "..") for part in name.rstrip("/").split("/"))
