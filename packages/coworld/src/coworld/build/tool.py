"""The command that builds images: podman or docker."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cogbox.container_engines import ENGINES, engine_command, engine_problem
from coworld.build.compose import DEFAULT_PLATFORM, Service
from coworld.build.errors import BuildError, BuildToolMissing

__all__ = ["PULL_POLICIES", "BuildTool", "PullPolicy", "find_build_tool", "install_command"]

PullPolicy = Literal["newer", "missing", "never"]
PULL_POLICIES: tuple[PullPolicy, ...] = ("newer", "missing", "never")


@dataclass(frozen=True)
class BuildTool:
    """A container tool that responds on this machine."""

    name: str
    words: Sequence[str]
    """the command with its global options"""

    def build(
        self,
        service: Service,
        *,
        labels: Mapping[str, str],
        epoch: int | None = None,
        pull: PullPolicy = "newer",
        options: Sequence[str] = (),
    ) -> str:
        """Build the image of a service, tag it with the name in the compose file and return its id.

        The output goes to stderr. `epoch` is the time of the image and of its files, in seconds since 1970.

        Raises:
            BuildError: the build failed.
        """
        assert service.build is not None
        with tempfile.TemporaryDirectory(prefix="coworld-build-") as folder:
            iid = Path(folder) / "iid"
            command = [*self._build_words(service, labels, epoch), f"--iidfile={iid}", *options]
            environment = dict(os.environ)
            if epoch is not None:
                environment["SOURCE_DATE_EPOCH"] = str(epoch)
            for attempt in self._pull_words(pull):
                words = [*command, *attempt, str(service.build.context)]
                code = subprocess.run(words, stdout=sys.stderr.fileno(), env=environment, check=False).returncode
                if code == 0:
                    return _bare(iid.read_text())
        raise BuildError(
            f"{self.name} could not build service {service.name!r} (exit code {code})",
            hint=f"its output is above; the Dockerfile is {service.build.dockerfile}",
        )

    def _build_words(self, service: Service, labels: Mapping[str, str], epoch: int | None) -> list[str]:
        assert service.build is not None
        spec = service.build
        words = [*self.words, "build", f"--file={spec.dockerfile}", f"--tag={service.image}"]
        words += [f"--platform={service.platform}"]
        words += [f"--build-arg={name}={value}" for name, value in spec.args.items()]
        words += [f"--label={name}={value}" for name, value in (dict(spec.labels) | dict(labels)).items()]
        if spec.target:
            words.append(f"--target={spec.target}")
        if spec.network:
            words.append(f"--network={spec.network}")
        if self.name == "podman":
            # Annotations belong to the image's OCI manifest; docker's own format has labels only.
            words += [f"--annotation={name}={value}" for name, value in labels.items() if _is_oci(name)]
            words += [f"--timestamp={epoch}"] if epoch is not None else []
        return words

    def _pull_words(self, pull: PullPolicy) -> list[list[str]]:
        """Return the options for base images, for one attempt after the other."""
        if self.name == "podman":
            return [[f"--pull={pull}"]]
        # `docker build --pull` fails without a registry even if the base image is on this machine.
        return [["--pull"], []] if pull == "newer" else [[]]

    def image_id(self, image: str) -> str | None:
        """Return the id of an image on this machine, without `sha256:`; None if it is not there."""
        found = self._inspect(image)
        return _bare(str(found["Id"])) if found else None

    def repository_digest(self, image: str) -> str | None:
        """Return `repository@sha256:...` of an image that a registry has; None if only this machine has it."""
        from coworld.engines.image_refs import image_ref_without_tag

        repository = image_ref_without_tag(image)
        digests = (self._inspect(image) or {}).get("RepoDigests") or ()
        return next((digest for digest in digests if digest.split("@")[0] == repository), None)

    def labels(self, image: str) -> dict[str, str]:
        """Return the labels of an image on this machine."""
        return ((self._inspect(image) or {}).get("Config") or {}).get("Labels") or {}

    def pull(self, image: str, platform: str = DEFAULT_PLATFORM) -> str | None:
        """Pull an image; return None, or the reason why that failed."""
        ran = self._run("pull", "--quiet", f"--platform={platform}", image)
        return None if ran.returncode == 0 else _last_line(ran.stderr)

    def tag(self, image: str, name: str) -> None:
        """Give an image a further name; raises BuildError."""
        ran = self._run("tag", image, name)
        if ran.returncode:
            raise BuildError(f"{self.name} could not tag {image} as {name}: {_last_line(ran.stderr)}")

    def _inspect(self, image: str) -> dict[str, Any] | None:
        ran = self._run("image", "inspect", image)
        if ran.returncode:
            return None
        found: list[dict[str, Any]] = json.loads(ran.stdout)
        return found[0] if found else None

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self.words, *words], capture_output=True, text=True, check=False)


def find_build_tool(name: str = "auto") -> BuildTool:
    """Return a tool that responds: the named one, or with `auto` podman, else docker.

    Raises:
        BuildToolMissing: none responds; the hint is the command that installs one.
    """
    reasons = []
    for tool in ENGINES if name == "auto" else (name,):
        if tool not in ENGINES:
            raise BuildError(f"{tool!r} builds no images", hint="use auto, podman or docker")
        reason = engine_problem(tool)
        if not reason:
            return BuildTool(tool, engine_command(tool))
        reasons.append(reason)
    raise BuildToolMissing(
        f"no program that builds images works here: {'; '.join(reasons)}",
        hint=install_command("podman" if name == "auto" else name),
    )


def install_command(tool: str) -> str:
    """Return the command that installs podman or docker on this machine."""
    debian = {"podman": "podman runc uidmap", "docker": "docker.io"}
    for manager, command in {
        "apt-get": f"sudo apt-get install {debian[tool]}",
        "dnf": f"sudo dnf install {tool}",
        "pacman": f"sudo pacman -S {tool}",
        "zypper": f"sudo zypper install {tool}",
        "brew": f"brew install {tool}",
    }.items():
        if shutil.which(manager):
            return command
    return f"install {tool}"


def _bare(image_id: str) -> str:
    return image_id.strip().removeprefix("sha256:")


def _is_oci(label: str) -> bool:
    return label.startswith("org.opencontainers.image.")


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].removeprefix("Error: ") if lines else "no error output"
