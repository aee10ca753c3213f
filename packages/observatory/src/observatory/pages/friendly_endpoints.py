"""Challenges and friendly matches over HTTP."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request, Response
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.clock import ClockDep, Now
from observatory.database import SessionDep
from observatory.database.tables.friendlies import ENDED_FRIENDLY, Friendly
from observatory.episodes.wire import EpisodeWire
from observatory.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    NotFound,
    TooManyRequests,
    Unauthorized,
    errors,
)
from observatory.friendlies import repository, service
from observatory.http.callers import CurrentUser, OptionalPrincipal
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.matches.explaining import NOT_ENDED, explain_job
from observatory.pages import friendlies
from observatory.pages.card_endpoints import picture
from observatory.pages.friendly_schemas import ChallengeCreate, ChallengeOptions, FriendlyLine, FriendlyPage
from observatory.settings import Settings
from softmax.wire import MatchExplanation

__all__ = ["router"]

router = Router(prefix="/observatory/api/friendlies", tags=["pages"])

MAX_SHOWN = 50
_ANSWERS = errors(Unauthorized, Forbidden, NotFound, Conflict)


@dataclass(frozen=True)
class Answer:
    """An answer of the current user to a challenge."""

    session: Session
    user: Principal
    friendly: Friendly
    settings: Settings
    now: datetime

    @property
    def line(self) -> FriendlyLine:
        """Return the challenge as it is after the answer."""
        return friendlies.friendly_line(self.friendly, self.user, self.settings, now=self.now)


def _answer(friendly_id: uuid.UUID, session: SessionDep, user: CurrentUser, settings: SettingsDep, now: Now) -> Answer:
    return Answer(session, user, repository.friendly(session, friendly_id, user), settings, now)


AnswerDep = Annotated[Answer, Depends(_answer)]


@router.get("", responses=errors(Unauthorized, Forbidden))
def list_friendlies(session: SessionDep, user: CurrentUser, settings: SettingsDep, now: Now) -> list[FriendlyLine]:
    """Return the challenges and friendly matches of the current user, newest first."""
    rows = repository.of_user(session, user.user_id, MAX_SHOWN)
    return [friendlies.friendly_line(row, user, settings, now=now) for row in rows]


@router.post("", responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict, TooManyRequests))
def create_challenge(
    body: ChallengeCreate, session: SessionDep, user: CurrentUser, settings: SettingsDep, now: Now
) -> FriendlyLine:
    """Challenge a policy version to a friendly match with one of the caller's."""
    friendly = service.challenge(
        session,
        user,
        version_id=body.policy_version_id,
        opponent_version_id=body.opponent_version_id,
        mission=body.mission,
        settings=settings,
        now=now,
    )
    return friendlies.friendly_line(friendly, user, settings, now=now)


@router.get("/options/{policy_version_id}", responses=errors(Unauthorized, Forbidden, NotFound))
def read_options(
    policy_version_id: uuid.UUID, session: SessionDep, user: CurrentUser, settings: SettingsDep
) -> ChallengeOptions:
    """Return what the current user can choose for a challenge to a policy version."""
    return friendlies.challenge_options(session, policy_version_id, user, settings)


@router.get("/of-policy/{policy_version_id}", responses=errors(Unauthorized))
def list_of_policy(
    policy_version_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep, now: Now
) -> list[FriendlyLine]:
    """Return the friendly matches of a policy version that the caller may see, newest first."""
    rows = repository.of_version(session, policy_version_id, principal, MAX_SHOWN)
    return [friendlies.friendly_line(row, principal, settings, now=now) for row in rows]


@router.get("/{friendly_id}", responses=errors(Unauthorized, NotFound))
def read_friendly(
    friendly_id: uuid.UUID,
    session: SessionDep,
    principal: OptionalPrincipal,
    store: StoreDep,
    settings: SettingsDep,
    clock: ClockDep,
) -> FriendlyPage:
    """Return a friendly match: its players, results and replay."""
    friendly = repository.friendly(session, friendly_id, principal)
    return friendlies.friendly_page(session, friendly, principal, EpisodeWire(store, settings), now=clock())


@router.get("/{friendly_id}/explanation", responses=errors(Unauthorized, NotFound))
def read_explanation(
    friendly_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, store: StoreDep
) -> MatchExplanation:
    """Return what decided a friendly match, as that of other matches. Places in logs are for owners."""
    friendly = repository.friendly(session, friendly_id, principal)
    if friendly.job is None or friendly.status not in ENDED_FRIENDLY:
        return NOT_ENDED
    versions = [friendly.version, friendly.opponent_version]
    return explain_job(friendly.job, versions, friendly.assignments, principal, store)


@router.post("/{friendly_id}/accept", responses=_ANSWERS)
def accept(answer: AnswerDep) -> FriendlyLine:
    """Accept a challenge to a policy of the current user: it is played."""
    service.accept(answer.session, answer.user, answer.friendly, answer.settings, now=answer.now)
    return answer.line


@router.post("/{friendly_id}/decline", responses=_ANSWERS)
def decline(answer: AnswerDep) -> FriendlyLine:
    """Decline a challenge to a policy of the current user."""
    service.decline(answer.session, answer.user, answer.friendly, answer.settings, now=answer.now)
    return answer.line


@router.post("/{friendly_id}/withdraw", responses=_ANSWERS)
def withdraw(answer: AnswerDep) -> FriendlyLine:
    """Withdraw a challenge of the current user."""
    service.withdraw(answer.session, answer.user, answer.friendly, answer.settings, now=answer.now)
    return answer.line


@router.get("/{friendly_id}/card.png", include_in_schema=False)
def read_card_png(friendly_id: uuid.UUID, request: Request, session: SessionDep) -> Response:
    """Return the card of a friendly match as PNG."""
    return picture(request, friendlies.friendly_card(session, friendly_id).png(), "image/png")


@router.get("/{friendly_id}/card.svg", include_in_schema=False)
def read_card_svg(friendly_id: uuid.UUID, request: Request, session: SessionDep) -> Response:
    """Return the card of a friendly match as SVG."""
    return picture(request, friendlies.friendly_card(session, friendly_id).svg().encode(), "image/svg+xml")
