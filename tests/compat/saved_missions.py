"""Missions that `cogames missions --save FILE --published` writes load in the published packages and play the same.

    python tests/compat/saved_missions.py PUBLISHED_PYTHON [STEPS]

PUBLISHED_PYTHON is an interpreter with the published mettagrid and cogames. Both commands play each file with the
scripted policy that the published `tutorial make-policy` writes, or with one that only walks, and the recorded actions,
places, inventories and rewards of every agent are compared.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import yaml
from author_files import SEED, compare, need, run

from mettagrid.replay import load_replay, v4_document
from scrimmage import EMPTY_GAME

# (words after `cogames missions`, ending of the file); the scripted policy knows missions with gear stations only
CASES = (
    (["-m", "arena"], "yaml"),
    (["-m", "arena", "-v", "no_clips", "-c", "4", "--map-seed", "7"], "json"),
    (["-m", "machina_1.clips"], "json"),
    (["-m", "tutorial.miner", "-c", "2"], "yaml"),
    (["-m", "four_score"], "json"),
    (["-m", "energy_starved"], "json"),
    (["-m", "cvc_evals.eval_balanced_spread"], "json"),
    (["-m", "diagnostic_memory", "-c", "4"], "yaml"),
    (["-m", "memory_mystery_path_easy"], "json"),
    (["-m", "exploration_sparse_search_easy"], "json"),
    (["-m", "training_facility_open_1"], "json"),
    (["-m", "empty"], "json"),
)
WITHOUT_STATIONS = ("memory_", "exploration_", "empty")
SCRIPTED, WALKER = "class=published_scripted.StarterPolicy", "class=walker.Walker"
WALKER_FILE = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action


class Walk(AgentPolicy):
    def __init__(self, info, agent):
        super().__init__(info)
        self.steps = agent

    def step(self, obs):
        self.steps += 1
        names = self.policy_env_info.action_names
        return Action(name=names[self.steps * self.steps // 7 % len(names)])


class Walker(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Walk(self.policy_env_info, agent_id)
"""


def main() -> None:
    published = Path(sys.argv[1]).absolute().with_name("cogames")
    ours = Path(sys.executable).with_name("cogames")
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    differing = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_empty_game(folder)
        template = ["tutorial", "make-policy", "--scripted", "-o", "published_scripted.py"]
        need(run(published, folder, *template), "make-policy")
        (folder / "walker.py").write_text(WALKER_FILE)
        for number, (words, ending) in enumerate(CASES):
            file = f"mission_{number}.{ending}"
            need(run(ours, folder, "missions", *words, "--save", file, "--published"), f"missions {' '.join(words)}")
            shorten(folder / file, steps)
            policy = WALKER if words[1].startswith(WITHOUT_STATIONS) else SCRIPTED
            documents = []
            for side, command in (("published", published), ("ours", ours)):
                replay = folder / f"{side}.json.z"
                play = ["play", "-m", file, "-p", policy, "-s", str(steps), "-r", "none", "--seed", str(SEED)]
                need(run(command, folder, *play, "--save-replay-file", str(replay)), f"{side} play {file}")
                documents.append(v4_document(load_replay(replay)))
            problem = compare(*documents)
            differing += problem is not None
            if problem is not None:
                print(f"{' '.join(words)}: {problem}")
    print(f"{len(CASES) - differing}/{len(CASES)} saved missions play the same over {steps} steps")
    sys.exit(differing > 0)


def shorten(file: Path, steps: int) -> None:
    """Set the number of steps in the file: the published `play -s` does not count for files."""
    is_json = file.suffix == ".json"
    document = json.loads(file.read_text()) if is_json else yaml.load(file.read_text(), yaml.CSafeLoader)
    document["game"]["max_steps"] = steps
    file.write_text(json.dumps(document) if is_json else yaml.dump(document, Dumper=yaml.CSafeDumper))


def write_empty_game(folder: Path) -> None:
    """The published command imports its game even to play a file; the package has gone, and an empty one will do."""
    game = folder / "cogsguard" / "game"
    game.mkdir(parents=True)
    for package in (game.parent, game):
        (package / "__init__.py").touch()
    (game / "game.py").write_text(EMPTY_GAME)


if __name__ == "__main__":
    main()
