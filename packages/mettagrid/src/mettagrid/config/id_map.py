"""Ids of observation features and tags. Trained policies depend on them, so the order is fixed."""

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from mettagrid.config.tag import typeTag

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import GameConfig, GridObjectConfig

_MAX_AMOUNT = 65535  # largest amount an inventory holds

_FIRST_FEATURES: tuple[tuple[str, float], ...] = (
    ("agent:group", 10.0),
    ("episode_completion_pct", 255.0),
    ("last_action", 10.0),
    ("last_reward", 100.0),
    ("goal", 100.0),
    ("vibe", 255.0),
    ("tag", 10.0),
    ("lp:east", 255.0),
    ("lp:west", 255.0),
    ("lp:north", 255.0),
    ("lp:south", 255.0),
    ("agent_id", 255.0),
)

_TERRITORY_FEATURES: tuple[tuple[str, float], ...] = (
    ("territory:here", 3.0),
    ("territory:north", 9.0),
    ("territory:south", 9.0),
    ("territory:east", 9.0),
    ("territory:west", 9.0),
)


class ObservationFeatureSpec(BaseModel):
    """One observation feature: its number, its name, and the value policies may divide by."""

    model_config = ConfigDict(protected_namespaces=(), defer_build=True)

    id: int
    name: str
    normalization: float


class IdMap:
    """Feature and tag ids of a game, computed on first use."""

    def __init__(self, config: "GameConfig") -> None:
        self._config = config
        self._features: list[ObservationFeatureSpec] | None = None
        self._by_name: dict[str, ObservationFeatureSpec] = {}

    def features(self) -> list[ObservationFeatureSpec]:
        """Return all features; the position in the list is the feature id."""
        if self._features is None:
            self._features = self._compute_features()
            self._by_name = {feature.name: feature for feature in self._features}
        return self._features

    def feature(self, name: str) -> ObservationFeatureSpec:
        """Return the feature called `name`; raises `KeyError` if there is none."""
        self.features()
        try:
            return self._by_name[name]
        except KeyError:
            raise KeyError(f"There is no observation feature called {name!r}.") from None

    def feature_id(self, name: str) -> int:
        """Return the id of the feature called `name`; raises `KeyError` if there is none."""
        return self.feature(name).id

    def tag_names(self) -> list[str]:
        """Return all tags in alphabetical order; the position in the list is the tag id."""
        config = self._config
        tags = set(config.tags)
        tags.update(query.tag for query in config.materialize_queries)
        for thing in self._all_grid_objects():
            tags.add(typeTag(thing.name))
            tags.update(thing.tags)
        return sorted(tags)

    def _all_grid_objects(self) -> "list[GridObjectConfig]":
        agents = self._config.agents or [self._config.agent]
        return [*self._config.objects.values(), *agents]

    def _compute_features(self) -> list[ObservationFeatureSpec]:
        config, obs = self._config, self._config.obs
        table: list[tuple[str, float]] = list(_FIRST_FEATURES)
        base = float(obs.token_value_base)
        parts = num_inventory_tokens_needed(_MAX_AMOUNT, obs.token_value_base)
        for resource in config.resource_names:
            table.extend((name, base) for name in _part_names(f"inv:{resource}", parts))
        if config.protocol_details_obs:
            table.extend((f"protocol_input:{resource}", 100.0) for resource in config.resource_names)
            table.extend((f"protocol_output:{resource}", 100.0) for resource in config.resource_names)
        for key in obs.global_obs.obs:
            table.extend((name, base) for name in _part_names(key, parts))
        if obs.aoe_mask:
            table.append(("aoe_mask", 3.0))
        if obs.global_obs.last_action_move:
            table.append(("last_action_move", 1.0))
        if obs.territory:
            table.extend(_TERRITORY_FEATURES)
        return [
            ObservationFeatureSpec(id=number, name=name, normalization=normalization)
            for number, (name, normalization) in enumerate(table)
        ]


def num_inventory_tokens_needed(max_inventory_value: int, token_value_base: int) -> int:
    """Return how many digits of base `token_value_base` the largest amount takes, at least one."""
    if token_value_base < 2:
        raise ValueError(f"token_value_base is {token_value_base}; it must be at least 2.")
    digits = 1
    while token_value_base**digits <= max_inventory_value:
        digits += 1
    return digits


def make_token_feature(name: str, feature_id: int, normalization: float) -> tuple[ObservationFeatureSpec, int]:
    """Return a feature of one token, and the next free feature id."""
    return ObservationFeatureSpec(id=feature_id, name=name, normalization=normalization), feature_id + 1


def make_multi_token_features(
    name: str, feature_id: int, normalization: float, num_tokens: int
) -> tuple[list[ObservationFeatureSpec], int]:
    """Return the features `name`, `name:p1`, ... of a number of `num_tokens` digits, and the next free feature id."""
    features = [
        ObservationFeatureSpec(id=feature_id + part, name=part_name, normalization=normalization)
        for part, part_name in enumerate(_part_names(name, num_tokens))
    ]
    return features, feature_id + len(features)


def _part_names(name: str, parts: int) -> list[str]:
    return [name, *(f"{name}:p{part}" for part in range(1, parts))]
