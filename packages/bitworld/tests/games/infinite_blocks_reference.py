"""The rules and pictures of infinite blocks in plain Python; the native game must do the same in every tick."""

from dataclasses import astuple, dataclass

import numpy as np
from bitworld._native import Random, hash_words

UP, DOWN, LEFT, RIGHT, A, B = 1, 2, 4, 8, 32, 64

PIECES = {
    "I": ["....", "####"],
    "O": [".##.", ".##."],
    "T": [".#..", "###."],
    "S": [".##.", "##.."],
    "Z": ["##..", ".##."],
    "J": ["#...", "###."],
    "L": ["..#.", "###."],
}


def rotations(name: str) -> list[list[tuple[int, int]]]:
    cells = [(x, y) for y, row in enumerate(PIECES[name]) for x, mark in enumerate(row) if mark == "#"]
    turned, last = [cells], 3 if name == "I" else 2
    for _ in range(3):
        turned.append(turned[-1] if name == "O" else [(last - y, x) for x, y in turned[-1]])
    return turned


SHAPES = [rotations(name) for name in PIECES]
COLOURS = [14, 8, 13, 11, 3, 4, 7]
EDGES = [12, 6, 12, 10, 9, 9, 6]
PLAYER_COLOURS = [3, 7, 8, 14, 4, 11, 13, 15, 1, 2, 5, 6, 9, 10, 12, 0]


@dataclass
class Player:
    slot: int
    score: int = 0
    runs: int = 0
    pieces: int = 0
    buried: int = 0
    kind: int = 0
    next: int = 0
    rotation: int = 0
    x: int = 0
    y: int = 0
    fall: int = 0
    pause: int = 1
    shift: int = 0


class Reference:
    def __init__(self, width: int, height: int, fall_ticks: int, run: int, seed: int) -> None:
        self.cells = np.zeros((height, width), np.uint8)
        self.width, self.height, self.fall_ticks, self.run = width, height, fall_ticks, run
        self.random = Random(seed)
        self.players: list[Player] = []

    def add_player(self, slot: int) -> None:
        column = self.width // 2 - 2 + (-1, 1)[slot % 2] * ((slot + 1) // 2) * 12
        self.players.append(Player(slot, x=column % (self.width - 3), next=self.random.below_or_equal(6)))

    def step(self, held: list[int], pressed: list[int]) -> None:
        for player, holds, presses in zip(self.players, held, pressed, strict=True):
            self.step_player(player, holds, presses)

    def step_player(self, player: Player, held: int, pressed: int) -> None:
        if player.pause:
            player.pause -= 1
            if not player.pause:
                self.appear(player)
            return
        while not self.fits(player, player.x, player.y, player.rotation):
            player.y -= 1
            if player.y < -4:
                self.bury(player)
                return
        self.shift(player, held, pressed)
        for button, quarters in ((A, 1), (UP, 3)):
            if pressed & button:
                self.turn(player, (player.rotation + quarters) % 4)
        if pressed & B:
            player.y = self.landing_row(player)
            self.settle(player)
            return
        player.fall -= 1
        if player.fall > 0 and not held & DOWN:
            return
        player.fall = self.fall_ticks
        if self.fits(player, player.x, player.y + 1, player.rotation):
            player.y += 1
        else:
            self.settle(player)

    def appear(self, player: Player) -> None:
        player.kind, player.next = player.next, self.random.below_or_equal(6)
        player.rotation, player.fall, player.shift = 0, self.fall_ticks, 0
        player.x = min(max(player.x, 0), self.width - 4)
        player.y = max(0, self.highest(player.x - 8, player.x + 11) - 18)
        if not self.fits(player, player.x, player.y, 0):
            self.bury(player)

    def bury(self, player: Player) -> None:
        self.cells[:, max(0, player.x - 2) : player.x + 6] = 0
        player.buried += 1
        player.pause = 48

    def shift(self, player: Player, held: int, pressed: int) -> None:
        direction = bool(held & RIGHT) - bool(held & LEFT)
        if not direction:
            return
        if pressed & (LEFT | RIGHT):
            player.shift = 8
        else:
            player.shift -= 1
            if player.shift > 0:
                return
            player.shift = 3
        if self.fits(player, player.x + direction, player.y, player.rotation):
            player.x += direction

    def turn(self, player: Player, rotation: int) -> None:
        for aside in (0, -1, 1):
            if self.fits(player, player.x + aside, player.y, rotation):
                player.x += aside
                player.rotation = rotation
                return

    def settle(self, player: Player) -> None:
        for x, y in SHAPES[player.kind][player.rotation]:
            self.cells[player.y + y, player.x + x] = player.kind + 1
        player.pieces += 1
        player.pause = 6
        columns = set(range(player.x, player.x + 4))
        for row in range(min(player.y + 3, self.height - 1), -1, -1):
            while run := self.find_run(row, columns):
                self.cells[1 : row + 1, run] = self.cells[:row, run]
                self.cells[0, run] = 0
                player.score += len(run)
                player.runs += 1
                columns |= set(run)

    def find_run(self, row: int, columns: set[int]) -> list[int]:
        run: list[int] = []
        for x in range(self.width + 1):
            if x < self.width and self.cells[row, x]:
                run.append(x)
            elif len(run) >= self.run and columns & set(run):
                return run
            else:
                run = []
        return []

    def highest(self, left: int, right: int) -> int:
        rows = self.cells[:, max(0, left) : right + 1].any(axis=1)
        return int(rows.argmax()) if rows.any() else self.height

    def landing_row(self, player: Player) -> int:
        y = player.y
        while self.fits(player, player.x, y + 1, player.rotation):
            y += 1
        return y

    def fits(self, player: Player, x: int, y: int, rotation: int) -> bool:
        return all(
            0 <= x + dx < self.width and 0 <= y + dy < self.height and not self.cells[y + dy, x + dx]
            for dx, dy in SHAPES[player.kind][rotation]
        )

    def hash(self) -> int:
        total = 0
        for cell in np.flatnonzero(self.cells):
            total += mixed(int(cell) << 3 | int(self.cells.flat[cell]))
        words = [*self.random.state, total, len(self.players), *(word for p in self.players for word in astuple(p))]
        value: int = hash_words(np.array([word % 2**64 for word in words], np.uint64).view(np.int64))
        return value

    def draw(self, index: int) -> np.ndarray:
        player = self.players[index]
        left = -((32 - self.width) // 2) if self.width < 32 else min(max(player.x + 2 - 16, 0), self.width - 32)
        lowest = self.height - 31
        top = min(max(player.y - 6, min(0, lowest)), lowest)
        picture = np.zeros((128, 128), np.uint8)

        def cell(x: int, y: int, colour: int, edge: int, corner: int) -> None:
            column, row = x - left, y - top
            if 0 <= column < 32 and 0 <= row < 32:
                area = picture[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
                area[:] = edge
                area[:3, :3] = colour
                area[0, 0] = corner

        for y in range(top, top + 32):
            for x in range(left, left + 32):
                if not 0 <= x < self.width or y >= self.height:
                    cell(x, y, 6, 5, 6)
                elif y >= 0 and (value := int(self.cells[y, x])):
                    cell(x, y, COLOURS[value - 1], EDGES[value - 1], 2)
                else:
                    cell(x, y, 0, 0, 0)
                    picture[4 * (y - top) + 3, 4 * (x - left) + 3] = 12
        if not player.pause:
            for x, y in SHAPES[player.kind][player.rotation]:
                cell(player.x + x, self.landing_row(player) + y, 5, 0, 5)
        for other in self.players:
            if not other.pause:
                edge = 2 if other is player else PLAYER_COLOURS[other.slot]
                for x, y in SHAPES[other.kind][other.rotation]:
                    cell(other.x + x, other.y + y, COLOURS[other.kind], edge, 2)
        self.draw_score(picture, player.score)
        picture[1:13, 107:127] = 13
        picture[2:12, 108:126] = 0
        for x, y in SHAPES[player.next][0]:
            area = picture[3 + 4 * y : 7 + 4 * y, 109 + 4 * x : 113 + 4 * x]
            area[:] = EDGES[player.next]
            area[:3, :3] = COLOURS[player.next]
            area[0, 0] = 2
        return picture

    def draw_score(self, picture: np.ndarray, score: int) -> None:
        text = str(score)
        picture[1:8, 1 : 2 + 4 * len(text)] = 0
        for place, digit in enumerate(text):
            for row, bits in enumerate(GLYPHS[int(digit)]):
                for column in range(3):
                    if bits >> (2 - column) & 1:
                        picture[2 + row, 2 + 4 * place + column] = 8


GLYPHS = [
    [int(mark) for mark in rows] for rows in "75557 26227 71747 71717 55711 74717 74757 71222 75757 75717".split()
]


def mixed(value: int) -> int:
    most = 2**64 - 1
    value = value * 0x9E3779B97F4A7C15 & most
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & most
    value = (value ^ value >> 27) * 0x94D049BB133111EB & most
    return value ^ value >> 31
