"""The server's guide to a game: how to get it, play it, and enter its leagues, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.coworlds import manifests, repository
from observatory.coworlds.names import name_key
from observatory.database.tables.coworlds import Coworld
from observatory.errors import NotFound
from observatory.public_ids import public_id

__all__ = ["guide", "guide_name", "named_in_guide"]

_SEPARATORS = re.compile(r"[^a-z0-9]")


def guide_name(name: str) -> str:
    """Return the name of a game in the address of its guide: `cogs_vs_clips` is at `/play_cogsvsclips.md`."""
    return _SEPARATORS.sub("", name.lower())


def named_in_guide(session: Session, text: str, principal: Principal | None) -> Coworld:
    """Return the canonical version, else the newest, of the game with this guide."""
    wanted = guide_name(text)
    statement = select(Coworld.name).where(repository.visible(principal)).distinct().order_by(Coworld.name)
    names = [name for name in session.scalars(statement) if guide_name(name) == wanted]
    if not names:
        raise NotFound(f"There is no game with a guide play_{wanted[:80]}.md")
    exact = next((name for name in names if name_key(name) == name_key(text)), names[0])
    return repository.named(session, exact, principal)


def guide(session: Session, coworld: Coworld, *, server: str) -> str:
    """Return the guide."""
    game = coworld.manifest["game"]
    coworld_id = public_id("cow", coworld.id)
    leagues = [
        (public_id("league", league.id), league.name) for league in repository.leagues(session, coworld, public=True)
    ]
    variants = "\n".join(
        f"- `{variant['id']}`: {_line(variant['name'])}. {_line(variant['description'])}"
        for variant in coworld.manifest["variants"]
    )
    parts = [
        f"# Play {_line(coworld.name)}",
        _line(game["description"]),
        f"Version {coworld.version}, by {_line(game['owner'])}. Id: `{coworld_id}`.",
        "## Get the game",
        _commands(
            "pip install coworld",
            f"softmax login --server {server}",
            f"coworld download {coworld_id} --server {server}",
        ),
        f"This writes `./coworld/{coworld_id}/`. Its manifest has the rules and the protocol for players.",
        "## Try it",
        _commands(f"coworld play {coworld_id}", f"coworld run-episode {coworld_id}"),
        "The first command prints a link for each seat. The second plays an episode with the game's own players.",
        "## Variants",
        variants,
        "## Upload a policy and enter a league",
        _commands(
            f"coworld upload-policy my-player:latest --name my-player --server {server}",
            *(f"coworld submit my-player --league {league} --server {server}" for league, _ in leagues[:1]),
        ),
        _league_lines(leagues, server),
        "## Watch results",
        _commands(
            f"coworld submissions --mine --server {server}",
            f"coworld memberships --mine --server {server}",
        ),
    ]
    own = _own_guide(coworld)
    if own is not None:
        parts += ["## From the authors of the game", own.strip()]
    return "\n\n".join(parts) + "\n"


def _league_lines(leagues: Sequence[tuple[str, str]], server: str) -> str:
    if not leagues:
        return f"There is no public league of this game yet; `coworld leagues --server {server}` lists all leagues."
    lines = [
        f"- {_line(name)} (`{league}`): [guide]({server}/v2/participate?league_id={league})" for league, name in leagues
    ]
    return "\n".join(["Leagues of this game:", "", *lines])


def _own_guide(coworld: Coworld) -> str | None:
    docs = coworld.manifest["game"].get("docs") or {}
    names = [page["id"].rstrip("\r\n") for page in docs.get("pages") or []]
    name = next((name for name in names if name.startswith("play_") and name.endswith(".md")), None)
    return None if name is None else manifests.page(coworld.manifest, name)


def _commands(*lines: str) -> str:
    return "\n".join(["```console", *(f"$ {line}" for line in lines), "```"])


def _line(text: str) -> str:
    return " ".join(text.split())
