"""Models of the `--json` output, one for each command. `coworld docs --json-schema NAME` prints the schema of one."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

__all__ = [
    "DOCUMENTS",
    "BuildDocument",
    "BuiltImageDocument",
    "BundleDocument",
    "CatalogueDocument",
    "CatalogueEntryDocument",
    "DocsDocument",
    "EpisodeDocument",
    "EpisodesDocument",
    "FailureDocument",
    "FilesDocument",
    "MapDocument",
    "OptimizeDocument",
    "PlayDocument",
    "ReplayDocument",
    "RoleDocument",
    "SchemaCheckDocument",
    "StatsDocument",
]


class FailureDocument(BaseModel):
    """Why an episode failed."""

    type: str = Field(description="One of the failure types")
    message: str
    party: str = Field(description="The party that has to act: `game`, `player`, `platform` or `nobody`")
    slot: int | None = Field(default=None, description="The player to blame")


class EpisodeDocument(BaseModel):
    """One episode."""

    artifacts: str = Field(description="The folder with its files")
    results_path: str | None
    replay_path: str | None
    logs: str
    seed: int | None = Field(default=None, description="The seed of its config, if it has one")
    scores: list[float] | None
    results: dict[str, Any] | None
    seconds: float
    error: FailureDocument | None


class EpisodesDocument(BaseModel):
    """`run-episode` and `scrimmage`."""

    coworld: str
    version: str
    engine: str
    variant: str | None
    artifacts_root: str
    episodes: list[EpisodeDocument]


class PlayDocument(BaseModel):
    """`play`, when it is over."""

    coworld: str
    variant: str | None
    links: dict[str, Any] = Field(description="`players`, `global` and `admin`; they no longer work")
    episode: EpisodeDocument


class ReplayDocument(BaseModel):
    """`replay`, when it is ready."""

    coworld: str
    replay: str
    link: str


class FilesDocument(BaseModel):
    """`init player` and `make-policy`."""

    folder: str
    template: str
    files: list[str]


class BundleDocument(BaseModel):
    """`bundle`."""

    bundle: str
    status: str
    include: list[str]
    files: dict[str, Any]


class RoleDocument(BaseModel):
    """`report`, `grade` and `diagnose`."""

    role: str
    id: str
    output: str | None = Field(description="The file it was written to")
    files: list[str] = Field(default_factory=list, description="The contents of the output, if it is a folder or a zip")
    document: dict[str, Any] | None = Field(default=None, description="The grade, or the manifest of a zip")


class BuiltImageDocument(BaseModel):
    """One image of a built manifest."""

    image: str = Field(description="The reference in the compose file or template")
    reference: str = Field(description="The reference in the manifest")
    how: str = Field(description="`built`, `tagged by content`, `pinned by digest` or `unchanged`")
    id: str | None = Field(description="The id of the image; null if it is not on this machine")


class BuildDocument(BaseModel):
    """`build`."""

    path: str = Field(description="The manifest")
    version: str
    engine: str = Field(description="`podman` or `docker`")
    images: list[BuiltImageDocument]


class CatalogueDocument(BaseModel):
    """`reporters list`, `reporters search`, `roles list` and `roles search`."""

    entries: list[dict[str, Any]] = Field(description="Entries of catalogues, or reporters as the server returns them")
    next_cursor: str | None = Field(default=None, description="Continues a server's listing")


class CatalogueEntryDocument(BaseModel):
    """`reporters show` and `roles show`."""

    entry: dict[str, Any]
    manifest_entry: dict[str, Any] | None = Field(description="What a manifest needs to use it")


class MapDocument(BaseModel):
    """`map`."""

    path: str = Field(description="The side file with the mapping")
    image: str
    mapping: dict[str, Any] = Field(description="The image's entry")
    installs: list[str] = Field(description="What the Dockerfile installs with pip")


class DocsDocument(BaseModel):
    """`docs`: the list, or one document."""

    documents: list[str]
    path: str | None = None
    text: str | None = None


class StatsDocument(BaseModel):
    """`stats validate` and `stats extract-paintarena`."""

    path: str
    episodes: int
    failures: int


class OptimizeDocument(BaseModel):
    """`optimize`."""

    first: str = Field(description="The initial version")
    best: str
    best_folder: str
    kept: int
    decisions: list[dict[str, Any]] = Field(
        description="One per iteration: `iteration`, `version`, `kept`, `reason`, and `mean`, `low`, `high`, `pairs`"
    )
    report: str


class SchemaCheckDocument(BaseModel):
    """`manifest-schema check`."""

    against: str | None
    problems: list[str]


DOCUMENTS: dict[str, type[BaseModel]] = {
    "run-episode": EpisodesDocument,
    "scrimmage": EpisodesDocument,
    "play": PlayDocument,
    "replay": ReplayDocument,
    "init": FilesDocument,
    "make-policy": FilesDocument,
    "map": MapDocument,
    "build": BuildDocument,
    "bundle": BundleDocument,
    "report": RoleDocument,
    "grade": RoleDocument,
    "diagnose": RoleDocument,
    "reporters": CatalogueDocument,
    "roles": CatalogueDocument,
    "catalogue-entry": CatalogueEntryDocument,
    "optimize": OptimizeDocument,
    "docs": DocsDocument,
    "stats": StatsDocument,
    "manifest-schema": SchemaCheckDocument,
}
"""that of `certify` is `coworld.certification.report.CertificationReport`"""
