"""The optimizer role as an improver: a boxed program that edits a copy of the player.

It gets the variables of the role (`COWORLD_MANIFEST_URI`, `COGAME_POLICY_WORKSPACE_URI`, the lists of reports, grades
and diagnoses, `COGAME_OPTIMIZER_ID`) and writes its plan to `COGAME_OPTIMIZER_OUTPUT_URI`. The files that it leaves in
the workspace are the candidate. It has no network.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coworld.engines.base import Engine, Place, RunnableSpec, Running, StartFailed
from coworld.models.runnables import CoworldRunnableResources
from coworld.optimize.improver import Improver, ImproverFailed, Task
from coworld.optimize.versions import LEFT_OUT, files
from coworld.runner.artifacts import write_file
from coworld.runner.launch import limits_of

OUTPUT = "optimizer.json"
WORKSPACE = "workspace"
MAX_FILES, MAX_BYTES = 10_000, 256 << 20
"""of a workspace, and of one of its files"""
NOTE_LENGTH = 500
LAST_LINES = 3


@dataclass(frozen=True)
class OptimizerEntry:
    """An optimizer's program."""

    id: str
    image: str
    run: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    resources: CoworldRunnableResources | None = None


def boxed_optimizer(entry: OptimizerEntry, engine: Engine, *, timeout_seconds: float = 3600.0) -> Improver:
    """Make an improver of an optimizer."""

    def improve(task: Task) -> str | None:
        try:
            running = engine.start(_spec(entry, task, timeout_seconds))
        except StartFailed as error:
            raise ImproverFailed(str(error)) from None
        try:
            plan = _finish(entry, running, timeout_seconds)
            changed = _take(running, task.workspace)
        finally:
            running.close()
        if plan is None and not changed:
            raise ImproverFailed(f"The optimizer {entry.id!r} changed nothing and wrote no plan")
        if plan is not None and task.folder is not None:
            write_file(task.folder / OUTPUT, plan)
        return _note(plan)

    return improve


def _spec(entry: OptimizerEntry, task: Task, timeout_seconds: float) -> RunnableSpec:
    lists = {
        "COGAME_REPORT_URIS": ("reports", task.reports),
        "COGAME_GRADER_OUTPUT_URIS": ("grades", task.grades),
        "COGAME_DIAGNOSER_OUTPUT_URIS": ("diagnoses", task.diagnoses),
    }
    contents: dict[str, bytes | Path] = {
        f"{WORKSPACE}/{path.relative_to(task.workspace).as_posix()}": path for path in files(task.workspace)
    }
    for folder, paths in lists.values():
        contents |= {f"{folder}/{path.name}": path for path in paths}
    if task.manifest is not None:
        contents["coworld_manifest.json"] = task.manifest

    def variables(place: Place) -> dict[str, str]:
        base = f"file://{place.folder}"
        return task.variables() | {
            "COWORLD_MANIFEST_URI": f"{base}/coworld_manifest.json" if task.manifest is not None else "",
            "COGAME_OPTIMIZER_OUTPUT_URI": f"{base}/{OUTPUT}",
            "COGAME_OPTIMIZER_ID": entry.id,
            "COGAME_POLICY_WORKSPACE_URI": f"{base}/{WORKSPACE}",
            **{
                name: ",".join(f"{base}/{folder}/{path.name}" for path in paths)
                for name, (folder, paths) in lists.items()
            },
        }

    return RunnableSpec(
        role="optimizer",
        name=f"coworld-optimizer-{secrets.token_hex(4)}",
        image=entry.image,
        run=list(entry.run),
        env=entry.env,
        variables=variables,
        files=dict(contents),
        combined_log=True,
        limits=limits_of(entry.resources, timeout_seconds + 60.0),
    )


def _finish(entry: OptimizerEntry, running: Running, timeout_seconds: float) -> bytes | None:
    """Wait for the program; returns its plan."""
    try:
        ended = running.wait(timeout_seconds)
    except TimeoutError:
        raise ImproverFailed(f"The optimizer {entry.id!r} did not end in {timeout_seconds:g} seconds") from None
    if not ended.clean:
        log = running.log("stdout").decode(errors="replace").strip().splitlines()[-LAST_LINES:]
        raise ImproverFailed(f"The optimizer {entry.id!r} {ended.reason}{': ' if log else ''}{' / '.join(log)}")
    return running.read(OUTPUT, MAX_BYTES)


def _take(running: Running, workspace: Path) -> bool:
    """Replace the workspace with the program's copy of it; False when they are equal."""
    listed = running.names(WORKSPACE, MAX_FILES)
    names = {name for name in listed or [] if not LEFT_OUT.intersection(Path(name).parts)}
    if not names:
        reason = "is empty" if listed is not None else f"holds more than {MAX_FILES} files"
        raise ImproverFailed(f"The optimizer's workspace {reason}")
    before = {str(path.relative_to(workspace)): path for path in files(workspace)}
    modes = {name: path.stat().st_mode & 0o777 for name, path in before.items()}
    removed = before.keys() - names
    changed, total = bool(removed), 0
    for name in removed:
        before[name].unlink()
    for name in sorted(names):
        data = running.read(f"{WORKSPACE}/{name}", MAX_BYTES)
        total += len(data or b"")
        if data is None or total > MAX_BYTES:
            raise ImproverFailed(f"The optimizer's workspace holds more than {MAX_BYTES >> 20} MiB")
        target = workspace / name
        if name in before and target.read_bytes() == data:
            continue
        changed = True
        if target.is_dir():
            shutil.rmtree(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        # The sandbox does not preserve modes: an existing file keeps its own.
        write_file(target, data, mode=modes.get(name, 0o755 if data.startswith(b"#!") else 0o644))
    return changed


def _note(plan: bytes | None) -> str | None:
    """Return the first recommendation of a plan."""
    try:
        document = json.loads(plan or b"null")
    except (ValueError, RecursionError):
        return None
    advice = document.get("recommendations") if isinstance(document, dict) else None
    first = advice[0] if isinstance(advice, list) and advice else None
    return first[:NOTE_LENGTH] if isinstance(first, str) else None
