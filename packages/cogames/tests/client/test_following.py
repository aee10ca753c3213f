"""`--watch` survives a restart of the server."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cogames.commands.shared import watching
from softmax.client.errors import Unreachable

LOST = Unreachable("http://league.example", "connection refused")


def reader(*answers: str | Exception) -> Callable[[], str]:
    left = list(answers)

    def read() -> str:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return read


def follow(read: Callable[[], str]) -> str:
    return watching.follow(read, is_done=lambda state: state == "completed", line=str.capitalize, seconds=0)


def test_a_server_that_restarts_is_tried_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert follow(reader("pending", LOST, LOST, "pending", "completed")) == "completed"
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["Pending", f"{LOST}; trying again", "Pending", "Completed"]


def test_a_server_that_was_never_reached_or_does_not_return_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unreachable):
        follow(reader(LOST))
    monkeypatch.setattr(watching, "LOST_SECONDS", -1.0)
    with pytest.raises(Unreachable):
        follow(reader("pending", LOST))
