"""Prepare a lease of a job about a Coworld: addresses of its images, secrets and files, which expire with the lease.

A stored manifest names images by their ids, secrets by `secret://` and files by their digests; a worker can read none
of these.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from observatory.coworlds import manifests, references, role_runs
from observatory.coworlds.secrets import list_secrets, read_secret
from observatory.database.tables.coworlds import ContentKind, Coworld
from observatory.database.tables.jobs import Job
from observatory.errors import NotFound
from observatory.images.addresses import Registry
from observatory.job_states import HOSTED
from observatory.jobs.schemas import Lease
from observatory.keys import Keys
from observatory.settings import Settings
from observatory.signing import Signer
from observatory.store import Store
from observatory.store.layout import content_key

__all__ = ["prepare_lease", "read_leased_secret"]

PLAYER_FILES, PROGRAMS = "player-files", "programs"
"""folders of the files of players, and of programs in place of images, below the folder of a job"""
GAME_SECRETS, LEASED_SECRET = "game-secrets", "secret://leased/"
"""folder of a game's secrets, and how its environment refers to a file there"""
REPLAY = "replay"
"""in the spec of a job that shows a replay, where the store has it; and its path below the folder of the job"""
GRACE_SECONDS = 1800

_SECRET = re.compile(r"secret://coworld/[^/]+/([^/]+)")


def prepare_lease(session: Session, job: Job, lease: Lease, *, settings: Settings, store: Store, keys: Keys) -> Lease:
    """Return the lease with a manifest and files that the worker can use; any other lease is returned as it is.

    Secrets are for episodes: a game that is hosted for casual play gets none.
    """
    if "coworld_id" not in job.stored_spec:
        return lease
    coworld = session.get_one(Coworld, uuid.UUID(job.stored_spec["coworld_id"]))
    seconds = int(settings.job_time_limit_seconds) + GRACE_SECONDS
    manifest = references.with_pull_addresses(session, coworld.manifest, Registry(settings.base_url()))
    is_casual = job.job_type == HOSTED and "episode_request_id" not in job.stored_spec
    secrets = {} if is_casual else _leased_secrets(session, manifest, coworld, keys=keys, seconds=seconds)
    players, programs = manifests.player_files(manifest), manifests.programs(manifest)
    files = {f"{PLAYER_FILES}/{sha256}": content_key(ContentKind.PLAYER_FILE, sha256) for sha256 in players}
    files |= {f"{PROGRAMS}/{sha256}": content_key(ContentKind.PROGRAM, sha256) for sha256 in programs}
    files |= role_runs.files_of(session, job, store)
    if REPLAY in job.stored_spec:
        files[REPLAY] = job.stored_spec[REPLAY]
    urls = {name: settings.as_path(store.download_url(key, seconds=seconds)) for name, key in files.items()}
    files_of_lease = lease.files | urls | secrets
    return lease.model_copy(update={"spec": {**lease.spec, "manifest": manifest}, "files": files_of_lease})


def read_leased_secret(session: Session, token: str, *, keys: Keys) -> bytes:
    """Return the secret that an address from a lease is about; `NotFound` if the address is not valid any more."""
    content = _signer(keys).read(token)
    coworld = None if content is None else session.get(Coworld, uuid.UUID(content["coworld"]))
    if content is None or coworld is None:
        raise NotFound("This address of a secret is not valid, or has expired")
    return read_secret(session, keys, coworld, content["name"])


def _leased_secrets(
    session: Session, manifest: Mapping[str, Any], coworld: Coworld, *, keys: Keys, seconds: float
) -> dict[str, str]:
    """Name files in place of the secrets in the game's environment; return their short-lived addresses.

    The worker downloads them, because the box of a game has no network. The runner reports a secret that is missing.
    """
    stored = {secret.name for secret in list_secrets(session, coworld)}
    env = manifest["game"]["runnable"].get("env") or {}
    addresses: dict[str, str] = {}
    for name, value in env.items():
        match = _SECRET.fullmatch(value)
        if match is not None and match[1] in stored:
            token = _signer(keys).sign({"coworld": str(coworld.id), "name": match[1]}, seconds=seconds)
            env[name] = f"{LEASED_SECRET}{len(addresses)}"
            addresses[f"{GAME_SECRETS}/{len(addresses)}"] = f"/v2/coworlds/secret-values/{token}"
    return addresses


def _signer(keys: Keys) -> Signer:
    return Signer(keys.secret, "secret of a Coworld")
