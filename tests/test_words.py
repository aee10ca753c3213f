"""The check of wording finds what it should, in every kind of file, and leaves plain sentences alone."""

import sys

import pytest

from tests.support import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

from words import findings

TRANSLATED = [
    "Keep nothing: somebody has changed what never changes.",
    "Ask the route as if another had come, whom the server does not count.",
    "One that is late is made anew after it was given.",
    "Who takes over the first cog makes the game wait for people",
    "Refusals for coming too often are 429",
    "The address leads to no page of this league",
    "Nothing worth a mark happened",
    "What parted first in the two games",
    "told when the season has ended",
    "What the worker told at the end",
    "Nobody is charged with it",
    "a part of it is said to be where it cannot be",
    "everybody may download it",
    "the `coworld` command for games of others",
    "The file is no archive",
    "The season goes on",
]
PLAIN = [
    "Drop all cached values: an immutable row was edited.",
    "There is no season of this name.",
    "The token is no longer valid.",
    "What is a Coworld?",
    "The server continues with the next match and goes on to score it.",
    "Rate-limited requests get 429 with `Retry-After`.",
    "`nobody` is the user of the box.",
]
FILES = {
    "note.py": "# {}\n",
    "docstring.py": 'def f():\n    """{}"""\n',
    "error.py": 'raise ValueError(f"{}")\n',
    "page.md": "- {}\n",
    "table.md": "| x | {} |\n",
    "note.ts": "// {}\n",
    "text.ts": 'const text = "{}";\n',
    "template.ts": "const text = `{}`;\n",
    "page.html": "<p>{}</p>\n",
    "note.hpp": "/* {} */\n",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("sentence", TRANSLATED)
def test_translated_sentences_are_reported(name: str, sentence: str) -> None:
    text = sentence.replace("`", "") if name == "template.ts" else sentence
    assert findings(name, FILES[name].format(text)), (name, sentence)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("sentence", PLAIN)
def test_plain_sentences_pass(name: str, sentence: str) -> None:
    if name not in ("template.ts", "page.html") or "`" not in sentence:
        assert findings(name, FILES[name].format(sentence)) == []


def test_a_finding_has_its_line_and_advice() -> None:
    (finding,) = findings("page.md", "# Title\n\nNobody knows.\n")
    assert (finding.line, finding.phrase) == (3, "Nobody")
    assert finding.advice.startswith("name the actor")


def test_code_in_markdown_is_not_prose() -> None:
    assert findings("page.md", "```text\nnobody\n```\n`nobody` runs it\n") == []
