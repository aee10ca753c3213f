"""Numbers of Cogs vs Clips under their published names."""

__all__ = [
    "COGSGUARD_BOOTSTRAP_HUB_OFFSETS",
    "COGSGUARD_GEAR_COSTS",
    "COGSGUARD_HUB_ALIGN_DISTANCE",
    "COGSGUARD_JUNCTION_ALIGN_DISTANCE",
    "COGSGUARD_JUNCTION_AOE_RANGE",
    "COGSGUARD_ROLE_HP_THRESHOLDS",
    "COGSGUARD_ROLE_NAMES",
]

COGSGUARD_ROLE_NAMES = ("miner", "aligner", "scrambler", "scout")
"""roles, also the names of the gear that gives them; a cog with several pieces has the first of these roles"""

COGSGUARD_GEAR_COSTS = {
    "miner": {"carbon": 1, "oxygen": 1, "germanium": 3, "silicon": 1},
    "aligner": {"carbon": 3, "oxygen": 1, "germanium": 1, "silicon": 1},
    "scrambler": {"carbon": 1, "oxygen": 3, "germanium": 1, "silicon": 1},
    "scout": {"carbon": 1, "oxygen": 1, "germanium": 1, "silicon": 3},
}
"""elements that the hub pays for a piece of gear"""

COGSGUARD_HUB_ALIGN_DISTANCE = 25
COGSGUARD_JUNCTION_ALIGN_DISTANCE = 15

COGSGUARD_JUNCTION_AOE_RANGE = 10
"""the published value; a junction's territory reaches as far as its strength beats that of other teams"""

COGSGUARD_ROLE_HP_THRESHOLDS = {"miner": 15, "aligner": 50, "scrambler": 30, "scout": 30, "unknown": 30}
"""hp below which a cog of a role had better go home"""

COGSGUARD_BOOTSTRAP_HUB_OFFSETS = {
    0: (0, 3),
    1: (0, 2),
    2: (3, 0),
    3: (2, 0),
    4: (-2, 0),
    5: (-3, 0),
    6: (0, -2),
    7: (0, -3),
}
"""agent id -> (x, y) of the hub relative to the agent's first cell, on maps with eight cogs around the hub"""
