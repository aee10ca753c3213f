"""Manifests: errors for authors, leniency for downloads, and the schemas of the package."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import coworld_schemas
from coworld.errors import CoworldError, ManifestError
from coworld.manifest.profiles import manifest_warnings, profile_problems
from coworld.manifest.reader import (
    manifest_schema_hash,
    read_authored_manifest,
    read_downloaded_manifest,
    validate_upload_manifest,
)
from coworld.manifest.schema_files import schema_files
from coworld.models import (
    CoworldManifest,
    CoworldReporterContainer,
    CoworldReporterPlatformReference,
    coworld_manifest_schema,
)
from tests.coworld_documents import (
    MUTATIONS,
    TOKENS,
    Mutation,
    all_of,
    changed,
    drop,
    manifest_document,
    put,
    role,
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_authors_are_told_what_is_wrong_and_where(mutation: Mutation) -> None:
    document = changed(mutation.change)
    before = copy.deepcopy(document)
    if mutation.message is None:
        read_authored_manifest(document)
    else:
        with pytest.raises(ManifestError) as caught:
            read_authored_manifest(document)
        first = caught.value.problems[0]
        assert (first.path, mutation.message in first.message) == (mutation.path, True), first
        assert first.fix and caught.value.hint == first.fix
        if mutation.fixed:
            assert str(caught.value) == mutation.message
    assert document == before  # readers leave their input alone


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_schema_accepts_what_the_models_accept(mutation: Mutation) -> None:
    document = changed(mutation.change)
    if mutation.message is None and "apiVersion" not in document:
        assert list(Draft202012Validator(coworld_manifest_schema()).iter_errors(document)) == []


def test_every_problem_of_a_document_is_told_at_once() -> None:
    document = changed(all_of(put("colour", value=1), drop("game", "owner"), put("player", 0, "run", value="x")))
    with pytest.raises(ManifestError) as caught:
        read_authored_manifest(document)
    assert {problem.path for problem in caught.value.problems} == {"colour", "game.owner", "player[0].run"}


def test_a_mistyped_key_is_answered_with_the_right_one() -> None:
    with pytest.raises(ManifestError) as caught:
        read_authored_manifest(changed(put("game", "result_schema", value={})))
    assert caught.value.hint == "write `results_schema`"


@pytest.mark.parametrize("document", [[], None, "text", 3])
def test_a_manifest_is_an_object(document: object) -> None:
    with pytest.raises(ManifestError, match="JSON object"):
        read_authored_manifest(document)


def test_downloads_may_have_unknown_keys_at_every_depth() -> None:
    document = changed(
        all_of(
            put("colour", value=1),
            put("game", "runnable", "cores", value=1),
            put("game", "docs", "pages", 0, "content", "lang", value="en"),
            put("player", 0, "startup", value={"port": 9000, "later": True}),
            put("reporter", value=[{"reporter": "me/recap@1", "more": 1}]),
            put("game", "config_schema", "x-display", value={"kept": True}),
        )
    )
    manifest = read_downloaded_manifest(document)
    assert manifest.reporter == [CoworldReporterPlatformReference(reporter="me/recap@1")]
    assert manifest.game.config_schema["x-display"] == {"kept": True}
    with pytest.raises(ManifestError) as caught:
        read_authored_manifest(document)
    assert len(caught.value.problems) == 5


def test_downloads_of_older_shapes_are_lifted() -> None:
    document = changed(
        all_of(put("game", "protocols", value={"player": "say hello", "global": "watch"}), drop("game", "docs"))
    )
    before = copy.deepcopy(document)
    game = read_downloaded_manifest(document).game
    assert (game.protocols.player.value, game.protocols.global_.value) == ("say hello", "watch")
    assert game.docs.readme.value == "A tiny game."
    assert document == before
    with pytest.raises(ManifestError):
        read_authored_manifest(document)


def test_both_versions_of_the_format_become_the_same_manifest() -> None:
    old, new = manifest_document(), changed(put("apiVersion", value="coworld.softmax.com/v1"))
    assert read_authored_manifest(old) == read_authored_manifest(new) == read_downloaded_manifest(new)
    validated = validate_upload_manifest(new)
    assert validated.api_version == "coworld.softmax.com/v1"
    assert (
        validated.schema_hash
        == manifest_schema_hash("coworld.softmax.com/v1")
        != manifest_schema_hash("coworld.softmax.com/v0")
    )


def test_a_manifest_survives_writing_and_reading() -> None:
    everything = changed(
        all_of(
            put("game", "replay_viewer", value={"bundle": "viewer"}),
            put("reporter", value=[{"wasm": "r.wasm", "id": "r", "attributes": {}}, role("reporter")]),
            put("player", 0, "resources", value={"requests": {"instance-type": "a.b", "ephemeral-storage": "1Gi"}}),
        )
    )
    manifest = read_authored_manifest(everything)
    written = json.loads(manifest.model_dump_json(exclude_none=True))
    assert read_authored_manifest(written) == manifest
    assert written["game"]["replay_viewer"] == {"bundle": "viewer"}  # defaults are left out
    assert written["game"]["protocols"].keys() == {"player", "global"}
    assert written["player"][0]["resources"]["requests"] == {"instance-type": "a.b", "ephemeral-storage": "1Gi"}


def test_a_container_reporter_is_read_as_one() -> None:
    manifest = read_authored_manifest(changed(put("reporter", value=[role("reporter", run=["report"])])))
    assert isinstance(manifest.reporter[0], CoworldReporterContainer)
    assert manifest.reporter[0].run == ["report"]


def test_schemas_and_reference_page_are_those_of_the_models() -> None:
    stale = [path.name for path, text in coworld_schemas.generated().items() if path.read_text() != text]
    assert stale == [], "run scripts/coworld_schemas.py"
    for text in schema_files().values():
        Draft202012Validator.check_schema(json.loads(text))


def failing(document: dict) -> dict[str, list[str]]:
    manifest = read_authored_manifest(document)
    return {profile: [problem.path for problem in problems] for profile, problems in profile_problems(manifest).items()}


@pytest.mark.parametrize(
    ("change", "guide", "current"),
    [
        (all_of(put("reporter", value=[{"reporter": "a/b@1"}]), put(*TOKENS, "maxItems", value=2)), [], []),
        (
            lambda document: None,
            ["reporter", "game.config_schema.properties.tokens"],
            [],
        ),
        (
            all_of(put("reporter", value=[role("reporter")]), put(*TOKENS, "maxItems", value=2), drop("tags")),
            [],
            ["tags", "reporter[0]"],
        ),
        (
            all_of(
                drop("grader"),
                put("reporter", value=[{"reporter": "a/b@1"}]),
                put("game", "docs", "pages", value=[]),
                put(*TOKENS, "maxItems", value=2),
            ),
            ["grader", "game.docs.pages", "game.docs.pages"],
            [],
        ),
    ],
)
def test_each_profile_says_what_fails(change: object, guide: list[str], current: list[str]) -> None:
    found = failing(changed(change))  # type: ignore[arg-type]
    assert (found["guide"], found["current"], found["0.1.26"]) == (guide, current, [])
    assert found["0.1.0"] == [path for path in guide if path.endswith("tokens")]


def test_results_without_scores_and_schemas_that_a_server_refuses_are_warnings() -> None:
    good = read_authored_manifest(manifest_document())
    assert manifest_warnings(good) == []
    bare = read_authored_manifest(changed(put("game", "results_schema", value={})))
    assert [warning.path for warning in manifest_warnings(bare)] == ["game.results_schema"]
    good.game.config_schema["enum"] = list(range(2000))
    assert [warning.path for warning in manifest_warnings(good)] == ["game.config_schema.enum"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def paths(value: object, here: tuple = ()) -> list[tuple]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(path for key, item in below for path in paths(item, (*here, key)))]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([path for path in paths(manifest_document()) if path]), JSON)
def test_no_document_crashes_a_reader(path: tuple, value: object) -> None:
    document = changed(put(*path, value=value))
    for read in (read_authored_manifest, read_downloaded_manifest):
        try:
            assert isinstance(read(document), CoworldManifest)
        except CoworldError as error:
            assert error.hint


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([mutation for mutation in MUTATIONS if mutation.message is None]))
def test_what_authors_may_write_downloads_may_too(mutation: Mutation) -> None:
    document = changed(mutation.change)
    assert read_downloaded_manifest(document) == read_authored_manifest(document)
