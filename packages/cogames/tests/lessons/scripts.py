"""Scripts that finish each lesson."""

from __future__ import annotations

from collections.abc import Iterator

from cogames.lessons.view import Thing
from packages.cogames.tests.lessons.player import ScriptedPlayer


def moving(player: ScriptedPlayer) -> Iterator[None]:
    for _ in range(3):
        yield player.go_to_mark()


def objects(player: ScriptedPlayer) -> Iterator[None]:
    for _ in range(2):
        yield player.press("move_west")
    yield player.use("carbon_extractor")
    yield player.use("oxygen_extractor")


def mining(player: ScriptedPlayer) -> Iterator[None]:
    for _ in range(4):
        yield player.use("carbon_extractor")
    yield player.use("hub")
    for element in ("carbon", "oxygen", "silicon", "germanium"):
        yield player.use(f"{element}_extractor")
    yield player.use("hub")


def gear(player: ScriptedPlayer) -> Iterator[None]:
    yield player.use("miner")
    for element in ("germanium", "germanium", "silicon", "silicon"):
        yield player.use(f"{element}_extractor")
    yield player.use("hub")
    yield player.use("scout")


def hearts(player: ScriptedPlayer) -> Iterator[None]:
    yield player.use("hub")
    for _ in range(2):
        for _ in range(4):
            yield player.use("carbon_extractor")
        yield player.use("hub")
    yield player.use("hub")


def junctions(player: ScriptedPlayer) -> Iterator[None]:
    yield from equip(player, "aligner", hearts=2)
    near, far = player.view.of_kind("junction")
    yield player.use(near)
    yield player.use(far)
    yield player.use("germanium_extractor")
    yield player.use(far)


def roles(player: ScriptedPlayer) -> Iterator[None]:
    yield player.use("miner")
    yield player.use("carbon_extractor")
    yield player.use("hub")
    neutral, clips = sorted(player.view.of_kind("junction"), key=lambda thing: thing.is_theirs)
    yield from equip(player, "aligner")
    yield player.use(neutral)
    yield from equip(player, "scrambler")
    yield player.use(clips)
    yield player.use("scout")
    yield player.go_to_mark()


def territory(player: ScriptedPlayer) -> Iterator[None]:
    yield player.go_to_mark()
    yield player.use("ship")
    yield player.go((5, 2))
    yield from equip(player, "aligner")
    yield player.use("junction")


def network(player: ScriptedPlayer) -> Iterator[None]:
    near, far = player.view.of_kind("junction")
    yield from equip(player, "scrambler")
    yield player.use(far)
    yield from equip(player, "aligner", hearts=2)
    yield player.use(near)
    yield player.use(far)


def waves(player: ScriptedPlayer) -> Iterator[None]:
    yield from equip(player, "aligner", hearts=2)
    for junction in player.view.of_kind("junction"):
        yield player.use(junction)
    yield from equip(player, "scrambler")
    while player.goal == 2:
        yield player.use(held[0]) if (held := of_the_clips(player)) else player.press("noop")
    while player.goal == 3:
        free = [thing for thing in player.view.of_kind("junction") if not thing.is_theirs and not thing.is_ours]
        yield from equip(player, "aligner" if free else "scrambler")
        yield player.use((free or of_the_clips(player))[0])
    yield from equip(player, "aligner")
    while True:
        lost = [thing for thing in of_the_clips(player) if not thing.is_ours]
        yield player.use(lost[0]) if lost else player.press("noop")


def of_the_clips(player: ScriptedPlayer) -> list[Thing]:
    return [thing for thing in player.view.of_kind("junction") if thing.is_theirs]


def team(player: ScriptedPlayer) -> Iterator[None]:
    for slot in (1, 2):
        player.change_to(slot)
        for action in ("move_north", "move_south", "move_north", "move_south", "move_north", "move_south"):
            yield player.press(action)
    player.change_to(0)
    yield player.press("noop", vibe="heart")
    yield player.use("aligner")
    while player.cog.has("heart") < 2:
        can_pay = all(player.view.hub.has(item) >= 7 for item in ("carbon", "oxygen", "germanium", "silicon"))
        yield player.use("hub") if can_pay else player.press("noop")
    for junction in player.view.of_kind("junction"):
        yield player.use(junction)


def equip(player: ScriptedPlayer, gear: str, hearts: int = 1) -> Iterator[None]:
    if not player.cog.has(gear):
        yield player.use(gear)
    while player.cog.has("heart") < hearts:
        yield player.use("hub")
