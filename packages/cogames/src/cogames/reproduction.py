"""Playing a match of the league again on this machine, and comparing what comes of it byte for byte.

A match leaves `results.json` and `replay.json.z`, and the server took their digests when it ended. Three things are
compared for each: the digest, the file that the server has now, and what is played here. A policy whose bundle one may
not have is played from its recorded actions, after they were found to be those of the match.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from softmax.client.errors import ClientError

if TYPE_CHECKING:
    from cogames.client import TournamentServerClient
    from mettagrid.runner.boxed.job import PolicyToPlay
    from softmax.wire.documents import MatchReproduction, ReproducedPolicy

__all__ = ["FileComparison", "Reproduction", "reproduce_match"]


class FileComparison(BaseModel):
    """The sha256 of one file: as recorded when the match ended, as the server has it now, as played here."""

    name: str
    recorded: str
    stored: str | None
    played: str | None

    @property
    def is_tampered(self) -> bool:
        return self.stored != self.recorded

    @property
    def is_equal(self) -> bool:
        return self.recorded == self.stored == self.played


class Reproduction(BaseModel):
    """How playing a match again went."""

    match_id: str
    season: str
    files: list[FileComparison]
    from_actions: dict[str, str]
    """policies that were played from their recorded actions, and why"""
    other_versions: dict[str, str]
    """packages that have another version here: what the match was played with"""
    error: str | None = None
    """why it could not be played here"""

    @property
    def is_same(self) -> bool:
        return self.error is None and bool(self.files) and all(file.is_equal for file in self.files)

    def sentences(self) -> list[str]:
        """What there is to say, the worst first."""
        told = []
        for file in self.files:
            if file.is_tampered:
                state = "is gone from the server" if file.stored is None else "on the server is not what the match left"
                told.append(f"{file.name} {state}: it was tampered with after the match")
        if self.error is not None:
            told.append(f"The match could not be played here: {self.error}")
        for file in self.files:
            if self.error is None and file.played != file.recorded:
                told.append(f"{file.name} came out differently here than in the match")
        told += [f"{name} was played from its recorded actions: {reason}" for name, reason in self.from_actions.items()]
        told += [f"The match was played with {name} {version}" for name, version in self.other_versions.items()]
        return told


def reproduce_match(
    client: TournamentServerClient,
    match_id: str,
    folder: Path,
    *,
    sandbox: str = "landlock",
    tell: Callable[[str], None] = lambda text: None,
) -> Reproduction:
    """Play a match again in an empty folder, with nothing that was unpacked before.

    The folder has `stored` with what the server has and `played` with what came of it. Raises `ClientError` when the
    server refuses, for example because the season is still being played.
    """
    from mettagrid.policy.bundle_cache import separate_cache
    from mettagrid.runner.boxed.job import ACTIONS, REPLAY, RESULTS, installed_versions, play_job

    asked = client.get_match_reproduction(match_id)
    stored, played = folder / "stored", folder / "played"
    for place in (stored, played):
        place.mkdir(parents=True)
    tell(f"Fetching {asked.season_name} v{asked.season_version}, match {asked.match_id}")
    digests = {name: _fetch(client, asked, name, stored) for name in asked.artifacts}
    error: str | None = None
    from_actions: dict[str, str] = {}
    try:
        policies = _policies(client, asked, folder, stored, digests, from_actions)
    except ClientError as problem:
        error = str(problem)
    else:
        tell(f"Playing it with {', '.join(policy.name for policy in policies)}")
        with separate_cache(folder / "unpacked"):
            failed = play_job(played, asked.spec, policies, minimum=sandbox)
        if failed is not None and not (played / RESULTS).exists():
            error = failed.message
    here = installed_versions()
    return Reproduction(
        match_id=str(asked.match_id),
        season=f"{asked.season_name}:v{asked.season_version}",
        files=[
            FileComparison(
                name=name, recorded=asked.artifacts[name].sha256, stored=digests[name], played=_digest(played / name)
            )
            for name in (RESULTS, REPLAY, ACTIONS)
            if name in asked.artifacts
        ],
        from_actions=from_actions,
        other_versions={
            name: version for name, version in asked.versions.items() if name in here and here[name] != version
        },
        error=error,
    )


def _fetch(client: TournamentServerClient, asked: MatchReproduction, name: str, stored: Path) -> str | None:
    """Save a file as the server has it now; its digest, or None when it is gone."""
    try:
        client.download(asked.artifacts[name].url, stored / name, name)
    except ClientError:
        return None
    return _digest(stored / name)


def _policies(
    client: TournamentServerClient,
    asked: MatchReproduction,
    folder: Path,
    stored: Path,
    digests: dict[str, str | None],
    from_actions: dict[str, str],
) -> list[PolicyToPlay]:
    from mettagrid.runner.boxed.job import ACTIONS, PolicyToPlay
    from mettagrid.runner.episode.recorded import RecordedActions, RecordedPolicy

    found = []
    recorded: RecordedActions | None = None
    for index, policy in enumerate(asked.policies):
        if policy.bundle_url is not None:
            found.append(PolicyToPlay(policy.name, _bundle(client, policy, folder / f"policy-{index}.zip").as_uri()))
            continue
        if policy.policy_version_id is None:
            found.append(PolicyToPlay(policy.name, _installed(asked.spec, index)))
            continue
        if recorded is None:
            artifact = asked.artifacts.get(ACTIONS)
            if artifact is None or digests[ACTIONS] != artifact.sha256:
                raise ClientError(f"{policy.name} cannot be had ({policy.why_not}), nor what it did in the match")
            recorded = _recorded(stored / ACTIONS, len(asked.spec["assignments"]))
        from_actions[policy.name] = policy.why_not or "its bundle cannot be had"
        found.append(PolicyToPlay(policy.name, "", source=RecordedPolicy(policy.name, recorded)))
    return found


def _bundle(client: TournamentServerClient, policy: ReproducedPolicy, target: Path) -> Path:
    assert policy.bundle_url is not None
    client.download(policy.bundle_url, target, f"The bundle of {policy.name}")
    if policy.bundle_sha256 is not None and _digest(target) != policy.bundle_sha256:
        raise ClientError(f"The bundle of {policy.name} is not the one that was uploaded: it was tampered with")
    return target


def _installed(spec: dict[str, Any], index: int) -> str:
    """The address of a policy that is part of the installation."""
    return str(spec["policy_uris"][index])


def _recorded(path: Path, num_agents: int) -> Any:
    from mettagrid.runner.episode.recorded import RecordedActions

    try:
        return RecordedActions(path.read_bytes(), num_agents=num_agents)
    except ValueError as problem:
        raise ClientError(str(problem)) from None


def _digest(path: Path) -> str | None:
    if not path.exists():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
