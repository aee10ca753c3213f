"""The Python side: the server, the single page, the notebook, the video, and their messages."""

import http.client
import re
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import EpisodeRecorder, Replay, UnreadableReplay, save_replay
from mettagrid.simulator import Simulation
from mettagrid.viewer import PagesMissing, ReplayServer, VideoNotWritten, _pages, serve, show, write_html, write_video
from mettagrid.viewer._raster import Raster, team_colour
from tests.support import require_tool


@pytest.fixture(scope="module")
def replay() -> Replay:
    config = MettaGridConfig.EmptyRoom(num_agents=3, width=12, height=10, with_walls=True)
    simulation = Simulation(config, seed=1)
    recorder = EpisodeRecorder.of(simulation)
    random = np.random.default_rng(1)
    for _ in range(30):
        simulation._c_sim.actions()[:] = random.integers(0, len(simulation.action_names), 3)
        simulation.step()
        recorder.record()
    return recorder.finish()


@pytest.fixture(scope="module")
def replay_file(replay: Replay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("viewer") / "a small one.cogreplay"
    save_replay(replay, path)
    return path


@pytest.fixture
def server(replay_file: Path) -> Iterator[ReplayServer]:
    with serve(replay_file) as server:
        yield server


@dataclass
class Answer:
    status: int
    headers: Message
    body: bytes


def get(port: int, path: str, *, host: str | None = None) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers={"Host": host} if host else {})
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def test_the_address_leads_to_the_page_and_to_the_replay(server: ReplayServer, replay_file: Path) -> None:
    address = urlsplit(server.address)
    page = get(server.port, f"{address.path}?{address.query}").body.decode()
    assert "<title>MettaScope</title>" in page
    (script,) = re.findall(r'src="\./(assets/[^"]+\.js)"', page)
    assert get(server.port, f"/{script}").headers["Content-Type"].startswith("text/javascript")
    name = address.query.removeprefix("replay=")
    assert get(server.port, f"/{name}").body == replay_file.read_bytes()


def test_nothing_but_the_pages_and_the_replay_is_served(server: ReplayServer) -> None:
    for path in ("/../errors.py", "/%2e%2e/errors.py", "/assets/../../__init__.py", "/etc/passwd", "//etc/passwd"):
        assert get(server.port, path).status == 404


def test_a_page_elsewhere_cannot_have_its_own_name_point_here(server: ReplayServer) -> None:
    assert get(server.port, "/", host="evil.example").status == 403
    assert get(server.port, "/", host="[::1").status == 403
    assert get(server.port, "/", host=f"localhost:{server.port}").status == 200


def test_strangers_who_send_nonsense_or_hang_up_are_not_told_of(
    server: ReplayServer, capfd: pytest.CaptureFixture[str]
) -> None:
    for sent in (
        b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: [\r\n\r\n",
        b"\0\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", server.port)) as stranger:
            stranger.sendall(sent)
            assert b" 200 " not in stranger.recv(4096)
    with socket.create_connection(("127.0.0.1", server.port)) as hasty:
        hasty.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        hasty.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
    assert get(server.port, "/").status == 200
    assert capfd.readouterr().err == ""


def test_the_page_may_run_its_own_program_only(server: ReplayServer) -> None:
    policy = get(server.port, "/").headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy and "unsafe" not in policy


def test_a_missing_file_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        serve(tmp_path / "nothing.json.z")


def test_one_page_holds_program_styles_and_replay(replay_file: Path, tmp_path: Path) -> None:
    path = write_html(replay_file, tmp_path / "new folder" / "episode.html")
    page = path.read_text(encoding="utf-8")
    assert "src=" not in page.split("<script", 1)[0]
    assert 'data-name="a small one.cogreplay"' in page
    assert "script-src 'sha256-" in page and "unsafe" not in page.split("</head>", 1)[0].split("<style>", 1)[0]
    assert page == write_html(replay_file, tmp_path / "again.html").read_text(encoding="utf-8")


def test_what_is_no_replay_gives_no_page(tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(UnreadableReplay):
        write_html(tmp_path / "no.json", tmp_path / "no.html")
    assert not (tmp_path / "no.html").exists()


def test_a_notebook_gets_a_frame_without_rights(replay: Replay) -> None:
    text = show(replay, height=300)._repr_html_()
    assert text.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts allow-downloads"' in text
    assert "height: 300px" in text


def test_without_pages_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_pages, "__file__", str(tmp_path / "_pages.py"))
    with pytest.raises(PagesMissing, match="make web"):
        _pages.pages_folder()


def test_pictures_show_agents_where_they_are(replay: Replay) -> None:
    from mettagrid.replay import frame_at

    raster = Raster(replay, size=240)
    scale = 20
    for tick in (0, 7, 30):
        picture = raster.frame(tick)
        assert picture.shape == (10 * scale + 28, 12 * scale, 3)
        for state in frame_at(replay, tick).objects.values():
            column, row = state.location
            middle = picture[row * scale + scale // 2, column * scale + scale // 2]
            expected = {"agent": (147, 160, 173), "wall": (50, 59, 69)}[state.type_name]
            assert tuple(middle.tolist()) == expected, (tick, state)


def test_teams_have_the_colours_of_the_page() -> None:
    source = (Path(__file__).parents[4] / "web/src/board/palette.ts").read_text()
    for name in ("cogs", "clips", "red", "blue", "green", "yellow"):
        colour = "#{:02x}{:02x}{:02x}".format(*team_colour(f"cogs_{name}" if name in "red blue" else name, 0))
        assert f'{name}: "{colour}"' in source


@pytest.mark.parametrize("kind", ["mp4", "gif", "webm"])
def test_a_video_has_a_picture_for_every_tick(kind: str, replay_file: Path, tmp_path: Path) -> None:
    require_tool("ffmpeg")
    path = write_video(replay_file, tmp_path / f"episode.{kind}", size=96)
    ask = ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width,height", "-of", "csv=p=0"]
    said = subprocess.check_output([require_tool("ffprobe"), *ask, str(path)], text=True)
    width, height, frames = (int(number) for number in said.strip().split(","))
    assert (width, height) == (160, 108)
    assert frames == 31


def test_without_an_encoder_one_sentence_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, replay_file: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(VideoNotWritten, match="needs ffmpeg"):
        write_video(replay_file, tmp_path / "episode.mp4")
    with pytest.raises(VideoNotWritten, match="must end in one of"):
        write_video(replay_file, tmp_path / "episode.txt")


def test_a_failing_encoder_is_quoted(replay_file: Path, tmp_path: Path) -> None:
    require_tool("ffmpeg")
    (tmp_path / "episode.mp4").mkdir()
    with pytest.raises(VideoNotWritten, match="ffmpeg could not write"):
        write_video(replay_file, tmp_path / "episode.mp4")


def test_the_command_writes_and_serves(replay_file: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mettagrid.viewer"]
    out = tmp_path / "page.html"
    assert subprocess.check_output([*command, replay_file, "--html", out], text=True) == f"{out}\n"
    failed = subprocess.run([*command, tmp_path / "none"], capture_output=True, text=True)
    assert failed.returncode == 1 and failed.stderr.startswith("error: ")
    with subprocess.Popen([*command, replay_file, "--no-browser"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        assert get(address.port or 0, "/").status == 200
        process.terminate()


@pytest.mark.slow
def test_the_unit_tests_of_the_pages_pass() -> None:
    import web

    assert web.main(["test"]) == 0
