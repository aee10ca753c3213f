"""Dependencies between parts: one version, and a native core that depends only on fixed-width integers.

The import arrows between Python packages are held by import-linter (`make check`, settings in pyproject.toml).
"""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "packages" / "mettagrid" / "native" / "core"
CORE_FILES = sorted(path for path in CORE.rglob("*") if path.suffix in (".hpp", ".h", ".cpp", ".inl"))
ROOMS = ("core", "program", "state", "machine", "phases")
SYSTEM_HEADERS = {"cstdint", "cstddef", "type_traits"}

# Words that would bring in the heap, a vtable, an exception, or a standard library whose results differ from one
# platform to the next. `std::` is allowed only in front of what <type_traits> and <cstdint> offer.
FORBIDDEN = {
    "heap": r"\b(new|delete|malloc|calloc|realloc|free)\b",
    "virtual call": r"\bvirtual\b",
    "exception": r"\b(throw|try|catch)\b",
    "run-time type": r"\b(dynamic_cast|typeid)\b",
    "standard library": (
        r"\bstd::(?!(u?int(8|16|32|64|ptr)_t|size_t|ptrdiff_t|nullptr_t|is_\w+|enable_if\w*|conditional\w*|remove_\w+"
        r"|make_(un)?signed\w*|underlying_type\w*|decay\w*)\b)\w+"
    ),
    "libc math": r"(?<![\w:.])(logf?|log2f?|log10f?|expf?|powf?|sqrtf?|fmaf?|sinf?|cosf?)\s*\(",
    "libc": r"(?<![\w:.])(printf|memcpy|memset|memmove|rand|abort|assert|time|clock)\s*\(",
}


def without_comments(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), text, flags=re.S)
    return re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda match: '""' if match[0].startswith('"') else "", text)


def test_the_native_core_exists() -> None:
    assert CORE_FILES


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: path.name)
def test_the_core_includes_only_fixed_width_integers_and_itself(path: Path) -> None:
    for kind, name in re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', path.read_text(), flags=re.M):
        if kind == "<":
            assert name in SYSTEM_HEADERS, f"{path.name} includes <{name}>"
        else:
            beside, below_native = path.parent / name, CORE.parent / name
            target = beside if beside.exists() else below_native
            assert target.resolve().is_relative_to(CORE), f'{path.name} includes "{name}", which is not in core/'


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: path.name)
def test_the_core_uses_no_heap_exceptions_or_standard_library(path: Path) -> None:
    uses = [
        f"{path.name}:{number}: {name}: {line.strip()}"
        for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1)
        for name, pattern in FORBIDDEN.items()
        if not line.lstrip().startswith("#") and re.search(pattern, line)
    ]
    assert not uses, "\n".join(uses)


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda path: path.name)
def test_a_room_of_the_core_uses_only_rooms_below_it(path: Path) -> None:
    def level(file: Path) -> int:
        return ROOMS.index(file.parent.name)

    for name in re.findall(r'#include "([^"]+)"', path.read_text()):
        assert level(CORE.parent / name) <= level(path), f"{path.name} includes {name}"


def test_all_distributions_share_one_version() -> None:
    version = (ROOT / "VERSION").read_text().strip()
    files = sorted(ROOT.glob("packages/*/pyproject.toml"))
    assert files
    for path in files:
        assert tomllib.loads(path.read_text())["project"]["version"] == version, path
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()


def test_every_distribution_includes_the_license() -> None:
    for path in ROOT.glob("packages/*/pyproject.toml"):
        assert (path.parent / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_the_build_pins_floating_point_behaviour() -> None:
    cmake = "\n".join(path.read_text() for path in ROOT.glob("packages/*/CMakeLists.txt"))
    settings = re.sub(r"#.*", "", cmake)
    assert "-ffp-contract=off" in settings
    for flag in ("-march", "-mtune", "-ffast-math", "-Ofast", "-funsafe-math-optimizations"):
        assert flag not in settings
