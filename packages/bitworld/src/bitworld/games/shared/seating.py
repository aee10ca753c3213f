"""Which slot a player takes, and the accounts of all identities that have played."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bitworld.errors import JoinRefused
from bitworld.game import Account
from bitworld.games.shared.settings import SlotSettings

__all__ = ["AccountState", "SeatState", "choose_slot", "public_account"]


@dataclass
class SeatState:
    name: str
    slot: int
    account: int
    """index in the list of accounts"""
    held: int = 0
    """the mask of the last tick"""


@dataclass
class AccountState:
    name: str
    slot: int
    has_played: bool = False
    reward: int = 0
    counts: list[int] = field(default_factory=list)


def public_account(state: AccountState, count_names: Sequence[str]) -> Account:
    return Account(state.name, state.reward, dict(zip(count_names, state.counts, strict=True)))


def choose_slot(
    slots: Sequence[SlotSettings], taken: Collection[int], max_players: int, name: str, requested: int, token: str
) -> int:
    """Return the slot for a player: the requested one, the one configured for it, or the first open one.

    A player that matches the name or the token of a slot but not both is refused.
    """
    if len(taken) >= max_players:
        raise JoinRefused(f"The game is full: it has {max_players} players")
    rules = [*slots[:max_players], *[SlotSettings()] * (max_players - len(slots))]
    if not -1 <= requested < max_players:
        raise JoinRefused(f"There is no slot {requested}; slots are 0 to {max_players - 1}")
    free = [slot for slot in range(max_players) if slot not in taken]
    if requested in free and _admits(rules[requested], name, token):
        return requested
    for slot, rule in enumerate(rules):
        named, known = rule.name != "" and rule.name == name, rule.token != "" and rule.token == token
        if not named and not known:
            continue
        if not _admits(rule, name, token):
            raise JoinRefused(f"The {'token' if named else 'name'} does not belong to slot {slot}")
        if slot not in free:
            raise JoinRefused(f"Slot {slot} is taken")
        return slot
    for slot in free:
        if not rules[slot].name and not rules[slot].token:
            return slot
    raise JoinRefused("Every free slot needs a name or a token")


def _admits(rule: SlotSettings, name: str, token: str) -> bool:
    return rule.name in ("", name) and rule.token in ("", token)
