"""Choices of environments for training: the pace of clips and days, drawn maps, variants."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cogsguard.game.clips.clips import ClipsConfig, ClipsVariant
from cogsguard.game.days import DayConfig, DaysVariant
from cogsguard.map_config import count_drawn
from cogsguard.maps import load_map
from cogsguard.missions.mission import CvCMission
from cogsguard.train.curricula import RotationSupplier, make_rotation
from cogsguard.train.reward_variants import (
    AVAILABLE_REWARD_VARIANTS,
    apply_reward_variants,
    is_reward_variant,
)
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant
from mettagrid.cogame.errors import MissionError, UnknownVariant

VariantSpec = str | Mapping[str, Any] | CoGameMissionVariant
"""A variant by name, as a dictionary with `name` and settings, or as an object."""

CVC_FIXED_MAPS = ["machina_100_stations.map", "machina_200_stations.map", "cave_base_50.map", "vanilla_large.map"]
"""Drawn maps to train on."""


@dataclass(frozen=True)
class EventProfile:
    """A pace of clips and days: a name and the variants that set it."""

    name: str
    variants: tuple[CoGameMissionVariant, ...] = ()


def _profile(name: str, day_length: int, num_ships: int | None = None, **clips: Any) -> EventProfile:
    pace = ClipsVariant(num_ships=num_ships, clips_config=ClipsConfig(**clips))
    return EventProfile(name, (pace, DaysVariant(days_config=DayConfig(day_length=day_length))))


DEFAULT_EVENT_PROFILE = EventProfile("events_baseline")
CVC_EVENT_PROFILES = [
    DEFAULT_EVENT_PROFILE,
    _profile(
        "events_fast_clips_short_day",
        100,
        scramble_start=25,
        scramble_interval=50,
        scramble_radius=35,
        align_start=50,
        align_interval=50,
    ),
    _profile(
        "events_slow_clips_long_day",
        400,
        scramble_start=200,
        scramble_interval=200,
        align_start=300,
        align_interval=200,
    ),
    _profile("events_no_clips", 200, num_ships=0, disabled=True),
]


def resolve_event_profiles(event_profiles: Sequence[EventProfile] | None) -> list[EventProfile]:
    """Return the given profiles, or the default one for None."""
    return [DEFAULT_EVENT_PROFILE] if event_profiles is None else list(event_profiles)


def normalize_variant_names(variants: str | Sequence[VariantSpec] | None) -> list[VariantSpec]:
    """Return a list for one name, a JSON list, a sequence, or None."""
    if variants is None:
        return []
    if not isinstance(variants, str):
        return list(variants)
    text = variants.strip()
    if not text.startswith("["):
        return [text] if text else []
    try:
        return list(json.loads(text))
    except ValueError as error:
        raise MissionError(f"Variants {text!r} are not a JSON list: {error}") from error


def split_variants(
    variants: str | Sequence[VariantSpec] | None,
) -> tuple[list[CoGameMissionVariant], list[str]]:
    """Separate variants of missions from reward variants. A name that is both means the reward."""
    of_mission: list[CoGameMissionVariant] = []
    of_reward: list[str] = []
    for item in normalize_variant_names(variants):
        if isinstance(item, str) and is_reward_variant(item):
            of_reward.append(item)
        else:
            of_mission.append(_mission_variant(item))
    return of_mission, of_reward


def _mission_variant(item: VariantSpec) -> CoGameMissionVariant:
    from cogsguard.game import import_all

    if isinstance(item, CoGameMissionVariant):
        return item
    import_all()
    settings = dict(item) if isinstance(item, Mapping) else {"name": item}
    name = str(settings.get("name", ""))
    try:
        kind: Any = CoGameMissionVariant.find_class(name, ("cogsguard",))
    except UnknownVariant:
        raise UnknownVariant(name, [*CoGameMissionVariant.known_names(), *AVAILABLE_REWARD_VARIANTS]) from None
    variant: CoGameMissionVariant = kind(**settings)
    return variant


def filter_compatible_variants(
    mission: CvCMission, variants: Sequence[CoGameMissionVariant]
) -> list[CoGameMissionVariant]:
    """Return the variants that fit the mission."""
    return [variant for variant in variants if variant.compat(mission)]


def rotation_of_events(mission: CoGameMission, *, variants: Sequence[VariantSpec] = ()) -> RotationSupplier:
    """Return the mission at every pace of events."""
    of_mission, of_reward = split_variants(variants)
    entries = []
    for profile in CVC_EVENT_PROFILES:
        env = mission.with_variants([*profile.variants, *of_mission]).make_env()
        apply_reward_variants(env, variants=of_reward)
        entries.append((profile.name, env))
    return make_rotation(entries)


def rotation_of_maps(
    maps: Sequence[str] = CVC_FIXED_MAPS, *, cogs: int | None = None, variants: Sequence[VariantSpec] = ()
) -> RotationSupplier:
    """Return the rules of the game on each drawn map in turn; by default with one cog per spawn point."""
    of_mission, of_reward = split_variants(variants)
    entries = []
    for file_name in maps:
        name = file_name.removesuffix(".map")
        builder = load_map(name)
        places = count_drawn(builder, "agent") or 0
        if not places:
            raise MissionError(f"The map {name!r} has no spawn points.")
        mission = CvCMission(name=name, map_builder=builder, num_agents=cogs or places)
        env = mission.with_variants(of_mission).make_env()
        apply_reward_variants(env, variants=of_reward)
        entries.append((name, env))
    return make_rotation(entries)
