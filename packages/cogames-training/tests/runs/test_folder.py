"""Run folders: files, checkpoints, damage, locks and records."""

import errno
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from cogames_training.runs import RunFolder, RunFolderError, atomic, default_data_dir, record
from cogames_training.runs.layout import Layout
from cogames_training.runs.state_file import decode_state, encode_state, read_state

from .conftest import MakeRun, number_of, save, weights_of

LAYOUTS: list[Layout] = ["tutorial", "recipe"]


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_tutorial_layout_is_the_published_one(make_run: MakeRun) -> None:
    run = make_run()
    save(run, 1)
    assert save(run, 2) == run.path
    assert tree(run.path.parent) >= {
        "my_run.pt",
        "my_run/model_000001.pt",
        "my_run/model_000002.pt",
        "my_run/trainer_state.pt",
        "my_run/policy_spec.json",
        "my_run/run.json",
    }
    import torch

    assert json.loads((run.path / "policy_spec.json").read_text())["data_path"] == "model_000002.pt"
    assert (run.path.parent / "my_run.pt").read_bytes() == (run.path / "model_000002.pt").read_bytes()
    state = torch.load(run.path / "trainer_state.pt", weights_only=True)
    assert (state["model_name"], state["run_id"]) == ("model_000002.pt", "my_run")
    model = torch.load(run.path / "model_000002.pt", weights_only=True)
    assert model.keys() == weights_of(2).keys()


def test_the_recipe_layout_is_the_published_one(make_run: MakeRun) -> None:
    run = make_run(layout="recipe")
    save(run, 30)
    bundle = save(run, 60)
    assert bundle == run.path / "checkpoints" / "my_run:v60"
    assert tree(run.path / "checkpoints") == {
        "my_run:v30/policy_spec.json",
        "my_run:v30/weights.safetensors",
        "my_run:v60/policy_spec.json",
        "my_run:v60/weights.safetensors",
        "trainer_state.pt",
        "trainer_state.previous.pt",
    }


def test_a_run_without_name_gets_the_time(make_run: MakeRun) -> None:
    first, second = make_run(None), make_run(None)
    assert re.fullmatch(r"\d{12,}", first.name) and first.name != second.name


@pytest.mark.parametrize("name", ["", " ", "a/b", "..", "a:v5", "-x", "checkpoints", "a,b"])
def test_names_that_paths_or_policies_cannot_have_are_refused(make_run: MakeRun, name: str) -> None:
    with pytest.raises(RunFolderError, match="cannot be the name of a run"):
        make_run(name)


def test_the_folder_of_runs_is_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", "/somewhere")
    assert default_data_dir() == Path("/somewhere")
    monkeypatch.delenv("DATA_DIR")
    assert default_data_dir() == Path("train_dir")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_closed_run_continues_from_its_newest_checkpoint(make_run: MakeRun, layout: Layout) -> None:
    run = make_run(layout=layout)
    assert run.load_checkpoint() is None
    save(run, 9)
    save(run, 10)
    run.close()
    again = make_run(layout=layout)
    assert number_of(again) == 10
    assert [epoch for epoch, _ in again.checkpoints()] == [9, 10]
    again.close()
    with RunFolder.open(again.path) as third:
        checkpoint = third.load_checkpoint()
        assert checkpoint is not None and (checkpoint.epoch, checkpoint.warnings) == (10, [])
        assert checkpoint.state["agent_step"] == 10_000


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("damaged", ["state", "weights"])
@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "deleted"])
def test_a_damaged_checkpoint_is_skipped_with_a_warning(
    make_run: MakeRun, layout: Layout, damaged: str, how: str
) -> None:
    run = make_run(layout=layout)
    save(run, 1)
    save(run, 2)
    path = run.paths.state if damaged == "state" else run.paths.weights(2)
    content = path.read_bytes()
    middle = len(content) // 2
    changed = {
        "cut": content[:middle],
        "flipped": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "empty": b"",
    }
    path.unlink()
    if how != "deleted":
        path.write_bytes(changed[how])
    checkpoint = run.load_checkpoint()
    assert checkpoint is not None and checkpoint.epoch == 1
    assert len(checkpoint.warnings) == (0 if damaged == "state" and how == "deleted" else 1)
    assert number_of(run) == 1
    save(run, 3)
    assert number_of(run) == 3


def test_a_run_without_any_intact_checkpoint_says_so(make_run: MakeRun) -> None:
    run = make_run()
    save(run, 1)
    run.paths.state.write_bytes(b"nonsense")
    with pytest.raises(RunFolderError, match=r"No checkpoint of .* is intact: .*trainer_state\.pt is damaged"):
        run.load_checkpoint()


def test_a_run_of_the_published_trainer_can_be_loaded(tmp_path: Path) -> None:
    import torch

    folder = tmp_path / "176000000000"
    folder.mkdir()
    torch.save(weights_of(7), folder / "model_000007.pt")
    state = {
        "optimizer_state_dict": {},
        "global_step": 5,
        "agent_step": 5,
        "update": 7,
        "model_name": "model_000007.pt",
    }
    torch.save(state, folder / "trainer_state.pt")
    with RunFolder.open(folder) as run:
        checkpoint = run.load_checkpoint()
        assert checkpoint is not None and checkpoint.epoch == 7 and checkpoint.state["agent_step"] == 5


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_an_error_of_the_disk_is_one_sentence_and_keeps_the_older_checkpoint(
    make_run: MakeRun, layout: Layout, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(layout=layout)
    save(run, 1)
    before = tree(run.path)

    def full(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(RunFolderError) as error:
        save(run, 2)
    reason = "the disk of .* is full" if number != errno.EIO else "Input/output error: .*"
    pattern = f"Cannot save the checkpoint of epoch 2: {reason}; the checkpoint of epoch 1 is intact"
    assert re.fullmatch(pattern, str(error.value))
    monkeypatch.undo()
    assert tree(run.path) == before and number_of(run) == 1
    save(run, 2)
    assert number_of(run) == 2


def test_two_processes_cannot_write_one_run(make_run: MakeRun) -> None:
    run = make_run()
    with pytest.raises(RunFolderError, match="Another process is training in"):
        make_run()
    with pytest.raises(RunFolderError, match="Another process is training in"):
        RunFolder.open(run.path)
    run.close()
    make_run()


def test_other_folders_are_not_runs(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="is not a training run"):
        RunFolder.open(tmp_path)
    (tmp_path / "train_dir").write_text("a file")
    with pytest.raises(RunFolderError, match="Cannot create the run: File exists"):
        RunFolder.create(tmp_path / "train_dir", run_id="a", layout="tutorial", describe={})


def test_the_record_says_how_to_repeat_the_run(make_run: MakeRun) -> None:
    command = ["/usr/bin/python3", "/opt/bin/cogames", "tutorial", "train", "-m", "arena", "-v", "no clips"]
    with make_run(command=command, args={"seed": 7, "folder": Path("x")}, missions=["arena"]) as run:
        running = record.read_record(run.path)
    document = record.read_record(run.path)
    assert running is not None and running["status"] == "running" and running["finished"] is None
    assert document is not None and document["status"] == "finished" and document["finished"]
    assert document["repeat"] == "cogames tutorial train -m arena -v 'no clips'"
    assert document["args"] == {"seed": 7, "folder": "x"} and document["missions"] == ["arena"]
    assert "cogames-training" in document["packages"]
    assert document["machine"].keys() >= {"cpus", "gpu", "python", "torch"}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["python", "-m", "cogames", "train"], "python -m cogames train"),
        (["/x/.venv/bin/python3.11", "./tools/run.py", "train", "a=b c"], "python ./tools/run.py train 'a=b c'"),
        (["/x/.venv/bin/cogames", "train"], "cogames train"),
        ([], "''"),
    ],
)
def test_command_lines_start_with_the_name_of_the_program(words: list[str], line: str) -> None:
    assert record.command_line(words) == line


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [(KeyboardInterrupt(), "interrupted", None), (ValueError("not finite"), "failed", "ValueError: not finite")],
)
def test_the_record_says_how_the_run_ended(
    make_run: MakeRun, error: BaseException, status: str, reason: str | None
) -> None:
    run = make_run()
    with pytest.raises(type(error)), run:
        raise error
    assert (run.record["status"], run.record["reason"]) == (status, reason)
    again = make_run()
    assert again.record["status"] == "running" and len(again.record["resumed"]) == 1


@pytest.mark.parametrize(
    "state",
    [
        {"a": None, "b": [1, 2.5, "x", b"y", (True, 2**100)], "c": {3: {"d": []}}},
        {"nan": float("inf")},
    ],
)
def test_plain_values_survive_the_trainer_state(state: dict[str, Any]) -> None:
    assert decode_state(encode_state(state)) == state


def test_values_that_could_not_be_loaded_again_are_refused_at_once(make_run: MakeRun) -> None:
    import numpy as np

    with pytest.raises(TypeError, match=r"state\['optimizer'\]\[0\] is a ndarray"):
        make_run().save_checkpoint(1, weights_of(1), {}, {"optimizer": [np.zeros(3)]})


def test_the_state_names_the_weights_and_their_checksum(make_run: MakeRun) -> None:
    import hashlib

    run = make_run(layout="recipe")
    save(run, 4)
    state = read_state(run.paths.state)
    content = (run.path / "checkpoints" / state["model_name"]).read_bytes()
    assert state["model_sha256"] == hashlib.sha256(content).hexdigest()
