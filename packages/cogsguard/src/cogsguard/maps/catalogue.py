"""The drawn maps by name, and the functions that draw them."""

from collections.abc import Callable
from functools import partial

from cogsguard.maps.canvas import EXTRACTORS, Canvas, Cell

Drawing = Callable[[], Canvas]


def _elements(count: int) -> str:
    return (EXTRACTORS * (count // 4 + 1))[:count]


def _facility(size: int, seed: int, *, tight: bool = False, ships: bool = False) -> Canvas:
    canvas = Canvas(size, size, seed)
    if tight:
        canvas.corridors(4)
    else:
        canvas.open_all()
    centre = canvas.centre()
    canvas.base(centre, 4)
    canvas.close_unreachable(centre)
    if ships:
        for number, cell in enumerate([(2, 2), (2, size - 3), (size - 3, 2), (size - 3, size - 3)]):
            canvas.put(cell, str(number))
    if tight:
        edge = size - 3
        for cell, char in zip(((2, 2), (2, edge), (edge, 2), (edge, edge), (2, size // 2)), "COGS+", strict=True):
            canvas.room(cell[0] - 1, cell[1] - 1, cell[0] + 1, cell[1] + 1)
            canvas.put(cell, char)
    else:
        canvas.scatter("+COGS", centre, lambda cell, steps: steps > 6)
    return canvas


def _vanilla(size: int, seed: int) -> Canvas:
    canvas = Canvas(size, size, seed)
    canvas.open_all()
    canvas.base(canvas.centre(), 4)
    canvas.scatter("+", canvas.centre(), lambda cell, steps: steps > 6)
    return canvas


def _cave(
    height: int,
    width: int,
    seed: int,
    *,
    pads: int,
    junctions: int,
    extractors: int,
    stations: bool = True,
    margin: int = 5,
) -> Canvas:
    """Draw a cave with a base in the middle. The first junction is close enough to the hub to be aligned."""
    canvas = Canvas(height, width, seed)
    canvas.caves(margin)
    centre = canvas.centre()
    canvas.base(centre, pads, stations=stations)
    for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):  # exits of the base
        for distance in range(4, 12):
            row, column = centre[0] + down * distance, centre[1] + right * distance
            if canvas.is_inside((row, column), margin) and canvas.at((row, column)) == "#":
                canvas.put((row, column), ".")
    canvas.close_unreachable(centre)
    if junctions:
        canvas.scatter("+", centre, partial(_near, centre, 6, 20))
        canvas.scatter("+" * (junctions - 1), centre)
    canvas.scatter(_elements(extractors), centre)
    return canvas


def _near(centre: Cell, min_radius: int, max_radius: int, cell: Cell, steps: int) -> bool:
    distance = (cell[0] - centre[0]) ** 2 + (cell[1] - centre[1]) ** 2
    return min_radius**2 <= distance <= max_radius**2


def _trainer(height: int, width: int, seed: int, *, pads: int, junctions: int, extractors: int) -> Canvas:
    """Draw a dense hall of pillars."""
    canvas = Canvas(height, width, seed)
    canvas.pillars(7)
    centre = canvas.centre()
    canvas.base(centre, pads)
    canvas.scatter("+" * junctions + _elements(extractors), centre)
    return canvas


def _walls_only(height: int, width: int, seed: int) -> Canvas:
    canvas = Canvas(height, width, seed)
    canvas.pillars(9)
    return canvas


def _evaluation(
    seed: int,
    *,
    junctions: int,
    extractors: str,
    pads: int = 8,
    where: Callable[[Cell, int], bool] = lambda cell, steps: True,
    halves: bool = False,
) -> Canvas:
    """Draw an arena of 40 x 40 cells with a base in the middle."""
    canvas = Canvas(40, 40, seed)
    canvas.pillars(6)
    centre = canvas.centre()
    if halves:
        canvas.wall_line([(row, 10) for row in range(1, 39)], (20, 10))
        canvas.wall_line([(row, 30) for row in range(1, 39)], (20, 30))
    canvas.base(centre, pads)
    canvas.scatter("+" * junctions, centre, partial(_near, centre, 6, 20))
    canvas.scatter(extractors, centre, where)
    return canvas


def _far(cell: Cell, steps: int) -> bool:
    return steps > 18


def _skill(height: int, width: int, seed: int, *, terrain: str, junction_steps: tuple[int, int]) -> Canvas:
    """Draw a test of one skill: a base at the left wall and a junction a given number of steps away."""
    canvas = Canvas(height, width, seed)
    base = (height // 2, 6)
    match terrain:
        case "open":
            canvas.open_all()
        case "caves":
            canvas.caves(1, fill=0.38)
        case "pillars":
            canvas.pillars(5)
        case "radial":
            base = canvas.centre()
            canvas.radial(8, 3)
        case "corridor":
            canvas.room(base[0] - 1, 1, base[0] + 1, width - 2)
    if terrain == "caves":
        canvas.room(base[0], base[1], base[0], width // 2)
    canvas.base(base, 8)
    canvas.close_unreachable(base)
    min_steps, max_steps = junction_steps
    canvas.scatter("+", base, lambda cell, steps: min_steps <= steps <= max_steps and _near(base, 1, 25, cell, steps))
    return canvas


_HALL = {"terrain": "open"}

DRAWINGS: dict[str, Drawing] = {
    "training_facility_open_1": partial(_facility, 21, 1),
    "training_facility_open_2": partial(_facility, 31, 2),
    "training_facility_open_3": partial(_facility, 21, 3),
    "training_facility_tight_4": partial(_facility, 21, 4, tight=True),
    "training_facility_tight_5": partial(_facility, 21, 5, tight=True),
    "training_facility_clipped": partial(_facility, 31, 6, ships=True),
    "vanilla_small": partial(_vanilla, 19, 7),
    "vanilla_large": partial(_vanilla, 42, 8),
    "cave_base_50": partial(_cave, 60, 60, 9, pads=8, junctions=11, extractors=34),
    "machina_100_stations": partial(_cave, 110, 110, 10, pads=8, junctions=24, extractors=61),
    "machina_200_stations": partial(_cave, 210, 210, 11, pads=8, junctions=48, extractors=190),
    "machina_200_stations_small": partial(_cave, 39, 142, 12, pads=8, junctions=5, extractors=33),
    "machina_eval_exp01": partial(_cave, 40, 40, 13, pads=1, junctions=2, extractors=4),
    "machina_eval_template_large": partial(_cave, 65, 65, 14, pads=1, junctions=3, extractors=8),
    "machinatrainer4agents": partial(_trainer, 70, 70, 15, pads=4, junctions=59, extractors=80),
    "machinatrainer4agentsbase": partial(_trainer, 70, 70, 16, pads=4, junctions=64, extractors=72),
    "machinatrainersmall": partial(_trainer, 108, 110, 17, pads=24, junctions=160, extractors=200),
    "machinatrainerbig": partial(_trainer, 226, 223, 18, pads=65, junctions=780, extractors=900),
    "zelda": partial(_walls_only, 86, 256, 19),
    "evals/eval_balanced_spread": partial(_evaluation, 20, junctions=6, extractors=_elements(20)),
    "evals/eval_clip_oxygen": partial(_evaluation, 21, junctions=4, extractors="O" + "CGS" * 4),
    "evals/eval_collect_resources": partial(_evaluation, 22, junctions=2, extractors=_elements(16)),
    "evals/eval_collect_resources_medium": partial(_evaluation, 23, junctions=3, extractors=_elements(12), where=_far),
    "evals/eval_collect_resources_hard": partial(_evaluation, 24, junctions=4, extractors=_elements(8), where=_far),
    "evals/eval_divide_and_conquer": partial(_evaluation, 25, junctions=5, extractors=_elements(24), halves=True),
    "evals/eval_energy_starved": partial(_evaluation, 26, junctions=3, extractors=_elements(12)),
    "evals/eval_multi_coordinated_collect_hard": partial(
        _evaluation, 27, junctions=6, extractors=_elements(34), where=_far
    ),
    "evals/eval_oxygen_bottleneck": partial(_evaluation, 28, junctions=3, extractors="O" + "CCGGSS" * 2),
    "evals/eval_single_use_world": partial(_evaluation, 29, junctions=1, extractors="COGS"),
    "evals/extractor_hub_30x30": partial(_cave, 40, 40, 30, pads=8, junctions=5, extractors=9),
    "evals/extractor_hub_50x50": partial(_cave, 60, 60, 31, pads=7, junctions=7, extractors=24),
    "evals/extractor_hub_70x70": partial(_cave, 80, 80, 32, pads=8, junctions=9, extractors=42),
    "evals/extractor_hub_80x80": partial(_cave, 90, 90, 33, pads=7, junctions=11, extractors=60),
    "evals/extractor_hub_100x100": partial(_cave, 110, 110, 34, pads=7, junctions=14, extractors=81),
    "diagnostic_evals/diagnostic_agile": partial(_skill, 31, 31, 40, terrain="pillars", junction_steps=(12, 40)),
    "diagnostic_evals/diagnostic_charge_up": partial(_skill, 15, 40, 41, terrain="corridor", junction_steps=(16, 25)),
    "diagnostic_evals/diagnostic_charge_up_hard": partial(
        _skill, 21, 60, 42, terrain="corridor", junction_steps=(22, 26)
    ),
    "diagnostic_evals/diagnostic_chest_navigation1": partial(
        _skill, 15, 25, 43, terrain="open", junction_steps=(8, 12)
    ),
    "diagnostic_evals/diagnostic_chest_navigation1_hard": partial(
        _skill, 31, 31, 44, terrain="open", junction_steps=(16, 26)
    ),
    "diagnostic_evals/diagnostic_chest_navigation2": partial(
        _skill, 21, 31, 45, terrain="pillars", junction_steps=(10, 18)
    ),
    "diagnostic_evals/diagnostic_chest_navigation2_hard": partial(
        _skill, 41, 41, 46, terrain="pillars", junction_steps=(18, 32)
    ),
    "diagnostic_evals/diagnostic_chest_navigation3": partial(
        _skill, 31, 31, 47, terrain="caves", junction_steps=(12, 30)
    ),
    "diagnostic_evals/diagnostic_chest_navigation3_hard": partial(
        _skill, 51, 51, 48, terrain="caves", junction_steps=(20, 60)
    ),
    "diagnostic_evals/diagnostic_chest_near": partial(_skill, 13, 15, 49, terrain="open", junction_steps=(3, 9)),
    "diagnostic_evals/diagnostic_chest_search": partial(_skill, 41, 41, 50, terrain="pillars", junction_steps=(20, 32)),
    "diagnostic_evals/diagnostic_chest_search_hard": partial(
        _skill, 158, 148, 51, terrain="caves", junction_steps=(15, 90)
    ),
    "diagnostic_evals/diagnostic_extract_lab": partial(_evaluation, 52, junctions=1, extractors=_elements(8)),
    "diagnostic_evals/diagnostic_memory": partial(_skill, 15, 30, 53, terrain="corridor", junction_steps=(12, 22)),
    "diagnostic_evals/diagnostic_memory_hard": partial(_skill, 15, 40, 54, terrain="corridor", junction_steps=(20, 25)),
    "diagnostic_evals/diagnostic_radial": partial(_skill, 41, 41, 55, terrain="radial", junction_steps=(10, 25)),
    "diagnostic_evals/diagnostic_radial_hard": partial(_skill, 51, 51, 56, terrain="radial", junction_steps=(20, 35)),
    "diagnostic_evals/diagnostic_resource_lab": partial(_evaluation, 57, junctions=2, extractors=_elements(16)),
    "diagnostic_evals/diagnostic_resource_lab_hard": partial(
        _evaluation, 58, junctions=2, extractors=_elements(8), where=_far
    ),
    "diagnostic_evals/diagnostic_unclip": partial(_skill, 21, 31, 59, terrain="open", junction_steps=(10, 20)),
}

HUGE: dict[str, Drawing] = {
    f"canidate{number}_{size}{suffix}": partial(
        _cave,
        size + 10,
        size + 10,
        100 + size + number,
        pads=4,
        junctions=(2300 if size == 1000 else 700) if suffix else 0,
        extractors=(4000 if size == 1000 else 1200) if suffix else 0,
        stations=bool(suffix),
    )
    for size, numbers in ((1000, range(1, 4)), (500, range(1, 5)))
    for number in numbers
    for suffix in ("", "_stations")
}
"""Maps too large to store as files; they are drawn on demand."""
