"""Record an episode while it is played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mettagrid import _native
from mettagrid.replay._game import game_facts, values_to_record
from mettagrid.replay._infos import fit_infos
from mettagrid.replay._model import Note, Objects, Replay
from mettagrid.replay._rows import ROW, Rows

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.mettagrid_c import MettaGrid
    from mettagrid.simulator.simulator import Simulation
    from mettagrid.simulator.talk import TalkChannel

_PAGE_ROWS = 16384


class Mark(NamedTuple):
    """A position in a recording: the tick, and the amounts of data written by then."""

    tick: int
    page: int
    row: int
    notes: int


class EpisodeRecorder:
    """Records the episode of one engine, from the state it is in now.

    Call `record()` after every step and `finish()` at the end. The engine writes the changes into the recorder's
    memory, so a step costs no work per object here. Recording does not affect the episode.

    `context` holds `policy_infos` ({agent: infos}) and `monologue_updates`, which are read at each step, `talk` is the
    talk channel; `EpisodeRecorder.of(simulation)` takes both from the simulation.
    """

    def __init__(
        self,
        engine: MettaGrid,
        config: MettaGridConfig,
        *,
        seed: int | None = None,
        context: Mapping[str, Any] | None = None,
        talk: TalkChannel | None = None,
    ) -> None:
        self._engine = engine
        self._seed = seed
        self._map_size = (engine.map_width, engine.map_height)
        self._context: Mapping[str, Any] = {} if context is None else context
        self._talk = talk if talk is not None and talk.config.enabled else None
        self._native = _native.Recorder(engine, values_to_record(config.game))
        self._facts = game_facts(config, engine.program, self._native.limit_groups)
        self._config_parts = self._facts.config_parts(config)
        self._write_rows = self._native.record
        self._pages: list[np.ndarray] = []
        self._notes: list[Note] = []
        self._infos: dict[int, dict[str, Any]] = {}
        self._last_talk: dict[int, tuple[str, int]] = {}
        self._first_tick = self._last_tick = int(engine.current_step)
        self._turn_page()
        self._write(None)

    @classmethod
    def of(cls, simulation: Simulation) -> EpisodeRecorder:
        """Create a recorder for a simulation, with its talk and its policies' infos."""
        return cls(
            simulation._c_sim,
            simulation.config,
            seed=simulation.seed,
            context=simulation._context,
            talk=simulation._talk_channel,
        )

    @property
    def steps(self) -> int:
        """The number of calls of `record`. Ticks are counted from the engine's step at the beginning."""
        return self._last_tick - self._first_tick

    def record(self, rewards: np.ndarray | None = None) -> None:
        """Record the changes since the last call; `rewards`, if given, replace the engine's."""
        if not (self._write_rows() if rewards is None else self._native.record_with(rewards)):
            self._turn_page()
            self._write(rewards)
        self._last_tick = tick = self._last_tick + 1
        talk = self._talk
        if talk is not None and (self._last_talk or not talk.is_quiet):
            self._note_talk(tick, talk)
        context = self._context
        policy_infos = context.get("policy_infos")
        if policy_infos or self._infos:
            self._note_infos(tick, policy_infos or {})
        if context.get("monologue_updates"):
            self._note_monologues(tick, context["monologue_updates"])

    def finish(self) -> Replay:
        """Return the episode up to now. Recording can continue."""
        return self.capture().replay()

    def capture(self) -> Capture:
        """Return the unprocessed episode up to now, which is fast; its `replay()` does the work."""
        capture = self.capture_until(self.mark, self._engine.get_episode_stats())
        capture.pages[-1] = capture.pages[-1].copy()
        return capture

    @property
    def mark(self) -> Mark:
        """The current position."""
        return Mark(self._last_tick, len(self._pages) - 1, self._native.written, len(self._notes))

    @property
    def episode_rewards(self) -> np.ndarray:
        """float32: the sum of each agent's rewards in the episode so far."""
        return self._engine.get_episode_rewards()

    def capture_until(self, mark: Mark, stats: dict[str, Any]) -> Capture:
        """Return the episode up to a mark, with the stats of that time; recording may continue concurrently."""
        fields = self._facts.fields | {
            "map_size": self._map_size,
            "first_tick": self._first_tick,
            "last_tick": mark.tick,
            "seed": self._seed,
            "notes": self._notes[: mark.notes],
            "config_parts": self._config_parts,
            "stats": stats,
        }
        return Capture(fields, [*self._pages[: mark.page], self._pages[mark.page][: mark.row]])

    def written_between(self, begin: Mark, end: Mark) -> tuple[np.ndarray, list[Note]]:
        """Return the rows as the engine wrote them (`ROW`, including tick markers) and the notes between two marks."""
        pages = [self._pages[number] for number in range(begin.page, end.page + 1)]
        pages[-1] = pages[-1][: end.row]
        pages[0] = pages[0][begin.row :]
        return np.concatenate(pages).view(ROW)[:, 0], self._notes[begin.notes : end.notes]

    def close(self) -> None:
        """Stop recording and release the engine; the recording stays available."""
        del self._engine, self._native, self._write_rows

    def _write(self, rewards: np.ndarray | None) -> None:
        while not (self._native.record() if rewards is None else self._native.record_with(rewards)):
            self._turn_page()

    def _turn_page(self) -> None:
        """Trim the full page to its written part, and start an empty one."""
        if self._pages:
            self._pages[-1] = self._pages[-1][: self._native.written]
        self._pages.append(np.empty((max(_PAGE_ROWS, self._native.rows_needed), ROW.itemsize), np.uint8))
        self._native.use(self._pages[-1])

    def _note_infos(self, tick: int, policy_infos: Mapping[int, Any]) -> None:
        last = self._infos
        try:
            if policy_infos == last:
                return
        except ValueError:  # arrays, which compare element by element
            pass
        for agent, infos in policy_infos.items():
            fitting = fit_infos(infos) if isinstance(infos, Mapping) else {}
            if fitting != last.get(agent, {}):
                last[agent] = fitting
                self._notes.append(Note(tick, agent, "infos", fitting))
        for agent in last.keys() - policy_infos.keys():
            if last[agent]:
                last[agent] = {}
                self._notes.append(Note(tick, agent, "infos", {}))

    def _note_talk(self, tick: int, talk: TalkChannel) -> None:
        """Record new texts and those that end early; other texts expire by themselves."""
        active = {
            agent: (state.text, state.remaining_steps)
            for agent, state in talk.render_states(current_step=self._engine.current_step).items()
        }
        for agent in sorted(active.keys() | self._last_talk.keys()):
            text, remaining = active.get(agent, ("", 0))
            before, remained = self._last_talk.get(agent, ("", 0))
            faded = (before, remained - 1) if remained > 1 else ("", 0)
            if (text, remaining) != faded:
                self._notes.append(Note(tick, agent, "talk", [text, remaining]))
        self._last_talk = active

    def _note_monologues(self, tick: int, updates: Mapping[int, Mapping[str, Any]]) -> None:
        for agent, update in updates.items():
            value = [str(update.get("monologue_append", "")), bool(update.get("monologue_reset", False))]
            self._notes.append(Note(tick, agent, "monologue", value))


@dataclass
class Capture:
    """A recorded episode whose rows are still unprocessed."""

    fields: dict[str, Any]
    """the other fields of the replay"""
    pages: list[np.ndarray]

    @property
    def steps(self) -> int:
        steps: int = self.fields["last_tick"] - self.fields["first_tick"]
        return steps

    def replay(self) -> Replay:
        ids, kinds, agents, *columns = _native.sorted_rows(self.pages, self.fields["first_tick"])
        return Replay(**self.fields, objects=Objects(ids, kinds, agents), rows=Rows(*columns))
