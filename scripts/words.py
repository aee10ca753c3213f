"""Find wording that reads like a translation, in comments, docstrings, strings and Markdown (docs/guides/writing.md).

usage: python scripts/words.py [PATH ...]     check all tracked files, or these; exit status 1 when something is found
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workspace import ROOT

__all__ = ["Finding", "findings", "main", "prose"]

RULES: tuple[tuple[str, str], ...] = (
    (r"\b(some|no|every)body('s)?\b", "name the actor: the user, the caller, the server; or use the passive"),
    (r"\bwhom\b", "split the sentence, or use 'that'"),
    (r"\banew\b|\bmade again\b", "say 'again', 'rebuilt', 'recreated' or 'refreshed'"),
    (r"\bthrice\b", "say 'three times'"),
    (r"\btold\b", "say 'reported', 'shown', 'sent' or 'known'"),
    (
        r"(?<![Tt]here )\b(is|are|was|were) no (?!longer\b|more\b|less\b|other\b)[a-z]+",
        "say 'is not a ...' or 'has no ...'",
    ),
    (r"\bgo(es)? on\b(?! to\b)", "say 'continues'"),
    (r"^(Who|Whoever) (?!.*\?)", "name the actor: 'a client that ...', 'users who ...'"),
    (
        r"^What (?!.*\?)(?:parted|somebody|nobody|comes|came|goes|went|was|has|had|stands|stood|fits|lies|lay)\b",
        "start with a noun",
    ),
    (r"\btoo often\b", "say 'rate-limited'"),
    (r"\bleads? to no\b", "say 'not found'"),
    (r"\bworth a (mark|word|look)\b", "say what there is: 'No events.'"),
    (r"\b(is|are) said to be\b", "state it: 'the offset is out of range'"),
    (r"\bgames of others\b|\bcode of others\b|\bsomeone else's\b", "say 'third-party'"),
    (r"\blast words\b", "say 'the last lines of output' or 'the exception'"),
    (r"\b(lets?|let us) in\b", "say 'accepts', 'admits' or 'allows'"),
)
PATTERNS = [
    (re.compile(pattern, re.IGNORECASE if pattern.startswith(r"\b") else 0), advice) for pattern, advice in RULES
]

ANY = re.compile("|".join(f"(?i:{rule})" if rule.startswith(r"\b") else f"(?:{rule})" for rule, _ in RULES))

SUFFIXES = (".py", ".md", ".ts", ".html", ".hpp", ".cpp", ".cu")
SKIPPED = ("docs/guides/writing.md", "scripts/words.py", "tests/test_words.py", "web/src/league/api-types.ts")
WORDS_IN_A_SENTENCE = 3


@dataclass(frozen=True)
class Finding:
    """A phrase to reword."""

    line: int
    phrase: str
    advice: str


def findings(path: str, text: str) -> list[Finding]:
    """Return the phrases to reword in a file."""
    results = [
        Finding(line, match.group().strip(), advice)
        for line, sentence in prose(path, text)
        if ANY.search(sentence)  # rarely: much faster than each pattern on each line
        for pattern, advice in PATTERNS
        for match in pattern.finditer(sentence)
    ]
    return sorted(set(results), key=lambda finding: (finding.line, finding.phrase))


def prose(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that people read, with their numbers and without code."""
    if path.endswith(".py"):
        yield from _python(text)
    elif path.endswith(".md"):
        yield from _markdown(text)
    elif path.endswith(".html"):
        yield from enumerate((re.sub(r"<[^>]*>", " ", line).strip() for line in text.splitlines()), start=1)
    else:
        yield from _c_like(text)


def _python(text: str) -> Iterator[tuple[int, str]]:
    if any(ANY.search(_comment(line[match.start() :])) for line in text.splitlines() for match in HASH.finditer(line)):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], _comment(token.string)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _lines(node.lineno, node.value)


def _comment(text: str) -> str:
    return _without_code(text).lstrip("#: ")


def _markdown(text: str) -> Iterator[tuple[int, str]]:
    is_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            for cell in line.split("|"):
                yield number, _without_code(cell).strip().lstrip("#*->0123456789. ")


HASH = re.compile("#")
C_LIKE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`', re.DOTALL)


def _c_like(text: str) -> Iterator[tuple[int, str]]:
    for match in C_LIKE.finditer(text):
        yield from _lines(text.count("\n", 0, match.start()) + 1, _unquoted(match.group()))


def _unquoted(text: str) -> str:
    return text if text.startswith("/") else text[1:-1]


def _lines(first: int, text: str) -> Iterator[tuple[int, str]]:
    """Split a comment or a string into lines; single words are names, not prose."""
    for offset, line in enumerate(text.splitlines()):
        plain = _without_code(line).strip().lstrip("/*# ").strip()
        if len(plain.split()) >= WORDS_IN_A_SENTENCE:
            yield first + offset, plain


def _without_code(line: str) -> str:
    return re.sub(r"`[^`]*`", "`", line)


def tracked() -> list[str]:
    """Return the files that git tracks and this check reads."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for path in listed.splitlines() if path.endswith(SUFFIXES) and path not in SKIPPED]


def main(paths: Sequence[str]) -> int:
    count = 0
    for path in paths or tracked():
        file = ROOT / path
        if not file.is_file():
            continue
        for finding in findings(path, file.read_text(encoding="utf-8", errors="replace")):
            count += 1
            print(f"{path}:{finding.line}: {finding.phrase!r}: {finding.advice}")
    if count:
        print(f"words: {count} phrases to reword; docs/guides/writing.md explains them")
    return bool(count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
