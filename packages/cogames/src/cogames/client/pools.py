"""The game that a season plays: what a bundle is tried on, and whether this version of the package plays it."""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING

from softmax.client.errors import ClientError

if TYPE_CHECKING:
    from cogames.client.server import TournamentServerClient
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from softmax.wire.documents import PoolConfigInfo, SeasonSummary

__all__ = ["check_compatible", "environment_of", "playable_pool"]

OLDER_COMPATIBLE = ("0.26",)  # this version plays the games of that one


def check_compatible(season: SeasonSummary) -> None:
    """Refuse a season of a game version that this package does not play."""
    wanted = season.compat_version
    ours = importlib.metadata.version("cogames")
    known = {".".join(ours.split(".")[:2]), *OLDER_COMPATIBLE}
    if wanted is not None and ".".join(wanted.removeprefix("v").split(".")[:2]) not in known:
        raise ClientError(
            f"Season '{season.name}' plays version {wanted}, and this is cogames {ours}",
            [f"pip install 'cogames=={wanted}.*', or choose another season (cogames season list)"],
        )


def playable_pool(client: TournamentServerClient, season: SeasonSummary) -> PoolConfigInfo:
    """The first pool with a game: the entry pool, then the others in their order."""
    names = [pool.name for pool in season.pools]
    for name in dict.fromkeys([*([season.entry_pool] if season.entry_pool else []), *names]):
        found = client.get_optional_pool_config(season.name, name)
        if found is not None:
            return found
    raise ClientError(f"Season '{season.name}' has no pool with a game to try a bundle on")


def environment_of(pool: PoolConfigInfo) -> MettaGridConfig:
    """A pool's game as this package plays it."""
    from pydantic import ValidationError

    from mettagrid.config.mettagrid_config import MettaGridConfig

    if pool.game_engine != "mettagrid":
        raise ClientError(f"Pool '{pool.pool_name}' plays {pool.game_engine}, which cannot be tried here")
    config = {key: value for key, value in pool.config.items() if key != "game_engine"}
    try:
        return MettaGridConfig.model_validate(config)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ClientError(f"The game of pool '{pool.pool_name}' cannot be read: {place}: {first['msg']}") from None
