"""One module per level: `missing()` says why it is not to be had (None if it may be), `plan(job)` how to start it."""

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
