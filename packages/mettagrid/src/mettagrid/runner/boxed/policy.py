"""A policy in a box, as a source for the episode runner."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mettagrid.runner.boxed.material import PolicyMaterial, material_from_spec, material_from_uri

if TYPE_CHECKING:
    import cogbox
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.runner.episode.holder import SeatHolder

__all__ = ["BoxPolicyOptions", "BoxedPolicy", "FailedPolicy"]

# Packages that are visible to a policy, if they are installed, beside those that register policies.
_PACKAGES = ("mettagrid", "cogsguard", "cogames")
# One thread, and one order of sets and dictionaries: the same episode gives the same result on every machine.
_VARIABLES = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "METTAGRID_LOG_LEVEL": "WARNING",
}


@dataclass(frozen=True)
class BoxPolicyOptions:
    """The settings of a boxed policy. The defaults are those of the league."""

    minimum: str = "landlock"
    """weakest isolation to accept"""
    at_most: str = "bubblewrap"
    """strongest isolation to use: a container is not stricter and takes ten times as long to start"""
    memory: int = 2 << 30
    wall_seconds: float = 24 * 3600.0
    """time limit of the box, for orphans only; the duration of an episode depends on all its policies"""
    processes: int = 128
    output_bytes: int = 100 << 20
    env: Mapping[str, str] = field(default_factory=dict)
    """environment variables of this policy only, such as its secrets"""
    egress: Sequence[str] = ()
    """hosts it may connect to"""
    log_path: str | None = None
    """file for its output, without its secrets and without local paths"""
    echo: bool = False
    """also write its output to standard error after it has ended"""
    log_bytes: int = 1 << 20
    """most stored bytes of the output: the beginning and the end"""


@dataclass(frozen=True)
class FailedPolicy:
    """A source of a policy that cannot play, because its setup script failed; its seats do nothing."""

    name: str
    message: str

    def open(self) -> SeatHolder:
        from mettagrid.runner.episode.errors import PolicyFailure

        raise PolicyFailure("crashed", self.message)


@dataclass(frozen=True)
class BoxedPolicy:
    """A source of policies for `EpisodePlan`, each opened in a new box."""

    material: PolicyMaterial
    options: BoxPolicyOptions = BoxPolicyOptions()

    @classmethod
    def from_uri(cls, uri: str, options: BoxPolicyOptions | None = None) -> BoxedPolicy:
        """Create a source from a URI, path or name. A setup script runs now, in a box."""
        return cls(material_from_uri(uri), options or BoxPolicyOptions())

    @classmethod
    def from_spec(cls, spec: PolicySpec, options: BoxPolicyOptions | None = None) -> BoxedPolicy:
        """Create a source from a spec, as given to `-p`."""
        return cls(material_from_spec(spec), options or BoxPolicyOptions())

    @property
    def name(self) -> str:
        return self.material.name

    @property
    def policy_env_interface(self) -> PolicyEnvInterface | None:
        """The game that the policy was made for: as its bundle records, or as the class of installed code says."""
        from mettagrid.policy.policy_env_interface import PolicyEnvInterface
        from mettagrid.policy.policy_spec import PolicySpec
        from mettagrid.runner.bitworld.interface import recorded_interface

        material = self.material
        if material.recorded_interface is not None:
            return PolicyEnvInterface.model_validate(material.recorded_interface)
        # Only the box may import the code of a bundle.
        return None if material.import_roots else recorded_interface(PolicySpec(class_path=material.class_path))

    def open(self) -> SeatHolder:
        """Start a box; the policy in it is created when the episode is prepared. Raises `MachineFault` on failure."""
        import cogbox
        from mettagrid.runner.boxed.logs import Hidden
        from mettagrid.runner.boxed.process import BoxProcess
        from mettagrid.runner.episode.errors import MachineFault
        from mettagrid.runner.episode.served import ServedHolder

        try:
            box = self.start()
        except (cogbox.CogboxError, OSError) as error:
            raise MachineFault(f"No box could be created: {error}") from error
        hidden = Hidden.of_box(self.material.folders, box.work, self.options.env.values())
        options = self.options
        process = BoxProcess(box, options.log_path, hidden=hidden, log_bytes=options.log_bytes, echo=options.echo)
        return ServedHolder(box.channels[0], process)

    def start(self) -> cogbox.Box:
        """Start a new box with a policy server at the other end of its channel."""
        import cogbox

        material, options = self.material, self.options
        mounts = [
            *cogbox.python_runtime(*visible_packages()),
            *(cogbox.Mount(Path(folder)) for folder in material.folders),
        ]
        command = [sys.executable, "-m", "mettagrid.runner.policy_server.server", "--material", "material.json"]
        return cogbox.sandbox(minimum=options.minimum, at_most=options.at_most).start(
            [*command, "--fd", "3"],
            env={**_VARIABLES, **options.env},
            files={"material.json": json.dumps(asdict(material)).encode()},
            mounts=mounts,
            channels=1,
            keep_output=0,  # the log is read from its file
            egress=cogbox.Egress(list(options.egress)) if options.egress else None,
            limits=cogbox.Limits(
                memory=options.memory,
                wall_seconds=options.wall_seconds,
                processes=options.processes,
                output_bytes=options.output_bytes,
            ),
        )


def visible_packages() -> list[str]:
    """Return the installed packages whose sources a policy may import, also where they are editable installs."""
    import importlib.util

    from mettagrid.policy.installed_policies import installed_policy_packages

    ours = [name for name in _PACKAGES if importlib.util.find_spec(name) is not None]
    return list(dict.fromkeys([*ours, *installed_policy_packages()]))
