"""The commands of our images on a machine without containers; `coworld` imports this through an entry point."""

from importlib.util import find_spec

from cogsguard.coworld.images import GAME_IMAGE, PLAYER_IMAGE
from coworld.engines.local_images import register
from mettagrid.policy.installed_policies import installed_policy_packages

__all__: list[str] = []

_PACKAGES = [name for name in ("cogsguard", "mettagrid", "cogames") if find_spec(name) is not None]
_POLICIES = [name for name in installed_policy_packages() if name not in _PACKAGES]

register(GAME_IMAGE, ["python", "-m", "cogsguard.coworld"], packages=_PACKAGES)
register(PLAYER_IMAGE, ["python", "-m", "cogsguard.coworld.player"], packages=[*_PACKAGES, *_POLICIES])
