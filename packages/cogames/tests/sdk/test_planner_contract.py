"""The contract with a language model: prompts that state only known facts, and a plan for any reply."""

import json
import random

import pytest

from cogames.sdk.cogsguard import (
    JunctionSnapshot,
    PlannerDirective,
    PlannerSkillOption,
    PlannerSummary,
    SkillName,
    SkillStatus,
    StrategyMode,
    build_planner_prompt,
    parse_planner_response,
    preferred_role_for_skill,
    render_planner_library,
    render_skill_options,
)


def summary(**changes):
    fields = {
        "step": 500,
        "agent_id": 3,
        "hp": 80,
        "position": (22, -4),
        "role": "miner",
        "resource_bias": "carbon",
        "team_resources": {"carbon": 10, "oxygen": 5},
        "inventory": {"heart": 3, "carbon": 2},
        "junctions": JunctionSnapshot(friendly=3, enemy=5, neutral=2),
        "safe_distance": 12,
        "stalled": False,
        "oscillating": False,
        "has_gear": True,
        "emergency_mining": False,
    }
    return PlannerSummary(**fields | changes)


def reply(**document):
    return parse_planner_response(json.dumps(document))


def is_valid(directive):
    """Check a directive against the contract, and that it survives a round trip through JSON."""
    assert len(directive.analysis) <= 280 and len(directive.talk or "") <= 140
    assert PlannerDirective.model_validate_json(directive.model_dump_json()) == directive
    return True


@pytest.mark.parametrize("mode", list(StrategyMode))
@pytest.mark.parametrize("skill", list(SkillName))
def test_every_mode_and_skill_is_read_from_json(mode, skill):
    directive = reply(mode=mode.value, skill=skill.value, resource_bias="oxygen", talk="  go   east ", analysis="ok")
    assert (directive.mode, directive.skill, directive.resource_bias) == (mode, skill, "oxygen")
    assert (directive.talk, directive.analysis) == ("go east", "ok")


@pytest.mark.parametrize(
    "frame", ["```json\n{}\n```", "```\n{}```", "Here it is: {} Good luck!", "[{}]", "{{oops}} {}"]
)
def test_json_is_found_inside_fences_and_prose(frame):
    text = frame.replace("{}", '{"mode":"convert_frontier","skill":"get_heart"}')
    directive = parse_planner_response(text)
    assert (directive.mode.value, directive.skill.value, directive.analysis) == ("convert_frontier", "get_heart", "")


def test_the_first_json_object_counts():
    text = '{"mode":"convert_frontier","skill":"explore"} {"mode":"recover_and_bank","skill":"retreat"}'
    assert parse_planner_response(text).skill is SkillName.EXPLORE


@pytest.mark.parametrize(
    ("text", "mode", "skill"),
    [
        ("align_frontier, then explore", "convert_frontier", "align_frontier"),
        ("recover_and_bank", "recover_and_bank", "deposit_resources"),
        ('{"mode":"scramble_pressure","skill":"scramble_fr', "scramble_pressure", "scramble_frontier"),
        ('{"mode":"scramble_pressure","skill":"get_heart","extra":1}', "scramble_pressure", "get_heart"),
        ('{"skill":"unstuck"}', "recover_and_bank", "unstuck"),
        ("I would rather not say.", "frontier_expand", "explore"),
        ("", "frontier_expand", "explore"),
    ],
)
def test_other_replies_are_scanned_for_known_words(text, mode, skill):
    directive = parse_planner_response(text)
    assert (directive.mode.value, directive.skill.value, directive.analysis) == (mode, skill, text)


def test_a_cut_reply_keeps_its_bias():
    assert (
        parse_planner_response('{"skill":"mine_biased_resource","resource_bias": "silicon","ana').resource_bias
        == "silicon"
    )
    assert parse_planner_response("mine_biased_resource silicon").resource_bias is None


def test_long_texts_are_cut():
    directive = reply(mode="frontier_expand", skill="explore", talk="t" * 500, analysis="a" * 500)
    assert (len(directive.talk), len(directive.analysis)) == (140, 280)


def test_nested_json_without_end_is_no_error():
    assert is_valid(parse_planner_response('{"a":' * 100_000 + "get_heart"))


def test_any_text_gives_a_valid_plan():
    rng = random.Random(7)
    pieces = [
        *(mode.value for mode in StrategyMode),
        *(skill.value for skill in SkillName),
        *'{ } [ ] " : , ``` null NaN Infinity -1e999 \\u0000 \\ud800'.split(),
        *(
            '"mode"',
            '"skill"',
            '"talk"',
            '"analysis"',
            '"resource_bias":',
            '"carbon"',
            "\ud800",
            "\x00",
            "\n",
            "😀",
            " ",
        ),
        *('{"mode":"frontier_expand",', '"skill":"explore"', '"talk":"\\ud800"}', '"analysis":"' + "z" * 300 + '"}'),
    ]
    for _ in range(5_000):
        assert is_valid(parse_planner_response("".join(rng.choices(pieces, k=rng.randrange(20)))))
    for _ in range(1_000):
        letters = (chr(rng.randrange(0x110000)) for _ in range(rng.randrange(60)))
        assert is_valid(parse_planner_response("".join(letters)))


def test_a_directive_rejects_unknown_values_and_fields():
    for document in (
        {"mode": "economy_bootstrap", "skill": "explore"},
        {"mode": "frontier_expand", "skill": "dance"},
        {"mode": "frontier_expand", "skill": "explore", "resource_bias": "gold"},
        {"mode": "frontier_expand", "skill": "explore", "speed": 3},
    ):
        with pytest.raises(ValueError, match="1 validation error"):
            PlannerDirective.model_validate(document)


def test_the_prompt_shows_the_situation():
    options = [
        PlannerSkillOption(name=SkillName.EXPLORE, status=SkillStatus.READY, reason="unseen cells"),
        PlannerSkillOption(
            name=SkillName.ALIGN_FRONTIER, status=SkillStatus.SETUP, reason="needs a heart", preferred_role="aligner"
        ),
    ]
    prompt = build_planner_prompt(
        summary(
            strategy_mode=StrategyMode.RECOVER_AND_BANK,
            active_skill=SkillName.MINE_BIASED_RESOURCE,
            active_skill_steps=12,
            recent_events=["heart_lost: one heart less"],
            skill_options=options,
            visible_talk=["agent-3: I take the east"],
            talk_enabled=True,
            talk_cooldown_steps=8,
        )
    )
    for line in (
        "Agent 3: HP=80, Hearts=3, Role=miner",
        "Current mode: recover_and_bank",
        "Current active skill: mine_biased_resource (steps=12)",
        "Last skill exit: none",
        "Team resources: carbon=10, oxygen=5",
        "Junctions: friendly=3 enemy=5 neutral=2",
        "Visible teammate talk: agent-3: I take the east",
        "Talk enabled: True, talk cooldown steps: 8",
        "- heart_lost: one heart less",
        "- explore [ready]: unseen cells",
        "- align_frontier [setup, role=aligner]: needs a heart",
    ):
        assert line in prompt.splitlines()
    example = next(line for line in prompt.splitlines() if line.startswith("{"))
    assert PlannerDirective.model_validate_json(example).skill is SkillName.ALIGN_FRONTIER


def test_the_prompt_states_sizes_only_if_they_are_known():
    plain = build_planner_prompt(summary()).splitlines()[0]
    assert plain == "Cogs vs Clips, step 500."
    known = build_planner_prompt(summary(max_steps=900, episode_percent=55, map_size=(50, 40))).splitlines()[0]
    assert known == "Cogs vs Clips, step 500 of 900 (55% of the episode). Map: 50x40 cells."


def test_the_library_lists_every_choice():
    lines = render_planner_library().splitlines()
    for choice in (*StrategyMode, *SkillName, *SkillStatus):
        assert any(line.startswith(f"- {choice.value}: ") for line in lines)
    assert render_skill_options([]) == "SKILL_OPTIONS\n- none"


def test_skills_name_the_role_they_need():
    assert preferred_role_for_skill(SkillName.GET_HEART) == "aligner"
    assert preferred_role_for_skill(SkillName.EXPLORE) is preferred_role_for_skill(None) is None
