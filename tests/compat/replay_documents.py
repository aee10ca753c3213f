"""The same episodes, recorded by the published package and by ours, give the same replay document.

    python tests/compat/replay_documents.py PUBLISHED_PYTHON ORACLE_DIR [COUNT]

Both sides play the recorded games, COUNT random ones and some of our missions, with the same actions, talk and policy
infos. The documents must be equal key for key, in the same order, value for value, and those of the published package
must come back unchanged from our reader and our own format. The published writer gives up on games in which objects
appear after the first step; ours must write those too, and they are counted apart.

The file also runs under the published interpreter (`--play`), so both sides play through the same code.
"""

import argparse
import contextlib
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MISSIONS = ("arena", "machina_1", "tutorial", "four_score")
MISSION_STEPS = 150
SURPRISES = ("x" * 100, "é" * 50, 1, -2.5, True, None, [1, [2]], {"b": 1, "a": {"d": None, "c": 2}}, "y" * 700)
"""values in policy infos; several together are too long and must be cut"""


def main(published: str, oracle: Path, count: int) -> int:
    """Play on both sides; print what differs and a summary line; return the number of differences."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = write_jobs(Path(folder), oracle, count)
        sides = {"there": (published, "published"), "here": (sys.executable, "ours")}
        for side, (python, form) in sides.items():
            Path(folder, side).mkdir()
            command = [python, "-W", "ignore", __file__, "--play", folder, str(oracle), side, form]
            environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            subprocess.run(command, check=True, env=environment | {"METTAGRID_LOG_LEVEL": "ERROR"})
        differences, equal, refused = 0, 0, 0
        for name in jobs:
            there, here = (Path(folder, side, name) for side in sides)
            if not there.with_suffix(".json").exists():
                refused += here.with_suffix(".json").exists()
                if not here.with_suffix(".json").exists():
                    print(f"{name}: {here.with_suffix('.err').read_text()[-300:]}")
                    differences += 1
                continue
            document = read(there)
            difference = first_difference(document, read(here)) or read_and_written(document)
            if difference is None:
                equal += 1
            else:
                differences += 1
                print(f"{name}: {difference}")
    print(f"{equal} replay documents equal, {differences} differ; {refused} games that only ours can record")
    return differences


def write_jobs(folder: Path, oracle: Path, count: int) -> list[str]:
    """Games as files `NAME.job`: the config in both forms, seeds, steps."""
    from generator import random_case

    from cogames import missions

    sys.path.insert(0, str(HERE))
    from mission_traces import drawn_map

    jobs: dict[str, dict[str, Any]] = {}
    for path in sorted((oracle / "cases").glob("*.meta.json")):
        name = path.name.removesuffix(".meta.json")
        config = json.loads((oracle / "cases" / f"{name}.json").read_text())
        jobs[name] = {"config": config, **json.loads(path.read_text())}
    for seed in range(count):
        case = random_case(seed, None)
        config, meta = map(json.loads, case.texts())
        jobs[f"random_{seed:04d}"] = {"config": config, **meta}
    for number, name in enumerate(MISSIONS):
        env = missions.load(name, seed=number)
        env.game.map_builder = drawn_map(env)
        forms = {"published": env.to_published(), "ours": env.model_dump(mode="json")}
        jobs[name] = {"forms": forms, "seed": number, "steps": MISSION_STEPS, "action_seed": number}
    for name, job in jobs.items():
        Path(folder, f"{name}.job").write_text(json.dumps(job))
    return list(jobs)


def read_and_written(document: Any) -> str | None:
    """Return how a published document differs after a round trip through our reader, our format and our writer."""
    from mettagrid.replay import load_replay, replay_bytes, v4_document

    replay = load_replay(json.dumps(document).encode())
    again = v4_document(load_replay(replay_bytes(replay, ".cogreplay")))
    return None if again == document else f"read and written: {first_difference(document, again)}"


def read(path: Path) -> Any:
    return json.loads(path.with_suffix(".json").read_text())


def first_difference(there: Any, here: Any, place: str = "") -> str | None:
    """Return the first difference between two documents; the order of keys counts."""
    if isinstance(there, dict) and isinstance(here, dict):
        if list(there) != list(here):
            return f"{place}: keys {list(there)} there, {list(here)} here"
        parts = [(f"{place}.{key}", there[key], here[key]) for key in there]
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        parts = [(f"{place}[{i}]", a, b) for i, (a, b) in enumerate(zip(there, here, strict=True))]
    else:
        same = type(there) is type(here) and there == here
        return None if same else f"{place}: {json.dumps(there)[:200]} there, {json.dumps(here)[:200]} here"
    return next((difference for part in parts if (difference := first_difference(part[1], part[2], part[0]))), None)


# ---- what both interpreters run ------------------------------------------------------------------------------------


def play_all(folder: Path, oracle: Path, side: str, form: str) -> None:
    """Play every job, each in a forked child: engines may end the process."""
    sys.path.insert(0, str(oracle))
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    import trace_episode

    for job in sorted(folder.glob("*.job")):
        target = folder / side / job.stem
        trace_episode.isolated(lambda job=job, target=target: record(job, target, form), f"{target}.err")


def record(job_path: Path, target: Path, form: str) -> None:
    import numpy as np
    import trace_episode

    from mettagrid.simulator.replay_log_writer import InMemoryReplayWriter
    from mettagrid.simulator.simulator import Simulation

    job = json.loads(job_path.read_text())
    config = trace_episode.load_config(job["forms"][form] if "forms" in job else job["config"])
    random_state = random.Random(job["seed"])
    config.game.talk.enabled = random_state.random() < 0.5
    config.game.talk.cooldown_steps = random_state.randint(0, 4)
    has_infos = random_state.random() < 0.7
    writer = InMemoryReplayWriter()
    simulation = Simulation(config, seed=job["seed"], event_handlers=[writer])
    names, agents = simulation.action_names, simulation.num_agents
    primary = [i for i, name in enumerate(names) if not name.startswith("change_vibe_")]
    vibes = [0, *(i for i, name in enumerate(names) if name.startswith("change_vibe_"))]
    actions = np.random.default_rng(job["action_seed"])
    for _ in range(job["steps"]):
        simulation._c_sim.actions()[:] = actions.choice(primary, size=agents)
        simulation._c_sim.vibe_actions()[:] = actions.choice(vibes, size=agents)
        if config.game.talk.enabled and random_state.random() < 0.3:
            try_to_talk(simulation.agent(random_state.randrange(agents)), random_state)
        if has_infos:
            simulation._context["policy_infos"] = {agent: some_infos(random_state, agent) for agent in range(agents)}
        simulation.step()
        if simulation.is_done():
            break
    else:
        simulation.end_episode()
        writer.on_episode_end()
    target.with_suffix(".json").write_text(json.dumps(writer.get_completed_replays()[0].get_replay_data()))


def try_to_talk(agent: Any, random_state: random.Random) -> None:
    text = random_state.choice(["hi", "come here", "\u00fc\u4e2d", "x" * 20])
    with contextlib.suppress(ValueError):  # too soon
        agent.set_talk(text)


def some_infos(random_state: random.Random, agent: int) -> dict[str, Any]:
    infos: dict[str, Any] = {"policy_name": f"policy {agent % 2}"}
    if random_state.random() < 0.5:
        names = random_state.sample("zebra quick lazy fox __hidden dog jumps over target".split(), 6)
        infos |= {name: random_state.choice(SURPRISES) for name in names}
    return infos


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compare replay documents with those of the published mettagrid.")
    parser.add_argument("published_python", nargs="?", help="interpreter that has the published package")
    parser.add_argument("oracle", nargs="?", type=Path, help="folder with the recorded games")
    parser.add_argument("count", nargs="?", type=int, default=100, help="random games on top")
    parser.add_argument("--play", nargs=4, metavar=("FOLDER", "ORACLE", "SIDE", "FORM"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        play_all(Path(options.play[0]), Path(options.play[1]), *options.play[2:])
    elif options.oracle:
        sys.exit(1 if main(options.published_python, options.oracle, options.count) else 0)
    else:
        parser.error("name the interpreter that has the published package and the folder with the recorded games")
