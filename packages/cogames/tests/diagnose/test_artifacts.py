"""The output folder: what is deleted in one that is used again, and what never is."""

import json
import zipfile

import pytest

from cogames.diagnose.artifacts import FILES, OutputFolder
from cogames.diagnose.bundle import write_zip
from cogames.diagnose.options import OutputFolderError


@pytest.fixture
def old_run(tmp_path):
    """Create the output folder of an earlier run, with files of the user in it."""
    root = tmp_path / "out"
    for name in ("replays", "replays_stage2/absolute", "stability_reruns/rerun_1", "mine"):
        (root / name).mkdir(parents=True)
        (root / name / "a.json.z").write_text("old")
    for name in FILES:
        (root / name).write_text("{}")
    (root / "run_config.json").write_text(json.dumps({"run_id": "1", "pack_id": "cvc_stage1"}))
    for name in ("README.md", "notes.txt", "package.json"):
        (root / name).write_text("mine")
    return root


def test_only_files_of_an_earlier_run_are_deleted(old_run):
    OutputFolder.prepare(old_run)
    assert sorted(path.name for path in old_run.iterdir()) == ["README.md", "mine", "notes.txt", "package.json"]
    assert (old_run / "mine/a.json.z").read_text() == "old"


def test_links_are_removed_and_not_followed(old_run, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    (old_run / "manifest.json").unlink()
    (old_run / "manifest.json").symlink_to(elsewhere / "kept")
    (old_run / "replays/a.json.z").unlink()
    (old_run / "replays/a.json.z").symlink_to(elsewhere / "kept")
    (old_run / "replays/inner").symlink_to(elsewhere)
    (old_run / "stability_reruns/rerun_1/a.json.z").unlink()
    (old_run / "stability_reruns/rerun_1").rmdir()
    (old_run / "stability_reruns").rmdir()
    (old_run / "stability_reruns").symlink_to(elsewhere)
    folder = OutputFolder.prepare(old_run)
    folder.write_json("manifest.json", {"new": True})
    assert (elsewhere / "kept").read_text() == "kept"
    assert not (old_run / "manifest.json").is_symlink()
    assert not (old_run / "replays").exists()
    assert not (old_run / "stability_reruns").is_symlink()


def test_replays_where_no_diagnosis_has_been_are_refused(tmp_path):
    (tmp_path / "replays").mkdir()
    (tmp_path / "replays/mine.json.z").write_text("mine")
    with pytest.raises(OutputFolderError, match="choose another --output-dir"):
        OutputFolder.prepare(tmp_path)
    assert (tmp_path / "replays/mine.json.z").read_text() == "mine"


def test_a_file_is_not_an_output_folder(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(OutputFolderError, match="is a file"):
        OutputFolder.prepare(tmp_path / "out")


def test_numbers_that_json_does_not_have_are_refused(tmp_path):
    with pytest.raises(ValueError, match="JSON compliant"):
        OutputFolder.prepare(tmp_path / "out").write_json("metrics.json", {"x": float("nan")})


def test_archives_of_the_same_files_are_the_same_bytes(tmp_path):
    for name in ("b.json", "a/x.json.z"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name * 100)
    write_zip(tmp_path / "one.zip", tmp_path, ["b.json", "a/x.json.z"])
    write_zip(tmp_path / "deep/two.zip", tmp_path, ["a/x.json.z", "b.json"])
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "deep/two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.namelist() == ["a/x.json.z", "b.json"]
        assert archive.read("b.json") == ("b.json" * 100).encode()
