"""The order of variants, what they may change, and what they must not."""

import sys
from pathlib import Path

import pytest
from pydantic import Field

from mettagrid.cogame.core import (
    CoGameMission,
    CoGameMissionVariant,
    Deps,
    MissionError,
    ResolvedDeps,
    UnknownVariant,
    VariantRegistry,
)
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.random_map import RandomMapBuilder


class _Noted(CoGameMissionVariant):
    """Writes its name into the config when it is applied."""

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.tags.append(self.name)


class Ground(_Noted):
    name: str = "test_ground"
    settings: list[str] = Field(default_factory=list)


class House(_Noted):
    name: str = "test_house"

    def dependencies(self) -> Deps:
        return Deps(required=[Ground])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(Ground).settings.append("house")


class Garden(_Noted):
    name: str = "test_garden"

    def dependencies(self) -> Deps:
        return Deps(required=[Ground], optional=[House])

    def configure(self, deps: ResolvedDeps) -> None:
        if deps.optional(House) is not None:
            deps.required(Ground).settings.append("garden with house")


class Village(_Noted):
    name: str = "test_village"

    def dependencies(self) -> Deps:
        return Deps(required=[Garden, House])


class Nosy(_Noted):
    name: str = "test_nosy"

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(Ground)


class Fussy(_Noted):
    name: str = "test_fussy"

    def compat(self, mission: CoGameMission) -> bool:
        return False


class NeedsSetting(_Noted):
    name: str = "test_needs_setting"
    level: int


class First(_Noted):
    name: str = "test_first"

    def dependencies(self) -> Deps:
        return Deps(required=[Second])


class Second(_Noted):
    name: str = "test_second"

    def dependencies(self) -> Deps:
        return Deps(required=[First])


class Mission(CoGameMission):
    name: str = "test_mission"
    map_builder: RandomMapBuilder.Config = Field(default_factory=lambda: RandomMapBuilder.Config(agents=1))

    def make_base_env(self) -> MettaGridConfig:
        return MettaGridConfig.EmptyRoom(num_agents=1)


def applied(mission: CoGameMission) -> list[str]:
    return [tag.removeprefix("test_") for tag in mission.make_env().game.tags]


@pytest.mark.parametrize(
    ("attached", "default", "order"),
    [
        (["test_village"], None, ["ground", "house", "garden", "village"]),
        (["test_garden"], None, ["ground", "garden"]),
        (["test_garden", "test_house"], None, ["ground", "house", "garden"]),
        (["test_garden"], "test_house", ["ground", "house", "garden"]),
        ([], "test_house", ["ground", "house"]),
        (["test_house", "test_house"], None, ["ground", "house"]),
        ([], None, []),
    ],
)
def test_dependencies_come_first(attached: list[str], default: str | None, order: list[str]) -> None:
    assert applied(Mission(default_variant=default).with_variants(attached)) == order


def test_configuring_happens_before_any_rule_is_written() -> None:
    registry = VariantRegistry([Village()])
    registry.run_configure()
    assert registry.required(Ground).settings == ["house", "garden with house"]
    assert registry.configured_names() == ["test_ground", "test_house", "test_garden", "test_village"]
    assert ("test_garden", "test_house", "optional") in registry.build_dependency_graph()
    assert registry.has("test_house") and registry.get("test_nosy") is None


def test_making_an_environment_twice_gives_the_same_and_changes_nothing() -> None:
    ground = Ground()
    mission = Mission().with_variants([ground, "test_village"])
    assert mission.make_env() == mission.make_env()
    assert ground.settings == []


def test_a_variant_of_the_same_name_replaces_the_earlier_one() -> None:
    mission = Mission().with_variants([Ground(settings=["old"])]).with_variants([Ground(settings=["new"])])
    assert mission.required_variant(Ground).settings == ["new"]
    assert not Mission().has_variant("test_ground")


def test_undeclared_dependencies_and_circles_are_mistakes_of_the_author() -> None:
    with pytest.raises(AssertionError, match=r"required\(Ground\) not declared in dependencies\(\)"):
        Mission().with_variants(["test_nosy"]).make_env()
    with pytest.raises(AssertionError, match="test_first > test_second > test_first"):
        Mission().with_variants(["test_first"]).make_env()


def test_unknown_variants_are_refused_with_the_closest_names() -> None:
    with pytest.raises(UnknownVariant) as caught:
        Mission().with_variants(["test_vilage"])
    assert str(caught.value).startswith("Unknown variant 'test_vilage'. Did you mean 'test_village'")


def test_compat_is_a_question_for_menus_and_refuses_nothing() -> None:
    assert not Fussy().compat(Mission())
    assert applied(Mission().with_variants(["test_fussy"])) == ["fussy"]


def test_a_variant_without_defaults_is_given_as_an_object() -> None:
    with pytest.raises(MissionError, match=r"needs 'level': give NeedsSetting\(level=\.\.\.\)"):
        Mission().with_variants(["test_needs_setting"])


def test_the_last_class_of_a_name_wins_unless_a_module_is_preferred() -> None:
    made = type("Twin", (_Noted,), {"__annotations__": {"name": str}, "name": "test_ground", "__module__": "elsewhere"})
    assert CoGameMissionVariant.find_class("test_ground") is made
    assert CoGameMissionVariant.find_class("test_ground", [__name__]) is Ground
    CoGameMissionVariant._type_candidates["test_ground"].remove(made)
    CoGameMissionVariant._type_registry["test_ground"] = Ground


def test_a_mission_needs_a_cog() -> None:
    with pytest.raises(MissionError, match="cannot have 0 cogs"):
        Mission().with_cogs(0)
    assert Mission().with_cogs(3).num_cogs == 3


def test_subclasses_find_the_variants_where_the_published_package_keeps_them() -> None:
    mission = Mission(default_variant="test_house")
    assert mission._base_variants == {} and mission._variant_registry.all() == []
    attached = mission.with_variants([Garden()])
    assert list(attached._base_variants) == ["test_garden"] and mission._base_variants == {}
    attached.make_env()
    assert attached._variant_registry.configured_names() == ["test_ground", "test_house", "test_garden"]
    assert attached.required_variant(Ground).settings == ["house", "garden with house"]
    assert list(attached._base_variants) == ["test_garden"]


def test_a_mission_sees_its_variants_while_it_makes_the_base() -> None:
    class Looking(Mission):
        def make_base_env(self) -> MettaGridConfig:
            env = super().make_base_env()
            env.game.tags = [f"saw {name}" for name in self._variant_registry.configured_names()]
            return env

    assert applied(Looking().with_variants(["test_house"]))[:2] == ["saw test_ground", "saw test_house"]


def test_the_dependency_graph_adds_missing_required_variants() -> None:
    registry = VariantRegistry([House(), Garden()])
    assert registry.build_dependency_graph() == [
        ("test_house", "test_ground", "required"),
        ("test_garden", "test_ground", "required"),
        ("test_garden", "test_house", "optional"),
    ]


def test_resolved_dependencies_can_be_made_by_hand() -> None:
    deps = ResolvedDeps(VariantRegistry([Ground(settings=["mine"])]), {Ground}, {House})
    assert deps.required(Ground).settings == ["mine"] and deps.optional(House) is None
    with pytest.raises(AssertionError, match=r"optional\(Garden\) not declared"):
        deps.optional(Garden)


def test_an_unknown_variant_is_also_an_assertion_error() -> None:
    with pytest.raises(AssertionError):
        CoGameMissionVariant.create("test_no_such_variant")
    with pytest.raises(AssertionError, match=r"required\(House\) not found in registry\. Available: \['test_ground'\]"):
        VariantRegistry([Ground()]).required(House)


@pytest.mark.parametrize("prefix", ["made_up_game", "made_up_game.", "made_up_game.variants"])
def test_the_modules_of_the_prefixes_are_imported(prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made_up_game").mkdir()
    (tmp_path / "made_up_game" / "__init__.py").write_text("")
    (tmp_path / "made_up_game" / "variants.py").write_text("loaded = True")
    monkeypatch.syspath_prepend(tmp_path)

    class Prefixed(Mission):
        @classmethod
        def variant_module_prefixes(cls) -> tuple[str, ...]:
            return (prefix,)

    try:
        Prefixed().with_variants([])
        assert sys.modules["made_up_game.variants"].loaded
    finally:
        for name in ("made_up_game", "made_up_game.variants"):
            sys.modules.pop(name, None)


def test_a_prefix_that_names_no_module_is_an_import_error() -> None:
    class Misspelt(Mission):
        @classmethod
        def variant_module_prefixes(cls) -> tuple[str, ...]:
            return ("no_such_game_package",)

    with pytest.raises(ModuleNotFoundError, match="no_such_game_package"):
        Misspelt().with_variants([])
