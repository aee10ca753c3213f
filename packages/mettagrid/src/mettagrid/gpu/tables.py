"""Read the tables of a compiled program."""

import numpy as np

from mettagrid import _native
from mettagrid.compiler import Program

__all__ = ["Tables"]

CHANGE_VIBE = 2  # the kind of an action


class Tables:
    """The block of a program, and its tables as columns."""

    def __init__(self, program: Program) -> None:
        self.words = np.array(program.native.words, np.int32)
        self._layout = _native.table_layout()

    def columns(self, table: str) -> dict[str, np.ndarray]:
        """Return {field: int32 [rows]}."""
        place = list(self._layout).index(table)
        first, rows = self.words[2 * place : 2 * place + 2].tolist()
        fields = self._layout[table]
        block = self.words[first : first + rows * len(fields)].reshape(rows, len(fields))
        return {name: block[:, i] for i, name in enumerate(fields)}

    def action_choices(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what random actions are drawn from: the ids of primary actions; 0, no change, and those of vibes."""
        is_vibe = self.columns("actions")["kind"] == CHANGE_VIBE
        primary, vibes = np.flatnonzero(~is_vibe), np.flatnonzero(is_vibe)
        return primary.astype(np.int32), np.concatenate([[0], vibes]).astype(np.int32)

    def reads_observing(self) -> bool:
        """Whether a rule reads a stat that observing counts, so that the agents must be observed in order."""
        settings = {name: int(column[0]) for name, column in self.columns("settings").items()}
        code, ops = self.columns("code"), {name: number for number, name in enumerate(_native.op_names())}
        game = [settings[name] for name in ("stat_tokens_written", "stat_tokens_dropped", "stat_tokens_free")]
        reads = (code["op"] == ops["PushAgentStat"]) & (code["b"] == settings["stat_visited"])
        reads |= (code["op"] == ops["PushGameStat"]) & np.isin(code["a"], game)
        reads |= (code["op"] == ops["PushInventory"]) & np.isin(code["c"], game)
        return bool(reads.any())
