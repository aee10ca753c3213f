"""The game program: plays one episode or serves a replay, depending on environment variables."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from cogsguard.coworld.config import GameConfig, read_config
from cogsguard.coworld.errors import CoworldGameError, MissingSetting
from cogsguard.coworld.events import Events
from cogsguard.coworld.results import Results, results_of
from cogsguard.coworld.seats import Hearing, Seats
from cogsguard.coworld.server import EpisodeServer, ReplayServer
from mettagrid.live import Clock, Goal, Lines, LiveRenderer
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.replay import load_replay
from mettagrid.replay.errors import ReplayError
from mettagrid.runner.episode import EpisodePlan, play_episode
from mettagrid.util.file import read, write_data

__all__ = ["main", "play", "show"]

DEFAULT_PORT = 8080
HINT = (
    "Walk into things to use them: a station gives gear, an extractor elements, the hub hearts. With aligner gear and "
    "a heart, walk into a junction. Arrows or WASD move your cog; a click sends it there."
)
"""for people who play"""


def main(environ: Mapping[str, str] = os.environ, kind: type[GameConfig] = GameConfig) -> int:
    """Play or serve; return 0 on success, 1 after an error message on stderr. `kind` parses the config."""
    try:
        if environ.get("COGAME_LOAD_REPLAY_URI") or environ.get("COGAME_REPLAY_SERVER"):
            show(environ)
        else:
            play(environ, kind)
    except (CoworldGameError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def play(environ: Mapping[str, str], kind: type[GameConfig] = GameConfig) -> Results:
    """Play the episode that `COGAME_CONFIG_URI` describes; results are written before the replay, events after."""
    config_uri = _setting(environ, "COGAME_CONFIG_URI", "the runner sets it to the game's config")
    results_uri = _setting(environ, "COGAME_RESULTS_URI", "the runner sets it to the destination of the results")
    config = read_config(read(config_uri), kind)
    env = config.environment()
    events_uri = environ.get("COGAME_EVENTS_URI")
    events = Events() if events_uri else None
    with tempfile.TemporaryDirectory() as folder:
        replay_path = Path(folder) / "replay.cogreplay"
        plan = EpisodePlan(
            env,
            [PolicySpec(class_path="noop")] * config.slots,
            range(config.slots),
            seed=config.seed,
            policy_names=config.names,
            replay_path=replay_path,
        )
        results = _play(plan, config, environ, events)
        document = results.model_dump_json(indent=2).encode() + b"\n"
        _write(results_uri, document, environ.get("COGAME_RESULTS_METHOD", ""), "application/json")
        replay_uri = environ.get("COGAME_SAVE_REPLAY_URI")
        if replay_uri:
            _write(replay_uri, replay_path.read_bytes(), environ.get("COGAME_SAVE_REPLAY_METHOD", ""))
        if events_uri and events is not None:
            _write(events_uri, json.dumps(events.events).encode(), "", "application/json")
    return results


def show(environ: Mapping[str, str]) -> None:
    """Serve a replay until the process ends; without `COGAME_LOAD_REPLAY_URI`, the one that the page's query names."""
    given = environ.get("COGAME_LOAD_REPLAY_URI")
    content = None if not given else _replay(given)
    host, port = _address(environ)
    with ReplayServer(_replay if content is None else lambda uri: content, host=host, port=port):
        _say(f"Serving {'replays' if content is None else 'the replay'} on port {port}")
        threading.Event().wait()


def _replay(uri: str) -> bytes:
    """Read a replay; raise `CoworldGameError` if it is not valid."""
    try:
        content = read(uri)
        load_replay(content)
    except ReplayError as error:
        raise CoworldGameError(f"The replay is not valid: {error}") from error
    return content


def _play(plan: EpisodePlan, config: GameConfig, environ: Mapping[str, str], events: Events | None) -> Results:
    is_timed = config.tick_rate is not None
    clock = Clock(
        steps_per_second=config.tick_rate or 1000.0,
        tick_mode="fixed" if is_timed else "tick_when_act",
        human_action_timeout_seconds=config.step_timeout_seconds,
    )
    seats, hearing = Seats(clock, config.unique_names), Hearing()
    game = Lines(config.title, LiveRenderer(controls=seats), goal=Goal(config.about, HINT))
    line = game.line(0)
    host, port = _address(environ)
    with EpisodeServer(
        game,
        tokens=config.tokens,
        seats=seats,
        hearing=hearing,
        host=host,
        port=port,
        admin_token=environ.get("COGAME_ADMIN_TOKEN", ""),
    ) as server:
        _say(f"Waiting for {config.slots} players on port {port}")
        threading.Thread(target=_begin, args=(seats, config), daemon=True).start()
        try:
            handlers = [hearing, *([] if events is None else [events]), *config.handlers(line.renderer)]
            outcome = play_episode(plan, event_handlers=handlers, renderer=line.renderer)
        finally:
            clock.end()
            line.renderer.done = True
            line.over.set()
            clock.notify()
        results = results_of(
            outcome, config.environment(), late_steps=seats.late_steps, absent_steps=seats.absent_steps
        )
        _say(f"Played {results.steps} steps")
        server.say_goodbye()
    return results


def _begin(seats: Seats, config: GameConfig) -> None:
    seats.wait_for_players(config.player_connect_timeout_seconds)
    missing = seats.missing()
    if missing:
        _say(f"Starting without slots {', '.join(map(str, missing))}")
    seats.clock.play()


def _address(environ: Mapping[str, str]) -> tuple[str, int]:
    port = environ.get("COGAME_PORT", str(DEFAULT_PORT))
    if not (port.isdecimal() and int(port) < 65536):
        raise CoworldGameError(f"`COGAME_PORT` must be a port number, not {port!r}")
    return environ.get("COGAME_HOST", "0.0.0.0"), int(port)


def _setting(environ: Mapping[str, str], name: str, why: str) -> str:
    value = environ.get(name)
    if not value:
        raise MissingSetting(name, why)
    return value


def _write(uri: str, content: bytes, method: str, content_type: str = "application/octet-stream") -> None:
    if method.upper() == "POST" and uri.startswith(("http://", "https://")):
        from urllib.request import Request, urlopen

        request = Request(uri, data=content, method="POST", headers={"Content-Type": content_type})
        with urlopen(request, timeout=60):
            return
    write_data(uri, content, content_type=content_type)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
