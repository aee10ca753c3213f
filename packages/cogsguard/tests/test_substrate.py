"""Missions for one cog: solving them pays 1, once."""

import pytest

from cogsguard.evals.cognitive_substrate import CATEGORY_MISSIONS
from mettagrid.cogame.core import CoGameMission
from mettagrid.simulator import Simulation

MOVES = {(-1, 0): "move_north", (1, 0): "move_south", (0, -1): "move_west", (0, 1): "move_east"}


class Walker:
    """Walks the shortest way to objects and bumps into them."""

    def __init__(self, mission: CoGameMission, seed: int) -> None:
        self.env = mission.make_env()
        self.env.game.map_builder.seed = seed
        self.sim = Simulation(self.env, seed=1)

    def cells(self, map_name: str) -> list[tuple[int, int]]:
        names = {item.map_name: number for number, item in enumerate(self.env.game.objects.values())}
        assert map_name in names
        grid = self.env.game.map_builder.create().build_for_num_agents(1).grid
        return [(r, c) for r, row in enumerate(grid) for c, name in enumerate(row) if name == map_name]

    def go(self, goal: tuple[int, int]) -> bool:
        """Walk to a cell and bump into what is there; whether the bump had an effect."""
        grid = {(item["r"], item["c"]): item for item in self.sim.grid_objects().values()}
        start = next(cell for cell, item in grid.items() if "agent_id" in item)
        came_from = {goal: goal}
        queue = [goal]
        while start not in came_from:
            cell = queue.pop(0)
            for down, right in MOVES:
                beside = cell[0] + down, cell[1] + right
                if beside not in came_from and (beside == start or beside not in grid):
                    came_from[beside] = cell
                    queue.append(beside)
        while start != goal:
            step = came_from[start]
            self.sim.agent(0).set_action(MOVES[step[0] - start[0], step[1] - start[1]])
            self.sim.step()
            start = step
        return self.sim.agent(0).last_action_success

    def score(self) -> tuple[float, float]:
        return float(self.sim.episode_rewards[0]), float(self.sim.episode_stats["agent"][0].get("goal.reached", 0))


@pytest.mark.parametrize("mission", CATEGORY_MISSIONS["memory"], ids=lambda mission: mission.name)
def test_the_cue_tells_the_goal(mission: CoGameMission) -> None:
    seen = set()
    for seed in range(12):
        walker = Walker(mission, seed)
        (right,) = walker.cells("memory_goal_reward")
        row = sorted([right, *walker.cells("memory_goal_decoy")])
        cue = next(name for name in walker.env.game.objects if name.startswith("cue_") and walker.cells(name))
        assert row.index(right) + 1 == int(cue.removeprefix("cue_"))
        seen.add(cue)
        for cell in row:
            if cell != right:
                walker.go(cell)
        assert walker.score() == (0, 0)
        assert walker.go(right)
        assert not walker.go(right)
        assert walker.score() == (1, 1)
        assert walker.sim.current_step < mission.max_steps
    assert len(seen) == len(row)


@pytest.mark.parametrize("mission", CATEGORY_MISSIONS["exploration"], ids=lambda mission: mission.name)
def test_the_maze_has_a_goal_at_its_end(mission: CoGameMission) -> None:
    walker = Walker(mission, 4)
    (goal,) = walker.cells("hub")
    assert walker.go(goal)
    steps = walker.sim.current_step
    assert walker.score() == (1, 1) and steps < mission.max_steps
    assert walker.sim.episode_stats["agent"][0]["goal.steps_to_goal"] == steps - 1  # moves; the last step is a bump


@pytest.mark.parametrize("mission", CATEGORY_MISSIONS["planning"], ids=lambda mission: mission.name)
def test_the_chain_has_to_be_used_in_order(mission: CoGameMission) -> None:
    for seed in range(4):
        walker = Walker(mission, seed)
        places = {name: walker.cells(name)[0] for name in ("key", "switch", "door", "goal")}
        assert not walker.go(places["goal"])
        for name in ("key", "switch", "door", "goal"):
            assert walker.go(places[name]), name
        assert walker.score() == (1, 1)
        assert walker.sim.current_step < mission.max_steps


@pytest.mark.parametrize("category", CATEGORY_MISSIONS)
def test_variants_can_give_the_cog_a_team(category: str) -> None:
    for variant in ("team", "territory", "clips"):
        env = CATEGORY_MISSIONS[category][0].with_variants([variant]).make_env()
        assert [(agent.team_id, "team:cogs" in agent.tags) for agent in env.game.agents] == [(0, True)]
        Simulation(env, seed=1).close()
