"""Read a Dockerfile as far as a folder can replace its image: the copied files, the command and the environment.

Only the last stage counts, and nothing is built: packages that it installs have to be in the folder's own virtual
environment, or be installed beside `coworld`.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from coworld.engines.interpreters import OURS
from coworld.errors import CoworldError

__all__ = ["DockerImage", "DockerfileError", "read_dockerfile"]


class DockerfileError(CoworldError):
    """A Dockerfile whose image a folder cannot replace."""


@dataclass
class DockerImage:
    """The parts of an image that a mapping needs."""

    workdir: str = "/"
    at: str | None = None
    """the path of the build folder inside the image; None when nothing is copied"""
    env: dict[str, str] = field(default_factory=dict)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    installs: list[str] = field(default_factory=list)
    """what `pip install` names, in order"""

    @property
    def packages(self) -> list[str]:
        """Return the packages of this project that it installs."""
        names = [re.split(r"[\[<>=!~; ]", word, maxsplit=1)[0].replace("-", "_") for word in self.installs]
        return [name for name in OURS if name in names]

    def mapping(self) -> dict[str, object]:
        """Return the entry of a `coworld_local.json` beside the Dockerfile."""
        entry: dict[str, object] = {"root": ".", "argv": [*self.entrypoint, *self.command]}
        if self.at is not None:
            entry["at"] = self.at
            if self.workdir != self.at and PurePosixPath(self.workdir).is_relative_to(self.at):
                entry["workdir"] = str(PurePosixPath(self.workdir).relative_to(self.at))
        if self.env:
            entry["env"] = self.env
        if self.packages:
            entry["packages"] = self.packages
        return entry


def read_dockerfile(path: Path) -> DockerImage:
    """Read a Dockerfile.

    Raises:
        DockerfileError: it cannot be read, or its image is more than a folder with a command.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise DockerfileError(f"{path} could not be read: {error}", hint="name a Dockerfile") from None
    image: DockerImage | None = None
    for number, line in _instructions(text):
        word, _, rest = line.partition(" ")
        word, rest = word.upper(), rest.strip()
        if word == "FROM":
            image = DockerImage()
        elif image is not None:
            try:
                _apply(image, word, rest, path.parent)
            except ValueError as error:
                raise DockerfileError(
                    f"line {number} of {path} cannot be a local folder: {error}",
                    hint="write the mapping by hand, see `coworld docs runner`",
                ) from None
    if image is None:
        raise DockerfileError(f"{path} has no FROM", hint="name a Dockerfile")
    if not image.entrypoint and not image.command:
        raise DockerfileError(f"{path} has neither CMD nor ENTRYPOINT", hint="add one: it says what is run")
    return image


def _instructions(text: str) -> list[tuple[int, str]]:
    """Return the instructions with their line numbers: comments removed, lines that end in a backslash joined."""
    instructions: list[tuple[int, str]] = []
    begun: tuple[int, str] | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        first, before = begun or (number, "")
        joined = f"{before} {line.removesuffix(chr(92)).strip()}".strip()
        begun = (first, joined) if line.endswith("\\") else None
        if begun is None:
            instructions.append((first, joined))
    return instructions


def _apply(image: DockerImage, word: str, rest: str, context: Path) -> None:
    if word == "WORKDIR":
        image.workdir = str(PurePosixPath(image.workdir) / rest)
    elif word == "ENV":
        parts = shlex.split(rest)
        name, equals, _ = parts[0].partition("=")
        pairs = [part.partition("=")[::2] for part in parts] if equals else [(name, rest.partition(" ")[2].strip())]
        image.env.update({key: value for key, value in pairs if key != "PATH"})
    elif word == "CMD":
        image.command = _words(rest)
    elif word == "ENTRYPOINT":
        image.entrypoint, image.command = _words(rest), []
    elif word in ("COPY", "ADD"):
        _copy(image, shlex.split(rest), context)
    elif word == "RUN":
        for command in re.split(r"&&|;", rest):
            parts = shlex.split(command)
            if "install" in parts and any(part in ("pip", "pip3", "uv") for part in parts):
                image.installs += [part for part in parts[parts.index("install") + 1 :] if not part.startswith("-")]


def _words(text: str) -> list[str]:
    if not text.startswith("["):
        return ["/bin/sh", "-c", text]
    words = json.loads(text)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{text} is not a list of strings")
    return words


def _copy(image: DockerImage, words: list[str], context: Path) -> None:
    if any(word.startswith("--from") for word in words):
        raise ValueError("it copies from another stage; build the program in the folder instead")
    *sources, target = [word for word in words if not word.startswith("--")]
    into = target.endswith("/") or target in (".", "./") or len(sources) > 1
    where = PurePosixPath(image.workdir) / target
    for source in sources:
        plain = PurePosixPath(source)
        seen = where if (context / source).is_dir() or not into else where / plain.name
        if seen.parts[len(seen.parts) - len(plain.parts) :] != plain.parts:
            raise ValueError(f"{source} is seen as {seen} inside, which is another place than in the folder")
        at = str(PurePosixPath(*seen.parts[: len(seen.parts) - len(plain.parts)]))
        if image.at not in (None, at):
            raise ValueError(f"{source} belongs to {at}, and what was copied before to {image.at}")
        image.at = at
