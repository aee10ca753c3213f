"""Inputs of every command that runs programs: the engine, the secrets and the output folder."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from coworld.manifest.installed_worlds import manifest_of
from softmax.cli.errors import UsageError, fail
from softmax.cli.output import note

if TYPE_CHECKING:
    from coworld.engines.base import Engine
    from coworld.manifest.package import CoworldPackage

__all__ = [
    "Secrets",
    "check_words",
    "default_output",
    "engine_beside",
    "engine_for",
    "player_secrets",
]

ELSEWHERE = Path("coworld-results")
"""folder for output when the manifest's own folder cannot hold it"""


def engine_for(
    package: CoworldPackage,
    name: str,
    *,
    maps: Sequence[str],
    unsafe: bool,
    pull: str = "missing",
    platform: str | None = None,
) -> Engine:
    """Return the selected engine, and print its name and isolation on stderr."""
    return engine_beside(package.path, name, maps=maps, unsafe=unsafe, pull=pull, platform=platform)


def engine_beside(
    manifest: Path,
    name: str,
    *,
    maps: Sequence[str],
    unsafe: bool,
    pull: str = "missing",
    platform: str | None = None,
) -> Engine:
    """Return the selected engine for a manifest that is not read yet."""
    from coworld.engines.choice import ENGINE_NAMES, choose_engine
    from coworld.engines.container_images import PULL_POLICIES
    from coworld.engines.local_images import LocalImages

    if name == "kubernetes":
        return _cluster()
    for option, value, allowed in (("--engine", name, (*ENGINE_NAMES, "kubernetes")), ("--pull", pull, PULL_POLICIES)):
        if value not in allowed:
            raise UsageError(f"`{option}` cannot be {value!r}", [f"use one of {', '.join(allowed)}"])
    if name in ("podman", "docker") and maps:
        raise UsageError(f"`--map` is for local programs, which `--engine {name}` does not run", ["--engine auto"])
    images = LocalImages.beside(manifest, maps)
    engine = choose_engine(name, images, unsafe=unsafe, pull=pull, platform=platform, say=note)
    if name == "auto":
        note(f"Engine: auto (local programs: {engine.level} isolation; other images: containers)")
    else:
        note(f"Engine: {engine.name} (isolation: {engine.level})")
    return engine


def _cluster() -> Engine:
    """Return the cluster that the environment names."""
    from coworld.runner.kubernetes.remote_engine import RemoteEngine

    engine = RemoteEngine.of()
    note(f"Engine: {engine.name} (namespace: {engine.cluster.namespace})")
    return engine


def default_output(package: CoworldPackage, manifest: str) -> Path:
    """Return the default output folder.

    Beside the manifest where that is the user's and writable, else `coworld/ID/results` for Coworlds of a server,
    else `coworld-results`.
    """
    from coworld.uris.manifests import is_remote
    from coworld.uris.server_manifests import coworld_id_in, downloaded_manifest_path, is_on_server

    is_temporary = is_remote(manifest) or ("/" in manifest and is_on_server(manifest))
    if not is_temporary and manifest_of(manifest) is None and os.access(package.root, os.W_OK):
        return package.root / "results"
    coworld_id = coworld_id_in(manifest) if is_temporary else None
    return ELSEWHERE if coworld_id is None else downloaded_manifest_path(coworld_id).parent / "results"


def check_words(words: Sequence[str], option: str = "--run") -> list[str]:
    """Return the words of an option that takes one at a time; a usage error shows how to split a whole command."""
    if words and any(space in words[0] for space in " \t"):
        try:
            parts = shlex.split(words[0])
        except ValueError:  # a quote that is never closed
            parts = words[0].split()
        split = shlex.join(word for part in parts for word in (option, part))
        raise UsageError(f"`{option}` takes one word of the command at a time", [split])
    return list(words)


@dataclass(frozen=True)
class Secrets:
    """Secret variables for every player, and the hosts that players may connect to."""

    env: dict[str, str] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)


def player_secrets(
    given: Sequence[str],
    *,
    use_llm: bool,
    use_bedrock: bool,
    aws_profile: str | None = None,
    aws_region: str | None = None,
) -> Secrets:
    """Return the secrets that `--secret-env`, `--use-llm` and `--use-bedrock` select."""
    secrets = Secrets()
    if use_llm:
        _add_llm(secrets)
    if use_bedrock:
        _add_bedrock(secrets, aws_profile, aws_region)
    elif aws_profile or aws_region:
        raise UsageError("`--aws-profile` and `--aws-region` are for `--use-bedrock`", ["add `--use-bedrock`"])
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key.isidentifier():
            raise UsageError("`--secret-env` must be KEY=VALUE", ["--secret-env API_KEY=..."])
        secrets.env[key] = value
    return secrets


def _add_llm(secrets: Secrets) -> None:
    endpoint, key = os.environ.get("COWORLD_LLM_ENDPOINT"), os.environ.get("OPENROUTER_API_KEY")
    if not (endpoint or key):
        fail("`--use-llm` needs a model", "set COWORLD_LLM_ENDPOINT or OPENROUTER_API_KEY")
    names = ("COWORLD_LLM_ENDPOINT", "COWORLD_LLM_MODEL", "OPENROUTER_API_KEY")
    secrets.env.update({name: os.environ[name] for name in names if os.environ.get(name)})
    secrets.env["COWORLD_LLM_ENABLED"] = "true"
    secrets.hosts.append(urlsplit(endpoint).netloc if endpoint else "openrouter.ai:443")


def _add_bedrock(secrets: Secrets, profile: str | None, region: str | None) -> None:
    from coworld.runner.aws import bedrock_access, missing_keys

    access = bedrock_access(profile, region)
    if access is None:
        fail(
            f"`--use-bedrock` needs AWS keys, and {missing_keys(profile)}",
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile that has them: --aws-profile NAME",
        )
    secrets.env.update(access.env)
    secrets.hosts.append(access.host)
