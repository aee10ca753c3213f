"""Isolation levels of boxes, weakest first."""

from enum import Enum


class Level(Enum):
    """An isolation level. Compare levels with `<` and `>=`: a later one is stronger."""

    NONE = "none"
    """limits only; the program can do what its user can. For trusted programs."""
    LANDLOCK = "landlock"
    """Landlock, a system call filter, limits; the program sees the names of files but opens only its own"""
    NAMESPACES = "namespaces"
    """own user, mount, pid, net, ipc and uts namespaces made by the guard, a system call filter, limits"""
    BUBBLEWRAP = "bubblewrap"
    """the same isolation, built by bubblewrap"""
    CONTAINER = "container"
    """podman or docker with our limits, no network, no capabilities, a root folder that contains only the mounts"""

    @property
    def strength(self) -> int:
        return list(Level).index(self)

    def __lt__(self, other: "Level") -> bool:
        return self.strength < other.strength

    def __le__(self, other: "Level") -> bool:
        return self.strength <= other.strength

    def __gt__(self, other: "Level") -> bool:
        return self.strength > other.strength

    def __ge__(self, other: "Level") -> bool:
        return self.strength >= other.strength

    @classmethod
    def named(cls, name: "str | Level") -> "Level":
        """Return the level of that name; `podman` and `docker` mean `container`."""
        if isinstance(name, Level):
            return name
        if name in ("podman", "docker"):
            return cls.CONTAINER
        try:
            return cls(name)
        except ValueError:
            names = ", ".join(level.value for level in cls)
            raise ValueError(f"unknown isolation level {name!r}; allowed: {names}") from None
