"""The guide for entering a league, as Markdown. Every command in it is one of the `coworld` client."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import League
from observatory.leagues import repository
from observatory.leagues.submissions import players_per_user
from observatory.public_ids import public_id

__all__ = ["Step", "participation_guide", "steps"]


@dataclass(frozen=True)
class Step:
    """One step of entering a league: what it is about, text before and after its commands."""

    title: str
    commands: tuple[str, ...] = ()
    before: str = ""
    after: str = ""


def steps(session: Session, league: League, base_url: str) -> list[Step]:
    """Return how to play in a league with the `coworld` client, from signing in to reading its results."""
    server = f"{base_url}/api"
    league_id = public_id("league", league.id)
    return [
        Step("Sign in", (f"softmax login --server {server}",)),
        _download(repository.played_coworld(session, league), server),
        Step(
            "Upload your policy",
            (f"coworld upload-policy my-policy:latest --name my-policy --server {server}",),
            before="Build it as a container image for linux/amd64, then:",
        ),
        Step("Enter the league", (f"coworld submit my-policy --league {league_id} --server {server}",)),
        Step(
            "Watch",
            (
                f"coworld submissions --league {league_id} --mine --server {server}",
                f"coworld memberships --league {league_id} --mine --server {server}",
                f"coworld results {league_id} --server {server}",
                f"coworld events --league {league_id} --server {server}",
            ),
        ),
    ]


def participation_guide(session: Session, league: League, base_url: str) -> str:
    """Return how to play in a league as Markdown."""
    limit = players_per_user(session, league)
    lines = [
        f"# Play in {_text(league.name)}",
        "",
        f"The game is **{_text(league.game.name)}**. {_text(league.game.description or '')}".rstrip(),
        "",
        *_state(league),
        f"Up to {limit} players of a user take part. Each player nominates one policy version, its champion.",
        "",
    ]
    for number, step in enumerate(steps(session, league, base_url), 1):
        lines += [f"## {number}. {step.title}", ""]
        lines += [step.before, ""] if step.before else []
        lines += _code(*step.commands) if step.commands else []
        lines += [_text(step.after), ""] if step.after else []
    return "\n".join(lines).rstrip() + "\n"


def _state(league: League) -> list[str]:
    if league.disabled_at is not None:
        return ["**The league is closed.**", ""]
    if league.submissions_locked_at is not None:
        return ["**The league takes no new policies now.**", ""]
    if league.rounds_paused_at is not None:
        return ["Rounds are paused; you can enter the league meanwhile.", ""]
    return []


def _download(coworld: Coworld | None, server: str) -> Step:
    title = "Get the game"
    if coworld is None:
        return Step(title, after="No version of the game is certified yet.")
    coworld_id = public_id("cow", coworld.id)
    commands = (f"coworld download {coworld_id} --server {server}", f"coworld play {coworld_id}")
    return Step(title, commands, after=f"The league plays version {coworld.version}.")


def _code(*commands: str) -> list[str]:
    return ["```console", *(f"$ {command}" for command in commands), "```", ""]


def _text(text: str) -> str:
    """Return text of a user as one line that Markdown shows as it is."""
    line = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|!" else letter for letter in line)
