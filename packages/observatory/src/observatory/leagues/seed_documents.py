"""Seed documents: a league with its divisions and settings, as one file describes it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.leagues import Division, League, LeagueSeed
from observatory.errors import Unprocessable
from observatory.leagues import repository, seeds
from observatory.leagues.schemas import MAX_DIVISIONS, DivisionsUpdate, DivisionWanted, SeedCreate, SeedUpdate
from observatory.leagues.service import replace_settings, set_divisions
from observatory.public_ids import public_id

__all__ = ["SeedDocument", "SeededDivision", "apply_document"]


class SeededDivision(DivisionWanted):
    rules: dict[str, Any] = Field(default_factory=dict, description="its entry of `ladder.divisions`, without the id")


class SeedDocument(SeedCreate):
    """A league as it should be. What the document leaves out stays as it is."""

    divisions: list[SeededDivision] | None = Field(default=None, max_length=MAX_DIVISIONS)
    settings: dict[str, Any] | None = Field(
        default=None, description="as in `POST /v2/leagues/{id}/settings`; `divisions` has the rules of divisions"
    )


def apply_document(session: Session, principal: Principal, document: SeedDocument, *, now: datetime) -> LeagueSeed:
    """Make a league what a document says; create it if it does not exist. The same document changes nothing."""
    given = document.model_dump(include=set(SeedCreate.model_fields), exclude_unset=True)
    existing = repository.seed_by_key(session, document.coworld_name, document.league_key)
    seed = seeds.create(session, principal, SeedCreate.model_validate(given), now=now)
    league = repository.managed_league(session, _league_id(seed), principal)
    if existing is not None:
        changes = {name: given[name] for name in ("overrides", "default_variant_id") if name in given}
        if document.league_name is not None:
            seed.league_name = document.league_name
        seed.enabled = document.enabled
        seeds.update(session, principal, seed, SeedUpdate.model_validate(changes), now=now)
    if document.divisions is not None:
        wanted = [DivisionWanted.model_validate(row.model_dump(exclude={"rules"})) for row in document.divisions]
        set_divisions(session, league, DivisionsUpdate(divisions=wanted), now=now)
    settings = _settings(document, league)
    if settings is not None and settings != league.settings:
        replace_settings(session, league, settings, if_match=None)
    return seed


def _league_id(seed: LeagueSeed) -> Any:
    assert seed.league_id is not None
    return seed.league_id


def _settings(document: SeedDocument, league: League) -> dict[str, Any] | None:
    """Return the settings of a document, with the ids of the divisions that have rules."""
    rules = {row.name: row.rules for row in document.divisions or [] if row.rules}
    if document.settings is None:
        if rules:
            raise Unprocessable("Rules of divisions are part of the settings; the document has none")
        return None
    ladder = document.settings.get("ladder", {})
    if not rules or not isinstance(ladder, dict):
        return document.settings
    if "divisions" in ladder:
        raise Unprocessable("The document has rules of divisions in two places; leave `settings.ladder.divisions` out")
    ids: dict[str, Division] = {division.name: division for division in league.divisions}
    entries = [{"division_id": public_id("div", ids[name].id), **given} for name, given in rules.items()]
    return {**document.settings, "ladder": {**ladder, "divisions": entries}}
