"""How the runnables of an episode are started: their variables, limits, files and ports."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from coworld.engines.base import GAME_PORT, Place, ResourceLimits
from coworld.models.game import CoworldGameManifest
from coworld.models.runnables import CoworldRunnableResources
from coworld.runner.failures import RunnerEpisodeError

EXTRA_PORTS = "COWORLD_LOCAL_EXTRA_PORTS"
SECRET_URIS = "COWORLD_LOCAL_SECRET_URIS"

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def game_variables(game: CoworldGameManifest, episode_id: str, place: Place, *, hosted: bool) -> dict[str, str]:
    """What a game is told for an episode."""
    folder = f"file://{place.folder}"
    image = game.runnable.image
    _, pinned, digest = image.partition("@sha256:")
    return {
        "COGAME_HOST": place.host,
        "COGAME_PORT": str(place.port),
        "COGAME_CONFIG_URI": f"{folder}/config.json",
        "COGAME_RESULTS_URI": f"{folder}/results.json",
        "COGAME_SAVE_REPLAY_URI": f"{folder}/replay",
        "COGAME_PLAYER_FAILURE_URI": f"{folder}/player_failure.json",
        "COGAME_SAVE_TRAJECTORY_URI": f"{folder}/trajectory.jsonl",
        "COGAME_EVENTS_URI": f"{folder}/events.json",
        "COWORLD_EPISODE_ID": episode_id,
        "COWORLD_GAME_NAME": game.name,
        "COWORLD_GAME_VERSION": game.version,
        **({"COGAME_PLAYER_SEATS_URI": f"{folder}/player_seats.json"} if hosted else {}),
        **({"COWORLD_GAME_IMAGE_DIGEST": f"sha256:{digest}"} if pinned else {}),
        **_source_revision(game.runnable.source_url),
        **port_variables(place.ports),
    }


def _source_revision(source_url: str | None) -> dict[str, str]:
    found = re.search(r"/(?:tree|blob|commit)/([0-9a-f]{40})(?:/|$)", source_url or "")
    return {"COWORLD_SOURCE_REVISION": found[1]} if found else {}


def replay_variables(place: Place) -> dict[str, str]:
    """What a game is told to show a replay: both generations' words."""
    return {
        "COGAME_HOST": place.host,
        "COGAME_PORT": str(place.port),
        "COGAME_LOAD_REPLAY_URI": f"file://{place.folder}/replay",
        "COGAME_REPLAY_SERVER": "1",
        **port_variables(place.ports),
    }


def player_variables(slot: int, token: str, place: Place, *, startup: bool, artifact: bool) -> dict[str, str]:
    """What a player is told: the address of both generations, and where its artifact goes."""
    host, port = place.game
    url = f"ws://{host}:{port}/player?{urlencode({'slot': slot, 'token': token})}"
    variables = {"COWORLD_PLAYER_WS_URL": url, "COGAMES_ENGINE_WS_URL": url}
    if artifact:
        variables["COWORLD_PLAYER_ARTIFACT_UPLOAD_URL"] = f"file://{place.folder}/{artifact_name(slot)}"
    if startup:
        variables["COWORLD_PLAYER_START_URL"] = f"http://{host}:{port}/healthz"
    return variables


def artifact_name(slot: int) -> str:
    return f"policy_artifact_{slot}.zip"


def limits_of(resources: CoworldRunnableResources | None, wall_seconds: float) -> ResourceLimits:
    """Limit, else request, else 1 core and 1 GiB."""
    limits = resources.limits if resources else None
    requests = resources.requests if resources else None
    cpu = (limits.cpu if limits else None) or (requests.cpu if requests else None) or "1"
    memory = (limits.memory if limits else None) or (requests.memory if requests else None) or "1Gi"
    return ResourceLimits(
        cpus=quantity(cpu), memory_bytes=max(6 << 20, int(quantity(memory))), wall_seconds=wall_seconds
    )


def quantity(text: str) -> float:
    """A Kubernetes quantity: `500m`, `2`, `512Mi`, `1e3`."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?(?:[eE][0-9]+)?)(m|[kMGT]|[KMGT]i)?", text.strip())
    if found is None:
        raise RunnerEpisodeError(f"{text!r} is no quantity such as `500m`, `2` or `512Mi`", error_type="config_error")
    number, unit = float(found[1]), found[2] or ""
    return number / 1000 if unit == "m" else number * _UNITS[unit]


def extra_ports(env: Mapping[str, str]) -> dict[int, int]:
    """`COWORLD_LOCAL_EXTRA_PORTS` of the game: `container[:host][/tcp]` with commas between; host 0 is any."""
    ports: dict[int, int] = {}
    for entry in filter(None, (word.strip() for word in env.get(EXTRA_PORTS, "").split(","))):
        words = entry.removesuffix("/tcp").split(":")
        if len(words) > 2 or not all(word.isdigit() and int(word) <= 65535 for word in words) or int(words[0]) == 0:
            _bad_port(entry, "is not `container[:host][/tcp]`")
        inside, outside = int(words[0]), int(words[1]) if len(words) == 2 else 0
        if inside == GAME_PORT:
            _bad_port(entry, f"asks for {GAME_PORT}, which is the game's own port")
        if inside in ports or (outside and outside in ports.values()):
            _bad_port(entry, "names a port twice")
        ports[inside] = outside
    return ports


def _bad_port(entry: str, why: str) -> None:
    raise RunnerEpisodeError(f"{EXTRA_PORTS}: {entry!r} {why}", error_type="config_error")


def port_variables(ports: Mapping[int, int]) -> dict[str, str]:
    """How a game learns where its further ports are reached."""
    if not ports:
        return {}
    named = {f"COWORLD_LOCAL_PORT_{inside}": str(outside) for inside, outside in ports.items()}
    return {
        **named,
        "COWORLD_LOCAL_PORTS_JSON": json.dumps({str(inside): outside for inside, outside in ports.items()}),
    }


def with_secret_uris(env: Mapping[str, str], outside: Mapping[str, str] = os.environ) -> dict[str, str]:
    """A game's variables with every `secret://` address replaced by what `COWORLD_LOCAL_SECRET_URIS` maps it to."""
    wanted = {name: value for name, value in env.items() if value.startswith("secret://")}
    if not wanted:
        return dict(env)
    try:
        table = json.loads(outside.get(SECRET_URIS, "{}"))
    except ValueError:
        table = None
    if not isinstance(table, dict):
        raise RunnerEpisodeError(f"{SECRET_URIS} must be a JSON object of addresses", error_type="config_error")
    missing: Sequence[str] = [value for value in wanted.values() if not isinstance(table.get(value), str)]
    if missing:
        raise RunnerEpisodeError(
            f"{missing[0]} is not mapped: name it in {SECRET_URIS} with the http(s) or file address it stands for",
            error_type="config_error",
        )
    return {**env, **{name: table[value] for name, value in wanted.items()}}
