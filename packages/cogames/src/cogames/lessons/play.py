"""The course `play`: one cog learns what a cog does."""

from __future__ import annotations

from cogames.lessons.checks import (
    ALIGNED,
    all_of,
    cannot_act,
    cannot_equip,
    cannot_pay,
    deposits,
    did,
    has_gear,
    is_at,
    is_beside,
    mark,
    no_heart_left,
    point,
    thing_at,
    with_gear,
    yes,
)
from cogames.lessons.drawing import Drawing, LessonMission
from cogames.lessons.keys import Keys
from cogames.lessons.lesson import Goal, Highlight, Lesson
from cogames.lessons.rules import read_rules
from cogames.lessons.view import LessonView
from cogsguard.names import ELEMENTS, extractor_of

__all__ = ["gear", "hearts", "junctions", "mining", "moving", "objects"]

EXTRACTORS = tuple(map(extractor_of, ELEMENTS))


def moving(keys: Keys) -> Lesson:
    drawing = Drawing("""
###############
#......#......#
#......#....y.#
#.@..x........#
#......#......#
#...z..#......#
#..&...#......#
###############
""")
    mission = LessonMission.draw("moving", drawing)
    return Lesson(
        name="moving",
        title="Moving",
        briefing="Your cog walks one cell a step: north, south, west, east.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Walk to the mark",
                text=f"Move with {keys.move}: one press, one step. Walk onto the marked cell.",
                hint="The mark is three cells east of your cog.",
                progress=is_at(drawing.cell("x")),
                highlight=mark(drawing.cell("x")),
            ),
            Goal(
                title="Go through the gap",
                text="Walls stop you: find the way round them. The next mark is in the other room.",
                hint="The gap in the wall is in the row where you stand.",
                progress=is_at(drawing.cell("y")),
                highlight=mark(drawing.cell("y")),
            ),
            Goal(
                title="Come home",
                text="The one thing in the first room is the hub, your team's home. Walk back to the mark beside it.",
                hint="Back through the gap, then south.",
                progress=is_at(drawing.cell("z")),
                highlight=mark(drawing.cell("z")),
            ),
        ),
    )


def objects(keys: Keys) -> Lesson:
    drawing = Drawing("""
#########################
#.......................#
#.@.....#########.......#
#.......#.......#.......#
#...C...#.......#.....O.#
#.......#########.......#
#.&.....................#
#########################
""")
    mission = LessonMission.draw("objects", drawing)
    sight = mission.make_env().game.obs.width // 2
    return Lesson(
        name="objects",
        title="Using things",
        briefing="There is no key for using things: a cog uses what it walks into.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Walk into a wall",
                text="Cogs cannot walk over obstacles. Walk into a wall: your cog stays where it is.",
                hint="The step is used up all the same.",
                progress=did("action.move.failed"),
            ),
            Goal(
                title="Use the extractor",
                text="Walk into the marked extractor: it gives your cog carbon. That is all there is to using a thing.",
                hint=f"To see what something is and holds: {keys.inspect}.",
                progress=did("carbon.gained"),
                highlight=point(extractor_of("carbon")),
            ),
            Goal(
                title="Find the oxygen",
                text=f"A cog sees {sight} cells far; you may look at the whole map: {keys.look}. "
                "Find the oxygen extractor and use it.",
                hint="It is at the other end. Are your hands full? Walk into the hub first, it takes what you carry.",
                progress=did("oxygen.gained"),
            ),
        ),
    )


def mining(keys: Keys) -> Lesson:
    drawing = Drawing("""
#################
#.......C.......#
#...............#
#.@.............#
#O......&......G#
#...............#
#...............#
#.......S.......#
#################
""")
    mission = LessonMission.draw("mining", drawing)
    rules = read_rules(mission)
    return Lesson(
        name="mining",
        title="Mining",
        briefing="Teams live on four elements: carbon, oxygen, germanium and silicon. Extractors hold them.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Fill your hands",
                text=f"Walk into extractors until you carry {rules.cargo} elements, of one kind or several. "
                f"Bare hands take {rules.extract} at a time.",
                hint=f"Keep pressing towards the extractor: each press takes {rules.extract} more.",
                progress=lambda now, start: now.cog.cargo / rules.cargo if now.cog.cargo > start.cog.cargo else 0.0,
                highlight=point(*EXTRACTORS),
            ),
            Goal(
                title="Bring them home",
                text="Walk into the hub, in the middle. It takes all the elements you carry.",
                hint="What is in the hub belongs to the whole team.",
                progress=lambda now, start: yes(sum(deposits(now, start).values()) > 0),
                highlight=point("hub"),
            ),
            Goal(
                title="One of each",
                text="Bring at least one of every element to the hub. "
                f"You can carry {rules.cargo} different ones at once.",
                hint="Go round: one press at each extractor, then to the hub.",
                progress=lambda now, start: all_of(deposits(now, start).values()),
                highlight=lambda now, start: _still_needed(now, start),
                lost=cannot_pay(dict.fromkeys(ELEMENTS, 1)),
            ),
        ),
    )


def _still_needed(now: LessonView, start: LessonView) -> Highlight:
    """Highlight extractors of elements that the cog has neither deposited nor carries; then the hub."""
    brought = deposits(now, start)
    missing = [element for element in ELEMENTS if not brought[element] and not now.cog.has(element)]
    return point(*map(extractor_of, missing) if missing else ["hub"])(now, start)


def gear(keys: Keys) -> Lesson:
    drawing = Drawing("""
#################
#C.............O#
#...............#
#.......@.......#
#.......&.......#
#...............#
#....a.r.m.t....#
#...............#
#G.............S#
#################
""")
    mission = LessonMission.draw("gear", drawing)
    rules = read_rules(mission)
    scout = rules.gear_cost["scout"]
    return Lesson(
        name="gear",
        title="Gear",
        briefing="Gear gives a cog its role. Four stations hand it out, and the hub pays.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Become a miner",
                text=f"Walk into the marked station. The hub pays {rules.price('miner')}.",
                hint="The stations stand in a row south of the hub.",
                progress=has_gear("miner"),
                highlight=point("miner"),
                lost=cannot_equip(rules, "miner"),
            ),
            Goal(
                title="Fill up",
                text=f"A miner takes {rules.miner_extract} at a time and carries {rules.miner_cargo} instead of "
                f"{rules.cargo}. Fill up with silicon and germanium: the hub is short of them.",
                hint="The germanium is in the south-west corner, the silicon in the south-east.",
                progress=lambda now, start: now.cog.cargo / rules.miner_cargo,
                highlight=point("germanium_extractor", "silicon_extractor"),
                lost=cannot_equip(rules, "miner"),
            ),
            Goal(
                title="Let the hub afford a scout",
                text=f"A scout costs {rules.price('scout')}. Bring the hub what it lacks.",
                hint="Bring both silicon and germanium. Every press on the hub gives it all you carry.",
                progress=lambda now, start: all_of(
                    [
                        yes(sum(deposits(now, start).values()) > 0),
                        *(now.hub.has(element) / amount for element, amount in scout.items()),
                    ]
                ),
                highlight=point("hub", "germanium_extractor", "silicon_extractor"),
                lost=cannot_pay(scout),
            ),
            Goal(
                title="Change your gear",
                text=f"Become a scout at the marked station. It has {rules.hp_with['scout']} hp instead of {rules.hp}. "
                "A cog holds one piece of gear: the old one is gone.",
                hint=f"Put your cargo in the hub first: without miner gear you carry only {rules.cargo}.",
                progress=has_gear("scout"),
                highlight=point("scout"),
                lost=cannot_equip(rules, "scout"),
            ),
        ),
    )


def hearts(keys: Keys) -> Lesson:
    drawing = Drawing("""
#############
#O....C....G#
#...........#
#.@.........#
#.....&.....#
#...........#
#S..........#
#############
""")
    mission = LessonMission.draw("hearts", drawing, hub={"oxygen": 14, "germanium": 14, "silicon": 14, "heart": 1})
    rules = read_rules(mission)

    def heart_progress(now: LessonView, start: LessonView) -> float:
        """Return progress towards a new heart; gathering the missing elements counts for 0.9."""
        if did("heart.gained")(now, start) >= 1:
            return 1.0
        return 0.9 * all_of((now.hub.has(element) + now.cog.has(element)) / rules.heart_cost for element in ELEMENTS)

    return Lesson(
        name="hearts",
        title="Hearts",
        briefing="Taking a junction costs a heart. Hearts come from the hub.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Take a heart",
                text="The hub has a heart. Walk into the hub with empty hands to take it.",
                hint=f"A cog carries up to {rules.hearts} hearts. At 0 hp it loses them all, and its gear.",
                progress=did("heart.gained"),
                highlight=point("hub"),
                lost=no_heart_left(rules),
            ),
            Goal(
                title="Make a heart",
                text=f"Now the hub has none left. It makes one from {rules.heart_cost} of each element, but it has no "
                "carbon. Mine it, bring it, and walk into the hub once more.",
                hint=f"You carry {rules.cargo}, so go twice. With elements in hand the hub takes those; "
                "press again for the heart.",
                progress=heart_progress,
                highlight=lambda now, start: point(
                    "hub" if now.hub.has("carbon") + now.cog.has("carbon") >= rules.heart_cost else "carbon_extractor"
                )(now, start),
                lost=cannot_pay(dict.fromkeys(ELEMENTS, rules.heart_cost)),
            ),
        ),
    )


def junctions(keys: Keys) -> Lesson:
    drawing = Drawing("""
######################################
#C..................................G#
#....................................#
#..@.................................#
#...&..............+............+....#
#....................................#
#.a.r.m.t............................#
#O..................................S#
######################################
""")
    mission = LessonMission.draw("junctions", drawing, hub=dict.fromkeys(ELEMENTS, 24), hearts=5)
    rules = read_rules(mission)
    near, far = drawing.cells("+")
    lost = cannot_act(rules, "aligner")

    def left_at_a_junction(now: LessonView, start: LessonView) -> float:
        """Return 1 if the cog has deposited elements while next to one of our junctions and not to the hub."""
        held = [thing for thing in now.of_kind("junction") if thing.is_ours]
        is_there = any(is_beside(now.cog.cell, thing) for thing in held) and not is_beside(now.cog.cell, now.hub)
        return yes(is_there and sum(deposits(now, start).values()) > 0 and now.cog.cargo == 0)

    return Lesson(
        name="junctions",
        title="Junctions",
        briefing="Junctions are what the game is about: every step pays for each one your team holds.",
        make_env=mission.make_env,
        goals=(
            Goal(
                title="Get ready",
                text="Taking a junction (aligning it) needs aligner gear and a heart. Get both.",
                hint="The aligner's station is the marked one. For hearts walk into the hub; take two.",
                progress=lambda now, start: all_of([has_gear("aligner")(now, start), yes(now.cog.has("heart") > 0)]),
                highlight=point("aligner", "hub"),
                lost=lost,
            ),
            Goal(
                title="Align a junction",
                text=f"Walk into the nearer junction, east of the hub: it costs a heart. It must be at most "
                f"{rules.hub_reach} cells from the hub.",
                hint="Straight east along the row of the hub.",
                progress=lambda now, start: yes(now.at(near).is_ours and did(ALIGNED)(now, start) >= 1),
                highlight=with_gear("aligner", thing_at(near)),
                lost=lost,
            ),
            Goal(
                title="Reach farther",
                text=f"A junction you hold carries your network on: others up to {rules.network_reach} cells from it "
                "can be aligned too. Take the one farther east.",
                hint="No heart left? Fetch one at the hub.",
                progress=lambda now, start: yes(now.at(far).is_ours and did(ALIGNED)(now, start) >= 1),
                highlight=with_gear("aligner", thing_at(far)),
                lost=lost,
            ),
            Goal(
                title="Leave elements at a junction",
                text="A junction you hold takes elements for the hub, however far away that is. "
                "Mine at the marked extractors and walk into the junction.",
                hint="Germanium is in the north-east corner, silicon in the south-east.",
                progress=left_at_a_junction,
                highlight=lambda now, start: Highlight(
                    objects=(
                        *point("germanium_extractor", "silicon_extractor")(now, start).objects,
                        now.at(far).id,
                    )
                ),
            ),
        ),
    )
