"""The published Coworld models and ours on the same documents: what is taken, what is refused, and with which words.

    python tests/compat/coworld_models.py PUBLISHED_PYTHON [OLDER_PYTHON ...]

PUBLISHED_PYTHON is an interpreter with the published `coworld`. It is asked, as a process of its own, about the table
of manifest mutations, the classes and words of its errors, token counts, names of seats, episode requests, every
commissioner message in both directions, leaderboards in every form, stats, annotations, log tiers and unsafe HTML.
Where we differ on purpose, the table says so.
Older releases are asked only for the messages they know: they take ours, and we read what they make of them.
"""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from coworld.commissioner import protocol  # noqa: E402
from coworld.errors import CoworldError  # noqa: E402
from coworld.manifest import read_downloaded_manifest as published_read_downloaded_manifest  # noqa: E402
from coworld.manifest import validate_upload_manifest  # noqa: E402
from coworld.manifest.reader import read_authored_manifest, read_downloaded_manifest  # noqa: E402
from coworld.manifest.tokens import infer_token_count_for_game_config  # noqa: E402
from coworld.manifest_validation import (  # noqa: E402
    game_config_with_named_players,
    game_config_with_overwritten_named_players,
)
from coworld.roles.html_safety import html_violations  # noqa: E402
from coworld.runner.episode_request import parse_request, request_document  # noqa: E402
from coworld.types import CoworldManifest  # noqa: E402
from tests.coworld_documents import MUTATIONS, all_of, changed, drop, manifest_document, put  # noqa: E402
from tests.coworld_messages import (  # noqa: E402
    COMMISSIONER_EXAMPLES,
    DIVISION,
    PLATFORM_EXAMPLES,
    POLICIES,
    ROUND,
    rankings,
    view,
)

COWORLD_TESTS = ROOT / "packages" / "coworld" / "tests"

# Runs in the published interpreter: a list of [question, argument...] in, a list of ["ok", answer] or ["no", why] out.
PUBLISHED = """
import json, sys
from io import BytesIO
from coworld.annotations import annotation_file_error
from coworld.certifier import compute_log_richness
from coworld.commissioner import protocol
from coworld.manifest import read_downloaded_manifest, validate_upload_manifest
from coworld.manifest_validation import (game_config_with_named_players, game_config_with_overwritten_named_players,
                                         infer_token_count_for_game_config, validate_coworld_manifest_game_configs)
from coworld.report import assert_safe_render_html
from coworld.stats import StatsBlock
from coworld.types import CoworldEpisodeJobSpec, CoworldManifest

doors = {"upload": validate_upload_manifest, "downloaded": read_downloaded_manifest,
         "model": CoworldManifest.model_validate}

def raised(door, document):
    try:
        doors[door](document)
    except Exception as error:
        return [[cls.__module__ + "." + cls.__name__ for cls in type(error).__mro__], str(error)]

def authored(document):
    validate_coworld_manifest_game_configs(validate_upload_manifest(document).runtime_manifest)

def message(name, document):
    model = getattr(protocol, name)
    return model.model_validate({key: value for key, value in document.items() if key != "type"}).to_json()

questions = {
    "authored": authored,
    "downloaded": lambda document: read_downloaded_manifest(document).model_dump(mode="json", exclude_none=True),
    "request": lambda document: CoworldEpisodeJobSpec.model_validate(document) and None,
    "seats": lambda schema, config: infer_token_count_for_game_config(schema, config),
    "raised": raised,
    "tier": lambda document: compute_log_richness(CoworldManifest.model_validate(document))[0],
    "annotations": lambda text: annotation_file_error(BytesIO(text.encode())),
    "overwritten": lambda config, names, schema: game_config_with_overwritten_named_players(config, names, schema),
    "names": lambda config, names, schema, owners: game_config_with_named_players(config, names, schema, owners),
    "answer": lambda document: protocol.CommissionerMessage.from_json(document).to_json(),
    "message": message,
    "html": assert_safe_render_html,
    "stats": lambda document: StatsBlock.model_validate(document) and None,
}
answers = []
for question, *arguments in json.load(sys.stdin):
    try:
        answers.append(["ok", questions[question](*arguments)])
    except Exception as error:
        answers.append(["no", str(error)])
json.dump(answers, sys.stdout)
"""


class Comparison:
    """Questions for the published models, each with what we say to it."""

    def __init__(self) -> None:
        self.questions: list[list[Any]] = []
        self.checks: list[tuple[str, Any]] = []

    def ask(self, label: str, check: Any, *question: Any) -> None:
        """`check(status, answer)` returns what differs, or nothing."""
        self.checks.append((label, check))
        self.questions.append(list(question))

    def run(self, published: str) -> list[str]:
        result = subprocess.run(
            [published, "-c", PUBLISHED], input=json.dumps(self.questions), capture_output=True, text=True, cwd="/"
        )
        if result.returncode:
            return [f"the published models could not be asked: {result.stderr.strip().splitlines()[-1]}"]
        answers = json.loads(result.stdout)
        differences = []
        for (label, check), (status, answer) in zip(self.checks, answers, strict=True):
            difference = check(status, answer)
            if difference:
                differences.append(f"{label}: {difference}")
        return differences


def equal(ours: Any) -> Any:
    """Accepted by them, with the answer that we give."""

    def check(status: str, answer: Any) -> str | None:
        if status != "ok":
            return f"refused there: {answer.splitlines()[0]}"
        return None if answer == ours else f"they say {json.dumps(answer)}, we say {json.dumps(ours)}"

    return check


def verdict(accepted: bool, sentence: str | None = None) -> Any:
    """Accepted or refused as by us, refused with this sentence."""

    def check(status: str, answer: Any) -> str | None:
        if (status == "ok") != accepted:
            return "accepted there, refused here" if status == "ok" else f"refused there: {str(answer)[:200]}"
        if sentence is not None and answer != sentence:
            return f"they say {answer!r}, we say {sentence!r}"
        return None

    return check


def ours(function: Any, *arguments: Any) -> Any:
    """Return a check for whatever we answer or refuse, in the same words."""
    try:
        return equal(function(*arguments))
    except CoworldError as error:
        return verdict(False, str(error))


def manifests(comparison: Comparison) -> None:
    for mutation in MUTATIONS:
        document = changed(mutation.change)
        accepted = mutation.message is None if mutation.published is None else mutation.published
        sentence = mutation.message if mutation.fixed else None
        comparison.ask(f"authored, {mutation.name}", verdict(accepted, sentence), "authored", document)
    older = all_of(put("game", "protocols", value={"player": "p", "global": "g"}), drop("game", "docs"))
    for name, change in (
        ("unchanged", lambda document: None),
        ("unknown keys", all_of(put("x", value=1), put("game", "runnable", "x", value=1))),
        ("older shapes", older),
        ("an unknown seat", put("certification", "players", 0, "player_id", value="nobody")),
        ("version 1", put("apiVersion", value="coworld.softmax.com/v1")),
    ):
        document = changed(change)
        written = read_downloaded_manifest(document).model_dump(mode="json", exclude_none=True)
        comparison.ask(f"downloaded, {name}", equal(written), "downloaded", document)
    ours_written = json.loads(read_authored_manifest(manifest_document()).model_dump_json(exclude_none=True))
    comparison.ask("authored, as we write it", verdict(True), "authored", ours_written)


OWN_WORDS = {
    "a file that warms up",
    "a grader as file",
    "a grader that warms up",
    "a grader with a GPU",
    "coding with a network",
    "coding in little memory",
}
"""mutations whose rule we state in other words"""


def refusals(comparison: Comparison) -> None:
    """Each refused manifest raises what scripts catch, and says what they look for."""
    doors = {
        "upload": validate_upload_manifest,
        "downloaded": published_read_downloaded_manifest,
        "model": CoworldManifest.model_validate,
    }

    def raised(door: str, document: Any) -> tuple[set[str], str]:
        try:
            doors[door](document)
        except Exception as error:
            return {f"{cls.__module__}.{cls.__name__}" for cls in type(error).__mro__}, str(error)
        return set(), ""

    def as_specific(name: str, classes: set[str], text: str) -> Any:
        def check(status: str, answer: Any) -> str | None:
            theirs, words = answer or ([], "")
            missing = sorted(set(theirs) - classes)
            if missing:
                return f"they raise {missing[0]}, we raise {sorted(classes)}"
            rules = re.findall(r"Value error, (.*?) \[type=", words) if name not in OWN_WORDS else []
            return next((f"they say {rule!r}, we say {text!r}" for rule in rules if rule not in text), None)

        return check

    for mutation in MUTATIONS:
        if mutation.message is None or mutation.published:
            continue
        document = changed(mutation.change)
        for door in doors:
            check = as_specific(mutation.name, *raised(door, document))
            comparison.ask(f"{door}, {mutation.name}", check, "raised", door, document)


def logs_and_annotations(comparison: Comparison) -> None:
    tests = runpy.run_path(str(COWORLD_TESTS / "published" / "test_published_names.py"))
    for log, properties, tier, _ in tests["test_how_rich_a_log_is_follows_the_manifest"].pytestmark[0].args[1]:
        document = changed(put("game", "results_schema", "properties", value=properties))
        if log is not None:
            document["game"]["log"] = log
        comparison.ask(f"log tier of {log} and {properties}", equal(tier), "tier", document)
    tests = runpy.run_path(str(COWORLD_TESTS / "runner" / "test_annotations.py"))
    for data, reason in tests["test_a_file_is_valid_or_says_why_not"].pytestmark[0].args[1]:
        if data.isascii():
            comparison.ask(f"annotations {data[:60]!r}", equal(reason), "annotations", data.decode())


def configurations(comparison: Comparison) -> None:
    tests = runpy.run_path(str(COWORLD_TESTS / "manifest" / "test_configs.py"))
    for bounds, config, _ in tests["MATRIX"]:
        schema = tests["schema"](*bounds)
        check = ours(infer_token_count_for_game_config, schema, config)
        comparison.ask(f"seats of {config} in {bounds}", check, "seats", schema, config)
    for schema in (tests["NAMED"], tests["BY_REFERENCE"], {}):
        for config, names, owners in (
            ({}, ["a", "a", "b", "a (2)"], None),
            ({"players": [{"owner": "me", "team": 1}, {}]}, ["x", "y"], ["them", None]),
            ({"players": [{}]}, ["x", "y"], None),
            ({"players": [1]}, ["x"], None),
            ({"player_names": []}, ["x"], None),
            ({}, ["x", "y"], ["them"]),
        ):
            check = ours(game_config_with_named_players, config, names, schema, owners)
            comparison.ask(f"names {names}", check, "names", config, names, schema, owners)
            check = ours(game_config_with_overwritten_named_players, config, names, schema)
            comparison.ask(f"overwritten names {names}", check, "overwritten", config, names, schema)


def requests(comparison: Comparison) -> None:
    document = manifest_document()
    base = {"manifest": document, "game_config": document["certification"]["game_config"], "episode_tags": {"a": "b"}}
    human = {"type": "human", "token": "t" * 16}
    for name, players, accepted in (
        ("entries of the manifest", document["player"], True),
        ("a person", [human, {"type": "player", "image": "x", "run": ["go"]}], True),
        ("a short token", [human | {"token": "t"}], False),
        ("a file", [{"type": "player-file", "content_hash": "a" * 64, "size_bytes": 1}], False),
        ("another role", [{"type": "grader", "image": "x"}], False),
        ("nobody", [], False),
    ):
        request = base | {"players": players}
        try:
            request = request_document(parse_request(request))  # as we write it, without what only a manifest says
            assert accepted, name
        except CoworldError:
            assert not accepted, name
        comparison.ask(f"request, {name}", verdict(accepted), "request", request)


def messages(comparison: Comparison) -> None:
    for example in COMMISSIONER_EXAMPLES:
        message = protocol.CommissionerMessage.from_json(example)
        comparison.ask(f"message {example['type']}", equal(message.to_json()), "answer", message.to_json())
        comparison.ask(f"message {example['type']}, as written", equal(message.to_json()), "answer", example)
    for example in PLATFORM_EXAMPLES:
        message = protocol.PlatformMessage.from_json(example)
        name = type(message).__name__
        comparison.ask(f"message {example['type']}", equal(message.to_json()), "message", name, message.to_json())
        comparison.ask(f"message {example['type']}, as written", equal(message.to_json()), "message", name, example)
    first, second = rankings()
    tables = [{"rankings": [first]}, {"id": "wins", "label": "Wins", "description": "d", "rankings": [second]}]
    bare = {"key": "v", "rows": [{"subject_id": "a", "values": {"score": 1}}, {"subject_id": "b", "values": {}}]}
    for name, fields in {
        "nothing": {},
        "rankings": {"rankings": [first, second]},
        "tables": {"tables": tables},
        "tables with a main one": {"tables": tables, "primary_table_id": "wins"},
        "tables with a wrong main one": {"tables": tables, "primary_table_id": "none"},
        "views": {"views": [view]},
        "views without columns": {"views": [bare]},
        "views with a main one": {"views": [bare, view], "default_view_key": "elo"},
        "views with a wrong main one": {"views": [bare, view], "default_view_key": "none"},
        "views and tables": {"views": [view], "tables": tables},
        "everything": {"views": [view], "tables": tables, "rankings": [second]},
        "a table without rows": {"tables": [{"id": "empty"}]},
        "a table with a label": {"tables": [{"id": "elo", "score_label": "Elo", "rankings": [first]}]},
        "wins to divide": {"rankings": [first | {"episode_wins": 3, "episodes_played": 4}]},
        "too many wins": {"rankings": [first | {"episode_wins": 5, "episodes_played": 4}]},
        "no episodes": {"rankings": [first | {"episode_wins": 1, "episodes_played": 0}]},
        "a given win rate": {"rankings": [first | {"win_rate": 1.5, "episode_wins": 1, "episodes_played": 4}]},
        "text first": {"views": [bare | {"columns": [{"key": "t", "value_type": "string"}, {"key": "score"}]}]},
        "truth first": {"views": [bare | {"columns": [{"key": "t", "value_type": "boolean"}]}]},
        "rank 0": {"views": [{"rows": [{"subject_id": "a", "values": {"rank": 0, "score": True}}]}]},
    }.items():
        document = {"type": "rank_division_response", **fields}
        check = equal(protocol.CommissionerMessage.from_json(document).to_json())
        comparison.ask(f"leaderboard from {name}", check, "answer", document)
    place = {"policy_version_id": str(POLICIES[0]), "rank": 1, "score": 2}
    for name, places in {"a player": [place | {"player_id": "p"}], "a policy": [place], "nobody": []}.items():
        document = {"type": "round_complete", "results": [{"division_id": str(DIVISION), "rankings": places}]}
        check = equal(protocol.CommissionerMessage.from_json(document).to_json())
        comparison.ask(f"round results of {name}", check, "answer", document)
    player = {"player_id": "p", "policy_version_id": str(POLICIES[0])}
    for document in (
        {"type": "dance"},
        {"type": "round_complete", "state": "x" * (10 << 20)},
        {"type": "schedule_rounds_response", "persistent_players": [player | {"player_id": "p" * 129}]},
        {"type": "schedule_rounds_response", "persistent_players": [player, player | {"player_id": "q"}]},
        {
            "type": "schedule_rounds_response",
            "persistent_players": [player, player | {"policy_version_id": str(ROUND)}],
        },
    ):
        try:
            protocol.CommissionerMessage.from_json(document)
            comparison.ask(f"refused message {str(document)[:80]}", verdict(True), "answer", document)
        except ValueError:
            comparison.ask(f"refused message {str(document)[:80]}", verdict(False), "answer", document)


def pages_and_stats(comparison: Comparison) -> None:
    corpus = runpy.run_path(str(COWORLD_TESTS / "roles" / "test_reports.py"))

    def at_least_as_strict(html: str) -> Any:
        """Whatever the published package refuses, we refuse in the same words, up to the advice in brackets."""

        def check(status: str, answer: Any) -> str | None:
            if status == "ok":
                return None
            ours = {violation.partition(" (")[0] for violation in html_violations(html)}
            lines = [line.removeprefix("- ").partition(" (")[0] for line in answer.splitlines()[1:]]
            return next((f"they say {line!r}, we say {sorted(ours)}" for line in lines if line not in ours), None)

        return check

    worded = corpus["test_violations_have_the_published_words"].pytestmark[0].args[1]
    for html in (*corpus["UNSAFE"], *(html for html, _ in worded), *corpus["SAFE"]):
        if "srcset='data:" in html:  # the published check splits a data: URL at its comma
            continue
        comparison.ask(f"html {html[:60]!r}", at_least_as_strict(html), "html", html)
    tests = runpy.run_path(str(COWORLD_TESTS / "stats" / "test_stats.py"))
    for name, accepted in (
        ("test_good_stats_survive_reading_and_writing", True),
        ("test_stats_that_make_no_sense_are_refused", False),
    ):
        for case in tests[name].pytestmark[0].args[1]:
            text = case if accepted else case[0]
            comparison.ask(f"stats {text[:200]}", verdict(accepted), "stats", json.loads(text))


# Runs in an older interpreter: messages in; what it makes of each out, null for messages it does not have.
OLDER = """
import json, sys
from coworld.commissioner import protocol

def read(name, document):
    model = getattr(protocol, name, None)
    if model is None:
        return None
    try:
        message = model.model_validate({key: value for key, value in document.items() if key != "type"})
        return ["ok", message.to_json() if hasattr(message, "to_json") else message.model_dump(mode="json")]
    except Exception as error:
        return ["no", str(error)]

json.dump([read(*question) for question in json.load(sys.stdin)], sys.stdout)
"""


def older_release(python: str) -> bool:
    """Our messages through an older release and back; whether every one it knows arrives."""
    sides = [(protocol.PlatformMessage, example) for example in PLATFORM_EXAMPLES]
    sides += [(protocol.CommissionerMessage, example) for example in COMMISSIONER_EXAMPLES]
    ours = [(reader, reader.from_json(example)) for reader, example in sides]
    questions = json.dumps([[type(message).__name__, message.to_json()] for _, message in ours])
    result = subprocess.run([python, "-c", OLDER], input=questions, capture_output=True, text=True, cwd="/", check=True)
    known = lost = 0
    for (reader, message), answer in zip(ours, json.loads(result.stdout), strict=True):
        if answer is None:
            continue
        known += 1
        status, document = answer
        problem = document if status == "no" else None
        if status == "ok" and reader is protocol.CommissionerMessage:  # what it says to a platform
            try:
                reader.from_json({**document, "type": message.message_type})
            except ValueError as error:
                problem = str(error)
        if problem:
            lost += 1
            print(f"coworld models: {python}: {message.message_type}: {problem.splitlines()[0]}")
    print(f"coworld models: {known - lost} of the {known} messages that {python} knows arrive")
    return not lost and known > 0


def main() -> None:
    newest, *older = (str(Path(python).absolute()) for python in sys.argv[1:])
    comparison = Comparison()
    for part in (manifests, refusals, configurations, requests, messages, pages_and_stats, logs_and_annotations):
        part(comparison)
    differences = comparison.run(newest)
    for difference in differences:
        print(f"coworld models: {difference}")
    print(f"coworld models: {len(comparison.checks) - len(differences)} of {len(comparison.checks)} answers agree")
    arrived = [older_release(python) for python in older]
    sys.exit(bool(differences) or not all(arrived))


if __name__ == "__main__":
    main()
