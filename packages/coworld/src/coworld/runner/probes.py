"""Probe a game before and during an episode; a failed probe is a contract violation of the game."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NoReturn

from coworld.engines.base import Address
from coworld.runner.budget import Budget
from coworld.runner.failures import RunnerEpisodeError, RunnerErrorType
from coworld.runner.pages import get, page_status, socket

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

PAGE_SECONDS = 5.0
FIRST_MESSAGE_SECONDS = 10.0
REFUSAL_SECONDS = 2.0
PONG_SECONDS = 2.0
HEALTH_REQUEST_SECONDS = 1.0
SHUTTING_DOWN = 503
"""the status with which servers refuse connections while they end"""


class CutOff(RunnerEpisodeError):
    """A connection that ended before an expected message. It is not a violation when the game is just ending."""

    def __init__(self, message: str, error_type: RunnerErrorType = "game_contract_violation") -> None:
        super().__init__(message, error_type=error_type)


def violation(message: str, error_type: RunnerErrorType = "game_contract_violation") -> NoReturn:
    raise RunnerEpisodeError(message, error_type=error_type)


async def wait_healthy(address: Address, path: str, stop: Callable[[], bool], budget: Budget) -> str | None:
    """Ask a health page until it answers 200; None then, else what it last said. Ends early when `stop()` is true."""
    last, pause = "nothing answered", 0.005
    while not stop() and not budget.over:
        try:
            answer = await get(address, path, timeout=budget.at_most(HEALTH_REQUEST_SECONDS))
            if answer.status == 200:
                return None
            last = f"it answered HTTP {answer.status}"
        except TimeoutError:
            if not budget.over:  # a timeout at the end of the budget says less than the last answer
                last = f"it did not answer within {HEALTH_REQUEST_SECONDS:g} s"
        except OSError:
            pass
        await asyncio.sleep(budget.at_most(pause))
        pause = min(pause * 1.3, 0.2)
    return last


async def require_page(
    address: Address,
    name: str,
    query: dict[str, Any],
    budget: Budget,
    *,
    error_type: RunnerErrorType = "game_contract_violation",
    redirects: bool = False,
) -> None:
    """Check that `GET /client/NAME` (or `/clients/NAME`) returns 200."""
    where = f"GET /client/{name}"
    try:
        timeout = budget.at_most(PAGE_SECONDS)
        status, path = await page_status(address, name, query, timeout=timeout, redirects=redirects)
    except TimeoutError:
        violation(f"{where} did not answer within {timeout:g} s", error_type)
    except OSError as error:
        violation(f"{where} failed: {error}", error_type)
    if status != 200:
        violation(f"GET {path} answered HTTP {status}, not 200", error_type)


async def require_refusal(address: Address, slot: int, budget: Budget) -> None:
    """Check that `/player` refuses a wrong token: HTTP 401 or 403, a failed handshake, or a close without a message."""
    from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

    name = f"WS /player with a wrong token for slot {slot}"
    seconds = budget.at_most(REFUSAL_SECONDS)
    try:
        async with socket(address, "/player", {"slot": slot, "token": "bad"}, timeout=seconds) as connection:
            try:
                async with asyncio.timeout(seconds):
                    await connection.recv()
            except ConnectionClosed:
                return
            except TimeoutError:
                violation(f"{name} was left open for {seconds:g} s instead of being refused")
            violation(f"{name} was answered with a message instead of being refused")
    except InvalidStatus as error:
        if error.response.status_code not in (401, 403):
            violation(f"{name} was refused with HTTP {error.response.status_code}, not 401 or 403")
    except TimeoutError:
        violation(f"{name} was neither accepted nor refused within {seconds:g} s")
    except (InvalidHandshake, OSError, EOFError):
        return


async def require_first_message(
    address: Address,
    path: str,
    budget: Budget,
    *,
    query: dict[str, Any] | None = None,
    error_type: RunnerErrorType = "game_contract_violation",
    suffix: str = "",
    then: "Callable[[ClientConnection], Awaitable[None]] | None" = None,
) -> None:
    """Check that a socket opens and sends a message that is not empty within 10 s; `then` may use the connection."""
    from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

    name, seconds = f"WS {path}{suffix}", budget.at_most(FIRST_MESSAGE_SECONDS)
    try:
        async with asyncio.timeout(seconds) as clock:
            async with socket(address, path, query, timeout=seconds) as connection:
                message = await connection.recv()
                if not message:
                    violation(f"the first message of {name} is empty", error_type)
                clock.reschedule(None)
                if then is not None:
                    await then(connection)
    except InvalidStatus as error:
        status = error.response.status_code
        if status == SHUTTING_DOWN:
            raise CutOff(f"{name} was refused with HTTP {status}", error_type) from None
        violation(f"{name} was refused with HTTP {status}", error_type)
    except ConnectionClosed as error:
        violation(
            f"{name} was closed before its first message ({error.rcvd.code if error.rcvd else 'cut'})", error_type
        )
    except TimeoutError:
        violation(f"{name} sent no first message within {seconds:g} s", error_type)
    except (InvalidHandshake, OSError, EOFError) as error:
        raise CutOff(f"{name} could not be opened: {type(error).__name__}", error_type) from None


async def require_pong(connection: "ClientConnection") -> None:
    """Check that a Ping gets a Pong with the same data."""
    from websockets.exceptions import ConnectionClosed

    try:
        async with asyncio.timeout(PONG_SECONDS):
            await (await connection.ping())
    except TimeoutError:
        violation(f"WS /global did not answer a Ping with its Pong within {PONG_SECONDS:g} s")
    except ConnectionClosed:
        raise CutOff("WS /global was closed instead of answering a Ping") from None
