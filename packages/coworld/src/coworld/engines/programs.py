"""The program of a local image: its words, its interpreter, and the files it runs."""

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from coworld.engines.interpreters import (
    VENVS,
    Interpreter,
    clean_interpreter,
    main_module,
    module_file,
    our_module_file,
    own_interpreter,
    python_path,
    shadowed,
    venv_interpreter,
)
from coworld.engines.local_images import LocalImage, LocalImagesError

_SKIPPED = frozenset({"__pycache__", ".git", "node_modules", *VENVS})
MAX_FILES, MAX_BYTES = 5000, 256 << 20
"""of a root, for its digest; a larger one is recorded by names and sizes"""


@dataclass(frozen=True)
class Program:
    """The program of an image."""

    argv: list[str]
    interpreter: Interpreter
    main: Path | None
    """the path of the main file on this machine, if known"""

    def record(self, local: LocalImage) -> dict[str, object]:
        """Return the entry for the record of an episode."""
        return {
            "interpreter": str(self.interpreter.path),
            "python": self.interpreter.how,
            "packages": list(local.packages) if self.interpreter.how == "coworld's own" else [],
            "main": str(self.main) if self.main else None,
            "root": str(local.root) if local.root else None,
            "files_sha256": files_digest(local.root) if local.root else None,
        }


def program_of(local: LocalImage, argv: Sequence[str], env: Mapping[str, str] | None = None) -> Program:
    """Choose the interpreter of an image; `python` in its command becomes that one.

    Raises:
        LocalImagesError: its own package would be hidden by one of ours.
        EngineError: its virtual environment does not work.
    """
    folders = _import_folders(local, argv, {**local.env, **(env or {})})
    module, script = main_module(argv)
    main = _main(local, argv, module, script, folders)
    is_ours = bool(local.packages)
    hidden = shadowed(folders) if is_ours and local.root is not None else None
    if hidden is not None:
        if not (local.packages_are_default and main is not None):
            raise LocalImagesError(
                f"image {local.image!r} runs with our packages ({', '.join(local.packages)}), which hide its own "
                f"{hidden}. Remove `packages` from its mapping, or rename {hidden.name!r}"
            )
        is_ours = False
    interpreter = _interpreter(local, is_ours)
    if "PATH" in local.env and argv and (module or script):
        executable = shutil.which(argv[0], path=local.env["PATH"]) or argv[0]
        interpreter = replace(interpreter, path=Path(executable), how="PATH of the mapping")
    if is_ours and main is None and module is not None:
        main = our_module_file(module)
    words = list(argv)
    if words and words[0] in ("python", "python3") and "PATH" not in local.env:
        words[0] = str(interpreter.path)
    return Program(words, interpreter, main)


def _interpreter(local: LocalImage, is_ours: bool) -> Interpreter:
    if local.python is not None:
        return venv_interpreter(local.python, _inside(local, local.python))
    if is_ours:
        return own_interpreter(local.packages)
    for name in VENVS:
        if local.root is not None and (local.root / name / "pyvenv.cfg").is_file():
            return venv_interpreter(local.root / name, _inside(local, local.root / name))
    return clean_interpreter()


def _inside(local: LocalImage, path: Path) -> Path:
    """Return the path at which the program sees a path of this machine."""
    if local.root is not None and local.at is not None and path.is_relative_to(local.root):
        return local.at / path.relative_to(local.root)
    return path


def _outside(local: LocalImage, path: Path) -> Path:
    """Return the path of this machine behind a path that the program sees."""
    if local.root is not None and local.at is not None and path.is_relative_to(local.at):
        return local.root / path.relative_to(local.at)
    return path


def _workdir(local: LocalImage) -> Path | None:
    inside = local.workdir or local.root
    return None if inside is None else _outside(local, inside)


def _import_folders(local: LocalImage, argv: Sequence[str], env: Mapping[str, str]) -> list[Path]:
    """Return the import path of the program: its script's folder, or the one it starts in, and PYTHONPATH."""
    workdir = _workdir(local)
    if workdir is None:
        return []
    _, script = main_module(argv)
    first = (workdir / _outside(local, Path(script))).parent if script else workdir
    return [first, *(workdir / _outside(local, Path(word)) for word in python_path(env))]


def _main(
    local: LocalImage, argv: Sequence[str], module: str | None, script: str | None, folders: Sequence[Path]
) -> Path | None:
    if module is not None:
        return module_file(module, folders)
    workdir = _workdir(local)
    word = script or (argv[0] if argv and "/" in argv[0] else None)
    if workdir is None or word is None:
        return None
    path = workdir / _outside(local, Path(word))
    return path if path.is_file() else None


def files_digest(root: Path) -> str:
    """Return a digest of the files of a folder, without caches and virtual environments."""
    digest, files, size = hashlib.sha256(), 0, 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            path = Path(folder) / name
            if not path.is_file():
                continue
            length = path.stat().st_size
            files, size = files + 1, size + length
            digest.update(f"{path.relative_to(root).as_posix()}\0{length}\0".encode(errors="surrogateescape"))
            if files <= MAX_FILES and size <= MAX_BYTES:
                try:
                    digest.update(hashlib.sha256(path.read_bytes()).digest())
                except OSError:
                    digest.update(b"unreadable")
    return digest.hexdigest()
