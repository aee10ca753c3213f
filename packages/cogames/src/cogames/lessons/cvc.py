"""The course `cvc`: roles, territory, networks, the Clips, and a team."""

from __future__ import annotations

from cogames.lessons.checks import (
    ALIGNED,
    MOVED,
    SCRAMBLED,
    all_of,
    cannot_act,
    cannot_equip,
    deposits,
    did,
    is_at,
    mark,
    point,
    thing_at,
    with_gear,
    yes,
)
from cogames.lessons.drawing import Drawing, LessonMission
from cogames.lessons.keys import Keys
from cogames.lessons.lesson import Goal, Highlight, Lesson
from cogames.lessons.rules import read_rules
from cogames.lessons.view import Cell, LessonView
from cogsguard.game.clips import ClipsConfig
from cogsguard.names import ELEMENTS

__all__ = ["network", "roles", "team", "territory", "waves"]

PLENTY = dict.fromkeys(ELEMENTS, 60)
NEVER = 1_000_000
IDLE_CLIPS = ClipsConfig(align_start=NEVER, scramble_start=NEVER)  # disabled clips would have no network
EASY_TRIP = 3
"""cells to drive a cog for it to count as driven"""
SIGNAL = "heart"


def roles(keys: Keys) -> Lesson:
    drawing = Drawing("""
##############################
#.C..........................#
#........................+.x.#
#.@..........................#
#...&........................#
#...............J............#
#.a.r.m.t..........0.........#
#.S..........................#
##############################
""")
    mission = LessonMission.draw("roles", drawing, hub=PLENTY, hearts=5, clips=IDLE_CLIPS)
    rules = read_rules(mission)
    junction = drawing.cell("+")
    lookout = drawing.cell("x")
    return Lesson(
        name="roles",
        title="Roles",
        briefing="Gear decides what a cog can do. Play all four roles once.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Miner: feed the hub",
                text=f"A miner takes {rules.miner_extract} at a time and carries {rules.miner_cargo}. "
                f"Take miner gear and bring {rules.miner_extract} elements home.",
                hint="The stations stand south of the hub; carbon and silicon are near it.",
                progress=lambda now, start: all_of(
                    [did("miner.gained")(now, start), sum(deposits(now, start).values()) / rules.miner_extract]
                ),
                highlight=with_gear(
                    "miner",
                    lambda now, start: point(*["hub"] if now.cog.cargo else ["carbon_extractor", "silicon_extractor"])(
                        now, start
                    ),
                    heart=False,
                ),
                lost=cannot_equip(rules, "miner"),
            ),
            Goal(
                title="Aligner: take a junction",
                text="An aligner with a heart takes junctions for the team. Align the neutral one in the east.",
                hint="Station, hub for a heart, junction: the mark on the map shows what comes next.",
                progress=lambda now, start: yes(now.at(junction).is_ours and did(ALIGNED)(now, start) >= 1),
                highlight=with_gear("aligner", thing_at(junction)),
                lost=cannot_act(rules, "aligner"),
            ),
            Goal(
                title="Scrambler: free a junction",
                text="A scrambler with a heart makes a junction of the Clips neutral. It also has "
                f"{rules.hp_with['scrambler']} hp. Scramble the one beside their ship.",
                hint="Change gear at the station, take a heart at the hub.",
                progress=did(SCRAMBLED),
                highlight=with_gear("scrambler", _of_the_clips),
                lost=cannot_act(rules, "scrambler"),
            ),
            Goal(
                title="Scout: go far",
                text=f"A scout has no ability except endurance: {rules.hp_with['scout']} hp instead of {rules.hp}. "
                "Take scout gear and walk to the look-out in the east.",
                hint="Every team needs a cog that knows where things are.",
                progress=lambda now, start: all_of(
                    [
                        did("scout.gained")(now, start),
                        yes(now.cog.has("scout") > 0),
                        max(is_at(lookout)(now, start), 0.0),
                    ]
                ),
                highlight=with_gear("scout", mark(lookout), heart=False),
                lost=cannot_equip(rules, "scout"),
            ),
        ),
    )


def territory(keys: Keys) -> Lesson:
    drawing = Drawing("""
##################################################
#................................................#
#..@.............................................#
#...&......................+..................0..#
#................................................#
#.a.r.m.t........................................#
##################################################
""")
    mission = LessonMission.draw("territory", drawing, hub=PLENTY, hearts=5, clips=IDLE_CLIPS)
    rules = read_rules(mission)
    junction = drawing.cell("+")
    hub, ship = drawing.cell("&"), drawing.cell("0")
    enemy_step = rules.upkeep + rules.enemy_damage

    return Lesson(
        name="territory",
        title="Territory",
        briefing="Hubs, junctions and ships own the ground around them. Own ground heals, other ground wears you down.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Leave home",
                text=f"The hub owns the ground around it, nearly {rules.hub_territory} cells far. There you are healed "
                f"in every step; outside, a step costs {rules.upkeep} hp. Walk east, out of it.",
                hint=f"To see territory: {keys.territory}.",
                progress=lambda now, start: (
                    yes(now.cog.territory != "ours")
                    or _share_of_way(start.cog.cell[0], hub[0] + rules.hub_territory, now.cog.cell[0])
                ),
                highlight=mark((hub[0] + rules.hub_territory, hub[1] - 1)),
            ),
            Goal(
                title="Enter enemy ground",
                text=f"The ship in the east owns the ground less than {rules.junction_territory} cells around it. "
                f"There a step costs {enemy_step} hp. Go in, and watch your hp.",
                hint="At 0 hp a cog loses its gear and its hearts, but it can still walk.",
                progress=lambda now, start: (
                    yes(now.cog.territory == "theirs")
                    or _share_of_way(start.cog.cell[0], ship[0] - rules.junction_territory, now.cog.cell[0])
                ),
                highlight=lambda now, start: Highlight(objects=tuple(thing.id for thing in now.of_kind("ship"))),
            ),
            Goal(
                title="Come back and heal",
                text="Go home. The first step onto your own ground gives your hp back.",
                hint="West.",
                progress=lambda now, start: (
                    yes(now.cog.territory == "ours" and now.cog.has("hp") >= rules.hp)
                    or _share_of_way(start.cog.cell[0], hub[0], now.cog.cell[0])
                ),
                highlight=point("hub"),
            ),
            Goal(
                title="Make ground your own",
                text=f"A junction you hold owns the ground less than {rules.junction_territory} cells around it, and "
                "heals you there. Take aligner gear and a heart, and align the junction half-way.",
                hint="The station and the hub are at the west end.",
                progress=lambda now, start: yes(now.at(junction).is_ours and did(ALIGNED)(now, start) >= 1),
                highlight=with_gear("aligner", thing_at(junction)),
                lost=cannot_act(rules, "aligner"),
            ),
        ),
    )


def network(keys: Keys) -> Lesson:
    drawing = Drawing("""
################################################################
#..............................................................#
#...@..........................................................#
#.....&.......................J..............J.............0...#
#..............................................................#
#..a.r.m.t.....................................................#
################################################################
""")
    mission = LessonMission.draw("network", drawing, hub=PLENTY, hearts=8, clips=IDLE_CLIPS)
    rules = read_rules(mission)
    near, far = drawing.cells("J")

    def cut(now: LessonView, start: LessonView) -> float:
        free = sum(not now.at(cell).is_theirs for cell in (near, far))
        return all_of([free / 2, did(SCRAMBLED)(now, start)])

    def align(cell: Cell, title: str, text: str, hint: str) -> Goal:
        return Goal(
            title=title,
            text=text,
            hint=hint,
            progress=lambda now, start: yes(now.at(cell).is_ours and did(ALIGNED)(now, start) >= 1),
            highlight=with_gear("aligner", thing_at(cell)),
            lost=cannot_act(rules, "aligner"),
        )

    return Lesson(
        name="network",
        title="The network",
        briefing="Junctions count while a chain joins them to their hub, or to a ship. A cut chain is lost at once.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Cut the chain",
                text="The Clips hold two junctions. The western one is linked through the eastern one to the ship. "
                "Scramble the eastern one: both turn neutral, for one heart.",
                hint="Take scrambler gear and a heart. Walk past the first junction to the second.",
                progress=cut,
                highlight=with_gear(
                    "scrambler", lambda now, start: thing_at(far if now.at(far).is_theirs else near)(now, start)
                ),
                lost=cannot_act(rules, "scrambler"),
            ),
            align(
                near,
                "Begin your own",
                f"Now build. Align the western junction: it is {near[0] - drawing.cell('&')[0]} cells from the hub, "
                f"and {rules.hub_reach} is the limit.",
                "Aligner gear, and two hearts, for the next one too.",
            ),
            align(
                far,
                "Carry it on",
                f"Align the eastern one. It is too far from the hub, but {far[0] - near[0]} cells from your first, and "
                f"{rules.network_reach} is the limit. If that one falls, this one falls with it.",
                "Keep chains short, or join junctions in more than one way.",
            ),
        ),
    )


def waves(keys: Keys) -> Lesson:
    drawing = Drawing("""
########################################
#C....................................G#
#......................................#
#..@...................................#
#....&.......+........+..............0.#
#......................................#
#..a.r.m.t.............................#
#O....................................S#
########################################
""")
    often = ClipsConfig(align_start=80, align_interval=60, scramble_start=80, scramble_interval=60)
    mission = LessonMission.draw("waves", drawing, hub=PLENTY, hearts=12, clips=often)
    rules, usual = read_rules(mission), ClipsConfig()
    cells = drawing.cells("+")

    def held(now: LessonView) -> list[bool]:
        return [now.at(cell).is_ours for cell in cells]

    def is_alone(now: LessonView) -> bool:
        return any(now.at(cell).is_ours and not now.at(cell).is_theirs for cell in cells)

    def is_shared(now: LessonView) -> bool:
        return any(now.at(cell).is_ours and now.at(cell).is_theirs for cell in cells)

    return Lesson(
        name="waves",
        title="The Clips",
        briefing="The Clips attack in waves. They follow a fixed schedule: their ships take junctions at set steps.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Hold both junctions",
                text=f"A wave comes at step {rules.first_wave} and then every {rules.wave_interval} steps "
                f"(in the game: {usual.scramble_start} and {usual.scramble_interval}). Align both junctions.",
                hint="Aligner gear, two hearts, then east. More hearts now save a walk later.",
                progress=lambda now, start: all_of([*map(yes, held(now)), did(ALIGNED)(now, start)]),
                highlight=with_gear("aligner", _not_ours),
                lost=cannot_act(rules, "aligner"),
            ),
            Goal(
                title="Answer with a scrambler",
                text="In a wave each ship takes the nearest junction it reaches, yours too. "
                "When they have one, make it neutral with a scrambler and a heart.",
                hint=f"Get the gear while you wait. To let time pass: {keys.wait}.",
                progress=did(SCRAMBLED),
                highlight=with_gear("scrambler", _of_the_clips),
                lost=cannot_act(rules, "scrambler"),
            ),
            Goal(
                title="Take it back",
                text="Both sides can take a neutral junction. Align it before the next wave, so that only you hold it. "
                "If the Clips were quicker, scramble it once more.",
                hint="Aligner gear and a heart.",
                progress=lambda now, start: yes(
                    is_alone(now) and did(ALIGNED)(now, start) + did(SCRAMBLED)(now, start) >= 1
                ),
                highlight=lambda now, start: with_gear(
                    "aligner" if _neutral(now, start).objects else "scrambler",
                    _neutral if _neutral(now, start).objects else _of_the_clips,
                )(now, start),
                lost=cannot_act(rules, "aligner"),
            ),
            Goal(
                title="The short answer",
                text="An aligner may also take a junction while the Clips hold it. Then it counts for both sides, "
                "and the Clips leave it alone; but its ground still counts for them. Do it after the next wave.",
                hint=f"Wait until a junction is theirs. To let time pass: {keys.wait}.",
                progress=lambda now, start: yes(is_shared(now) and did(ALIGNED)(now, start) >= 1),
                highlight=with_gear("aligner", _not_ours),
                lost=cannot_act(rules, "aligner"),
            ),
        ),
    )


def team(keys: Keys) -> Lesson:
    drawing = Drawing("""
########################
#C....................O#
#......................#
#....+............+....#
#......................#
#..........@...........#
#.........@&@..........#
#......................#
#........a.r.m.t.......#
#......................#
#G....................S#
########################
""")
    mission = LessonMission.draw("team", drawing, hearts=0)
    rules = read_rules(mission)
    cells = drawing.cells("+")

    def drives_another(now: LessonView, start: LessonView) -> float:
        """Return progress towards moving a miner that the player had not driven before this goal."""
        ways = [
            now.deeds[cog.agent_id].get(MOVED, 0) / EASY_TRIP
            for cog in now.cogs[1:]
            if start.deeds[cog.agent_id].get(MOVED, 0) < EASY_TRIP
        ]
        return max(ways, default=0.0)

    def not_driven(now: LessonView, start: LessonView) -> Highlight:
        left = [cog for cog in now.cogs[1:] if start.deeds[cog.agent_id].get(MOVED, 0) < EASY_TRIP]
        return Highlight(objects=tuple(cog.id for cog in left))

    def signals(now: LessonView, start: LessonView) -> float:
        changed = did("action.change_vibe.success")(now, start) >= 1
        return yes(changed and any(cog.vibe == SIGNAL for cog in now.cogs))

    return Lesson(
        name="team",
        title="The team",
        briefing="Three cogs: one is yours, two are miners that play by themselves. You may take over any of them.",
        make_env=mission.make_env,
        seats=("noop", "miner", "miner"),
        goals=(
            Goal(
                title="Take over a miner",
                text=f"Drive one of the two miners for {EASY_TRIP} steps: {keys.take_over}.",
                hint="A cog you have taken over waits for you. Its policy does nothing with it until you hand it back.",
                progress=drives_another,
                highlight=not_driven,
            ),
            Goal(
                title="Change over",
                text=f"Hand it back: {keys.hand_back}. Then drive the other miner for {EASY_TRIP} steps.",
                hint="A policy continues from wherever you leave its cog.",
                progress=drives_another,
                highlight=not_driven,
            ),
            Goal(
                title="Give a signal",
                text=f"Vibes are signals that other cogs see. Let a cog of yours show `{SIGNAL}`: {keys.vibe}.",
                hint="A vibe changes nothing in the game. The miners here do not look; your own policies may.",
                progress=signals,
            ),
            Goal(
                title="Win together",
                text=f"The hub has no hearts. Hand the miners back: they bring elements, {rules.heart_cost} of each "
                "make a heart. Become an aligner and align both junctions yourself.",
                hint="Take the gear first. Walk into the hub with empty hands whenever it can pay for a heart.",
                progress=lambda now, start: all_of(
                    [*(yes(now.at(cell).is_ours) for cell in cells), did(ALIGNED, len(cells))(now, start)]
                ),
                highlight=with_gear("aligner", _not_ours),
                lost=cannot_act(rules, "aligner"),
            ),
        ),
    )


def _share_of_way(start: int, end: int, now: int) -> float:
    """Return the travelled fraction of the way along a row of cells, at most 0.99."""
    return min(max((now - start) / ((end - start) or 1), 0.0), 0.99)


def _of_the_clips(now: LessonView, start: LessonView) -> Highlight:
    return Highlight(objects=tuple(thing.id for thing in now.of_kind("junction") if thing.is_theirs))


def _not_ours(now: LessonView, start: LessonView) -> Highlight:
    return Highlight(objects=tuple(thing.id for thing in now.of_kind("junction") if not thing.is_ours))


def _neutral(now: LessonView, start: LessonView) -> Highlight:
    free = (thing for thing in now.of_kind("junction") if not thing.is_ours and not thing.is_theirs)
    return Highlight(objects=tuple(thing.id for thing in free))
