"""The documents and JSON Schemas that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "document_names", "read_document", "read_title", "schema", "schema_names"]

FOLDER = Path(__file__).parents[1] / "docs"
"""copies of the repository's `docs/coworld`, written by `scripts/coworld_docs.py`"""

_FILES = ("manifest", "manifest-v1", "episode-request", "stats-document")


def document_names() -> list[str]:
    """Return the names of all documents, the overview first."""
    return sorted((path.stem for path in FOLDER.glob("*.md")), key=lambda name: (name != "overview", name))


def read_document(name: str) -> str:
    """Return a document as Markdown; raises KeyError for an unknown name."""
    if name not in document_names():
        raise KeyError(name)
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def read_title(name: str) -> str:
    """Return the first heading of a document."""
    return read_document(name).partition("\n")[0].lstrip("# ").strip()


def schema_names() -> list[str]:
    """Return the names of the schemas: of files, and of the `--json` output of commands."""
    from coworld.cli.json_output import DOCUMENTS
    from coworld.cli.server_json_output import SERVER_DOCUMENTS

    return [*_FILES, *sorted([*DOCUMENTS, *SERVER_DOCUMENTS, "certify"])]


def schema(name: str) -> dict[str, Any]:
    """Return a schema by name; raises KeyError for an unknown name."""
    from coworld.cli.json_output import DOCUMENTS
    from coworld.cli.server_json_output import SERVER_DOCUMENTS

    if name in DOCUMENTS:
        return DOCUMENTS[name].model_json_schema(mode="serialization")
    if name in SERVER_DOCUMENTS:
        from pydantic import TypeAdapter

        return TypeAdapter(SERVER_DOCUMENTS[name]).json_schema(mode="serialization")
    if name == "certify":
        from coworld.certification.report import CertificationReport

        return CertificationReport.model_json_schema(mode="serialization")
    from coworld.models import coworld_episode_request_schema, coworld_manifest_schema
    from coworld.models.manifest import CoworldManifestV1
    from coworld.stats import get_coworld_stats_schema

    builders = {
        "manifest": coworld_manifest_schema,
        "manifest-v1": lambda: CoworldManifestV1.model_json_schema(by_alias=True),
        "episode-request": coworld_episode_request_schema,
        "stats-document": get_coworld_stats_schema,
    }
    return builders[name]()
