"""Nested rules: up to 64 levels, and no cycles."""

import pytest

from mettagrid.compiler import CompileError, compile
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import GameValueFilter, NotFilter, OrFilter, actorHas, isNear
from mettagrid.config.game_value import MaxGameValue, RatioGameValue, SumGameValue, inv, val
from mettagrid.config.handler_config import AllOf, FirstMatch, Handler, addTag
from mettagrid.config.mettagrid_config import AgentConfig, AgentReward
from mettagrid.config.query import ClosureQuery, query
from mettagrid.mettagrid_c import MettaGrid


def nested(innermost, levels, wrap):
    """`innermost` inside `levels` layers made by `wrap`."""
    for level in range(levels):
        innermost = wrap(innermost, level)
    return innermost


def in_first_match(handler, level):
    return FirstMatch(handlers=[handler])


def in_all_of(handler, level):
    return AllOf(handlers=[handler])


@pytest.mark.parametrize("wrap", [in_first_match, in_all_of])
def test_a_handler_63_levels_deep_runs(game, wrap):
    leaf = Handler(name="leaf", filters=[], mutations=[])
    world = MettaGrid(game(agent=AgentConfig(on_tick=nested(leaf, 63, wrap))), [["agent.agent"]], 0)
    world.step()
    assert world.current_step == 1


@pytest.mark.parametrize(("wrap", "kind"), [(in_first_match, "first_match"), (in_all_of, "all_of")])
def test_a_handler_65_levels_deep_is_refused_with_the_names_on_the_way(game, wrap, kind):
    with pytest.raises(CompileError) as error:
        compile(game(agent=AgentConfig(on_tick=nested(Handler(name="leaf"), 64, wrap))))
    assert error.value.path == "game.agent.on_tick" + ".handlers[0]" * 64
    assert str(error.value).endswith("rules are nested more than 64 deep: " + f"{kind} > " * 64 + "leaf")


def test_what_is_nested_inside_a_named_handler_names_it(game):
    deep = nested(actorHas({"gold": 1}), 70, lambda item, level: NotFilter(inner=item))
    with pytest.raises(CompileError) as error:
        compile(game(agent=AgentConfig(on_tick=Handler(name="doubt", filters=[deep]))))
    assert "rules are nested more than 64 deep: doubt > not > not" in str(error.value)
    assert error.value.path.startswith("game.agent.on_tick.filters[0].inner.inner.inner")


def deep_or(levels):
    return Handler(filters=[nested(actorHas({"gold": 1}), levels, lambda item, level: OrFilter(inner=[item]))])


def deep_sum(levels):
    value = nested(inv("gold"), levels, lambda item, level: SumGameValue(values=[val(level), item]))
    return Handler(filters=[GameValueFilter(target="actor", value=value)])


def deep_ratio(levels):
    value = nested(inv("gold"), levels, lambda item, level: RatioGameValue(numerator=val(1), denominator=item))
    return Handler(filters=[GameValueFilter(target="actor", value=val(1), min=value)])


def deep_query(levels):
    near = nested("type:box", levels, lambda item, level: query(item))
    return Handler(filters=[isNear(near)])


def deep_closure(levels):
    near = nested("type:box", levels, lambda item, level: ClosureQuery(source=item, candidates="type:box"))
    return Handler(filters=[isNear(near)])


def deep_near(levels):
    near = nested(query("type:box"), levels, lambda item, level: query("type:box", [isNear(item)]))
    return Handler(filters=[isNear(near)])


@pytest.mark.parametrize("make", [deep_or, deep_sum, deep_ratio, deep_query, deep_closure, deep_near])
def test_filters_values_and_queries_nest_no_deeper_than_64(game, make):
    compile(game(agent=AgentConfig(on_tick=make(15))))
    with pytest.raises(CompileError, match="rules are nested more than 64 deep"):
        compile(game(agent=AgentConfig(on_tick=make(66))))


@pytest.mark.parametrize("make", [deep_or, deep_sum, deep_ratio, deep_query, deep_closure])
def test_the_deepest_rule_that_compiles_also_runs(game, make):
    def program(levels):
        return compile(game(agent=AgentConfig(on_tick=make(levels))))

    deepest = 0
    for levels in range(15, 70):
        try:
            program(levels)
        except CompileError:
            break
        deepest = levels
    world = MettaGrid(program(deepest), [["agent.agent", "box", "box"]], 0)
    world.step()
    assert world.current_step == 1


def test_a_config_thousands_of_levels_deep_is_refused_without_overflowing(game):
    deep = nested(inv("gold"), 5000, lambda item, level: MaxGameValue.model_construct(values=[item]))
    config = game(agent=AgentConfig())
    config.agent.rewards = {"deep": AgentReward.model_construct(reward=deep, per_tick=False)}
    with pytest.raises(
        CompileError, match=r"^game\.agent\.rewards\.deep\.reward\.values\[0\].*: rules are nested more than 64 deep"
    ):
        compile(config)


def test_a_sum_may_be_as_wide_as_it_likes(game):
    wide = SumGameValue(values=[val(1)] * 1000)
    reward = {"wide": AgentReward(reward=wide, per_tick=True)}
    world = MettaGrid(game(agent=AgentConfig(rewards=reward)), [["agent.agent"]], 0)
    world.step()
    assert world.rewards().tolist() == [1000]


@pytest.mark.parametrize("kind", [SumGameValue, MaxGameValue])
def test_a_composite_whose_parts_were_taken_away_is_refused(game, kind):
    value = kind(values=[inv("gold")])
    config = game(agent=AgentConfig(rewards={"none": AgentReward(reward=value)}))
    value.values.clear()
    with pytest.raises(
        CompileError, match=r"^game\.agent\.rewards\.none\.reward\.values: at least one value is needed$"
    ):
        compile(config)


def test_a_sum_that_lost_its_weights_is_refused(game):
    value = SumGameValue(values=[inv("gold"), inv("ore")], weights=[1.0, 2.0])
    config = game(agent=AgentConfig(rewards={"sum": AgentReward(reward=value)}))
    value.weights.pop()
    with pytest.raises(CompileError, match=r"^game\.agent\.rewards\.sum\.reward: there are 2 values and 1 weights$"):
        compile(config)


def chain(**fallbacks):
    return {
        name: EventConfig(name=name, target_query="type:box", timesteps=[1], fallback=fallback)
        for name, fallback in fallbacks.items()
    }


@pytest.mark.parametrize(
    ("events", "path", "circle"),
    [
        (chain(a="a"), "game.events.a.fallback", "a > a"),
        (chain(a="b", b="c", c="a"), "game.events.a.fallback", "a > b > c > a"),
        (chain(start="a", a="b", b="a"), "game.events.start.fallback", "start > a > b > a"),
        (chain(free=None, a="b", b="a"), "game.events.a.fallback", "a > b > a"),
    ],
)
def test_fallbacks_in_a_circle_are_refused_with_the_circle(game, events, path, circle):
    with pytest.raises(CompileError) as error:
        compile(game(events=events))
    assert str(error.value) == f"{path}: the fallbacks form a cycle: {circle}"


def test_a_long_chain_of_fallbacks_is_no_circle_and_runs(game):
    names = [f"e{i:03}" for i in range(300)]
    events = chain(**dict(zip(names, [*names[1:], None], strict=True)))
    events["e299"] = EventConfig(name="e299", target_query="type:agent", mutations=[addTag("found")])
    config = game(tags=["found"], events=events)
    world = MettaGrid(config, [["agent.agent"]], 0)
    world.step()
    assert world.tag_index().count_objects_with_tag(config.id_map().tag_names().index("found")) == 1
