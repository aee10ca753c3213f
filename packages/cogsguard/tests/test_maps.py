"""The drawn maps: files as drawn, sizes, what stands on them, and that it can be reached."""

import pytest

from cogsguard.maps import MAP_NAMES, load_map, map_path
from cogsguard.maps.canvas import STATIONS
from cogsguard.maps.catalogue import DRAWINGS, HUGE
from cogsguard.maps.write import as_yaml
from mettagrid.cogame.errors import MissionError

SIZES = {
    "training_facility_open_1": (21, 21),
    "training_facility_open_2": (31, 31),
    "training_facility_tight_5": (21, 21),
    "training_facility_clipped": (31, 31),
    "vanilla_small": (19, 19),
    "vanilla_large": (42, 42),
    "cave_base_50": (60, 60),
    "machina_100_stations": (110, 110),
    "machina_200_stations": (210, 210),
    "machina_200_stations_small": (39, 142),
    "machinatrainerbig": (226, 223),
    "zelda": (86, 256),
    "evals/eval_balanced_spread": (40, 40),
    "evals/extractor_hub_80x80": (90, 90),
    "diagnostic_evals/diagnostic_chest_search_hard": (158, 148),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if "big" in name or "200" in name else ()) for name in DRAWINGS]
)
def test_a_map_file_is_as_drawn_and_everything_on_it_can_be_reached(name: str) -> None:
    canvas = DRAWINGS[name]()
    text = canvas.text()
    assert map_path(name).read_text(encoding="utf-8") == as_yaml(text)
    if name == "zelda":
        return
    (hub,) = [(r, c) for r, row in enumerate(canvas.rows) for c, char in enumerate(row) if char == "&"]
    reached = canvas.reachable(hub)
    things = {(r, c) for r, row in enumerate(canvas.rows) for c, char in enumerate(row) if char not in "#."}
    assert things <= reached.keys()
    assert all(station in text for station in STATIONS)
    near = [
        cell for cell in things if canvas.at(cell) == "+" and (cell[0] - hub[0]) ** 2 + (cell[1] - hub[1]) ** 2 <= 625
    ]
    assert near, "no junction that the hub reaches"


def test_sizes() -> None:
    for name, size in SIZES.items():
        config = load_map(name)
        assert (config.height, config.width) == size, name


def test_counts() -> None:
    for name, junctions, extractors, pads in (
        ("cave_base_50", 11, 34, 8),
        ("machina_100_stations", 24, 61, 8),
        ("evals/extractor_hub_50x50", 7, 24, 7),
        ("training_facility_open_1", 1, 4, 4),
    ):
        text = "".join("".join(row) for row in load_map(name).map_data)
        found = text.count("+"), sum(text.count(char) for char in "COGS"), text.count("@")
        assert found == (junctions, extractors, pads), name


@pytest.mark.slow
def test_a_huge_map_is_drawn_when_asked_for() -> None:
    assert len(HUGE) == 14
    config = load_map("canidate2_500_stations")
    assert (config.height, config.width) == (510, 510)


def test_an_unknown_map_is_refused() -> None:
    with pytest.raises(MissionError, match="Did you mean 'zelda'"):
        load_map("zeldo")
    assert "evals/eval_balanced_spread" in MAP_NAMES
