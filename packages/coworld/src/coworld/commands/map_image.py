"""`coworld map`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.options import Json
from softmax.cli.program import examples

__all__ = ["map_image"]

Dockerfile = Annotated[Path, typer.Argument(metavar="DOCKERFILE", help="The Dockerfile of the image, in its folder.")]
Image = Annotated[str, typer.Option("--image", metavar="IMAGE", help="The image's name in the manifest.")]


@examples("coworld map Dockerfile --image my-player:latest")
def map_image(dockerfile: Dockerfile, image: Image, json: Json = False) -> None:
    """Map an image to the folder of its Dockerfile on this machine.

    Writes the entry in `coworld_local.json` beside the Dockerfile: what is run, from where, with which variables.
    """
    import shlex
    from json import JSONDecodeError, dumps, loads

    from coworld.cli.json_output import MapDocument
    from coworld.engines.dockerfiles import read_dockerfile
    from coworld.engines.local_images import SIDE_FILE, read_side_file
    from coworld.runner.artifacts import write_file
    from softmax.cli.errors import fail
    from softmax.cli.output import note, print_json

    parsed = read_dockerfile(dockerfile)
    path = dockerfile.parent / SIDE_FILE
    try:
        document = loads(path.read_bytes()) if path.exists() else {}
    except (OSError, JSONDecodeError) as error:
        fail(f"{path} could not be read: {error}", "remove it, or correct it")
    entry = parsed.mapping()
    document = {**document, "images": {**document.get("images", {}), image: entry}}
    write_file(path, dumps(document, indent=2).encode() + b"\n")
    read_side_file(path)
    others = [word for word in parsed.installs if word not in parsed.packages]
    if others:
        venv = dockerfile.parent / ".venv"
        create = shlex.join(["python", "-m", "venv", str(venv)])
        filled = shlex.join([str(venv / "bin" / "pip"), "install", *others])
        note(f"The image installs {', '.join(others)}. For exactly these: {create} && {filled}")
    if json:
        print_json(MapDocument(path=str(path), image=image, mapping=entry, installs=parsed.installs))
        return
    print(f"Mapped {image}: {path}")
