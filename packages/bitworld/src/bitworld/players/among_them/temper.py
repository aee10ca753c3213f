"""How cautious, patient and bold scripted players are: every number of their behaviour that decides who wins."""

from dataclasses import dataclass

__all__ = ["Temper"]


@dataclass(frozen=True, slots=True)
class Temper:
    """Times are in ticks, 24 a second; chances lie between 0 and 1."""

    look: tuple[int, int] = (60, 150)
    """shortest and longest look around before a task, and again after it"""
    company: float = 0.5
    """share of that look when two others are in view: company is safe"""
    visits: float = 0.35
    """chance to check on another player after a task"""
    visit_ticks: int = 200
    """longest time of such a visit"""
    ghost_rest: tuple[int, int] = (60, 160)
    """rest of a ghost after a task: nothing can happen to it"""
    flight: int = 96
    """longest flight of a crewmate from a suspect"""
    courage: int = 240
    """ticks after a flight in which a crewmate does not flee again: two who suspect each other must work too"""
    hasty_after: int = 5000
    """ticks of a game after which the crew works without a look around, so that games end before the time limit"""
    hasty_tasks: int = 3
    """open tasks of the whole crew at which it does the same, to finish"""
    alarm: int = 800
    """ticks that a known death should take at least: if deaths come faster, the crew hurries"""
    weak: float = 0.7
    """suspicion for which a rash crewmate votes"""
    rash: float = 0.3
    """chance that a crewmate votes on weak evidence instead of skipping"""

    cooldown: int = 1200
    """kill cooldown that an imposter expects until it has seen one: that of the published configuration"""
    pace: int = 1100
    """ticks that an imposter lets pass between two kills, to seem innocent, even if the cooldown is shorter"""
    stalk: int = 400
    """ticks before the end of the cooldown at which an imposter begins to follow a victim"""
    patience: int = 90
    """ticks for which an imposter stays with several crewmates before it looks for one who is alone"""
    frame: float = 0.5
    """chance that an imposter accuses a crewmate that it met, if no accusation was made yet"""
    bluff: float = 0.5
    """chance that an imposter who is accused, or whose partner is, claims to have seen the accuser in a vent"""
