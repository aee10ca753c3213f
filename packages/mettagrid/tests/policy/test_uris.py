"""The meaning of a URI, and the checkpoint that a path means."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.util.uri_resolvers import schemes
from mettagrid.util.uri_resolvers.base import MettaParsedScheme, SchemeResolver
from mettagrid.util.uri_resolvers.schemes import (
    FileSchemeResolver,
    checkpoint_filename,
    checkpoint_uri_for_epoch,
    get_checkpoint_metadata,
    localize_uri,
    parse_init_kwargs_from_query,
    parse_uri,
    policy_spec_from_uri,
    register_scheme_resolver,
    resolve_uri,
)

from .conftest import MakeBundle


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_traces: None) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestParsing:
    def test_paths_become_absolute_and_canonical(self, folder: Path) -> None:
        for text in (
            "runs/a:v3",
            "./runs/a:v3",
            f"{folder}/runs/a:v3",
            f"file://{folder}/runs/a%3Av3",
            "file://runs/a:v3",
        ):
            parsed = parse_uri(text)
            assert parsed.scheme == "file"
            assert parsed.local_path == folder / "runs" / "a:v3"
            assert parsed.canonical == f"file://{folder}/runs/a%3Av3"
            assert parsed.checkpoint_info == ("a", 3)

    def test_the_home_folder_is_found(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(folder))
        assert parse_uri("~/x").local_path == folder / "x"

    def test_buckets_are_read_from_both_ways_of_writing_them(self) -> None:
        parsed = parse_uri("https://my-bucket.s3.us-east-1.amazonaws.com/runs/a.zip")
        assert parsed == parse_uri("s3://my-bucket/runs/a.zip")
        assert (parsed.scheme, parsed.canonical) == ("s3", "s3://my-bucket/runs/a.zip")

    @pytest.mark.parametrize(
        "uri",
        [
            "",
            "s3://",
            "s3://bucket",
            "mock://",
            "file://",
            "ftp://x/y",
            "https://example.com/a.zip",
            "metta://policy/x",
        ],
    )
    def test_what_cannot_be_read_is_refused(self, uri: str) -> None:
        with pytest.raises(ValueError, match=r"URI|loaded from"):
            parse_uri(uri)

    def test_an_unknown_scheme_may_be_nothing(self) -> None:
        assert parse_uri("ftp://x", allow_none=True) is None
        assert parse_uri("word", allow_none=True, default_scheme=None) is None

    @given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30))
    def test_every_path_survives_its_canonical_form(self, name: str) -> None:
        parsed = FileSchemeResolver().parse(f"/somewhere/{name}")
        assert parse_uri(parsed.canonical) == parsed


class TestQueries:
    def test_values_are_typed_and_the_last_one_wins(self) -> None:
        query = "n=1&n=2&minus=-3&plus=%2B4&yes=TRUE&no=false&ratio=0.1&text=a%20b&empty=&word&list=a,b"
        assert parse_init_kwargs_from_query(query) == {
            "n": 2,
            "minus": -3,
            "plus": 4,
            "yes": True,
            "no": False,
            "ratio": "0.1",
            "text": "a b",
            "list": "a,b",
        }

    @given(
        st.dictionaries(
            st.text("abcxyz_", min_size=1), st.integers() | st.booleans() | st.text("abc -=&%é", min_size=1)
        )
    )
    def test_arguments_survive_the_query(self, kwargs: dict[str, Any]) -> None:
        from urllib.parse import urlencode

        assert parse_init_kwargs_from_query(urlencode(kwargs)) == kwargs


class TestClasses:
    def test_short_names_and_classes_need_no_file(self) -> None:
        noop = "mettagrid.policy.noop.NoopPolicy"
        for uri in ("metta://policy/noop", f"metta://policy/{noop}", "mock://noop", f"mock://{noop}"):
            assert policy_spec_from_uri(uri) == PolicySpec(class_path=noop)
        assert localize_uri("mock://noop") is None

    def test_the_query_becomes_arguments_and_the_device_is_the_callers(self) -> None:
        spec = policy_spec_from_uri("metta://policy/random?vibe_action_p=1&device=x", device="cuda")
        assert spec.init_kwargs == {"vibe_action_p": 1, "device": "cuda"}
        assert policy_spec_from_uri("mock://noop", device="cuda").init_kwargs == {}

    @pytest.mark.parametrize("name", ["no_such_name", "no.such.Class", "noop:v3", "noop:latest"])
    def test_other_names_need_a_server(self, name: str) -> None:
        with pytest.raises(ValueError, match=f"Unsupported URI: metta://policy/{name}; .* no client"):
            policy_spec_from_uri(f"metta://policy/{name}")


class TestServers:
    class Server(SchemeResolver):
        """Knows where a policy's bundle is."""

        bundle: Path

        @property
        def scheme(self) -> str:
            return "metta"

        def parse(self, uri: str) -> MettaParsedScheme:
            return MettaParsedScheme(canonical=uri, path=uri.removeprefix("metta://"))

        def get_path_to_policy_spec(self, uri: str) -> str:
            assert self.parse(uri).checkpoint_info == ("mine", 3)
            return self.bundle.as_uri()

    @pytest.fixture
    def server(self, make_bundle: MakeBundle, monkeypatch: pytest.MonkeyPatch) -> type["TestServers.Server"]:
        monkeypatch.setattr(schemes, "_registered", [])
        monkeypatch.setattr(self.Server, "bundle", make_bundle("mine.zip"), raising=False)
        return self.Server

    def test_a_client_can_register_the_scheme(self, server: type[SchemeResolver]) -> None:
        register_scheme_resolver(server())
        assert policy_spec_from_uri("metta://policy/mine:v3").class_path == "my_policy.MyPolicy"
        assert policy_spec_from_uri("metta://policy/noop").class_path == "mettagrid.policy.noop.NoopPolicy"
        assert localize_uri("metta://policy/mine:v3").name == "mine.zip"  # type: ignore[union-attr]

    def test_an_installed_package_can_offer_the_scheme(
        self, server: type[SchemeResolver], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken() -> type[SchemeResolver]:
            raise ImportError("half installed")

        offers = [SimpleNamespace(load=broken), SimpleNamespace(load=lambda: server)]
        monkeypatch.setattr(
            "importlib.metadata.entry_points", lambda group: offers if group == "mettagrid.uri_resolvers" else []
        )
        assert policy_spec_from_uri("metta://policy/mine:v3?gear=scout").init_kwargs == {"gear": "scout"}


class TestCheckpoints:
    """The order in which a path is looked up, with the numbers 2, 9 and 10 so that text and numbers differ."""

    @pytest.mark.parametrize("ending", ["", ".zip"])
    @pytest.mark.parametrize(
        ("typed", "expected"),
        [
            ("./train/my_run:v9", "train/my_run:v9"),
            ("./train/my_run:latest", "train/my_run:v10"),
            ("./train/my_run", "train/my_run:v10"),
            ("./train:latest", "train/my_run:v10"),
            ("./train", "train/my_run:v10"),
            ("./train:v2", "train/my_run:v2"),
            ("./deep/run:latest", "deep/run/checkpoints/my_run:v10"),
            ("./deep/run", "deep/run/checkpoints/my_run:v10"),
            ("./deep/run:v9", "deep/run/checkpoints/my_run:v9"),
            ("./deep/run/checkpoints:latest", "deep/run/checkpoints/my_run:v10"),
        ],
    )
    def test_a_path_means_the_bundle_one_expects(
        self, folder: Path, make_bundle: MakeBundle, typed: str, expected: str, ending: str
    ) -> None:
        for place in ("train", "deep/run/checkpoints"):
            for number in (2, 9, 10):
                make_bundle(f"{place}/my_run:v{number}{ending}")
        parsed = resolve_uri(typed)
        assert parsed.local_path == folder / f"{expected}{ending}"
        assert localize_uri(typed) == parsed.local_path
        metadata = get_checkpoint_metadata(typed)
        assert (metadata.run_name, metadata.uri) == ("my_run", parsed.canonical)
        assert policy_spec_from_uri(typed).class_path == "my_policy.MyPolicy"

    def test_a_run_folder_with_a_manifest_is_the_bundle_itself(self, folder: Path, make_bundle: MakeBundle) -> None:
        make_bundle("run")
        make_bundle("run/checkpoints/run:v3")
        assert resolve_uri("./run").local_path == folder / "run"
        assert resolve_uri("./run:latest").local_path == folder / "run/checkpoints/run:v3"

    def test_the_latest_of_a_run_folder_without_versions_is_the_folder(
        self, folder: Path, make_bundle: MakeBundle
    ) -> None:
        make_bundle("run")
        assert resolve_uri("./run:latest").local_path == folder / "run"

    def test_an_archive_is_found_without_its_ending(self, folder: Path, make_bundle: MakeBundle) -> None:
        make_bundle("mine.zip")
        assert resolve_uri("./mine").local_path == folder / "mine.zip"

    def test_a_folder_comes_before_an_archive_of_the_same_number(self, folder: Path, make_bundle: MakeBundle) -> None:
        make_bundle("runs/a:v3.zip")
        make_bundle("runs/a:v3")
        assert resolve_uri("./runs").local_path == folder / "runs/a:v3"

    def test_folders_without_a_manifest_and_other_files_do_not_count(
        self, folder: Path, make_bundle: MakeBundle
    ) -> None:
        make_bundle("runs/a:v3")
        (folder / "runs/a:v7").mkdir()
        (folder / "runs/a:v8.txt").touch()
        (folder / "runs/a:vx").mkdir()
        assert resolve_uri("./runs:latest").local_path == folder / "runs/a:v3"

    def test_a_number_that_several_runs_have_is_refused_unless_one_has_the_name_of_the_folder(
        self, folder: Path, make_bundle: MakeBundle
    ) -> None:
        make_bundle("runs/a:v3"), make_bundle("runs/b:v3")
        with pytest.raises(ValueError, match="Version 3 exists for several runs: a, b"):
            resolve_uri("./runs:v3")
        make_bundle("runs/runs:v3")
        assert resolve_uri("./runs:v3").local_path == folder / "runs/runs:v3"

    def test_nothing_found_says_what_there_is(self, folder: Path, make_bundle: MakeBundle) -> None:
        make_bundle("runs/a:v3")
        with pytest.raises(FileNotFoundError, match=r"does not exist: \./runs/a:v4; there are a:v3"):
            policy_spec_from_uri("./runs/a:v4")
        with pytest.raises(FileNotFoundError, match="Policy path does not exist"):
            localize_uri("./nowhere")
        with pytest.raises(ValueError, match=r"No latest checkpoint found for \./nowhere"):
            resolve_uri("./nowhere:latest")

    def test_only_wanted_schemes_are_brought_here(self) -> None:
        with pytest.raises(ValueError, match="Unsupported URI scheme 's3'"):
            localize_uri("s3://bucket/a.zip", allowed_schemes={"file"})

    def test_files_of_older_programs_are_refused(self, folder: Path) -> None:
        (folder / "old.mpt").touch()
        with pytest.raises(ValueError, match=r"\.mpt policies are no longer supported"):
            policy_spec_from_uri("./old.mpt")

    def test_the_uri_of_another_number_keeps_place_and_ending(self, folder: Path, make_bundle: MakeBundle) -> None:
        assert checkpoint_filename("run", 5) == "run:v5"
        make_bundle("runs/a:v3")
        make_bundle("zips/a:v3.zip")
        assert checkpoint_uri_for_epoch("./runs", 7) == f"file://{folder}/runs/a:v7"
        assert checkpoint_uri_for_epoch("./zips:latest", 7) == f"file://{folder}/zips/a:v7.zip"
        assert checkpoint_uri_for_epoch("s3://bucket/runs/a:v3.zip", 7) == "s3://bucket/runs/a:v7.zip"
        with pytest.raises(ValueError, match="Could not extract checkpoint metadata"):
            checkpoint_uri_for_epoch("s3://bucket/plain.zip", 7)
        with pytest.raises(ValueError, match="Unsupported URI scheme for checkpoint reloading: mock"):
            checkpoint_uri_for_epoch("mock://noop", 7)

    @given(st.text("ab:v.-_ ", min_size=1), st.integers(0, 10**9), st.sampled_from(["", ".zip"]))
    def test_the_name_of_a_checkpoint_gives_its_run_and_number(self, run: str, number: int, ending: str) -> None:
        info = parse_uri(f"s3://bucket/folder/{checkpoint_filename(run, number)}{ending}").checkpoint_info
        assert info == (run, number)
