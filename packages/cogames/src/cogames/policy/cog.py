"""A cog of Cogs vs Clips: its inventory and knowledge, in the terms of the game.

Places are sets of cells (see `cells`), so `cog.junctions & ~cog.ours & cog.network` are the junctions to capture.
A set is empty if the mission lacks such objects.
"""

from __future__ import annotations

from cogames.policy.cells import cells_of
from cogames.policy.memory import Memory
from cogames.policy.sight import Sight
from cogames.policy.walking import Walker

__all__ = ["ELEMENTS", "GEAR_COST", "HEART_COST", "Cog"]

ELEMENTS = ("carbon", "oxygen", "germanium", "silicon")
HEART_COST = 7  # of each element
GEAR_COST = {  # paid by the hub
    "aligner": {"carbon": 3, "oxygen": 1, "germanium": 1, "silicon": 1},
    "scrambler": {"carbon": 1, "oxygen": 3, "germanium": 1, "silicon": 1},
    "miner": {"carbon": 1, "oxygen": 1, "germanium": 3, "silicon": 1},
    "scout": {"carbon": 1, "oxygen": 1, "germanium": 1, "silicon": 3},
}
CARGO, MINER_CARGO = 4, 40

HUB_REACH, NETWORK_REACH = 25, 15  # maximum distance of a new junction from the hub and from held junctions
HUB_TERRITORY, JUNCTION_TERRITORY = 16, 6  # distances within which a cog heals, even if the enemy is near
OURS, THEIRS = 1, 2  # values of `territory:here`
RESERVE = 12  # hp left on arrival at home

PATIENCE = 3  # an object is useless after this many uses in a row without effect,
GRUDGE = 40  # for this many steps


class Cog:
    """One cog and its map. Call `look` in every step, then query it; `walker` moves it."""

    def __init__(self, sight: Sight, agent_id: int) -> None:
        self.agent_id = agent_id
        self.memory = Memory(sight)
        self.walker = Walker(self.memory, seed=agent_id)
        self.steps = 0
        """number of observations so far"""
        self.team = ""
        """the tag of our team, such as `team:cogs`"""
        self.hub_hearts = 0
        """hearts in the hub, as last seen"""
        self._teams = [name for name in sight.tag_ids if name.startswith("team:")]
        self._goods = [sight.feature_ids.get(f"inv:{name}", -1) for name in (*ELEMENTS, "heart", *GEAR_COST)]
        self._failures = self._grudge_ends = 0
        self._network = (-1, 0)

    def look(self, row: bytes) -> None:
        """Process an observation, given as the bytes of its tokens."""
        memory = self.memory
        is_use, before = self._is_use(), memory.view.own
        memory.look(row)
        self.steps += 1
        if not self.team:
            own_tags = memory.view.tags.get(memory.sight.centre, ())
            self.team = next((name for name in self._teams if memory.sight.tag_ids[name] in own_tags), "")
        for cell in cells_of(self.hub):
            if memory.is_visible(cell):
                self.hub_hearts = memory.number_at(cell, "inv:heart")
        now = memory.view.own
        self._judge(is_use and all(before.get(item) == now.get(item) for item in self._goods))

    @property
    def useless(self) -> int:
        """Return the cells of objects that had no effect when the cog last used them."""
        return self.memory.notes.get("useless", 0)

    # Inventory.

    def has(self, item: str) -> int:
        """Return the amount of a resource that the cog carries."""
        return self.memory.number(f"inv:{item}")

    @property
    def cargo(self) -> int:
        return sum(self.has(element) for element in ELEMENTS)

    @property
    def capacity(self) -> int:
        return MINER_CARGO if self.has("miner") else CARGO

    def stock(self, element: str) -> int:
        """Return the amount of an element in the team's hub."""
        return self.memory.number(f"team:{element}")

    @property
    def heart_supply(self) -> int:
        """Return the number of hearts the hub can give, as far as the cog knows."""
        return self.hub_hearts + min(map(self.stock, ELEMENTS)) // HEART_COST

    def can_pay(self, gear: str) -> bool:
        return all(self.stock(element) >= amount for element, amount in GEAR_COST[gear].items())

    # Places.

    @property
    def ours(self) -> int:
        """Return the cells of all objects of our team."""
        return self.memory.tagged(self.team)

    @property
    def theirs(self) -> int:
        """Return the cells of all objects of other teams; a junction can be ours and theirs at once."""
        cells = 0
        for team in self._teams:
            if team != self.team:
                cells |= self.memory.tagged(team)
        return cells

    @property
    def hub(self) -> int:
        return self.memory.tagged("type:hub") & self.ours

    @property
    def junctions(self) -> int:
        return self.memory.tagged("type:junction")

    def station(self, gear: str) -> int:
        """Return the cells of our stations for a piece of gear."""
        return self.memory.tagged(f"type:{gear}") & self.ours

    def extractors(self, element: str) -> int:
        return self.memory.tagged(f"type:{element}_extractor")

    @property
    def network(self) -> int:
        """Return the cells where junctions can be captured: near the hub and near junctions we hold."""
        hub, held = self.hub, self.junctions & self.ours
        if self._network[0] != hub | held:
            self._network = hub | held, self._around(hub, HUB_REACH) | self._around(held, NETWORK_REACH)
        return self._network[1]

    @property
    def home(self) -> int:
        """Return the free cells where the cog heals."""
        territory = 0
        for cells, reach in self._refuges():
            territory |= self._around(cells, reach)
        return territory & self.memory.free

    def must_go_home(self) -> bool:
        """Return whether the cog must leave now to reach `home` with enough hp."""
        here, hp = self.memory.number("territory:here"), self.has("hp")
        if here == OURS or not 0 < hp < 70:
            return False
        loss = 2 if here == THEIRS else 1
        return hp <= loss * self._steps_home() + RESERVE

    def _refuges(self) -> tuple[tuple[int, int], ...]:
        """Return the objects that heal us, with their ranges."""
        # A junction that both teams own counts as theirs.
        junctions = self.junctions & self.ours & ~self.theirs
        return (self.hub, HUB_TERRITORY), (junctions, JUNCTION_TERRITORY)

    def _steps_home(self) -> int:
        """Estimate the number of steps to the nearest cell of `home`."""
        offset = self.memory.grid.offset
        row, col = offset(self.memory.here)
        steps = [
            abs(there_row - row) + abs(there_col - col) - reach
            for cells, reach in self._refuges()
            for there_row, there_col in map(offset, cells_of(cells))
        ]
        return max(0, min(steps, default=0))

    def _around(self, cells: int, radius: int) -> int:
        discs = 0
        for cell in cells_of(cells):
            discs |= self.memory.grid.disc(cell, radius)
        return discs

    def _is_use(self) -> bool:
        """Return whether the cog walks into an object in this step."""
        memory = self.memory
        return memory.heading is not None and bool(memory.objects >> memory.ahead & 1)

    def _judge(self, has_failed: bool) -> None:
        """Count consecutive uses without effect; after `PATIENCE` of them the object is useless for `GRUDGE` steps."""
        self._failures = self._failures + 1 if has_failed else 0
        notes = self.memory.notes
        if self._failures >= PATIENCE:
            notes["useless"] = notes.get("useless", 0) | 1 << self.memory.ahead
            self._grudge_ends = self.steps + GRUDGE
        elif self.steps >= self._grudge_ends:
            notes["useless"] = 0
