"""Measure how many bytes objects take and how that changes."""

from __future__ import annotations

import os
import sys
import weakref
from types import MappingProxyType
from typing import Any

__all__ = ["MemoryMonitor", "get_object_size"]

_MB = 1024 * 1024


def get_object_size(obj: Any, visited: set[int] | None = None) -> int:
    """Return the bytes of an object and of everything it holds, each object counted once.

    Containers (dict, list, tuple, set, frozenset), attributes and slots are followed. Arrays count as `sys.getsizeof`
    reports them, a class without its members. `visited` holds the ids to skip; the call adds those it counted.
    """
    visited = set() if visited is None else visited
    total = 0
    pending = [obj]
    while pending:
        current = pending.pop()
        if id(current) not in visited:
            visited.add(id(current))
            total += sys.getsizeof(current)
            pending += _parts(current)
    return total


def _parts(obj: Any) -> list[Any]:
    """Return the objects that `obj` holds directly."""
    parts: list[Any] = []
    if isinstance(obj, dict):
        parts += [*obj.keys(), *obj.values()]
    elif isinstance(obj, list | tuple | set | frozenset):
        parts += obj
    elif isinstance(obj, MappingProxyType):
        return []
    if attributes := getattr(obj, "__dict__", None):
        parts.append(attributes)
    return parts + list(_slots(obj).values())


def _slots(obj: Any) -> dict[str, Any]:
    """Return the values of an object's slots by name."""
    if isinstance(obj, type):
        return {}
    declared = [vars(base).get("__slots__", ()) for base in type(obj).__mro__]
    names = [name for slots in declared for name in ((slots,) if isinstance(slots, str) else slots)]
    return {name: getattr(obj, name) for name in names if not name.startswith("__") and hasattr(obj, name)}


class MemoryMonitor:
    """Sizes of objects by name. Objects are referenced weakly where they can be, strongly otherwise."""

    def __init__(self) -> None:
        self._tracked_objects: dict[str, dict[str, Any]] = {}

    def add(self, obj: Any, name: str | None = None, track_attributes: bool = False) -> None:
        """Track an object, and as `NAME.ATTRIBUTE` each of its attributes with `track_attributes`.

        The default name has the caller's file and line and the object's own name or class: `game.py:12.maze[Scene]`.
        """
        name = self._generate_name(obj) if name is None else name
        self._track(obj, name)
        if track_attributes:
            self._track_object_fields(obj, name)

    def get(self, name: str) -> dict[str, Any]:
        """Return an object's size now, at `add`, and the difference; {} when it is not tracked or no longer alive."""
        obj = self._alive(name)
        if obj is None:
            return {}
        tracked = self._tracked_objects[name]
        size, initial = get_object_size(obj), tracked["initial_size"]
        return {
            "current_size": size,
            "current_size_mb": round(size / _MB, 3),
            "initial_size": initial,
            "size_change": size - initial,
            "size_change_mb": round((size - initial) / _MB, 3),
            "is_weak": tracked["is_weak"],
        }

    def stats(self) -> dict[str, float]:
        """Return megabytes by name, of all living objects that take at least half a kilobyte."""
        sizes = {name: self.get(name).get("current_size_mb", 0.0) for name in list(self._tracked_objects)}
        return {name: size for name, size in sizes.items() if size > 0}

    def remove(self, name: str) -> bool:
        """Stop tracking an object and its attributes; return whether it was tracked."""
        if name not in self._tracked_objects:
            return False
        for key in [key for key in self._tracked_objects if key == name or key.startswith(f"{name}.")]:
            del self._tracked_objects[key]
        return True

    def clear(self) -> None:
        """Stop tracking everything."""
        self._tracked_objects.clear()

    def _track(self, obj: Any, name: str) -> None:
        reference: Any = obj
        is_weak = True
        try:
            reference = weakref.ref(obj, lambda _: self._tracked_objects.pop(name, None))
        except TypeError:
            is_weak = False
        self._tracked_objects[name] = {
            "object_ref": reference,
            "initial_size": get_object_size(obj),
            "is_weak": is_weak,
        }

    def _track_object_fields(self, obj: Any, name: str) -> None:
        fields = {**getattr(obj, "__dict__", {}), **_slots(obj)}
        for field, value in fields.items():
            self._track(value, f"{name}.{field}")

    def _alive(self, name: str) -> Any:
        """Return the tracked object; None if it is not tracked or no longer alive."""
        tracked = self._tracked_objects.get(name)
        if tracked is None:
            return None
        return tracked["object_ref"]() if tracked["is_weak"] else tracked["object_ref"]

    def _generate_name(self, obj: Any) -> str:
        caller = sys._getframe(2)  # the caller of `add`
        place = f"{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}"
        kind = type(obj).__name__
        own = next((own for key in ("__name__", "name") if isinstance(own := getattr(obj, key, None), str)), None)
        return f"{place}.{kind}" if own is None else f"{place}.{own}[{kind}]"
