"""Compare our packages with the published ones.

Plays random configurations and our missions in both engines, and compares replays, live episodes, viewer tokens and
networks with the same weights. Runs configurations and policy servers of each package with the other, policies that the
published command writes, missions that ours saves for it, the published command against our server, the kits for
language-model players, documents, games, players, images, commissioners and reporters of published Coworlds, and the
published `coworld` commands against our server, with files and with images in docker.

usage: compat.py [--count N] [--seed S] ...     arguments are passed to tests/compat/run.py
"""

import subprocess
import sys

from published import (
    environment,
    published_cogames_python,
    published_coworld_pythons,
    published_networks_python,
    published_python,
)
from workspace import CACHE, PYTHON, ROOT, say, shared_dir

_PARTS = ("models", "surface", "paintarena", "images", "commissioners")
COMPONENTIZE_VERSION = "0.25.1"
"""of the compiler of Python reporters to WebAssembly"""


def main() -> None:
    published = published_python()
    episodes = [
        "tests/compat/run.py",
        "--published",
        published,
        "--ours",
        PYTHON,
        "--cache",
        CACHE / "compat",
        *sys.argv[1:],
    ]
    interchanges = [[f"tests/compat/{kind}_interchange.py", published] for kind in ("config", "scene", "policy_server")]
    shared = shared_dir()
    scripts = ("mission_traces", "replay_documents", "viewer_documents")
    traces = [[f"tests/compat/{script}.py", published, shared / "oracle"] for script in scripts] if shared else []
    if shared:
        traces.append(["tests/compat/network_actions.py", published_networks_python(), shared / "oracle"])
        traces.append(["tests/compat/viewer_tokens.py", shared / "oracle"])
    else:
        say("compat: not comparing missions and replays: the script that plays them is in the folder `shared`")
    failed = False
    commands = published_cogames_python()
    files = ("author_files", "language_model_kit", "saved_missions", "seasons_client")
    clients = [[f"tests/compat/{script}.py", commands] for script in files]
    live = ["tests/compat/live_episode.py", published]
    bitworld = [[f"tests/compat/bitworld_{part}.py", published] for part in ("helpers", "runner")]
    coworlds = published_coworld_pythons()
    worlds = [[f"tests/compat/coworld_{part}.py", *coworlds] for part in _PARTS]
    compiler = environment(f"componentize-py-{COMPONENTIZE_VERSION}", f"componentize-py=={COMPONENTIZE_VERSION}")
    worlds.append(["tests/compat/coworld_reporters.py", compiler, coworlds[0]])
    worlds.append(["tests/compat/leagues_client.py", *coworlds])
    worlds.append(["tests/compat/leagues_images.py", *coworlds[:2]])
    for words in (*interchanges, live, *bitworld, *worlds, *clients, *traces, episodes):
        failed |= subprocess.run([str(PYTHON), *map(str, words)], cwd=ROOT).returncode != 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
