"""The panels next to the map: the selected agent, an object, a legend, a lesson, captured output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mettagrid.terminal import looks
from mettagrid.terminal.cells import Canvas, Style, clean, fit, text_width, wrap
from mettagrid.terminal.layout import Box
from mettagrid.terminal.prompts import Prompt, VibePrompt
from mettagrid.terminal.symbols import UNICODE

if TYPE_CHECKING:
    from mettagrid.live import Controls
    from mettagrid.terminal.symbols import Symbols
    from mettagrid.terminal.view import View
    from mettagrid.terminal.world import Thing, World

__all__ = ["Block", "Panels", "draw_blocks"]

Line = list[tuple[str, Style]]

HELP: tuple[tuple[str, str], ...] = (
    ("space", "play or pause"),
    ("n", "one step"),
    ("< >", "slower, faster"),
    ("[ ]", "another cog"),
    ("m", "take the cog over, hand it back"),
    ("w a s d", "move it, arrows too"),
    ("r", "rest for a step"),
    ("e", "change its vibe"),
    ("enter", "say something, where the game has talk"),
    ("g, c", "send it to a cell, forget that"),
    ("tab", "whether the game waits for you"),
    ("f p t", "follow, pan, look around"),
    ("i j k l", "move the camera or cursor; I J K L: far"),
    ("o", "territory"),
    ("u", "pictures or letters on the map"),
    ("1 2 3 4", "panels"),
    ("ctrl-l", "draw anew"),
    ("q", "end the game"),
)


@dataclass
class Block:
    """A panel: a title and lines, which are cut at the width."""

    title: str
    lines: list[Line] = field(default_factory=list)
    title_style: Style = looks.TITLE

    def say(self, *parts: tuple[str, Style]) -> None:
        self.lines.append(list(parts))


class Panels:
    """Creates the blocks of a view."""

    def __init__(self, world: World, symbols: Symbols, controls: Controls, driver: str) -> None:
        self._world, self._symbols, self._controls, self._driver = world, symbols, controls, driver
        game = world.simulation.config.game
        self._huds = [*game.render.agent_huds.values()] or [game.render.hud1, game.render.hud2]
        unicode = symbols.glyphs is UNICODE
        self._vibes = [
            f"{clean(vibe.symbol)} {vibe.name}" if unicode else vibe.name for vibe in game.actions.change_vibe.vibes
        ]
        self._vibe_numbers = {vibe.name: number for number, vibe in enumerate(game.actions.change_vibe.vibes)}

    def blocks(self, view: View, width: int, printed: str) -> list[Block]:
        """Return the blocks from top to bottom."""
        if view.shows_help:
            return [self._help()]
        blocks = []
        if view.prompt is not None:
            blocks.append(self._prompt(view.prompt))
        if view.lesson is not None:
            blocks.append(self._lesson(view.lesson, width))
        if view.panels["agent"]:
            blocks.append(self._agent(view, width))
        talk = self._world.simulation.talk_states()
        if talk:
            block = Block("Talk")
            for agent, state in talk.items():
                block.lines += [[(text, looks.TEXT)] for text in wrap(f"{agent}: {state.text}", width)]
            blocks.append(block)
        if view.panels["object"]:
            blocks.append(self._object(view))
        if printed and view.panels["output"]:
            blocks.append(Block("Output", [[(line, looks.FAINT)] for line in printed.splitlines()[-4:]]))
        if view.panels["symbols"]:
            blocks.append(self._legend(width))
        return blocks

    def _agent(self, view: View, width: int) -> Block:
        world, number = self._world, view.selected
        thing = world.agents.get(number)
        infos = world.policy_infos(number)
        policy = str(infos.pop("policy_name", "policy"))
        is_mine = self._controls.seat(number).driver == self._driver
        block = Block(f"Cog {number}")
        if thing is None:
            block.say(("It is not on the map", looks.FAINT))
            return block
        agent = world.simulation.agent(number)
        colour = world.colour(thing)
        mark = (self._symbols.agent(number), Style(fore=(0, 0, 0), back=colour, bold=True))
        team = world.team(thing) or str(thing.get("group_name", ""))
        block.say(
            mark, (f" {team}", Style(fore=colour, bold=True)), (f"  row {thing['r']}, column {thing['c']}", looks.FAINT)
        )
        mode = ("you drive", looks.WARNING) if is_mine else (f"policy {policy}", looks.TEXT)
        block.say(_name("Mode"), mode)
        block.say(
            _name("Reward"), (f"{agent.episode_reward:.3f}", looks.STRONG), (f"  {agent.step_reward:+.3f}", looks.FAINT)
        )
        vibe = self._vibes[thing["vibe"]] if thing["vibe"] < len(self._vibes) else str(thing["vibe"])
        block.say(_name("Vibe"), (vibe, looks.TEXT))
        action = world.last_action(number)
        if action:
            worked = agent.last_action_success
            glyph = self._symbols.glyphs.yes if worked else self._symbols.glyphs.no
            block.say(_name("Action"), (f"{action} ", looks.TEXT), (glyph, looks.GOOD if worked else looks.BAD))
        held = self._held(thing)
        for hud in self._huds:
            if hud.resource in world.simulation.resource_names:
                amount = held.pop(hud.resource, 0)
                bar = self._bar(amount / max(hud.max, 1), min(width - 18, 14), _level_style(amount, hud.max))
                block.say(_name(hud.short_name or hud.resource), *bar, (f" {amount}/{hud.max}", looks.TEXT))
        self._say_held(block, held, thing, width)
        for name, value in list(infos.items())[:4]:
            block.say(_name(name[:8]), (str(value), looks.FAINT))
        return block

    def _object(self, view: View) -> Block:
        block = Block("Object")
        if view.mode != "select":
            block.say(("t looks around", looks.FAINT))
            return block
        row, column = view.cursor
        thing = self._world.at(row, column)
        owner = self._world.owner_name(row, column)
        if thing is None:
            block.say(("empty", looks.TEXT), (f"  row {row}, column {column}", looks.FAINT))
        else:
            name = thing["type_name"] if "agent_id" not in thing else f"cog {thing['agent_id']}"
            style = Style(fore=self._world.colour(thing))
            block.say(
                (self._symbols.of(thing), style),
                (f" {name}", looks.STRONG),
                (f"  row {row}, column {column}", looks.FAINT),
            )
            team = self._world.team(thing)
            if team is not None:
                block.say(_name("Team"), (team, Style(fore=self._world.team_colours[team], bold=True)))
            for resource, amount in self._held(thing).items():
                limit = self._limit(thing, resource)
                block.say(_name(resource[:8]), (f"{amount}{limit}", looks.TEXT))
            tags = [self._world.tag_names[tag] for tag in thing["tag_ids"]]
            visible = [tag for tag in tags if not tag.startswith(("type:", "team:"))]
            if visible:
                block.say(_name("Tags"), (", ".join(visible), looks.FAINT))
        if owner is not None:
            block.say(_name("Ground"), (f"of {owner}", Style(fore=self._world.team_colours.get(owner))))
        return block

    def _legend(self, width: int) -> Block:
        types: dict[str, Style] = {}
        for name in self._world.simulation.object_type_names:
            if name not in types and name != "agent":
                types[name] = looks.WALL if name == "wall" else looks.TEXT
        block = Block("Symbols")
        entries = [
            (self._symbols.of_type(name), name.replace("_", " "), style) for name, style in sorted(types.items())
        ]
        longest = max((text_width(name) for _, name, _ in entries), default=0)
        across = max(width // (longest + 5), 1)
        cell = width // across
        for start in range(0, len(entries), across):
            line: Line = []
            for symbol, name, style in entries[start : start + across]:
                text = fit(name, cell - 4)
                line += [(symbol, style), (f" {text}{' ' * (cell - 3 - text_width(text))}", looks.FAINT)]
            block.lines.append(line)
        return block

    def _lesson(self, message: Any, width: int) -> Block:
        lesson, goal = message.get("lesson") or {}, message.get("goal") or {}
        block = Block(
            f"Lesson {lesson.get('number', '')}/{lesson.get('count', '')} {lesson.get('title', '')}", [], looks.LESSON
        )
        if message.get("note"):
            block.lines += [[(line, looks.GOOD)] for line in wrap(str(message["note"]), width)]
        if goal:
            style = looks.GOOD if goal.get("done") else looks.STRONG
            title = f"{goal.get('number', '')}/{goal.get('count', '')} {goal.get('title', '')}"
            block.lines += [[(line, style)] for line in wrap(title, width)]
            block.lines += [[(line, looks.TEXT)] for line in wrap(str(goal.get("text", "")), width)]
            share = min(max(float(goal.get("progress") or 0.0), 0.0), 1.0)
            glyphs = self._symbols.glyphs
            room = max(min(width - 6, 24), 1)
            full = round(share * room)
            block.say(
                (glyphs.full * full, looks.GOOD),
                (glyphs.rest * (room - full), looks.LINE),
                (f" {share:4.0%}", looks.TEXT),
            )
            if goal.get("hint"):
                block.lines += [[(line, looks.FAINT)] for line in wrap(f"Hint: {goal['hint']}", width)]
        return block

    def _prompt(self, prompt: Prompt) -> Block:
        block = Block(prompt.title, [], looks.WARNING)
        block.say(("> ", looks.KEY), (prompt.text, looks.STRONG), (" ", looks.CURSOR))
        if isinstance(prompt, VibePrompt):
            hits = prompt.hits()
            first = max(0, min(prompt.at - 3, len(hits) - 8))
            for number, name in enumerate(hits[first : first + 8], first):
                style = looks.CURSOR if number == prompt.at else looks.TEXT
                block.say((f" {self._vibes[self._vibe_numbers[name]]} ", style))
            if not hits:
                block.say((" no such vibe", looks.BAD))
        block.say(("enter", looks.KEY), (" takes it, ", looks.FAINT), ("esc", looks.KEY), (" does not", looks.FAINT))
        return block

    def _help(self) -> Block:
        block = Block("Keys")
        for keys, meaning in HELP:
            block.say((f"{keys:<8} ", looks.KEY), (meaning, looks.TEXT))
        block.say(("any key closes this", looks.FAINT))
        return block

    def _held(self, thing: Thing) -> dict[str, int]:
        names = self._world.simulation.resource_names
        return {names[number]: amount for number, amount in sorted(thing["inventory"].items()) if amount}

    def _limit(self, thing: Thing, resource: str) -> str:
        number = self._world.simulation.resource_names.index(resource)
        limit = thing["inventory_capacities"].get(number, 0)
        return f"/{limit}" if 0 < limit < 65535 else ""

    def _say_held(self, block: Block, held: dict[str, int], thing: Thing, width: int) -> None:
        if not held:
            block.say(_name("Holds"), ("nothing", looks.FAINT))
            return
        texts = [f"{name} {amount}{self._limit(thing, name)}" for name, amount in held.items()]
        for number, line in enumerate(_rows(texts, max(width - 9, 8))):
            block.say(_name("Holds" if number == 0 else ""), (line, looks.TEXT))

    def _bar(self, share: float, width: int, style: Style) -> Line:
        width = max(width, 1)
        full = min(max(round(width * share), 0), width)
        glyphs = self._symbols.glyphs
        return [(glyphs.full * full, style), (glyphs.rest * (width - full), looks.LINE)]


def draw_blocks(canvas: Canvas, box: Box, blocks: Sequence[Block], line: str) -> None:
    """Draw blocks below one another as far as they fit; a title is drawn only together with a line of its block."""
    y, bottom = box.y, box.y + box.height
    for block in blocks:
        if y + 1 >= bottom:
            return
        title = f"{line} {fit(block.title, box.width - 4)} "
        behind = canvas.put(box.x + 1, y, title, block.title_style, width=box.width - 1)
        canvas.put(behind, y, line * (box.x + box.width - behind), looks.LINE)
        y += 1
        for parts in block.lines:
            if y >= bottom:
                return
            x, end = box.x + 1, box.x + box.width
            for text, style in parts:
                x = canvas.put(x, y, text, style, width=end - x)
            y += 1


def _name(text: str) -> tuple[str, Style]:
    return f"{text:<8} ", looks.FAINT


def _level_style(amount: int, maximum: int) -> Style:
    return looks.BAD if amount * 4 < maximum else looks.GOOD


def _rows(texts: list[str], width: int) -> list[str]:
    """Join texts with commas, in lines that fit."""
    lines = [""]
    for text in texts:
        joined = f"{lines[-1]}, {text}" if lines[-1] else text
        if lines[-1] and len(joined) > width:
            lines.append(text)
        else:
            lines[-1] = joined
    return lines
