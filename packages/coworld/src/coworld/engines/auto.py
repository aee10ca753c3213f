"""Choose an engine for each image: a local program where one stands for the image, else a container."""

from collections.abc import Callable, Iterable

from cogbox.container_engines import ENGINES, INSTALL, engine_problem
from coworld.engines.base import Engine, ImageUnreachable, Reservation, Resolved, RunnableSpec, Running
from coworld.engines.container import ContainerEngine
from coworld.engines.container_images import ContainerImages
from coworld.engines.image_refs import is_unresolved_image_id
from coworld.engines.process import ProcessEngine


class AutoEngine:
    """Run every image with the first engine that can; an episode may use several."""

    def __init__(self, local: ProcessEngine, images_of: Callable[[str], ContainerImages]) -> None:
        """`images_of` returns the images of an engine, by its name."""
        self.local, self._images_of = local, images_of
        self._containers: dict[str, ContainerEngine] = {}
        self._chosen: dict[str, Engine] = {}

    @property
    def name(self) -> str:
        """Return the engines that run the images so far."""
        return _joined((engine.name for engine in self._chosen.values()), self.local.name)

    @property
    def level(self) -> str:
        return _joined((engine.level for engine in self._chosen.values()), self.local.level)

    def resolve(self, image: str) -> Resolved:
        return self._engine(image).resolve(image)

    def fingerprint(self, image: str) -> str:
        return self._engine(image).fingerprint(image)

    def reserve(self) -> Reservation:
        return self.local.reserve()

    def start(self, spec: RunnableSpec) -> Running:
        return self._engine(spec.image).start(spec)

    def _engine(self, image: str) -> Engine:
        if image not in self._chosen:
            self._chosen[image] = self._choose(image)
        return self._chosen[image]

    def _choose(self, image: str) -> Engine:
        try:
            self.local.images.find(image)
        except ImageUnreachable as error:
            if is_unresolved_image_id(image):
                raise
            unmapped = error.reason
        else:
            return self.local
        problems = {name: engine_problem(name) for name in ENGINES}
        working = [self._images_of(name) for name, problem in problems.items() if not problem]
        if not working:
            raise ImageUnreachable(
                image,
                f"{unmapped}. Or run its container, which needs an engine: {'; '.join(problems.values())}. Install "
                f"podman with `{INSTALL}`",
            )
        images = next((images for images in working if images.has(image)), working[0])
        try:
            images.find(image)
        except ImageUnreachable as error:
            raise ImageUnreachable(image, f"{error.reason}. Without a container: {unmapped}") from None
        return self._container(images)

    def _container(self, images: ContainerImages) -> ContainerEngine:
        if images.engine not in self._containers:
            self._containers[images.engine] = ContainerEngine(images)
        return self._containers[images.engine]


def _joined(names: Iterable[str], default: str) -> str:
    return " and ".join(sorted(set(names))) or default
