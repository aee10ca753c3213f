"""The commands of our images on a machine without containers; `coworld` imports this through an entry point."""

from importlib.metadata import entry_points
from importlib.util import find_spec

from cogsguard.coworld.images import GAME_IMAGE, PLAYER_IMAGE
from coworld.engines.local_images import register

__all__: list[str] = []

_PACKAGES = [name for name in ("cogsguard", "mettagrid", "cogames") if find_spec(name) is not None]
# As `mettagrid.policy.installed_policies` finds them, which is not imported here: `coworld` must not import the engine.
_NAMED = dict.fromkeys(point.module.partition(".")[0] for point in entry_points(group="mettagrid.policies"))
_POLICIES = [name for name in _NAMED if name not in _PACKAGES and find_spec(name) is not None]

register(GAME_IMAGE, ["python", "-m", "cogsguard.coworld"], packages=_PACKAGES)
register(PLAYER_IMAGE, ["python", "-m", "cogsguard.coworld.player"], packages=[*_PACKAGES, *_POLICIES])
