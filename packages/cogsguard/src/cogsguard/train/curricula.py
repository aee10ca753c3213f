"""Choices of environments for training: how fast the clips are, which maps, which variants."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cogsguard.maps import load_map
from cogsguard.missions.mission import CvCMission
from cogsguard.rewards.variants import REWARD_VARIANTS, apply_reward_variants, is_reward_variant
from cogsguard.terrain import count_drawn
from cogsguard.train.rotation import Rotation, make_rotation
from cogsguard.variants import ClipsVariant, DayConfig, DaysVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant
from mettagrid.cogame.errors import MissionError, UnknownVariant

VariantLike = str | Mapping[str, Any] | CoGameMissionVariant

FIXED_MAPS = ("machina_100_stations", "machina_200_stations", "cave_base_50", "vanilla_large")
"""Drawn maps to train on."""


def _profile(clips: ClipsVariant, day_length: int) -> list[CoGameMissionVariant]:
    return [clips, DaysVariant(days=DayConfig(day_length=day_length))]


def event_profiles() -> dict[str, list[CoGameMissionVariant]]:
    """Variants that change the pace of clips and days, by name."""
    fast = ClipsVariant(scramble_start=25, scramble_interval=50, scramble_radius=35, align_start=50, align_interval=50)
    slow = ClipsVariant(scramble_start=200, scramble_interval=200, align_start=300, align_interval=200)
    return {
        "events_baseline": [],
        "events_fast_clips_short_day": _profile(fast, 100),
        "events_slow_clips_long_day": _profile(slow, 400),
        "events_no_clips": _profile(ClipsVariant(num_ships=0, disabled=True), 200),
    }


def split_variants(variants: Iterable[VariantLike]) -> tuple[list[CoGameMissionVariant], list[str]]:
    """Variants of missions and reward variants, apart.

    An item is a name, a dictionary with `name` and settings, or an object. A name that is both means the reward.
    """
    of_mission: list[CoGameMissionVariant] = []
    of_reward: list[str] = []
    for item in variants:
        if isinstance(item, CoGameMissionVariant):
            of_mission.append(item)
        elif isinstance(item, Mapping):
            settings = dict(item)
            kind: Any = CoGameMissionVariant.find_class(str(settings.get("name", "")), ("cogsguard",))
            of_mission.append(kind(**settings))
        elif is_reward_variant(item):
            of_reward.append(item)
        else:
            try:
                of_mission.append(CoGameMissionVariant.create(item, ("cogsguard",)))
            except UnknownVariant:
                raise UnknownVariant(item, [*CoGameMissionVariant.known_names(), *REWARD_VARIANTS]) from None
    return of_mission, of_reward


def rotation_of_events(mission: CoGameMission, *, variants: Sequence[VariantLike] = ()) -> Rotation:
    """The mission at every pace of events."""
    of_mission, of_reward = split_variants(variants)
    entries = []
    for name, profile in event_profiles().items():
        env = mission.with_variants([*profile, *of_mission]).make_env()
        apply_reward_variants(env, variants=of_reward)
        entries.append((name, env))
    return make_rotation(entries)


def rotation_of_maps(
    maps: Sequence[str] = FIXED_MAPS, *, cogs: int | None = None, variants: Sequence[VariantLike] = ()
) -> Rotation:
    """The rules of the game on one drawn map after the other; without `cogs`, as many as a map has places for."""
    of_mission, of_reward = split_variants(variants)
    entries = []
    for name in maps:
        builder = load_map(name)
        places = count_drawn(builder, "agent") or 0
        if not places:
            raise MissionError(f"The map {name!r} has no places for cogs.")
        mission = CvCMission(name=name, map_builder=builder, num_agents=cogs or places)
        env = mission.with_variants(of_mission).make_env()
        apply_reward_variants(env, variants=of_reward)
        entries.append((name, env))
    return make_rotation(entries)
