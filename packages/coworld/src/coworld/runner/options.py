"""The options of an episode."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coworld.engines.base import Address


@dataclass(frozen=True)
class LiveEpisode:
    """An episode that is about to be played, for people who want to watch it or take a seat. Holds tokens: show links
    only to the person who plays."""

    address: Address
    """of the game, from this machine"""
    tokens: Sequence[str]
    workspace: Path
    ports: Mapping[int, int]
    """further ports of the game: port inside to port of this machine"""
    admin_token: str = ""
    """opens the game's `/admin`, if it has one; only the game receives it"""


@dataclass(frozen=True, kw_only=True)
class EpisodeOptions:
    """Options of an episode; the defaults are those of `coworld run-episode`."""

    budget_seconds: float | None = 3600.0
    """for everything from the first start to the last check; None means unlimited"""
    verify_replay: bool = False
    """start the game again in replay mode and check what it sends"""
    validate_results: bool = True
    probes: bool = True
    """ask for the pages and the refusal of wrong tokens before players are started"""
    ping: bool = True
    """`/global` has to answer a Ping"""
    thorough: bool = False
    """for certification: a viewer must be able to connect late"""
    clean_exits: bool = True
    """a player that ends badly fails the episode, at once; else its seat is dead and the episode continues"""
    player_exit_seconds: float = 30.0
    """how long players may take to end after the game has"""
    artifacts: bool = True
    """tell players where to put an artifact"""
    people: bool = False
    """seats may be left to people"""
    prefix: str = "coworld-run"
    secret_env: Mapping[str, str] = field(default_factory=dict)
    """secret variables for every player"""
    player_secret_env: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """further secret variables by slot"""
    egress: Sequence[str] = ()
    """hosts that players may connect to besides the game"""
    player_egress: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """further hosts by slot"""
    player_files: Sequence[Path] | None = None
    """for games that host their players: the file or folder of each slot"""
    on_ready: Callable[[LiveEpisode], None] | None = None
    """called when the game is healthy and the players are started"""
