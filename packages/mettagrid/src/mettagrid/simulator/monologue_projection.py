"""Work out what each step adds to a policy's monologue, of which policies only show the end."""

from __future__ import annotations

from typing import Any

__all__ = ["compute_monologue_transcript_update", "strip_monologue_transcript_tail"]

TAIL_KEY = "__monologue_transcript_tail"


def strip_monologue_transcript_tail(policy_infos: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the infos without the end of the monologue, or None if nothing is left."""
    if not policy_infos:
        return None
    if TAIL_KEY not in policy_infos:
        return policy_infos
    return {key: value for key, value in policy_infos.items() if key != TAIL_KEY} or None


def compute_monologue_transcript_update(previous_tail: str, current_tail: str) -> tuple[str, bool]:
    """Return (added text, whether a new monologue began) from its end at two steps.

    If the first end overlaps with the beginning of the second, the rest of the second was added. Without an overlap it
    is another monologue. An empty end adds nothing.
    """
    if not current_tail or current_tail == previous_tail:
        return "", False
    overlap = _suffix_prefix_overlap(previous_tail, current_tail)
    return current_tail[overlap:], bool(previous_tail) and overlap == 0


def _suffix_prefix_overlap(previous_tail: str, current_tail: str) -> int:
    """Return the length of the longest suffix of one text that is a prefix of the other."""
    longest = min(len(previous_tail), len(current_tail))
    head, tail = current_tail[:longest], previous_tail[len(previous_tail) - longest :]
    # For each position of the head: the length of its longest border (Knuth, Morris and Pratt).
    borders = [0] * longest
    length = 0
    for i in range(1, longest):
        length = _extended(head, borders, length, head[i])
        borders[i] = length
    length = 0
    for character in tail:
        length = _extended(head, borders, length, character)
    return length


def _extended(head: str, borders: list[int], length: int, character: str) -> int:
    """Return how much of the head matches after one more character, given that `length` of it matched before."""
    while length and (length == len(head) or head[length] != character):
        length = borders[length - 1]
    return length + (head[length : length + 1] == character)
