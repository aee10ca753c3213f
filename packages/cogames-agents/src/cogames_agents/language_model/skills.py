"""Carry out the directives of a model with the wishes of the starter policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cogames.policy.cog import ELEMENTS, GEAR_COST, OURS, Cog
from cogames.policy.starter_agent import STARTER_ROLE_CYCLE, StarterCogPolicyImpl, StarterCogState
from cogames.sdk.cogsguard import (
    COGSGUARD_ROLE_HP_THRESHOLDS,
    COGSGUARD_ROLE_NAMES,
    PlannerDirective,
    PlannerSkillOption,
    SkillName,
    SkillStatus,
    preferred_role_for_skill,
)
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["DirectedCog"]

ASIDE_STEPS = 4  # moves of `unstuck`
HEALED_HP = 90
GEAR_SKILLS = {
    SkillName.GEAR_UP_MINER: "miner",
    SkillName.GEAR_UP_ALIGNER: "aligner",
    SkillName.GEAR_UP_SCRAMBLER: "scrambler",
}


class DirectedCog(StarterCogPolicyImpl):
    """One cog that follows directives.

    It carries out the skill of its directive until the skill ends, then the usual work of the skill's role. Without a
    directive it plays its role of the starter policy. It always turns back in time to heal.
    """

    def __init__(self, policy_env_info: PolicyEnvInterface, agent_id: int) -> None:
        super().__init__(policy_env_info, agent_id)
        self.script_role = STARTER_ROLE_CYCLE[agent_id % len(STARTER_ROLE_CYCLE)]
        self.cog: StarterCogState = self.initial_agent_state()
        self.directive: PlannerDirective | None = None
        self.exit_reason = ""
        """why the skill of the directive ended; empty while it runs"""
        self._began = 0
        self._hearts_before = self._most_hearts = self._most_cargo = 0
        self._roles: dict[str, Callable[[StarterCogState], Iterator[int]]] = {
            "miner": self._mine,
            "aligner": self._align,
            "scrambler": self._scramble,
            "scout": self._scout,
        }

    @property
    def role(self) -> str:
        """Return the role whose work the cog does: of its skill, of its gear, or of the script."""
        if self.directive is None:
            return self.script_role
        role = preferred_role_for_skill(self.directive.skill)
        worn = (gear for gear in COGSGUARD_ROLE_NAMES if self.cog.has(gear))
        return role or next(worn, self.script_role)

    @property
    def skill_steps(self) -> int:
        """Return the number of steps since the directive came."""
        return self.cog.steps - self._began

    def look(self, row: bytes) -> None:
        """Process an observation, and check whether the skill has ended."""
        self.cog.look(row)
        self._most_hearts = max(self._most_hearts, self.cog.has("heart"))
        self._most_cargo = max(self._most_cargo, self.cog.cargo)
        if self.directive is not None and not self.exit_reason:
            self.exit_reason = self._ended(self.directive.skill) or ""

    def follow(self, directive: PlannerDirective | None) -> None:
        """Change the directive; None returns to the script."""
        self.directive, self.exit_reason = directive, ""
        self._began = self.cog.steps
        self._hearts_before = self._most_hearts = self.cog.has("heart")
        self._most_cargo = self.cog.cargo
        self.cog.element = None

    def decide(self) -> str:
        """Return the name of the action."""
        cog, directive = self.cog, self.directive
        if directive is not None and directive.skill is SkillName.UNSTUCK and not self.exit_reason:
            return cog.walker.step_aside()
        for cells in self._wanted(cog):
            action = cog.walker.toward(cells & ~cog.useless)
            if action is not None:
                return action
        return self._explore(cog)

    def options(self) -> list[PlannerSkillOption]:
        """Return every skill with its status."""
        active = None if self.directive is None or self.exit_reason else self.directive.skill
        options = []
        for skill in SkillName:
            status, reason = self._status(skill)
            if skill is active:
                status = SkillStatus.ACTIVE
            role = preferred_role_for_skill(skill)
            options.append(PlannerSkillOption(name=skill, status=status, reason=reason, preferred_role=role))
        return options

    def _wanted(self, cog: StarterCogState) -> Iterator[int]:
        if self.directive is not None and not self.exit_reason:
            yield from self._survive(cog)
            yield from self._skill_wishes(cog, self.directive.skill)
        yield from self._roles[self.role](cog)

    def _skill_wishes(self, cog: StarterCogState, skill: SkillName) -> Iterator[int]:
        """Yield the places of a skill; skills that are the whole work of a role have none of their own."""
        gear = GEAR_SKILLS.get(skill)
        if gear is not None:
            yield from self._gear_up(cog, gear)
            yield from self._gather(cog)
        elif skill is SkillName.MINE_BIASED_RESOURCE:
            if not any(cog.has(gear) for gear in GEAR_COST):
                yield from self._gear_up(cog, "miner")
            yield from self._gather(cog)
        elif skill is SkillName.DEPOSIT_RESOURCES:
            yield cog.hub | cog.junctions & cog.ours
        elif skill is SkillName.GET_HEART:
            if cog.heart_supply:
                yield cog.hub
            yield from self._gather(cog)
        elif skill is SkillName.EXPLORE:
            yield from self._own_quarter_first(cog, cog.memory.frontier)
        elif skill is SkillName.RETREAT:
            yield cog.home | cog.hub

    def _scarcest_element(self, cog: StarterCogState) -> str | None:
        """Return the element of the directive if an extractor of it is known, else the scarcest one."""
        bias = None if self.directive is None else self.directive.resource_bias
        return bias if bias is not None and cog.extractors(bias) else super()._scarcest_element(cog)

    def _ended(self, skill: SkillName) -> str | None:
        """Return why a skill has ended; None while it continues."""
        cog, gear = self.cog, GEAR_SKILLS.get(skill)
        if gear is not None:
            return f"has {gear} gear" if cog.has(gear) else None
        if skill is SkillName.MINE_BIASED_RESOURCE:
            return "brought a load home" if self._most_cargo and not cog.cargo else None
        if skill is SkillName.DEPOSIT_RESOURCES:
            return None if cog.cargo else "nothing left to deposit"
        if skill is SkillName.GET_HEART:
            return "took a heart" if cog.has("heart") > self._hearts_before else None
        if skill in (SkillName.ALIGN_FRONTIER, SkillName.SCRAMBLE_FRONTIER):
            return "all hearts are used" if self._most_hearts and not cog.has("heart") else None
        if skill is SkillName.EXPLORE:
            return None if cog.memory.frontier else "no unseen cell in reach"
        if skill is SkillName.RETREAT:
            return "safe and healed" if is_home(cog) and cog.has("hp") >= HEALED_HP else None
        return "moved aside" if self.skill_steps >= ASIDE_STEPS else None

    def _status(self, skill: SkillName) -> tuple[SkillStatus, str]:
        cog, gear = self.cog, GEAR_SKILLS.get(skill)
        if gear is not None:
            if cog.has(gear):
                return SkillStatus.BLOCKED, f"the cog has {gear} gear"
            if not cog.can_pay(gear):
                return SkillStatus.SETUP, "the team cannot pay for it yet"
            return (
                (SkillStatus.READY, "the team can pay for it")
                if cog.station(gear)
                else (SkillStatus.SETUP, "the station is not found yet")
            )
        if skill is SkillName.MINE_BIASED_RESOURCE:
            known = [element for element in ELEMENTS if cog.extractors(element)]
            reason = f"known extractors: {', '.join(known) or 'none'}; cargo {cog.cargo} of {cog.capacity}"
            return (SkillStatus.READY if known else SkillStatus.SETUP), reason
        if skill is SkillName.DEPOSIT_RESOURCES:
            return (SkillStatus.READY if cog.cargo else SkillStatus.BLOCKED), f"cargo {cog.cargo} of {cog.capacity}"
        if skill is SkillName.GET_HEART:
            return (
                SkillStatus.READY if cog.heart_supply else SkillStatus.SETUP
            ), f"the hub can give {cog.heart_supply}"
        if skill is SkillName.ALIGN_FRONTIER:
            return self._pressure("aligner", cog.junctions & ~cog.ours & cog.network)
        if skill is SkillName.SCRAMBLE_FRONTIER:
            return self._pressure("scrambler", cog.junctions & cog.theirs)
        if skill is SkillName.EXPLORE:
            unseen = cog.memory.frontier.bit_count()
            return (SkillStatus.READY if unseen else SkillStatus.BLOCKED), f"{unseen} unseen cells beside known ones"
        if skill is SkillName.RETREAT:
            low = COGSGUARD_ROLE_HP_THRESHOLDS[self.role]
            return SkillStatus.READY, f"hp {cog.has('hp')}, low below {low}; {'at home' if is_home(cog) else 'away'}"
        return SkillStatus.READY, f"{ASIDE_STEPS} random moves"

    def _pressure(self, gear: str, targets: int) -> tuple[SkillStatus, str]:
        cog = self.cog
        reason = f"{targets.bit_count()} known targets, {cog.has('heart')} hearts"
        if cog.has(gear) and cog.has("heart"):
            return (SkillStatus.READY if targets else SkillStatus.SETUP), reason
        return SkillStatus.SETUP, f"{reason}; needs {gear} gear and a heart"


def is_home(cog: Cog) -> bool:
    """Return whether the cog stands in its team's territory."""
    return cog.memory.number("territory:here") == OURS
