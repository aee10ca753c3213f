"""Replays that the published package writes open in the viewer, and every step of them is what our reader says.

    python tests/compat/viewer_documents.py PUBLISHED_PYTHON ORACLE_DIR [COUNT]

The games are those of `replay_documents.py`, played by the published package alone. The viewer's decoder runs without a
browser; objects, positions, inventories, tags, actions and rewards are compared at every tick.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "scripts")]

from replay_documents import write_jobs  # noqa: E402

from mettagrid.replay import Frame, Replay, frame_at, load_replay  # noqa: E402


def main(published: str, oracle: Path, count: int) -> int:
    """Print what differs and a summary line; return the number of differences."""
    import web

    web.build_tools()
    opened = differ = 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = write_jobs(Path(folder), oracle, count)
        Path(folder, "there").mkdir()
        play = [str(HERE / "replay_documents.py"), "--play", folder, str(oracle), "there", "published"]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        subprocess.run(
            [published, "-W", "ignore", *play], check=True, env=environment | {"METTAGRID_LOG_LEVEL": "ERROR"}
        )
        for name in jobs:
            path = Path(folder, "there", name).with_suffix(".json")
            if not path.exists():  # a game that the published writer gives up on
                continue
            difference = compared(path, str(web.node_folder() / "node"))
            opened += difference is None
            differ += difference is not None
            if difference:
                print(f"{name}: {difference}")
    print(f"{opened} published replays are the same in the viewer, {differ} differ")
    return differ


def compared(path: Path, node: str) -> str | None:
    """Return the first thing in which the viewer and our reader differ."""
    replay = load_replay(path)
    ticks = range(replay.first_tick, replay.last_tick + 1)
    command = [node, str(ROOT / "web" / "dist" / "tools" / "dump.js"), "frames", str(path), *map(str, ticks)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        return result.stderr.strip()[-300:]
    for line in result.stdout.splitlines():
        viewed = json.loads(line)
        frame = frame_at(replay, viewed["tick"])
        for part, here, there in parts(replay, frame, viewed):
            if here != there:
                return f"{part} at tick {frame.tick}: {here} in our reader, {there} in the viewer"
    return None


def parts(replay: Replay, frame: Frame, viewed: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    objects = {
        state.id: (state.type_name, state.location, state.inventory, sorted(state.tags))
        for state in frame.objects.values()
    }
    viewed_objects = {number: (name, (x, y), dict(held), tags) for number, name, x, y, held, tags in viewed["objects"]}
    agents = [(agent.action, agent.success, agent.reward, agent.talk) for agent in frame.agents]
    viewed_agents = [(agent["action"], agent["success"], agent["reward"], agent["talk"]) for agent in viewed["agents"]]
    compared_parts = [("the set of objects", set(objects), set(viewed_objects)), ("agents", agents, viewed_agents)]
    return compared_parts + [(f"object {number}", objects[number], viewed_objects.get(number)) for number in objects]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Open replays of the published mettagrid in the viewer's decoder.")
    parser.add_argument("published_python", help="interpreter that has the published package")
    parser.add_argument("oracle", type=Path, help="folder with the recorded games")
    parser.add_argument("count", nargs="?", type=int, default=30, help="random games on top")
    options = parser.parse_args()
    sys.exit(1 if main(options.published_python, options.oracle, options.count) else 0)
