"""The sentences of a meeting. Every message begins with the speaker's colour, so that the others can read it."""

import re
from dataclasses import dataclass

__all__ = ["COLOURS", "Statement", "say", "statements"]

COLOURS = (
    "light blue|pale blue|dark brown|dark teal|dark navy|red|orange|yellow|pink|lime|blue|gray|white|brown|green|black"
)
LIMIT = 320
_MESSAGE = re.compile(rf"\b({COLOURS}): (.*?)(?=\b(?:{COLOURS}): |$)", re.IGNORECASE)
_SAW = re.compile(rf"I saw ({COLOURS}) (?:kill|vent)", re.IGNORECASE)
_SUSPECT = re.compile(rf"I suspect ({COLOURS})\b", re.IGNORECASE)
_WITH = re.compile(rf"I was with ({COLOURS})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    speaker: str
    text: str
    accused: str | None = None
    is_witness: bool = False
    cleared: str | None = None


def say(colour: str, *sentences: str) -> str:
    """Return a message within the limit of the chat."""
    return f"{colour}: {' '.join(sentence for sentence in sentences if sentence)}"[:LIMIT]


def statements(text: str) -> list[Statement]:
    """Return what was said, from the lines on the screen; other texts are ignored."""
    found = []
    for speaker, message in _MESSAGE.findall(text):
        saw, suspect, company = (pattern.search(message) for pattern in (_SAW, _SUSPECT, _WITH))
        accused = saw or suspect
        found.append(
            Statement(
                speaker.lower(),
                message.strip(),
                None if accused is None else accused[1].lower(),
                saw is not None,
                None if company is None else company[1].lower(),
            )
        )
    return found
