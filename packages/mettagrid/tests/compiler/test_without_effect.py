"""Settings and names without effect: a warning with their place, and an error when the game is compiled strictly."""

import warnings

import pytest

from mettagrid.compiler import CompileError, ConfigWarning, compile, compiled
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import actorHas, actorVibe, anyOf, hasTag, isNot
from mettagrid.config.game_value import StatValue, SumGameValue
from mettagrid.config.handler_config import AttackMutation, Handler, recomputeMaterializedQuery, removeTagPrefix
from mettagrid.config.mettagrid_config import (
    ActionsConfig,
    AgentConfig,
    AgentReward,
    AttackActionConfig,
    GridObjectConfig,
    InventoryConfig,
    MoveActionConfig,
    NoopActionConfig,
    ObsConfig,
    ResourceLimitsConfig,
    TalkConfig,
    WallConfig,
)
from mettagrid.config.mutation import (
    ChangeVibeMutation,
    QueryInventoryMutation,
    RaycastSpawnMutation,
    SpawnObjectMutation,
)
from mettagrid.config.obs_config import GlobalObsConfig
from mettagrid.config.query import RaycastQuery, query
from mettagrid.config.territory_config import TerritoryConfig


def ticking(*mutations, filters=()):
    return {"agent": AgentConfig(on_tick=Handler(mutations=list(mutations), filters=list(filters)))}


def moving(**fields):
    return {"actions": ActionsConfig(move=MoveActionConfig(**fields))}


def counting(data):
    """A reward for boxes that pass a filter given as plain data inside a sum."""
    counted = {"query": {"query_type": "query", "source": "type:box", "filters": [data]}}
    return {"agent": AgentConfig(rewards={"sum": AgentReward(reward=SumGameValue(values=[counted]))})}


UNREAD = counting({"filter_type": "tag", "target": "target", "tag": "type:box"})


def bag(**fields):
    return InventoryConfig(limits={"bag": ResourceLimitsConfig(base=1, **fields)})


WITHOUT_EFFECT = {
    "game.agent.on_tick.filters[0]: the filter names the vibe 'gloomy'": ticking(filters=[actorVibe("gloomy")]),
    "game.agent.on_tick.filters[0]: the filter names the tag 'typ:box'": ticking(filters=[hasTag("typ:box")]),
    "game.agent.on_tick.filters[0]: the filter names resources .* ignores them: golf, iron": ticking(
        filters=[actorHas({"gold": 1, "golf": 1, "iron": 2})]
    ),
    "game.agent.on_tick.filters[0].inner: the filter names the tag 'typ:box'": ticking(
        filters=[isNot(hasTag("typ:box"))]
    ),
    "game.agent.on_tick.filters[0].inner[1]: the filter names the tag 'typ:box'": ticking(
        filters=[anyOf([hasTag("type:box"), hasTag("typ:box")])]
    ),
    "game.agent.on_tick.mutations[0]: the attack mutation has no effect": ticking(AttackMutation()),
    "game.agent.on_tick.mutations[0]: there is no vibe 'gloomy'; the mutation sets vibe 0": ticking(
        ChangeVibeMutation(target="actor", vibe_name="gloomy")
    ),
    "game.agent.on_tick.mutations[0]: there is no object with the map name 'bx'": ticking(
        SpawnObjectMutation(object_type="bx")
    ),
    "game.agent.on_tick.mutations[0]: there is no object with the map name 'by'": ticking(
        RaycastSpawnMutation(object_type="by")
    ),
    "game.agent.on_tick.mutations[0]: no tag starts with 'near'": ticking(recomputeMaterializedQuery("near")),
    "game.agent.on_tick.mutations[0]: no tag starts with 'team:'; the mutation does nothing": ticking(
        removeTagPrefix("team:")
    ),
    "game.agent.on_tick.mutations[0]: transfer_stats has no effect without a source": ticking(
        QueryInventoryMutation(query=query("type:box"), deltas={"gold": 1}, transfer_stats={"gold": "moved"})
    ),
    "game.agent.rewards.old.reward: delta of the stat 'seen' has no effect": {
        "agent": AgentConfig(rewards={"old": AgentReward(reward=StatValue(name="seen", delta=True))})
    },
    "game.agent.rewards.sum.reward.values[0].query.filters[0]: a filter given as plain data inside a sum": UNREAD,
    "game.agent.inventory.limits.bag: there is no resource 'golf'; the limit ignores it": {
        "agent": AgentConfig(inventory=bag(resources=["gold"], modifiers={"golf": 2}))
    },
    "game.objects.box.inventory.limits.bag: there is no resource 'golf'; the limit ignores it": {
        "objects": {"box": GridObjectConfig(name="box", inventory=bag(resources=["golf"]))}
    },
    "game.obs: token_value_base is 300; digits above 255 do not fit in a token": {
        "obs": ObsConfig(token_value_base=300)
    },
    "game.agent.handlers: handlers of objects have no effect": {"agent": AgentConfig(handlers={"x": Handler()})},
    "game.objects.box.handlers: handlers of objects have no effect": {
        "objects": {"box": GridObjectConfig(name="box", handlers={"x": Handler()})}
    },
    "game.objects.wall.inventory: walls hold nothing": {
        "objects": {"wall": WallConfig(inventory=InventoryConfig(initial={"gold": 1}))}
    },
    "game.actions.attack: the attack action has no effect": {
        "actions": ActionsConfig(attack=AttackActionConfig(enabled=True))
    },
    "game.actions.move: the engine always has this action": moving(enabled=False),
    "game.actions.noop: the engine always has this action": {
        "actions": ActionsConfig(noop=NoopActionConfig(enabled=False))
    },
    "game.events.rain: the fallback 'snow' is not an event; it is ignored": {
        "events": {"rain": EventConfig(name="rain", target_query="type:box", fallback="snow")}
    },
    "game.events.rain.target_query: order_by of a raycast query has no effect": {
        "events": {"rain": EventConfig(name="rain", target_query=RaycastQuery(source="type:box", order_by="random"))}
    },
    "game.territories.land: no tag starts with 'team:'; no team can own this territory": {
        "territories": {"land": TerritoryConfig(tag_prefix="team:")}
    },
    "game.obs: aoe_mask reserves a feature and shows nothing": {"obs": ObsConfig(aoe_mask=True)},
    "game.obs: goal_obs has no effect": {"obs": ObsConfig(global_obs=GlobalObsConfig(goal_obs=True))},
    "game.talk.broadcast_resource: there is no resource 'radio'": {"talk": TalkConfig(broadcast_resource="radio")},
}


def pattern(message):
    return "^" + message.replace("[", r"\[").replace("]", r"\]")


@pytest.mark.parametrize("message", WITHOUT_EFFECT)
def test_a_setting_without_effect_gives_a_warning_with_its_place(game, message):
    with pytest.warns(ConfigWarning, match=pattern(message)) as caught:
        compile(game(**WITHOUT_EFFECT[message]))
    assert len(caught) == 1


@pytest.mark.parametrize("message", WITHOUT_EFFECT)
def test_a_setting_without_effect_is_an_error_in_a_strict_game(game, message):
    with pytest.raises(CompileError, match=pattern(message)):
        compile(game(**WITHOUT_EFFECT[message]), strict=True)


@pytest.mark.parametrize("field", ["consumed_resources", "required_resources"])
def test_costs_of_actions_are_an_error_only_in_a_strict_game(game, field):
    config = game(**moving(**{field: {"gold": 1}}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile(config)
    with pytest.raises(CompileError, match=rf"^game\.actions\.move\.{field}: costs of actions are not enforced"):
        compile(config, strict=True)


def test_a_correction_that_gives_a_setting_its_effect_ends_the_warning(game):
    compile(game(**UNREAD), strict=True, corrections={"composite_filters"})


def test_a_filter_that_makes_no_sense_is_refused_once_it_is_read(game):
    config = game(**counting({"filter_type": "tag", "tag": "type:box"}))  # whose tag?
    with pytest.raises(
        CompileError, match=r"^game\.agent\.rewards\.sum\..*\.filters\[0\]: the filter cannot be read: "
    ):
        compile(config, corrections={"composite_filters"})


def test_a_game_in_order_gives_no_warning_and_compiles_strictly(game):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile(game(), strict=True)


def test_the_costs_of_a_disabled_action_do_not_matter(game):
    attack = AttackActionConfig(enabled=False, consumed_resources={"golf": 1})
    compile(game(actions=ActionsConfig(attack=attack)), strict=True)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"vibes": ["gloomy"]}, r"^game\.actions\.attack\.vibes: there is no vibe 'gloomy'"),
        ({"vibe_bonus": {"gloomy": 1}}, r"^game\.actions\.attack\.vibe_bonus: there is no vibe 'gloomy'"),
        ({"armor_resources": {"golf": 1}}, r"^game\.actions\.attack: there is no resource 'golf'"),
        ({"success": {"loot": ["golf"]}}, r"^game\.actions\.attack: there is no resource 'golf'"),
    ],
)
def test_unknown_names_in_the_attack_action_are_refused_although_it_does_nothing(game, fields, message):
    with pytest.raises(CompileError, match=message):
        compile(game(actions=ActionsConfig(attack=AttackActionConfig(enabled=False, **fields))))


def test_a_strict_program_is_not_found_in_place_of_a_lenient_one(game):
    config = game(obs=ObsConfig(aoe_mask=True))
    with pytest.warns(ConfigWarning):
        compiled(config)
    with pytest.raises(CompileError):
        compiled(config, strict=True)
