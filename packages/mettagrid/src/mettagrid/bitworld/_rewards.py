"""The reward protocol: lines of name, player and integer."""

from pydantic import BaseModel, ConfigDict, Field

REWARD = "reward"


class RewardEntry(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1)
    player: str = Field(min_length=1, pattern=r"^\S+$")
    value: int


class RewardPacket(BaseModel):
    """The lines of one tick, in their order."""

    model_config = ConfigDict(frozen=True)

    entries: tuple[RewardEntry, ...]

    def values_by_key(self) -> dict[tuple[str, str], int]:
        """Return the values by (name, player); the last line of a pair wins."""
        return {(entry.name, entry.player): entry.value for entry in self.entries}

    def reward_for(self, player: str) -> int:
        """Return the reward of a player. Raises `KeyError` if it has none."""
        return self.values_by_key()[REWARD, player]

    def first_reward(self) -> int:
        for entry in self.entries:
            if entry.name == REWARD:
                return entry.value
        raise ValueError("reward packet does not contain a reward line")


def parse_reward_packet(payload: bytes | str) -> RewardPacket:
    """Parse the text of one tick. Raises `ValueError` for a line that has another form."""
    text = payload if isinstance(payload, str) else payload.decode()
    return RewardPacket(entries=tuple(_entry(line) for line in text.splitlines() if line.strip()))


def parse_reward_value(payload: bytes | str, player_name: str | None = None) -> int:
    """Return the reward of a player, or of the first one."""
    packet = parse_reward_packet(payload)
    return packet.first_reward() if player_name is None else packet.reward_for(player_name)


def _entry(line: str) -> RewardEntry:
    parts = line.split()
    if len(parts) != 3:
        raise ValueError(f"a reward line has a name, a player and a value: {line!r}")
    name, player, value = parts
    return RewardEntry(name=name, player=player, value=int(value))
