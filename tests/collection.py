"""Make collecting cheap: processes of one run share the rewritten bytecode, and old objects are not visited again.

pytest rewrites the asserts of every test file, which takes longer than importing it, and xdist has every process
collect all files. Here each process first rewrites its part of the files and caches the bytecode, so that it finds
the other parts in the cache; a later run finds all of them. pytest writes this cache only if Python may write
bytecode: with PYTHONDONTWRITEBYTECODE set, it may while tests are collected, and not while they run.

A process of a long run has millions of objects: modules, collected tests, caches. A full garbage collection visits them
all and takes a second or more, and some tests start many. Therefore objects that are alive after a file are frozen.
"""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

ROOT = Path(__file__).resolve().parent.parent


def rewritten_files(config: pytest.Config) -> list[Path]:
    """Return the files whose asserts pytest rewrites, in a stable order."""
    folders = [folder for pattern in config.getini("testpaths") for folder in ROOT.glob(pattern)]
    return sorted(path for folder in folders for name in ("test_*.py", "conftest.py") for path in folder.rglob(name))


def cache_bytecode(config: pytest.Config, paths: list[Path]) -> None:
    """Rewrite the files whose cached bytecode is missing or stale."""
    state = config.stash[rewrite.assertstate_key]
    for path in paths:
        folder = rewrite.get_cache_dir(path)
        cached = folder / (path.name.removesuffix(".py") + rewrite.PYC_TAIL)
        if rewrite.try_makedirs(folder) and rewrite._read_pyc(path, cached) is None:
            source_hash, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(state, code, source_hash, cached)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect with bytecode cached and without garbage collection: what is created here lives until the end."""
    may_not_write, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    gc.disable()
    try:
        worker = getattr(session.config, "workerinput", None)  # set in the processes of xdist
        if worker is not None and session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:  # the whole suite
            part = int(worker["workerid"].removeprefix("gw"))
            cache_bytecode(session.config, rewritten_files(session.config)[part :: worker["workercount"]])
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        sys.dont_write_bytecode = may_not_write


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Free the garbage of a file after its last test, and exclude what is left from later garbage collections."""
    try:
        return (yield)
    finally:
        if nextitem is not None and nextitem.path != item.path:
            gc.collect()
            gc.freeze()
