"""How an episode is to be run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coworld.engines.base import Address


@dataclass(frozen=True)
class LiveEpisode:
    """An episode that is about to be played, for whoever wants to look at it or take a seat. Holds tokens: show links
    to the person who plays and to nobody else."""

    address: Address
    """of the game, from this machine"""
    tokens: Sequence[str]
    workspace: Path
    ports: Mapping[int, int]
    """further ports of the game: port inside to port of this machine"""
    admin_token: str = ""
    """opens the game's `/admin`, if it has one; the game alone was told it"""


@dataclass(frozen=True, kw_only=True)
class EpisodeOptions:
    """What a caller can ask for; the defaults are those of `coworld run-episode`."""

    budget_seconds: float | None = 3600.0
    """for everything from the first start to the last check; None is no limit"""
    verify_replay: bool = False
    """start the game again in replay mode and look at what it shows"""
    validate_results: bool = True
    probes: bool = True
    """ask for the pages and the refusal of wrong tokens before players are started"""
    ping: bool = True
    """`/global` has to answer a Ping"""
    thorough: bool = False
    """for certification: a viewer must be able to come late"""
    clean_exits: bool = True
    """a player that ends badly fails the episode, at once; else its seat is dead and the episode goes on"""
    player_exit_seconds: float = 30.0
    """how long players may take to end after the game has"""
    artifacts: bool = True
    """players are told where to put an artifact"""
    people: bool = False
    """seats may be left to people"""
    prefix: str = "coworld-run"
    secret_env: Mapping[str, str] = field(default_factory=dict)
    """variables for every player, never shown"""
    player_secret_env: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """further ones by slot"""
    egress: Sequence[str] = ()
    """hosts that players may speak to beside the game"""
    player_files: Sequence[Path] | None = None
    """for games that host their players: the file or folder of each slot"""
    on_ready: Callable[[LiveEpisode], None] | None = None
    """called when the game is healthy and the players are started"""
