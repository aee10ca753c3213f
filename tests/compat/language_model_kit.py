"""The published language-model kit and ours on the same observations: the same states, events, answers and plans.

    python tests/compat/language_model_kit.py PUBLISHED_PYTHON [--count N]

PUBLISHED_PYTHON is an interpreter with the published `cogames`. Both sides get observations of missions that our engine
plays, N random observations, random replies of models and random sequences of states. They report states, events,
rendered states, answers of helpers, directives, progress, and names, parameters and fields of `mettagrid.sdk.agent` and
`cogames.sdk`. The sentences of prompts, summaries and advice are our own and are not compared. Two more differences are
on purpose: an agent without a team and deeply nested JSON raise an error there; ours returns a state and a plan.

The file also runs under the published interpreter (`--answer`), so both sides answer through the same code.
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import importlib
import inspect
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

MODULES = [
    *("cogames.sdk" + name for name in ("", ".base", ".cogsguard")),
    *(
        f"cogames.sdk.cogsguard.{name}"
        for name in "constants events learnings llm_contract progress prompt_adapter scenarios state surface".split()
    ),
    *(
        "mettagrid.sdk.agent" + name
        for name in ("", ".actions", ".directives", ".helpers", ".log", ".progress", ".state", ".test_support")
    ),
    *("mettagrid.sdk.agent" + name for name in (".types", ".runtime", ".runtime.observation")),
]
MISSIONS = {"arena": 160, "four_score": 60, "machina_1": 60, "tutorial": 60}
MODES = "bootstrap_economy cover_missing_resources frontier_expand convert_frontier scramble_pressure recover_and_bank"
SKILLS = (
    "gear_up_miner gear_up_aligner gear_up_scrambler mine_biased_resource deposit_resources get_heart align_frontier "
    "scramble_frontier explore retreat unstuck"
)
ELEMENTS = ("carbon", "oxygen", "germanium", "silicon")
OBJECTIVES = ("resource_coverage", "economy_bootstrap", "aligner_pressure", "other")
OUR_WORDS = {
    ("LogStub", "records"),
    ("MemoryStub", "scratchpad"),
    ("PlanStub", "text"),
}
"""(class, argument) whose default is a sentence"""


# Both sides.


def answer_all(questions: dict[str, Any]) -> dict[str, Any]:
    return {
        "names": {module: describe_module(module) for module in MODULES},
        "observed": [answer_game(game) for game in questions["games"]],
        "replies": [attempt(parse_reply, text) for text in questions["replies"]],
        "stories": [tell_story(story) for story in questions["stories"]],
        "advice": [advise(*question) for question in questions["advice"]],
        "scenarios": scenarios(),
        "prompts": [labels_of_prompt(document) for document in questions["summaries"]],
    }


def attempt(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        return f"raises {type(error).__name__}"


def describe_module(name: str) -> dict[str, Any]:
    """Return the public names that a module defines or re-exports, with parameters, fields and values."""
    module = importlib.import_module(name)
    described = {}
    for key, value in vars(module).items():
        home = getattr(value, "__module__", name)
        listed = hasattr(module, "__path__") or key in getattr(module, "__all__", ()) or home == name
        if key.startswith("_") or not listed or not str(home).startswith(("cogames.sdk", "mettagrid.sdk")):
            continue
        if inspect.isclass(value) or inspect.isfunction(value):
            described[key] = describe(value)
        elif key.startswith("COGSGUARD_"):
            described[key] = json.loads(json.dumps(value))
    return described


def describe(value: Any) -> dict[str, Any]:
    if inspect.isfunction(value):
        return {"parameters": parameters(value)}
    if issubclass(value, enum.Enum):
        return {"members": {member.name: member.value for member in value}, "text": str(next(iter(value)))}
    described: dict[str, Any] = {"bases": [base.__name__ for base in value.__mro__ if base.__name__ != "object"]}
    if hasattr(value, "model_fields"):
        described["fields"] = {
            name: [field.is_required(), repr(field.get_default(call_default_factory=True))]
            for name, field in value.model_fields.items()
        }
        described["extra"] = value.model_config.get("extra")
    elif dataclasses.is_dataclass(value):
        described["fields"] = {field.name: field.default is dataclasses.MISSING for field in dataclasses.fields(value)}
    elif not getattr(value, "_is_protocol", False) and "__init__" in vars(value):
        described["parameters"] = parameters(value.__init__, value.__name__)
    for name, member in vars(value).items():
        function = getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function):
            described[f"{name}()"] = parameters(function)
        elif not name.startswith("_") and isinstance(member, property):
            described[name] = "property"
    return described


def parameters(function: Any, owner: str = "") -> list[list[str]]:
    return [
        [name, parameter.kind.name, "" if (owner, name) in OUR_WORDS else repr(parameter.default)]
        for name, parameter in inspect.signature(function).parameters.items()
    ]


def answer_game(game: dict[str, Any]) -> list[Any]:
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface

    info = PolicyEnvInterface.model_validate(game["interface"])
    features = {feature.id: feature for feature in info.obs_features}
    previous: dict[int, Any] = {}
    return [attempt(answer_observation, info, features, observation, previous) for observation in game["observations"]]


def answer_observation(info: Any, features: Any, document: dict[str, Any], previous: dict[int, Any]) -> list[Any]:
    from cogames.sdk.cogsguard import CogsguardSemanticSurface
    from mettagrid.simulator.interface import AgentObservation, Location, ObservationToken, VisibleTalk

    tokens = [ObservationToken(features[token[1]], token[2], tuple(token)) for token in document["tokens"]]
    talk = [VisibleTalk(agent, text, Location(row, col), left) for agent, text, row, col, left in document["talk"]]
    agent_id, surface = document["agent"], CogsguardSemanticSurface()
    before = previous.get(agent_id)
    state = surface.build_state_with_events(
        AgentObservation(agent_id=agent_id, tokens=tokens, talk=talk),
        policy_env_info=info,
        step=document["step"],
        previous_state=before,
    )
    previous[agent_id] = state
    return [dump_state(state), surface.render_state(state).partition("\nRECENT_EVENTS")[0], helper_answers(state)]


def dump_state(state: Any) -> dict[str, Any]:
    document: dict[str, Any] = state.model_dump(mode="json")
    for event in document["recent_events"]:
        del event["summary"]
    return document


def helper_answers(state: Any) -> dict[str, Any]:
    from cogames.sdk.cogsguard import CogsguardSemanticSurface
    from mettagrid.sdk.agent import ActionCatalog, MemoryQuery
    from mettagrid.sdk.agent.test_support import LogStub, MemoryStub

    objectives = ["seen_resource:carbon", "hold", "missing_resource:oxygen", "missing_resource:"]
    sdk = CogsguardSemanticSurface().build_sdk(
        state, actions=ActionCatalog([]), memory=MemoryStub(), log=LogStub(), shared_objectives=objectives
    )
    helpers = sdk.helpers
    answers: dict[str, Any] = {
        name: getattr(helpers, name)()
        for name in "agent_id shared_inventory shared_objectives seen_resources missing_resources position "
        "visible_entity_counts recent_event_types".split()
    }
    filters: list[dict[str, Any]] = [{}, {"entity_type": "junction"}, {"label": "friendly"}, {"max_distance": 3}]
    filters.append({"entity_type": "agent", "label": "enemy", "max_distance": 6})
    for number, chosen in enumerate(filters):
        nearest = helpers.nearest_visible_entity(**chosen)
        answers[f"nearest {number}"] = nearest and nearest.entity_id
        answers[f"ids {number}"] = helpers.visible_entity_ids(**chosen)
    ids = [entity.entity_id for entity in state.visible_entities[:3]] + ["agent-99"]
    answers["distances"] = [helpers.distance_to_entity(entity_id) for entity_id in ids]
    answers["by id"] = [entity and entity.entity_type for entity in map(helpers.entity_by_id, ids)]
    answers["attributes"] = [helpers.self_attribute(name, 7) for name in ("team", "global_x", "nothing")]
    answers["query"] = MemoryQuery.from_state(state, active_plan="p", extra_tags=["x"]).model_dump(mode="json")
    return json.loads(json.dumps(answers))  # type: ignore[no-any-return]


def parse_reply(text: str) -> Any:
    from cogames.sdk.cogsguard import parse_planner_response

    return parse_planner_response(text).model_dump(mode="json")


def tell_story(story: list[dict[str, Any]]) -> list[Any]:
    """Return the progress of one tracker over states that the scenario builder makes."""
    from cogames.sdk.cogsguard import CogsguardEventExtractor, CogsguardProgressTracker, CogsguardScenarioBuilder
    from mettagrid.sdk.agent import SemanticEntity

    make, tracker, extractor = CogsguardScenarioBuilder(), CogsguardProgressTracker(), CogsguardEventExtractor()
    before, told = None, []
    for page in story:
        page = dict(page)
        objective, seen, missing = page.pop("objective"), page.pop("seen"), page.pop("missing")
        page["visible_entities"] = [SemanticEntity.model_validate(entity) for entity in page["visible_entities"]]
        state = make.state(**page)
        state.recent_events = extractor.extract_events(before, state)
        before = state
        snapshot = tracker.snapshot(state, objective=objective, seen_resources=seen, missing_resources=missing)
        told.append([dump_state(state), snapshot.milestones, snapshot.metrics])
    return told


def advise(objective: str, metrics: dict[str, Any] | None, limit: int) -> list[str]:
    from cogames.sdk.cogsguard import select_cogsguard_learnings
    from mettagrid.sdk.agent import ProgressSnapshot

    progress = None if metrics is None else ProgressSnapshot(objective=objective, metrics=metrics)
    chosen = select_cogsguard_learnings(objective=objective, progress=progress, limit=limit)
    return [f"{learning.learning_id} {learning.objectives} {learning.tags}" for learning in chosen]


def scenarios() -> dict[str, Any]:
    from cogames.sdk import cogsguard

    make, presets = cogsguard.CogsguardScenarioBuilder(), cogsguard.CogsguardScenarioPresets
    entities = [
        make.friendly_hub(),
        make.neutral_junction(x=4),
        make.enemy_junction(y=3),
        make.extractor(resource="carbon", x=1, y=2),
        make.extractor(resource="gold", x=1, y=2, friendly=False),
        make.friendly_agent(entity_id="agent-7", x=1, y=2, role="miner"),
        make.friendly_agent(entity_id="bob-3", x=1, y=2, role="scout", resources={"carbon": 3}),
    ]
    played = [
        presets.aligner_heart_capture(),
        presets.miner_gather_and_deposit(),
        presets.miner_gather_and_deposit(resource="silicon"),
        presets.scrambler_neutralize_enemy_junction(),
    ]
    skills = list(cogsguard.SkillName)
    return {
        "entities": [entity.model_dump(mode="json") for entity in entities],
        "presets": [scenario.model_dump(mode="json") for scenario in played],
        "library": [name for name, _ in presets.library()],
        "roles": [cogsguard.preferred_role_for_skill(skill) for skill in (None, *skills)],
        "resources": list(cogsguard.resource_names()),
        "sections": [line for line in cogsguard.render_planner_library().splitlines() if not line.startswith("- ")],
        "words": [line.partition(":")[0] for line in cogsguard.render_planner_library().splitlines()],
        "skills": [
            line.partition(":")[0]
            for line in cogsguard.CogsguardPromptAdapter().render_skill_library().partition("BEST")[0].splitlines()
        ],
    }


def labels_of_prompt(document: dict[str, Any]) -> list[str]:
    """Return the lines with the data of a summary, without inventories, which are written in another form."""
    from cogames.sdk.cogsguard import PlannerSummary, build_planner_prompt

    prompt = build_planner_prompt(PlannerSummary.model_validate(document)).partition("STRATEGY_MODES")[0]
    lines = prompt.splitlines()[2:]
    return [line.partition(":")[0] if line.startswith(("Inventory", "Team resources")) else line for line in lines]


# Our side: the questions.


def play_missions() -> list[dict[str, Any]]:
    """Return the observations of three agents of each mission, as `starter` plays it."""
    from cogames.missions import catalog
    from cogames.policy.starter_agent import StarterPolicy
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.simulator import Simulation

    games = []
    for mission, steps in MISSIONS.items():
        env = catalog.load(mission)
        simulation, info = Simulation(env, seed=5), PolicyEnvInterface.from_mg_cfg(env)
        policy = StarterPolicy(info)
        agents = [policy.agent_policy(agent) for agent in range(simulation.num_agents)]
        observations = []
        for step in range(steps):
            for agent, (player, seen) in enumerate(zip(agents, simulation.observations(), strict=True)):
                if agent in (0, 1, 5):
                    tokens = [list(token.raw_token) for token in seen.tokens]
                    observations.append({"agent": agent, "step": step, "tokens": tokens, "talk": []})
                simulation.agent(agent).set_action(player.step(seen).name)
            simulation.step()
        games.append({"interface": info.model_dump(mode="json"), "observations": observations})
    return games


def random_game(interface: dict[str, Any], count: int, rng: random.Random) -> dict[str, Any]:
    """Return observations with random objects, features and messages; the agent itself always has a team."""
    interface = json.loads(json.dumps(interface))
    interface["tags"] += ["type:c:chest", "type:carbon_extractor:x", "net:", "team:", "other"]
    names = [feature["name"] for feature in interface["obs_features"]]
    for extra in ("agent:frozen", "freeze_remaining", "cooldown"):
        interface["obs_features"].append({"id": len(names), "name": extra, "normalization": 10.0})
        names.append(extra)
    tags = interface["tags"]
    tag, size = names.index("tag"), len(names)
    kinds = [number for number, name in enumerate(tags) if name.startswith("type:")]
    teams = [number for number, name in enumerate(tags) if name.startswith("team:") and name != "team:"]
    observations = []
    for step in range(count):
        tokens = [[0xFE, rng.randrange(size), rng.randrange(256)] for _ in range(rng.randrange(8))]
        tokens = [token for token in tokens if token[1] != tag]
        for cell in rng.sample(range(169), rng.randrange(1, 25)):
            place = (cell // 13) << 4 | cell % 13
            chosen = rng.sample(kinds, rng.choice((0, 1, 1, 1, 2))) + rng.sample(range(len(tags)), rng.randrange(3))
            tokens += [[place, tag, number] for number in dict.fromkeys(chosen)]
            tokens += random_features(place, size, tag, rng)
        centre = 6 << 4 | 6
        tokens = [token for token in tokens if token[0] != centre]
        tokens += [[centre, tag, tags.index("type:agent")], [centre, tag, rng.choice(teams)]]
        tokens += random_features(centre, size, tag, rng)
        speakers = rng.sample(range(4), rng.choice((0, 0, 1, 3)))  # each speaks once, in a cell of its own
        talk = [
            [speaker, rng.choice(("hi", "go east:", "")), cell // 13, cell % 13, step % 9]
            for speaker, cell in zip(speakers, rng.sample(range(169), len(speakers)), strict=True)
        ]
        seen = {"agent": step % 2, "step": rng.choice((step, step, None)), "tokens": tokens, "talk": talk}
        observations.append(seen)
    return {"interface": interface, "observations": observations}


def random_features(place: int, size: int, tag: int, rng: random.Random) -> list[list[int]]:
    chosen = [number for number in rng.sample(range(size), rng.randrange(8)) if number != tag]
    return [[place, number, rng.choice((0, 1, 2, rng.randrange(256)))] for number in chosen]


def random_reply(rng: random.Random) -> str:
    """Return a reply that is nearly right: a JSON object with mistakes, in prose or in a fence, cut or not."""
    document = {
        "mode": rng.choice([*MODES.split(), "attack", None, 3]),
        "skill": rng.choice([*SKILLS.split(), "dance", ["explore"]]),
        "resource_bias": rng.choice([*ELEMENTS, "gold", None, ""]),
        "talk": rng.choice(["east", "  a   b ", "x" * 150, "", None, 5, "use get_heart"]),
        "analysis": rng.choice(["ok", "line\nline", "y " * 200, "", "a } b { c", None]),
        "extra": 1,
    }
    keys = rng.choice([["mode", "skill"], ["mode"], ["skill", "talk"], list(document)[:5], list(document)])
    text = rng.choice(("{0}", "{0}", "```json\n{0}\n```", "I think so. {0} Done.", "[{0}]", '{{"a": 1}} {0}', "{{{0}"))
    text = text.format(json.dumps({key: document[key] for key in keys}, indent=rng.choice((None, 2))))
    words = [*MODES.split(), *SKILLS.split(), *ELEMENTS, "{", "}", '"resource_bias": "carbon"', "```", "or"]
    if rng.random() < 0.3:
        text = " ".join(rng.choices(words, k=rng.randrange(6)))
    return text[: rng.randrange(len(text) + 1)] if rng.random() < 0.3 else text


def random_story(rng: random.Random) -> list[dict[str, Any]]:
    story, step = [], rng.randrange(50)
    for _ in range(rng.randrange(3, 12)):
        step = max(0, step + rng.choice((0, 1, 3, 8, 15, 24, 30, -40)))
        junctions = [
            {
                "entity_id": f"junction@{number},0",
                "entity_type": "junction",
                "position": {"x": number, "y": 0},
                "attributes": {"owner": rng.choice(("cogs", "clips", "neutral"))},
            }
            for number in rng.sample(range(4), rng.randrange(4))
        ]
        agents = [
            {
                "entity_id": f"agent-{number}",
                "entity_type": "agent",
                "position": {"x": number, "y": 1},
                "labels": rng.choice(([], ["enemy"], ["friendly"])),
                "attributes": rng.choice(({"team": "cogs"}, {"team": "clips", "role": "scout"})),
            }
            for number in rng.sample(range(4), rng.randrange(3))
        ]
        story.append(
            {
                "step": step,
                "role": rng.choice(("miner", "aligner", "scout")),
                "heart": rng.choice((0, 0, 1, 2)),
                "visible_entities": junctions + agents,
                "extra_inventory": {"carbon": rng.choice((0, 5))},
                "shared_inventory": {rng.choice((*ELEMENTS, "heart")): rng.choice((0, 10, 20, 30))},
                "objective": rng.choice(OBJECTIVES[: rng.choice((1, 2, 4))]),
                "seen": rng.sample(ELEMENTS, rng.randrange(5)),
                "missing": rng.sample(ELEMENTS, rng.randrange(5)),
            }
        )
    return story


def random_summary(rng: random.Random) -> dict[str, Any]:
    options = [
        {"name": skill, "status": rng.choice(("active", "ready", "setup", "blocked")), "reason": "because"}
        | ({"preferred_role": "miner"} if rng.random() < 0.5 else {})
        for skill in rng.sample(SKILLS.split(), rng.randrange(4))
    ]
    return {
        "step": rng.randrange(1000),
        "agent_id": rng.randrange(8),
        "hp": rng.randrange(100),
        "position": [rng.randrange(-9, 9), 3],
        "role": "miner",
        "strategy_mode": rng.choice((None, *MODES.split())),
        "active_skill": rng.choice((None, *SKILLS.split())),
        "resource_bias": rng.choice(ELEMENTS),
        "team_resources": {"carbon": 3},
        "inventory": rng.choice(({}, {"heart": 2})),
        "junctions": {"friendly": 1, "enemy": rng.randrange(3), "neutral": 0},
        "safe_distance": rng.randrange(30),
        "stalled": rng.random() < 0.5,
        "oscillating": rng.random() < 0.5,
        "has_gear": rng.random() < 0.5,
        "emergency_mining": rng.random() < 0.5,
        "roles": rng.choice(("", "miner=4")),
        "recent_events": rng.choice(([], ["heart_lost: x", "y"])),
        "visible_talk": rng.choice(([], ["agent-3: hi"])),
        "skill_options": options,
        "talk_enabled": rng.random() < 0.5,
    }


def make_questions(count: int) -> dict[str, Any]:
    rng = random.Random(21)
    games = play_missions()
    metrics: list[dict[str, Any] | None] = [None, {}, {"progress_stalled": True}, {"heart_total": 3}]
    metrics += [{"progress_stalled": True, "heart_total": 2}, {"progress_stalled": False, "heart_total": 0}]
    advice = [[objective, each, limit] for objective in OBJECTIVES for each in metrics for limit in (0, 2, 4, -1)]
    return {
        "games": [*games, *(random_game(game["interface"], count, rng) for game in games)],
        "replies": ["", "{}", "null", *(random_reply(rng) for _ in range(5 * count))],
        "stories": [random_story(rng) for _ in range(count)],
        "advice": advice,
        "summaries": [random_summary(rng) for _ in range(count)],
    }


def differences(theirs: Any, ours: Any, path: str = "") -> list[str]:
    """Return the first difference in each list, and all others. Names and fields may be added by ours, not removed."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        found = [f"{path}.{key}: missing" for key in theirs.keys() - ours.keys()]
        if not path.startswith(".names"):
            found += [f"{path}.{key}: only ours" for key in ours.keys() - theirs.keys()]
        for key in theirs.keys() & ours.keys():
            found += differences(theirs[key], ours[key], f"{path}.{key}")
        return found
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        pairs = zip(theirs, ours, strict=True)
        each = (differences(one, other, f"{path}[{number}]") for number, (one, other) in enumerate(pairs))
        return next((found for found in each if found), [])
    return [] if theirs == ours else [f"{path}: {str(theirs)[:300]} there, {str(ours)[:300]} here"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published")
    parser.add_argument("--count", type=int, default=400)
    arguments = parser.parse_args()
    questions = make_questions(arguments.count)
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "questions.json"), Path(folder, "answers.json")
        asked.write_text(json.dumps(questions))
        subprocess.run([arguments.published, __file__, "--answer", asked, answered], check=True, cwd="/")
        theirs = json.loads(answered.read_text())
    ours = json.loads(json.dumps(answer_all(questions)))
    found = differences(theirs, ours)
    for line in found:
        print(f"language-model kit: {line}")
    observed = sum(len(game["observations"]) for game in questions["games"])
    asked_counts = f"{observed} observations, {len(questions['replies'])} replies, {len(questions['stories'])} stories"
    names = sum(map(len, theirs["names"].values()))
    print(f"language-model kit: {asked_counts}, {names} names: {len(found)} differences")
    sys.exit(bool(found))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        Path(sys.argv[3]).write_text(json.dumps(answer_all(json.loads(Path(sys.argv[2]).read_text()))))
    else:
        main()
