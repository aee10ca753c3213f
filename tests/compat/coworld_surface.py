"""Names of the published package that are about containers and builds, and its commands: the same names here.

usage: coworld_surface.py PYTHON [PYTHON ...]     interpreters with a published `coworld` each, newest first

Each release is asked for the parameters and fields of the names below, for what the pure functions return, and for its
commands. Ours must accept every parameter; further ones have defaults. Every published command must be in the table of
docs/coworld/cli.md. Exit status 1 when anything differs.
"""

import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

NAMES = {
    "coworld": ("EpisodeRunSpec", "assert_docker_image_reachable", "run_episode_containers"),
    "coworld.bundle": ("build_coworld_manifest", "resolve_registry_image_ref"),
    "coworld.certifier": ("CoworldPackage", "load_executable_transcript", "load_transcript"),
    "coworld.runner.runner": (
        "DockerContainerReceipt",
        "DockerImageInspectEntry",
        "DockerIsolationSettings",
        "DockerManifestDescriptor",
        "DockerManifestInspectResult",
        "DockerManifestPlatform",
        "DockerManifestVerboseEntry",
        "DockerNetworkEndpoint",
        "DockerNetworkReceipt",
        "DockerNetworkSettings",
        "EpisodeRunSpec",
        "LocalIsolationReceipt",
        "assert_docker_image_reachable",
        "assert_episode_images_reachable",
        "docker_env_args",
        "docker_image_command",
        "ensure_local_docker_network",
        "local_port_publish_args",
        "run_coworld_episode",
        "run_episode_containers",
        "verify_replay_loadable",
    ),
}
LEFT_OUT = {"resource_admission", "game_sandbox"}
"""parameters of `run_coworld_episode` for a caller that supervises docker itself"""

CALLS: dict[str, list[Any]] = {
    "docker_env_args": [[{}], [{"A": "1", "B": "x y"}]],
    "docker_image_command": [[["mine:1"]], [["mine:1", ["serve", "--fast"]]]],
    "local_port_publish_args": [[[]], [[[9000, 1234], [9001, 5]]]],
    "docker_resource_args": [[None], [{"requests": {"cpu": "500m", "memory": "64Mi"}, "limits": {"cpu": "2"}}]],
}


def describe(names: dict[str, tuple[str, ...]], calls: dict[str, list[Any]]) -> dict[str, Any]:
    """Return what an interpreter's `coworld` says about the names; the published interpreters run this source too."""
    from coworld.runner import runner

    def parameters(value: Any) -> list[list[Any]]:
        signature = inspect.signature(value)
        return [[name, part.default is part.empty] for name, part in signature.parameters.items()]

    found: dict[str, Any] = {}
    for module, members in names.items():
        for name in members:
            try:
                value = getattr(importlib.import_module(module), name)
            except (AttributeError, ImportError):
                continue  # an older release
            fields = getattr(value, "model_fields", None)
            if fields is not None:
                found[f"{module}.{name}"] = [[key, part.is_required()] for key, part in fields.items()]
            else:
                found[f"{module}.{name}"] = parameters(value)
    returned: dict[str, Any] = {}
    for name, cases in calls.items():
        for case in cases:
            try:
                if name == "docker_image_command":
                    image, run = (*case[0], ())[:2]
                    answer = runner.docker_image_command(runner.RunnableLaunchSpec(image, tuple(run)))
                elif name == "local_port_publish_args":
                    answer = runner.local_port_publish_args([runner.ResolvedLocalPort(*ports) for ports in case[0]])
                elif name == "docker_resource_args":
                    types = importlib.import_module("coworld.types")
                    given = case[0] and types.CoworldRunnableResources.model_validate(case[0])
                    answer = runner.RunnableLaunchSpec("mine:1", resources=given).docker_resource_args()
                else:
                    answer = getattr(runner, name)(*case)
            except (AttributeError, TypeError, ValueError):
                continue
            returned[f"{name} of {json.dumps(case)}"] = answer
    return {"names": found, "returned": returned}


def main(pythons: list[str]) -> bool:
    good = True

    def check(claim: str, problems: list[str]) -> None:
        nonlocal good
        good &= not problems
        print(f"  {'DIFFERS' if problems else 'same'}  {claim}" + "".join(f"\n           {line}" for line in problems))

    ours = describe(NAMES, CALLS)
    program = f"import importlib, inspect, json\nfrom typing import Any\n{inspect.getsource(describe)}"
    program += f"print(json.dumps(describe({NAMES!r}, {CALLS!r})))"
    documented, here = documented_commands(), published_commands(sys.executable)
    for python in pythons:
        ran = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True, cwd="/")
        theirs = json.loads(ran.stdout)
        version = subprocess.run(
            [python, "-c", "import importlib.metadata as m; print(m.version('coworld'))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        print(f"compat: names and commands of coworld {version}")
        problems = [
            problem
            for name, parts in theirs["names"].items()
            for problem in differences(name, parts, ours["names"].get(name))
        ]
        check(f"{len(theirs['names'])} names with their parameters and fields", problems)
        other = [
            f"{call}: {answer} there, {ours['returned'].get(call)} here"
            for call, answer in theirs["returned"].items()
            if ours["returned"].get(call) != answer
        ]
        check(f"{len(theirs['returned'])} calls return the same", other)
        commands = published_commands(python)
        check(f"{len(commands)} commands are in the table of docs/coworld/cli.md", sorted(set(commands) - documented))
        both = [command for command in commands if command in here]
        lacking = [f"{name} {option}" for name in both for option in commands[name] if option not in here[name]]
        check(f"{len(both)} commands that exist here have all their options", lacking)
    return good


def differences(name: str, theirs: list[list[Any]], ours: list[list[Any]] | None) -> list[str]:
    """Return which published parameters or fields ours lacks, and which of ours a published call leaves out."""
    if ours is None:
        return [f"{name} is missing"]
    here = {part for part, _ in ours}
    there = {part for part, _ in theirs}
    lacking = [part for part in there if part not in here and part not in LEFT_OUT]
    required = [part for part, must in ours if must and part not in there]
    if "cogame" in there:  # the game in the oldest release
        lacking = [part for part in lacking if part != "cogame"]
        required = [part for part in required if part != "game"]
    return [f"{name} lacks {part}" for part in lacking] + [f"{name} requires {part}" for part in required]


COMMANDS = """
import click, json, typer
from coworld.cli import app
def walk(command, words):
    if not hasattr(command, "list_commands"):
        return {" ".join(words): [option for part in command.params for option in (*part.opts, *part.secondary_opts)]}
    context, found = click.Context(command), {}
    for name in command.list_commands(context):
        found |= walk(command.get_command(context, name), (*words, name))
    return found
print(json.dumps(walk(typer.main.get_command(app), ())))
"""


def published_commands(python: str) -> dict[str, list[str]]:
    """Return the options of each command of a release or of ours; a command is its words: `league create`."""
    ran = subprocess.run([python, "-c", COMMANDS], capture_output=True, text=True, check=True, cwd="/")
    commands: dict[str, list[str]] = json.loads(ran.stdout)
    return {name: [option for option in options if option.startswith("-")] for name, options in commands.items()}


def documented_commands() -> set[str]:
    """Return the commands in the first column of the table of published commands."""
    text = (ROOT / "docs" / "coworld" / "cli.md").read_text()
    table = text.partition("## Published commands")[2]
    cells = re.findall(r"^\| (.+?) \|", table, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
