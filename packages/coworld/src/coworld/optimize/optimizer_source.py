"""Choose the optimizer of a run: a command, a folder, a repository, or the manifest's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from coworld.engines.base import Engine
from coworld.engines.dockerfiles import read_dockerfile
from coworld.engines.local_images import SIDE_FILE, LocalImage, LocalImages, read_side_file
from coworld.engines.process import ProcessEngine
from coworld.manifest.package import CoworldPackage
from coworld.optimize.boxed_optimizer import OptimizerEntry
from coworld.optimize.checkouts import checkout
from coworld.optimize.errors import OptimizeError
from coworld.optimize.manifest_roles import image_problem

DOCKERFILE = "Dockerfile"
DEFAULT_OPTIMIZER = "softmax/default-optimizer:latest"
"""also the optimizer of a manifest that names none; it gives advice and changes nothing"""


@dataclass(frozen=True)
class OptimizerSource:
    """The values of `--optimizer-repo`, `--optimizer-ref` and `--optimizer-dir`."""

    repo: str | None = None
    ref: str | None = None
    folder: Path | None = None

    def resolve(self, *, refresh: bool = False) -> Path | None:
        """Return the folder with the optimizer's program; None for the manifest's own optimizer.

        Raises:
            OptimizeError: the options contradict each other, or the repository cannot be cloned.
        """
        if self.repo is not None:
            return checkout(self.repo, self.ref, root=self.folder, refresh=refresh)
        if self.ref is not None:
            raise OptimizeError("`--optimizer-ref` needs `--optimizer-repo`", hint="name the repository")
        return None if self.folder is None or _is_checkout_root(self.folder) else self.folder


def _is_checkout_root(folder: Path) -> bool:
    """Whether a folder is missing or holds nothing but folders: then it is the place for checkouts, as published."""
    try:
        return all(path.is_dir() for path in folder.iterdir())
    except FileNotFoundError:
        return True
    except NotADirectoryError:
        raise OptimizeError(f"{folder} is a file", hint="name the folder of an optimizer") from None


def folder_image(folder: Path) -> LocalImage:
    """Read which program a folder holds, from its `coworld_local.json` or its `Dockerfile`.

    Raises:
        OptimizeError: it holds none.
    """
    folder = folder.resolve()
    if (folder / SIDE_FILE).is_file():
        images = read_side_file(folder / SIDE_FILE)
        if len(images) != 1:
            raise OptimizeError(
                f"{folder / SIDE_FILE} maps {len(images)} images, and an optimizer's folder needs one",
                hint="keep the optimizer in a folder of its own",
            )
        return next(iter(images.values()))
    if (folder / DOCKERFILE).is_file():
        image = read_dockerfile(folder / DOCKERFILE)
        at = Path(image.at) if image.at is not None else None
        return LocalImage(
            image=f"local/{folder.name.lower()}:latest",
            argv=(*image.entrypoint, *image.command),
            root=folder,
            at=at,
            env=dict(image.env),
            workdir=Path(image.workdir) if at is not None and Path(image.workdir).is_relative_to(at) else at,
            packages=tuple(image.packages),
            how=f"the program of {folder / DOCKERFILE}",
        )
    contents = (
        "a web application, which needs bun and Postgres" if (folder / "package.json").is_file() else "no program"
    )
    raise OptimizeError(
        f"{folder} holds {contents}; an optimizer needs a {SIDE_FILE} or a {DOCKERFILE}",
        hint="start from `coworld make-policy optimizer -o DIR`, or name a command with `--improve`",
    )


def optimizer_of(package: CoworldPackage, folder: Path | None, *, unsafe: bool) -> tuple[OptimizerEntry, Engine]:
    """Return the program that proposes changes, and an engine that can run it.

    Raises:
        OptimizeError: there is none, or this machine cannot run it.
    """
    beside = LocalImages.beside(package.path)
    if folder is not None:
        image = folder_image(folder)
        engine = ProcessEngine(LocalImages(({image.image: image}, *beside.tables), beside.side_file), unsafe=unsafe)
        entry = OptimizerEntry(folder.resolve().name, image.image)
    else:
        engine = ProcessEngine(beside, unsafe=unsafe)
        entry = OptimizerEntry("default-optimizer", DEFAULT_OPTIMIZER)
        if package.manifest.optimizer:
            first = package.role("optimizer")
            entry = OptimizerEntry(first.id, first.image or "", list(first.run), dict(first.env), first.resources)
    problem = image_problem(engine, entry.image, list(entry.run))
    if problem is not None:
        hint = "map the image, or name a command with `--improve`"
        url = next((entry.repository_url for entry in package.manifest.optimizer if entry.repository_url), None)
        if folder is None and url:
            hint = f"map the image, or use its repository: `--optimizer-repo {url}`"
        raise OptimizeError(f"The optimizer {entry.id!r} cannot be run here: {problem}", hint=hint)
    return entry, engine
