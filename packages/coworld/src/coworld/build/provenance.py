"""The origin of an image: Git revision and address, labels, and source URLs pinned to a commit."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from coworld.build.errors import BuildError
from coworld.build.template import runnable_entries

__all__ = ["Checkout", "checkout_of", "image_labels", "pin_source_urls", "source_epoch"]

_FULL_COMMIT = re.compile("[0-9a-f]{40}")
_SOURCE = re.compile(
    r"(?P<site>https?://(?:www\.)?github\.com/(?P<repository>[^/]+/[^/#?]+))/(?P<kind>tree|blob)/(?P<rest>[^#?]+)(?P<end>.*)"
)


@dataclass(frozen=True)
class Checkout:
    """A Git working tree."""

    root: Path
    commit: str
    dirty: bool
    time: int
    """of the commit, in seconds since 1970"""
    origin: str | None
    """the address of its remote `origin` without credentials"""

    @property
    def revision(self) -> str:
        """Return the commit, with `-dirty` if files differ from it."""
        return self.commit + ("-dirty" if self.dirty else "")

    @property
    def repository(self) -> str | None:
        """Return `owner/name` of a GitHub repository, in lower case; None for others."""
        match = re.fullmatch(r"https?://(?:www\.)?github\.com/([^/]+/[^/]+?)(?:\.git)?/?", self.origin or "")
        return match[1].lower() if match else None

    def commit_of(self, reference: str) -> str | None:
        """Return the commit of a branch, tag or shortened commit, also of `origin`; None if it is unknown."""
        for name in (reference, f"origin/{reference}"):
            if found := _git(self.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"):
                return found
        return None

    def contains(self, commit: str) -> bool:
        """Return whether HEAD is this commit or comes after it."""
        return _git(self.root, "merge-base", "--is-ancestor", commit, "HEAD") is not None


def checkout_of(folder: Path, *, ignore: Path | None = None) -> Checkout | None:
    """Return the working tree that a folder is in; None without Git or a commit.

    Files below the folder `ignore`, which a build writes, do not make it dirty.
    """
    root, commit = _git(folder, "rev-parse", "--show-toplevel"), _git(folder, "rev-parse", "--verify", "HEAD")
    if not root or not commit:
        return None
    paths = [str(folder)]
    if ignore is not None and ignore != folder and ignore.is_relative_to(folder):
        paths.append(f":(exclude){ignore}")
    status = _git(folder, "status", "--porcelain", "--", *paths)
    time = _git(folder, "show", "--no-patch", "--format=%ct", "HEAD")
    origin = _git(folder, "remote", "get-url", "origin")
    return Checkout(Path(root), commit, bool(status), int(time or 0), _web_address(origin) if origin else None)


def _git(folder: Path, *words: str) -> str | None:
    """Return the output of a Git command, or None if it fails or Git is missing."""
    try:
        ran = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return ran.stdout.strip() if ran.returncode == 0 else None


def _web_address(remote: str) -> str:
    """Return the https address of a remote: user names and passwords must not get into an image."""
    if match := re.fullmatch(r"(?:ssh://)?(?:[^@/]+@)(?P<host>[^:/]+)[:/](?P<path>.+)", remote):
        return f"https://{match['host']}/{match['path'].removesuffix('.git')}"
    parts = urlsplit(remote)
    host = parts.hostname or ""
    netloc = f"{host}:{parts.port}" if parts.port else host
    return (
        urlunsplit((parts.scheme, netloc, parts.path.removesuffix(".git"), "", "")) if parts.scheme and host else remote
    )


def source_epoch(checkout: Checkout | None) -> int | None:
    """Return the time that built images get: SOURCE_DATE_EPOCH, else the commit's; None: the time of the build.

    Raises:
        BuildError: SOURCE_DATE_EPOCH is not a whole number.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return checkout.time if checkout is not None and not checkout.dirty else None
    if not given.isdecimal():
        raise BuildError(
            f"SOURCE_DATE_EPOCH is not a number of seconds: {given!r}", hint="unset it, or give seconds since 1970"
        )
    return int(given)


def image_labels(
    service: str, *, game: str, version: str, checkout: Checkout | None, epoch: int | None
) -> dict[str, str]:
    """Return the labels of an image: the standard ones of OCI, and the Coworld and the service it is part of."""
    labels = {"coworld.game": game, "coworld.service": service}
    oci: dict[str, str | None] = {
        "title": f"{game}-{service}",
        "version": version,
        "revision": checkout.revision if checkout else None,
        "source": checkout.origin if checkout else None,
        "created": datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if epoch is not None else None,
    }
    return labels | {f"org.opencontainers.image.{name}": value for name, value in oci.items() if value}


def pin_source_urls(document: dict[str, Any], folders: Iterable[Path]) -> None:
    """Replace branches and tags in the GitHub source URLs of a manifest document by full commits.

    `folders` are those that images are built from: only repositories that one of them is a working tree of are known.
    """
    checkouts = [checkout for folder in dict.fromkeys(folders) if (checkout := checkout_of(folder))]
    known = {checkout.repository: checkout for checkout in checkouts if checkout.repository}
    for entry in runnable_entries(document):
        if isinstance(url := entry.get("source_url"), str):
            entry["source_url"] = _pinned(url, known)


def _pinned(url: str, known: Mapping[str, Checkout]) -> str:
    match = _SOURCE.fullmatch(url)
    checkout = known.get(match["repository"].removesuffix(".git").lower()) if match else None
    if match is None or checkout is None:
        return url
    parts = match["rest"].split("/")
    if _FULL_COMMIT.fullmatch(parts[0]):
        return url
    # Branch names contain slashes: the shortest one that Git knows, else the first part.
    names = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    found = next(((name, commit) for name in names if (commit := checkout.commit_of(name))), (parts[0], None))
    name, commit = found
    pinned = checkout.commit if commit is None or checkout.contains(commit) else commit
    return f"{match['site']}/{match['kind']}/{pinned}{match['rest'][len(name) :]}{match['end']}"
