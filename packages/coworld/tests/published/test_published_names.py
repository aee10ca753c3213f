"""What scripts written for the published package import, under the names and with the arguments they know."""

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pydantic
import pytest

import coworld
from coworld import certifier, commissioner
from coworld.bundle import resolve_player_file, validate_upload_manifest
from coworld.manifest_validation import game_config_with_input_player_controls
from coworld.play import play_coworld
from coworld.runner import io as runner_io
from coworld.runner import runner
from coworld.types import CoworldHumanPlayerSpec, CoworldManifest, CoworldPlayerFileSpec, CoworldRunnableSpec
from tests.coworld_documents import manifest_document


@pytest.fixture
def package(tmp_path: Path) -> certifier.CoworldPackage:
    document = manifest_document()
    for player in document["player"]:
        player["env"] = {"LEVEL": "3"}
    (tmp_path / "coworld_manifest.json").write_text(json.dumps(document))
    return certifier.load_coworld_package(tmp_path / "coworld_manifest.json")


def test_the_package_itself_has_the_names_of_its_parts() -> None:
    assert {name for name in coworld.__all__ if not callable(getattr(coworld, name))} == set()
    assert coworld.certify_coworld is certifier.certify_coworld
    assert commissioner.RoundStart is commissioner.protocol.RoundStart
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = coworld.nothing


def test_an_episode_is_described_before_it_runs(package: certifier.CoworldPackage, tmp_path: Path) -> None:
    artifacts = runner.EpisodeArtifacts.create(tmp_path / "out")
    document = certifier.build_episode_request(package, artifacts)
    job = certifier.build_coworld_episode_job_spec(document)
    assert job == certifier.build_manifest_episode_job_spec(package)
    launched = certifier.build_player_launch_specs(document)
    assert [(spec.image, dict(spec.env)) for spec in launched] == [("example/player:latest", {"LEVEL": "3"})] * 2
    assert package.game.image == "example/game:latest" and package.protocols.player is not None
    path = tmp_path / "request.json"
    path.write_text(json.dumps(document))
    assert certifier.load_manifest_episode_job_spec(package, path) == certifier.load_coworld_episode_job_spec(path)
    tokens = runner.episode_player_tokens(job)
    runner.write_coworld_game_config(job, artifacts, tokens)
    assert json.loads(artifacts.config_path.read_text()) == runner.coworld_game_config(job, tokens)
    with pytest.raises(ValueError, match="game_config is invalid at tokens"):
        runner.coworld_game_config(job, [])


def test_an_image_takes_the_place_of_the_fixtures(package: certifier.CoworldPackage) -> None:
    seats: list[Any] = certifier.build_manifest_episode_job_spec(package, player_images=["mine:1"]).players
    assert {(seat.image, seat.env["LEVEL"]) for seat in seats} == {("mine:1", "3")}
    with pytest.raises(ValueError, match="player_run requires at least one player image"):
        certifier.build_manifest_episode_job_spec(package, player_run=["go"])


def test_single_checks_of_a_certification(package: certifier.CoworldPackage, tmp_path: Path) -> None:
    artifacts = runner.EpisodeArtifacts.create(tmp_path / "out")
    certifier.validate_certification_references(package)
    assert certifier.validate_reporter_references(package) == []
    with pytest.raises(ValueError, match="the game left no launch log"):
        certifier.validate_players_ran(package, artifacts)
    with pytest.raises(ValueError, match="game: image 'example/game:latest' cannot be run here"):
        certifier.validate_image_references(package)
    with pytest.raises(ValueError, match="could not be read"):
        certifier.load_results(package, artifacts)
    artifacts.results_path.write_text('{"scores": "many"}')
    with pytest.raises(jsonschema.ValidationError):
        certifier.load_results(package, artifacts)


def test_the_caller_may_take_over_parts_of_a_certification(
    package: certifier.CoworldPackage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    fails = False

    def play(job: Any, artifacts: runner.EpisodeArtifacts, timeout_seconds: float) -> None:
        if fails:
            raise runner.RunnerEpisodeError("it fell asleep", error_type="player_error", failed_policy_index=1)
        artifacts.results_path.write_text('{"scores": [1, 2]}')
        artifacts.replay_path.write_text("r")
        for path in (artifacts.game_stdout_path, artifacts.game_stderr_path, *map(artifacts.policy_log_path, (0, 1))):
            path.write_text("")

    parts: dict[str, Any] = {
        "image_reachability_checker": lambda package: None,
        "episode_runner": play,
        "replay_loadable_checker": lambda package, artifacts: None,
        "supporting_roles_runner": lambda package, artifacts, timeout_seconds: (["reporter[0]: mine"], "fine"),
    }
    result = certifier.certify_coworld(package.manifest_path, workspace=tmp_path / "out", **parts)
    assert (result.results, result.reporter_references) == ({"scores": [1, 2]}, ["reporter[0]: mine"])
    assert len(result.step_results) == len(result.transcript.steps) == 10
    fails = True
    with pytest.raises(certifier.CertificationFailed, match=r"smoke-episode: player_error: it fell asleep \(slot 1\)"):
        certifier.certify_coworld(package.manifest_path, workspace=tmp_path / "out", **parts)


def test_ports_and_addresses_of_a_game_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    env = {"COWORLD_LOCAL_EXTRA_PORTS": "9000, 9001:9005/tcp", "KEY": "secret://coworld/mine/key"}
    ports = runner.resolve_local_extra_ports(env, allocate_port=lambda: 4242)
    monkeypatch.setenv("COWORLD_LOCAL_SECRET_URIS", '{"secret://coworld/mine/key": "file:///key"}')
    told = runner.local_game_env(env, ports)
    assert (told["COWORLD_LOCAL_PORT_9000"], told["KEY"]) == ("127.0.0.1:4242", "file:///key")
    assert json.loads(told["COWORLD_LOCAL_PORTS_JSON"])["9001"] == {"host": "127.0.0.1", "port": 9005}
    for bad, words in {
        "8080": "maps container port 8080",
        "1,1": "maps container port 1 more than once",
        "1:2,3:2": "maps host port 2 more than once",
        "x:1": "non-numeric container port 'x'",
        "1:x": "non-numeric host port 'x'",
        "0": "invalid container port 0",
        "1:70000": "invalid host port 70000",
        "1/udp": "only supports tcp",
        "1:2:3": "is not `container",
        "1:": "is not `container",
        "1,": "is not `container",
    }.items():
        with pytest.raises(ValueError, match=f"COWORLD_LOCAL_EXTRA_PORTS .*{words}"):
            runner.resolve_local_extra_ports({"COWORLD_LOCAL_EXTRA_PORTS": bad})
    with pytest.raises(ValueError, match="maps host port 2 more than once"):
        runner.resolve_local_extra_ports({"COWORLD_LOCAL_EXTRA_PORTS": "1:2"}, reserved_host_ports={2})
    assert runner.replay_client_url(77) == f"http://127.0.0.1:77/client{runner.replay_session_path()}"


def test_files_of_players_are_staged_with_the_seats_that_name_them(tmp_path: Path) -> None:
    artifacts = runner.EpisodeArtifacts.create(tmp_path / "out")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    file = CoworldPlayerFileSpec(type="player-file", content_hash=digest, size_bytes=3)
    person = CoworldHumanPlayerSpec(type="human", token="0123456789abcdef")
    assert runner.stage_player_files([file], lambda slot: b"abc", artifacts) == 3
    assert artifacts.player_file_path(0).read_bytes() == b"abc"
    seats = json.loads(artifacts.player_seats_path.read_text())["seats"]
    assert seats[0]["file_uri"] == artifacts.player_file_uri(0) and "annotations_uri" not in seats[0]
    runner.stage_player_files(
        [person, file], lambda slot: b"abc", artifacts, player_seats_schema="coworld-play-seats/1"
    )
    mixed = json.loads(artifacts.player_seats_path.read_text())["seats"]
    assert [seat["kind"] for seat in mixed] == ["human", "policy"]
    with pytest.raises(runner.RunnerEpisodeError) as raised:
        runner.stage_player_files([file], lambda slot: b"abd", artifacts)
    assert raised.value.error_type == "player_file_mismatch" and isinstance(raised.value, RuntimeError)


def test_files_are_written_whole_or_refused(tmp_path: Path) -> None:
    target = tmp_path / "up"
    runner_io.upload_file(target.as_uri(), io.BytesIO(b"abc"), size=3, content_type="text/plain")
    asyncio.run(runner_io.upload_data_with_deadline(f"{target}2", "text", content_type="text/plain", timeout_seconds=5))
    assert (target.read_bytes(), Path(f"{target}2").read_text()) == (b"abc", "text")
    for size in (2, 4):
        with pytest.raises(ValueError, match="were declared"):
            runner_io.upload_file(str(target), io.BytesIO(b"abc"), size=size, content_type="text/plain")
    retryable = runner_io.PLATFORM_RUNNER_ERROR_TYPES | runner_io.INCONCLUSIVE_RUNNER_ERROR_TYPES
    assert retryable == runner_io.RETRYABLE_RUNNER_ERROR_TYPES and "player_error" not in retryable
    assert resolve_player_file(Path("up"), package_root=tmp_path) == target
    with pytest.raises(ValueError, match="outside the package"):
        resolve_player_file(Path("/etc"), package_root=tmp_path)
    assert validate_upload_manifest(manifest_document()).api_version == "coworld.softmax.com/v0"


def test_seats_that_people_steer_are_marked_where_the_game_has_a_place_for_it() -> None:
    def schema(*choices: str) -> dict[str, Any]:
        item = {"type": "object", "properties": {"control": {"type": "string", "enum": list(choices)}}}
        return {"type": "object", "properties": {"slots": {"type": "array", "items": item}}}

    marked = game_config_with_input_player_controls({"slots": [{"a": 1}]}, [1], schema("input", "play"))
    assert marked == {"slots": [{"a": 1}, {"control": "input"}]}
    assert game_config_with_input_player_controls({}, [1], schema("input")) == {}
    with pytest.raises(ValueError, match="must be a list of objects"):
        game_config_with_input_player_controls({"slots": "x"}, [0], schema("input", "play"))


def test_types_of_the_published_package_are_there() -> None:
    from typing import get_args

    from coworld import schema_validation, types
    from coworld.commissioner import protocol

    assert "reporter" in get_args(types.CoworldManifestRole)
    assert set(get_args(types.CoworldRunnableRole)) == {"game", *get_args(types.CoworldManifestRole)}
    assert get_args(types.TranscriptStepKind) == ("auto", "human")
    assert (types.JsonSchema, schema_validation.JsonSchema) == (dict[str, Any], dict[str, object])
    assert protocol.RoundComplete in get_args(protocol.CommissionerMessageType)
    assert callable(certifier.CertifierEpisodeRunner)


def test_a_document_can_be_posted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sent: list[tuple[str, bytes, dict[str, str]]] = []
    monkeypatch.setattr(runner_io, "write_uri", lambda uri, data, **how: sent.append((uri, data, how)))
    runner_io.post_data("https://files.example.org/x", "text", content_type="text/plain")
    assert sent == [("https://files.example.org/x", b"text", {"method": "POST", "content_type": "text/plain"})]


def test_a_game_learns_its_further_ports() -> None:
    env = runner.game_env_with_resolved_local_ports({"A": "1"}, [runner.ResolvedLocalPort(9000, 1234)])
    assert (env["A"], env["COWORLD_LOCAL_PORT_9000"]) == ("1", "127.0.0.1:1234")
    assert json.loads(env["COWORLD_LOCAL_PORTS_JSON"]) == {"9000": {"host": "127.0.0.1", "port": 1234}}


def test_a_role_is_reduced_to_its_program(package: certifier.CoworldPackage) -> None:
    player = package.manifest.player[0]
    program = player.as_runnable_spec()
    assert (type(program).__name__, program.image, program.env) == ("CoworldRunnableSpec", player.image, {"LEVEL": "3"})
    assert program.as_runnable_spec() == program


def test_the_path_of_a_local_manifest_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from coworld.manifest_uri import materialized_manifest_path

    (tmp_path / "cow_paint").mkdir()
    (tmp_path / "cow_paint" / "coworld_manifest.json").write_text(json.dumps(manifest_document()))
    monkeypatch.chdir(tmp_path)
    with materialized_manifest_path("./cow_paint") as path:
        assert path == (tmp_path / "cow_paint" / "coworld_manifest.json").resolve()


def test_an_episode_shares_nothing_with_its_package(package: certifier.CoworldPackage) -> None:
    for variant_id in (None, "small"):
        job = certifier.build_manifest_episode_job_spec(package, variant_id=variant_id)
        job.game_config["players"][0]["name"] = "changed"
        player = job.players[0]
        assert isinstance(player, CoworldRunnableSpec)
        player.env["LEVEL"] = "changed"
    manifest = package.manifest
    configs = (manifest.certification.game_config, manifest.variants[0].game_config)
    assert [config["players"][0]["name"] for config in configs] == ["One", "One"]
    assert manifest.player[0].env == {"LEVEL": "3"}
    with pytest.raises(ValueError, match="unknown Coworld variant_id: 'missing'"):
        certifier.build_manifest_episode_job_spec(package, variant_id="missing")


def test_requests_that_are_not_valid_raise_the_published_errors(
    package: certifier.CoworldPackage, tmp_path: Path
) -> None:
    path = tmp_path / "request.json"
    with pytest.raises(pydantic.ValidationError, match="manifest"):
        certifier.build_coworld_episode_job_spec({})
    with pytest.raises(FileNotFoundError):
        certifier.load_coworld_episode_job_spec(path)
    path.write_text("{}")
    with pytest.raises(jsonschema.ValidationError, match="'manifest' is a required property"):
        certifier.load_coworld_episode_job_spec(path)
    document = manifest_document()
    seat = {"type": "grader", "image": "grader"}
    path.write_text(json.dumps({"manifest": document, "game_config": {}, "players": [seat]}))
    with pytest.raises(pydantic.ValidationError, match=r"players\.0\.type must be 'player'"):
        certifier.load_coworld_episode_job_spec(path)
    document["game"]["name"] = "other"
    path.write_text(json.dumps({"manifest": document, "game_config": {}, "players": document["player"]}))
    with pytest.raises(ValueError, match="episode request manifest does not match"):
        certifier.load_manifest_episode_job_spec(package, path)


def test_certification_asks_for_tags_in_the_published_words(tmp_path: Path) -> None:
    document = manifest_document()
    del document["tags"]
    path = tmp_path / "coworld_manifest.json"
    path.write_text(json.dumps(document))
    assert certifier.load_coworld_package(path).manifest.tags is None
    with pytest.raises(ValueError, match="Coworld certification requires at least three manifest tags"):
        certifier.load_coworld_package(path, require_certification_tags=True)


def test_player_files_have_their_published_module(tmp_path: Path) -> None:
    from coworld import player_files

    (tmp_path / "bot.py").write_bytes(b"pass")
    assert player_files.player_file_bytes(Path("bot.py"), package_root=tmp_path) == b"pass"
    assert player_files.PLAYER_FILE_MAX_BYTES == 100 * 1024 * 1024
    with pytest.raises(player_files.InvalidPlayerFile, match="does not exist"):
        player_files.resolve_player_file(tmp_path / "none")


def test_playing_with_bedrock_needs_keys(package: certifier.CoworldPackage, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="use_bedrock needs AWS keys, and none are in the environment"):
        play_coworld(package.manifest_path, use_bedrock=True, on_ready=lambda session: None)


@pytest.mark.parametrize(
    ("log", "properties", "tier", "reason"),
    [
        (None, {}, 0, "events.json"),
        ({}, {}, 2, "game.log hints declared"),
        (
            None,
            {"damage": {"x-display": {}}, "armour": {"x-display": {}}},
            2,
            "results_schema x-display on armour, damage",
        ),
        ({}, {"damage": {"x-display": {}}}, 2, "game.log hints declared; results_schema x-display on damage"),
        (None, {"odd": "text", "deep": {"items": {"x-display": {}}}}, 0, "events.json"),
    ],
)
def test_how_rich_a_log_is_follows_the_manifest(
    log: dict[str, Any] | None, properties: dict[str, Any], tier: int, reason: str
) -> None:
    document = manifest_document()
    document["game"]["results_schema"]["properties"] = properties
    if log is not None:
        document["game"]["log"] = log
    found = certifier.compute_log_richness(CoworldManifest.model_validate(document))
    assert found[0] == tier and reason in found[1]
