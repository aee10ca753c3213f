"""Make a container image of this machine's Python with the test programs: no image can be downloaded in tests."""

import hashlib
import io
import os
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType

import websockets
from packaging.requirements import Requirement

import coworld
from cogbox.container_engines import engine_problem, run_engine
from tests.support import ROOT, missing

TESTS = Path(__file__).parent
REPOSITORY = "localhost/coworld-tests"
SITE = "usr/local/lib/python{}.{}/site-packages".format(*sys.version_info[:2])
SKIPPED = frozenset(
    {"test", "idlelib", "tkinter", "lib2to3", "ensurepip", "turtledemo", "__pycache__", "site-packages"}
)
SETTINGS = (
    "ENV PATH=/usr/local/bin:/bin",
    "ENV LD_LIBRARY_PATH=/usr/local/lib",
    "ENV PYTHONDONTWRITEBYTECODE=1",
    "WORKDIR /app",
    'CMD ["python", "-m", "coworld.examples.paintarena.game.server"]',
)


def require_engine(name: str) -> str:
    """Skip the test where a container engine does not work; podman must work in CI."""
    if problem := engine_problem(name):
        missing(problem)
    return name


@cache
def python_image(engine: str, *distributions: str) -> str:
    """Return an image with Python, `coworld`, `websockets` and the programs of `bad` and `hostile` in /app.

    It also has `distributions` with their requirements, all as they are installed here. Its tag is a digest of the
    contents; the image stays until they change.
    """
    from workspace import locked

    digest = hashlib.sha256("\n".join([sys.version, sys.base_prefix, *SETTINGS, Path(__file__).read_text()]).encode())
    for name, path in (*_programs(), *_installed(distributions)):
        digest.update(f"{name}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    image = f"{'-'.join([REPOSITORY, *distributions])}:{digest.hexdigest()[:16]}"
    with locked(f"coworld-image-{engine}"):
        if run_engine(engine, "image", "inspect", image).returncode:
            _import(engine, image, dict(_contents(distributions)))
    return image


def _import(engine: str, image: str, contents: dict[str, Path]) -> None:
    for name in run_engine(engine, "images", "--quiet", image.rpartition(":")[0]).stdout.split():
        run_engine(engine, "rmi", name)  # fails for an image that another run uses
    changes = [word for setting in SETTINGS for word in ("--change", setting)]
    ran = run_engine(engine, "import", *changes, "-", image, input=_archive(contents))
    assert ran.returncode == 0, ran.stderr


def _archive(contents: dict[str, Path]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, path in contents.items():
            info = archive.gettarinfo(path, name)
            info.uid = info.gid = info.mtime = 0
            info.uname = info.gname = ""
            info.mode = 0o755 if info.mode & 0o100 else 0o644
            with path.open("rb") as file:
                archive.addfile(info, file)
        for name in ("python", "python3"):
            info = tarfile.TarInfo(f"usr/local/bin/{name}")
            info.type, info.linkname = tarfile.SYMTYPE, _interpreter().name
            archive.addfile(info)
        for name, text in (("passwd", "root:x:0:0::/root:\nplayer:x:1234:2345::/home/player:\n"), ("group", "")):
            info = tarfile.TarInfo(f"etc/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def _interpreter() -> Path:
    return Path(os.path.realpath(sys.executable))


def _contents(distributions: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the files of the image: path inside, file of this machine."""
    library = Path(sysconfig.get_path("stdlib"))
    target = "usr/local/lib/python{}.{}".format(*sys.version_info[:2])
    yield f"usr/local/bin/{_interpreter().name}", _interpreter()
    yield from _below(library, target)
    yield from _programs()
    installed = dict(_installed(distributions))
    yield from installed.items()
    programs = [_interpreter(), *sorted((library / "lib-dynload").glob("*.so"))]
    programs += [path for path in installed.values() if path.suffix == ".so"]
    for path in sorted({path for program in programs for path in _libraries(program)}):
        inside = path if path.startswith(("/lib", "/usr/lib")) else f"/usr/local/lib/{Path(path).name}"
        yield inside.lstrip("/"), Path(os.path.realpath(path))


def _programs() -> Iterator[tuple[str, Path]]:
    for module in (coworld, websockets):
        yield from _below(_folder(module), f"{SITE}/{module.__name__}")
    for folder in ("bad", "hostile"):
        yield from _below(TESTS / folder, f"app/{folder}")


def _installed(distributions: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the files of distributions and of what they require, editable ones included."""
    found: dict[str, metadata.Distribution] = {}
    names = list(distributions)
    while names:
        distribution = metadata.distribution(names.pop())
        if distribution.name in found:
            continue
        found[distribution.name] = distribution
        requirements = map(Requirement, distribution.requires or [])
        names += [each.name for each in requirements if each.marker is None or each.marker.evaluate({"extra": ""})]
    for distribution in found.values():
        for file in distribution.files or []:
            path = Path(str(distribution.locate_file(file)))
            if path.is_file() and ".." not in file.parts and not file.name.endswith((".pth", ".pyc")):
                yield f"{SITE}/{file}", path
        for package in ROOT.glob(f"packages/{distribution.name.lower().replace('_', '-')}/src/*"):
            yield from _below(package, f"{SITE}/{package.name}")


def _folder(module: ModuleType) -> Path:
    assert module.__file__ is not None
    return Path(module.__file__).parent


def _below(folder: Path, target: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not SKIPPED & set(relative.parts) and path.suffix not in (".a", ".pyc"):
            yield f"{target}/{relative}", path


def _libraries(program: Path) -> list[str]:
    """Return the shared libraries of a program, and its loader."""
    if "_tkinter" in program.name:
        return []
    listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout.split()
    return [word for word in listed if word.startswith("/")]
