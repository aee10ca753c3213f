"""Which division of a league is which of the configuration, and who enters its rounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, overload

from coworld.commissioner.protocol import DivisionConfig, DivisionInfo, MembershipInfo, PolicyMembershipEventChange
from coworld.errors import CoworldError
from coworld.roles.ruleset.config import Ruleset

__all__ = ["division_configs", "division_key", "entrants_of", "migration_events"]


@overload
def division_key(ruleset: Ruleset, division: DivisionInfo) -> str: ...
@overload
def division_key(ruleset: Ruleset, division: DivisionInfo, *, strict: Literal[False]) -> str | None: ...
def division_key(ruleset: Ruleset, division: DivisionInfo, *, strict: bool = True) -> str | None:
    """Return the key of a division in the configuration: by its name, else by what `match` says."""
    for key, rules in ruleset.divisions.items():
        if rules.name == division.name:
            return key
    for key, rules in ruleset.divisions.items():
        if rules.match.name == division.name or (rules.match.name is None and rules.match.type == division.type):
            return key
    if strict:
        raise CoworldError(f"the ruleset has no division for {division.name!r} ({division.type})")
    return None


def entrants_of(
    ruleset: Ruleset, key: str, division: DivisionInfo, memberships: Iterable[MembershipInfo]
) -> list[MembershipInfo]:
    """Return the entrants of a division in seed order: qualifiers, or the champions among those who compete."""
    rules = ruleset.divisions[key]
    members = [member for member in memberships if member.division_id == division.id]
    if rules.entrants == "qualifying":
        return [member for member in members if member.status == "qualifying"]
    return [member for member in members if member.status == "competing" and member.is_champion]


def division_configs(ruleset: Ruleset, existing: Sequence[DivisionInfo]) -> list[DivisionConfig]:
    """Return the divisions of the configuration; existing ones that match are renamed."""
    names = {division.name for division in existing}
    taken: set[str] = set()
    configs = []
    for rules in ruleset.divisions.values():
        former = rules.name if rules.name in names else None
        if former is None:
            matching = [division for division in existing if _matches(rules.match.name, rules.match.type, division)]
            free = [
                division.name
                for division in matching
                if division.name not in taken and not _is_named(ruleset, division)
            ]
            former = free[0] if free else None
        if former is not None:
            taken.add(former)
        configs.append(
            DivisionConfig(
                name=rules.name,
                level=rules.level,
                type=rules.type,
                description=rules.description,
                previous_name=former if former != rules.name else None,
            )
        )
    return configs


def _matches(name: str | None, kind: str | None, division: DivisionInfo) -> bool:
    return division.name == name if name is not None else kind is not None and division.type == kind


def _is_named(ruleset: Ruleset, division: DivisionInfo) -> bool:
    return any(rules.name == division.name for rules in ruleset.divisions.values())


def migration_events(
    ruleset: Ruleset, divisions: Sequence[DivisionInfo], memberships: Iterable[MembershipInfo]
) -> list[PolicyMembershipEventChange]:
    """Move members of divisions that are not in the configuration to where their status belongs."""
    known = {division.id: division for division in divisions}
    if not divisions:
        return []
    events = []
    for member in memberships:
        if member.division_id in known:
            continue
        kind = "competition" if member.status == "competing" else "staging"
        target = min(divisions, key=lambda division: (division.type != kind, division.level))
        status = member.status if target.type == kind else "competing"
        events.append(
            PolicyMembershipEventChange(
                league_policy_membership_id=member.id,
                from_division_id=member.division_id,
                to_division_id=target.id,
                status=status,
                substatus=member.substatus,
                reason=f"The division is gone; {target.name} takes its members",
            )
        )
    return events
