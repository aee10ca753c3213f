"""`coworld build`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from coworld.cli.options import Json
from softmax.cli.program import examples

__all__ = ["build"]

Positional = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[COMPOSE TEMPLATE VERSION OUTPUT]",
        help="The older form: four values in this order in place of the options.",
        show_default=False,
    ),
]
VersionOpt = Annotated[
    str | None, typer.Option("--version", metavar="VERSION", help="Version of the Coworld, for example 1.2.0.")
]
Project = Annotated[Path, typer.Option("--project", metavar="DIR", help="Folder that the other paths are relative to.")]
Compose = Annotated[Path, typer.Option("--compose", metavar="FILE", help="Compose file with a service per image.")]
Template = Annotated[
    Path, typer.Option("--template", metavar="FILE", help="Manifest with image placeholders and without a version.")
]
Output = Annotated[Path, typer.Option("--output", metavar="FILE", help="The manifest to write.")]
Tool = Annotated[Literal["auto", "podman", "docker"], typer.Option("--engine", help="The program that builds images.")]
Pull = Annotated[
    Literal["newer", "missing", "never"],
    typer.Option("--pull", help="Which base images to pull: newer ones, missing ones, or none."),
]
BuildOptions = Annotated[
    list[str] | None,
    typer.Option("--build-option", metavar="WORD", help="A further option of `podman build` (repeatable)."),
]
ResolveMutable = Annotated[
    bool,
    typer.Option("--resolve-mutable-images", help="For older scripts: references to registries always get digests."),
]


@examples("coworld build --version 1.2.0", "coworld build --version 1.2.0 --project my-game --engine podman")
def build(
    positional: Positional = None,
    version: VersionOpt = None,
    project: Project = Path(),
    compose: Compose = Path("compose.yaml"),
    template: Template = Path("coworld_manifest_template.json"),
    output: Output = Path("dist/coworld_manifest.json"),
    engine: Tool = "auto",
    pull: Pull = "newer",
    build_option: BuildOptions = None,
    resolve_mutable_images: ResolveMutable = False,
    json: Json = False,
) -> None:
    """Build the images of a project, and write the manifest that names them.

    Each service of the compose file is an image: {{GAME_IMAGE}} in the template stands for the service `game`. Images
    are tagged by their contents, and references to registries are pinned to digests.
    """
    from coworld.build.pipeline import build_manifest
    from coworld.cli.json_output import BuildDocument, BuiltImageDocument
    from softmax.cli.errors import UsageError
    from softmax.cli.output import note, print_json

    if positional:
        if len(positional) != 4 or version is not None:
            raise UsageError(
                "`coworld build` takes four values or options, not both",
                ["coworld build COMPOSE TEMPLATE VERSION OUTPUT", "coworld build --version VERSION"],
            )
        compose, template, version, output = (
            Path(positional[0]),
            Path(positional[1]),
            positional[2],
            Path(positional[3]),
        )
    if version is None:
        raise UsageError("`coworld build` needs the version of the Coworld", ["coworld build --version 1.0.0"])
    built = build_manifest(
        project / compose,
        project / template,
        version,
        project / output,
        engine=engine,
        pull=pull,
        build_options=build_option or [],
        note=note,
    )
    if json:
        images = [
            BuiltImageDocument(image=one.image, reference=one.reference, how=one.how, id=one.image_id)
            for one in built.images
        ]
        print_json(BuildDocument(path=str(built.path), version=version, engine=built.engine, images=images))
        return
    for one in built.images:
        note(f"{one.image}: {one.reference} ({one.how})")
    print(f"Built Coworld manifest: {built.path}")
