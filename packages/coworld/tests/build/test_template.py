"""Templates: placeholders, the version, nulls, pinned sources and the files beside the manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coworld.build.compose import Service
from coworld.build.errors import BuildError
from coworld.build.package_files import build_viewer, copy_files
from coworld.build.provenance import checkout_of, image_labels, pin_source_urls, source_epoch
from coworld.build.template import filled_template, without_nulls
from coworld.manifest.reader import read_authored_manifest

from .project import commit, template_document

SERVICES = [Service("tiny-game", "tiny:latest"), Service("judge", "ghcr.io/x/judge:1")]


def test_placeholders_and_the_version_are_filled_in() -> None:
    template = template_document()
    document = filled_template(template, SERVICES, "2.0.1")
    assert document["game"]["runnable"]["image"] == "tiny:latest" and document["game"]["version"] == "2.0.1"
    assert {player["image"] for player in document["player"]} == {"tiny:latest"}
    assert list(document["game"])[:2] == ["name", "version"]
    assert "version" not in template["game"] and read_authored_manifest(document).game.version == "2.0.1"


def test_a_template_with_a_version_or_an_unknown_service_is_refused() -> None:
    template = template_document()
    template["game"]["version"] = "1.0.0"
    with pytest.raises(BuildError, match=r"has game\.version"):
        filled_template(template, SERVICES, "2.0.1")
    template = template_document()
    template["player"][0]["image"] = "{{OTHER_IMAGE}}"
    with pytest.raises(BuildError, match=r"no service .* is called \{\{OTHER_IMAGE") as raised:
        filled_template(template, SERVICES, "2.0.1")
    assert raised.value.hint == "placeholders: {{TINY_GAME_IMAGE}}, {{JUDGE_IMAGE}}"


def test_nulls_are_removed_except_where_they_are_the_authors_values() -> None:
    schema = {"default": None, "enum": [1, None]}
    document = {"game": {"promo": None, "config_schema": schema}, "variants": [{"game_config": {"seed": None}}]}
    expected = {"game": {"config_schema": schema}, "variants": [{"game_config": {"seed": None}}]}
    assert without_nulls(document | {"tags": None}) == expected


def test_source_urls_of_this_repository_are_pinned_to_a_commit(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1")
    first = commit(tmp_path, origin="https://user:secret@github.com/Me/Game.git")
    (tmp_path / "file").write_text("2")
    head = commit(tmp_path)
    site = "https://github.com/me/game"
    cases = {
        f"{site}/tree/main/game": f"{site}/tree/{head}/game",
        f"{site}/blob/unknown/x.py?plain=1#L3": f"{site}/blob/{head}/x.py?plain=1#L3",
        f"{site}/tree/{first[:9]}": f"{site}/tree/{head}",
        f"{site}/tree/{first}/game": f"{site}/tree/{first}/game",
        site: site,
        "https://github.com/other/game/tree/main": "https://github.com/other/game/tree/main",
        "https://example.org/tree/main": "https://example.org/tree/main",
    }
    document: dict[str, Any] = {"player": [{"source_url": url} for url in cases]}
    pin_source_urls(document, [tmp_path])
    assert [entry["source_url"] for entry in document["player"]] == list(cases.values())


def test_a_branch_that_is_not_merged_keeps_its_own_commit(tmp_path: Path) -> None:
    import subprocess

    (tmp_path / "file").write_text("1")
    commit(tmp_path, origin="git@github.com:me/game.git")
    subprocess.run(["git", "-C", tmp_path, "checkout", "--quiet", "-b", "feature/bot"], check=True)
    (tmp_path / "file").write_text("2")
    side = commit(tmp_path)
    subprocess.run(["git", "-C", tmp_path, "checkout", "--quiet", "main"], check=True)
    document = {"game": {"runnable": {"source_url": "https://github.com/me/game/tree/feature/bot/src"}}}
    pin_source_urls(document, [tmp_path])
    assert document["game"]["runnable"]["source_url"] == f"https://github.com/me/game/tree/{side}/src"


def test_labels_name_revision_source_version_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert checkout_of(tmp_path) is None and source_epoch(None) is None
    (tmp_path / "file").write_text("1")
    head = commit(tmp_path, origin="https://user:secret@example.org:8443/me/game.git")
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "out").write_text("x")
    checkout = checkout_of(tmp_path, ignore=tmp_path / "dist")
    assert checkout is not None and source_epoch(checkout) == checkout.time
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    labels = image_labels("game", game="tiny", version="1.0", checkout=checkout, epoch=source_epoch(checkout))
    assert labels == {
        "coworld.game": "tiny",
        "coworld.service": "game",
        "org.opencontainers.image.title": "tiny-game",
        "org.opencontainers.image.version": "1.0",
        "org.opencontainers.image.revision": head,
        "org.opencontainers.image.source": "https://example.org:8443/me/game",
        "org.opencontainers.image.created": "1970-01-02T00:00:00Z",
    }
    (tmp_path / "file").write_text("2")
    changed = checkout_of(tmp_path)
    assert changed is not None and changed.revision == f"{head}-dirty"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(BuildError, match="SOURCE_DATE_EPOCH is not a number"):
        source_epoch(changed)


SCRIPT = '#!/bin/sh\nset -e\nrm -rf "$1"\nmkdir -p "$1"\necho "$PWD" > "$1/index.html"\n'


def viewer_manifest(project: Path) -> Any:
    document = filled_template(template_document(), SERVICES, "1.0.0")
    document["game"]["replay_viewer"] = {"bundle": "build/viewer"}
    return read_authored_manifest(document)


def test_the_viewer_is_built_by_the_projects_script(tmp_path: Path) -> None:
    project, target = tmp_path / "project", tmp_path / "dist"
    (project / "tools").mkdir(parents=True)
    script = project / "tools" / "build_replay_viewer.sh"
    script.write_text(SCRIPT)
    manifest = viewer_manifest(project)
    with pytest.raises(BuildError, match="is not executable"):
        build_viewer(manifest, project, target)
    script.chmod(0o755)
    assert build_viewer(manifest, project, target) == target / "build" / "viewer"
    assert (target / "build" / "viewer" / "index.html").read_text().strip() == str(project)
    script.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(BuildError, match="exit code 3"):
        build_viewer(manifest, project, target)
    script.write_text('#!/bin/sh\nrm -rf "$1"; mkdir -p "$1"\n')
    with pytest.raises(BuildError, match=r"has no index\.html"):
        build_viewer(manifest, project, target)
    script.write_text(SCRIPT + 'ln -s /etc/passwd "$1/link"\n')
    with pytest.raises(BuildError, match="is a link"):
        build_viewer(manifest, project, target)


def test_a_viewer_without_a_script_is_copied(tmp_path: Path) -> None:
    project, target = tmp_path / "project", tmp_path / "dist"
    manifest = viewer_manifest(project)
    with pytest.raises(BuildError, match="does not exist"):
        build_viewer(manifest, project, target)
    (project / "build" / "viewer").mkdir(parents=True)
    (project / "build" / "viewer" / "index.html").write_text("page")
    (target / "build" / "viewer").mkdir(parents=True)
    (target / "build" / "viewer" / "stale.js").write_text("old")
    build_viewer(manifest, project, target)
    assert [path.name for path in (target / "build" / "viewer").iterdir()] == ["index.html"]


def test_player_files_replace_earlier_copies(tmp_path: Path) -> None:
    project, target = tmp_path / "project", tmp_path / "dist"
    for path in ("bots/first/main.py", "bots/second.py"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text("new")
    (target / "bots" / "first").mkdir(parents=True)
    (target / "bots" / "first" / "stale.py").write_text("old")
    document = filled_template(template_document(), SERVICES, "1.0.0")
    document["game"]["player_runtime"] = "game-hosted"
    for player, file in zip(document["player"], ("bots/first", "bots/second.py"), strict=True):
        del player["image"]
        player.pop("run", None)
        player.pop("env", None)
        player["file"] = file
    manifest = read_authored_manifest(json.loads(json.dumps(document)))
    assert copy_files(manifest, project, target) == [target / "bots" / "first", target / "bots" / "second.py"]
    copied = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
    assert copied == ["bots/first/main.py", "bots/second.py"]
    (project / "bots" / "first" / "link").symlink_to("/etc/passwd")
    with pytest.raises(BuildError, match="is a link"):
        copy_files(manifest, project, target)
