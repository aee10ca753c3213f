"""The reward protocol: one text per tick, with the accounts of the players in the game."""

from collections.abc import Iterable, Sequence

from bitworld.game import Account, Game

__all__ = ["encode_rewards", "reward_text"]


def reward_text(game: Game) -> str:
    """Return the text for the current tick; empty while no players are in the game."""
    accounts = {account.name: account for account in game.accounts()}
    return encode_rewards(accounts[seat.name] for seat in game.seats if seat.name in accounts)


def encode_rewards(accounts: Iterable[Account]) -> str:
    """Return lines of name, player and number; for each player `reward` and then its counts."""
    return "".join(line for account in accounts for line in _lines(account))


def _lines(account: Account) -> Sequence[str]:
    player = ":".join(account.name.split())  # `host port` of a player without a name
    rows = [("reward", account.reward), *account.counts.items()]
    return [f"{name} {player} {value}\n" for name, value in rows]
