"""Evaluations on drawn maps of the whole game."""

from pathlib import Path

from cogsguard.evals.integrated_evals import solar
from cogsguard.maps import map_path
from cogsguard.missions.drawn import DrawnMission, drawn_mission

MAPS_DIR = Path(map_path("evals")).with_suffix("")

_DESCRIPTIONS = {
    "eval_balanced_spread": "Extractors of all kinds all around.",
    "eval_clip_oxygen": "Hardly any oxygen.",
    "eval_collect_resources": "Extractors near the base.",
    "eval_collect_resources_medium": "Extractors far from the base.",
    "eval_collect_resources_hard": "Few extractors, far from the base.",
    "eval_divide_and_conquer": "Three halls with one gate between each.",
    "eval_energy_starved": "Few extractors and no sun.",
    "eval_multi_coordinated_collect_hard": "Many extractors, far from the base.",
    "eval_oxygen_bottleneck": "One oxygen extractor.",
    "eval_single_use_world": "One extractor of each kind.",
    "extractor_hub_30x30": "A cave of 30 x 30 cells.",
    "extractor_hub_50x50": "A cave of 50 x 50 cells.",
    "extractor_hub_70x70": "A cave of 70 x 70 cells.",
    "extractor_hub_80x80": "A cave of 80 x 80 cells.",
    "extractor_hub_100x100": "A cave of 100 x 100 cells.",
}
_SEVEN = ("extractor_hub_50x50", "extractor_hub_80x80", "extractor_hub_100x100")

CVC_EVAL_MAPS = list(_DESCRIPTIONS)
CVC_EVAL_COGS = {name: 7 if name in _SEVEN else 8 for name in _DESCRIPTIONS}
"""The number of cogs on each map; a mission takes no other number."""


def _mission(name: str) -> DrawnMission:
    cogs = CVC_EVAL_COGS[name]
    mission = drawn_mission(name, _DESCRIPTIONS[name], f"evals/{name}", cogs=cogs)
    mission = mission.model_copy(update={"min_cogs": cogs, "max_cogs": cogs})
    return mission.with_variants([solar(0)] if name == "eval_energy_starved" else [])


CVC_EVAL_MISSIONS = [_mission(name) for name in CVC_EVAL_MAPS]
