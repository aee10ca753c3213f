"""The examples in the documentation work: Python blocks run, links resolve, make targets exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.warm import WarmProgram

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [ROOT / "README.md", ROOT / "web" / "README.md", *ROOT.glob("packages/*/README.md"), *ROOT.glob("docs/**/*.md")]
)
TUTORIALS = ROOT / "docs" / "tutorials"  # run by test_tutorials.py, with their commands
TOGETHER = "<!-- blocks: together -->"  # on a page whose blocks are one program


def python_blocks(page: Path) -> list[str]:
    text = page.read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)
    return ["\n".join(blocks)] if TOGETHER in text else blocks


BLOCKS = [
    pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    if page.parent != TUTORIALS
    for number, block in enumerate(python_blocks(page))
]


@pytest.fixture(scope="module")
def python() -> Iterator[WarmProgram]:
    """Runs Python programs, with what most of them import already loaded."""
    with WarmProgram("tests.python_block", "cogames.missions", "coworld.runner", "mettagrid.simulator") as program:
        yield program


@pytest.mark.parametrize("block", BLOCKS)
def test_a_python_block_runs(block: str, python: WarmProgram) -> None:
    ran = python.run(block, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    assert not [link for link in links if "://" not in link and not (page.parent / link).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_make_targets_exist(page: Path) -> None:
    words = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    used = set(re.findall(r"(?:`|\$ |\d )make ([a-z-]+)", page.read_text()))
    assert used <= words


def test_the_first_example_is_at_most_eight_lines() -> None:
    first = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), flags=re.S | re.M)[0]
    assert len(first.strip().splitlines()) <= 8
