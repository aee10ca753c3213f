"""Writing bundles: what goes where, what is refused, and that the same inputs give the same bytes."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from mettagrid.policy.bundle import create_bundle
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.policy.prepare_policy_spec import load_policy_spec_from_path

from .conftest import POLICY_SOURCE, MakeBundle, write_files

MINE = PolicySpec(class_path="my_policy.MyPolicy")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_traces: None) -> Path:
    """A working folder with a policy of one file, a package and weights."""
    files = {
        "my_policy.py": POLICY_SOURCE,
        "sub/dir/my_policy.py": POLICY_SOURCE,
        "pkg/__init__.py": "",
        "pkg/sub/__init__.py": "",
        "pkg/sub/mod.py": POLICY_SOURCE,
        "pkg/__pycache__/mod.pyc": "compiled",
        "pkg/.git/HEAD": "x",
        "plain/helpers.py": "",
        "data/w.bin": "heavy",
        "setup_policy.py": "",
    }
    folder = write_files(tmp_path / "here", files)
    monkeypatch.chdir(folder)
    return folder


def names(bundle: Path) -> list[str]:
    with zipfile.ZipFile(bundle) as archive:
        return archive.namelist()


def manifest(bundle: Path) -> dict[str, object]:
    with zipfile.ZipFile(bundle) as archive:
        content: dict[str, object] = json.loads(archive.read("policy_spec.json"))
        return content


def test_a_policy_of_one_file_is_packed_and_loads_elsewhere(here: Path, env_info: PolicyEnvInterface) -> None:
    made = create_bundle(MINE, Path("out.zip"), include_files=["my_policy.py"], init_kwargs={"gear": "scout"})
    assert made.path == here / "out.zip" and made.size == made.path.stat().st_size
    assert names(made.path) == ["policy_spec.json", "my_policy.py"] and made.warnings == ()
    assert manifest(made.path) == {
        "class_path": "my_policy.MyPolicy",
        "data_path": None,
        "init_kwargs": {"gear": "scout"},
        "policy_env_interface": None,
        "setup_script": None,
    }
    policy = initialize_or_load_policy(env_info, load_policy_spec_from_path(made.path))
    assert policy.gear == "scout"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("class_path", "include", "expected"),
    [
        ("my_policy.MyPolicy", ["sub/dir/my_policy.py"], ["my_policy.py"]),
        ("my_policy.MyPolicy", ["my_policy.py", "./my_policy.py"], ["my_policy.py"]),
        ("my_policy.MyPolicy", ["sub"], ["sub/dir/my_policy.py"]),
        ("pkg.sub.mod.P", ["pkg/sub/mod.py"], ["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/mod.py"]),
        ("pkg.sub.mod.P", ["pkg/sub"], ["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/mod.py"]),
        ("pkg.sub.mod.P", ["pkg"], ["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/mod.py"]),
        ("my_policy.MyPolicy", ["plain/helpers.py"], ["plain/helpers.py"]),
    ],
)
def test_included_paths_keep_their_place_except_a_module_of_one_file(
    class_path: str, include: list[str], expected: list[str]
) -> None:
    made = create_bundle(PolicySpec(class_path=class_path), Path("out.zip"), include_files=include)
    assert names(made.path) == ["policy_spec.json", *expected]
    assert made.included == tuple(include)


def test_weights_and_setup_script_come_along(here: Path, env_info: PolicyEnvInterface) -> None:
    spec = PolicySpec(class_path="my_policy.MyPolicy", data_path=str(here / "data/w.bin"))
    made = create_bundle(spec, Path("deep/new/out.zip"), include_files=["my_policy.py"], setup_script="setup_policy.py")
    assert names(made.path) == ["policy_spec.json", "data/w.bin", "my_policy.py", "setup_policy.py"]
    assert (made.spec.data_path, made.spec.setup_script) == ("data/w.bin", "setup_policy.py")
    policy = initialize_or_load_policy(env_info, load_policy_spec_from_path(made.path))
    assert policy.weights == "heavy"  # type: ignore[attr-defined]
    assert spec.data_path == str(here / "data/w.bin")  # what was given is not changed


def test_the_same_inputs_give_the_same_bytes(here: Path) -> None:
    first = create_bundle(MINE, Path("a.zip"), include_files=["pkg", "my_policy.py"]).path.read_bytes()
    os.utime(here / "my_policy.py", (1, 1))
    (here / "pkg/sub/mod.py").chmod(0o600)
    second = create_bundle(MINE, Path("a.zip"), include_files=["my_policy.py", "pkg"]).path.read_bytes()
    assert first == second
    (here / "pkg/sub/mod.py").chmod(0o700)
    create_bundle(MINE, Path("a.zip"), include_files=["pkg"])
    with zipfile.ZipFile("a.zip") as archive:
        modes = {entry.filename: oct(entry.external_attr >> 16) for entry in archive.infolist()}
        assert all(entry.date_time == (1980, 1, 1, 0, 0, 0) for entry in archive.infolist())
    assert modes["pkg/sub/mod.py"] == "0o100755" and modes["pkg/__init__.py"] == "0o100644"


@pytest.mark.parametrize("name", ["bundle", "bundle.zip"])
def test_an_existing_bundle_is_packed_again_with_changes(
    here: Path, make_bundle: MakeBundle, name: str, env_info: PolicyEnvInterface
) -> None:
    source = make_bundle(
        name, {"w.bin": "heavy", "setup.py": "print('done')"}, data_path="w.bin", setup_script="setup.py",
        init_kwargs={"gear": "old", "n": 1}, policy_env_interface=env_info.model_dump(mode="json"),
    )  # fmt: skip
    load_policy_spec_from_path(source)  # leaves its marks in a folder
    made = create_bundle(
        source, Path("out.zip"), init_kwargs={"gear": "new", "some-name": "x"}, include_files=["pkg/sub"]
    )
    assert made.source == source
    assert names(made.path) == [
        *("policy_spec.json", "my_policy.py", "pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/mod.py"),
        *("setup.py", "w.bin"),
    ]
    assert made.spec.init_kwargs == {"gear": "new", "n": 1, "some_name": "x"}
    assert (made.spec.setup_script, made.spec.data_path, made.spec.policy_env_interface) == (
        "setup.py",
        "w.bin",
        env_info,
    )
    again = create_bundle(made.path, Path("again.zip"))
    assert again.path.read_bytes() == made.path.read_bytes()


def test_a_bundle_with_a_toml_manifest_gets_one_in_json(here: Path, make_bundle: MakeBundle) -> None:
    source = make_bundle("bundle")
    (source / "policy_spec.json").unlink()
    (source / "cogames.toml").write_text('[policy]\nclass_path = "my_policy.MyPolicy"\n[policy.init_kwargs]\nn = 3\n')
    made = create_bundle(source, Path("out.zip"))
    assert manifest(made.path)["init_kwargs"] == {"n": 3}


def test_the_bundle_itself_is_not_included(here: Path) -> None:
    create_bundle(MINE, Path("out.zip"), include_files=["."])
    assert "out.zip" not in names(create_bundle(MINE, Path("out.zip"), include_files=["."]).path)


class TestRefusals:
    def test_paths_that_are_not_there(self) -> None:
        with pytest.raises(FileNotFoundError, match=r"Path does not exist: none\.py"):
            create_bundle(MINE, Path("out.zip"), include_files=["none.py"])
        with pytest.raises(FileNotFoundError, match=r"Path does not exist: none\.py"):
            create_bundle(MINE, Path("out.zip"), setup_script="none.py")
        assert not Path("out.zip").exists()

    def test_paths_outside_the_working_folder(self, here: Path, tmp_path: Path) -> None:
        (tmp_path / "outside.txt").write_text("x")
        for text in ("../outside.txt", str(tmp_path / "outside.txt"), "/etc/hostname"):
            with pytest.raises(ValueError, match=f"Path must be within the current directory: {text}"):
                create_bundle(MINE, Path("out.zip"), include_files=[text])
        with pytest.raises(ValueError, match="within the current directory"):
            create_bundle(MINE.model_copy(update={"data_path": "../outside.txt"}), Path("out.zip"))

    def test_a_link_that_leads_outside(self, here: Path, tmp_path: Path) -> None:
        (tmp_path / "outside.txt").write_text("x")
        (here / "pkg/link.txt").symlink_to(tmp_path / "outside.txt")
        with pytest.raises(ValueError, match="within the current directory"):
            create_bundle(MINE, Path("out.zip"), include_files=["pkg"])
        (here / "pkg/link.txt").unlink()
        (here / "pkg/link.txt").symlink_to("nowhere")
        with pytest.raises(FileNotFoundError, match="is a link to nothing"):
            create_bundle(MINE, Path("out.zip"), include_files=["pkg"])

    def test_two_files_for_one_place(self) -> None:
        with pytest.raises(ValueError, match=r"would both become my_policy\.py in the bundle"):
            create_bundle(MINE, Path("out.zip"), include_files=["my_policy.py", "sub/dir/my_policy.py"])

    def test_a_setup_script_that_is_no_python_file(self) -> None:
        with pytest.raises(ValueError, match=r"Setup script must be a \.py file: data/w\.bin"):
            create_bundle(MINE, Path("out.zip"), setup_script="data/w.bin")

    def test_an_output_that_is_a_folder(self, here: Path) -> None:
        with pytest.raises(ValueError, match="is a folder"):
            create_bundle(MINE, here)

    def test_a_policy_of_the_trainer_without_its_code(self, here: Path) -> None:
        trained = PolicySpec(class_path="metta.agent.policies.vit.ViTPolicy")
        with pytest.raises(ValueError, match="needs code that is not in the bundle; include it with -f"):
            create_bundle(trained, Path("out.zip"))
        create_bundle(trained, Path("out.zip"), setup_script="setup_policy.py")
        write_files(here, {"metta/agent/policies/vit.py": ""})
        assert create_bundle(trained, Path("out.zip"), include_files=["metta"]).warnings == ()


def test_the_source_of_a_class_comes_along_unless_other_files_are_named(here: Path) -> None:
    made = create_bundle(MINE, Path("out.zip"))
    assert (made.included, made.warnings) == (("my_policy.py",), ())
    assert create_bundle(MINE, Path("out.zip"), include_files=["setup_policy.py"]).warnings == (
        "my_policy.MyPolicy is not in the bundle; include its source with -f PATH",
    )


def test_code_that_is_only_elsewhere_is_warned_about() -> None:
    assert create_bundle(PolicySpec(class_path="elsewhere.MyPolicy"), Path("out.zip")).warnings == (
        "elsewhere.MyPolicy is not in the bundle; include its source with -f PATH",
    )
    assert create_bundle(PolicySpec(class_path="mettagrid.policy.noop.NoopPolicy"), Path("out.zip")).warnings == ()
    (warning,) = create_bundle(PolicySpec(class_path="unknown"), Path("out.zip")).warnings
    assert warning.startswith("unknown is not a known policy name")


def test_the_bundle_of_a_training_run_has_the_newest_weights_only(tmp_path: Path) -> None:
    spec = {"class_path": "mettagrid.policy.noop.NoopPolicy", "data_path": "model_000010.pt"}
    files = {
        "policy_spec.json": json.dumps(spec),
        "trainer_state.pt": "optimizer",
        "model_000009.pt": "old",
        "model_000010.pt": "new",
        "metrics.jsonl": "{}",
        "checkpoints/run:v9/policy_spec.json": json.dumps(spec),
        "checkpoints/run:v9/model_000009.pt": "old",
    }
    run = write_files(tmp_path / "run", files)
    made = create_bundle(run, tmp_path / "out.zip")
    assert names(made.path) == ["policy_spec.json", "model_000010.pt"]
