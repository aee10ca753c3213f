"""Shared code of `report`, `grade` and `diagnose`: read a bundle, run the role, check its output and print it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from coworld.cli.setting import engine_for
from coworld.manifest.arguments import opened
from softmax.cli.errors import fail
from softmax.cli.output import note

if TYPE_CHECKING:
    from coworld.roles.role_runner import RoleName, RoleOutput

__all__ = ["bundle_file", "output_of"]


@contextmanager
def bundle_file(given: Path) -> Iterator[Path]:
    """Yield the path of the bundle; build it first when the argument is an episode's folder."""
    if not given.is_dir():
        if not given.is_file():
            fail(f"{given} does not exist", "give a bundle, or the output folder of `coworld run-episode`")
        yield given
        return
    from coworld.bundle import write_bundle

    with tempfile.TemporaryDirectory(prefix="coworld-bundle-") as folder:
        path = Path(folder) / "bundle.zip"
        write_bundle(given, path)
        yield path


def output_of(
    manifest: str,
    role: RoleName,
    given: Path,
    *,
    role_id: str | None,
    target: str | None = None,
    timeout_seconds: float | None,
    engine: str,
    maps: Sequence[str],
    unsafe: bool,
    pull: str = "missing",
    platform: str | None = None,
    server: str | None = None,
) -> RoleOutput:
    """Run the role; what it said goes to stderr."""
    from coworld.bundle import opened_bundle
    from coworld.roles.role_runner import run_role

    with opened(manifest, server=server) as package, bundle_file(given) as bundle:
        with opened_bundle(bundle):
            pass  # fail here when the bundle is bad: the role is not at fault
        output = run_role(
            package,
            role,
            bundle,
            engine=engine_for(package, engine, maps=maps, unsafe=unsafe, pull=pull, platform=platform),
            role_id=role_id,
            target=target,
            timeout_seconds=timeout_seconds,
            events=_events_of(given),
        )
    for line in output.log.splitlines():
        note(f"{role}: {line}")
    return output


def _events_of(given: Path) -> Path | None:
    """Return the event stream in an episode's folder, which bundles leave out."""
    path = given / "events.json"
    return path if given.is_dir() and path.is_file() else None
