"""Rooms that differ only in the team of their agent: hubs on the left and right, more on one side."""

from mettagrid.mapgen.scene import AreaWhere, ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.scenes.inline_ascii import InlineAscii
from mettagrid.mapgen.scenes.room_grid import RoomGrid

_BORDER = 6
_TEAMS = "12"


class MultiLeftAndRightConfig(SceneConfig):
    """Rows and columns of rooms, and how `total_hubs` are divided: `hub_ratio` of them go to one side."""

    rows: int
    columns: int
    hub_ratio: float
    total_hubs: int


class MultiLeftAndRight(Scene[MultiLeftAndRightConfig]):
    """Draws one room at random and repeats it. Half of the rooms have an agent of team 1, the others one of team 2."""

    def get_children(self) -> list[ChildrenAction]:
        config = self.config
        count = config.rows * config.columns
        if count < 1:
            raise ValueError(f"MultiLeftAndRight has {config.rows} x {config.columns} rooms; it needs at least one.")
        height = (self.height - _BORDER * (config.rows - 1)) // config.rows
        width = (self.width - _BORDER * (config.columns - 1)) // config.columns
        room = self._room(height, width)
        teams = [_TEAMS[number % len(_TEAMS)] for number in range(count)]
        rooms = [
            ChildrenAction(
                scene=InlineAscii.Config(data="\n".join(room).replace("@", teams[index])),
                where=AreaWhere(tags=["room"]),
                limit=1,
                order_by="first",
                lock="rooms",
            )
            for index in self.rng.permutation(count)
        ]
        grid = RoomGrid.Config(rows=config.rows, columns=config.columns, border_width=_BORDER, children=rooms)
        return [ChildrenAction(scene=grid, where="full")]

    def render(self) -> None: ...

    def _room(self, height: int, width: int) -> list[str]:
        """Return a room as text: `Z` hubs in columns at both sides, `@` the agent in a random row of the middle."""
        config = self.config
        if not 0 <= config.hub_ratio <= 1 or config.total_hubs < 0:
            raise ValueError(
                f"MultiLeftAndRight has hub_ratio {config.hub_ratio} and {config.total_hubs} hubs; "
                "the ratio must be between 0 and 1 and the number 0 or more."
            )
        many = round(config.total_hubs * config.hub_ratio)
        counts = [many, config.total_hubs - many]
        self.rng.shuffle(counts)
        if height < 1 or sum(-(-count // height) for count in counts) > width - 1:
            raise ValueError(
                f"A room of MultiLeftAndRight has {width} x {height} cells; "
                f"{config.total_hubs} hubs and an agent do not fit."
            )
        rows = [["."] * width for _ in range(height)]
        for side, count in enumerate(counts):
            columns = -(-count // height)
            for place in self.rng.permutation(columns * height)[:count].tolist():
                column, row = divmod(place, height)
                rows[row][column if side == 0 else width - 1 - column] = "Z"
        left, right = -(-counts[0] // height), width - -(-counts[1] // height)
        rows[int(self.rng.integers(height))][(left + right) // 2] = "@"
        return ["".join(row) for row in rows]
