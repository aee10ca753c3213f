"""Files that the published `cogames` writes for policy authors run here unchanged, and play the same episode.

    python tests/compat/author_files.py PUBLISHED_PYTHON

PUBLISHED_PYTHON is an interpreter with the published mettagrid and cogames. Its command writes the templates of
`tutorial make-policy` and packs the scripted one with `create-bundle`; then both commands play the arena with the file
and with the bundle, from one map and seed, and the recorded actions, places and rewards of every agent are compared.
The copies live in a temporary folder. Templates that the published install cannot write (they need torch or another
game) are said.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from mettagrid.replay import load_replay, v4_document  # noqa: E402
from scrimmage import write_missions  # noqa: E402

STEPS, SEED = 200, 7
KINDS = ("scripted", "trainable", "amongthem")
COMPARED = ("action_id", "action_success", "location", "total_reward", "inventory", "vibe_id")


def main() -> None:
    published = Path(sys.argv[1]).absolute().with_name("cogames")
    ours = Path(sys.executable).with_name("cogames")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_missions(folder, STEPS)
        for kind in KINDS:
            result = run(published, folder, "tutorial", "make-policy", f"--{kind}", "-o", f"published_{kind}.py")
            print(
                f"make-policy --{kind}: {'written' if result.returncode == 0 else 'cannot be written by this install'}"
            )
        policy = "class=published_scripted.StarterPolicy"
        bundle = ["create-bundle", "-p", policy, "-f", "published_scripted.py", "-o", "published.zip"]
        need(run(published, folder, *bundle), "create-bundle")
        differences = 0
        for title, argument in (("the scripted file", policy), ("the bundle", "./published.zip")):
            documents = {}
            for side, command in (("published", published), ("ours", ours)):
                replay = folder / f"{side}.json.z"
                words = ["play", "-m", files[side], "-p", argument, "-s", str(STEPS), "-r", "none", "--seed", str(SEED)]
                need(run(command, folder, *words, "--save-replay-file", str(replay)), f"{side} play")
                documents[side] = v4_document(load_replay(replay))
            problem = compare(documents["published"], documents["ours"])
            differences += problem is not None
            print(f"{title}: {problem or f'{STEPS} steps equal for every agent'}")
    sys.exit(differences > 0)


def run(command: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(folder), "NO_COLOR": "1", "_TYPER_STANDARD_TRACEBACK": "1"}
    return subprocess.run([str(command), *words], cwd=folder, env=env, capture_output=True, text=True)


def need(result: subprocess.CompletedProcess[str], step: str) -> None:
    if result.returncode:
        raise SystemExit(f"{step} failed: {result.stderr.strip().splitlines()[-1:]}")


def compare(theirs: dict[str, Any], mine: dict[str, Any]) -> str | None:
    """Return the first difference between the agents of two replays, in words."""
    agents = [
        {thing["agent_id"]: thing for thing in document["objects"] if thing.get("is_agent")}
        for document in (theirs, mine)
    ]
    if agents[0].keys() != agents[1].keys():
        return f"agents {sorted(agents[0])} there, {sorted(agents[1])} here"
    for agent, there in sorted(agents[0].items()):
        for field in COMPARED:
            if there.get(field) != agents[1][agent].get(field):
                return f"agent {agent} differs in {field}"
    return None


if __name__ == "__main__":
    main()
