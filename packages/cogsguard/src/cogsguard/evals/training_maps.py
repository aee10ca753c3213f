"""Missions on the drawn maps for training."""

from cogsguard.missions.drawn import drawn_mission

# name: cogs, description
_MAPS = {
    "training_facility_open_1": (4, "An open room with one of everything."),
    "training_facility_open_2": (4, "A larger open room with one of everything."),
    "training_facility_open_3": (4, "An open room with one of everything, in another layout."),
    "training_facility_tight_4": (4, "Narrow corridors with one of everything."),
    "training_facility_tight_5": (4, "Narrow corridors with one of everything."),
    "training_facility_clipped": (4, "An open room with ships of the clips in its corners."),
    "vanilla_small": (4, "A base and a junction."),
    "vanilla_large": (4, "A base and a junction in a large room."),
    "cave_base_50": (8, "A cave."),
    "machina_100_stations": (8, "A large cave."),
    "machina_200_stations": (8, "A very large cave."),
    "machina_200_stations_small": (8, "A long cave."),
    "machina_eval_exp01": (1, "A small cave for one cog."),
    "machina_eval_template_large": (1, "A cave for one cog."),
}

TRAINING_MAPS = [drawn_mission(name, text, name, cogs=cogs) for name, (cogs, text) in _MAPS.items()]
