"""`diagnose` as a command; what it finds is tested with its library."""

import json
from pathlib import Path
from typing import Any

import pytest

SMALL = ["-e", "1", "-s", "3", "--output-dir", "out"]
THREE = [
    word
    for name in ("eval_balanced_spread", "eval_collect_resources", "eval_divide_and_conquer")
    for word in ("--experiments", name)
]


def test_a_diagnosis_is_summed_up_and_written(cogames: Any, tmp_path: Path) -> None:
    ran = cogames("diagnose", "noop", *THREE, *SMALL, "-c", "8", "--bundle-zip", "all.zip")
    assert ran.code == 0, ran.err
    assert "Diagnosis: complete (stage2_completed)\n" in ran.out
    assert "\nDominant issue: " in ran.out
    assert ran.out.endswith(f"Report: {Path('out') / 'diagnose_report.html'}\n") or "diagnose_report.html" in ran.out
    assert {"manifest.json", "doctor_note.json", "diagnose_report.html"} <= {
        path.name for path in Path("out").iterdir()
    }
    assert (tmp_path / "all.zip").exists()


def test_the_doctor_note_is_printed_on_stdout(cogames: Any) -> None:
    ran = cogames("diagnose", "noop", "--experiments", "eval_balanced_spread", *SMALL, "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out) == json.loads(Path("out/doctor_note.json").read_text())
    assert json.loads(ran.out)["status"] == "incomplete"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["noop", "--experiments", "eval_balanced_spred"], "did you mean eval_balanced_spread?"),
        (["noop", "-c", "77"], "No chosen mission of 'cvc_evals' takes 77 cogs"),
        (["strater"], "did you mean starter"),
        (["noop", "--scripted-baseline-policy", "strater"], "did you mean starter"),
        (["noop", "--known-strong-policy", "./nowhere.zip"], "nowhere.zip"),
        (["noop", "--compare-run-dir", "nowhere"], "nowhere is not the folder of an earlier diagnosis"),
        (["noop", "--bundle-zip", "."], "is a folder; --bundle-zip needs the path of a file"),
        (["noop", "--output-dir", "note.txt"], "note.txt is a file"),
        (["noop", "--output-dir", "note.txt/below"], "note.txt is not a folder that can be written to"),
    ],
)
def test_an_unusable_input_is_refused_before_anything_is_played_or_deleted(
    cogames: Any, words: list[str], said: str
) -> None:
    Path("note.txt").write_text("mine")
    ran = cogames("diagnose", *words)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.error
    assert [path.name for path in Path().iterdir()] == ["note.txt"]


def test_wrong_choices_are_refused_before_anything_is_written(cogames: Any, tmp_path: Path) -> None:
    assert "Mission set 'nope' not found." in cogames("diagnose", "noop", "-S", "nope").error
    assert "cannot include ':'" in cogames("diagnose", "a::b").error
    assert not list(tmp_path.iterdir())
