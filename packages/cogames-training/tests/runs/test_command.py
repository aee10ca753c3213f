"""`cogames runs`: the table, the JSON document and the page."""

import json
import webbrowser
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cogames.main import app
from cogames_training.runs import RunFolder, find_run, find_runs
from cogames_training.runs.layout import Layout

from .conftest import report, save

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cogames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call `cogames runs` in an empty folder; returns the exit code and both outputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATA_DIR", raising=False)

    def call(*words: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, ["runs", *words])
        return result.exit_code, result.stdout, result.stderr

    return call


def train(name: str, layout: Layout = "tutorial", epochs: int = 3, *, status: str = "finished") -> Path:
    description = {
        "command": ["cogames", "tutorial", "train", "-m", "arena"],
        "args": {"missions": ["arena", "machina_1"], "policy": "class=lstm", "seed": 3},
    }
    run = RunFolder.create(Path("train_dir"), run_id=name, layout=layout, describe=description)
    for epoch in range(1, epochs + 1):
        run.append_metrics(report(epoch, evaluation={"score": 1.25} if epoch == 2 else None))
    save(run, epochs)
    if status != "running":
        run.finish(status)  # type: ignore[arg-type]
    run.close()
    return run.path


def test_runs_are_listed(cogames: Call) -> None:
    train("first")
    train("second", "recipe", status="failed")
    code, out, _ = cogames()
    lines = [line.split() for line in out.splitlines()]
    assert code == 0 and lines[0] == ["Run", "Missions", "Policy", "Steps", "Score", "Status", "When"]
    rows = {line[0]: line[1:] for line in lines[2:]}
    assert rows["first"][:6] == ["arena,", "machina_1", "class=lstm", "3.00k", "1.250", "finished"]
    assert rows["second"][5] == "failed"


def test_the_document_has_one_object_for_each_run(cogames: Call) -> None:
    train("first")
    code, out, _ = cogames("--json", "--checkpoints", "train_dir")
    (run,) = json.loads(out)
    assert code == 0 and run["run"] == "first" and run["steps"] == 3000 and run["checkpoint"] == 3
    assert run["repeat"] == "cogames tutorial train -m arena" and run["missions"] == ["arena", "machina_1"]


def test_an_empty_folder_says_so(cogames: Call) -> None:
    code, out, err = cogames()
    assert (code, out) == (0, "") and err.startswith("train_dir has no training runs\nhint: ")
    assert cogames("--json") == (0, "[]\n", "")


def test_the_folder_of_runs_is_that_of_the_recipes(cogames: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    train("first")
    monkeypatch.setenv("DATA_DIR", str(Path("train_dir").resolve()))
    assert "first" in cogames()[1]


def test_a_run_whose_process_is_gone_is_interrupted(cogames: Call) -> None:
    train("killed", status="running")
    assert find_run("killed", Path("train_dir")).status == "interrupted"
    with RunFolder.open(Path("train_dir/killed")):
        assert find_run("killed", Path("train_dir")).status == "running"


def test_a_page_is_written_beside_the_run_and_opened(cogames: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    path = train("first")
    code, out, _ = cogames("show", "first")
    assert code == 0 and Path(out.strip()).resolve() == path.resolve() / "report.html"
    assert opened == [(path.resolve() / "report.html").as_uri()]
    assert cogames("show", "latest", "--no-open")[0] == 0 and cogames("show", "first", "-o", "x.html")[0] == 0
    assert len(opened) == 1 and Path("x.html").is_file()


def test_several_runs_share_a_page(cogames: Call) -> None:
    train("first")
    train("second", "recipe")
    code, out, _ = cogames("show", "first", "train_dir/second", "first", "--no-open")
    page = Path(out.strip())
    assert code == 0 and page.name == "comparison.html"
    text = page.read_text()
    assert "Training runs first, second" in text and text.count("cogames tutorial train -m arena") == 2


def test_an_unknown_run_is_an_error_with_a_hint(cogames: Call) -> None:
    train("first")
    code, out, err = cogames("show", "frist")
    assert (code, out) == (1, "")
    assert err == "Error: Run 'frist' not found; train_dir has first\nhint: did you mean first?\n"
    code, _, err = cogames("show")
    assert code == 2


def test_folders_that_are_not_runs_are_ignored(cogames: Call, tmp_path: Path) -> None:
    path = train("first")
    (path.parent / "notes").mkdir()
    (path / "run.json").write_text("{damaged")
    (path / "metrics.jsonl").write_text('{"epoch": 1}\nnonsense\n[]\n')
    (run,) = find_runs(path.parent)
    assert (run.name, run.status, run.steps, run.missions) == ("first", "unknown", None, [])
    code, out, _ = cogames()
    assert code == 0 and "first" in out
    assert cogames("show", "first", "--no-open")[0] == 0
