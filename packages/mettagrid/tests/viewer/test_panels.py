"""What each panel shows in a real browser is what the engine said at that tick."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from mettagrid.viewer import ReplayServer

from .conftest import STEPS, TICK, Visit, Watched, visiting

pytestmark = pytest.mark.slow

AGENT = 1


@pytest.fixture(scope="module")
def at_tick(browser: object, served: ReplayServer) -> Iterator[Visit]:
    """The watched episode at TICK with an agent selected."""
    with visiting(browser) as go:  # type: ignore[arg-type]
        found = go(served.address)
        found.seek(TICK)
        for _ in range(AGENT + 1):
            found.page.keyboard.press(".")
        yield found


def number(text: str) -> float:
    """A number as the page writes it, with thin spaces between thousands."""
    return float(text.replace("\u2009", ""))


def junctions(watched: Watched, team: str) -> int:
    return watched.held[TICK][team]


def test_the_corner_shows_the_score(at_tick: Visit, watched: Watched) -> None:
    for team in ("cogs", "clips"):
        assert int(at_tick.text(f"[data-testid=hud] [data-team={team}] b")) == junctions(watched, team)


def test_the_object_panel_shows_an_agent_as_the_engine_has_it(at_tick: Visit, watched: Watched) -> None:
    at_tick.panel("sight")
    at_tick.panel("agent")
    said = watched.agent(TICK, AGENT)
    assert at_tick.text("[data-testid=object-title]") == f"Agent {AGENT}"
    assert at_tick.text("[data-fact=place]") == "{}, {}".format(*said["location"])
    assert at_tick.text("[data-fact=id]") == str(said["id"])
    action = watched.replay.action_names[said["last_action_id"]]
    assert at_tick.text("[data-fact=action]").removesuffix(" (failed)") == action
    assert number(at_tick.text("[data-fact='total reward']")) == pytest.approx(watched.totals[TICK][AGENT], abs=1e-3)
    names = watched.config.game.resource_names
    shown = {
        item.get_attribute("data-item"): int(item.get_attribute("data-amount") or 0)
        for item in at_tick.page.locator("[data-part=Carries] [data-item]").all()
    }
    assert shown == {names[resource]: amount for resource, amount in said["inventory"].items()}
    limit = said["inventory_capacities"][names.index("hp")]
    assert at_tick.text("[data-bar=hp]") == f"{watched.amount(TICK, said['id'], 'hp')} / {limit}"
    role = next((name for name in ("aligner", "scrambler", "miner", "scout") if name in shown), "none")
    assert at_tick.text("[data-fact=role]") == role
    assert at_tick.text("[data-fact=policy_name]") == "starter"


def test_the_observation_panel_decodes_the_tokens_that_the_agent_got(at_tick: Visit, watched: Watched) -> None:
    at_tick.panel("sight")
    rows = at_tick.page.locator("[data-token]").evaluate_all("rows => rows.map(row => row.dataset.token)")
    shown = sorted(tuple(map(int, row.split(","))) for row in rows)
    observed = watched.observations[TICK][AGENT].tolist()
    assert shown == sorted(tuple(token) for token in observed if token[1] != 255)
    team = watched.replay.tag_names.index("team:cogs")
    tag = next(token for token in observed if token[0] == 0x66 and token[2] == team)
    assert at_tick.texts(f"[data-token='{','.join(map(str, tag))}'] td") == ["itself", "tag", str(team), "team:cogs"]


def test_charts_show_what_teams_held_and_earned(at_tick: Visit, watched: Watched) -> None:
    at_tick.panel("charts")
    for team in ("cogs", "clips"):
        assert number(at_tick.text(f"[data-chart='junctions held'] [data-line={team}]")) == junctions(watched, team)
    reward = number(at_tick.text("[data-chart='reward per agent'] [data-line=cogs]"))
    assert reward == pytest.approx(watched.totals[TICK].mean(), abs=1e-3)
    stored = sum(
        watched.amount(TICK, number, "carbon")
        for number, item in watched.states[TICK].items()
        if item["type_name"] == "hub"
    )
    assert number(at_tick.text("[data-chart=carbon] [data-line='cogs stored']")) == stored
    carried = sum(watched.amount(TICK, watched.agent(TICK, agent)["id"], "heart") for agent in range(8))
    assert number(at_tick.text("[data-chart=heart] [data-line='cogs carried']")) == carried


def test_heat_maps_count_visits_captures_and_deaths(at_tick: Visit, watched: Watched) -> None:
    at_tick.seek(STEPS)
    at_tick.panel("heat")
    visits: Counter[tuple[int, int]] = Counter(watched.places[0])
    for before, now in zip(watched.places, watched.places[1:], strict=False):
        visits.update(place for place, last in zip(now, before, strict=True) if place != last)
    at_tick.page.click("[data-part=Kind] [data-value=visits]")
    assert int(at_tick.text("[data-testid=heat-most]")) == max(visits.values())
    assert all(visits[cell] == count for cell, count in cells(at_tick))
    deaths = Counter(
        watched.places[tick][agent]
        for tick in range(1, STEPS + 1)
        for agent in range(8)
        if watched.health[tick][agent] == 0 < watched.health[tick - 1][agent]
    )
    assert deaths
    at_tick.page.click("[data-part=Kind] [data-value=deaths]")
    assert sum(count for _, count in cells(at_tick)) == min(deaths.total(), 12)
    assert all(deaths[cell] == count for cell, count in cells(at_tick))
    at_tick.page.click("[data-part=Kind] [data-value=captures]")
    # Nothing takes a junction from the clips here, so all that they took they hold.
    taken = watched.stats[STEPS]["cogs/aligned.junction.gained"] + watched.held[STEPS]["clips"]
    assert int(re.sub(r"\D", "", at_tick.text("p:has-text('so far')"))) == taken
    at_tick.page.keyboard.press("h")
    at_tick.seek(TICK)


def cells(found: Visit) -> list[tuple[tuple[int, int], int]]:
    """[((column, row), count)] of the cells that the panel lists."""
    told = found.page.locator("[data-cell]").evaluate_all("rows => rows.map(r => [r.dataset.cell, r.dataset.count])")
    return [((int(cell.split(",")[0]), int(cell.split(",")[1])), int(count)) for cell, count in told]


def test_events_are_where_the_engine_changed_hands(at_tick: Visit, watched: Watched) -> None:
    at_tick.panel("events")
    captures = [int(tick) for tick in at_tick.texts(".event[data-kind=capture] .event-tick")]
    losses = [int(tick) for tick in at_tick.texts(".event[data-kind=loss] .event-tick")]
    for tick in range(1, STEPS + 1):
        changes = {team: watched.held[tick][team] - watched.held[tick - 1][team] for team in ("cogs", "clips")}
        assert captures.count(tick) - losses.count(tick) == sum(changes.values()), f"tick {tick}"
    waves = [int(tick) for tick in at_tick.texts(".event[data-kind=wave] .event-tick")]
    grew = [t for t in range(1, STEPS + 1) if watched.held[t]["clips"] > watched.held[t - 1]["clips"]]
    assert waves == grew
    at_tick.page.locator(".event[data-kind=wave]").first.click()
    assert at_tick.page.input_value("[data-testid=tick]") == str(waves[0])
    at_tick.seek(TICK)


def test_search_finds_what_the_engine_has(at_tick: Visit, watched: Watched) -> None:
    at_tick.panel("search")
    at_tick.page.fill("input[type=search]", "junction team:cogs")
    assert at_tick.text("[data-testid=search-count]") == f"{junctions(watched, 'cogs')} found at tick {TICK}"
    ids = at_tick.page.locator(".row-button[data-id]").evaluate_all("rows => rows.map(r => Number(r.dataset.id))")
    said = watched.states[TICK]
    assert set(ids) == {
        n for n, item in said.items() if item["type_name"] == "junction" and "team:cogs" in watched.tags(TICK, n)
    }
    extractors = [n for n, item in said.items() if item["type_name"] == "carbon_extractor"]
    few = [n for n in extractors if watched.amount(TICK, n, "carbon") < 200]
    at_tick.page.fill("input[type=search]", "carbon_extractor carbon<200")
    assert at_tick.text("[data-testid=search-count]").startswith(f"{len(few)} found")


def test_the_score_panel_adds_up_what_teams_have(at_tick: Visit, watched: Watched) -> None:
    at_tick.panel("score")
    assert at_tick.text("[data-team=cogs] [data-fact='junctions held']") == str(junctions(watched, "cogs"))
    assert at_tick.text("[data-team=clips] [data-fact=ship]") == "4"
    oxygen = at_tick.page.locator("[data-team=cogs] [data-item=oxygen]").first.get_attribute("data-amount")
    hub = next(n for n, item in watched.states[TICK].items() if item["type_name"] == "hub")
    assert int(oxygen or -1) == watched.amount(TICK, hub, "oxygen")


def test_the_stats_panel_shows_now_and_the_end(at_tick: Visit, watched: Watched) -> None:
    at_tick.panel("stats")
    name = "cogs/aligned.junction.held"
    _, now, end = at_tick.texts(f"[data-stat='{name}'] td")
    assert (number(now), number(end)) == (watched.stats[TICK][name], watched.stats[STEPS][name])
    at_tick.page.select_option("select[aria-label='Stats of']", str(AGENT))
    stats = watched.replay.stats["agent"][AGENT]
    _, moved = at_tick.texts("[data-stat='action.move.success'] td")
    assert number(moved) == stats["action.move.success"]


def test_the_about_panel_says_what_the_replay_is(at_tick: Visit, watched: Watched) -> None:
    at_tick.panel("info")
    assert at_tick.text("[data-fact=mission]") == "machina_1"
    assert at_tick.text("[data-fact=steps]") == f"{STEPS} of {STEPS}"
    assert at_tick.text("[data-fact=starter]") == "agents 0, 1, 2, 3, 4, 5, 6, 7"
    at_tick.page.click("[data-part=Config] summary")
    at_tick.page.wait_for_selector("[data-part=Config] .json-leaf")
    assert 'label: "machina_1"' in at_tick.texts("[data-part=Config] .json-leaf")


def test_the_published_format_shows_the_same(
    visit: Callable[..., Visit], watched: Watched, replay_files: dict[str, object]
) -> None:
    from mettagrid.viewer import serve

    with serve(replay_files["v4"]) as server:  # type: ignore[arg-type]
        found = visit(f"{server.address}#tick={TICK}&select={watched.agent(TICK, AGENT)['id']}")
        assert found.text("[data-fact=place]") == "{}, {}".format(*watched.agent(TICK, AGENT)["location"])
        assert int(found.text("[data-testid=hud] [data-team=cogs] b")) == junctions(watched, "cogs")
