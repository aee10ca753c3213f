"""The examples in the documents work: every `$ cogames` line of a page runs, in order, in one empty folder.

Lines below a command are what it prints: each must come, in order, among the lines it writes; `...` stands for any.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cogames.docs import DOCUMENTS, read_document

ROOT = Path(__file__).resolve().parents[4]
# Pages whose blocks are one program with commands in between; tests/test_tutorials.py runs that.
TUTORIALS = {path.stem for path in ROOT.glob("docs/tutorials/*.md")}
PAGES = {
    **{name: read_document(name) for name in DOCUMENTS if name not in TUTORIALS},
    **{
        str(path.relative_to(ROOT)): path.read_text()
        for path in sorted(ROOT.glob("docs/**/*.md"))
        if path.stem not in TUTORIALS
    },
    **{name: (ROOT / name).read_text() for name in ("README.md", "packages/cogames/README.md")},
}
Example = tuple[list[str], list[str]]


def console_examples(text: str) -> list[Example]:
    """(words after `cogames`, lines it is shown to print) for each command."""
    found: list[Example] = []
    for block in re.findall(r"^```console\n(.*?)^```", text, flags=re.S | re.M):
        is_ours = False
        for line in block.splitlines():
            if line.startswith("$ "):
                words = shlex.split(line.removeprefix("$ "), comments=True)
                is_ours = words[0] == "cogames"
                if is_ours:
                    found.append((words[1:], []))
            elif is_ours and line.strip() not in ("", "..."):
                found[-1][1].append(line.rstrip())
    return found


WITH_SERVER = "<!-- console: with a server -->"  # tests/client runs the commands of such a page
EXAMPLES = {
    page: examples for page, text in PAGES.items() if WITH_SERVER not in text and (examples := console_examples(text))
}


def test_there_are_examples() -> None:
    assert {"readme", "scripted_agent", "docs/guides/cogames.md"} <= set(EXAMPLES)


@pytest.mark.parametrize("page", EXAMPLES)
def test_commands_on_a_page_work(cogames: Any, page: str) -> None:
    for words, shown in EXAMPLES[page]:
        ran = cogames(*words)
        assert ran.code == 0, f"cogames {shlex.join(words)}\n{ran.err}"
        printed = iter(line.rstrip() for line in (ran.out + ran.err).splitlines())
        missing = [line for line in shown if line not in printed]
        assert not missing, f"cogames {shlex.join(words)} does not print {missing[0]!r}, but\n{ran.out}{ran.err}"


@pytest.mark.parametrize("page", [name for name in DOCUMENTS if "```python" in PAGES.get(name, "")])
def test_python_on_a_page_runs(page: str, tmp_path: Path) -> None:
    for block in re.findall(r"^```python\n(.*?)^```", read_document(page), flags=re.S | re.M):
        subprocess.run([sys.executable, "-W", "error", "-c", block], check=True, cwd=tmp_path, capture_output=True)


def test_the_shortest_agent_plays(cogames: Any, tmp_path: Path) -> None:
    block = re.findall(r"^```python\n(.*?)^```", read_document("scripted_agent"), flags=re.S | re.M)[0]
    (tmp_path / "walker.py").write_text(block)
    ran = cogames("play", "-m", "arena", "-p", "walker.WalkerPolicy", "-s", "20", "-r", "none")
    assert (ran.code, ran.err) == (0, "")
