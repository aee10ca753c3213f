"""Requests for assays; the responses are in `softmax.wire`."""

from __future__ import annotations

import uuid

from pydantic import Field

from observatory.documents import Document
from observatory.wire import Body
from softmax.wire import MissionSpec

__all__ = ["AssayCreate", "AssayMission"]


class AssayMission(MissionSpec, Body):
    """A mission to be played, within the limits of this server."""

    mission_name: str = Field(min_length=1, max_length=200)
    env_config: Document
    num_episodes: int = Field(default=3, gt=0, le=100)
    max_steps: int = Field(default=10_000, gt=0, le=1_000_000)


class AssayCreate(Body):
    """A policy version of the caller's, to be played on missions. `name` keeps the same assay from running twice."""

    policy_version_id: uuid.UUID
    missions: list[AssayMission] = Field(min_length=1, max_length=200)
    name: str | None = Field(default=None, max_length=200)
    compat_version: str | None = Field(default=None, max_length=32)
