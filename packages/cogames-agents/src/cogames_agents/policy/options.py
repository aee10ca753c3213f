"""Options of the scripted policies, as URIs and `kw.` arguments give them: numbers and words, often as text."""

from __future__ import annotations

from collections.abc import Mapping

from cogames_agents.planner.roster import ROLES, SMART, roster_of_counts, roster_of_names

__all__ = ["Option", "read_flag", "read_roster", "refuse_unknown"]

Option = int | str | bool
_COUNTS = (*ROLES, SMART)
_MOST = 10_000  # cogs; more is a mistake


def read_roster(
    policy: str, counts: Mapping[str, Option], role_cycle: str | None, role_order: str | None, agents: int
) -> list[str]:
    """Return the roster of a policy's options: a repeated pattern, an order, or counts of each role."""
    refuse_unknown(policy, counts, (*_COUNTS, "role_cycle", "role_order"))
    if role_cycle:
        cycle = roster_of_names("role_cycle", str(role_cycle).split(","))
        return [cycle[index % len(cycle)] for index in range(agents)] if cycle else []
    if role_order:
        return roster_of_names("role_order", str(role_order).split(","))
    return roster_of_counts({role: _count(role, value) for role, value in counts.items()})


def refuse_unknown(policy: str, options: Mapping[str, Option], known: tuple[str, ...]) -> None:
    """Raise TypeError for an option that the policy does not have."""
    for name in options:
        if name not in known:
            raise TypeError(f"{policy} has no option {name!r}; its options are {', '.join(known)}")


def read_flag(name: str, value: Option) -> bool:
    """Return a switch: 1, true, yes and on, or 0, false, no and off."""
    text = str(value).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off", ""):
        return False
    raise ValueError(f"{name} is {value!r}; it must be 1 or 0")


def _count(role: str, value: Option) -> int:
    try:
        count = int(value)
    except ValueError:
        count = -1
    if not 0 <= count <= _MOST:
        raise ValueError(f"{role} is {value!r}; it must be a number of cogs from 0 to {_MOST}")
    return count
