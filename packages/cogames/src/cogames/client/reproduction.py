"""Replay a league match on this machine and compare the files byte for byte.

A match writes `results.json` and `replay.json.z`; the server records their digests when it ends. For each file this
compares the recorded digest, the file that the server has now, and the file written here. A policy whose bundle the
user may not download is played from its recorded actions, after their digest was checked.
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
    from softmax.wire import MatchReproduction, ReproducedPolicy

__all__ = ["FileComparison", "Reproduction", "reproduce_match"]


class FileComparison(BaseModel):
    """The sha256 of one file: recorded when the match ended, stored on the server now, and played here."""

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
    """The result of replaying a match."""

    match_id: str
    season: str
    files: list[FileComparison]
    from_actions: dict[str, str]
    """reasons by policy, for policies that were played from their recorded actions"""
    other_versions: dict[str, str]
    """versions of the match, for packages whose installed version differs"""
    error: str | None = None
    """why the match could not be played here"""

    @property
    def is_same(self) -> bool:
        return self.error is None and bool(self.files) and all(file.is_equal for file in self.files)

    def sentences(self) -> list[str]:
        """Return messages about the result, the most serious first."""
        messages = []
        for file in self.files:
            if file.is_tampered:
                state = "is missing on the server" if file.stored is None else "on the server is not the match's file"
                messages.append(f"{file.name} {state}: it was tampered with after the match")
        if self.error is not None:
            messages.append(f"The match could not be played here: {self.error}")
        for file in self.files:
            if self.error is None and file.played != file.recorded:
                messages.append(f"{file.name} differs from that of the match")
        for name, reason in self.from_actions.items():
            messages.append(f"{name} was played from its recorded actions: {reason}")
        messages += [f"The match was played with {name} {version}" for name, version in self.other_versions.items()]
        return messages


def reproduce_match(
    client: TournamentServerClient,
    match_id: str,
    folder: Path,
    *,
    sandbox: str = "landlock",
    tell: Callable[[str], None] = lambda text: None,
) -> Reproduction:
    """Replay a match in an empty folder, with an empty bundle cache.

    The server's files go to `stored`, the replayed ones to `played`. Raises `ClientError` if the server refuses, for
    example because the season has not ended.
    """
    from mettagrid.policy.bundle_cache import separate_cache
    from mettagrid.runner.boxed.job import ACTIONS, REPLAY, RESULTS, installed_versions, play_job

    reproduction = client.get_match_reproduction(match_id)
    stored, played = folder / "stored", folder / "played"
    for place in (stored, played):
        place.mkdir(parents=True)
    tell(f"Fetching {reproduction.season_name} v{reproduction.season_version}, match {reproduction.match_id}")
    digests = {name: _fetch(client, reproduction, name, stored) for name in reproduction.artifacts}
    error: str | None = None
    from_actions: dict[str, str] = {}
    try:
        policies = _policies(client, reproduction, folder, stored, digests, from_actions)
    except ClientError as problem:
        error = str(problem)
    else:
        tell(f"Playing it with {', '.join(policy.name for policy in policies)}")
        with separate_cache(folder / "unpacked"):
            failed = play_job(played, reproduction.spec, policies, minimum=sandbox)
        if failed is not None and not (played / RESULTS).exists():
            error = failed.message
    here = installed_versions()
    return Reproduction(
        match_id=str(reproduction.match_id),
        season=f"{reproduction.season_name}:v{reproduction.season_version}",
        files=[
            FileComparison(
                name=name,
                recorded=reproduction.artifacts[name].sha256,
                stored=digests[name],
                played=_digest(played / name),
            )
            for name in (RESULTS, REPLAY, ACTIONS)
            if name in reproduction.artifacts
        ],
        from_actions=from_actions,
        other_versions={
            name: version for name, version in reproduction.versions.items() if name in here and here[name] != version
        },
        error=error,
    )


def _fetch(client: TournamentServerClient, reproduction: MatchReproduction, name: str, stored: Path) -> str | None:
    """Save the server's current version of a file and return its digest; None if it is missing."""
    try:
        client.download(reproduction.artifacts[name].url, stored / name, name)
    except ClientError:
        return None
    return _digest(stored / name)


def _policies(
    client: TournamentServerClient,
    reproduction: MatchReproduction,
    folder: Path,
    stored: Path,
    digests: dict[str, str | None],
    from_actions: dict[str, str],
) -> list[PolicyToPlay]:
    from mettagrid.runner.boxed.job import ACTIONS, PolicyToPlay
    from mettagrid.runner.episode.recorded import RecordedActions, RecordedPolicy

    to_play = []
    recorded: RecordedActions | None = None
    for index, policy in enumerate(reproduction.policies):
        if policy.bundle_url is not None:
            to_play.append(PolicyToPlay(policy.name, _bundle(client, policy, folder / f"policy-{index}.zip").as_uri()))
            continue
        if policy.policy_version_id is None:
            to_play.append(PolicyToPlay(policy.name, _installed(reproduction.spec, index)))
            continue
        if recorded is None:
            artifact = reproduction.artifacts.get(ACTIONS)
            if artifact is None or digests[ACTIONS] != artifact.sha256:
                raise ClientError(
                    f"The bundle of {policy.name} is not available ({policy.why_not}), nor are its recorded actions"
                )
            recorded = _recorded(stored / ACTIONS, len(reproduction.spec["assignments"]))
        from_actions[policy.name] = policy.why_not or "its bundle is not available"
        to_play.append(PolicyToPlay(policy.name, "", source=RecordedPolicy(policy.name, recorded)))
    return to_play


def _bundle(client: TournamentServerClient, policy: ReproducedPolicy, target: Path) -> Path:
    assert policy.bundle_url is not None
    client.download(policy.bundle_url, target, f"The bundle of {policy.name}")
    if policy.bundle_sha256 is not None and _digest(target) != policy.bundle_sha256:
        raise ClientError(f"The bundle of {policy.name} is not the uploaded one: it was tampered with")
    return target


def _installed(spec: dict[str, Any], index: int) -> str:
    """Return the URI of an installed policy."""
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
