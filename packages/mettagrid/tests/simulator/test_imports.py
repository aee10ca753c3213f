"""The names other packages import, and where from."""

import importlib

import pytest

NAMES = {
    "mettagrid.simulator": "Action AgentObservation BoundingBox Location ObservationToken Simulation SimulationAgent "
    "Simulator SimulatorEventHandler VisibleTalk",
    "mettagrid.simulator.interface": "AgentObservation Location ObservationToken SimulatorEventHandler VisibleTalk",
    "mettagrid.simulator.simulator": "BoundingBox Buffers Simulation SimulationAgent Simulator",
    "mettagrid.simulator.talk": "ActiveTalk TalkChannel TalkState",
    "mettagrid.simulator.map_cache": "SharedMapCache get_shared_cache stop_shared_cache",
    "mettagrid.simulator.game_stat_end_handler": "GameStatEndEpisodeHandler",
    "mettagrid.simulator.time_averaged_stats": "TimeAveragedStatsHandler",
}


@pytest.mark.parametrize("module", NAMES)
def test_public_names_are_where_they_were(module):
    found = importlib.import_module(module)
    for name in NAMES[module].split():
        assert hasattr(found, name), name
        assert name in found.__all__, name


def test_the_same_class_is_behind_every_path():
    package = importlib.import_module("mettagrid.simulator")
    for module in ("interface", "simulator"):
        found = importlib.import_module(f"mettagrid.simulator.{module}")
        for name in set(found.__all__) & set(package.__all__):
            assert getattr(found, name) is getattr(package, name)
