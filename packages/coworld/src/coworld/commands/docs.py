"""`coworld docs`."""

from __future__ import annotations

from typing import Annotated

import typer

from coworld.cli.options import Json
from softmax.cli.program import examples

__all__ = ["docs"]

Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help="Document to print; without it they are listed.")]
Local = Annotated[bool, typer.Option("--local", help="Accepted for older scripts: documents are always local here.")]
Skill = Annotated[bool, typer.Option("--skill", help="Print the overview, which is where to begin.")]
SchemaName = Annotated[
    str | None,
    typer.Option("--json-schema", metavar="NAME", help="Print a JSON Schema: of a file, or of a command's `--json`."),
]


@examples("coworld docs", "coworld docs manifest", "coworld docs --json-schema run-episode")
def docs(
    name: Name = None, local: Local = False, skill: Skill = False, json_schema: SchemaName = None, json: Json = False
) -> None:
    """List or print documents and schemas."""
    import json as format

    from coworld.cli.json_output import DocsDocument
    from coworld.cli.packaged_docs import document_names, read_document, read_title, schema, schema_names
    from softmax.cli.errors import fail
    from softmax.cli.output import print_json

    if json_schema is not None:
        if json_schema not in schema_names():
            fail(f"There is no schema {json_schema!r}", f"there are: {', '.join(schema_names())}")
        print(format.dumps(schema(json_schema), indent=2))
        return
    names = document_names()
    document = "overview" if skill and name is None else name
    if document is not None:
        document = document.removesuffix(".md")
        if document not in names:
            fail(f"There is no document {document!r}", f"there are: {', '.join(names)}")
        text = read_document(document)
        if json:
            print_json(DocsDocument(documents=names, path=document, text=text))
        else:
            print(text, end="")
        return
    if json:
        print_json(DocsDocument(documents=names))
        return
    width = max(map(len, names), default=0)
    for known in names:
        print(f"{known:{width}}  {read_title(known)}")
