"""A container image as the root folder of a box."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cogbox.errors import BadRequest


@dataclass(frozen=True, kw_only=True)
class ImageRoot:
    """The files of an image instead of the machine's: the program sees those, its private folder and nothing else.

    Needs the level `container`. The program runs as the user of the image, root included, without capabilities. Its
    variables are those of the request alone: the caller adds the image's.
    """

    image: str
    """id or reference of an image that the engine has"""
    uid: int = 0
    gid: int = 0
    """the image's user as numbers; files of the private folder belong to it"""
    name: str
    """name of the container, unique on this machine"""
    labels: Mapping[str, str] = field(default_factory=dict)
    hosts: Sequence[str] = ()
    """host names of the loopback, for links"""
    platform: str | None = None
    """such as `linux/amd64`; None for the platform of the image"""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*", self.name):
            raise BadRequest(f"{self.name!r} is not a valid container name")
        for host in self.hosts:
            if not re.fullmatch(r"[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?", host):
                raise BadRequest(f"{host!r} is not a valid host name")
        if not self.image or self.image.startswith("-"):
            raise BadRequest(f"{self.image!r} is not an image reference")
