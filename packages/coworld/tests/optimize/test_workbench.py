"""The workbench through its command, its HTTP interface and a real browser."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from .own_roles import write_player, write_world

CHOICES = {"variants": ["quick-small"], "iterations": 1, "pairs": 2}


@dataclass
class Bench:
    """A running workbench."""

    address: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(urlsplit(self.address).port or 0)

    @property
    def token(self) -> str:
        return urlsplit(self.address).fragment

    def ask(
        self, path: str, body: object = None, *, headers: dict[str, str] | None = None, token: bool = True
    ) -> tuple[int, dict[str, str], bytes]:
        """(status, headers, body) of a request; a body makes it a POST."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"X-Coworld-Token": self.token} if token else {}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = "application/json"
        try:
            connection.request("POST" if data is not None else "GET", path, data, sent | (headers or {}))
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def view(self) -> Any:
        status, _, body = self.ask("/api/view")
        assert status == 200, body
        return json.loads(body)

    def until(self, *statuses: str) -> Any:
        """The view once the run has one of the statuses."""
        for _ in range(2400):
            found = self.view()
            if found["run"] is not None and found["run"]["status"] in statuses:
                return found
            time.sleep(0.05)
        pytest.fail(f"the run never became {statuses}: {found}")

    def until_phase(self, text: str) -> Any:
        """The view once the run is in a phase."""
        for _ in range(2400):
            found = self.view()
            if found["run"]["phase"] is not None and found["run"]["phase"]["text"] == text:
                return found
            time.sleep(0.05)
        pytest.fail(f"the run never came to {text!r}: {found}")


@contextmanager
def bench(folder: Path, *words: object) -> Iterator[Bench]:
    """`coworld optimize` in a folder, on any free port."""
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data")}
    process = subprocess.Popen(
        [sys.executable, "-c", FREE_PORT, "optimize", *map(str, words), "--no-open-browser"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("Workbench: http://127.0.0.1:"), process.communicate()[1]
        yield Bench(line.split(": ", 1)[1].strip(), process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGKILL) and "Traceback" not in errors, errors
    finally:
        process.kill()
        process.communicate()


# The option takes no port 0: tests that run at the same time would fight for any fixed one.
FREE_PORT = "import coworld.commands.optimize as o; o.WORKBENCH_PORT = 0; from coworld.main import run; run()"


def test_without_arguments_the_page_asks_for_a_manifest(tmp_path: Path) -> None:
    with bench(tmp_path) as here:
        status, headers, body = here.ask("/", token=False)
        assert status == 200 and b"coworld init player" in body, "the page says how to get a manifest"
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert here.token.encode() not in body
        assert (here.view()["manifest"], here.view()["world"]) == (None, None)
        status, _, body = here.ask("/api/start", CHOICES)
        assert status == 409 and "No manifest is open" in json.loads(body)["error"]
        status, _, body = here.ask("/api/open", {"manifest": "nothing"})
        assert status == 409 and "There is no manifest 'nothing'" in json.loads(body)["error"]
        assert here.ask("/api/open", {"manifest": "paintarena"})[0] == 200
        assert here.view()["world"]["name"] == "paintarena"
        assert "quick-small" in [one["id"] for one in here.view()["world"]["variants"]]
    write_player(tmp_path / "player")
    with bench(tmp_path / "player") as here:
        found = here.view()
        assert found["manifest"] == "coworld_manifest.json", "the one of the current folder"
        assert found["defaults"]["player_folder"] == str((tmp_path / "player").resolve())


def test_other_hosts_other_pages_and_requests_without_the_secret_are_refused(tmp_path: Path) -> None:
    with bench(tmp_path, "paintarena") as here:
        own = f"127.0.0.1:{here.port}"
        for headers in (
            {"Host": "attacker.example"},
            {"Host": f"attacker.example:{here.port}"},
            {"Host": "127.0.0.1:1"},
            {"Origin": "http://attacker.example"},
            {"Origin": "null"},
            {"Host": own, "Origin": f"https://{own}"},
        ):
            for path, body in (("/", None), ("/api/view", None), ("/api/start", CHOICES)):
                assert here.ask(path, body, headers=headers)[0] == 403, (path, headers)
        assert here.ask("/api/start", CHOICES, headers={"Origin": f"http://{own}"})[0] != 403
        for path, body in (("/api/view", None), ("/api/stop", {}), ("/show/a/0/b", None), ("/download/a/0/b", None)):
            assert here.ask(path, body, token=False)[0] == 401, path
            assert here.ask(path, body, headers={"X-Coworld-Token": "é".encode().decode("latin-1")})[0] == 401
        assert here.ask(f"/api/stop?token={here.token}", {}, token=False)[0] == 401, "links start nothing"
        assert here.ask("/api/stop", {}, headers={"Content-Type": "text/plain"})[0] == 415
        assert here.ask("/api/stop", b" " * 70_000)[0] == 413
        assert here.ask("/api/stop", b"[" * 60_000)[0] == 400
        assert here.ask("/api/stop", [])[0] == 400
        assert here.ask("/api/nothing", {})[0] == 404
        assert here.ask("/../../etc/passwd")[0] == 404
        for path in ("/download/x/0/..%2F..%2Fjournal.jsonl", "/show/..%2Fx/0/journal.jsonl"):
            assert here.ask(path)[0] in (404, 409)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"player_folder": "nowhere"}, "There is no folder"),
        ({"player": "nobody"}, "'nobody'"),
        ({"variants": ["huge"]}, "'huge'"),
        ({"variants": "quick"}, "must be a list of texts"),
        ({"pairs": 1}, "`pairs` must be a number from 2 to 1000"),
        ({"iterations": True}, "`iterations` must be a number"),
        ({"improve": ["sh"]}, "'improve' is not a setting"),
    ],
)
def test_wrong_choices_are_refused_and_start_nothing(checked: Bench, choices: dict[str, Any], sentence: str) -> None:
    status, _, body = checked.ask("/api/start", CHOICES | choices)
    assert status == 409 and sentence in json.loads(body)["error"]
    assert not checked.view()["busy"] and checked.view()["runs"] == []


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("checked")
    write_player(folder / "player")
    with bench(folder, "player") as here:
        yield here


@pytest.mark.slow
def test_a_run_is_started_shown_and_its_best_version_copied(tmp_path: Path) -> None:
    manifest, player = write_world(tmp_path / "world")
    with bench(tmp_path, manifest) as here:
        status, _, body = here.ask("/api/start", CHOICES | {"player_folder": "world/player"})
        assert status == 200, body
        name = json.loads(body)["result"]
        found = here.until("finished", "failed")
        assert found["name"] == name and found["run"]["status"] == "finished", found["run"]["reason"]
        (row,) = found["run"]["iterations"]
        assert row["kept"] and row["plan"] == "optimizer.json"
        status, headers, body = here.ask(f"/show/{name}/0/report-0.zip?token={here.token}", token=False)
        assert status == 200 and b"written by the author's reporter" in body
        assert "sandbox" in headers["Content-Security-Policy"] and headers["Content-Type"].startswith("text/html")
        assert b'"score": 0.875' in here.ask(f"/show/{name}/0/grade-0.json")[2]
        assert b"about slot=" in here.ask(f"/show/{name}/0/diagnosis-0.zip")[2]
        assert b"the author's optimizer" in here.ask(f"/show/{name}/0/optimizer.json")[2]
        status, headers, body = here.ask(f"/download/{name}/0/episode-0.zip")
        assert body.startswith(b"PK") and headers["Content-Disposition"] == 'attachment; filename="episode-0.zip"'
        assert '"stay"' in (player / "player.py").read_text()
        assert here.ask("/api/write", {"run": name})[0] == 200
        assert '"right" if state["slot"] == 0' in (player / "player.py").read_text()
    folders = list((tmp_path / "data" / "coworld" / "workbench").iterdir())
    assert [folder.name.rpartition("-")[0] for folder in folders] == ["paintarena"]
    with bench(tmp_path, manifest, "--refresh") as here:
        assert here.view()["runs"] == [], "the earlier run was set aside"


@pytest.mark.slow
def test_a_run_stops_with_the_workbench_and_continues_where_it_was(tmp_path: Path) -> None:
    write_player(tmp_path / "player")
    # It waits for ever in the first attempt: the run cannot end before it is stopped.
    improve = tmp_path / "improve.sh"
    improve.write_text(
        f"#!/bin/sh\necho $$ > {tmp_path}/pid\n[ -e {tmp_path}/go ] || exec sleep 3600\necho >> player.py\n"
    )
    improve.chmod(0o755)
    call = ["player", "--improve", improve]

    def improver() -> int:
        for _ in range(2400):
            if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip():
                return int((tmp_path / "pid").read_text())
            time.sleep(0.05)
        pytest.fail("the improver never ran")

    with bench(tmp_path, *call) as here:
        assert here.ask("/api/start", CHOICES)[0] == 200
        improver()
        assert here.view()["busy"] and here.view()["run"]["phase"]["text"].startswith("Analyzing")
        status, _, body = here.ask("/api/start", CHOICES)
        assert status == 409 and "A run is in progress" in json.loads(body)["error"]
        assert here.ask("/api/stop", {})[0] == 200
        assert here.view()["run"]["status"] == "stopped" and not here.view()["busy"]
        (tmp_path / "pid").unlink()
        assert here.ask("/api/start", CHOICES)[0] == 200
        pid = improver()
        here.process.kill()
        here.process.wait()
    for _ in range(2400):
        if not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the run outlived the workbench")
    (tmp_path / "go").touch()
    with bench(tmp_path, *call) as here:
        here.until("interrupted", "stopped")
        assert here.ask("/api/start", CHOICES)[0] == 200
        found = here.until("finished", "failed")
        assert found["run"]["status"] == "finished" and len(found["runs"]) == 1
    (journal,) = (tmp_path / "data").rglob("journal.jsonl")
    played = [line for line in map(json.loads, journal.read_text().splitlines()) if line["kind"] == "episode"]
    assert len(played) == 4, "finished episodes are not played again"


@pytest.mark.slow
def test_the_command_line_form_serves_the_same_page_while_it_runs(tmp_path: Path) -> None:
    player = write_player(tmp_path / "player")
    go = tmp_path / "go"
    os.mkfifo(go)  # the improver waits for the test
    improve = tmp_path / "improve.sh"
    improve.write_text(f"#!/bin/sh\nread line < {go}\necho >> player.py\n")
    improve.chmod(0o755)
    words = ["optimize", player, player, "--improve", improve, "-n", "1", "--pairs", "2", "--variant", "quick-small"]
    process = subprocess.Popen(
        [sys.executable, "-m", "coworld", *map(str, words), "--no-open-browser"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert line.startswith("Progress: http://127.0.0.1:"), line
        here = Bench(line.split(": ", 1)[1].strip(), process)
        with open(os.open(go, os.O_RDWR), "w") as pipe:  # opened for both, it never waits for the improver
            found = here.until_phase("Analyzing episodes and waiting for a proposal")
            assert found["watching"] and found["run"]["status"] == "running"
            assert here.ask("/api/start", CHOICES)[0] == 409
            print("go", file=pipe, flush=True)
            output, errors = process.communicate(timeout=120)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0 and "Report: optimize/report.html" in output, errors


@pytest.mark.slow
def test_the_page_runs_an_optimization_in_a_browser(tmp_path: Path, browser: Any) -> None:
    _, player = write_world(tmp_path / "world")
    errors: list[str] = []
    context = browser.new_context(color_scheme="dark", viewport={"width": 1100, "height": 800})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    with bench(tmp_path) as here:
        page.goto(here.address)
        page.fill("#manifest", "world")
        page.click("#open button")
        page.wait_for_selector("#choices:not([hidden])")
        assert "their-optimizer" in page.inner_text("#roles")
        page.fill("#player_folder", "world/player")
        page.check("#variants input[value=quick-small]")
        page.fill("#iterations", "1")
        page.fill("#pairs", "2")
        page.click("#start")
        page.wait_for_selector("#history li .pill:text('Kept')")
        page.wait_for_selector("#status:text('Finished')")
        page.click("#history li details:nth-of-type(1) > summary")
        page.click("summary:text('reporter their-reporter') >> nth=0")
        frame = page.wait_for_selector("iframe").content_frame()
        assert "written by the author's reporter" in frame.inner_text("body")
        assert "the ruler is missing" in page.inner_text("#history")
        page.click("button:text('Watch the replay') >> nth=0")
        assert page.wait_for_selector("#replay a").get_attribute("href").startswith("http://127.0.0.1:")
        page.goto("about:blank")
        page.goto(here.address)
        page.wait_for_selector("#status:text('Finished')")
        assert page.input_value("#player_folder") == str(player.resolve()), "the choices are those of the last run"
        context.close()  # before the server: the page asks it every second
    assert errors == []
