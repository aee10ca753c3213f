"""Bytes from a terminal as keys."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

__all__ = ["Key", "KeyParser"]


class Key(NamedTuple):
    """A printable character by itself, or the name of a key: `up`, `enter`, `escape`, `ctrl-l`, `paste` and so on."""

    name: str
    text: str = ""
    """what was pasted"""

    @property
    def is_character(self) -> bool:
        return len(self.name) == 1


_CONTROL = {"\r": "enter", "\n": "enter", "\t": "tab", "\x7f": "backspace", "\x08": "backspace"}
_FINAL = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "Z": "backtab", "M": "enter"}
_NUMBERED = {"1": "home", "2": "insert", "3": "delete", "4": "end", "5": "page-up", "6": "page-down"}
_NUMBERED |= {"7": "home", "8": "end"}
_SEQUENCE = re.compile(r"\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e])")
# The beginning of a sequence whose rest has not come, or of a text that ends with ST or BEL (an answer to a question).
_UNFINISHED = re.compile(r"\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*|O|[\]PX^_][^\x07\x1b]*\x1b?)?\Z")
_ANSWER = re.compile(r"\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)")
_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_MOST_PASTED = 4096
_MOST_UNFINISHED = 4096


class KeyParser:
    """Keeps what is unfinished until more comes, or until `flush` says that nothing will."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        self._rest = ""
        self._pasted: str | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether the bytes so far may be the beginning of something: an Escape key alone looks like that, too."""
        return bool(self._rest) or self._pasted is not None

    def feed(self, data: bytes) -> list[Key]:
        """The keys that are complete now. Sequences that mean nothing here are left out, whatever they are."""
        text, self._rest = self._rest + self._decoder.decode(data), ""
        keys: list[Key] = []
        while text:
            if self._pasted is not None:
                text = self._take_pasted(text, keys)
                continue
            if text[0] != "\x1b":
                keys += _plain(text[0])
                text = text[1:]
            elif text.startswith(_PASTE_BEGINS):
                self._pasted, text = "", text[len(_PASTE_BEGINS) :]
            elif found := _SEQUENCE.match(text) or _ANSWER.match(text):
                keys += _special(found[0])
                text = text[found.end() :]
            elif len(text) <= _MOST_UNFINISHED and _UNFINISHED.match(text):
                self._rest, text = text, ""
            elif text[1] in "\x1b[O]PX^_":  # broken off by something else
                keys.append(Key("escape"))
                text = text[1:]
            else:  # Alt and a key come as Escape and the key
                keys += [Key(f"alt-{key.name}") for key in _plain(text[1])]
                text = text[2:]
        return keys

    def flush(self) -> list[Key]:
        """Nothing more came for a while: an Escape alone was the key, the beginning of anything else is dropped."""
        rest, self._rest = self._rest, ""
        pasted, self._pasted = self._pasted, None
        self._decoder.reset()
        if pasted is not None:
            return [Key("paste", pasted)]
        return [Key("escape")] if rest == "\x1b" else []

    def _take_pasted(self, text: str, keys: list[Key]) -> str:
        """What is pasted is one key, however long, and never commands."""
        assert self._pasted is not None
        head, ends, tail = text.partition(_PASTE_ENDS)
        if ends:
            keys.append(Key("paste", (self._pasted + head)[:_MOST_PASTED]))
            self._pasted = None
            return tail
        # The end may come in two parts.
        split = next((n for n in range(len(_PASTE_ENDS) - 1, 0, -1) if text.endswith(_PASTE_ENDS[:n])), 0)
        self._pasted = (self._pasted + text[: len(text) - split])[:_MOST_PASTED]
        self._rest = text[len(text) - split :]
        return ""


def _plain(character: str) -> list[Key]:
    if character in _CONTROL:
        return [Key(_CONTROL[character])]
    if character < " ":
        return [Key(f"ctrl-{chr(ord(character) + 64).lower()}")]
    return [Key(character)] if character.isprintable() else []


def _special(sequence: str) -> list[Key]:
    final, middle = sequence[-1], sequence[2:-1]
    if sequence.startswith("\x1b[") and final == "~":
        name = _NUMBERED.get(middle.split(";")[0])
    elif sequence[1] in "[O" and final in _FINAL and "<" not in middle:
        name = _FINAL[final]
    else:
        name = None
    if name is None:
        return []
    shifted = ";" in middle and middle.split(";")[1].split(":")[0] == "2"
    return [Key(f"shift-{name}" if shifted else name)]
