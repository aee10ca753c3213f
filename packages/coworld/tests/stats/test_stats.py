"""Stats documents, and changes of the manifest's schema."""

import copy
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coworld.errors import CoworldError, DocumentError, SourceError
from coworld.manifest.schema_check import breaking_changes, check_manifest_schema
from coworld.manifest.schema_files import PACKAGE, SCHEMA_PATHS
from coworld.models import coworld_manifest_schema
from coworld.schema.validation import json_schema_validation_errors
from coworld.stats import get_coworld_stats_schema, read_stats, stats_text


def metric(**more: Any) -> dict:
    return {
        "id": "tiles",
        "version": 1,
        "name": "Tiles",
        "category": "outcome",
        "unit": "tiles",
        "kind": "count",
        "description": "Tiles at the end.",
        "eligibility": "every seat",
        "denominator": None,
        "aggregation": "sum",
        "interpretation": "more is better",
    } | more


def seat(*measurements: dict, **more: Any) -> dict:
    return {"seat_id": "0", "policy_id": None, "policy_sha256": None, "measurements": list(measurements)} | more


def episode(name: str = "e1", metrics: list[dict] | None = None, seats: list[dict] | None = None) -> dict:
    provenance = {
        "episode_id": name,
        "game_id": "g",
        "game_build_id": None,
        "replay_sha256": "a" * 64,
        "extractor_id": "x",
        "extractor_version": "1",
        "context": {"seed": 1, "more": [None, {"a": 1.5}]},
    }
    return {"provenance": provenance, "metrics": metrics or [metric()], "seats": seats or [seat(measured(3, 3))]}


def measured(value: float, count: int | None = None, denominator: int | None = None) -> dict:
    return {"metric_id": "tiles", "status": "measured", "value": value, "count": count, "denominator": denominator}


def block(*episodes: dict, failures: list[dict] | None = None) -> str:
    return json.dumps({"schema_version": "coworld.stats.v1", "episodes": list(episodes), "failures": failures or []})


RATE = [metric(kind="rate", denominator="ticks")]
VALUE = [metric(kind="value")]
NONE = {"metric_id": "tiles", "status": "no_opportunities"}


@pytest.mark.parametrize(
    "text",
    [
        block(episode()),
        block(failures=[{"provenance": episode()["provenance"], "reason": "damaged"}]),
        block(episode(metrics=RATE, seats=[seat(measured(1 / 3, 1, 3))])),
        block(episode(metrics=RATE, seats=[seat(NONE)])),
        block(episode(metrics=VALUE, seats=[seat(measured(-1.5))])),
        block(episode(seats=[seat({"metric_id": "tiles", "status": "missing", "reason": "not recorded"})])),
        block(episode(), episode("e2", metrics=[metric(version=2, name="Other")])),
    ],
)
def test_good_stats_survive_reading_and_writing(text: str) -> None:
    found = read_stats(text)
    assert read_stats(stats_text(found)) == found
    assert json_schema_validation_errors(json.loads(text), get_coworld_stats_schema()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (block(), "no episode and no failure"),
        (block(episode(), episode()), "'e1' comes twice"),
        (block(episode(), failures=[{"provenance": episode()["provenance"], "reason": "x"}]), "'e1' comes twice"),
        (block(episode(), episode("e2", metrics=[metric(name="Other")])), "tiles v1 is defined in two ways"),
        (block(episode(metrics=[metric(), metric(version=2)])), "metric id is used twice"),
        (block(episode(seats=[seat(measured(3, 3)), seat(measured(3, 3))])), "seat id is used twice"),
        (block(episode(seats=[seat(measured(3, 3), measured(3, 3))])), "every metric exactly once"),
        (block(episode(seats=[seat()])), "there are 0"),
        (block(episode(seats=[seat(measured(2, 3))])), "value of a count"),
        (block(episode(seats=[seat(measured(3))])), "value of a count"),
        (block(episode(seats=[seat(measured(3, 3, 4))])), "count has no denominator"),
        (block(episode(seats=[seat(NONE)])), "only a rate"),
        (block(episode(metrics=RATE, seats=[seat(measured(0.3333, 1, 3))])), "count / denominator"),
        (block(episode(metrics=RATE, seats=[seat(measured(2, 2, 1))])), "more than it is out of"),
        (block(episode(metrics=RATE, seats=[seat(measured(1))])), "needs `count`"),
        (block(episode(metrics=VALUE, seats=[seat(measured(3, 3))])), "neither count nor denominator"),
        (block(episode(metrics=[metric(kind="rate")])), "a rate has denominator"),
        (block(episode(metrics=[metric(denominator="ticks")])), "a count has no denominator"),
        (block(episode(seats=[seat(measured("3", 3))])), "must be a number"),  # type: ignore[arg-type]
        (block(episode(seats=[seat(measured(float("nan"), 3))])), "finite"),
        (block(episode(name=" ")), "does not match"),
        (block(episode() | {"colour": 1}), "unknown key"),
    ],
)
def test_stats_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_stats(text)
    assert message in str(caught.value) and caught.value.hint


def test_stats_that_are_not_json_are_refused() -> None:
    with pytest.raises(SourceError, match=r"block\.json is not JSON"):
        read_stats("{", name="block.json")


# manifest-schema check


def altered(change: Callable[[dict], object]) -> dict:
    schema = copy.deepcopy(coworld_manifest_schema())
    change(schema)
    return schema


Defs = Callable[[dict], object]
BREAKS: list[tuple[Defs, str]] = [
    (lambda s: s["$defs"]["CoworldVariant"]["required"].append("colour"), "$.variants[].colour is required now"),
    (lambda s: s["$defs"]["CoworldGameManifest"]["properties"].pop("promo"), "$.game.promo is gone"),
    (lambda s: s["$defs"]["CoworldPlayerStartup"]["properties"]["port"].update(minimum=2000), "minimum is 2000 now"),
    (lambda s: s["$defs"]["CoworldTaskEnvironment"]["properties"]["cpu_millis"].update(maximum=9), "maximum is 9 now"),
    (lambda s: s["$defs"]["CoworldManifestRoleSpec"]["properties"]["type"]["enum"].remove("grader"), "fewer values"),
    (lambda s: s["properties"]["player"].update(type="object"), "$.player: type is 'object' now"),
    (lambda s: s["$defs"]["CoworldPromo"]["properties"]["video_url"].update(pattern="^https://"), "pattern is"),
    (lambda s: s["properties"]["tags"].update(minItems=4), "$.tags: minItems is 4 now"),
]


@pytest.mark.parametrize(("change", "message"), BREAKS)
def test_changes_that_refuse_good_documents_are_told(change: Defs, message: str) -> None:
    changes = breaking_changes(coworld_manifest_schema(), altered(change))
    assert changes and all(message in change for change in changes)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s["properties"].update(colour={"type": "string"}),
        lambda s: s["$defs"]["CoworldVariant"]["required"].remove("description"),
        lambda s: s["$defs"]["CoworldVariant"].update(description="Other words."),
        lambda s: s["$defs"]["CoworldPlayerStartup"]["properties"]["port"].update(minimum=1),
        lambda s: s["$defs"]["CoworldManifestRoleSpec"]["properties"]["type"]["enum"].append("judge"),
    ],
)
def test_changes_that_only_allow_more_are_fine(change: Defs) -> None:
    assert breaking_changes(coworld_manifest_schema(), altered(change)) == []


def test_the_schemas_are_compared_with_a_folder_or_a_commit(tmp_path: Path) -> None:
    for name in SCHEMA_PATHS.values():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(PACKAGE / name, tmp_path / name)
    assert check_manifest_schema(str(tmp_path)) == []
    older = altered(lambda s: s["properties"].update(colour={"type": "string"}))
    (tmp_path / "coworld_manifest_schema.json").write_text(json.dumps(older))
    assert check_manifest_schema(str(tmp_path)) == ["coworld_manifest_schema.json: $.colour is gone"]
    with pytest.raises(CoworldError, match="neither a commit"):
        check_manifest_schema("no-such-branch")
    if subprocess.run(["git", "-C", PACKAGE, "rev-parse", "HEAD"], capture_output=True).returncode == 0:
        assert [problem for problem in check_manifest_schema("HEAD") if "stale" in problem] == []
