"""Workers of a deployment use a token that the deployment has chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.accounts import repository
from observatory.accounts.bootstrap import accept_worker_token
from observatory.accounts.service import revoke
from observatory.tokens import TokenKind


def test_the_token_of_the_file_is_accepted_replaced_and_stays_revoked(
    app: FastAPI, client: TestClient, tmp_path: Path
) -> None:
    database, now = app.state.database, app.state.clock()
    file = tmp_path / "token"
    settings = app.state.settings.model_copy(update={"worker_token_file": file})

    def lease(token: str) -> int:
        headers = {"X-Auth-Token": token}
        return client.post("/work/lease", json={"worker": "a", "wait_seconds": 0}, headers=headers).status_code

    file.write_text("short\n")
    with pytest.raises(ValueError, match="no token of 32 characters"):
        accept_worker_token(database, settings, now)
    for token in ("a1" * 32, "b2" * 32):
        file.write_text(f"{token}\n")
        for _ in range(2):
            accept_worker_token(database, settings, now)
        assert lease(token) == 204
    assert lease("a1" * 32) == 401, "a token that the file no longer has"
    with database.transaction() as session:
        (row,) = repository.tokens(session, kind=TokenKind.WORKER)
        revoke(session, row, now=now)
    accept_worker_token(database, settings, now)
    assert lease("b2" * 32) == 401, "an administrator has revoked it"
