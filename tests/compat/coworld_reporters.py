"""Reporters as WebAssembly components from a real compiler: the interface, an honest reporter and a hostile one.

usage: coworld_reporters.py COMPONENTIZE_PYTHON PYTHON     interpreters with `componentize-py` and the newest `coworld`

The interface of the published package and ours must have the same types. The reporter of
docs/coworld/reporter-components.md is built for both and reports on an episode of Paint Arena. A hostile one looks for
files, variables, programs and the network. Exit status 1 when anything differs.
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import coworld  # noqa: E402
from coworld.roles.report_checks import read_report  # noqa: E402
from coworld.roles.wasm.limits import ReporterLimits  # noqa: E402
from coworld.roles.wasm.run import WasmReport, WasmReporterFailed, check_component, run_wasm_reporter  # noqa: E402

INTERFACE = Path("wit") / "softmax-reporter-0.6.0"
OURS = Path(coworld.__path__[0]) / INTERFACE
GUIDE = ROOT / "docs" / "coworld" / "reporter-components.md"

HOSTILE = """
import json, os, socket, subprocess
import wit_world
from componentize_py_types import Err
from wit_world.imports import episodes, llm, output, platform, reports
from wit_world.imports.types import RunSummary

def attempt(work):
    try:
        return repr(work())
    except Err as error:
        return type(error.value).__name__
    except BaseException as error:
        return type(error).__name__

def connect(port):
    with socket.create_connection(("127.0.0.1", port), 2) as connection:
        return connection.recv(10)

def write(path):
    with open(path, "w") as file:
        file.write("x")
    return open(path).read()

class WitWorld(wit_world.WitWorld):
    def run(self, request):
        params = json.loads(request.params)
        if params.get("hog"):
            hoard = []
            while True:
                hoard.append(bytearray(1 << 24))
        episode = request.subject.value[0]
        found = {
            "passwd": attempt(lambda: open("/etc/passwd").read()),
            "up": attempt(lambda: os.listdir("/scratch/..")),
            "host": attempt(lambda: open("/coworld/request.json").read()),
            "link": attempt(lambda: os.symlink("/etc/passwd", "/scratch/link") or open("/scratch/link").read()),
            "root": attempt(lambda: write("/escape")),
            "scratch": attempt(lambda: write("/scratch/note")),
            "variables": attempt(lambda: dict(os.environ)),
            "network": attempt(lambda: connect(params["port"])),
            "program": attempt(lambda: subprocess.run(["/bin/true"])),
            "platform": attempt(lambda: platform.get("/v2/leagues", "")),
            "model": attempt(lambda: llm.openai_chat("{}")),
            "runs": attempt(lambda: reports.list_runs("")),
            "other": attempt(lambda: episodes.error_info("ereq_other")),
            "failure": attempt(lambda: episodes.error_info(episode)),
            "replay": attempt(lambda: len(episodes.replay(episode))),
            "page": attempt(lambda: output.emit("page", output.PartValue_RenderHtml("<script>1</script>"))),
            "file": attempt(lambda: output.emit("file", output.PartValue_File(
                output.FilePayload("image/png", bytes(1 << 20))))),
        }
        output.emit("found", output.PartValue_Json(json.dumps(found)))
        return RunSummary(2)
"""
EXPECTED = {
    "scratch": "'x'",
    "variables": "{}",
    "platform": "ToolError_Forbidden",
    "model": "ToolError_Forbidden",
    "runs": "'[]'",
    "other": "ToolError_NotFound",
    "failure": "None",
    "page": "ToolError_Invalid",
    "file": "None",
}
REFUSED = ("passwd", "up", "host", "link", "root", "network", "program")
REPLAY_BYTES = 12 << 20


def main(compiler: str, published: str) -> bool:
    good = True

    def check(claim: str, passed: bool, detail: object = "") -> None:
        nonlocal good
        good &= passed
        print(f"  {'same' if passed else 'DIFFERS'}  {claim}" + ("" if passed else f": {detail}"), flush=True)

    query = "import coworld; print(coworld.__path__[0])"
    found = subprocess.run([published, "-c", query], capture_output=True, text=True, check=True).stdout.strip()
    theirs = Path(found) / INTERFACE
    print("Reporters as WebAssembly components")
    ours_types, their_types = _types(OURS), _types(theirs)
    check("the interface has the published types", ours_types == their_types, (ours_types, their_types))
    with tempfile.TemporaryDirectory(prefix="coworld-compat-") as name:
        folder = Path(name)
        source = re.findall(r"^```python file=recap.py\n(.*?)^```", GUIDE.read_text(), flags=re.S | re.M)[0]
        manifest = json.loads(re.findall(r"^```json\n(.*?)^```", GUIDE.read_text(), flags=re.S | re.M)[0])
        attributes = manifest["reporter"][0]["attributes"]
        episode = folder / "episode"
        words = ["-m", "coworld", "run-episode", "paintarena", "--variant", "quick-small", "-o", str(episode)]
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        bundle = folder / "episode.zip"
        words = ["-m", "coworld", "bundle", str(episode), "--output", str(bundle)]
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        scores = json.loads((episode / "results.json").read_text())["scores"]
        for label, interface in (("our", OURS), ("the published", theirs)):
            component = _build(compiler, interface, "recap", source, folder / label.split()[-1])
            check_component(component, "recap")
            report = run_wasm_reporter(component, bundle, reporter_id="recap", attributes=attributes)
            read = read_report(report.data)
            page = read.render[1] if read.render else ""
            passed = all(f"<td>{score:g}</td>" in page for score in scores) and len(read.events or ()) == 1
            check(f"the guide's reporter, built for {label} interface, reports on Paint Arena", passed, page)
        _attack(_build(compiler, OURS, "hostile", HOSTILE, folder / "hostile"), folder, check)
    return good


def _attack(component: Path, folder: Path, check: Any) -> None:
    """Run the hostile reporter beside a server that it must not reach, and with too little memory."""
    bundle = folder / "large.zip"
    files = {"results": "results.json", "replay": "replay"}
    with zipfile.ZipFile(bundle, "w") as archive:
        document = {"ereq_id": "ereq_1", "status": "success", "include": [*files], "files": files}
        archive.writestr("manifest.json", json.dumps(document))
        archive.writestr("results.json", "{}")
        archive.writestr("replay", bytes(REPLAY_BYTES))
    outputs = [("page", "render-html", True), ("file", "file", False), ("found", "json", False)]
    declared = [{"name": name, "type": kind, "description": name, "optional": free} for name, kind, free in outputs]

    def run(limits: ReporterLimits, **params: object) -> WasmReport:
        attributes = {"outputs": declared}
        text = json.dumps(params)
        return run_wasm_reporter(
            component, bundle, reporter_id="hostile", attributes=attributes, limits=limits, params=text
        )

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        report = run(ReporterLimits(), port=server.getsockname()[1])
        try:
            server.accept()[0].close()
            reached = True
        except BlockingIOError:
            reached = False
    path = folder / "found.zip"
    path.write_bytes(report.data)
    with zipfile.ZipFile(path) as archive:
        found = json.loads(archive.read("parts/found.json"))
    check("a hostile reporter reaches no server", not reached, found["network"])
    for name in REFUSED:
        check(f"its attempt `{name}` is refused", found[name].endswith(("Error", "Exception")), found[name])
    expected = {**EXPECTED, "replay": str(REPLAY_BYTES)}
    rest = {name: found[name] for name in expected}
    check("its other calls have the documented results", rest == expected, rest)
    check("its refused page is kept as text", report.outcome.refused == {"page": "<script>1</script>"})
    try:
        run(ReporterLimits(memory_mib=128), hog=True)
        check("a reporter that hoards memory is stopped", False, "it ended well")
    except WasmReporterFailed as error:
        check("a reporter that hoards memory is stopped", error.verdict == "budget-exhausted", error)


def _build(compiler: str, interface: Path, name: str, source: str, folder: Path) -> Path:
    folder.mkdir()
    (folder / f"{name}.py").write_text(source)
    program = Path(compiler).parent / "componentize-py"
    command = [str(program), "-d", str(interface), "-w", "reporter", "componentize", name, "-o", f"{name}.wasm"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / f"{name}.wasm"


def _types(interface: Path) -> dict[str, set[str]]:
    """Return the statements of each block of an interface, without comments; those with an order keep it."""
    text = re.sub(r"//[^\n]*", "", (interface / "world.wit").read_text())
    blocks: dict[str, set[str]] = {"": set(re.findall(r"package [^;]+", text))}
    for kind, name, body in re.findall(r"^(interface|world) ([\w-]+) \{\n(.*?)^\}", text, flags=re.S | re.M):
        statements = re.findall(r"(?:record|variant) [\w-]+ \{[^}]*\}|use [^;]+;|[^;{}]+;", body)
        blocks[f"{kind} {name}"] = {re.sub(r"\s+", " ", statement).strip() for statement in statements}
    return blocks


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:3]))
