"""Snapshots of a simulation: the engine and the current talk."""

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig, TalkConfig
from mettagrid.simulator import Simulation


@pytest.fixture
def sim():
    config = MettaGridConfig.EmptyRoom(num_agents=2, width=5, height=5)
    config.game.talk = TalkConfig(enabled=True, cooldown_steps=4)
    return Simulation(config, seed=3)


def test_a_simulation_goes_on_from_its_snapshot(sim):
    sim.agent(0).set_talk("hello")
    sim.agent(1).set_action("move_east")
    sim.step()
    sim.agent(1).set_talk("soon")
    kept, before = sim.snapshot(), sim._c_sim.state_hash()
    for _ in range(5):
        sim.step()
    assert sim.talk_states() == {}
    sim.restore(kept)
    assert (sim.current_step, sim._c_sim.state_hash()) == (1, before)
    assert {agent: talk.text for agent, talk in sim.talk_states().items()} == {0: "hello"}
    assert [talk.text for talk in sim.agent(1).observation.talk] == ["hello"]
    sim.step()
    assert {agent: talk.text for agent, talk in sim.talk_states().items()} == {0: "hello", 1: "soon"}


def test_another_simulation_of_the_same_config_opens_it(sim):
    sim.step()
    other = Simulation(sim.config, seed=9)
    other.restore(sim.snapshot())
    assert other._c_sim.diff(sim._c_sim) == []


@pytest.mark.parametrize("broken", [b"", b"nonsense", b"MGEPISO1\xff\xff\xff\xff{}", b"MGEPISO1\x02\x00\x00\x00{}rest"])
def test_bytes_that_are_no_snapshot_are_refused(sim, broken):
    before = sim._c_sim.state_hash()
    with pytest.raises(ValueError, match=r"snapshot"):
        sim.restore(broken)
    assert sim._c_sim.state_hash() == before
