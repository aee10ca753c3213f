"""One module per level: `missing()` returns why it is not available (None if it may be), `plan(job)` its plan."""

from types import ModuleType

from cogbox._levels import bubblewrap, container, landlock, namespaces, none
from cogbox.level import Level

MODULES: dict[Level, ModuleType] = {
    Level.CONTAINER: container,
    Level.BUBBLEWRAP: bubblewrap,
    Level.NAMESPACES: namespaces,
    Level.LANDLOCK: landlock,
    Level.NONE: none,
}
