"""A scene turned or mirrored at random."""

from mettagrid.mapgen.scene import AnySceneConfig, ChildrenAction, GridTransform, Scene, SceneConfig


class RandomTransformConfig(SceneConfig):
    """The scene to turn."""

    scene: AnySceneConfig


class RandomTransform(Scene[RandomTransformConfig]):
    """Draws its scene in one of the eight orientations, all equally likely."""

    @classmethod
    def intrinsic_size(cls, config: RandomTransformConfig) -> tuple[int, int] | None:
        """Return the size of the scene if it is square; others fit some orientations only."""
        size = config.scene.scene_cls.intrinsic_size(config.scene)
        return size if size is not None and size[0] == size[1] else None

    def render(self) -> None:
        pass

    def get_children(self) -> list[ChildrenAction]:
        transforms = list(GridTransform)
        turn = transforms[self.rng.integers(len(transforms))]
        turned = self.config.scene.transform.compose(turn)
        return [ChildrenAction(scene=self.config.scene.model_copy(update={"transform": turned}), where="full")]
