"""`coworld.optimizer.runtime` and the helpers of `coworld.cli_support`: published names, our workbench."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from coworld.cli_support import active_docker_context
from coworld.optimizer.runtime import (
    OptimizerContext,
    OptimizerRepoSpec,
    OptimizerSetupError,
    check_prerequisites,
    ensure_optimizer_project,
    optimizer_cache_root,
    parse_github_repo,
    resolve_optimizer_context,
    resolve_optimizer_repository,
)

CLONE = "https://github.com/Org/repo.git"


@pytest.mark.parametrize(
    ("url", "ref"),
    [
        ("https://github.com/Org/repo", "main"),
        ("https://github.com/Org/repo.git", "main"),
        ("https://github.com/Org/repo/tree/dev/sub/folder", "dev"),
    ],
)
def test_a_repository_is_read_from_its_address(url: str, ref: str) -> None:
    assert parse_github_repo(url) == (CLONE, ref, "org-repo")


@pytest.mark.parametrize("url", ["", "Org/repo", "git@github.com:Org/repo.git", "https://example.org/a/b"])
def test_another_address_is_refused(url: str) -> None:
    with pytest.raises(OptimizerSetupError, match="is not a GitHub repository"):
        parse_github_repo(url)


def test_the_manifest_or_the_caller_names_the_repository(tmp_path: Path) -> None:
    manifest = tmp_path / "coworld_manifest.json"
    manifest.write_text(json.dumps({"optimizer": [{"id": "x", "repository_url": "https://github.com/Org/repo"}]}))
    assert resolve_optimizer_repository(manifest) == OptimizerRepoSpec(CLONE, "main", "org-repo")
    given = resolve_optimizer_repository(manifest, override_repo="https://github.com/A/b", override_ref="v2")
    assert given == OptimizerRepoSpec("https://github.com/A/b.git", "v2", "a-b")
    with pytest.raises(OptimizerSetupError, match="names the repository"):
        resolve_optimizer_repository(None)


def test_the_context_is_what_a_download_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve_optimizer_context(None) is None
    manifest, images = tmp_path / "coworld_manifest.json", tmp_path / "coworld_images.json"
    manifest.write_text("{}")
    assert resolve_optimizer_context(None) == OptimizerContext(manifest, tmp_path, None, None)
    images.write_text(json.dumps({"coworld_id": "cow_1", "images": []}))
    assert resolve_optimizer_context(manifest) == OptimizerContext(manifest, tmp_path, images, "cow_1")
    with pytest.raises(OptimizerSetupError, match="is not a manifest"):
        resolve_optimizer_context(tmp_path / "absent.json")


def test_a_repository_is_cloned_once(tmp_path: Path) -> None:
    assert check_prerequisites() == [] and optimizer_cache_root().name == "optimizers"
    source = tmp_path / "owner" / "repo"
    source.mkdir(parents=True)
    (source / "Dockerfile").write_text('CMD ["true"]\n')
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (
        ["init", "--quiet", "--initial-branch", "main"],
        ["add", "."],
        [*who, "commit", "--quiet", "-m", "x"],
    ):
        subprocess.run(["git", *words], cwd=source, check=True)
    spec = OptimizerRepoSpec(source.as_uri(), "main", "owner-repo")
    folder = ensure_optimizer_project(spec, tmp_path / "cache", refresh=False)
    assert (folder / "Dockerfile").is_file() and folder.is_relative_to(tmp_path / "cache")
    (folder / "kept").touch()
    assert (ensure_optimizer_project(spec, tmp_path / "cache", refresh=False) / "kept").exists()
    assert not (ensure_optimizer_project(spec, tmp_path / "cache", refresh=True) / "kept").exists()


def test_the_docker_context_is_read_as_docker_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    assert active_docker_context() == "default"
    (tmp_path / "config.json").write_text('{"currentContext": "colima"}')
    assert active_docker_context() == "colima"
    monkeypatch.setenv("DOCKER_CONTEXT", "remote")
    assert active_docker_context() == "remote"
    monkeypatch.setenv("DOCKER_HOST", "unix:///run/docker.sock")
    assert active_docker_context() == "default (DOCKER_HOST=unix:///run/docker.sock)"
