"""Find the game of a season, and check that this version of the package can play it."""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING

from softmax.client.errors import ClientError

if TYPE_CHECKING:
    from cogames.client.server import TournamentServerClient
    from mettagrid.config.any_env_config import AnyEnvConfig
    from softmax.wire import PoolConfigInfo, SeasonSummary

__all__ = ["check_compatible", "environment_of", "playable_pool"]

OLDER_COMPATIBLE = ("0.26",)  # earlier versions whose games this version plays


def check_compatible(season: SeasonSummary) -> None:
    """Raise `ClientError` for a season of a game version that this package does not play."""
    required = season.compat_version
    installed = importlib.metadata.version("cogames")
    compatible = {".".join(installed.split(".")[:2]), *OLDER_COMPATIBLE}
    if required is not None and ".".join(required.removeprefix("v").split(".")[:2]) not in compatible:
        raise ClientError(
            f"Season '{season.name}' plays version {required}, and this is cogames {installed}",
            [f"pip install 'cogames=={required}.*', or choose another season (cogames season list)"],
        )


def playable_pool(client: TournamentServerClient, season: SeasonSummary) -> PoolConfigInfo:
    """Return the first pool with a game: the entry pool, then the others in their order."""
    names = [pool.name for pool in season.pools]
    for name in dict.fromkeys([*([season.entry_pool] if season.entry_pool else []), *names]):
        pool = client.get_optional_pool_config(season.name, name)
        if pool is not None:
            return pool
    raise ClientError(f"Season '{season.name}' has no pool with a game to validate a bundle on")


def environment_of(pool: PoolConfigInfo) -> AnyEnvConfig:
    """Return the environment of a pool's game."""
    from pydantic import ValidationError

    from mettagrid.config.bitworld_config import BitWorldEnvConfig
    from mettagrid.config.mettagrid_config import MettaGridConfig

    kinds: dict[str, type[MettaGridConfig | BitWorldEnvConfig]] = {
        "mettagrid": MettaGridConfig,
        "bitworld": BitWorldEnvConfig,
    }
    if pool.game_engine not in kinds:
        raise ClientError(f"Pool '{pool.pool_name}' plays {pool.game_engine}, which this package cannot run")
    config = {key: value for key, value in pool.config.items() if key != "game_engine"}
    try:
        return kinds[pool.game_engine].model_validate(config)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ClientError(f"The game of pool '{pool.pool_name}' is not valid: {place}: {first['msg']}") from None
