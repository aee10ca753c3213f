"""A tutorial says the same as a script, as a notebook and as a page."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from cogames.docsync import Cell, DocsyncError, read_notebook, read_script, write_markdown, write_notebook, write_script

PRINTED = ({"name": "stdout", "output_type": "stream", "text": ["one\n", "two\n"]},)
CELLS = [
    Cell("text", "# Counting\n\nTwo ways to count, `%%` and `!` are plain text here."),
    Cell("file", 'def count(to):\n    return list(range(to))\n\n\nNAME = "\\n%%"', name="counting.py"),
    Cell("code", "from counting import count\n\nprint(*count(3))", outputs=PRINTED),
    Cell("code", "print('one')", directive="hide-input", outputs=PRINTED),
    Cell("console", "echo \"it's\" 'one'\ncogames version | head -1", directive="collapse-output", outputs=PRINTED),
]


def test_script_and_notebook_have_the_same_cells() -> None:
    script, notebook = write_script(CELLS), write_notebook(CELLS)
    assert read_script(script) == CELLS
    assert read_notebook(notebook) == CELLS
    assert [cell.outputs for cell in read_notebook(notebook)] == [cell.outputs for cell in CELLS]
    assert write_notebook(read_notebook(notebook)) == notebook
    assert write_script(read_script(script)) == script


def test_the_notebook_is_valid_and_holds_nothing_of_a_run() -> None:
    document = json.loads(write_notebook(CELLS))
    nbformat.validate(document)
    assert {cell.get("execution_count") for cell in document["cells"]} == {None}
    assert len({cell["id"] for cell in document["cells"]}) == len(CELLS)


def test_a_notebook_that_jupyter_saved_is_read_as_ours() -> None:
    document = json.loads(write_notebook(CELLS))
    for number, cell in enumerate(document["cells"]):
        cell.update(id=f"random{number}", metadata={"scrolled": True})
        if cell["cell_type"] == "code":
            cell["execution_count"] = number
    document["metadata"]["language_info"] = {"name": "python", "version": "3.12.1"}
    assert write_notebook(read_notebook(json.dumps(document))) == write_notebook(CELLS)


def test_a_script_runs_its_commands_and_has_its_files(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "counting_tutorial.py"
    script.parent.mkdir()
    script.write_text(write_script(CELLS))
    command = [sys.executable, "-W", "error", str(script)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert lines[:5] == ["0 1 2", "one", "$ echo \"it's\" 'one'", "it's one", "$ cogames version | head -1"]
    assert lines[5].split()[0] == "mettagrid"


def page(directive: str, kind: str = "code") -> str:
    source = "print('one')" if kind == "code" else "echo one"
    return write_markdown([Cell(kind, source, directive=directive, outputs=PRINTED)])  # type: ignore[arg-type]


def test_code_is_shown_with_what_it_prints() -> None:
    assert page("") == "```python\nprint('one')\n```\n\n```text\none\ntwo\n```\n"
    assert page("", "console") == "```console\n$ echo one\none\ntwo\n```\n"


@pytest.mark.parametrize(
    ("directive", "shows_source", "shows_output", "folds"),
    [
        ("hide", False, False, None),
        ("hide-input", False, True, None),
        ("hide-output", True, False, None),
        ("collapse-input", True, True, "Code"),
        ("collapse-output", True, True, "Output"),
    ],
)
@pytest.mark.parametrize("kind", ["code", "console"])
def test_a_directive_leaves_out_or_folds_away(
    directive: str, shows_source: bool, shows_output: bool, folds: str | None, kind: str
) -> None:
    text = page(directive, kind)
    assert ("print('one')" in text or "$ echo one" in text) == shows_source
    assert ("two" in text) == shows_output
    assert "<<" not in text
    folded = text.partition("<details>\n<summary>")[2].partition("</details>")[0]
    assert folded.partition("</summary>")[0] == (folds or "")
    assert ("two" in folded) == (folds == "Output")
    assert text.count("```") % 2 == 0


@pytest.mark.parametrize("directive", ["hide", "hide-output"])
def test_hidden_outputs_are_not_stored_in_the_notebook(directive: str) -> None:
    (cell,) = json.loads(write_notebook([Cell("code", "show(x)", directive=directive, outputs=PRINTED)]))["cells"]
    assert cell["outputs"] == []
    assert cell["source"] == [f"# <<{directive}>>\n", "show(x)"]


def test_text_with_fences_stays_inside_its_block() -> None:
    text = write_markdown([Cell("code", 'print("""\n```\n""")')])
    assert text == '````python\nprint("""\n```\n""")\n````\n'


def test_the_place_of_a_link_to_colab_is_filled() -> None:
    cells = [Cell("text", "[Open in Colab](<<colab-link>>)")]
    assert write_markdown(cells, colab_link="https://colab.example/x") == "[Open in Colab](https://colab.example/x)\n"
    with pytest.raises(DocsyncError, match="colab-link"):
        write_markdown(cells)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("print(1)\n", "x.py has no cells"),
        ("# %%\n# <<hide-all>>\nprint(1)\n", "x.py, cell 1: unknown directive <<hide-all>>"),
        ("# %% [raw]\nprint(1)\n", r"x.py, cell 1 has the tag \[raw\]"),
        ("# %%\n\n# %% [markdown]\n# Hello\nprint(1)\n", "x.py, cell 2 is text, but 'print"),
        ("# %% [console]\nprint(1)\n", "x.py, cell 1 may only have lines of the form"),
        ("# %% [console]\nconsole(f'{x}')\n", "x.py, cell 1 may only have lines of the form"),
        ("# %% [console]\nconsole('a'\n", "x.py, cell 1 may only have lines of the form"),
    ],
)
def test_a_wrong_script_is_refused_with_a_sentence(text: str, message: str) -> None:
    with pytest.raises(DocsyncError, match=message):
        read_script(text, "x.py")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.ipynb is not a notebook"),
        ("[]", "x.ipynb is not a notebook"),
        ('{"worksheets": []}', "x.ipynb is not a notebook"),
        ('{"cells": [7]}', "x.ipynb is not a notebook"),
        ('{"cells": [{"cell_type": "raw", "source": ""}]}', "cell 1 has the type raw"),
        ('{"cells": [{"cell_type": "code", "source": "x = 1\\n!ls"}]}', "cell 1 mixes Python with"),
        ('{"cells": [{"cell_type": "code", "source": "%matplotlib inline"}]}', "cell 1 mixes Python with"),
    ],
)
def test_a_wrong_notebook_is_refused_with_a_sentence(text: str, message: str) -> None:
    with pytest.raises(DocsyncError, match=message):
        read_notebook(text, "x.ipynb")
