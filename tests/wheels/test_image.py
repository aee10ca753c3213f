"""The image of the Containerfile: built offline from a wheelhouse, then used as its users do.

Without a registry the base image is made of Debian packages by `mmdebstrap`; CONTAINER_BASE names another one.
"""

import json
import platform
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator

import pytest

import workspace
from tests.support import missing
from tests.wheels.podman import LIMITS, base_image, podman
from wheelhouse import collect

LANDLOCK_KERNEL = (6, 12)
IMAGE = "localhost/league-test:1"
READY = """python -c 'import urllib.request as web; web.urlopen("http://127.0.0.1:8000/readyz")'"""

pytestmark = pytest.mark.second_library


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    context = tmp_path_factory.mktemp("context")
    for name in ("Containerfile", ".dockerignore"):
        shutil.copy(workspace.ROOT / name, context)
    with base_image() as base:
        collect(context / "dist" / "wheelhouse", neural=False)
        options = ["--network=none", "--layers=false", f"--build-arg=BASE={base}", f"--tag={IMAGE}", *LIMITS]
        podman("build", *options, context)
        yield IMAGE
        podman("rmi", "--force", IMAGE)


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


def test_the_server_answers_on_its_port_and_stores_its_data_in_the_volume(image: str, volume: str) -> None:
    assert "First start" in serve_once(image, volume)
    assert "First start" not in serve_once(image, volume)


def serve_once(image: str, volume: str) -> str:
    """Start the server, check it from outside and inside, stop it; return its output."""
    options = ["--detach", "--publish=127.0.0.1::8000", f"--volume={volume}:/data", *LIMITS]
    options += [f"--health-cmd={READY}", "--health-interval=disable"]
    public = "--env=OBSERVATORY_PUBLIC_URL=https://league.example.com"
    server = podman("run", *options, public, image, "observatory", "serve").strip()
    try:
        wait_for(server, "Observatory at https://league.example.com")
        address = podman("port", server, "8000").strip()
        with urllib.request.urlopen(f"http://{address}/readyz") as response:
            assert json.load(response)["ready"] is True
        podman("healthcheck", "run", server)
        podman("stop", "--time=60", server)
        assert podman("inspect", "--format={{.State.ExitCode}}", server).strip() == "0"
        return podman("logs", server)
    finally:
        podman("rm", "--force", "--time=0", server)


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
