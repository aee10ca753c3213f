"""The documented scripts are the commands under another name."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
FLAG = "off"
WORLD = {"--max-steps": "1000", "--seed": "42"}
DOCUMENTED = {
    "rollout": {
        **WORLD,
        "--steps": "200",
        "--agents": "10",
        "--recipe": FLAG,
        "--policy-uri": "metta://policy/role?miner=4&scout=2&aligner=2&scrambler=2",
        "--allow-missing-roles": FLAG,
        "--trace-prereqs": FLAG,
        "--trace-roles": FLAG,
        "--trace-role-every": "1",
        "--trace-role-limit": "0",
        "--trace-resources": FLAG,
        "--trace-resource-every": "1",
        "--trace-resource-limit": "0",
    },
    "parity": {
        **WORLD,
        "--steps": "500",
        "--agents": "10",
        "--policy-a": "role",
        "--policy-b": "role_py",
        "--top-actions": "5",
        "--top-deltas": "5",
    },
    "instrumented_audit": {
        **WORLD,
        "--steps": "1000",
        "--agents": "2",
        "--policy-uri": "metta://policy/role_py?miner=1&scout=1",
        "--trace-every": "200",
    },
}
"""{script: {option: default}}"""


def script(name: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / f"run_cogsguard_{name}.py"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_script_has_the_documented_options_and_defaults(name: str) -> None:
    ran = script(name, "--help")
    assert (ran.returncode, ran.stderr) == (0, "")
    squeezed = "".join(ran.stdout.partition("Examples:")[0].split())  # the help breaks long defaults
    for option, default in DOCUMENTED[name].items():
        if default == FLAG:
            assert re.search(rf"{option}[A-Z]", squeezed)
        else:
            found = re.search(rf"{option}(?:,-|[A-Z]).*?\[default:(.*?)[;\]]", squeezed)
            assert found is not None
            assert found[1] == default


def test_a_script_does_what_the_command_does(agents: Callable[..., Any]) -> None:
    words = ["--steps", 20, "--agents", 3, "--policy-uri", "starter"]
    ran, command = script("rollout", *words), agents("rollout", *words)
    assert (ran.returncode, ran.stdout) == (command.code, command.out)
    assert ran.returncode == 1


def test_a_script_refuses_bad_options() -> None:
    ran = script("parity", "--steps", "many")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("Error: Invalid value for '--steps'")
