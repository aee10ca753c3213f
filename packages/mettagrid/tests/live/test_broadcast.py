"""What spectators of a competition receive: the board of every tick, and nothing that only policies know."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mettagrid.live import WHOLE, Broadcast, LiveFeed, Piece
from mettagrid.live._chunks import CHUNK
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.replay import Replay, load_replay
from mettagrid.replay._compact_read import _Columns
from mettagrid.replay._rows import Field, Rows
from mettagrid.runner.episode.plan import EpisodePlan
from mettagrid.runner.episode.play import play_episode
from mettagrid.simulator import Action
from mettagrid.simulator.interface import SimulatorEventHandler

from .conftest import room

SEED, MAP_SEED, SECRET = 918273645, 564738291, "known-to-the-policy-alone"
PRIVATE = [Field.ASKED, Field.ASKED_VIBE, Field.OBSERVED, Field.RADIUS]


class Talkative(AgentPolicy):
    steps = 0

    def step(self, obs: Any) -> Action:
        self.steps += 1
        self._infos = {"plan": SECRET, "policy_name": SECRET, "__monologue_transcript_tail": SECRET * self.steps}
        return Action(
            name=("move_east", "move_west", "noop")[self.steps % 3], talk="hello" if self.steps == 3 else None
        )


class TalkativePolicy(MultiAgentPolicy):
    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return Talkative(self._policy_env_info)


class Watching(SimulatorEventHandler):
    """Reads a broadcast while the episode is played, as a thread would: every few steps."""

    hides_secrets = False

    def __init__(self, *, every: int, first: int = 0) -> None:
        super().__init__()
        self.every, self.first = every, first
        self.pieces: list[Piece] = []

    def show(self, feed: LiveFeed) -> None:
        assert isinstance(feed, Broadcast)
        self.broadcast = feed

    def on_step(self) -> None:
        step = self._sim.current_step
        if step % self.every == 0:
            self.broadcast.mark_soon()
        if step % self.every == 1 and step >= self.first:
            self.pieces += self.broadcast.read()


def play(path: Path, watching: Watching | None = None, *, steps: int = 60) -> None:
    env = room(2, steps)
    env.game.map_builder.seed = MAP_SEED  # type: ignore[union-attr]
    policies = [PolicySpec(class_path=f"{__name__}.TalkativePolicy")]
    plan = EpisodePlan(env, policies, [0, 0], seed=SEED, policy_seed=5, policy_names=["Ada's policy"], replay_path=path)
    play_episode(plan, live=watching, event_handlers=[] if watching is None else [watching])


def joined(pieces: list[Piece]) -> tuple[Replay, Rows, list[Any]]:
    """The replay at the beginning, the rows of all ticks, and the notes."""
    opening, *chunks = [message for piece in pieces for message in piece.messages]
    assert opening[:1] == WHOLE
    replay = load_replay(opening[1:])
    rows, notes, at = replay.rows, list(replay.notes), replay.last_tick
    for message in chunks:
        assert message[:1] == CHUNK
        columns = _Columns(message[1:])
        first, last, before, count, size, agents = columns.numbers(6)
        assert (first, before, agents) == (at + 1, 0, 2)
        columns.column("<f8", agents)
        rows = rows.then(columns.table(count, first_tick=first, default_tick=first))
        notes += json.loads(columns.rest(size))["notes"]
        at = last
    return replay, rows, notes


@pytest.mark.parametrize(("every", "first"), [(1, 0), (7, 0), (20, 45), (1000, 0)])
def test_a_watched_episode_is_the_recorded_one_tick_by_tick(tmp_path: Path, every: int, first: int) -> None:
    watching = Watching(every=every, first=first)
    play(tmp_path / "watched.json.z", watching)
    broadcast = watching.broadcast
    play(tmp_path / "alone.json.z")
    assert (tmp_path / "watched.json.z").read_bytes() == (tmp_path / "alone.json.z").read_bytes()
    assert broadcast.has_ended
    _, rows, notes = joined([*watching.pieces, *broadcast.read()])
    assert not broadcast.has_more and list(broadcast.read()) == []
    play(tmp_path / "own.cogreplay")
    recorded = load_replay(tmp_path / "own.cogreplay").rows
    recorded = recorded.take(~np.isin(recorded.field, PRIVATE))
    for ours, theirs in zip(rows.columns(), recorded.columns(), strict=True):
        assert np.array_equal(ours, theirs)
    assert [note[1:3] for note in notes if isinstance(note, list)] == [[0, "talk"], [1, "talk"]]
    broadcast.rewind()
    assert len(joined(list(broadcast.read()))[1]) == len(rows)


def test_no_seed_and_nothing_of_a_policy_is_in_the_bytes(tmp_path: Path) -> None:
    watching = Watching(every=5)
    play(tmp_path / "episode.json.z", watching)
    pieces = [*watching.pieces, *watching.broadcast.read()]
    replay, rows, _ = joined(pieces)
    assert replay.seed is None and replay.observed_values is None and not replay.has_asked
    assert replay.policy_names == ["Ada's policy", "Ada's policy"]
    assert not np.isin(rows.field, PRIVATE).any()
    whole = pieces[0].messages[0][1:]
    parts = [json.dumps(replay.config), repr(replay.notes), repr(replay.extra), repr(replay.policy_env_interface)]
    parts += [message.decode("latin1") for piece in pieces for message in piece.messages] + [whole.decode("latin1")]
    for hidden in (SECRET, str(SEED), str(MAP_SEED), struct.pack("<i", MAP_SEED).decode("latin1")):
        assert not any(hidden in part for part in parts)


def test_ticks_are_never_said_to_be_older_than_they_are(tmp_path: Path) -> None:
    watching = Watching(every=10)
    play(tmp_path / "episode.json.z", watching)
    broadcast = watching.broadcast
    broadcast.rewind()
    pieces = list(broadcast.read())
    assert pieces[0].tick == 0 and pieces[-1].tick == 60
    # A piece has the age of its last tick; the marks of a short episode fit into one piece.
    assert [piece.played_at for piece in pieces] == sorted(piece.played_at for piece in pieces)
    assert pieces[-1].played_at == broadcast._moments[-1].at
