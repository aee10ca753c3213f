"""The description from which a policy is created."""

from pathlib import Path, PurePath
from typing import Any

from pydantic import BaseModel, Field, PrivateAttr

from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["PolicySpec"]


class PolicySpec(BaseModel):
    """A policy class, its weights and its arguments; everything `initialize_or_load_policy` needs.

    A description that was read from a bundle also holds the folders of its code. Copies and pickles preserve them, JSON
    does not: where JSON is needed, send the URI of the bundle.
    """

    class_path: str = Field(description="Full name of the policy class, or one of its short names")
    data_path: str | None = Field(default=None, description="Local file with the weights, where the policy has any")
    init_kwargs: dict[str, Any] = Field(
        default_factory=dict, description="Arguments for the class besides policy_env_info"
    )
    policy_env_interface: PolicyEnvInterface | None = Field(
        default=None, description="The game the policy was created for, as recorded in its bundle"
    )

    _import_roots: tuple[Path, ...] = PrivateAttr(default=())

    @property
    def name(self) -> str:
        """The class name, with the name of the weights file where there is one."""
        class_name = self.class_path.rpartition(".")[2]
        return class_name if self.data_path is None else f"{class_name}-{PurePath(self.data_path).name}"

    @property
    def import_roots(self) -> tuple[Path, ...]:
        """Folders of the bundle that the class is imported from, the most important first; empty for installed code."""
        return self._import_roots

    @import_roots.setter
    def import_roots(self, roots: tuple[Path, ...]) -> None:
        self._import_roots = roots

    def __eq__(self, other: object) -> bool:
        """Return whether the descriptions are equal, ignoring where the code is."""
        return type(self) is type(other) and self.__dict__ == getattr(other, "__dict__", None)
