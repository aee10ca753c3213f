"""The missions everybody plays: `empty`, `arena`, `machina_1`, `tutorial`, `four_score`."""

from cogsguard.missions.arenas import arena_map
from cogsguard.missions.mission import CvCMission
from cogsguard.variants.four_score import SIZE as FOUR_SCORE_SIZE
from mettagrid.mapgen.scenes.compound import CompoundConfig

EMPTY = CvCMission(
    name="empty",
    description="Walls and cogs, no rules: a base for your own choice of variants.",
    map_builder=arena_map(50, 8),
    num_cogs=8,
    max_cogs=8,
    max_steps=1000,
    default_variant=None,
)

MACHINA_1 = CvCMission(
    name="machina_1",
    description="The full game: hold junctions against the clips on a large map.",
    map_builder=arena_map(88, 8, sequential=True, even_junctions=True, building_coverage=0.05, map_corner_offset=1),
    num_cogs=8,
    min_cogs=8,
    max_cogs=8,
    max_steps=10000,
    sub_missions=["clips"],
)

ARENA = CvCMission(
    name="arena",
    description="The full game on a small map with many buildings.",
    map_builder=arena_map(50, 8, even_junctions=True, building_coverage=0.1, map_corner_offset=1),
    num_cogs=8,
    max_cogs=20,
    max_steps=1000,
)

TUTORIAL = CvCMission(
    name="tutorial",
    description="Learn the game: a small map, four cogs, no clips.",
    map_builder=arena_map(
        35,
        4,
        building_coverage=0.05,
        hub=CompoundConfig(hub_width=15, hub_height=15, outer_clearance=2, cross_distance=5),
    ),
    num_cogs=4,
    max_cogs=4,
    num_agents=4,
    max_steps=1000,
    default_variant="tutorial",
    sub_missions=["aligner", "miner", "scout", "scrambler"],
)

FOUR_SCORE = CvCMission(
    name="four_score",
    description="Four teams of cogs compete for the junctions of one large map.",
    map_builder=arena_map(FOUR_SCORE_SIZE, 32, sequential=True, even_junctions=True, building_coverage=0.075),
    num_cogs=32,
    min_cogs=4,
    max_cogs=80,
    num_agents=32,
    max_steps=10000,
    default_variant="four_score",
)

CORE_MISSIONS = [EMPTY, MACHINA_1, ARENA, TUTORIAL, FOUR_SCORE]
