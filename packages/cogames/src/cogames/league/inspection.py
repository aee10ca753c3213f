"""Read an untrusted bundle inside a sandbox.

This module is the program in the sandbox: `python -m cogames.league.inspection < bundle.zip` prints one JSON document,
`{"manifests": {name: text}}` or `{"refused": "why"}`. It reads every member to its end, which proves sizes and
checksums, and runs nothing of the bundle. The server starts it. It imports little, to be quick.
"""

from __future__ import annotations

import json
import lzma
import shutil
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

from mettagrid.policy.archive import check_submission_archive

__all__: list[str] = []

MANIFESTS = ("policy_spec.json", "cogames.toml")
MAX_MANIFEST_BYTES = 1 << 20
_PIECE = 1 << 20


class _Refused(Exception):
    pass


def main() -> int:
    try:
        answer: dict[str, object] = {"manifests": _inspect()}
    except _Refused as error:
        answer = {"refused": str(error)}
    print(json.dumps(answer))
    return 0


def _inspect() -> dict[str, str]:
    """Return the manifests of the archive on standard input."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        bundle = Path(folder, "bundle.zip")
        with open(0, "rb", closefd=False) as source, bundle.open("wb") as copy:
            shutil.copyfileobj(source, copy, _PIECE)
        try:
            with zipfile.ZipFile(bundle) as archive:
                check_submission_archive(archive, bundle.stat().st_size, Path(folder))
                return _read_all(archive)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError) as error:
            raise _Refused(f"it is not a readable zip archive: {error}") from error
        except ValueError as error:
            raise _Refused(str(error)) from error


def _read_all(archive: zipfile.ZipFile) -> dict[str, str]:
    """Read every member; keep the manifests."""
    manifests: dict[str, str] = {}
    for entry in archive.infolist():
        keep = entry.filename in MANIFESTS
        if keep and entry.file_size > MAX_MANIFEST_BYTES:
            raise _Refused(f"{entry.filename} is larger than {MAX_MANIFEST_BYTES} bytes")
        content = b""
        with archive.open(entry) as member:
            while piece := member.read(_PIECE):
                content = content + piece if keep else b""
        if keep:
            manifests[entry.filename] = content.decode()
    return manifests


if __name__ == "__main__":
    sys.exit(main())
