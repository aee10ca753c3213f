"""The framework: binding, type names, loading, places for agents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, ValidationError

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder import GameMap, MapBuilder, MapBuilderConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder, AsciiMapBuilderConfig
from mettagrid.map_builder.map_builder import AnyMapBuilderConfig, HasSeed, WithMaxRetriesConfig
from mettagrid.map_builder.random_map import RandomMapBuilder, RandomMapBuilderConfig
from mettagrid.test_support.map_builders import ObjectNameMapBuilder
from mettagrid.util.module import load_symbol

RANDOM = "mettagrid.map_builder.random_map.RandomMapBuilder.Config"
ASCII = "mettagrid.map_builder.ascii.AsciiMapBuilder.Config"


class RowConfig(MapBuilderConfig["Row"]):
    agents: int = 3
    seed: int | None = None


class Row(MapBuilder[RowConfig]):
    def build(self) -> GameMap:
        return GameMap(np.array([["agent.agent"] * self.config.agents]))


class EmptyRow(MapBuilder[RowConfig]):
    def build(self) -> GameMap:
        return GameMap(np.array([["empty"] * self.config.agents]))


class FlakyConfig(MapBuilderConfig["Flaky"], WithMaxRetriesConfig):
    failures: int = 2


class Flaky(MapBuilder[FlakyConfig]):
    attempts = 0

    def build(self) -> GameMap:
        self.attempts += 1
        if self.attempts <= self.config.failures:
            raise ValueError("bad luck")
        return GameMap(np.array([["agent.agent"]]))


def test_declaring_a_builder_binds_its_configuration() -> None:
    assert Row.Config is RowConfig
    assert RowConfig.builder_cls() is Row
    assert type(RowConfig().create()) is Row
    assert (RandomMapBuilder.Config, AsciiMapBuilder.Config) == (RandomMapBuilderConfig, AsciiMapBuilderConfig)


def test_a_second_builder_gets_a_configuration_class_of_its_own() -> None:
    assert EmptyRow.Config is not RowConfig and issubclass(EmptyRow.Config, RowConfig)
    assert type(EmptyRow.Config(agents=2).create()) is EmptyRow
    assert EmptyRow.Config().model_dump()["type"] == f"{__name__}.EmptyRow.Config"
    assert RowConfig.builder_cls() is Row


def test_a_derived_builder_gets_a_configuration_class_of_its_own() -> None:
    class Longer(Row):
        pass

    assert Longer.Config.builder_cls() is Longer and issubclass(Longer.Config, RowConfig)


def test_a_builder_without_configuration_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="Nameless must inherit from MapBuilder"):

        class Nameless(MapBuilder):
            pass

    class Unused(MapBuilderConfig["Nobody"]):
        pass

    with pytest.raises(TypeError, match="Unused is not bound to a MapBuilder"):
        Unused().create()


@pytest.mark.parametrize("options", [{}, {"mode": "json"}, {"exclude_unset": True}, {"exclude_defaults": True}])
def test_type_is_the_first_key_of_every_dump(options: dict[str, Any]) -> None:
    dumped = RandomMapBuilder.Config(width=3).model_dump(**options)
    assert next(iter(dumped)) == "type" and dumped["type"] == RANDOM and dumped["width"] == 3


def test_a_field_for_any_builder_keeps_the_class() -> None:
    class Holder(BaseModel):
        builder: AnyMapBuilderConfig

    holder = Holder.model_validate({"builder": {"type": RANDOM, "width": 4}})
    assert holder.builder == RandomMapBuilder.Config(width=4)
    assert Holder.model_validate_json(holder.model_dump_json()) == holder


def test_the_type_may_be_given_to_the_class_itself() -> None:
    assert RandomMapBuilder.Config(type=RANDOM, width=3) == RandomMapBuilder.Config(width=3)


def test_a_type_of_another_kind_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=rf"{ASCII} is not a subclass of {RANDOM}"):
        RandomMapBuilder.Config.model_validate({"type": ASCII, "map_data": "#", "char_to_map_name": {}})
    with pytest.raises(TypeError, match=r"RandomMapBuilder\.Config is not a subclass of .*AsciiMapBuilder\.Config"):
        AsciiMapBuilder.Config.from_str(f"type: {RANDOM}\nwidth: 4\n")
    for name in ("os.path.join", "mettagrid.map_builder.ascii.AsciiMapBuilder"):
        with pytest.raises(TypeError, match="is not a subclass of MapBuilderConfig"):
            MapBuilderConfig.model_validate({"type": name})


@pytest.mark.parametrize("name", ["zz.yy", "os.nothing", "nodots", "", ".", "a..b", 3, None, ["x"]])
def test_a_type_that_cannot_be_found_is_a_validation_error(name: object) -> None:
    with pytest.raises(ValidationError):
        MapBuilderConfig.model_validate({"type": name})


@pytest.mark.parametrize("data", [3, "x", [], None])
def test_a_builder_is_given_as_a_dictionary(data: object) -> None:
    with pytest.raises(ValidationError, match="A map builder is given as a dictionary"):
        MettaGridConfig.model_validate({"game": {"map_builder": data}})


def test_the_type_is_needed_where_any_builder_may_stand() -> None:
    with pytest.raises(ValidationError, match="A map builder needs the key 'type'"):
        MettaGridConfig.model_validate({"game": {"map_builder": {"width": 3}}})


def test_configurations_are_read_from_text_and_files(tmp_path: Path) -> None:
    text = f"type: {ASCII}\nmap_data: |-\n  ##\n  #@\nchar_to_map_name: {{}}\n"
    config = MapBuilderConfig.from_str(text)
    assert config == AsciiMapBuilder.Config(map_data=["##", "#@"], char_to_map_name={})
    file = tmp_path / "small.map"
    file.write_text(text)
    assert MapBuilderConfig.from_uri(file) == MapBuilderConfig.from_uri(f"file://{file}") == config
    assert RandomMapBuilder.Config.from_str(b'{"width": 3}').width == 3
    with pytest.raises(ValidationError):
        RandomMapBuilder.Config.from_str("- 3")
    with pytest.raises(FileNotFoundError):
        MapBuilderConfig.from_uri(tmp_path / "none.map")


def test_spare_places_for_agents_become_empty() -> None:
    kept = RowConfig(agents=6, seed=4).create().build_for_num_agents(2).grid
    assert sorted(kept[0]) == ["agent.agent"] * 2 + ["empty"] * 4
    assert (kept == RowConfig(agents=6, seed=4).create().build_for_num_agents(2).grid).all()
    places = np.argwhere(np.full((1, 6), True))
    np.random.default_rng(4).shuffle(places)
    assert {tuple(place) for place in places[:2]} == {tuple(place) for place in np.argwhere(kept == "agent.agent")}


def test_too_few_places_for_agents_are_a_value_error() -> None:
    with pytest.raises(ValueError, match="Number of agents 4 exceeds available spawn points 3 in map"):
        RowConfig().create().build_for_num_agents(4)


@pytest.mark.parametrize(("failures", "retries", "works"), [(5, 5, True), (6, 5, False), (1, 0, False), (0, 0, True)])
def test_builders_may_try_again(failures: int, retries: int, works: bool) -> None:
    builder = FlakyConfig(failures=failures, max_retries=retries).create()
    if works:
        assert builder.build_for_num_agents(1).grid.tolist() == [["agent.agent"]]
    else:
        with pytest.raises(ValueError, match="bad luck"):
            builder.build_for_num_agents(1)
    assert builder.attempts == min(failures, retries) + 1


def test_has_seed_is_about_the_attribute() -> None:
    assert isinstance(RandomMapBuilder.Config(), HasSeed)
    assert not isinstance(AsciiMapBuilder.Config(map_data="#", char_to_map_name={}), HasSeed)


def test_a_map_of_names() -> None:
    config = ObjectNameMapBuilder.Config(map_data=[["wall", "agent.red"], ["empty", "chest"]])
    assert config.create().build().grid.tolist() == config.map_data
    assert config.model_dump()["type"] == "mettagrid.test_support.map_builders.ObjectNameMapBuilder.Config"


def test_finding_objects_by_name() -> None:
    assert load_symbol(ASCII) is AsciiMapBuilderConfig
    assert load_symbol("os.path.join") is __import__("os").path.join
    assert load_symbol("os.nothing", strict=False) is None
    for name in ("os", "", "os.nothing", "nothing.at.all", f"{ASCII}.Nothing"):
        with pytest.raises(ModuleNotFoundError):
            load_symbol(name)
