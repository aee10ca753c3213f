"""`docs`, and whether the mission briefing says what the game does."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from cogames import missions
from cogames.docs import DOCUMENTS, read_document

ELEMENTS = ("carbon", "oxygen", "germanium", "silicon")
NAMES = """
    amongthem_policy evaluate_policy mission policy_secrets readme scripted_agent submit_policy technical_manual
    train_policy train_specialist write_policy
""".split()
ROLES = ("aligner", "scrambler", "miner", "scout")


def test_documents_are_listed(cogames: Any) -> None:
    ran = cogames("docs")
    assert ran.code == 0
    names = [line.split()[0] for line in ran.out.splitlines()[2:]]
    assert names == NAMES


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_printed_as_it_is(cogames: Any, name: str) -> None:
    ran = cogames("docs", name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("# ") and ran.out == read_document(name)


def test_an_unknown_document_is_refused(cogames: Any) -> None:
    ran = cogames("docs", "novel")
    assert (ran.code, ran.out, ran.error) == (1, "", "Error: Unknown document 'novel'")
    assert ran.hints == [f"documents: {', '.join(NAMES)}"]


@pytest.mark.parametrize("mission", ["arena", "machina_1"])
def test_every_number_of_the_briefing_is_that_of_the_game(mission: str) -> None:
    text = " ".join(re.sub(r"`[^`]*`", "", read_document("mission")).split())
    for fact in facts(missions.load(mission).game):
        assert fact in text, fact
        text = text.replace(fact, "", 1)
    assert not re.findall(r"[^.]{0,40}\d[^.]{0,20}", text)


def facts(game: Any) -> Iterator[str]:
    """Everything in the briefing that has a number, made from the configuration."""
    cog, hub, junction = game.agents[0], game.objects["c:hub"], game.objects["junction"]
    start, limits = cog.inventory.initial, cog.inventory.limits
    base = {name: limit.base for name, limit in limits.items()}
    yield f"health () | {base['hp']} | {start['hp']} |"
    yield f"energy | {base['energy']} | {start['energy']}, of which all above the limit"
    yield f"all four elements together | {base['cargo']} | none |"
    yield f"hearts | {base['heart']} | none |"
    yield f"gear | {base['gear']} piece | none |"

    upkeep = handler(cog.on_tick, "hp_regen").mutations[0].deltas["hp"]
    yield f"Health falls by {-upkeep} per step."
    presence = game.territories["team_territory"].presence
    healed = presence["heal_hp"].mutations[0].deltas["hp"]
    assert presence["heal_energy"].mutations[0].deltas["energy"] == healed
    yield f"up to {healed} of each per step"
    yield f"health falls by {-presence['damage_strangers'].mutations[0].deltas['hp']} more per step"
    yield f"a price of {game.actions.move.consumed_resources['energy']} energy on paper"
    day, night = game.events["day"], game.events["night"]
    sun = start["solar"]
    yield f"The sun gives {sun} energy per step by night and {sun + day.mutations[0].deltas['solar']} by day"
    assert day.timesteps[1] - day.timesteps[0] == 2 * (night.timesteps[0] - day.timesteps[0])
    yield f"day and night last {night.timesteps[0] - day.timesteps[0]} steps each"

    extractor = game.objects["carbon_extractor"]
    extracted = {h.name: h.mutations[-1].resources["carbon"] for h in extractor.on_use_handler.handlers}
    extra = {
        "aligner": "can align junctions",
        "scrambler": f"can scramble junctions; health up to {limits['hp'].modifiers['scrambler']}",
        "miner": f"cargo up to {limits['cargo'].modifiers['miner']}, and {extracted['miner_extract']} per bump of an "
        f"extractor instead of {extracted['extract']}",
        "scout": f"health up to {limits['hp'].modifiers['scout']}, energy up to {limits['energy'].modifiers['scout']}",
    }
    for role in ROLES:
        cost = handler(game.objects[f"c:{role}"].on_use_handler, "change_gear").mutations[1].deltas
        yield f"| {role} | {' | '.join(str(-cost[element]) for element in ELEMENTS)} | {extra[role]} |"

    yield f"hold {extractor.inventory.initial['carbon']} of one element"
    stock = {hub.inventory.initial[element] for element in ELEMENTS}
    assert len(stock) == 1
    each = stock.pop()
    yield f"starts with {each} of each element for a team of {game.num_agents} ({each // game.num_agents} for each cog)"
    yield f"and with {hub.inventory.initial['heart']} hearts"
    price = {-handler(hub.on_use_handler, "make_and_get_heart").mutations[0].deltas[element] for element in ELEMENTS}
    assert len(price) == 1
    yield f"one is made from {price.pop()} of each element"
    yield f"already has {base['heart']} hearts"

    align, scramble = (handler(junction.on_use_handler, name) for name in ("align_cogs", "scramble_clips"))
    near_network, near_hub = (part.radius for part in align.filters[-1].inner)
    yield f"within {near_network} cells of your network or within {near_hub} of your hub (distances are straight lines)"
    for use in (align, scramble):
        yield f"It costs {-use.mutations[0].deltas['heart']} heart."
    yield f"linked to it by steps of at most {max(near_network, near_hub)} cells"
    claims = [thing.territory_controls[0].strength for thing in (junction, hub)]
    yield f"claims the cells closer than {claims[0]}, the hub those closer than {claims[1]}"

    ships = [name for name in game.objects if name.startswith("clips:ship")]
    lanes = [event for name, event in game.events.items() if name.startswith("neutral_to_clips")]
    first, second = lanes[0].timesteps[:2]
    assert len(lanes) == len(ships) and lanes[0].max_targets == 1
    yield f"{len(ships)} ships lie at the corners"
    yield f"From step {first} on, every {second - first} steps"
    yield f"within {lanes[0].target_query.filters[-1].radius} cells of the ship"
    yield f"hold {len(ships)} junctions after step {first}, {2 * len(ships)} after step {second}"

    yield f"A window of {game.obs.width}x{game.obs.height} cells"
    yield f"at most {game.obs.num_tokens} tokens"
    half = game.num_agents // 2
    for element in ELEMENTS:
        costs = [handler(game.objects[f"c:{role}"].on_use_handler, "change_gear") for role in ("miner", "aligner")]
        assert -half * sum(cost.mutations[1].deltas[element] for cost in costs) <= each
    yield f"pays for {half} miners and {half} aligners"
    yield f"the {hub.inventory.initial['heart']} free hearts align {hub.inventory.initial['heart']} junctions"


def handler(table: Any, name: str) -> Any:
    return next(found for found in table.handlers if found.name == name)
