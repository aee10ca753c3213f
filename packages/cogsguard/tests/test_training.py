"""Rotations of environments, paces of events, maps to train on."""

import pickle

import pytest

from cogsguard.game.days import DaysVariant
from cogsguard.game.energy import EnergyVariant
from cogsguard.maps import load_map
from cogsguard.missions.mission import CvCMission
from cogsguard.train.curricula import make_rotation
from cogsguard.train.cvc_curriculum import (
    CVC_EVENT_PROFILES,
    CVC_FIXED_MAPS,
    filter_compatible_variants,
    rotation_of_events,
    rotation_of_maps,
    split_variants,
)
from mettagrid.cogame.errors import MissionError, UnknownVariant
from mettagrid.config.mettagrid_config import MettaGridConfig


def small_mission() -> CvCMission:
    return CvCMission(name="small", map_builder=load_map("training_facility_clipped"), num_agents=4, max_steps=1000)


def test_a_rotation_starts_with_the_second_entry_and_survives_pickling() -> None:
    entries = [(name, MettaGridConfig(label=name)) for name in "abc"]
    supply = make_rotation(entries)
    assert [supply().label for _ in range(4)] == ["b", "c", "a", "b"]
    again = pickle.loads(pickle.dumps(supply))
    assert again().label == supply().label == "c"
    assert again.names() == ["a", "b", "c"]
    with pytest.raises(MissionError, match="at least one"):
        make_rotation([])


def test_paces_of_events() -> None:
    assert [profile.name for profile in CVC_EVENT_PROFILES] == [
        "events_baseline",
        "events_fast_clips_short_day",
        "events_slow_clips_long_day",
        "events_no_clips",
    ]
    supply = rotation_of_events(small_mission(), variants=["credit"])
    fast, slow, none, base = (supply().game for _ in range(4))
    assert fast.events["cogs_to_neutral"].timesteps[:2] == [25, 75]
    assert fast.events["neutral_to_clips"].timesteps[:2] == [50, 100]
    assert fast.events["night"].timesteps[:2] == [50, 150]
    assert slow.events["cogs_to_neutral"].timesteps[:2] == [200, 400]
    assert slow.events["neutral_to_clips"].timesteps[:2] == [300, 500]
    assert slow.events["night"].timesteps[:2] == [200, 600]
    assert sorted(none.events) == ["day", "night"]
    assert base.events["neutral_to_clips"].timesteps[:2] == [100, 300]
    assert "heart_gained" in base.agents[0].rewards


def test_maps_to_train_on() -> None:
    assert [name.removesuffix(".map") for name in CVC_FIXED_MAPS] == [
        "machina_100_stations",
        "machina_200_stations",
        "cave_base_50",
        "vanilla_large",
    ]
    supply = rotation_of_maps(["cave_base_50.map", "vanilla_large"], cogs=2)
    assert [supply().label, supply().label] == ["vanilla_large", "cave_base_50"]
    with pytest.raises(MissionError, match="'zelda' has no spawn points"):
        rotation_of_maps(["zelda"])


def test_variants_of_missions_and_of_rewards_are_separated() -> None:
    mission_variants, rewards = split_variants(
        ["no_clips", "credit", "objective_mine:2", {"name": "energy", "limit": 7}, DaysVariant()]
    )
    assert [variant.name for variant in mission_variants] == ["no_clips", "energy", "days"]
    assert isinstance(mission_variants[1], EnergyVariant) and mission_variants[1].limit == 7
    assert rewards == ["credit", "objective_mine:2"]
    with pytest.raises(UnknownVariant, match="Did you mean 'no_clips'"):
        split_variants(["no_clip"])


def test_variants_that_do_not_fit_a_mission_are_left_out() -> None:
    variants, _ = split_variants('["desert", "no_clips"]')
    assert [variant.name for variant in filter_compatible_variants(small_mission(), variants)] == ["no_clips"]
