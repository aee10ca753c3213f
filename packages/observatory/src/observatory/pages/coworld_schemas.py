"""Response schemas of the Coworld catalogue."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from observatory.database.tables.coworlds import CertificationState
from observatory.pages.episode_schemas import EpisodeLine

__all__ = [
    "CoworldCard",
    "CoworldDoc",
    "CoworldLeague",
    "CoworldPage",
    "CoworldPart",
    "CoworldVariant",
    "CoworldVersionLine",
]


class CoworldLeague(BaseModel):
    id: str
    name: str


class CoworldCard(BaseModel):
    """A game in the catalogue: its canonical version, else its newest."""

    id: str
    name: str
    version: str
    description: str
    owner: str
    """as the manifest names it"""
    uploader: str
    """the name of the user who uploaded it"""
    public: bool
    canonical: bool
    certification: CertificationState
    seats_min: int
    seats_max: int
    variants: int
    roles: list[str]
    """kinds of programs that come with it: `player`, `commissioner`, `reporter`, `grader`, ..."""
    tags: list[str]
    leagues: list[CoworldLeague]
    """that play it and that the caller may see"""
    versions: int
    created_at: datetime


class CoworldVariant(BaseModel):
    id: str
    name: str
    description: str


class CoworldPart(BaseModel):
    """A program that comes with a game."""

    role: str
    id: str
    name: str
    description: str


class CoworldDoc(BaseModel):
    """A page of a game's documentation: Markdown, or a link."""

    id: str
    title: str
    text: str | None
    url: str | None


class CoworldVersionLine(BaseModel):
    """A version, and what the server's certification says of it."""

    id: str
    version: str
    public: bool
    canonical: bool
    certification: CertificationState
    failed_step: str | None
    failure: str | None
    """what went wrong, and what to do about it"""
    steps: list[tuple[str, str]]
    """(step, `pass` or `fail`)"""
    transcript_url: str | None
    completed_at: datetime | None
    created_at: datetime


class CoworldPage(CoworldCard):
    """A version of a game with everything that its manifest and this server say about it."""

    mine: bool
    shown: CoworldVersionLine
    all_versions: list[CoworldVersionLine]
    """newest first"""
    variant_list: list[CoworldVariant]
    parts: list[CoworldPart]
    docs: list[CoworldDoc]
    replay: Literal["bundle", "hosted", "viewer"]
    episodes: list[EpisodeLine]
    """the last ones that the caller may see, of all versions"""
    can_play: bool
    """the server offers to play it in the browser"""
