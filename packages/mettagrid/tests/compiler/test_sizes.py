"""The size limits of a game."""

import time

import pytest

from mettagrid.compiler import CompileError, compile
from mettagrid.config.game_value import val
from mettagrid.config.mettagrid_config import ActionsConfig, AgentConfig, ChangeVibeActionConfig, ObsConfig
from mettagrid.config.obs_config import GlobalObsConfig
from mettagrid.config.vibes import Vibe


def names(prefix, count):
    return [f"{prefix}{i}" for i in range(count)]


def test_256_tags_are_allowed(game):
    assert len(compile(game(tags=names("t", 253))).tag_names) == 256  # and type:agent, type:box, type:wall


def test_257_tags_are_refused(game):
    with pytest.raises(CompileError, match=r"^game\.tags: the game has 257 tags; at most 256 are allowed$"):
        compile(game(tags=names("t", 254)))


def test_tags_of_objects_and_agents_count_too(game):
    with pytest.raises(CompileError, match="the game has 303 tags"):
        compile(game(agent=AgentConfig(tags=names("t", 300))))


def test_257_resources_are_refused(game):
    with pytest.raises(
        CompileError, match=r"^game\.resource_names: the game has 257 resources; at most 256 are allowed$"
    ):
        compile(game(resource_names=names("r", 257)))


def test_a_resource_listed_twice_is_refused(game):
    with pytest.raises(CompileError, match=r"^game\.resource_names: 'gold' is listed 2 times$"):
        compile(game(resource_names=["gold", "ore", "gold"]))


def test_255_features_are_allowed(game):
    program = compile(game(resource_names=names("r", 121), protocol_details_obs=False, obs=one_more_feature()))
    assert len(program.feature_names) == 255


def one_more_feature():
    return ObsConfig(global_obs=GlobalObsConfig(last_action_move=True))


def test_256_features_are_refused(game):
    with pytest.raises(CompileError) as error:
        compile(game(resource_names=names("r", 122), protocol_details_obs=False))
    assert str(error.value) == (
        "game.obs: the game needs 256 observation features; at most 255 fit in a byte. "
        "Use fewer resources, a larger token_value_base, or protocol_details_obs=False"
    )


def test_a_feature_that_would_be_taken_for_an_amount_is_refused(game):
    obs = ObsConfig(global_obs=GlobalObsConfig(obs={"inv:gold": val(1)}))
    with pytest.raises(CompileError, match=r"^game\.obs: 2 features are called 'inv:gold'; rename"):
        compile(game(obs=obs))


@pytest.mark.parametrize(("width", "height"), [(16, 15), (15, 16), (17, 17), (0, 5), (5, -1), (5001, 5001)])
def test_a_window_larger_than_15_or_without_cells_is_refused_at_once(game, width, height):
    started = time.perf_counter()
    with pytest.raises(CompileError) as error:
        compile(game(obs=ObsConfig(width=width, height=height)))
    assert str(error.value) == (
        f"game.obs: Observation window size ({width}x{height}) exceeds maximum packable size (15x15)"
    )
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("base", [-3, 0, 1, 2**31])
def test_a_number_base_without_digits_is_refused(game, base):
    with pytest.raises(CompileError, match=rf"^game\.obs\.token_value_base: {base} is outside 2\.\.2147483647$"):
        compile(game(obs=ObsConfig(token_value_base=base)))


@pytest.mark.parametrize(("base", "parts"), [(2, 16), (4, 8), (100, 3), (255, 3), (256, 2)])
def test_amounts_take_as_many_features_as_their_base_needs(game, base, parts):
    features = compile(game(obs=ObsConfig(token_value_base=base))).feature_names
    assert [name for name in features if name.split(":p")[0] == "inv:gold"] == [
        "inv:gold",
        *(f"inv:gold:p{i}" for i in range(1, parts)),
    ]


def test_tokens_have_three_bytes(game):
    with pytest.raises(CompileError, match=r"^game\.obs: token_dim is 4; tokens always have 3 bytes$"):
        compile(game(obs=ObsConfig(token_dim=4)))


@pytest.mark.parametrize("tokens", [-1, 0, 2**24 + 1])
def test_a_number_of_tokens_that_makes_no_sense_is_refused(game, tokens):
    with pytest.raises(CompileError, match=rf"^game\.obs\.num_tokens: {tokens} is outside 1\.\.16777216$"):
        compile(game(obs=ObsConfig(num_tokens=tokens)))


def test_257_vibes_are_refused(game):
    vibes = [Vibe(symbol="x", name=name) for name in names("v", 257)]
    with pytest.raises(CompileError, match=r"^game\.actions: the game has 257 vibes; at most 256 are allowed$"):
        compile(game(actions=ActionsConfig(change_vibe=ChangeVibeActionConfig(vibes=vibes))))


def test_a_game_without_resources_vibes_and_objects_compiles(game):
    program = compile(
        game(
            resource_names=[],
            objects={},
            actions=ActionsConfig(change_vibe=ChangeVibeActionConfig(vibes=[])),
        )
    )
    assert program.action_names == ["noop", "move_north", "move_south", "move_west", "move_east"]
    assert program.type_names == ["agent"]


def test_more_than_1024_stats_are_allowed(game):
    stats = dict.fromkeys(names("s", 2000), 1.0)
    assert compile(game(agent=AgentConfig(initial_stats=stats))).agent_stat_names[-2000:] == list(stats)
