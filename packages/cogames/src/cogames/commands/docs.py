"""`cogames docs`."""

from typing import Annotated

import typer

from softmax.cli.errors import fail
from softmax.cli.output import note, print_table
from softmax.cli.program import examples

Name = Annotated[str | None, typer.Argument(metavar="[DOC]", help="Name of a document.")]


@examples("cogames docs", "cogames docs mission")
def docs(doc: Name = None) -> None:
    """List or print documents."""
    from cogames.docs import DOCUMENTS, read_document

    if doc is None:
        print_table(["Document", "Description"], DOCUMENTS.items())
        note("\nPrint one with `cogames docs NAME`")
    elif doc in DOCUMENTS:
        print(read_document(doc), end="")
    else:
        fail(f"Unknown document '{doc}'", f"documents: {', '.join(DOCUMENTS)}")
