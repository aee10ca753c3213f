"""Requests about seasons; the responses are in `softmax.wire`."""

from __future__ import annotations

import uuid

from observatory.wire import Body

__all__ = ["SubmitRequest"]


class SubmitRequest(Body):
    policy_version_id: uuid.UUID
