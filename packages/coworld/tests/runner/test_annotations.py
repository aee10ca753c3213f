"""Episode annotations: what a valid file is, and how its records are attributed."""

import json
from io import BytesIO
from typing import Any

import pydantic
import pytest

from coworld.runner.annotations import ANNOTATION_MAX_BYTES, EpisodeAnnotation, annotation_file_error, read_annotations

LINE = b'{"time": 3, "kind": "intent", "function": "move", "args": {"to": [1, null]}}\n'


def test_records_are_attributed_by_the_reader() -> None:
    forged = b'{"time": 4, "kind": "k", "function": "f", "args": {}, "participant_slot": 9, "seq": 9, "note": "kept"}\n'
    source = BytesIO(LINE + forged)
    assert annotation_file_error(source) is None and source.tell() == 0
    first, second = (json.loads(line) for line in read_annotations(source, participant_slot=2, first_seq=7))
    assert (first["participant_slot"], first["seq"], first["args"]) == (2, 7, {"to": [1, None]})
    assert (second["participant_slot"], second["seq"], second["note"]) == (2, 8, "kept")
    assert "message" not in first and first["schema_version"] == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", None),
        (LINE * 1000, None),
        (LINE * 1001, "Annotation file exceeds 1000 records"),
        (LINE[:-1], "Annotation record 1 is not newline-terminated"),
        (LINE + b"\n", "Invalid annotation record 2"),
        (LINE + b"{\n", "Invalid annotation record 2"),
        (b"[]\n", "Invalid annotation record 1"),
        (b"\xff\n", "Invalid annotation record 1"),
        (LINE.replace(b"null", b"NaN"), "Invalid annotation record 1"),
        (LINE.replace(b'"kind"', b'"other": Infinity, "kind"'), "Invalid annotation record 1"),
        (LINE.replace(b'"time": 3', b'"time": 3, "schema_version": 2'), "Invalid annotation record 1"),
        (LINE.replace(b'"move"', b'""'), "Invalid annotation record 1"),
        (LINE + b"x" * 3_000_000, "Annotation record 2 exceeds 2 KiB"),
    ],
)
def test_a_file_is_valid_or_says_why_not(data: bytes, reason: str | None) -> None:
    assert annotation_file_error(BytesIO(data)) == reason
    if reason is None:
        assert len(list(read_annotations(BytesIO(data), participant_slot=0))) == data.count(b"\n")
    else:
        with pytest.raises(ValueError):
            list(read_annotations(BytesIO(data), participant_slot=0))


def test_a_record_may_fill_its_limit_with_its_line_end() -> None:
    padding = ANNOTATION_MAX_BYTES - len(LINE.replace(b"[1, null]", b'""'))
    full = LINE.replace(b"[1, null]", b'"' + b"x" * padding + b'"')
    assert len(full) == ANNOTATION_MAX_BYTES and annotation_file_error(BytesIO(full)) is None
    longer = full.replace(b"xx", b"xxx", 1)
    assert annotation_file_error(BytesIO(longer)) == "Annotation record 1 exceeds 2 KiB"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"end_time": 0}, "end_time must be at least time"),
        ({"time": float("nan")}, "finite"),
        ({"args": {"a": float("inf")}}, "finite"),
        ({"kind": "k" * 129}, "at most 128"),
        ({"function": "f" * 257}, "at most 256"),
    ],
)
def test_records_that_make_no_sense_are_rejected(change: dict[str, Any], words: str) -> None:
    with pytest.raises(pydantic.ValidationError, match=words):
        EpisodeAnnotation.model_validate({"time": 1, "kind": "k", "function": "f", "args": {}} | change)
