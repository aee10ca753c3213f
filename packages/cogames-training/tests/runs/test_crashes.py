"""A save that is killed at any point leaves a checkpoint that loads: the one before it, or the new one."""

import builtins
import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogames_training.runs import RunFolder, RunFolderError, atomic
from cogames_training.runs.layout import Layout
from mettagrid.policy.prepare_policy_spec import load_policy_spec_from_path

from .conftest import number_of, save


class Killed(BaseException):
    """Ends the save as a signal does; no handler runs after it."""


@contextmanager
def failing(after: int, error: Callable[[], BaseException]) -> Iterator[None]:
    """Raise at the operation on files with number `after`: a write (half of it happens), flush, rename or link."""
    count = 0
    dead = False

    def operation(call: Callable[..., Any], partly: Callable[..., Any] | None = None) -> Callable[..., Any]:
        def counted(*values: Any, **options: Any) -> Any:
            nonlocal count, dead
            count += 1
            if dead or count > after:
                dead = dead or isinstance(error(), Killed)
                if partly is not None:
                    partly(*values)
                raise error()
            return call(*values, **options)

        return counted

    def open_file(*values: Any, **options: Any) -> Any:
        file = builtins.open(*values, **options)  # noqa: SIM115 - the caller closes the proxy
        write = file.write
        proxy = Proxy(file)
        proxy.write = operation(write, lambda data: (write(data[: len(data) // 2]), file.flush()))
        return proxy

    def unlink(path: Path, missing_ok: bool = False) -> None:
        if not dead and (path.exists() or not missing_ok):
            os.unlink(path)

    with ExitStack() as stack:
        stack.enter_context(patch.object(atomic, "open", open_file, create=True))
        stack.enter_context(patch.object(os, "fsync", operation(lambda descriptor: None)))
        stack.enter_context(patch.object(os, "replace", operation(os.replace)))
        stack.enter_context(patch.object(os, "link", operation(os.link)))
        stack.enter_context(patch.object(Path, "unlink", unlink))
        yield


class Proxy:
    """A file whose `write` can be replaced."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.write: Callable[[bytes], Any] = file.write

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *details: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@pytest.mark.parametrize("layout", ["tutorial", "recipe"])
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    epochs=st.lists(st.integers(1, 3), min_size=2, max_size=6),
    points=st.lists(st.integers(0, 25), min_size=1, max_size=6),
    is_full=st.booleans(),
)
def test_an_interrupted_save_never_loses_the_older_checkpoint(
    layout: Layout, epochs: list[int], points: list[int], is_full: bool
) -> None:
    """The same epoch may be saved several times with other weights, as after a resume from an older one."""

    def error() -> BaseException:
        return OSError(errno.ENOSPC, "No space left on device") if is_full else Killed()

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "train_dir"
        expected: float | None = None
        for number, epoch in enumerate(epochs, 1):
            with patch.object(os, "fsync", lambda descriptor: None):
                run = RunFolder.create(root, run_id="my_run", layout=layout, describe={"command": ["x"]})
            point = points[number % len(points)]
            is_saved = False
            try:
                # The first save succeeds: there must be something to lose.
                with failing(10_000 if expected is None else point, error):
                    save(run, epoch, number)
                is_saved = True
            except (Killed, RunFolderError):
                pass
            found = number_of(run)
            assert found == number or (not is_saved and found == expected)
            expected = found
            bundle = (
                run.path if layout == "tutorial" else max((run.path / "checkpoints").glob("*/policy_spec.json")).parent
            )
            loaded = load_policy_spec_from_path(bundle)
            assert loaded.data_path is not None and Path(loaded.data_path).is_file()
            run.close()


def test_the_points_cover_a_whole_save(tmp_path: Path) -> None:
    """Some point must be late enough for a save to succeed, or the test above would prove little."""
    with RunFolder.create(tmp_path, run_id="a", layout="tutorial", describe={"command": ["x"]}) as run:
        save(run, 1)
        outcomes = []
        for point in range(26):
            try:
                with failing(point, Killed):
                    save(run, 2, 10 + point)
                outcomes.append(True)
            except Killed:
                outcomes.append(False)
        assert outcomes[0] is False and outcomes[-1] is True
