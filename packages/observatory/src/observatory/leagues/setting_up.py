"""Set up a league for two opposing seats: propose what to play, and enable its ladder once that was approved."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

from sqlalchemy.orm import Session

from observatory.database.tables.coworlds import CertificationState
from observatory.database.tables.leagues import League
from observatory.errors import Conflict
from observatory.leagues import repository
from observatory.leagues.ladder_settings import SettingsDocument
from observatory.leagues.schemas import SetupRequest
from observatory.leagues.seeds import variant_ids
from observatory.leagues.service import changed, ensure_competition
from observatory.public_ids import public_id
from softmax.wire.leagues import LeagueSetup, LeagueSetupProposal

__all__ = ["set_up"]

ROUND_INTERVAL_MINUTES = 288
"""five rounds a day"""
DAILY_BUDGET_USD = 0.0
"""episodes run on the operator's own workers"""


def set_up(session: Session, league: League, body: SetupRequest, *, now: datetime) -> LeagueSetup:
    """Return the proposal; with `approve` and its revision, apply it. A ladder that is on stays as it is."""
    league_id = public_id("league", league.id)
    settings = SettingsDocument.model_validate(league.settings)
    division = repository.entry_division(session, league.id)
    if settings.ladder.enabled:
        return LeagueSetup(
            league_id=league_id,
            status="already_configured",
            division_id=None if division is None else public_id("div", division.id),
            daily_budget_usd=DAILY_BUDGET_USD,
            round_interval_minutes=settings.round_interval_minutes,
        )
    proposal = _proposal(session, league)
    revision = hashlib.sha256(json.dumps(proposal.model_dump(), sort_keys=True).encode()).hexdigest()[:16]
    interval = settings.round_interval_minutes or ROUND_INTERVAL_MINUTES
    if body.approve:
        if body.revision != revision:
            raise Conflict("This is not the current proposal; read it again and approve its revision")
        division = ensure_competition(session, league, now=now)
        division.hidden = False
        for row in league.divisions:
            row.leaderboards = None  # tables of another commissioner do not count on this ladder
        league.default_variant_id = proposal.variant_id
        league.settings = {
            **league.settings,
            "ladder": {
                **league.settings.get("ladder", {}),
                "enabled": True,
                "scheduler": {"strategy": "swiss_neighbor"},
                "ranking": {"algorithm": "elo"},
            },
            "round_interval_minutes": interval,
        }
        league.settings_revision += 1
        changed(session, league)
    return LeagueSetup(
        league_id=league_id,
        status="configured" if body.approve else "ready_for_approval",
        division_id=None if division is None else public_id("div", division.id),
        proposal=proposal,
        revision=revision,
        daily_budget_usd=DAILY_BUDGET_USD,
        round_interval_minutes=interval,
    )


def _proposal(session: Session, league: League) -> LeagueSetupProposal:
    coworld = repository.played_coworld(session, league)
    if coworld is None:
        raise Conflict(f"Coworld {league.game.coworld_name!r} has no canonical version to play yet")
    variants = variant_ids(coworld)
    variant = league.default_variant_id or (variants[0] if variants else None)
    if variant is None or variant not in variants:
        raise Conflict(f"Coworld {coworld.name!r} has no variant {variant!r} to play")
    limit = coworld.manifest.get("players_per_user")
    certification = coworld.certification
    return LeagueSetupProposal(
        coworld_id=public_id("cow", coworld.id),
        manifest_hash=coworld.manifest_hash,
        certified=certification is not None and certification.state is CertificationState.CERTIFIED,
        variant_id=variant,
        players_per_user=limit if isinstance(limit, int) else None,
    )
