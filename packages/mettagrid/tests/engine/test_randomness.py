"""The random generator and the draws of a step (rules, section 14), against a reference written from the rules."""

import pytest

from mettagrid.config.event_config import EventConfig
from mettagrid.config.game_value import stat
from mettagrid.config.handler_config import Handler, logStatToGame, updateTarget, withdraw
from mettagrid.config.mettagrid_config import AgentConfig, GridObjectConfig, InventoryConfig
from mettagrid.config.mutation import QueryInventoryMutation, StatsMutation
from mettagrid.config.query import Query

SOUTH, WEST, EAST = 2, 3, 4
GOLD, ORE = 0, 1


class Twister:
    """mt19937 with its standard seeding."""

    def __init__(self, seed):
        self.words = [seed]
        for i in range(1, 624):
            before = self.words[-1]
            self.words.append((1812433253 * (before ^ before >> 30) + i) & 0xFFFFFFFF)
        self.at = 624

    def draw(self):
        if self.at == 624:
            for i in range(624):
                joined = self.words[i] & 0x80000000 | self.words[(i + 1) % 624] & 0x7FFFFFFF
                self.words[i] = self.words[(i + 397) % 624] ^ joined >> 1 ^ (0x9908B0DF if joined & 1 else 0)
            self.at = 0
        y = self.words[self.at]
        self.at += 1
        y ^= y >> 11
        y ^= y << 7 & 0x9D2C5680
        y ^= y << 15 & 0xEFC60000
        return y ^ y >> 18

    def bounded(self, k):
        product = self.draw() * k
        if product % 2**32 < k:
            while product % 2**32 < (2**32 - k) % k:
                product = self.draw() * k
        return product >> 32

    def shuffled(self, items):
        a = list(items)
        n = len(a)
        if n < 2:
            return a

        def swap(i, j):
            a[i], a[j] = a[j], a[i]

        i = 1
        if n % 2 == 0:
            swap(1, self.bounded(2))
            i = 2
        while i < n:
            s = i + 1
            x = self.bounded(s * (s + 1))
            swap(i, x // (s + 1))
            swap(i + 1, x % (s + 1))
            i += 2
        return a


def test_the_reference_gives_the_10000th_number_of_the_standard():
    twister = Twister(5489)
    assert [twister.draw() for _ in range(10_000)][-1] == 4123659995


@pytest.fixture
def turns(world):
    """The order in which n agents act in each of some steps: every agent has a box that notes whose turn it was."""

    def turns(n, seed, steps):
        note = [
            logStatToGame("turns"),
            StatsMutation(stat="turn", target="agent", entity="actor", source=stat("game.turns")),
        ]
        box = GridObjectConfig(name="box", on_use_handler=Handler(mutations=note))
        engine = world("@" * n + "\n" + "b" * n, seed=seed, objects={"box": box})
        engine.actions()[:] = SOUTH
        orders = []
        for step in range(steps):
            engine.step()
            assert engine.get_game_stat("turns") == n * (step + 1)
            orders.append(sorted(range(n), key=lambda agent: engine.get_agent_stat(agent, "turn")))
        return orders

    return turns


@pytest.mark.parametrize("seed", [0, 1, 42, 2**31, 2**32 - 1])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 24])
def test_agents_act_in_the_order_of_the_rules(turns, n, seed):
    twister = Twister(seed)
    assert turns(n, seed, 6) == [twister.shuffled(range(n)) for _ in range(6)]


def test_the_order_stays_right_after_the_generator_was_refilled(turns):
    twister = Twister(7)
    expected = [twister.shuffled(range(24)) for _ in range(120)]  # 12 draws and more per step, of 624
    assert turns(24, 7, 120) == expected


def test_a_crowd_is_shuffled_the_same_way(turns):
    twister = Twister(3)
    assert turns(251, 3, 3) == [twister.shuffled(range(251)) for _ in range(3)]


@pytest.mark.parametrize("seed", [0, 2, 5, 9])
def test_the_first_in_the_order_takes_the_only_piece(world, seed):
    chest = GridObjectConfig(
        name="box",
        inventory=InventoryConfig(initial={"gold": 1}),
        on_use_handler=Handler(mutations=[withdraw({"gold": 1})]),
    )
    engine = world("@b@", seed=seed, objects={"box": chest})
    engine.actions()[:] = [EAST, WEST]
    engine.step()
    first = Twister(seed).shuffled(range(2))[0]
    assert engine.get_agent_stat(first, "gold.gained") == 1
    assert engine.get_agent_stat(1 - first, "gold.gained") is None


def box():
    return GridObjectConfig(name="box")


def rain(**fields):
    return {"rain": EventConfig(name="rain", mutations=[updateTarget({"gold": 1})], timesteps=[1, 2, 3], **fields)}


def held(engine, resource):
    boxes = [thing for thing in engine.grid_objects().values() if thing["type_name"] == "box"]
    return [box["inventory"].get(resource, 0) for box in boxes]


@pytest.mark.parametrize("seed", [0, 4, 11])
def test_events_draw_their_targets_after_the_agents_drew_their_order(world, seed):
    engine = world(
        "@@...\nbbbbb", seed=seed, events=rain(target_query="type:box", max_targets=2), objects={"box": box()}
    )
    twister, expected = Twister(seed), [0] * 5
    for _ in range(3):
        engine.step()
        twister.shuffled(range(2))
        for target in twister.shuffled(range(5))[:2]:
            expected[target] += 1
        assert held(engine, GOLD) == expected


@pytest.mark.parametrize("seed", [0, 4, 11])
def test_events_with_room_for_all_targets_draw_nothing(world, seed):
    events = rain(target_query="type:box", max_targets=5)
    events["snow"] = EventConfig(
        name="snow", target_query="type:box", timesteps=[1, 2, 3], max_targets=1, mutations=[updateTarget({"ore": 1})]
    )
    engine = world("@....\nbbbbb", seed=seed, events=events, objects={"box": box()})
    twister, expected = Twister(seed), [0] * 5
    for step in (1, 2, 3):
        engine.step()
        expected[twister.shuffled(range(5))[0]] += 1
        assert (held(engine, GOLD), held(engine, ORE)) == ([step] * 5, expected)


@pytest.mark.parametrize("seed", [0, 4, 11])
def test_a_random_query_shuffles_all_it_found_and_then_cuts(world, seed):
    some = Query(source="type:box", order_by="random", max_items=2)
    tick = Handler(mutations=[QueryInventoryMutation(query=some, deltas={"gold": 1})])
    engine = world("@....\nbbbbb", seed=seed, agent=AgentConfig(on_tick=tick), objects={"box": box()})
    twister, expected = Twister(seed), [0] * 5
    for _ in range(4):
        engine.step()
        for target in twister.shuffled(range(5))[:2]:
            expected[target] += 1
        assert held(engine, GOLD) == expected


def test_seeds_are_taken_modulo_2_to_the_32(turns):
    assert turns(8, 5, 6) == turns(8, 5 + 2**32, 6)
    assert turns(8, -1, 6) == turns(8, 2**32 - 1, 6)
    assert turns(8, 5, 6) != turns(8, 6, 6)
