"""Random configurations and our missions through the published engine and ours, replays of both, and configurations of
each read by the other.

usage: compat.py [--count N] [--seed S] ...     arguments go to tests/compat/run.py
"""

import subprocess
import sys

from published import published_python
from workspace import CACHE, PYTHON, ROOT, say, shared_dir


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
    scripts = ("mission_traces", "replay_documents")
    traces = [[f"tests/compat/{script}.py", published, shared / "oracle"] for script in scripts] if shared else []
    if shared is None:
        say("compat: missions and replays are not compared, because the script that plays them is in a folder `shared`")
    failed = False
    for words in (*interchanges, *traces, episodes):
        failed |= subprocess.run([str(PYTHON), *map(str, words)], cwd=ROOT).returncode != 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
