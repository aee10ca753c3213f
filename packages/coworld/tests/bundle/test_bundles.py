"""Episode bundles: what is in them, the same bytes each time, and zips that must not be trusted."""

import io
import json
import stat
import zipfile
import zlib
from pathlib import Path

import pytest

from coworld.bundle import make_bundle, opened_bundle, parse_include, write_bundle
from coworld.bundle.archives import ArchiveLimits, opened_archive
from coworld.errors import BundleError, CoworldError, SourceError
from coworld.models.reporter_request import REPORT_REQUEST_ENV_VAR, ReportRequest
from coworld.roles.older_reporters import older_reporter_inputs


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """What an episode of two seats leaves behind."""
    folder = tmp_path / "results"
    (folder / "logs").mkdir(parents=True)
    files = {
        "config.json": '{"tokens": ["secret"]}',
        "results.json": '{"scores": [1, 2]}',
        "replay": "moves",
        "logs/game.stdout.log": "out\n",
        "logs/game.stderr.log": "err\n",
        "logs/policy_agent_0.log": "zero",
        "logs/policy_agent_1.log": "one",
        "policy_artifact_1.zip": "zip",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_a_bundle_holds_the_episode_and_says_where(workspace: Path, tmp_path: Path) -> None:
    manifest = write_bundle(workspace, tmp_path / "ep.zip", ereq_id="ereq_x")
    assert manifest.document() == {
        "ereq_id": "ereq_x",
        "status": "success",
        "include": ["results", "replay", "game_logs", "player_logs", "player_artifact"],
        "files": {
            "results": "results.json",
            "replay": "replay",
            "game_logs": {"combined": "logs/game.log"},
            "player_logs": {"0": "logs/policy_agent_0.log", "1": "logs/policy_agent_1.log"},
            "player_artifact": {"1": "artifacts/policy_artifact_1.zip"},
        },
    }
    with opened_bundle(tmp_path / "ep.zip") as bundle:
        assert (bundle.id, bundle.failed, bundle.error_info()) == ("ereq_x", False, None)
        assert bundle.results() == {"scores": [1, 2]}
        assert bundle.replay() == b"moves"
        assert bundle.game_logs() == {"combined": b"out\nerr\n"}
        assert bundle.player_logs() == {0: b"zero", 1: b"one"}
        assert bundle.player_artifacts() == {1: b"zip"}
        assert not any("config" in name for name in bundle.archive.names)  # it holds tokens


def test_include_tells_what_was_delivered(workspace: Path) -> None:
    asked = parse_include("replay, results,error_info,player_logs")
    with opened_bundle(make_bundle(workspace, include=asked, slots={1})) as bundle:
        assert bundle.manifest.include == ["results", "replay", "player_logs"]
        assert bundle.player_logs() == {1: b"one"}
    with opened_bundle(make_bundle(workspace, slots=())) as bundle:
        assert bundle.manifest.include == ["results", "replay", "game_logs"]
    with pytest.raises(BundleError, match="'tokens' cannot be included") as caught:
        parse_include("results,tokens")
    assert "player_artifact" in (caught.value.hint or "")


def test_a_failed_episode_has_its_error(workspace: Path) -> None:
    (workspace / "results.json").unlink()
    (workspace / "error_info.json").write_text('{"error_type": "crash", "message": "x"}')
    with opened_bundle(make_bundle(workspace)) as bundle:
        assert bundle.failed and bundle.results() is None
        assert bundle.error_info() == {"error_type": "crash", "message": "x"}


def test_a_compressed_replay_is_delivered_uncompressed(workspace: Path) -> None:
    (workspace / "replay").unlink()
    (workspace / "replay.z").write_bytes(zlib.compress(b"other moves"))
    with opened_bundle(make_bundle(workspace)) as bundle:
        assert bundle.replay() == b"other moves"


def test_a_compressed_replay_of_another_tool_is_read_and_declared() -> None:
    document = json.dumps({"ereq_id": "e", "status": "success", "files": {"replay": "data/replay.json.z"}}).encode()
    packed = zlib.compress(b"moves")
    data = zipped(("manifest.json", document), ("data/replay.json.z", packed))
    with opened_bundle(data) as bundle:
        assert bundle.replay() == b"moves"
    inputs = older_reporter_inputs(data)
    assert inputs.files == {"episode/data/replay.json.z": packed}
    request = ReportRequest.model_validate_json(inputs.variables("/x", "report.zip")[REPORT_REQUEST_ENV_VAR])
    reference = request.episodes[0].artifacts.replay
    assert reference is not None
    assert (reference.uri, reference.encoding) == ("file:///x/episode/data/replay.json.z", "zlib")
    cut = zipped(("manifest.json", document), ("data/replay.json.z", packed[:-2]))
    with opened_bundle(cut) as bundle, pytest.raises(SourceError, match="cannot be decompressed"):
        bundle.replay()


def test_the_same_episode_gives_the_same_bytes(workspace: Path) -> None:
    first = make_bundle(workspace)
    for path in workspace.rglob("*"):
        path.touch()
    assert make_bundle(workspace) == first
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        names = archive.namelist()
        assert names == sorted(names)
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {stat.S_IMODE(info.external_attr >> 16) for info in archive.infolist()} == {0o644}


def test_a_folder_without_an_episode_makes_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="is not an episode's folder"):
        write_bundle(tmp_path, tmp_path / "ep.zip")
    assert not (tmp_path / "ep.zip").exists()


def test_links_that_a_game_left_behind_are_not_followed(workspace: Path, tmp_path: Path) -> None:
    (workspace / "replay").unlink()
    (workspace / "replay").symlink_to("/etc/passwd")
    with pytest.raises(BundleError, match="not a plain file"):
        write_bundle(workspace, tmp_path / "ep.zip", ereq_id="ereq_x")
    assert list(tmp_path.glob("*.zip")) == [] and list(tmp_path.glob(".*")) == []


def zipped(*members: tuple[str, bytes], mode: int = stat.S_IFREG | 0o644) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return target.getvalue()


GOOD = json.dumps({"ereq_id": "e", "status": "success", "include": [], "files": {}}).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a valid zip"),
        (b"PK\x05\x06" + b"\0" * 10, "not a valid zip"),
        (zipped(("../x", b"")), "not a plain relative path"),
        (zipped(("/etc/x", b"")), "not a plain relative path"),
        (zipped(("a\\..\\x", b"")), "not a plain relative path"),
        (zipped(("C:x", b"")), "not a plain relative path"),
        (zipped(("a/./b", b"")), "not a plain relative path"),
        (zipped(("link", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777), "link or a device"),
        (zipped(*((f"{number}", b"") for number in range(30))), "more than 20 members"),
        (zipped(("bomb", b"\0" * 5_000_000)), "too many bytes"),
        (zipped(*((f"{number}", b"\0" * 900_000) for number in range(5))), "too many bytes"),
        (zipped(("results.json", b"{}")), "no manifest.json"),
        (zipped(("manifest.json", b"[]")), "Expected JSON object"),
        (zipped(("manifest.json", b"{")), "not JSON"),
        (zipped(("manifest.json", b'{"status": "great", "files": {}}')), "status"),
        (zipped(("manifest.json", b'{"status": "success", "files": {"results": "r.json"}}')), "lacks r.json"),
        (zipped(("manifest.json", b'{"status": "success", "files": {"results": 3}}')), "files"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "zip",
)
def test_zips_that_could_do_harm_or_are_no_bundles_are_refused(data: bytes, message: str) -> None:
    limits = ArchiveLimits(members=20, member_bytes=1 << 20, total_bytes=4 << 20)
    with pytest.raises(CoworldError, match=message), opened_bundle(data, limits=limits):
        pass


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused() -> None:
    with pytest.raises(BundleError, match="duplicated"), opened_archive(zipped(("a", b"1"), ("a", b"2"))):
        pass


def test_a_member_that_lies_about_its_length_is_refused() -> None:
    data = bytearray(zipped(("manifest.json", GOOD), ("x", b"\0" * 4096)))
    directory = data.rindex(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (10).to_bytes(4, "little")  # the length it says it has
    with opened_archive(bytes(data)) as archive, pytest.raises(BundleError, match="damaged"):
        archive.read("x")


def test_damage_inside_a_member_is_told() -> None:
    data = bytearray(zipped(("x", bytes(range(256)) * 16)))
    data[60] ^= 0xFF
    with opened_archive(bytes(data)) as archive, pytest.raises(BundleError, match="damaged"):
        archive.read("x")


def test_other_tools_may_add_keys_and_names_of_their_own() -> None:
    manifest = {
        "episode_id": "recorded-1",
        "status": "success",
        "include": ["results"],
        "files": {"results": "elsewhere/r.json", "game_logs": {"stdout": "o.log"}},
        "future": True,
    }
    data = zipped(
        ("manifest.json", json.dumps(manifest).encode()), ("elsewhere/r.json", b'{"a": 1}'), ("o.log", b"log")
    )
    with opened_bundle(data) as bundle:
        assert (bundle.id, bundle.results(), bundle.game_logs()) == ("recorded-1", {"a": 1}, {"stdout": b"log"})
