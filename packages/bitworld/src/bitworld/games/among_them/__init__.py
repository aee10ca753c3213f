"""Among Them: crewmates finish their tasks, imposters kill, everyone votes."""

from bitworld.games.among_them.game import AmongThem

__all__ = ["AmongThem"]
