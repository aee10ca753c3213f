"""Assemble the objects of the published document from pieces of JSON.

Native code writes the text from the rows: in Python an episode would be hundreds of thousands of small objects.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import IntEnum

import numpy as np

from mettagrid import _native
from mettagrid.replay._model import Kind, Note, Replay
from mettagrid.replay._rows import Field

STATIC_TYPE = "wall"
VISION_SIZE = 13

_NO_MONOLOGUE = '"monologue_append":"","monologue_reset":false'


class Style(IntEnum):
    """How a column is written; `native/cpu/series_text.hpp` defines each style."""

    NOTHING = 0
    ID = 1
    NUMBER = 2
    BOOLEAN = 3
    ALIVE = 4
    PLACE = 5
    PAIRS = 6
    KEYS = 7
    RENAMED = 8
    REAL = 9
    SUM = 10


# Text, and the column that comes after it: (text, style, field, default, names of keys).
Piece = tuple[str, int, int, str, list[tuple[int, int]]]


def _piece(
    text: str,
    style: Style = Style.NOTHING,
    field: Field | None = None,
    default: str = "",
    names: Sequence[tuple[int, int]] = (),
) -> Piece:
    return (text, int(style), -1 if field is None else int(field), default, list(names))


class ObjectWriter:
    """Writes every object's fields as text. An index counts steps from the first recorded one."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._base = replay.first_step
        self._notes: defaultdict[tuple[int, str], list[Note]] = defaultdict(list)
        for note in replay.notes:
            self._notes[note.agent, note.kind].append(note)

    def text(self) -> tuple[list[int], list[int], bytes]:
        """Return (object numbers, end offset of each text, all texts joined by commas).

        Ordered by first appearance, then id. Walls that appear later are omitted.
        """
        replay, rows = self._replay, self._replay.rows
        templates, pieces = self._templates()
        # Walls do not change, except in some documents of other writers.
        is_static = [kind.type_name == STATIC_TYPE and replay.has_start for kind in replay.kinds]
        numbers, ends, text = _native.series_texts(
            *rows.columns(),
            ids=replay.objects.ids,
            is_static=np.array(is_static, np.uint8)[replay.objects.kinds],
            templates=templates,
            pieces=pieces,
            base=self._base,
            length=replay.steps,
            tells_missing=not replay.has_start,
        )
        return numbers, ends, text

    def _templates(self) -> tuple[np.ndarray, list[list[Piece]]]:
        """Return ([objects]: index of its template, the templates): one template per kind and one per agent."""
        replay = self._replay
        pieces = [self._pieces(kind) for kind in replay.kinds]
        templates = replay.objects.kinds.astype(np.int32)
        for number in np.flatnonzero(replay.objects.agents >= 0).tolist():
            kind, agent = replay.kinds[replay.objects.kinds[number]], int(replay.objects.agents[number])
            templates[number] = len(pieces)
            pieces.append(self._pieces(kind, *self._agent_pieces(agent, kind)))
        return templates, pieces

    def _pieces(self, kind: Kind, of_agent: Sequence[Piece] = (), late: str = "") -> list[Piece]:
        return [
            _piece('{"id":', Style.ID),
            _piece(',"alive":', Style.ALIVE, Field.ALIVE, "true"),
            _piece(f',"type_name":{json.dumps(kind.type_name)},"location":', Style.PLACE, Field.LOCATION, "[0,0]"),
            _piece(',"orientation":0,"inventory":', Style.PAIRS, Field.AMOUNT, "[]"),
            _piece(',"inventory_max":0,"color":0,"tag_ids":', Style.KEYS, Field.TAG, "[]"),
            *of_agent,
            _piece(',"inventory_capacities":', Style.RENAMED, Field.LIMIT, "[]", _capacity_keys(kind, self._replay)),
            _piece(f"{late}}}"),
        ]

    def _agent_pieces(self, agent: int, kind: Kind) -> tuple[list[Piece], str]:
        """Return the pieces of an agent, and the fields at the end, which were not there from the start."""
        infos, is_early = self._infos(agent)
        talk, talks_early = self._talk(agent)
        early = (infos if is_early else "", talk if talks_early else "")
        late = ("" if is_early else infos) + ("" if talks_early else talk)
        of_agent = [
            _piece(
                f',"is_agent":true,"agent_id":{agent},"vision_size":{VISION_SIZE},"action_id":',
                Style.NUMBER,
                Field.ACTION,
                "0",
            ),
            _piece(',"action_param":0,"action_success":', Style.BOOLEAN, Field.SUCCESS, "false"),
            _piece(',"animation_id":', Style.NUMBER, Field.ANIMATION, "0"),
            _piece(',"current_reward":', Style.REAL, Field.REWARD, "0.0"),
            _piece(',"total_reward":', Style.SUM, Field.REWARD, "0.0"),
            _piece(f',"group_id":{kind.group_id},"vibe_id":', Style.NUMBER, Field.VIBE, "0"),
            _piece(',"vibe":', Style.NUMBER, Field.VIBE, "0"),
            _piece(f"{early[0]},{_NO_MONOLOGUE}{early[1]}"),
        ]
        return of_agent, late

    def _infos(self, agent: int) -> tuple[str, bool]:
        """Return the infos of the policy, and whether it had some from the start."""
        notes = self._notes[agent, "infos"]
        if not notes:
            return "", True
        infos = {max(0, note.tick - self._base): json.dumps(note.value) for note in notes}
        return f',"policy_infos":{_series_text(infos, "{}")}', 0 in infos

    def _talk(self, agent: int) -> tuple[str, bool]:
        """Return the talk of the agent, and whether it talked from the start."""
        talk = {0: ("", 0)}
        notes = self._notes[agent, "talk"]
        ends = [*(note.tick for note in notes[1:]), self._replay.last_tick + 1]
        for note, end in zip(notes, ends, strict=False):
            for tick, state in _fading(note, end):
                talk[max(0, tick - self._base)] = state
        if not any(text for text, _ in talk.values()):
            return "", True
        states = {index: talk[index] for index in sorted(talk)}
        texts = _series_text({index: json.dumps(text) for index, (text, _) in states.items()}, '""')
        left = _series_text({index: str(remaining) for index, (_, remaining) in states.items()}, "0")
        return f',"talk_text":{texts},"talk_remaining_steps":{left}', bool(talk[0][0])


def _series_text(texts: dict[int, str], default: str) -> str:
    """Return the text of a field that is not in rows, in the same form as the others."""
    if 0 not in texts:
        texts = {0: default, **texts}
    series: list[tuple[int, str]] = []
    for index, text in texts.items():
        if not series or series[-1][1] != text:
            series.append((index, text))
    if len(series) == 1:
        return series[0][1]
    return f"[{','.join(f'[{index},{text}]' for index, text in series)}]"


def _fading(note: Note, end: int) -> Iterator[tuple[int, tuple[str, int]]]:
    """Yield (tick, (text, remaining steps)) of a text until it expires or another one begins."""
    text, remaining = note.value
    for tick in range(note.tick, min(end, note.tick + max(0, remaining) + 1)):
        left = remaining - (tick - note.tick)
        yield tick, (text, left) if left > 0 else ("", 0)


def _capacity_keys(kind: Kind, replay: Replay) -> list[tuple[int, int]]:
    """Return [(capacity, key of the limit that applies to it)]: the limit of its lowest resource that has one."""
    known = {resource: limit.key for limit in kind.limits for resource in limit.resources or ()}
    keys = [(limit.key, limit.key) for limit in kind.limits if limit.resources is None]
    for number, capacity in enumerate(replay.capacities):
        limited = [resource for resource in capacity.resources or () if resource in known]
        if limited:
            keys.append((number, known[min(limited)]))
    return sorted(keys)
