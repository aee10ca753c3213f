"""A meeting: say what was seen, listen, and vote by the evidence."""

import random
from collections.abc import Callable

from bitworld.players.among_them.deceit import lie, scapegoat
from bitworld.players.among_them.memory import CERTAIN, Memory
from bitworld.players.among_them.sight import Sight
from bitworld.players.among_them.talk import Statement, say, statements
from bitworld.players.among_them.temper import Temper
from bitworld.wire.player import Button

__all__ = ["Meeting"]

FIRST_WORD = 8
"""ticks before the first speaker"""
TURN = 14
"""ticks between two speakers, so that everyone can read"""
ANSWER = 104
"""ticks until a player may speak again"""
ENOUGH = 2.0
"""suspicion that a vote needs"""
WITNESS, OPINION, ALIBI = 4.0, 0.8, -0.4
"""what a statement of a trusted player changes"""
SKIP = -2


class Meeting:
    """One meeting of one player. `act` returns buttons and a text to say."""

    def __init__(
        self,
        memory: Memory,
        number: int,
        colour: str,
        *,
        place: Callable[[], str],
        partners: set[int],
        is_imposter: bool,
        temper: Temper,
        rng: random.Random,
    ) -> None:
        self._memory = memory
        self._number = number
        self._colour = colour
        self._room = place()
        self._partners = partners
        self._is_imposter = is_imposter
        self._temper = temper
        self._random = rng
        self._began: int | None = None
        self._heard: set[Statement] = set()
        self._claims: dict[str, set[str]] = {}
        self._spoke = self._answered = False
        self._vote: int | None = None
        self._at = 0
        self._is_pressed = self._has_voted = False

    def act(self, tick: int, sight: Sight) -> tuple[int, str | None]:
        if self._began is None:
            self._began = tick
            self._memory.begin_meeting({number for number, (_, is_alive) in sight.icons.items() if not is_alive})
        age = tick - self._began
        living = [number for number, (_, is_alive) in sorted(sight.icons.items()) if is_alive]
        if self._number not in living:
            return 0, None
        for number, (colour, _) in sight.icons.items():
            self._memory.colours[number] = colour
        self._listen(sight)
        turn = FIRST_WORD + TURN * living.index(self._number)
        if not self._spoke and age >= turn:
            self._spoke = True
            return 0, self._opening(living)
        if self._spoke and not self._answered and age >= turn + ANSWER and self._is_accused():
            self._answered = True
            return 0, say(self._colour, f"Not me, I was in {self._room}.")
        if age < FIRST_WORD + TURN * len(living) + ANSWER + TURN:
            return 0, None
        return self._cast(living, sight.cursor), None

    def _listen(self, sight: Sight) -> None:
        numbers = {colour: number for number, (colour, _) in sight.icons.items()}
        for statement in statements(sight.texts):
            speaker = numbers.get(statement.speaker)
            if speaker in (None, self._number) or statement in self._heard:
                continue
            assert speaker is not None
            self._heard.add(statement)
            if statement.accused is not None:
                self._claims.setdefault(statement.accused, set()).add(statement.speaker)
            self._weigh(statement, speaker, numbers)

    def _weigh(self, statement: Statement, speaker: int, numbers: dict[str, int]) -> None:
        trust = 0.0 if self._memory.suspicion.get(speaker, 0.0) >= ENOUGH else 1.0
        accused = numbers.get(statement.accused or "")
        if accused == self._number:
            self._memory.suspect(speaker, WITNESS if statement.is_witness else OPINION, "accused me, and it was not me")
        elif accused is not None:
            amount = WITNESS if statement.is_witness else OPINION
            self._memory.suspect(accused, trust * amount, f"was accused by {statement.speaker}")
        cleared = numbers.get(statement.cleared or "")
        if cleared is not None:
            self._memory.suspect(cleared, trust * ALIBI)

    def _is_accused(self) -> bool:
        return self._colour in self._claims

    def _opening(self, living: list[int]) -> str:
        memory = self._memory
        if self._is_imposter:
            own = {self._colour} | {memory.colours[number] for number in self._partners if number in memory.colours}
            sentence = lie(memory, self._crew_of(living), own, self._claims, self._room, self._random, self._temper)
            return self._claim(say(self._colour, sentence))
        suspect = self._most_suspected(living)
        if suspect is not None and memory.suspicion[suspect] >= CERTAIN:
            reason = memory.reasons.get(suspect, "").replace("killed", "kill").replace("vented", "vent")
            return say(self._colour, f"I saw {memory.colours[suspect]} {reason}.")
        if suspect is not None and memory.suspicion[suspect] >= ENOUGH / 2:
            reason = memory.reasons.get(suspect, "acts strangely")
            return say(self._colour, f"I suspect {memory.colours[suspect]}, who {reason}.")
        friend = max(memory.company, key=memory.company.__getitem__, default=None)
        if friend is not None and friend in living:
            return say(self._colour, f"I was with {memory.colours[friend]} in {self._room}.")
        return say(self._colour, f"I did tasks in {self._room}.")

    def _claim(self, text: str) -> str:
        """Note an own accusation, so that the vote follows it."""
        for statement in statements(text):
            if statement.accused is not None:
                self._claims.setdefault(statement.accused, set()).add(self._colour)
        return text

    def _crew_of(self, living: list[int]) -> list[int]:
        """Return the other living players without the known imposters."""
        return [number for number in living if number not in self._partners and number != self._number]

    def _most_suspected(self, living: list[int]) -> int | None:
        others = [number for number in living if number != self._number]
        ranked = [number for number in others if self._memory.suspicion.get(number, 0.0) > 0]
        return max(ranked, key=self._memory.suspicion.__getitem__, default=None)

    def _choice(self, living: list[int]) -> int:
        if self._is_imposter:
            accused = scapegoat(self._memory, self._crew_of(living), self._claims)
            return SKIP if accused is None else accused
        suspect = self._most_suspected(living)
        if suspect is None:
            return SKIP
        is_rash = self._random.random() < self._temper.rash
        return suspect if self._memory.suspicion[suspect] >= (self._temper.weak if is_rash else ENOUGH) else SKIP

    def _cast(self, living: list[int], cursor: int | None) -> int:
        """Move the cursor to the chosen player and press A. Buttons are released in between: only new presses count."""
        if self._has_voted:
            return 0
        if self._is_pressed:
            self._is_pressed = False
            return 0
        self._is_pressed = True
        if self._vote is None:
            self._vote = self._choice(living)
        if cursor is not None:
            self._at = living.index(cursor) if cursor in living else len(living)
        goal = living.index(self._vote) if self._vote in living else len(living)
        if self._at == goal:
            self._has_voted = True
            return int(Button.A)
        self._at = (self._at + 1) % (len(living) + 1)
        return int(Button.RIGHT)
