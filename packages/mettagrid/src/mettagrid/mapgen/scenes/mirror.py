"""Symmetric scenes."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from mettagrid.mapgen.scene import AnySceneConfig, AreaWhere, ChildrenAction, Scene, SceneConfig

Symmetry = Literal["horizontal", "vertical", "x4"]

_ORIGINAL = "original"


class MirrorConfig(SceneConfig):
    """The scene to mirror: `horizontal` repeats its left half on the right, `vertical` its upper half below, `x4` both.

    The middle column or row of an odd size belongs to the original.
    """

    scene: AnySceneConfig
    symmetry: Symmetry = "horizontal"


class InnerMirrorConfig(SceneConfig):
    """The scene to mirror."""

    scene: AnySceneConfig


class Mirror(Scene[MirrorConfig]):
    """Draws a scene on a half or a quarter of its area and the rest as its mirror image."""

    def get_children(self) -> list[ChildrenAction]:
        mirrors: dict[str, type[Scene[Any]]] = {
            "horizontal": HorizontalMirror,
            "vertical": VerticalMirror,
            "x4": X4Mirror,
        }
        inner = mirrors[self.config.symmetry].Config(scene=self.config.scene)
        return [ChildrenAction(scene=inner, where="full")]

    def render(self) -> None: ...


class _InnerMirror(Scene[Any]):
    """Marks the original and its images, which are drawn after it."""

    halves_width = False
    halves_height = False

    def render(self) -> None:
        width = (self.width + 1) // 2 if self.halves_width else self.width
        height = (self.height + 1) // 2 if self.halves_height else self.height
        right, lower = self.width - width, self.height - height
        self.make_area(0, 0, width, height, tags=[_ORIGINAL])
        self._images: list[tuple[str, bool, bool]] = []
        self._mark_image("right", width, 0, right, height)
        self._mark_image("below", 0, height, width, lower)
        self._mark_image("across", width, height, right, lower)

    def get_children(self) -> list[ChildrenAction]:
        images = [
            ChildrenAction(
                scene=Mirrored.Config(parent=self, flip_x=flip_x, flip_y=flip_y), where=AreaWhere(tags=[tag])
            )
            for tag, flip_x, flip_y in self._images
        ]
        return [ChildrenAction(scene=self.config.scene, where=AreaWhere(tags=[_ORIGINAL])), *images]

    def _mark_image(self, tag: str, x: int, y: int, width: int, height: int) -> None:
        if width > 0 and height > 0:
            self.make_area(x, y, width, height, tags=[tag])
            self._images.append((tag, x > 0, y > 0))


class HorizontalMirrorConfig(InnerMirrorConfig):
    """See `InnerMirrorConfig`."""


class HorizontalMirror(_InnerMirror, Scene[HorizontalMirrorConfig]):
    """The right half mirrors the left one."""

    halves_width = True


class VerticalMirrorConfig(InnerMirrorConfig):
    """See `InnerMirrorConfig`."""


class VerticalMirror(_InnerMirror, Scene[VerticalMirrorConfig]):
    """The lower half mirrors the upper one."""

    halves_height = True


class X4MirrorConfig(InnerMirrorConfig):
    """See `InnerMirrorConfig`."""


class X4Mirror(_InnerMirror, Scene[X4MirrorConfig]):
    """Three quarters mirror the first one."""

    halves_width = True
    halves_height = True


class MirroredConfig(SceneConfig):
    """`parent` is the mirror scene with the original; it is not saved: this scene exists while a map is generated."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    parent: Any = Field(exclude=True)
    flip_x: bool = False
    flip_y: bool = False


class Mirrored(Scene[MirroredConfig]):
    """The image of a part of its parent, which begins at the parent's corner and is as large as this scene."""

    def render(self) -> None:
        source = self.config.parent.grid[: self.height, : self.width]
        step_x, step_y = (-1 if self.config.flip_x else 1), (-1 if self.config.flip_y else 1)
        self.grid[:] = source[::step_y, ::step_x]
