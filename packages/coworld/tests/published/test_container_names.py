"""Names of the published package that are about containers: launch specs, docker helpers, receipts, transcripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pydantic
import pytest

from coworld import certifier
from coworld.runner import runner
from coworld.types import CoworldRunnableResources

IMAGE = "softmax/paintarena:latest"
PROGRAMS = "coworld.examples.paintarena"
CONFIG = {
    "width": 6,
    "height": 6,
    "max_ticks": 8,
    "tick_rate": 1,
    "lockstep": True,
    "players": [{"name": "One"}, {"name": "Two"}],
}


def launched(folder: Path, **changes: Any) -> runner.EpisodeRunSpec:
    """Return an episode of Paint Arena from launch specs, with its configuration written."""
    artifacts = runner.EpisodeArtifacts.create(folder)
    tokens = runner.generate_tokens(2)
    artifacts.config_path.write_text(json.dumps(CONFIG | {"tokens": tokens}))
    player = runner.PlayerLaunchSpec(IMAGE, ("python", "-m", f"{PROGRAMS}.player.player"), secret_env={"KEY": "x"})
    fields: dict[str, Any] = {
        "game": runner.RunnableLaunchSpec(IMAGE, ("python", "-m", f"{PROGRAMS}.game.server")),
        "players": [player, player],
        "tokens": tokens,
        "artifacts": artifacts,
        "timeout_seconds": 60.0,
        "require_websocket_pong": True,
    }
    return runner.EpisodeRunSpec(**{**fields, **changes})


def test_an_episode_runs_from_launch_specs_and_its_replay_loads(tmp_path: Path) -> None:
    spec = launched(tmp_path / "out")
    runner.run_episode_containers(spec, verify_replay=False)
    results = json.loads(spec.artifacts.results_path.read_text())
    assert results["ticks"] == CONFIG["max_ticks"] and min(results["scores"]) > 1
    runner.verify_replay_loadable(spec.game, spec.artifacts, timeout_seconds=60.0)
    spec.artifacts.replay_path.unlink()
    with pytest.raises(runner.RunnerEpisodeError) as raised:
        runner.verify_replay_loadable(spec.game, spec.artifacts, timeout_seconds=60.0, resolved_local_ports=[])
    assert raised.value.error_type == "replay_missing"


def test_an_episode_that_cannot_run_raises_the_runners_error(tmp_path: Path) -> None:
    missing = runner.PlayerLaunchSpec("example/missing:1")
    with pytest.raises(runner.RunnerEpisodeError, match="example/missing:1") as raised:
        runner.run_episode_containers(launched(tmp_path / "a", players=[missing, missing]))
    assert raised.value.error_type == "platform_error"
    assert json.loads((tmp_path / "a" / "error_info.json").read_text())["error_type"] == "platform_error"
    spec = launched(tmp_path / "b")
    spec.artifacts.config_path.unlink()
    with pytest.raises(runner.RunnerEpisodeError, match="call write_coworld_game_config first") as raised:
        runner.run_episode_containers(spec)
    assert raised.value.error_type == "config_error"
    with pytest.raises(ValueError, match="1 tokens for 2 players"):
        runner.run_episode_containers(launched(tmp_path / "c", tokens=["only"]))
    with pytest.raises(ValueError, match="resource_admission is not supported"):
        runner.run_episode_containers(launched(tmp_path / "d", resource_admission=object()))


def test_options_of_docker_run() -> None:
    program = runner.RunnableLaunchSpec(
        "mine:1",
        ("serve", "--fast"),
        {"A": "1"},
        CoworldRunnableResources.model_validate({"requests": {"cpu": "500m", "gpu": 1}, "limits": {"memory": "2Gi"}}),
    )
    assert runner.docker_env_args({"A": "1", "B": "x y"}) == ["-e", "A=1", "-e", "B=x y"]
    assert runner.docker_image_command(program) == ["--entrypoint", "serve", "mine:1", "--fast"]
    assert runner.docker_image_command(runner.RunnableLaunchSpec("mine:1")) == ["mine:1"]
    assert runner.local_port_publish_args([runner.ResolvedLocalPort(9000, 1234)]) == ["-p", "127.0.0.1:1234:9000"]
    limits = ["--cpus", "0.5", "--memory", "2147483648", "--memory-swap", "2147483648", "--gpus", "1"]
    assert program.docker_resource_args() == limits


def test_images_are_reachable_as_local_programs_or_in_an_engine(tmp_path: Path) -> None:
    runner.assert_docker_image_reachable(IMAGE)
    for image in ("example/missing:1", "img_00000000-0000-0000-0000-000000000000"):
        with pytest.raises(RuntimeError, match=f"{image}.* player 1"):
            runner.assert_docker_image_reachable(image, label="player 1")


def test_answers_of_docker_are_read_by_their_published_models() -> None:
    entry = runner.DockerImageInspectEntry.model_validate({"Os": "linux", "Architecture": "amd64", "Id": "x"})
    assert (entry.os_name, entry.architecture) == ("linux", "amd64")
    platform = {"os": "linux", "architecture": "arm64"}
    listed = runner.DockerManifestInspectResult.model_validate({"manifests": [{"platform": platform}]})
    assert listed.manifests[0].platform.architecture == "arm64"
    verbose = runner.DockerManifestVerboseEntry.model_validate({"Descriptor": {"platform": platform}})
    assert verbose.descriptor.platform.os_name == "linux"


def receipt() -> dict[str, Any]:
    """Return the receipt of an isolated episode with one player and one relay."""
    network = {
        "Id": "n1",
        "Name": "episode",
        "Internal": True,
        "Options": {f"com.docker.network.bridge.gateway_mode_{family}": "isolated" for family in ("ipv4", "ipv6")},
    }
    own = {"episode": {"NetworkID": "n1", "IPAddress": "10.0.0.2"}}

    def container(name: str, networks: dict[str, Any], **settings: Any) -> dict[str, Any]:
        host = {
            "NetworkMode": "episode",
            "Dns": ["127.0.0.1"],
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "Privileged": False,
            "ReadonlyRootfs": False,
            "PidsLimit": 128,
        }
        settings = {"Networks": networks}, host | settings
        return {"Id": name, "Name": name, "Image": "i", "NetworkSettings": settings[0], "HostConfig": settings[1]}

    forwarding = {"net.ipv4.ip_forward": "0", "net.ipv6.conf.all.forwarding": "0"}
    relay = {"NetworkMode": "bridge", "ReadonlyRootfs": True, "PidsLimit": 32, "Sysctls": forwarding}
    bridge = {"bridge": {"NetworkID": "b", "IPAddress": ""}}
    containers = [container("game", own), container("player", own), container("relay", own | bridge, **relay)]
    return {"network": network, "control_image": "python", "containers": containers}


@pytest.mark.parametrize(
    ("where", "key", "value", "violation"),
    [
        (("network",), "Internal", False, "its network is not internal"),
        (("network",), "Options", {}, "gateway_mode_ipv6 of its network is not isolated"),
        (("containers", 0, "HostConfig"), "Privileged", True, "game is privileged"),
        (("containers", 0, "HostConfig"), "Dns", ["8.8.8.8"], "game can look up names outside"),
        (("containers", 1), "Id", "game", "in place of 3"),
        (("containers", 1, "HostConfig"), "CapDrop", None, "player has capabilities"),
        (("containers", 1, "HostConfig"), "PidsLimit", 500, "player may start 500 processes"),
        (("containers", 1, "HostConfig"), "NetworkMode", "bridge", "player is in the networks episode"),
        (("containers", 1, "NetworkSettings"), "Networks", {}, "player is in another network"),
        (("containers", 2, "HostConfig"), "ReadonlyRootfs", False, "relay has a writable root"),
        (("containers", 2, "HostConfig"), "Sysctls", None, "relay may forward packets"),
    ],
)
def test_a_receipt_shows_what_was_not_isolated(where: tuple[Any, ...], key: str, value: Any, violation: str) -> None:
    document = receipt()
    runner.LocalIsolationReceipt.model_validate(document).verify(players=1, controls=1)
    part = document
    for step in where:
        part = part[step]
    part[key] = value
    with pytest.raises(ValueError, match=violation):
        runner.LocalIsolationReceipt.model_validate(document).verify(players=1, controls=1)


def test_a_transcript_is_read_from_a_markdown_table(tmp_path: Path) -> None:
    head = "| id | kind | checks | pass | how |\n|---|---|---|---|---|\n"
    path = tmp_path / "mine.transcript.md"
    path.write_text(f"# Mine\n\n{head}| first | auto | a \\| b | c | d |\n| second | human | e | f | g |\n\nEnd.\n")
    transcript = certifier.load_transcript(path, name="mine")
    assert [(step.id, step.kind, step.checks) for step in transcript.steps] == [
        ("first", "auto", "a | b"),
        ("second", "human", "e"),
    ]
    assert (transcript.name, transcript.text) == ("mine", path.read_text())
    executable = certifier.load_transcript(certifier.EXECUTABLE_TRANSCRIPT_PATH, name="coworld-executable")
    assert executable == certifier.load_executable_transcript() and len(executable.steps) == 10
    for text, message in {
        "no table": "has no table of steps",
        head.replace("how", "why") + "| a | auto | b | c | d |\n": "columns must be",
        head + "| a | auto |\n": "a row with 2 cells",
    }.items():
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            certifier.load_transcript(path, name="mine")
    path.write_text(head + "| a | robot | b | c | d |\n")
    with pytest.raises(pydantic.ValidationError):
        certifier.load_transcript(path, name="mine")
    with pytest.raises(FileNotFoundError):
        certifier.load_transcript(tmp_path / "none.md", name="mine")


def test_a_package_is_made_from_its_published_fields() -> None:
    from coworld.examples.paintarena import __path__ as folders

    path = Path(folders[0]) / "coworld_manifest.json"
    loaded = certifier.load_coworld_package(path)
    made = certifier.CoworldPackage(
        manifest_path=path,
        manifest=loaded.manifest,
        game=loaded.game,
        config_schema=loaded.config_schema,
        results_schema=loaded.results_schema,
        protocols=loaded.protocols,
    )
    assert (made.root, made.player("sweep")) == (path.parent, loaded.player("sweep"))
    assert certifier.build_manifest_episode_job_spec(made) == certifier.build_manifest_episode_job_spec(loaded)
