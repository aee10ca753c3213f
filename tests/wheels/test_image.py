"""The images of the Containerfile: built offline from a wheelhouse, then used as their users do.

Without a registry the base image is made of Debian packages by `mmdebstrap`; CONTAINER_BASE names another one.
WHEELHOUSE names a folder of `make wheelhouse` to use instead of a new one. Images are in `.cache/images/`, apart from
those of the user.
"""

import json
import os
import platform
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import workspace
from cogsguard.coworld.images import GAME_IMAGE, PLAYER_IMAGE
from coworld.engines.choice import choose_engine
from coworld.engines.local_images import LocalImages
from coworld.manifest.arguments import manifest_file
from coworld.manifest.package import load_package
from coworld.runner.episode_request import fixture_request
from coworld.runner.runner import run_episode
from tests.support import missing
from tests.wheels.podman import LIMITS, base_image, podman, use_separate_storage
from wheelhouse import collect

LANDLOCK_KERNEL = (6, 12)
READY = """python -c 'import urllib.request as web; web.urlopen("http://127.0.0.1:8000/readyz")'"""

pytestmark = pytest.mark.second_library


class Images:
    """The images of the Containerfile, each built on first use without network and times."""

    def __init__(self, context: Path, base: str) -> None:
        self.context, self.base = context, base
        self.built: dict[str, str] = {}

    def __call__(self, stage: str) -> str:
        """Return the name of the image of a stage."""
        if stage not in self.built:
            self.built[stage] = f"localhost/league-test-{stage}:1"
            self.build(stage, self.built[stage])
        return self.built[stage]

    def build(self, stage: str, name: str, *options: str) -> str:
        """Build a stage; return the id of its image."""
        words = ["--network=none", "--timestamp=0", f"--build-arg=BASE={self.base}", f"--target={stage}"]
        podman("build", *words, f"--tag={name}", *options, *LIMITS, self.context)
        return podman("image", "inspect", "--format={{.Id}}", name).strip()

    def size(self, stage: str) -> int:
        """Return the bytes that an image adds to its base."""
        of_image, of_base = (
            int(podman("image", "inspect", "--format={{.Size}}", name)) for name in (self(stage), self.base)
        )
        return of_image - of_base


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Images]:
    context = tmp_path_factory.mktemp("context")
    for name in ("Containerfile", ".dockerignore"):
        shutil.copy(workspace.ROOT / name, context)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONTAINERS_STORAGE_CONF", "")  # restores it at the end
        use_separate_storage()
        images = Images(context, base_image())
        wheelhouse = context / "dist" / "wheelhouse"
        if prepared := os.environ.get("WHEELHOUSE"):
            shutil.copytree(prepared, wheelhouse)
        else:
            collect(wheelhouse, neural=False)
        yield images
        if images.built:
            podman("rmi", "--force", *images.built.values())
        podman("image", "prune", "--force")  # layers of this build; the next one has other wheels


@pytest.fixture(scope="module")
def image(images: Images) -> str:
    return images("league")


@pytest.fixture
def volume() -> Iterator[str]:
    name = podman("volume", "create").strip()
    yield name
    podman("volume", "rm", "--force", name)


def run_in(image: str, *command: str, options: tuple[str, ...] = (), fails: bool = False) -> str:
    return podman("run", "--rm", "--network=none", *LIMITS, *options, image, *command, fails=fails)


def test_the_commands_run_as_a_user_and_without_a_compiler(image: str) -> None:
    assert run_in(image, "id", "--user", "--name").strip() == "league"
    assert "cogames" in run_in(image, "cogames", "version")
    assert "StarterPolicy" in run_in(image, "cogames", "run", "-m", "arena", "-c", "2", "-p", "starter", "-s", "20")
    assert "RolePolicy" in run_in(image, "cogames", "run", "-m", "arena", "-c", "2", "-p", "role", "-s", "20")
    assert "cogames" in run_in(image)
    for name in ("coworld", "observatory", "softmax"):
        run_in(image, name, "--help")
    assert run_in(image, "sh", "-c", "command -v cc gcc g++ c++ clang", fails=True) == ""


def test_the_server_answers_on_its_port_and_stores_its_data_in_the_volume(images: Images, volume: str) -> None:
    server = images("server")
    assert "First start" in serve_once(server, volume)
    assert "First start" not in serve_once(server, volume)


def serve_once(image: str, volume: str) -> str:
    """Start the server, check it from outside and inside, stop it; return its output."""
    options = ["--detach", "--publish=127.0.0.1::8000", f"--volume={volume}:/data", *LIMITS]
    options += [f"--health-cmd={READY}", "--health-interval=disable"]
    public = "--env=OBSERVATORY_PUBLIC_URL=https://league.example.com"
    server = podman("run", *options, public, image).strip()
    try:
        wait_for(server, "Observatory at https://league.example.com")
        assert ready(server)["ready"] is True
        podman("healthcheck", "run", server)
        podman("stop", "--time=60", server)
        assert podman("inspect", "--format={{.State.ExitCode}}", server).strip() == "0"
        return podman("logs", server)
    finally:
        podman("rm", "--force", "--time=0", server)


def ready(server: str) -> dict[str, object]:
    address = podman("port", server, "8000").strip()
    with urllib.request.urlopen(f"http://{address}/readyz") as response:
        document: dict[str, object] = json.load(response)
        return document


def test_a_worker_connects_to_a_server(images: Images, volume: str, tmp_path: Path) -> None:
    settings = ["--env=OBSERVATORY_PUBLIC_URL=https://league.example.com", "--env=OBSERVATORY_LOCAL_WORKERS=0"]
    options = ["--detach", "--publish=127.0.0.1::8000", f"--volume={volume}:/data", *LIMITS]
    server = podman("run", *options, *settings, images("server")).strip()
    containers = [server]
    try:
        wait_for(server, "Observatory at https://league.example.com")
        assert ready(server)["workers"] == 0
        token = tmp_path / "worker-token"
        token.write_text(podman("exec", server, "observatory", "admin", "token", "create", "rack 3"))
        token.chmod(0o644)
        mount = f"--volume={token}:/run/secrets/worker-token:ro"
        network = [f"--network=container:{server}", "--env=OBSERVATORY_SERVER=http://127.0.0.1:8000"]
        containers.append(podman("run", "--detach", *network, mount, *LIMITS, images("worker")).strip())
        wait_for(server, "POST /work/lease 204")
        assert ready(server)["workers"] == 1
        podman("stop", "--time=60", containers[1])
        assert podman("inspect", "--format={{.State.ExitCode}}", containers[1]).strip() == "0"
    finally:
        for container in reversed(containers):  # the worker uses the network of the server
            podman("rm", "--force", "--time=0", container)


def test_the_runner_runs_episodes_and_has_the_programs_of_a_cluster(images: Images) -> None:
    runner = images("runner")
    assert "run-episode" in run_in(runner)
    unmasked = ("--security-opt=unmask=ALL",)
    episode = ("coworld", "run-episode", "paintarena", "--variant", "quick-small", "-o", "/tmp/results")
    assert "Scores:" in run_in(runner, *episode, options=unmasked)
    assert "JOB_SPEC_URI" in run_in(runner, "python", "-m", "coworld.runner.kubernetes_runner", "run", fails=True)


def test_cogs_vs_clips_plays_in_its_images(images: Images, tmp_path: Path) -> None:
    for stage, name in {"cogsguard": GAME_IMAGE, "cogsguard-player": PLAYER_IMAGE}.items():
        podman("tag", images(stage), name)
    with manifest_file("cogsguard") as path:
        package = load_package(path)
    engine = choose_engine("podman", LocalImages(), pull="never")
    outcome = run_episode(package, fixture_request(package), engine=engine, workspace=tmp_path, verify_replay=True)
    assert outcome.ok, outcome.error
    assert outcome.results is not None and len(outcome.results["scores"]) == len(package.manifest.certification.players)
    podman("rmi", "--force", GAME_IMAGE, PLAYER_IMAGE)


@pytest.mark.parametrize("stage", ["server", "worker", "runner", "cogsguard", "cogsguard-player", "league"])
def test_images_are_small_and_run_as_a_user_that_cannot_change_them(images: Images, stage: str) -> None:
    assert images.size(stage) < 500 << 20
    assert run_in(images(stage), "id", "--user").strip() == "1000"
    assert run_in(images(stage), "find", "/opt/league", "-writable", "-not", "-type", "l").strip() == ""
    run_in(images(stage), "ls", "/wheelhouse", fails=True)


def test_the_same_wheels_give_the_same_image(images: Images) -> None:
    first = podman("image", "inspect", "--format={{.Id}}", images("cogsguard")).strip()
    assert images.build("cogsguard", images("cogsguard"), "--no-cache") == first


def wait_for(server: str, text: str) -> None:
    """Read the log of a container until a line contains the text."""
    follow = ["podman", "logs", "--follow", server]
    with subprocess.Popen(follow, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as log:
        assert log.stdout is not None
        lines = []
        for line in log.stdout:
            lines.append(line)
            if text in line:
                log.terminate()
                return
    raise AssertionError(f"the container ended before it printed {text!r}:\n{''.join(lines)}")


def test_the_server_names_the_setting_it_needs(image: str) -> None:
    assert "set OBSERVATORY_PUBLIC_URL to the https:// address" in run_in(image, "observatory", "serve", fails=True)


def test_policies_are_isolated_by_landlock_and_with_a_visible_proc_by_namespaces(image: str) -> None:
    if tuple(map(int, platform.release().split(".")[:2])) < LANDLOCK_KERNEL:
        missing(f"Landlock for users needs Linux 6.12, not {platform.release()}")
    doctor = ("python", "-m", "cogbox", "doctor", "--json")
    assert json.loads(run_in(image, *doctor))["chosen"] == "landlock"
    unmasked = ("--security-opt=unmask=ALL",)
    assert json.loads(run_in(image, *doctor, options=unmasked))["chosen"] == "namespaces"
    pack_and_check = "cogames create-bundle -p class=starter -o /tmp/a.zip && cogames validate-bundle -p /tmp/a.zip"
    assert "Sandbox: landlock" in run_in(image, "sh", "-c", pack_and_check)
    episode = ("coworld", "run-episode", "paintarena", "-o", "/tmp/results")
    assert "mounting /proc" in run_in(image, *episode, fails=True)
    assert "Scores:" in run_in(image, *episode, options=unmasked)
