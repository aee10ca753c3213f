"""Launch settings of an episode's runnables: variables, limits, files and ports."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from coworld.engines.base import Place, ResourceLimits
from coworld.models.game import CoworldGameManifest
from coworld.models.quantities import container_resources
from coworld.models.runnables import CoworldRunnableResources, CoworldRunnableSpec
from coworld.runner.failures import RunnerEpisodeError
from coworld.runner.ports import ResolvedLocalPort, local_port_env, requested_ports, with_secret_uris
from coworld.runner.posted_logs import log_uri
from coworld.uris.transfer import UriError, read_uri


def game_variables(
    game: CoworldGameManifest, episode_id: str, place: Place, *, hosted: bool, admin_token: str
) -> dict[str, str]:
    """Return a game's environment variables for an episode. Only the game receives the admin token."""
    folder = f"file://{place.folder}"
    image = game.runnable.image
    _, pinned, digest = image.partition("@sha256:")
    return {
        "COGAME_HOST": place.host,
        "COGAME_PORT": str(place.port),
        "COGAME_ADMIN_TOKEN": admin_token,
        "COGAME_CONFIG_URI": f"{folder}/config.json",
        "COGAME_RESULTS_URI": f"{folder}/results.json",
        "COGAME_SAVE_REPLAY_URI": f"{folder}/replay",
        "COGAME_PLAYER_FAILURE_URI": f"{folder}/player_failure.json",
        "COGAME_SAVE_TRAJECTORY_URI": f"{folder}/trajectory.jsonl",
        "COGAME_EVENTS_URI": f"{folder}/events.json",
        "COWORLD_EPISODE_ID": episode_id,
        "COWORLD_GAME_NAME": game.name,
        "COWORLD_GAME_VERSION": game.version,
        **(
            {
                "COGAME_MEMORY_INPUT_URI": f"{folder}/memory_input.json",
                "COGAME_MEMORY_OUTPUT_URI": f"{folder}/memory_output.json",
            }
            if game.memory
            else {}
        ),
        **log_uri(*place.game),
        **({"COGAME_PLAYER_SEATS_URI": f"{folder}/player_seats.json"} if hosted else {}),
        **({"COWORLD_GAME_IMAGE_DIGEST": f"sha256:{digest}"} if pinned else {}),
        "COWORLD_SOURCE_REVISION": _source_revision(game.runnable),
        **port_variables(place.ports),
    }


def memory_files(game: CoworldGameManifest) -> dict[str, bytes]:
    """Return a game's memory files; locally every episode starts without memory."""
    if game.memory is None:
        return {}
    document = {"protocol": game.memory.protocol, "namespace": game.name, "policies": {}}
    return {"memory_input.json": json.dumps(document).encode()}


def _source_revision(runnable: CoworldRunnableSpec) -> str:
    """Return the commit that the source URL is pinned to, else the URL, else the image."""
    match = re.search(r"/(?:tree|blob|commit)/([0-9a-f]{40})(?:/|$)", runnable.source_url or "")
    return match[1] if match else runnable.source_url or runnable.image


def replay_variables(place: Place) -> dict[str, str]:
    """Return a game's environment variables for replay mode, under the names of both generations."""
    return {
        "COGAME_HOST": place.host,
        "COGAME_PORT": str(place.port),
        "COGAME_LOAD_REPLAY_URI": f"file://{place.folder}/replay",
        "COGAME_REPLAY_SERVER": "1",
        **port_variables(place.ports),
    }


def player_variables(slot: int, token: str, place: Place, *, startup: bool, artifact: bool) -> dict[str, str]:
    """Name the game's address for both generations, and where lines of a log and the artifact go."""
    host, port = place.game
    url = f"ws://{host}:{port}/player?{urlencode({'slot': slot, 'token': token})}"
    variables = {"COWORLD_PLAYER_WS_URL": url, "COGAMES_ENGINE_WS_URL": url, **log_uri(host, port)}
    if artifact:
        variables["COWORLD_PLAYER_ARTIFACT_UPLOAD_URL"] = f"file://{place.folder}/{artifact_name(slot)}"
    if startup:
        variables["COWORLD_PLAYER_START_URL"] = f"http://{host}:{port}/healthz"
    return variables


def artifact_name(slot: int) -> str:
    return f"policy_artifact_{slot}.zip"


def limits_of(resources: CoworldRunnableResources | None, wall_seconds: float) -> ResourceLimits:
    """Limit, else request, else 1 core and 1 GiB."""
    try:
        cpus, memory_bytes = container_resources(resources)
    except ValueError as error:
        raise RunnerEpisodeError(str(error), error_type="config_error") from None
    return ResourceLimits(cpus=cpus, memory_bytes=memory_bytes, wall_seconds=wall_seconds)


def extra_ports(env: Mapping[str, str]) -> dict[int, int]:
    """Return the further ports that a game requests, by the port inside; 0 is any port of this machine."""
    try:
        return {request.container_port: request.host_port or 0 for request in requested_ports(env)}
    except ValueError as error:
        raise RunnerEpisodeError(str(error), error_type="config_error") from None


def port_variables(ports: Mapping[int, int]) -> dict[str, str]:
    """Return the variables with the addresses of a game's further ports."""
    return local_port_env([ResolvedLocalPort(inside, outside) for inside, outside in ports.items()])


@dataclass(frozen=True)
class GameSecrets:
    """The values of a game's `secret://` variables. The game's sandbox sees neither this machine's files nor its
    network, so the secrets are put into its folder."""

    contents: Mapping[str, bytes]
    """by the name of the variable"""

    @classmethod
    def of(cls, env: Mapping[str, str]) -> "GameSecrets":
        """Read them from where `COWORLD_LOCAL_SECRET_URIS` says; raises RunnerEpisodeError (`config_error`)."""
        try:
            mapped = with_secret_uris(env)
            return cls({name: read_uri(uri) for name, uri in mapped.items() if uri != env[name]})
        except (ValueError, UriError) as error:
            raise RunnerEpisodeError(str(error), error_type="config_error") from None

    @property
    def files(self) -> dict[str, bytes]:
        return {f"secrets/{number}": data for number, data in enumerate(self.contents.values())}

    def variables(self, place: Place) -> dict[str, str]:
        return {name: f"file://{place.folder}/secrets/{number}" for number, name in enumerate(self.contents)}
