"""Bundles made from what is typed after `-p`."""

import json
import sys
import zipfile
from pathlib import Path

import pytest

from cogames.policy.bundles import create_bundle
from mettagrid.policy import bundle_cache

STARTER = "cogames.policy.starter_agent.StarterPolicy"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a policy, weights, and a run with two checkpoints, one of them packed."""
    monkeypatch.setattr(bundle_cache, "DEFAULT_POLICY_CACHE_DIR", tmp_path / "cache")
    monkeypatch.setattr(sys, "path", sys.path[:])
    here = tmp_path / "here"
    for place in ("runs/run:v9", "starter"):
        (here / place).mkdir(parents=True)
        spec = {"class_path": "my_policy.MyPolicy", "init_kwargs": {"place": place, "n": 1}}
        (here / place / "policy_spec.json").write_text(json.dumps(spec))
        (here / place / "my_policy.py").touch()
    with zipfile.ZipFile(here / "runs" / "run:v10.zip", "w") as archive:
        archive.writestr("policy_spec.json", '{"class_path": "my_policy.MyPolicy", "init_kwargs": {"n": 10}}')
    (here / "my_policy.py").touch()
    (here / "weights.pt").touch()
    monkeypatch.chdir(here)
    return here


@pytest.mark.parametrize(
    ("policy", "class_path", "kwargs"),
    [
        ("starter", STARTER, {}),  # although there is a folder of that name
        ("starter:3", STARTER, {}),
        ("metta://policy/starter?n=2", STARTER, {"n": 2}),
        ("mock://starter", STARTER, {}),
        ("class=starter,kw.some-name=2,proportion=4", STARTER, {"some_name": "2"}),
        ("./starter", "my_policy.MyPolicy", {"place": "starter", "n": 1}),
        ("./starter,proportion=2", "my_policy.MyPolicy", {"place": "starter", "n": 1}),
        ("./starter?n=7", "my_policy.MyPolicy", {"place": "starter", "n": 7}),
        ("./runs/run:v9", "my_policy.MyPolicy", {"place": "runs/run:v9", "n": 1}),
        ("./runs:latest", "my_policy.MyPolicy", {"n": 10}),
        ("runs/run:v10.zip", "my_policy.MyPolicy", {"n": 10}),
    ],
)
def test_a_bundle_is_made_for_whatever_is_typed(
    folder: Path, policy: str, class_path: str, kwargs: dict[str, object]
) -> None:
    made = create_bundle(policy, Path("out.zip"))
    assert (made.spec.class_path, made.spec.init_kwargs) == (class_path, kwargs)
    assert made.path == folder / "out.zip"
    is_packed_again = class_path != STARTER
    assert (made.source is not None) == is_packed_again


def test_a_uri_is_packed_again(folder: Path) -> None:
    made = create_bundle((folder / "starter").as_uri(), Path("out.zip"), init_kwargs={"n": "2"})
    assert made.source == folder / "starter" and made.spec.init_kwargs == {"place": "starter", "n": "2"}
    with zipfile.ZipFile(made.path) as archive:
        assert archive.namelist() == ["policy_spec.json", "my_policy.py"]


def test_weights_are_included(folder: Path) -> None:
    made = create_bundle("class=my_policy.MyPolicy,data=weights.pt", Path("out.zip"), include_files=["my_policy.py"])
    with zipfile.ZipFile(made.path) as archive:
        assert archive.namelist() == ["policy_spec.json", "my_policy.py", "weights.pt"]


def test_a_missing_path_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match=r"does not exist: \./none"):
        create_bundle("./none", Path("out.zip"))
    assert not Path("out.zip").exists()
