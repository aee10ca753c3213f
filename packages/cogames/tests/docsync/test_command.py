"""`cogames docsync`: what is made, what is found stale, what is refused. Cells are run by a real kernel."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = '''\
"""Say hello."""

from cogames.docsync.scripts import console, start

start(__file__)

# %% [markdown]
# # Hello

# %% [file greeting.py]
WORD = "Hello"

# %%
from greeting import WORD

print(WORD, "world")
WORD

# %% [console]
console("echo on stderr >&2; echo from a shell")

# %%
# <<hide-output>>
print("never kept")
'''
PAGE = """\
# Hello

```python
WORD = "Hello"
```

```python
from greeting import WORD

print(WORD, "world")
WORD
```

```text
Hello world
'Hello'
```

```console
$ echo on stderr >&2; echo from a shell
on stderr
from a shell
```

```python
print("never kept")
```
"""


def docsync(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cogames", "docsync", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one tutorial in the usual folder, in step."""
    root = tmp_path_factory.mktemp("repository")
    (root / ".git").mkdir()
    (root / "docs" / "tutorials").mkdir(parents=True)
    (root / "docs" / "tutorials" / "hello.py").write_text(SCRIPT)
    (root / "docs" / "tutorials" / "greeting.py").write_text("WORD = 'Hello'\n")  # no tutorial
    ran = docsync("all", cwd=root)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "Wrote docs/tutorials/hello.ipynb\nWrote docs/tutorials/hello.md\n"
    return root


@pytest.fixture
def repository(made: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return shutil.copytree(made, tmp_path / "repository")


def test_the_page_shows_what_a_kernel_printed(made: Path) -> None:
    assert (made / "docs" / "tutorials" / "hello.md").read_text() == PAGE
    assert "never kept\\n" not in (made / "docs" / "tutorials" / "hello.ipynb").read_text()


def test_tutorials_in_sync_pass_and_are_not_changed(repository: Path) -> None:
    before = {path: path.read_bytes() for path in repository.glob("docs/tutorials/*")}
    ran = docsync("check", cwd=repository)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "1 tutorials are in sync\n", "")
    assert {path: path.read_bytes() for path in repository.glob("docs/tutorials/*")} == before


@pytest.mark.parametrize(
    ("name", "old", "new", "stale"),
    [
        ("hello.py", "print(WORD", "print(2 * WORD", "docs/tutorials/hello.ipynb is"),
        ("hello.ipynb", "print(WORD", "print(2 * WORD", "docs/tutorials/hello.ipynb is"),
        ("hello.ipynb", '"execution_count": null', '"execution_count": 3', "docs/tutorials/hello.ipynb is"),
        ("hello.md", "# Hello", "# Hallo", "docs/tutorials/hello.md is"),
    ],
)
def test_a_stale_file_is_named(repository: Path, name: str, old: str, new: str, stale: str) -> None:
    path = repository / "docs" / "tutorials" / name
    path.write_text(path.read_text().replace(old, new, 1))
    ran = docsync("check", "--skip-rerun", cwd=repository)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.splitlines()[0] == f"Error: {stale} stale"


def test_a_missing_file_is_stale(repository: Path) -> None:
    (repository / "docs" / "tutorials" / "hello.md").unlink()
    ran = docsync("check", "--skip-rerun", cwd=repository)
    assert (ran.returncode, ran.stderr.splitlines()[0]) == (1, "Error: docs/tutorials/hello.md is stale")


def test_only_running_it_finds_an_output_that_is_no_longer_true(repository: Path) -> None:
    for name in ("hello.ipynb", "hello.md"):
        path = repository / "docs" / "tutorials" / name
        path.write_text(path.read_text().replace("Hello world", "Hello moon"))
    assert docsync("check", "--skip-rerun", cwd=repository).returncode == 0
    ran = docsync("check", cwd=repository)
    assert ran.returncode == 1
    assert ran.stderr.startswith("Error: docs/tutorials/hello.ipynb, docs/tutorials/hello.md are stale")


def test_a_changed_notebook_is_written_back(repository: Path) -> None:
    folder = repository / "docs" / "tutorials"
    assert docsync("nb-to-py", folder / "hello.ipynb", cwd=repository).stderr == "No changes\n"
    assert (folder / "hello.py").read_text() == SCRIPT
    notebook = json.loads((folder / "hello.ipynb").read_text())
    notebook["cells"][0]["source"] = ["# Good day"]
    (folder / "hello.ipynb").write_text(json.dumps(notebook))
    assert docsync("nb-to-py", folder / "hello.ipynb", cwd=repository).returncode == 0
    assert "# # Good day\n" in (folder / "hello.py").read_text()
    assert docsync("all", "--skip-rerun", cwd=repository).returncode == 0
    assert (folder / "hello.md").read_text() == PAGE.replace("# Hello", "# Good day")


def test_one_file_is_made_from_another(repository: Path) -> None:
    folder = repository / "docs" / "tutorials"
    for name in ("hello.ipynb", "hello.md"):
        (folder / name).unlink()
    assert docsync("py-to-nb", folder / "hello.py", "--skip-rerun", cwd=repository).returncode == 0
    assert "Hello world" not in (folder / "hello.ipynb").read_text()
    assert docsync("nb-to-md", folder / "hello.ipynb", cwd=repository).returncode == 0
    assert (folder / "hello.md").read_text() == PAGE


def test_a_page_of_the_package_is_a_document_without_links(repository: Path) -> None:
    documents = repository / "packages" / "cogames" / "src" / "cogames" / "docs"
    documents.mkdir(parents=True)
    script = repository / "docs" / "tutorials" / "hello.py"
    text = "# ![A picture](a.png)\n#\n# See [more](more.md) and [far](https://far.example).\n"
    script.write_text(script.read_text().replace("# # Hello\n", f"# # Hello\n#\n{text}"))
    assert docsync("all", "--skip-rerun", cwd=repository).returncode == 0
    printed = (documents / "hello.md").read_text()
    assert printed.startswith("# Hello\n\nSee more and [far](https://far.example).\n")
    (documents / "hello.md").write_text(printed + "\n")
    ran = docsync("check", "--skip-rerun", cwd=repository)
    assert (ran.returncode, ran.stderr.count("packages/cogames/src/cogames/docs/hello.md is stale")) == (1, 1)


def test_a_link_to_colab_needs_the_repository(repository: Path) -> None:
    script = repository / "docs" / "tutorials" / "hello.py"
    script.write_text(script.read_text().replace("# # Hello\n", "# # Hello\n#\n# [Run it](<<colab-link>>)\n"))
    ran = docsync("all", "--skip-rerun", cwd=repository)
    assert (ran.returncode, ran.stderr.count("--repository OWNER/NAME")) == (1, 1)
    assert docsync("all", "--skip-rerun", "--repository", "cogs/league", cwd=repository).returncode == 0
    link = "https://colab.research.google.com/github/cogs/league/blob/main/docs/tutorials/hello.ipynb"
    assert f"[Run it]({link})" in (repository / "docs" / "tutorials" / "hello.md").read_text()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("print(WORD", "print(WORLD", "hello.py, cell 3 fails: NameError: name 'WORLD' is not defined"),
        (
            "echo from a shell",
            "exit 3",
            "hello.py, cell 4 fails: RuntimeError: 'echo on stderr >&2; exit 3' ended with 3",
        ),
    ],
)
def test_a_cell_that_fails_is_named_and_nothing_is_written(repository: Path, old: str, new: str, message: str) -> None:
    script = repository / "docs" / "tutorials" / "hello.py"
    script.write_text(script.read_text().replace(old, new))
    before = (repository / "docs" / "tutorials" / "hello.ipynb").read_bytes()
    ran = docsync("all", cwd=repository)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert message in ran.stderr.splitlines()[0]
    assert (repository / "docs" / "tutorials" / "hello.ipynb").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "nowhere"], "Error: Folder not found: nowhere"),
        (["check", "docs"], "Error: docs has no tutorials"),
        (["py-to-nb", "docs/tutorials/hello.md"], "Error: docs/tutorials/hello.md must end in .py"),
        (["nb-to-md", "missing.ipynb"], "Error: File not found: missing.ipynb"),
    ],
)
def test_missing_files_are_refused(repository: Path, words: list[str], message: str) -> None:
    ran = docsync(*words, cwd=repository)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(message)


def test_the_command_is_not_listed_and_explains_itself(tmp_path: Path) -> None:
    ran = docsync("-h", cwd=tmp_path)
    assert all(name in ran.stdout for name in ("nb-to-md", "nb-to-py", "py-to-nb", "check", "all"))
    listed = subprocess.run([sys.executable, "-m", "cogames", "-h"], capture_output=True, text=True).stdout
    assert "docsync" not in listed
