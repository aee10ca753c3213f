"""The init container `coworld-init-config`: tokens, the game's config, and the files of hosted players."""

import json
from typing import Any

from coworld.errors import CoworldError
from coworld.models.requests import CoworldEpisodeJobSpec, CoworldPlayerFileSpec
from coworld.runner.artifacts import EpisodeArtifacts, write_file
from coworld.runner.episode_request import parse_request
from coworld.runner.failures import RunnerEpisodeError
from coworld.runner.game_config import coworld_game_config, episode_player_tokens
from coworld.runner.game_hosted import seats_schema
from coworld.runner.kubernetes.settings import InitSettings
from coworld.runner.launch import memory_files
from coworld.runner.player_files import stage_player_files
from coworld.uris.transfer import UriError, read_uri

SPEC_NAME, STATE_NAME = "job_spec.json", "state.json"
LARGEST_SPEC = 64 << 20
LARGEST_PLAYER_FILE = 100 << 20


def init_config(settings: InitSettings) -> None:
    """Prepare the shared folder, before the game starts.

    Raises RunnerEpisodeError: `config_error` for the request, `player_file_unavailable` or `player_file_mismatch`.
    """
    job = read_job_spec(settings.spec_uri)
    tokens = episode_player_tokens(job)
    try:
        config = coworld_game_config(job, tokens)
    except CoworldError as error:
        raise RunnerEpisodeError(str(error), error_type="config_error") from None
    artifacts = EpisodeArtifacts.at(settings.workdir)
    artifacts.logs_dir.mkdir(parents=True, exist_ok=True)
    artifacts.logs_dir.chmod(0o777)  # the game may run as another user
    if job.manifest.game.player_runtime == "game-hosted":
        _stage_files(job, settings, artifacts)
    # The folder is shared with the game alone, which may run as another user.
    write_file(artifacts.config_path, json.dumps(config, indent=2).encode())
    for name, data in memory_files(job.manifest.game).items():
        write_file(settings.workdir / name, data)
    state = json.dumps({"tokens": tokens}).encode()
    write_file(settings.workdir / STATE_NAME, state)
    settings.spec_dir.mkdir(parents=True, exist_ok=True)
    write_file(settings.spec_dir / STATE_NAME, state, mode=0o600)
    document = job.model_dump(mode="json", by_alias=True, exclude_none=True)
    write_file(settings.spec_dir / SPEC_NAME, json.dumps(document).encode(), mode=0o600)


def read_job_spec(uri: str) -> CoworldEpisodeJobSpec:
    try:
        document = json.loads(read_uri(uri, limit=LARGEST_SPEC))
        if not isinstance(document, dict):
            raise ValueError("it is not a JSON object")
        return parse_request(document, strict=False)
    except UriError as error:
        raise RunnerEpisodeError(f"JOB_SPEC_URI cannot be read: {error}", error_type="config_error") from None
    except ValueError as error:
        raise RunnerEpisodeError(f"the episode request is not valid: {error}", error_type="config_error") from None


def prepared(settings: InitSettings) -> tuple[CoworldEpisodeJobSpec, list[str]]:
    """Return the request and the tokens that the init container has prepared."""
    copy = settings.spec_dir / SPEC_NAME
    job = read_job_spec(str(copy) if copy.is_file() else settings.spec_uri)
    state = settings.spec_dir / STATE_NAME
    try:
        path = state if state.is_file() else settings.workdir / STATE_NAME
        tokens: Any = json.loads(path.read_bytes())["tokens"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{STATE_NAME} cannot be read: {error}; the init container `coworld-init-config` writes it"
        raise RunnerEpisodeError(message, error_type="config_error") from None
    if len(tokens) != len(job.players):
        raise RunnerEpisodeError(f"{STATE_NAME} belongs to another request", error_type="config_error")
    return job, [str(token) for token in tokens]


def _stage_files(job: CoworldEpisodeJobSpec, settings: InitSettings, artifacts: EpisodeArtifacts) -> None:
    slots = {slot for slot, player in enumerate(job.players) if isinstance(player, CoworldPlayerFileSpec)}
    if set(settings.player_files) != slots:
        message = f"PLAYER_FILE_URLS must name the slots {sorted(slots)}, not {sorted(settings.player_files)}"
        raise RunnerEpisodeError(message, error_type="config_error")

    def file(slot: int) -> bytes:
        return read_uri(settings.player_files[slot], limit=LARGEST_PLAYER_FILE)

    stage_player_files(job.players, file, artifacts, player_seats_schema=seats_schema(job))
