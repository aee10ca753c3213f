"""Loading a bundle: its manifest, its weights, its code, its setup script, and the cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mettagrid.policy import bundle_cache
from mettagrid.policy.bundle_cache import usable_cache_dir
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.prepare_policy_spec import find_package_source_root, load_policy_spec_from_path
from mettagrid.policy.prepare_policy_spec import prefer_installed_package_code as prefer_installed
from mettagrid.policy.setup_script import SetupResult, run_setup_script
from mettagrid.policy.submission import SubmissionPolicySpec, load_policy_manifest, write_submission_policy_spec

from .conftest import POLICY_SOURCE, MakeBundle, write_files

BOTH = pytest.mark.parametrize("name", ["bundle", "bundle.zip"])


class TestManifests:
    @BOTH
    def test_a_policy_is_made_from_a_folder_or_an_archive(
        self, make_bundle: MakeBundle, env_info: PolicyEnvInterface, name: str
    ) -> None:
        path = make_bundle(name, {"w.bin": "heavy"}, data_path="w.bin", init_kwargs={"gear": "scout"}, unknown_key=3)
        policy = initialize_or_load_policy(env_info, load_policy_spec_from_path(path))
        assert (policy.gear, policy.weights) == ("scout", "heavy")  # type: ignore[attr-defined]

    def test_the_toml_manifest_counts_where_there_is_no_json(self, make_bundle: MakeBundle) -> None:
        path = make_bundle("bundle")
        (path / "cogames.toml").write_text('[policy]\nclass_path = "my_policy.Other"\n')
        assert load_policy_spec_from_path(path).class_path == "my_policy.MyPolicy"
        (path / "policy_spec.json").unlink()
        (path / "cogames.toml").write_text(
            '[policy]\nclass_path = "my_policy.MyPolicy"\nsetup_script = "s.py"\n[policy.init_kwargs]\nn = [1, 2]\n'
        )
        assert load_policy_manifest(path / "cogames.toml") == SubmissionPolicySpec(
            class_path="my_policy.MyPolicy", setup_script="s.py", init_kwargs={"n": [1, 2]}
        )

    def test_a_bundle_without_a_manifest_is_refused(self, make_bundle: MakeBundle, tmp_path: Path) -> None:
        make_bundle("outer/inner")
        with pytest.raises(FileNotFoundError, match=r"Neither policy_spec.json nor cogames.toml .* in inner/"):
            load_policy_spec_from_path(tmp_path / "outer")
        with pytest.raises(FileNotFoundError, match="bundle not found"):
            load_policy_spec_from_path(tmp_path / "nothing")

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("{", "Invalid JSON"),
            ("[]", "Input should be an object"),
            ("{}", "class_path: Field required"),
            ('{"class_path": 3}', "class_path: Input should be a valid string"),
        ],
    )
    def test_a_wrong_manifest_says_what_is_wrong(self, tmp_path: Path, text: str, says: str) -> None:
        write_files(tmp_path, {"policy_spec.json": text})
        with pytest.raises(ValueError, match=f"describes no policy: {says}"):
            load_policy_spec_from_path(tmp_path)

    @pytest.mark.parametrize("text", ["", "[other]", "policy = 3", "not toml"])
    def test_a_wrong_toml_manifest_is_refused(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "cogames.toml").write_text(text)
        with pytest.raises(ValueError, match=r"missing a \[policy\] table|not a TOML file"):
            load_policy_spec_from_path(tmp_path)

    def test_a_manifest_is_written_as_published(self, tmp_path: Path) -> None:
        spec = SubmissionPolicySpec(class_path="my_policy.StarterPolicy", init_kwargs={"gear": "1"})
        write_submission_policy_spec(tmp_path / "policy_spec.json", spec)
        assert (tmp_path / "policy_spec.json").read_text() == (
            '{"class_path":"my_policy.StarterPolicy","data_path":null,"init_kwargs":{"gear":"1"},'
            '"policy_env_interface":null,"setup_script":null}'
        )
        assert os.listdir(tmp_path) == ["policy_spec.json"]

    def test_the_device_replaces_one_that_is_there(self, make_bundle: MakeBundle) -> None:
        path = make_bundle("bundle", init_kwargs={"device": "cuda"})
        assert load_policy_spec_from_path(path, device="cpu").init_kwargs == {"device": "cpu"}
        assert load_policy_spec_from_path(make_bundle("other"), device="cpu").init_kwargs == {}


class TestWeights:
    @BOTH
    def test_missing_weights_are_refused(self, make_bundle: MakeBundle, name: str) -> None:
        with pytest.raises(FileNotFoundError, match=r"'w\.bin' not found in submission directory"):
            load_policy_spec_from_path(make_bundle(name, data_path="w.bin"))

    def test_weights_outside_the_bundle_are_refused_unless_the_path_is_absolute(
        self, make_bundle: MakeBundle, tmp_path: Path
    ) -> None:
        (tmp_path / "w.bin").write_text("x")
        with pytest.raises(ValueError, match="leads out of the bundle"):
            load_policy_spec_from_path(make_bundle("bundle", data_path="../w.bin"))
        absolute = str(tmp_path / "w.bin")
        assert load_policy_spec_from_path(make_bundle("other", data_path=absolute)).data_path == absolute


class TestCache:
    def test_an_archive_is_unpacked_once_and_a_changed_one_again(self, make_bundle: MakeBundle) -> None:
        first = load_policy_spec_from_path(make_bundle("a.zip"))
        again = load_policy_spec_from_path(make_bundle("copy.zip"))  # other name, same content
        assert first.import_roots == again.import_roots
        changed = load_policy_spec_from_path(make_bundle("a.zip", init_kwargs={"gear": "new"}))
        assert changed.init_kwargs == {"gear": "new"} and changed.import_roots != first.import_roots

    def test_what_was_left_half_unpacked_is_not_used(self, make_bundle: MakeBundle) -> None:
        path = make_bundle("a.zip")
        root = load_policy_spec_from_path(path).import_roots[0]
        (root / ".extraction_complete").unlink()
        (root / "my_policy.py").write_text("half")
        load_policy_spec_from_path(path)
        assert (root / "my_policy.py").read_text() == POLICY_SOURCE

    def test_an_archive_that_changes_while_it_is_read_is_not_kept(
        self, make_bundle: MakeBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = make_bundle("a.zip")
        extract = bundle_cache.extract_submission_archive

        def replace_and_extract(archive: Path, folder: Path) -> None:
            make_bundle("a.zip", init_kwargs={"gear": "other"})
            extract(archive, folder)

        monkeypatch.setattr(bundle_cache, "extract_submission_archive", replace_and_extract)
        with pytest.raises(ValueError, match="changed while it was being read"):
            load_policy_spec_from_path(path)
        assert [each.suffix for each in (tmp_path / "policy-cache").iterdir()] == [".lock"]

    def test_a_given_folder_is_used_and_what_is_in_it_stays(self, make_bundle: MakeBundle, tmp_path: Path) -> None:
        target = write_files(tmp_path / "target", {"notes.txt": "mine"})
        load_policy_spec_from_path(make_bundle("a.zip"), force_dest=target)
        load_policy_spec_from_path(make_bundle("a.zip", init_kwargs={"gear": "new"}), force_dest=target)
        assert (target / "notes.txt").read_text() == "mine" and "new" in (target / "policy_spec.json").read_text()

    def test_the_cache_of_another_user_is_not_used(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bundle_cache, "DEFAULT_POLICY_CACHE_DIR", tmp_path / "shared")
        uid = os.geteuid()
        assert usable_cache_dir() == tmp_path / "shared"
        monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
        with pytest.raises(PermissionError, match="belongs to another user"):
            usable_cache_dir()

    def test_boxes_of_root_enter_the_cache_and_nobody_lists_it(self, tmp_path: Path) -> None:
        (tmp_path / "old").mkdir(mode=0o700)
        modes = {usable_cache_dir(tmp_path / name).stat().st_mode & 0o777 for name in ("old", "new")}
        assert modes == ({0o711} if os.geteuid() == 0 else {0o700})

    def test_two_processes_unpack_one_archive_without_harm(self, make_bundle: MakeBundle, tmp_path: Path) -> None:
        path = make_bundle("a.zip", {f"data/{number}.txt": "x" * 1000 for number in range(200)})
        code = (
            "import sys; from pathlib import Path; from mettagrid.policy.bundle_cache import unpacked_bundle; "
            "root = unpacked_bundle(Path(sys.argv[1]), cache_dir=Path(sys.argv[2])); "
            "print(len(list((root / 'data').iterdir())))"
        )
        command = [sys.executable, "-c", code, str(path), str(tmp_path / "cache")]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        assert [process.communicate()[0].strip() for process in running] == ["200", "200"]

    def test_a_copy_is_removed_at_the_end_where_that_is_wanted(self, make_bundle: MakeBundle, tmp_path: Path) -> None:
        path = make_bundle("a.zip")
        code = (
            "import sys; from pathlib import Path; from mettagrid.policy import bundle_cache; "
            "from mettagrid.policy.prepare_policy_spec import load_policy_spec_from_path; "
            "bundle_cache.DEFAULT_POLICY_CACHE_DIR = Path(sys.argv[2]); "
            "load_policy_spec_from_path(Path(sys.argv[1]), remove_downloaded_copy_on_exit=True)"
        )
        subprocess.run([sys.executable, "-c", code, str(path), str(tmp_path / "cache")], check=True)
        assert [each.suffix for each in (tmp_path / "cache").iterdir()] == [".lock"]


class TestSetupScripts:
    SCRIPT = "import os\nopen('made', 'a').write(os.path.basename(os.getcwd()))\n"

    def test_a_script_runs_once_in_the_bundle(self, make_bundle: MakeBundle) -> None:
        path = make_bundle("bundle", {"setup_policy.py": self.SCRIPT}, setup_script="setup_policy.py")
        load_policy_spec_from_path(path)
        load_policy_spec_from_path(path)
        assert (path / "made").read_text() == "bundle"
        (path / "setup_policy.py").write_text("open('made', 'a').write('!')\n")
        load_policy_spec_from_path(path)
        assert (path / "made").read_text() == "bundle!"

    def test_a_script_runs_once_for_the_same_archive(self, make_bundle: MakeBundle) -> None:
        for name in ("a.zip", "b.zip"):
            path = make_bundle(name, {"setup_policy.py": self.SCRIPT}, setup_script="setup_policy.py")
            root = load_policy_spec_from_path(path).import_roots[0]
        assert (root / "made").read_text() == root.name

    def test_a_failing_script_shows_its_output(self, make_bundle: MakeBundle) -> None:
        script = "import sys\nprint('trying')\nsys.exit('no compiler')\n"
        path = make_bundle("bundle", {"s.py": script}, setup_script="s.py")
        with pytest.raises(RuntimeError, match=r"exit code 1:\nstdout: trying\n\nstderr: no compiler"):
            load_policy_spec_from_path(path)
        with pytest.raises(RuntimeError):  # it did not count as done
            load_policy_spec_from_path(path)

    def test_a_script_that_does_not_end_is_stopped(
        self, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("mettagrid.policy.setup_script.SETUP_TIMEOUT_S", 0.2)
        path = make_bundle("bundle", {"s.py": "while True: pass\n"}, setup_script="s.py")
        with pytest.raises(RuntimeError, match="took longer than"):
            load_policy_spec_from_path(path)

    @pytest.mark.parametrize(
        ("script", "error", "says"),
        [
            ("s.sh", ValueError, r"must be a \.py file"),
            ("../s.py", ValueError, "must lie in the bundle"),
            ("/tmp/s.py", ValueError, "must lie in the bundle"),
            ("none.py", FileNotFoundError, "not found"),
        ],
    )
    def test_what_is_no_script_of_the_bundle_is_refused(
        self, make_bundle: MakeBundle, script: str, error: type[Exception], says: str
    ) -> None:
        with pytest.raises(error, match=says):
            load_policy_spec_from_path(make_bundle("bundle", {"s.sh": ""}, setup_script=script))

    def test_a_runner_decides_how_the_script_runs_and_what_becomes_importable(
        self, make_bundle: MakeBundle, tmp_path: Path, env_info: PolicyEnvInterface
    ) -> None:
        installed = write_files(tmp_path / "installed", {"brought_by_setup.py": "number = 7\n"})
        asked: list[tuple[Path, Path]] = []

        def boxed(bundle_root: Path, script: Path) -> SetupResult:
            asked.append((bundle_root, script))
            return SetupResult(0, "", (installed,))

        source = POLICY_SOURCE.replace("class MyPolicy", "from brought_by_setup import number\n\nclass MyPolicy")
        path = make_bundle("bundle", {"my_policy.py": source, "s.py": "raise SystemExit(1)"}, setup_script="s.py")
        spec = load_policy_spec_from_path(path, setup_runner=boxed)
        assert asked == [(path, path / "s.py")] and spec.import_roots[-1] == installed
        initialize_or_load_policy(env_info, spec)
        assert sys.modules["my_policy"].number == 7
        assert [each.name for each in path.glob(".setup*")] == []
        with pytest.raises(RuntimeError, match="exit code 9:\nboom"):
            run_setup_script(path, "s.py", runner=lambda *_: SetupResult(9, "boom"))


class TestImports:
    def test_the_folder_a_class_is_imported_from_is_found(self, tmp_path: Path) -> None:
        write_files(
            tmp_path,
            dict.fromkeys(
                [
                    *("src/pkg/__init__.py", "src/pkg/sub/mod.py", "top.py", "deep/a/b/m.py", "flat/__init__.py"),
                    *(".hidden/secret.py", "__pycache__/cached.py", "note/book.ipynb"),
                ],
                "",
            ),
        )
        expected = {
            "pkg.sub.mod.C": "src",
            "pkg.C": "src",
            "pkg.sub.mod.Outer.Inner": "src",
            "a.b.m.C": "deep",
            "b.m.C": "deep/a",
            "m.C": "deep/a/b",
            "flat.C": ".",
            "book.C": "note",
        }
        for class_path, folder in expected.items():
            assert find_package_source_root(tmp_path, class_path) == tmp_path / folder, class_path
        for class_path in ("top.C", "none.C", "pkg.sub.none.C", "secret.C", "cached.C", "noop", "..C"):
            assert find_package_source_root(tmp_path, class_path) is None, class_path

    def test_two_bundles_with_modules_of_the_same_names_do_not_mix(
        self, make_bundle: MakeBundle, env_info: PolicyEnvInterface
    ) -> None:
        source = POLICY_SOURCE + "\nfrom helper import word\nMyPolicy.word = word\nMyPolicy.short_names = []\n"
        specs = [
            load_policy_spec_from_path(make_bundle(name, {"my_policy.py": source, "helper.py": f"word = {name!r}\n"}))
            for name in ("first.zip", "second.zip")
        ]
        policies = [initialize_or_load_policy(env_info, spec) for spec in (*specs, specs[0])]
        assert [policy.word for policy in policies] == ["first.zip", "second.zip", "first.zip"]  # type: ignore[attr-defined]

    def test_a_bundle_takes_the_place_of_a_module_of_the_same_name_in_the_working_folder(
        self, make_bundle: MakeBundle, env_info: PolicyEnvInterface, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_files(tmp_path / "here", {"my_policy.py": "", "helper.py": "word = 'here'\n"})
        monkeypatch.syspath_prepend(tmp_path / "here")
        import helper  # type: ignore[import-not-found]  # noqa: F401
        import my_policy  # type: ignore[import-not-found]  # noqa: F401

        source = POLICY_SOURCE + "\nfrom helper import word\nMyPolicy.word = word\n"
        path = make_bundle("bundle", {"my_policy.py": source, "helper.py": "word = 'bundle'\n"})
        policy = initialize_or_load_policy(env_info, load_policy_spec_from_path(path))
        assert policy.word == "bundle"  # type: ignore[attr-defined]

    def test_a_new_version_of_a_bundle_may_give_its_short_name_to_another_class(
        self, make_bundle: MakeBundle, env_info: PolicyEnvInterface
    ) -> None:
        for name in ("OldPolicy", "NewPolicy"):
            source = f"{POLICY_SOURCE}\nclass {name}(MyPolicy):\n    short_names = ['my-own']\n"
            path = make_bundle(f"{name}.zip", {"my_policy.py": source}, class_path=f"my_policy.{name}")
            assert type(initialize_or_load_policy(env_info, load_policy_spec_from_path(path))).__name__ == name

    def test_our_packages_and_pythons_are_never_taken_from_a_bundle(
        self, make_bundle: MakeBundle, env_info: PolicyEnvInterface
    ) -> None:
        import json

        import cogames
        import mettagrid

        hostile = dict.fromkeys(["mettagrid/__init__.py", "cogames/__init__.py", "json.py"], "raise SystemExit(1)\n")
        policy = initialize_or_load_policy(env_info, load_policy_spec_from_path(make_bundle("bundle", hostile)))
        assert type(policy).__name__ == "MyPolicy"
        assert sys.modules["mettagrid"] is mettagrid and sys.modules["cogames"] is cogames
        assert sys.modules["json"] is json
        spec = load_policy_spec_from_path(make_bundle("b2", hostile, class_path="mettagrid.policy.noop.NoopPolicy"))
        assert type(initialize_or_load_policy(env_info, spec)).__module__ == "mettagrid.policy.noop"

    def test_installed_code_can_be_preferred(
        self, make_bundle: MakeBundle, env_info: PolicyEnvInterface, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        installed = POLICY_SOURCE + "\nMyPolicy.place = 'installed'\n"
        write_files(tmp_path / "site", {"my_policy.py": installed})
        monkeypatch.syspath_prepend(tmp_path / "site")
        path = make_bundle("bundle", {"my_policy.py": POLICY_SOURCE + "\nMyPolicy.place = 'bundle'\n"})
        with prefer_installed():
            spec = load_policy_spec_from_path(path)
            assert initialize_or_load_policy(env_info, spec).place == "installed"  # type: ignore[attr-defined]
        spec = load_policy_spec_from_path(path)
        assert initialize_or_load_policy(env_info, spec).place == "bundle"  # type: ignore[attr-defined]

    def test_a_description_from_a_bundle_keeps_its_folders_when_it_is_copied_or_pickled(
        self, make_bundle: MakeBundle
    ) -> None:
        import pickle

        spec = load_policy_spec_from_path(make_bundle("bundle.zip"))
        for copy in (spec.model_copy(deep=True), pickle.loads(pickle.dumps(spec))):
            assert copy == spec and copy.import_roots == spec.import_roots != ()
