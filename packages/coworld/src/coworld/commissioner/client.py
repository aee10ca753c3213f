"""Send requests to a commissioner, as a platform does."""

from __future__ import annotations

import json
from typing import TypeVar

from pydantic import ValidationError

from coworld.commissioner.protocol import (
    COMMISSIONER_MESSAGE_MAX_BYTES,
    CommissionerMessage,
    Message,
    message_problems,
)
from coworld.errors import CoworldError

__all__ = ["CommissionerError", "ask_commissioner"]

Answer = TypeVar("Answer", bound=Message)


class CommissionerError(CoworldError):
    """A commissioner that cannot be reached, does not answer, or sends an invalid answer."""


def ask_commissioner(
    url: str,
    request: Message,
    expect: type[Answer],
    *,
    timeout_seconds: float = 30.0,
    ping_timeout_seconds: float = 30.0,
) -> Answer:
    """Send one message to `WS /round` and return the answer.

    Raises:
        CommissionerError: no connection, no answer in time, or another answer than expected.
    """
    from websockets.exceptions import ConnectionClosed, InvalidHandshake
    from websockets.sync.client import connect

    try:
        with connect(
            url,
            open_timeout=timeout_seconds,
            close_timeout=1,
            max_size=COMMISSIONER_MESSAGE_MAX_BYTES,
            ping_timeout=ping_timeout_seconds,
            proxy=None,
        ) as connection:
            connection.send(json.dumps(request.to_json()))
            text = connection.recv(timeout=timeout_seconds)
    except TimeoutError as error:
        raise CommissionerError(
            f"the commissioner did not answer {request.message_type} within {timeout_seconds:g} s",
            hint=f"answer it with {expect.message_type}",
        ) from error
    except ConnectionClosed as error:
        reason = (error.rcvd.reason if error.rcvd else "") or "no reason given"
        raise CommissionerError(
            f"the commissioner closed the connection instead of answering {request.message_type}: {reason}",
            hint=f"answer it with {expect.message_type}",
        ) from error
    except (OSError, InvalidHandshake) as error:
        raise CommissionerError(
            f"the commissioner's /round could not be reached: {error}", hint="is it listening?"
        ) from error
    return _expected(text, expect)


def _expected(text: str | bytes, expect: type[Answer]) -> Answer:
    try:
        answer = CommissionerMessage.from_json(json.loads(text))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise CommissionerError(
            f"the commissioner's answer is not JSON: {error}", hint="send one JSON object"
        ) from error
    except ValidationError as error:
        problem = message_problems(error)
        raise CommissionerError(f"the commissioner's answer is wrong: {problem}", hint=problem.hint) from error
    except CoworldError as error:
        raise CommissionerError(f"the commissioner's answer is wrong: {error}", hint=error.hint) from error
    if not isinstance(answer, expect):
        raise CommissionerError(
            f"the commissioner answered {answer.message_type} instead of {expect.message_type}",
            hint=f"answer with {expect.message_type}",
        )
    return answer
