"""Clone the repository of an optimizer into the user's data folder, once per reference."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from coworld.optimize.errors import OptimizeError

CLONE_SECONDS = 600
DEFAULT_REF = "HEAD"
"""the repository's default branch"""


def data_folder() -> Path:
    """Return the path of `coworld` in the user's data folder."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "coworld"


def checkout_root() -> Path:
    """Return the default folder of checkouts."""
    named = os.environ.get("COWORLD_OPTIMIZER_DIR")
    return Path(named) if named else data_folder() / "optimizers"


def repository(url: str, ref: str | None) -> tuple[str, str, str]:
    """Split a repository's URL into (URL to clone, reference, `owner-repo`); it may end in GitHub's `/tree/REF`.

    Raises:
        OptimizeError: it is not the address of a repository, or the reference cannot be one.
    """
    parts = urlsplit(url)
    names = [unquote(name) for name in parts.path.split("/") if name]
    if parts.scheme not in ("https", "file") or len(names) < 2 or (parts.scheme == "https" and not parts.hostname):
        raise OptimizeError(
            f"{url!r} is not the address of a repository", hint="write https://HOST/OWNER/REPO or file:///PATH/REPO"
        )
    if parts.scheme == "https" and len(names) > 3 and names[2] == "tree":
        ref, names = ref or "/".join(names[3:]), names[:2]
        url = f"https://{parts.netloc}/{'/'.join(names)}"
    ref = ref or DEFAULT_REF
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._/-]*", ref) or ".." in ref:
        raise OptimizeError(f"{ref!r} cannot be a branch or tag", hint="write the name of a branch or tag")
    slug = re.sub(r"[^a-z0-9._-]+", "-", "-".join(names[-2:]).removesuffix(".git").lower()).strip("-.")
    return url, ref, slug or "repository"


def checkout(url: str, ref: str | None, *, root: Path | None = None, refresh: bool = False) -> Path:
    """Return the folder of a shallow clone, which is created if it is missing or `refresh` is set.

    Raises:
        OptimizeError: git is missing or fails.
    """
    address, ref, slug = repository(url, ref)
    folder = (root or checkout_root()) / slug / ref
    if folder.is_dir() and not refresh:
        return folder
    if shutil.which("git") is None:
        raise OptimizeError("`--optimizer-repo` needs git, which is not installed", hint="use `--optimizer-dir DIR`")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".clone-", dir=folder.parent) as scratch:
        fresh = Path(scratch) / "fresh"
        _clone(address, ref, fresh)
        if folder.exists():
            folder.rename(Path(scratch) / "stale")
        fresh.rename(folder)
    return folder


def _clone(address: str, ref: str, target: Path) -> None:
    branch = [] if ref == DEFAULT_REF else ["--branch", ref]
    words = ["git", "clone", "--quiet", "--depth", "1", "--single-branch", *branch, "--", address, str(target)]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "https:file"}
    try:
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=CLONE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OptimizeError(f"{address} could not be cloned: {error}") from None
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise OptimizeError(
            f"{address} at {ref} could not be cloned: {last}", hint="check the address and the reference"
        )
