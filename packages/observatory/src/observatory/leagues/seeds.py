"""Seeds: what an operator wants leagues to be. A league is created with its seed and follows every change of it."""

from __future__ import annotations

import re
import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.coworlds.names import name_key
from observatory.database.tables.coworlds import Coworld, Visibility
from observatory.database.tables.leagues import (
    Division,
    League,
    LeagueGame,
    LeagueSeed,
    LeagueSubmission,
    Membership,
    Round,
)
from observatory.errors import Forbidden, NotFound, ObservatoryError, Unprocessable
from observatory.leagues import repository
from observatory.leagues.ladder_settings import default_settings
from observatory.leagues.repository import ACTIVE_ROUND
from observatory.leagues.schemas import RebindChange, RebindRequest, SeedCreate, SeedUpdate
from observatory.leagues.service import changed, ensure_competition
from observatory.public_ids import parse_public_id, public_id
from softmax.wire.leagues import SeedBinding, SeedCounts, SeedRebind, SeedRebindResult

__all__ = ["create", "own_seed", "rebind", "set_game_of_week", "update"]

TEMPLATES = ("commissioner_driven", "default", "social_deduction", "cogs_vs_clips", "four_score")
COMMISSIONERS = ("platform", "container")
DEFAULT_KEY = "default"
_OF_LEAGUE = ("commissioner_key", "is_game_of_week", "public", "hidden")
"""overrides that are columns of a league; the others are the commissioner's"""


def create(session: Session, principal: Principal, body: SeedCreate, *, now: datetime) -> LeagueSeed:
    """Create a seed and its league, or return the seed that has this key already."""
    coworld = repository.newest_coworld(session, body.coworld_name, principal)
    if body.template not in TEMPLATES:
        raise Unprocessable(f"There is no template {body.template!r}; known templates: {', '.join(TEMPLATES)}")
    seed = repository.seed_by_key(session, coworld.name, body.league_key)
    if seed is None:
        overrides = _checked(principal, body.overrides or {})
        _check_variant(coworld, body.default_variant_id)
        seed = LeagueSeed(
            coworld_name=coworld.name,
            league_key=body.league_key,
            league_name=body.league_name or coworld.name,
            default_variant_id=body.default_variant_id,
            template=body.template,
            overrides=overrides,
            enabled=body.enabled,
            created_by=principal.user_id,
            created_at=now,
        )
        session.add(seed)
    _reconcile(session, seed, coworld, now=now)
    return seed


def own_seed(session: Session, principal: Principal, seed_id: str) -> LeagueSeed:
    """Return a seed that the caller may change. Older clients name it by its Coworld."""
    try:
        row_id: uuid.UUID | None = parse_public_id("lseed", seed_id)
    except NotFound:
        row_id = None
        seed = repository.seed_by_key(session, seed_id, DEFAULT_KEY)
    else:
        seed = session.get(LeagueSeed, row_id)
    if seed is None or seed not in repository.seeds(session, principal):
        raise NotFound(f"There is no league seed {seed_id[:200]}")
    return seed


def update(session: Session, principal: Principal, seed: LeagueSeed, body: SeedUpdate, *, now: datetime) -> None:
    """Change a seed. Overrides are replaced, but a missing `commissioner_key` stays; a null variant clears it."""
    coworld = repository.newest_coworld(session, seed.coworld_name, principal)
    if "overrides" in body.model_fields_set:
        overrides = _checked(principal, body.overrides or {})
        if "commissioner_key" in seed.overrides:
            overrides = {"commissioner_key": seed.overrides["commissioner_key"], **overrides}
        seed.overrides = overrides
    if "default_variant_id" in body.model_fields_set:
        _check_variant(coworld, body.default_variant_id)
        seed.default_variant_id = body.default_variant_id
    _reconcile(session, seed, coworld, now=now)


def set_game_of_week(session: Session, seed: LeagueSeed) -> None:
    """Make the seed's league the game of the week; there is only one."""
    league = session.get_one(League, seed.league_id)
    _set_game_of_week(session, league)


def _set_game_of_week(session: Session, league: League) -> None:
    for former in session.scalars(select(League).where(League.is_game_of_week, League.id != league.id)):
        former.is_game_of_week = False
        changed(session, former)
    league.is_game_of_week = True
    changed(session, league)


def rebind(session: Session, principal: Principal, body: RebindRequest, *, now: datetime) -> SeedRebind:
    """Move leagues to other games, all of them or none; `dry_run` only says what would happen."""
    plan = [_plan(session, principal, change, body.changes) for change in body.changes]
    results = [result for _, _, result in plan]
    applies = not body.dry_run and not any(result.blocking_reasons for result in results)
    if applies:
        # Two seeds may swap their keys: every key is freed before the first is taken.
        for seed, _, _ in plan:
            seed.league_key = f"moving {seed.id}"
            session.flush()
        for (seed, coworld, _), change in zip(plan, body.changes, strict=True):
            assert coworld is not None
            seed.coworld_name, seed.league_key = coworld.name, change.league_key
            _reconcile(session, seed, coworld, now=now)
    return SeedRebind(dry_run=body.dry_run, applied=applies, results=results)


def _plan(
    session: Session, principal: Principal, change: RebindChange, changes: list[RebindChange]
) -> tuple[LeagueSeed, Coworld | None, SeedRebindResult]:
    seed = own_seed(session, principal, change.seed_id)
    reasons: list[str] = []
    coworld: Coworld | None = None
    try:
        coworld = repository.newest_coworld(session, change.coworld_name, principal)
        _check_variant(coworld, seed.default_variant_id)
    except ObservatoryError as refusal:
        reasons.append(refusal.message)
    moving = {public_id("lseed", seed.id)} | {other.seed_id for other in changes}
    holder = repository.seed_by_key(session, change.coworld_name, change.league_key)
    if holder is not None and public_id("lseed", holder.id) not in moving:
        reasons.append(f"{holder.coworld_name!r} has a league {change.league_key!r} already")
    target = (name_key(change.coworld_name), change.league_key)
    targets = [(name_key(other.coworld_name), other.league_key) for other in changes]
    if targets.count(target) > 1 or [other.seed_id for other in changes].count(change.seed_id) > 1:
        reasons.append("Two changes are about the same seed or the same key")
    league = None if seed.league_id is None else session.get_one(League, seed.league_id)
    counts = _counts(session, seed.league_id)
    if counts.active_rounds:
        reasons.append(f"{counts.active_rounds} rounds have not ended")
    if league is not None and league.locked_coworld_id is not None:
        reasons.append("The league is locked to a version of its game; unlock it first")
    canonical = repository.canonical_coworld(session, change.coworld_name)
    current = repository.canonical_coworld(session, seed.coworld_name)
    result = SeedRebindResult(
        seed_id=public_id("lseed", seed.id),
        league_id=None if seed.league_id is None else public_id("league", seed.league_id),
        league_name=seed.league_name,
        current=_binding(seed, seed.coworld_name, seed.league_key, current),
        proposed=_binding(seed, change.coworld_name, change.league_key, canonical),
        commissioner_key=None if league is None else league.commissioner_key,
        canonical_coworld_id=None if canonical is None else public_id("cow", canonical.id),
        counts=counts,
        blocking_reasons=reasons,
    )
    return seed, coworld, result


def _binding(seed: LeagueSeed, coworld_name: str, league_key: str, canonical: Coworld | None) -> SeedBinding:
    variants = [] if canonical is None else variant_ids(canonical)
    return SeedBinding(
        coworld_name=coworld_name,
        league_key=league_key,
        default_variant_id=seed.default_variant_id,
        effective_variant_id=seed.default_variant_id or (variants[0] if variants else None),
    )


def _counts(session: Session, league_id: uuid.UUID | None) -> SeedCounts:
    def count(statement: Any) -> int:
        return session.scalar(statement) or 0

    return SeedCounts(
        divisions=count(select(func.count()).where(Division.league_id == league_id, Division.archived_at.is_(None))),
        memberships=count(select(func.count()).where(Membership.league_id == league_id)),
        submissions=count(select(func.count()).where(LeagueSubmission.league_id == league_id)),
        active_rounds=count(
            select(func.count())
            .select_from(Round)
            .join(Round.division)
            .where(Division.league_id == league_id, Round.status.in_(ACTIVE_ROUND))
        ),
    )


def variant_ids(coworld: Coworld) -> list[str]:
    """Return the ids of the variants of a Coworld, in its order."""
    return [str(variant["id"]) for variant in coworld.manifest.get("variants", ()) if "id" in variant]


def _check_variant(coworld: Coworld, variant_id: str | None) -> None:
    known = variant_ids(coworld)
    if variant_id is not None and variant_id not in known:
        raise Unprocessable(f"{coworld.name!r} has no variant {variant_id!r}; its variants: {', '.join(known)}")


def _checked(principal: Principal, overrides: dict[str, Any]) -> dict[str, Any]:
    commissioner = overrides.get("commissioner_key", "platform")
    if commissioner not in COMMISSIONERS:
        raise Unprocessable(f"commissioner_key is `platform` or `container`, not {str(commissioner)[:80]!r}")
    if overrides.get("is_game_of_week") and not principal.is_admin:
        raise Forbidden("Only administrators choose the game of the week")
    for name in ("is_game_of_week", "public", "hidden"):
        if not isinstance(overrides.get(name, False), bool):
            raise Unprocessable(f"{name} is true or false")
    if _has_secret(overrides):
        raise Unprocessable("Overrides are public; put secrets into `commissioner_config_overlay_secret`")
    return overrides


def _has_secret(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_secret(entry) for entry in value.values())
    if isinstance(value, list):
        return any(_has_secret(entry) for entry in value)
    return isinstance(value, str) and "secret://" in value


def _reconcile(session: Session, seed: LeagueSeed, coworld: Coworld, *, now: datetime) -> None:
    """Make the league what its seed says. Divisions, members, settings and locks of an existing league stay."""
    overrides, game = seed.overrides, _game(session, coworld, now=now)
    league = None if seed.league_id is None else session.get_one(League, seed.league_id)
    is_new = league is None
    if league is None:
        league = League(
            settings=default_settings(),
            settings_revision=1,
            seed_policies={"policy_version_ids": [], "count": 0},
            state={},
            public=False,
            hidden=False,
            created_at=now,
        )
    league.user_id = coworld.user_id
    league.name, league.slug = seed.league_name, _slug(seed.league_name)
    league.default_variant_id = seed.default_variant_id
    league.commissioner_key = overrides.get("commissioner_key", "platform")
    league.commissioner_config = {key: value for key, value in overrides.items() if key not in _OF_LEAGUE}
    league.public = overrides.get("public", coworld.visibility is Visibility.PUBLIC)
    league.hidden = overrides.get("hidden", False)
    if seed.enabled:
        league.disabled_at = None
    elif league.disabled_at is None:
        league.disabled_at = now
    league.game = game
    if is_new:
        session.add(league)
    session.flush()
    seed.league_id = league.id
    ensure_competition(session, league, now=now)
    if overrides.get("is_game_of_week"):
        _set_game_of_week(session, league)
    changed(session, league)


def _game(session: Session, coworld: Coworld, *, now: datetime) -> LeagueGame:
    game = repository.game_by_coworld(session, coworld.name) or LeagueGame(coworld_name=coworld.name, created_at=now)
    about = coworld.manifest.get("game", {})
    game.name, game.slug = coworld.name, _slug(coworld.name)
    game.description = about.get("description") if isinstance(about.get("description"), str) else None
    session.add(game)
    return game


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "league"
