"""A folder of wheels from which everything installs without network and without a compiler."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wheelhouse import collect


@pytest.mark.second_library
@pytest.mark.parametrize("neural", [False, True], ids=["small", "neural"])
def test_everything_installs_from_the_folder_alone(neural: bool, tmp_path: Path) -> None:
    house, home = tmp_path / "wheelhouse", tmp_path / "venv"
    collect(house, neural=neural)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    python = home / "bin" / "python"
    # An empty PATH has no compiler, and `--no-index` no network.
    command = [python, "-m", "pip", "install", "--quiet", "--no-index", f"--find-links={house}", "--only-binary=:all:"]
    wanted = ["cogames[agents,neural]" if neural else "cogames[agents]", "coworld[auth]", "observatory"]
    nothing = {"PATH": "", "HOME": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    subprocess.run([*command, *wanted], check=True, env=nothing, cwd=tmp_path)
    for words in (
        ["-m", "cogames", "run", "-m", "arena", "-c", "2", "-p", "starter", "-e", "1", "-s", "20"],
        ["-m", "cogames", "run", "-m", "arena", "-c", "2", "-p", "cogsguard", "-e", "1", "-s", "20"],
        ["-m", "coworld", "--help"],
        ["-m", "observatory", "--help"],
        ["-m", "softmax", "cogames", "--help"],
        ["-c", "import softmax.auth"],
        *([["-m", "cogames", "run", "-m", "arena", "-c", "2", "-p", "lstm", "-e", "1", "-s", "20"]] if neural else []),
    ):
        ran = subprocess.run([python, *words], capture_output=True, text=True, env=nothing, cwd=tmp_path)
        assert ran.returncode == 0, f"{words}\n{ran.stdout}\n{ran.stderr}"
    where = [python, "-c", "import cogames; print(cogames.__file__)"]
    installed = Path(subprocess.check_output(where, text=True, env=nothing, cwd=tmp_path).strip())
    assert installed.is_relative_to(home)
