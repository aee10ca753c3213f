"""Scenes: areas, queries, transforms, children and their random numbers."""

import itertools

import numpy as np
import pytest
from pydantic import ValidationError

from mettagrid.mapgen.area import Area, AreaQuery, AreaWhere
from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.random.float import FloatDistribution, FloatLognormalDistribution, FloatUniformDistribution
from mettagrid.mapgen.random.int import IntDistribution
from mettagrid.mapgen.scene import ChildrenAction, GridTransform, Scene, SceneConfig
from mettagrid.mapgen.scenes.inline_ascii import InlineAscii
from mettagrid.mapgen.scenes.layout import Layout, LayoutArea
from mettagrid.mapgen.scenes.nop import Nop
from mettagrid.mapgen.scenes.random import Random
from mettagrid.mapgen.scenes.random_objects import RandomObjects
from mettagrid.mapgen.scenes.random_scene import RandomScene
from mettagrid.mapgen.scenes.random_transform import RandomTransform
from mettagrid.mapgen.scenes.remove_agents import RemoveAgents

ABC = "abc\ndef"
LETTERS = {letter: letter for letter in "abcdef"}


class CornersConfig(SceneConfig):
    size: int = 2
    length: IntDistribution = 1
    share: FloatDistribution = 0.5


class Corners(Scene[CornersConfig]):
    """Marks its corners and draws a letter into the first one."""

    def render(self) -> None:
        size = self.config.size
        for number, (x, y) in enumerate(itertools.product((0, self.width - size), (0, self.height - size))):
            self.make_area(x, y, size, size, tags=["corner", f"corner_{number}"])
        self.grid[0, 0] = "a"


class OtherCorners(Corners):
    pass


def drawn(scene: SceneConfig, width: int, height: int, seed: int = 1) -> list[str]:
    grid = MapGen.Config(border_width=0, width=width, height=height, seed=seed, instance=scene).create().build().grid
    return ["".join({"wall": "#", "empty": "."}.get(name, name[-1]) for name in row) for row in grid.tolist()]


def root(scene: SceneConfig, width: int = 7, height: int = 5) -> Scene:
    grid = np.full((height, width), "empty", dtype="<U20")
    made = scene.create_root(Area.root_area_from_grid(grid), np.random.default_rng(1))
    made.render()
    return made


def places(scene: Scene, **query: object) -> list[tuple[int, int]]:
    return [(area.x, area.y) for area in scene.select_areas(AreaQuery(**query))]


def test_type_names_follow_the_scene() -> None:
    assert Corners.Config is CornersConfig
    assert CornersConfig().model_dump()["type"].endswith(".Corners.Config")
    assert OtherCorners.Config is not CornersConfig
    assert OtherCorners.Config().model_dump()["type"].endswith(".OtherCorners.Config")


def test_a_configuration_without_a_scene_cannot_draw() -> None:
    class Lonely(SceneConfig):
        pass

    with pytest.raises(TypeError, match="Lonely has no scene"):
        _ = Lonely().scene_cls


def test_a_scene_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Random\.Config is not a subclass of .*Nop\.Config"):
        Nop.Config.model_validate({"type": "mettagrid.mapgen.scenes.random.Random.Config"})
    with pytest.raises(ValidationError, match="needs the key 'type'"):
        ChildrenAction.model_validate({"scene": {}})


def test_queries_choose_areas() -> None:
    scene = root(Corners.Config())
    everything = [(0, 0), (0, 3), (5, 0), (5, 3)]
    assert places(scene) == everything
    assert places(scene, where="full") == [(0, 0)]
    assert places(scene, where=AreaWhere(tags=["corner", "corner_2"])) == [(5, 0)]
    assert places(scene, limit=2, order_by="first", offset=1) == [(0, 3), (5, 0)]
    assert places(scene, limit=2, order_by="last", offset=1) == [(0, 3), (5, 0)]
    assert places(scene, limit=9, order_by="first", offset=1) == everything
    assert len(set(places(scene, limit=3))) == 3
    assert places(scene, limit=0) == []


def test_a_lock_takes_each_area_once() -> None:
    scene = root(Corners.Config())
    assert places(scene, limit=1, order_by="first", lock="a") == [(0, 0)]
    assert places(scene, limit=2, order_by="last", lock="a") == [(5, 0), (5, 3)]
    assert places(scene, lock="b") != places(scene, lock="a") == [(0, 3)]
    assert places(scene, lock="a") == []


def test_an_offset_into_random_order_is_refused() -> None:
    with pytest.raises(ValueError, match="needs order_by 'first' or 'last'"):
        places(root(Corners.Config()), limit=1, offset=1)


def test_an_area_that_sticks_out_is_refused() -> None:
    with pytest.raises(ValueError, match="Corners marks an area of 9 x 9 cells"):
        root(Corners.Config(size=9))


def test_transforms_form_a_group() -> None:
    grid = np.array([list("abc"), list("def")])
    for first, second in itertools.product(GridTransform, repeat=2):
        assert (second.apply(first.apply(grid)) == first.compose(second).apply(grid)).all()
        assert (first.inverse().apply(first.apply(grid)) == grid).all()
    for transform in GridTransform:
        turned = transform.apply(grid)
        for y, x in np.ndindex(grid.shape):
            new_x, new_y = transform.apply_to_coords(grid, x, y)
            assert turned[new_y, new_x] == grid[y, x]


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("identity", ["abc", "def"]),
        ("rot_90", ["da", "eb", "fc"]),
        ("rot_180", ["fed", "cba"]),
        ("rot_270", ["cf", "be", "ad"]),
        ("flip_h", ["cba", "fed"]),
        ("flip_v", ["def", "abc"]),
        ("transpose", ["ad", "be", "cf"]),
        ("transpose_alt", ["fc", "eb", "da"]),
    ],
)
def test_a_transform_turns_a_drawing_and_its_size(transform: str, expected: list[str]) -> None:
    config = MapGen.Config(
        border_width=0, instance=InlineAscii.Config(data=ABC, char_to_name=LETTERS, transform=transform)
    )
    assert ["".join(row) for row in config.create().build().grid.tolist()] == expected


@pytest.mark.parametrize("transform", list(GridTransform))
def test_areas_are_where_the_scene_draws(transform: GridTransform) -> None:
    letter = InlineAscii.Config(data="b", char_to_name=LETTERS, transform=transform.inverse())
    first = ChildrenAction(scene=letter, where=AreaWhere(tags=["corner_0"]))
    text = "".join(drawn(Corners.Config(transform=transform, children=[first], size=1), 6, 4))
    assert "a" not in text and text.count("b") == 1  # the child drew over the letter of its parent


def test_children_of_the_scene_come_before_those_of_the_configuration() -> None:
    class Parent(Scene[type("ParentConfig", (SceneConfig,), {"__module__": __name__})]):
        def render(self) -> None:
            pass

        def get_children(self) -> list[ChildrenAction]:
            return [ChildrenAction(scene=InlineAscii.Config(data="a", char_to_name=LETTERS), where="full")]

    later = ChildrenAction(scene=InlineAscii.Config(data="b", char_to_name=LETTERS), where="full")
    assert drawn(Parent.Config(children=[later]), 1, 1) == ["b"]


def test_a_scene_with_its_own_seed_does_not_depend_on_the_map() -> None:
    def cells(map_seed: int, scene_seed: int | None) -> list[str]:
        child = ChildrenAction(scene=Random.Config(objects={"b": 5}, seed=scene_seed), where="full")
        return drawn(Nop.Config(children=[child]), 9, 9, seed=map_seed)

    assert cells(1, 7) == cells(2, 7)
    assert cells(1, None) != cells(2, None)
    assert cells(1, 0) == cells(1, None)  # 0 counts as no seed


def test_layouts_mark_the_middle() -> None:
    letter = ChildrenAction(scene=InlineAscii.Config(data=ABC, char_to_name=LETTERS), where=AreaWhere(tags=["middle"]))
    layout = Layout.Config(areas=[LayoutArea(width=3, height=2, tag="middle")], children=[letter])
    assert drawn(layout, 5, 4) == [".....", ".abc.", ".def.", "....."]
    with pytest.raises(ValueError, match="'middle' of 3 x 2 cells does not fit"):
        drawn(layout, 2, 2)


def test_random_scenes_choose_by_weight() -> None:
    letters = {
        letter: {"scene": InlineAscii.Config(data=letter, char_to_name=LETTERS), "weight": weight}
        for letter, weight in (("a", 3), ("b", 1), ("c", 0))
    }
    text = "".join(drawn(RandomScene.Config(candidates=list(letters.values())), 1, 1, seed)[0] for seed in range(400))
    assert text.count("c") == 0
    assert 250 < text.count("a") < 350
    with pytest.raises(ValueError, match="RandomScene"):
        drawn(RandomScene.Config(candidates=[letters["c"]]), 1, 1)


def test_random_transforms_use_all_orientations() -> None:
    square = InlineAscii.Config(data="abc\n...\n...", char_to_name={**LETTERS, ".": "empty"})
    seen = {tuple(drawn(RandomTransform.Config(scene=square), 3, 3, seed)) for seed in range(100)}
    assert len(seen) == 8


def test_random_objects_take_a_share_of_the_cells() -> None:
    text = "".join(drawn(RandomObjects.Config(object_ranges={"a": 0.25, "b": ["uniform", 0.1, 0.2]}), 20, 10))
    assert text.count("a") == 50
    assert 20 <= text.count("b") <= 40


def test_agents_can_be_removed() -> None:
    child = ChildrenAction(scene=RemoveAgents.Config(), where="full")
    assert drawn(Random.Config(agents={"red": 3}, children=[child]), 3, 3) == ["...", "...", "..."]


@pytest.mark.parametrize(
    ("written", "saved"),
    [(3, 3), (["uniform", 1, 4], ["uniform", 1, 4]), ({"value": 3}, 3), ({"low": 1, "high": 4}, ["uniform", 1, 4])],
)
def test_whole_number_distributions_are_read_in_both_forms(written: object, saved: object) -> None:
    config = CornersConfig(length=written)
    assert config.model_dump()["length"] == saved
    assert {config.length.sample(np.random.default_rng(seed)) for seed in range(60)} in ({3}, {1, 2, 3, 4})


def test_float_distributions() -> None:
    rng = np.random.default_rng(1)
    assert isinstance(CornersConfig(share=["uniform", 1, 2]).share, FloatUniformDistribution)
    numbers = np.array([CornersConfig(share=["lognormal", 2, 8]).share.sample(rng) for _ in range(2000)])
    assert 0.87 < ((numbers > 2) & (numbers < 8)).mean() < 0.93
    assert max(CornersConfig(share=["lognormal", 2, 8, 5]).share.sample(rng) for _ in range(200)) == 5
    assert CornersConfig(share=["lognormal", 2, 8, 5]).model_dump()["share"] == ["lognormal", 2, 8, 5]


@pytest.mark.parametrize(
    "fields",
    [
        {"length": "3"},
        {"length": 2.5},
        {"length": ["uniform", 1]},
        {"length": ["normal", 1, 10]},
        {"share": ["normal", 0, 1]},
        {"share": ["uniform", 1.0]},
        {"share": ["lognormal", 1, 2, 3, 4]},
    ],
)
def test_other_distributions_are_a_type_error(fields: dict) -> None:
    with pytest.raises(TypeError, match="is needed here"):
        CornersConfig(**fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"length": ["uniform", 4, 1]}, "Low value must be less than high value"),
        ({"share": ["uniform", 2, 1]}, "Low value must be less than high value"),
        ({"share": ["lognormal", 0, 1]}, "Low value must be above 0"),
    ],
)
def test_empty_ranges_are_refused_when_they_are_read(fields: dict, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        CornersConfig(**fields)


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (10.0, 1.0, "Low value must be less than high value"),
        (1.0, 1.0, "Low value must be less than high value"),
        (0.0, 10.0, "Low value must be above 0"),
        (-1.0, 10.0, "Low value must be above 0"),
    ],
)
def test_a_lognormal_distribution_checks_its_bounds_when_it_draws(low: float, high: float, message: str) -> None:
    distribution = FloatLognormalDistribution(low=low, high=high)
    with pytest.raises(ValueError, match=message):
        distribution.sample(np.random.default_rng(1))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"data": "ab\nabc"}, "all lines must have the same width"),
        ({"data": "abcdef"}, "does not fit into 4 x 3 cells"),
        ({"data": "ab", "row": 3}, "does not fit into 4 x 3 cells"),
    ],
)
def test_drawings_that_do_not_fit_are_refused(fields: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drawn(InlineAscii.Config(char_to_name=LETTERS, **fields), 4, 3)
