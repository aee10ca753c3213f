"""The vocabulary of the `sparse` network: names keep their rows, whatever their numbers in a game are."""

import json

import pytest

from mettagrid.config.id_map import ObservationFeatureSpec
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.sparse_tokens import BYTES, NO_PLACE, UNKNOWN, Vocabulary


def game(*features: str, tags: tuple[str, ...] = (), window: tuple[int, int] = (13, 13)) -> PolicyEnvInterface:
    """A game whose features have the numbers 0, 1, 2, ..."""
    return PolicyEnvInterface(
        obs_features=[
            ObservationFeatureSpec(id=number, name=name, normalization=100.0) for number, name in enumerate(features)
        ],
        tags=list(tags),
        action_names=["noop", "move_north"],
        vibe_action_names=["change_vibe_default", "change_vibe_heart"],
        num_agents=2,
        observation_shape=(20, 3),
        egocentric_shape=window,
    )


FIRST = game("tag", "inv:hp", "vibe", "last_action", "territory:here", "lp:east", tags=("type:hub", "type:wall"))
SECOND = game("lp:east", "vibe", "inv:hp", "inv:new", "tag", tags=("team:red", "type:wall"))


def kind(interface: PolicyEnvInterface, vocabulary: Vocabulary, name: str, value: int) -> int:
    (feature,) = [feature.id for feature in interface.obs_features if feature.name == name]
    return int(vocabulary.tables(interface).kinds[feature * BYTES + value])


def test_one_name_has_the_same_kind_in_games_that_number_it_differently() -> None:
    vocabulary = Vocabulary.of([FIRST, SECOND])
    assert kind(FIRST, vocabulary, "tag", 1) == kind(SECOND, vocabulary, "tag", 1) != UNKNOWN
    assert kind(FIRST, vocabulary, "tag", 0) != kind(SECOND, vocabulary, "tag", 0)
    for name in ("inv:hp", "vibe", "lp:east"):
        for value in (0, 1, 7, 200):
            assert kind(FIRST, vocabulary, name, value) == kind(SECOND, vocabulary, name, value)


def test_names_that_are_not_in_the_vocabulary_are_unknown() -> None:
    vocabulary = Vocabulary.of([FIRST])
    assert kind(SECOND, vocabulary, "inv:new", 3) == kind(SECOND, vocabulary, "tag", 0) == UNKNOWN
    assert kind(FIRST, vocabulary, "tag", 2) == UNKNOWN, "a tag number without a name"
    assert kind(FIRST, vocabulary, "vibe", 2) == UNKNOWN
    assert not vocabulary.tables(FIRST).kinds[BYTES * len(FIRST.obs_features) :].any()


def test_a_number_has_one_kind_for_each_range_of_values_and_distances_have_finer_ones() -> None:
    vocabulary = Vocabulary.of([FIRST])
    kinds = [kind(FIRST, vocabulary, "inv:hp", value) for value in range(BYTES)]
    begins = [value for value in range(BYTES) if value == 0 or kinds[value] != kinds[value - 1]]
    assert begins == [0, 1, 2, 3, 5, 9, 17, 33, 65, 129]
    distances = {kind(FIRST, vocabulary, "lp:east", value) for value in range(BYTES)}
    assert len({kind(FIRST, vocabulary, "lp:east", value) for value in range(16)}) == 16 < len(distances)


def test_kinds_of_different_names_do_not_overlap() -> None:
    vocabulary = Vocabulary.of([FIRST, SECOND])
    seen: dict[int, str] = {}
    for interface in (FIRST, SECOND):
        for feature in interface.obs_features:
            for value in range(BYTES):
                number = kind(interface, vocabulary, feature.name, value)
                if number != UNKNOWN:
                    assert number < vocabulary.num_kinds and seen.setdefault(number, feature.name) == feature.name
    assert len(seen) == vocabulary.num_kinds - 1, "no kind is left over"


def test_a_vocabulary_goes_through_json() -> None:
    vocabulary = Vocabulary.of([FIRST, SECOND])
    again = Vocabulary.from_names(json.loads(json.dumps(list(vocabulary.names))))
    assert again == vocabulary and again.first_kinds == vocabulary.first_kinds
    assert {"tag:type:wall", "vibe:heart", "last_action:noop", "inv:hp"} <= set(again.names)


@pytest.mark.parametrize(("names", "says"), [(["a", "b", "a"], "'a' twice"), ("abc", "a list of names"), ([1], "list")])
def test_a_list_that_is_no_vocabulary_is_refused(names: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Vocabulary.from_names(names)  # type: ignore[arg-type]


def test_cells_keep_their_place_relative_to_the_agent_in_windows_of_any_size() -> None:
    vocabulary = Vocabulary.of([FIRST])
    large, small = vocabulary.tables(FIRST), vocabulary.tables(game("tag", window=(11, 9)))
    assert large.own_location == 0x66 and small.own_location == 0x54
    for row, column in ((0, 0), (-3, 2), (4, -4)):
        places = [tables.places[tables.own_location + row * 16 + column] for tables in (large, small)]
        assert places[0] == places[1] != NO_PLACE
    assert large.places[0xFE] == small.places[0xFE] == 0xFE
    assert large.places[0xFF] == small.places[0xB0] == small.places[0x09] == NO_PLACE


def test_only_numbers_have_a_magnitude() -> None:
    vocabulary = Vocabulary.of([FIRST])
    tables = vocabulary.tables(FIRST)
    assert set(vocabulary.magnitudes) == {"inv:hp", "lp:east"}
    assert tables.scales[[0, 2, 3, 4]].tolist() == [0.0] * 4
    assert tables.scales[[1, 5]].tolist() == pytest.approx([0.01, 0.01])
