"""Models of a `CATALOG.yaml`: implementations of roles, with what a manifest needs to use them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from coworld.schema.base import BrokenRule, DocumentModel, Text

__all__ = ["ROLES", "Catalogue", "CatalogueEntry", "RoleName"]

RoleName = Literal["game", "player", "commissioner", "reporter", "grader", "diagnoser", "optimizer"]
ROLES: tuple[RoleName, ...] = ("game", "player", "commissioner", "reporter", "grader", "diagnoser", "optimizer")


class CatalogueEntry(DocumentModel):
    """One implementation of a role: an image, a component of the catalogue's folder, or a published reporter."""

    id: Text = Field(description="The name within the catalogue.")
    role: RoleName = Field(description="The role it implements.")
    name: Text = Field(description="The title people see.")
    description: Text = Field(description="What it does.")
    owner: Text | None = Field(default=None, description="The person or organization that maintains it.")
    image: Text | None = Field(default=None, description="The image reference.")
    run: list[str] = Field(default_factory=list, description="The command; empty means the image's default command.")
    env: dict[str, str] = Field(default_factory=dict, description="Environment variables; they are public.")
    wasm: Text | None = Field(default=None, description="A reporter component, relative to the catalogue.")
    reporter: Text | None = Field(default=None, description="A published reporter, `owner/name@version`.")
    attributes: dict[str, Any] = Field(default_factory=dict, description="`purpose`, `world` and `outputs`.")
    source_url: Text | None = Field(default=None, description="Where the source is published.")
    repository_url: Text | None = Field(default=None, description="The Git repository it comes from.")
    tags: list[Text] = Field(default_factory=list, description="Words to find it by.")

    @model_validator(mode="after")
    def check_program(self) -> CatalogueEntry:
        """Check that the entry names what to run."""
        given = [name for name in ("image", "wasm", "reporter") if getattr(self, name)]
        if not given or ("wasm" in given and len(given) > 1):
            raise BrokenRule(
                "has no program" if not given else "has more than one program", "write `image`, `wasm` or `reporter`"
            )
        if self.role != "reporter" and not self.image:
            raise BrokenRule(f"is a {self.role} without an image", "only reporters can be components or references")
        return self

    @property
    def program(self) -> str:
        return self.wasm or self.image or self.reporter or ""

    @property
    def outputs(self) -> list[dict[str, Any]]:
        declared = self.attributes.get("outputs")
        return [output for output in declared if isinstance(output, dict)] if isinstance(declared, list) else []

    def manifest_entry(self) -> dict[str, Any]:
        """Return what a manifest needs to use it."""
        if self.reporter:
            return {"reporter": self.reporter}
        if self.wasm:
            text = {"display_name": self.name[:200], "description": self.description[:2000]}
            return {"wasm": self.wasm, "id": self.id, **text, "attributes": self.attributes}
        program = {"image": self.image, "run": self.run, "env": self.env, "source_url": self.source_url}
        runnable = {"type": self.role, **{key: value for key, value in program.items() if value}}
        if self.role == "game":
            return runnable
        return {**runnable, "id": self.id, "name": self.name, "description": self.description}


class Catalogue(DocumentModel):
    """A `CATALOG.yaml`."""

    entries: list[CatalogueEntry]

    @model_validator(mode="after")
    def check_ids(self) -> Catalogue:
        """Check that an id is unique within its role."""
        seen: set[tuple[str, str]] = set()
        for index, entry in enumerate(self.entries):
            if (entry.role, entry.id) in seen:
                raise BrokenRule(f"repeats the {entry.role} {entry.id!r}", "give it another id", "entries", index, "id")
            seen.add((entry.role, entry.id))
        return self
