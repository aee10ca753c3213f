"""Every module path and name third parties import from the configuration layer, duplicates included."""

import importlib
import subprocess
import sys

import pytest

PUBLIC_NAMES = {
    "mettagrid.base_config": "Config ConfigStrEnum LENIENT_CONTEXT",
    "mettagrid.builder.building": "WallConfig wall",
    "mettagrid.builder.envs": "make_arena make_assembly_lines make_navigation",
    "mettagrid.config": "",
    "mettagrid.config.action_config": """
        Action ActionConfig ActionsConfig AttackActionConfig AttackOutcome CHANGE_VIBE_PREFIX CardinalDirection
        CardinalDirections ChangeVibeActionConfig Config Direction Directions MoveActionConfig NoopActionConfig
        VIBES Vibe
    """,
    "mettagrid.config.any_env_config": """
        AnyEnvConfig BitWorldEnvConfig EnvConfig MettaGridConfig resolve_env_config_type
    """,
    "mettagrid.config.bitworld_config": "BitWorldEnvConfig EnvConfig",
    "mettagrid.config.env_config": "Config EnvConfig",
    "mettagrid.config.event_config": "AnyQuery EventConfig Handler once periodic",
    "mettagrid.config.filter": """
        AnyFilter AnyGameValue AnyQuery ClosureQuery ConstValue Filter GameValueFilter HandlerTarget InventoryValue
        MaterializedQuery MaxDistanceFilter MaxGameValue MinGameValue NotFilter OrFilter PeriodicFilter Query
        QueryCountValue QueryInventoryValue RatioGameValue RaycastQuery ResourceFilter SharedTagPrefixFilter
        StatValue SumGameValue TagFilter TagPrefixFilter TargetIsUsableFilter TargetLocEmptyFilter VibeFilter
        actorHas actorHasAnyOf actorHasTag actorHasTagPrefix actorVibe anyOf closureQuery hasTag hasTagPrefix isA
        isNear isNot materializedQuery maxDistance query raycastQuery sharedTagPrefix targetHas targetHasAnyOf
        targetVibe typeTag
    """,
    "mettagrid.config.filter.filter": "Config ConfigStrEnum Filter HandlerTarget NotFilter OrFilter anyOf isNot",
    "mettagrid.config.filter.game_value_filter": "AnyGameValue Filter GameValueFilter",
    "mettagrid.config.filter.max_distance_filter": """
        AnyQuery Filter HandlerTarget MaxDistanceFilter Query isNear maxDistance
    """,
    "mettagrid.config.filter.periodic_filter": "Config PeriodicFilter",
    "mettagrid.config.filter.resource_filter": """
        Filter HandlerTarget OrFilter ResourceFilter actorHas actorHasAnyOf anyOf targetHas targetHasAnyOf
    """,
    "mettagrid.config.filter.shared_tag_prefix_filter": "Config SharedTagPrefixFilter sharedTagPrefix",
    "mettagrid.config.filter.tag_filter": "Filter HandlerTarget TagFilter actorHasTag hasTag isA typeTag",
    "mettagrid.config.filter.tag_prefix_filter": """
        Filter HandlerTarget TagPrefixFilter actorHasTagPrefix hasTagPrefix
    """,
    "mettagrid.config.filter.target_is_usable_filter": "Config TargetIsUsableFilter",
    "mettagrid.config.filter.target_loc_empty_filter": "Config TargetLocEmptyFilter",
    "mettagrid.config.filter.vibe_filter": "Filter HandlerTarget VibeFilter actorVibe targetVibe",
    "mettagrid.config.game_value": """
        AnyGameValue AnyQuery Config ConfigStrEnum ConstValue CountQueryValue GameValue GameValueRatio
        InventoryValue MaxGameValue MinGameValue QueryCountValue QueryInventoryValue RatioGameValue Scope StatValue
        SumGameValue inv max_value min_value num num_tagged stat tag val weighted_sum
    """,
    "mettagrid.config.handler_config": """
        AOEConfig AddTagMutation AllOf AnyFilter AnyHandler AnyMutation AnyQuery AttackMutation
        ClearInventoryMutation ClosureQuery Config EntityTarget Filter FirstMatch Handler HandlerTarget
        MaterializedQuery MaxDistanceFilter Mutation NotFilter PeriodicFilter Query QueryInventoryMutation
        QueryPlaceAdjacentMutation RecomputeMaterializedQueryMutation RelocateMutation RemoveTagMutation
        RemoveTagsWithPrefixMutation ResourceDeltaMutation ResourceFilter ResourceTransferMutation
        SpawnObjectMutation StatsMutation StatsTarget SwapMutation TagFilter TagPrefixFilter TargetIsUsableFilter
        TargetLocEmptyFilter UseTargetMutation VibeFilter actorHas actorHasTag addTag allOf deposit firstMatch
        hasTag hasTagPrefix isA isNear isNot logStat materializedQuery query queryDelta queryDeposit
        queryPlaceAdjacent queryWithdraw recomputeMaterializedQuery removeTag removeTagPrefix targetHas updateActor
        updateTarget withdraw
    """,
    "mettagrid.config.id_map": """
        IdMap ObservationFeatureSpec make_multi_token_features make_token_feature num_inventory_tokens_needed
        typeTag
    """,
    "mettagrid.config.mettagrid_config": """
        AOEConfig ActionConfig ActionsConfig AgentConfig AgentReward AnyGameValue AnyGridObjectConfig AnyHandler
        AnyMapBuilderConfig AsciiMapBuilder AttackActionConfig AttackOutcome CardinalDirection CardinalDirections
        ChangeVibeActionConfig Config ConstValue Direction Directions EnvConfig EventConfig GameConfig GameValue
        GlobalObsConfig GridObjectConfig Handler IdMap InventoryConfig InventoryValue MaterializedQuery MaxGameValue
        MettaGridConfig MinGameValue MoveActionConfig NoopActionConfig ObsConfig QueryCountValue QueryInventoryValue
        RandomMapBuilder RatioGameValue RenderConfig RenderHudConfig RenderStatusBarConfig ResourceLimitsConfig
        Scope StatValue SumGameValue TalkConfig TerritoryConfig TerritoryControlConfig WallConfig
    """,
    "mettagrid.config.mutation": """
        AddTagMutation AnyGameValue AnyMutation AnyQuery AttackMutation ChangeVibeMutation ClearInventoryMutation
        ClosureQuery EntityTarget MaterializedQuery Mutation PushObjectMutation Query QueryInventoryMutation
        QueryPlaceAdjacentMutation RaycastSpawnMutation RecomputeMaterializedQueryMutation RelocateMutation
        RemoveTagMutation RemoveTagsWithPrefix RemoveTagsWithPrefixMutation ResourceDeltaMutation
        ResourceTransferMutation SetGameValueMutation SetRelativeTargetMutation SpawnObjectMutation StatsEntity
        StatsMutation StatsTarget SwapMutation UseTargetMutation addTag changeTargetVibe deposit logActorAgentStat
        logStat logStatToGame logTargetAgentStat queryDelta queryDeposit queryPlaceAdjacent queryWithdraw
        recomputeMaterializedQuery removeTag removeTagPrefix updateActor updateTarget useTarget withdraw
    """,
    "mettagrid.config.mutation.attack_mutation": "AttackMutation Mutation",
    "mettagrid.config.mutation.change_vibe_mutation": "ChangeVibeMutation EntityTarget Mutation changeTargetVibe",
    "mettagrid.config.mutation.clear_inventory_mutation": "ClearInventoryMutation EntityTarget Mutation",
    "mettagrid.config.mutation.game_value_mutation": """
        ConstValue EntityTarget InventoryValue Mutation SetGameValueMutation StatValue
    """,
    "mettagrid.config.mutation.mutation": "Config ConfigStrEnum EntityTarget Mutation",
    "mettagrid.config.mutation.push_object_mutation": "Config PushObjectMutation",
    "mettagrid.config.mutation.query_inventory_mutation": """
        EntityTarget Mutation QueryInventoryMutation queryDelta queryDeposit queryWithdraw
    """,
    "mettagrid.config.mutation.query_place_adjacent_mutation": """
        EntityTarget Mutation QueryPlaceAdjacentMutation queryPlaceAdjacent
    """,
    "mettagrid.config.mutation.raycast_spawn_mutation": "Config RaycastSpawnMutation",
    "mettagrid.config.mutation.recompute_materialized_query_mutation": """
        Mutation RecomputeMaterializedQueryMutation recomputeMaterializedQuery
    """,
    "mettagrid.config.mutation.relocate_mutation": "Config RelocateMutation",
    "mettagrid.config.mutation.resource_mutation": """
        EntityTarget Mutation ResourceDeltaMutation ResourceTransferMutation deposit updateActor updateTarget
        withdraw
    """,
    "mettagrid.config.mutation.set_relative_target_mutation": "Config Direction SetRelativeTargetMutation",
    "mettagrid.config.mutation.spawn_object_mutation": "Config SpawnObjectMutation",
    "mettagrid.config.mutation.stats_mutation": """
        AnyGameValue ConfigStrEnum Mutation StatsEntity StatsMutation StatsTarget SumGameValue logActorAgentStat
        logStat logStatToGame logTargetAgentStat stat val
    """,
    "mettagrid.config.mutation.swap_mutation": "Config SwapMutation",
    "mettagrid.config.mutation.tag_mutation": """
        AddTagMutation EntityTarget Mutation RemoveTagMutation RemoveTagsWithPrefix RemoveTagsWithPrefixMutation
        addTag removeTag removeTagPrefix
    """,
    "mettagrid.config.mutation.use_target_mutation": "Config UseTargetMutation useTarget",
    "mettagrid.config.obs_config": "AnyGameValue Config GlobalObsConfig ObsConfig",
    "mettagrid.config.query": """
        AnyQuery ClosureQuery Config MaterializedQuery Query RaycastQuery closureQuery materializedQuery query
    """,
    "mettagrid.config.raycast_query": "Config RaycastQuery raycastQuery",
    "mettagrid.config.render_config": """
        Config RenderAsset RenderAssetValue RenderConfig RenderHudConfig RenderStatusBarConfig
    """,
    "mettagrid.config.reward_config": """
        AgentReward AnyGameValue Config ConstValue InventoryValue MaxGameValue MinGameValue QueryCountValue
        QueryInventoryValue RatioGameValue StatValue SumGameValue inventoryReward reward val weighted_sum
    """,
    "mettagrid.config.stat_writer": "AnyGameValue Config StatWriter",
    "mettagrid.config.tag": "tag typeTag",
    "mettagrid.config.territory_config": "Config Handler TerritoryConfig TerritoryControlConfig",
    "mettagrid.config.vibes": "TRAINING_VIBES VIBES VIBE_BY_NAME Vibe search_vibes",
    "mettagrid.map_builder": "GameMap MapBuilder MapBuilderConfig MapGrid",
    "mettagrid.map_builder.ascii": """
        AsciiMapBuilder AsciiMapBuilderConfig GameMap MapBuilder MapBuilderConfig merge_with_global_defaults
    """,
    "mettagrid.map_builder.choice_ascii": """
        ChoiceAsciiMapBuilder ChoiceAsciiMapBuilderConfig GameMap MapBuilder MapBuilderConfig
        merge_with_global_defaults
    """,
    "mettagrid.map_builder.map_builder": """
        AnyMapBuilderConfig Config ConfigT GameMap HasSeed MapBuilder MapBuilderConfig MapGrid TBuilder
        WithMaxRetriesConfig load_symbol
    """,
    "mettagrid.map_builder.maze": """
        GameMap MapBuilder MapBuilderConfig MazeConfigMapBuilderConfig MazeKruskalMapBuilder MazePrimMapBuilder
    """,
    "mettagrid.map_builder.perimeter_incontext": """
        GameMap MapBuilder MapBuilderConfig PerimeterInContextMapBuilder PerimeterInContextMapBuilderConfig
    """,
    "mettagrid.map_builder.random_map": """
        GameMap MapBuilder MapBuilderConfig RandomMapBuilder RandomMapBuilderConfig
    """,
    "mettagrid.map_builder.utils": """
        MapGrid compute_positions create_grid draw_border make_odd map_grid_dtype sample_position set_position
    """,
    "mettagrid.mapgen.utils.ascii_grid": """
        DEFAULT_CHAR_TO_NAME GLOBAL_DEFAULT_MAPPINGS MapGrid add_pretty_border char_grid_to_lines create_grid
        default_char_to_name grid_to_lines lines_to_grid merge_with_global_defaults print_grid
    """,
    "mettagrid.test_support": "",
    "mettagrid.test_support.map_builders": """
        GameMap MapBuilder MapBuilderConfig ObjectNameMapBuilder ObjectNameMapBuilderConfig
    """,
    "mettagrid.test_support.orientation": "E N NE NW Orientation S SE SW W",
    "mettagrid.test_support.token_types": "TokenTypes",
    "mettagrid.types": "Action EpisodeStats StatsDict",
    "mettagrid.util.module": "load_symbol",
}


@pytest.mark.parametrize("module", PUBLIC_NAMES)
def test_public_names_can_be_imported_from_the_module(module: str) -> None:
    imported = importlib.import_module(module)
    assert [name for name in PUBLIC_NAMES[module].split() if not hasattr(imported, name)] == []


def test_any_module_can_be_imported_first() -> None:
    # The published package fails when `reward_config` comes first.
    program = """
import importlib, sys
for first in sys.argv[1:]:
    for name in [name for name in sys.modules if name.split(".")[0] == "mettagrid"]:
        del sys.modules[name]
    importlib.import_module(first)
"""
    subprocess.run([sys.executable, "-c", program, *PUBLIC_NAMES], check=True)


def test_configurations_load_without_numpy_and_yaml() -> None:
    program = """
import sys
from mettagrid.config.mettagrid_config import MettaGridConfig
MettaGridConfig.EmptyRoom(num_agents=2)
print(*{"numpy", "yaml", "scipy", "gymnasium", "rich"} & set(sys.modules))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("\n", "")
