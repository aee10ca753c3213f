"""More tokens than the observation array has room for (rules, section 11.8)."""

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import ObsConfig

MESSAGE = (
    r"^Observation token budget exceeded for agent (\d) at step (\d) "
    r"\(location=(\d),(\d), budget=(\d+), attempted=(\d+), dropped=(\d+)\)$"
)


def set_tokens(engine, tokens):
    n = engine.num_agents
    engine.set_buffers(
        np.zeros((n, tokens, 3), np.uint8),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.zeros(n, np.float32),
        np.zeros(n, np.int32),
    )


def needed(engine, agent=0):
    return int((engine.observations()[agent, :, 1] != 255).sum())


def test_exactly_enough_tokens_are_enough(world):
    engine = world("@b")
    set_tokens(engine, needed(engine))
    engine.step()
    assert engine.observations()[0, -1, 0] == 6 << 4 | 7


@pytest.mark.parametrize("tokens", [0, 1, 3, 6])
def test_too_few_tokens_are_an_error_that_says_how_many_are_needed(world, tokens):
    engine = world("@b")
    assert needed(engine) == 7
    with pytest.raises(RuntimeError, match=MESSAGE) as error:
        set_tokens(engine, tokens)
    assert str(error.value).endswith(
        f"agent 0 at step 0 (location=0,0, budget={tokens}, attempted=7, dropped={7 - tokens})"
    )


def test_too_few_tokens_in_the_config_are_an_error_at_the_start(world):
    with pytest.raises(RuntimeError, match=MESSAGE):
        world(obs=ObsConfig(num_tokens=5))


def test_the_budget_may_run_out_in_the_middle_of_the_game(world):
    engine = world("@.......b")  # the box is just out of sight
    set_tokens(engine, needed(engine))
    engine.actions()[:] = 4
    engine.step()
    with pytest.raises(RuntimeError, match=MESSAGE) as error:
        engine.step()
    assert str(error.value).startswith(
        "Observation token budget exceeded for agent 0 at step 2 (location=0,2, budget=6,"
    )


def test_the_error_names_the_agent_that_sees_too_much(world):
    engine = world("@.......b@b")
    most = max(needed(engine, 0), needed(engine, 1))
    assert needed(engine, 1) > needed(engine, 0)
    with pytest.raises(RuntimeError, match="exceeded for agent 1 at step 0 "):
        set_tokens(engine, most - 1)


def test_what_fits_is_written_and_nothing_beyond_the_array(world):
    engine = world("@b")
    whole = engine.observations()[0, :5].copy()
    block = np.full((3, 5, 3), 9, np.uint8)
    with pytest.raises(RuntimeError, match=MESSAGE):
        engine.set_buffers(
            block[1:2], np.zeros(1, np.bool_), np.zeros(1, np.bool_), np.zeros(1, np.float32), np.zeros(1, np.int32)
        )
    assert np.array_equal(block[1], whole)
    assert (block[[0, 2]] == 9).all()


def test_dropped_tokens_are_counted(world):
    engine = world("@b")
    before = engine.get_game_stat("tokens_written")
    with pytest.raises(RuntimeError, match=MESSAGE):
        set_tokens(engine, 4)
    assert engine.get_game_stat("tokens_written") - before == 4
    assert engine.get_game_stat("tokens_dropped") == 3


def test_the_world_goes_on_once_the_array_is_large_enough(world):
    engine = world("@b")
    with pytest.raises(RuntimeError, match=MESSAGE):
        set_tokens(engine, 3)
    with pytest.raises(RuntimeError, match=MESSAGE):
        engine.step()
    set_tokens(engine, 50)
    engine.step()
    assert engine.current_step == 2
    assert engine.observations()[0, 0].tolist() == [254, 1, 256 * 2 // 100]
    assert needed(engine) == 7
