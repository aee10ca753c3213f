"""The report of a ladder: one HTML file that works from disk, with the viewer and the most telling replays in it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from cogames.ladder.recordings import Recording
from cogames.ladder.report_frame import built_viewer, document, replay_data, viewer_data
from cogames.ladder.report_marks import interval_axis, interval_bar, share_cell
from cogames.ladder.results import LadderResults, Pairing, Standing
from cogames.reports.html import Markup, code, facts, items, section, table, tag, text
from softmax.stats import Estimate

__all__ = ["MAX_EMBEDDED_BYTES", "render_report"]

MAX_EMBEDDED_BYTES = 24 << 20
"""most bytes of replays inside the report; the others stay files beside it"""

MEETINGS = {
    "solo": "each policy alone in every seat; the higher score on the same map wins",
    "mixed": "each policy beside the same partners; the higher score of its own cogs wins",
    "teams": "against each other in one game; they swap teams, and the higher score of both games wins",
}


def render_report(
    results: LadderResults, recordings: Sequence[Recording], *, max_embedded_bytes: int = MAX_EMBEDDED_BYTES
) -> str:
    """Return the report as HTML. All names and messages are escaped."""
    viewer = built_viewer()
    embedded = [] if viewer is None else _embedded(recordings, max_embedded_bytes)
    data = [replay_data(each.row.game, f"{each.row.title}: {each.row.caption}", each.path) for each in embedded]
    return document(
        "Ladder",
        _header(results),
        _standings(results),
        _matrix(results),
        _replays(recordings, embedded),
        _pairings(results),
        _scores(results),
        _failures(results),
        _rounds(results),
        _method(results),
        viewer=viewer,
        data=[*data, *([viewer_data(viewer)] if viewer is not None and embedded else [])],
    )


def _embedded(recordings: Sequence[Recording], limit: int) -> list[Recording]:
    """Return the recordings that fit into the report, in order."""
    chosen, size = [], 0
    for each in recordings:
        size += each.path.stat().st_size
        if size > limit:
            break
        chosen.append(each)
    return chosen


def _header(results: LadderResults) -> Markup:
    plan = results.plan
    best = results.standings[0]
    missions = ", ".join(mission["name"] for mission in plan["missions"])
    system = "round-robin" if plan["system"] == "round-robin" else f"Swiss, {plan['rounds']} rounds"
    return tag(
        "header",
        tag("h1", "Ladder: ", tag("span", best.name, class_="winner"), " leads"),
        facts(
            [
                ("Policies", len(plan["policies"])),
                ("Missions", missions),
                ("Maps per mission", plan["maps"] if plan["system"] == "round-robin" else f"{plan['maps']} a round"),
                ("System", system),
                ("Duels", len(results.duels)),
                ("Games played", results.games),
                ("Seed", plan["seed"]),
            ]
        ),
    )


def _standings(results: LadderResults) -> Markup:
    low, high = interval_axis([standing.rating for standing in results.standings])
    return section(
        "Standings",
        table(
            ("", "Policy", "Rating", "95% interval", "", "Won", "Drawn", "Lost", "Points", "Problems"),
            [
                (
                    row.rank,
                    tag("b", row.name),
                    tag("span", f"{row.rating.rating:.0f}", class_="number"),
                    interval_bar(row.rating, low, high),
                    tag("span", _rating_bounds(row), class_="number quiet"),
                    *(tag("span", value, class_="number") for value in (row.wins, row.draws, row.losses)),
                    tag("span", f"{row.points:g} of {row.duels}", class_="number"),
                    _problems(row),
                )
                for row in results.standings
            ],
        ),
        tag(
            "p",
            "Ratings are on the scale of Elo with a mean of 1500: 400 points are odds of ten to one. Where intervals "
            "overlap, more maps are needed to tell who is better.",
            class_="quiet",
        ),
    )


def _matrix(results: LadderResults) -> Markup:
    names = [standing.name for standing in results.standings]
    rows = [
        tag(
            "tr",
            tag("th", f"{place}. {name}", scope="row"),
            *(
                share_cell(share, name, other, is_self=name == other)
                for other, share in zip(names, results.matrix[place - 1], strict=True)
            ),
        )
        for place, name in enumerate(names, 1)
    ]
    head = tag("tr", tag("td"), *(tag("th", place, scope="col", title=name) for place, name in enumerate(names, 1)))
    return section(
        "Head to head",
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows), class_="matrix"), class_="wide"),
        tag("p", "Points of the row's policy against the column's, in percent of their duels.", class_="quiet"),
    )


def _replays(recordings: Sequence[Recording], embedded: Sequence[Recording]) -> Markup:
    cards = []
    for each in recordings:
        if each in embedded:
            action = tag("button", "Watch", type="button", class_="watch", data_replay=each.row.game)
        else:
            action = tag("span", "not in this page: ", code(shlex.join(["cogames", "replay", str(each.row.file)])))
        cards.append(tag("li", tag("b", each.row.title), tag("span", each.row.caption), action, class_="card"))
    if not cards:
        return section("Replays", tag("p", "No replays were recorded.", class_="quiet"))
    return section("Most telling replays", tag("ul", *cards, class_="cards"))


def _pairings(results: LadderResults) -> Markup:
    return section(
        "What decided each pairing",
        table(
            ("Pairing", "Won", "Drawn", "Lost", "Decided by", "Largest differences (first against second)"),
            [
                (
                    tag("span", tag("b", pairing.first), " – ", pairing.second, class_="pair"),
                    *(tag("span", value, class_="number") for value in (pairing.wins, pairing.draws, pairing.losses)),
                    tag("span", pairing.decided, class_="decided"),
                    _differences(pairing),
                )
                for pairing in results.pairings
            ],
        ),
        tag(
            "p",
            "Values are means of their duels; the number in brackets is the difference in standard deviations of all "
            "policies on the mission. Differences that go with the score come first.",
            class_="quiet",
        ),
    )


def _scores(results: LadderResults) -> Markup:
    missions = [mission["name"] for mission in results.plan["missions"]]
    return section(
        "Scores by mission",
        table(
            ("Policy", *missions),
            [
                (tag("b", row.name), *(_estimate(row.scores[mission]) for mission in missions))
                for row in results.standings
            ],
        ),
        tag("p", "Mean reward per cog over the maps, with its 95% interval.", class_="quiet"),
    )


def _failures(results: LadderResults) -> Markup:
    if not results.failures:
        return section("Failures", tag("p", "Every policy played every game to its end.", class_="quiet"))
    return section(
        "Failures",
        tag("p", "A policy that fails in a game loses the duel. Its cogs do nothing from then on."),
        table(
            ("Policy", "Games", "First failure"),
            [
                (
                    tag("b", failure.name),
                    f"{failure.games} of {failure.of_games}",
                    tag(
                        "span",
                        tag("span", failure.status.replace("_", " "), class_="bad"),
                        " before it started" if failure.step is None else f" at step {failure.step}",
                        ": ",
                        code(failure.message),
                    ),
                )
                for failure in results.failures
            ],
        ),
    )


def _rounds(results: LadderResults) -> Markup:
    if not results.rounds:
        return Markup("")
    return section(
        "Rounds",
        table(
            ("Round", "Pairs", "Bye"),
            [
                (played["round"], ", ".join(" – ".join(pair) for pair in played["pairs"]), played["bye"] or "")
                for played in results.rounds
            ],
        ),
    )


def _method(results: LadderResults) -> Markup:
    plan = results.plan
    seats = [
        tag(
            "span",
            tag("b", mission["name"]),
            f" ({mission['agents']} cogs, {mission['steps']} steps): {MEETINGS[mission['meeting']]}",
        )
        for mission in plan["missions"]
    ]
    packages = ", ".join(f"{name} {version}" for name, version in plan["packages"].items())
    return section(
        "How it was played",
        items(seats),
        table(
            ("Policy", "As", "Code", "Sandbox"),
            [
                (policy["name"], code(policy["policy"]), code(policy["sha256"][:12]), "yes" if isolated else "no")
                for policy, isolated in zip(plan["policies"], plan["isolate"], strict=True)
            ],
        ),
        tag("p", f"{packages}; time limit of an action {plan['action_timeout_ms']} ms.", class_="quiet"),
    )


def _problems(row: Standing) -> Markup:
    parts = [f"failed in {row.failures} games"] if row.failures else []
    parts += [f"{row.timeouts} missed deadlines"] if row.timeouts else []
    return tag("span", ", ".join(parts), class_="bad") if parts else text("")


def _rating_bounds(row: Standing) -> str:
    return "" if row.rating.low is None else f"{row.rating.low:.0f} to {row.rating.high:.0f}"


def _differences(pairing: Pairing) -> Markup:
    parts = []
    for stat in pairing.decided_by:
        parts.append(f"{stat.label} {_short(stat.first)} : {_short(stat.second)} ({stat.effect:+.1f})")
    return tag("span", "; ".join(parts), class_="differences")


def _estimate(estimate: Estimate) -> Markup:
    if estimate.mean is None:
        return tag("span", "–", class_="quiet")
    bounds = "" if estimate.low is None else f" {_short(estimate.low)} to {_short(estimate.high)}"
    return tag("span", f"{_short(estimate.mean)}", tag("span", bounds, class_="quiet"), class_="number left")


def _short(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"
