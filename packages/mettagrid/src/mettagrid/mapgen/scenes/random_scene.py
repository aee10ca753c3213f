"""One of several scenes."""

from mettagrid.base_config import Config
from mettagrid.mapgen.scene import AnySceneConfig, ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.utils.weighted import weighted_choice


class RandomSceneCandidate(Config):
    """A scene and how often to choose it, compared with the others."""

    scene: AnySceneConfig
    weight: float = 1.0


class RandomSceneConfig(SceneConfig):
    """The scenes to choose from."""

    candidates: list[RandomSceneCandidate]


class RandomScene(Scene[RandomSceneConfig]):
    """Draws one of its candidates on the whole area."""

    def render(self) -> None:
        pass

    def get_children(self) -> list[ChildrenAction]:
        candidates = self.config.candidates
        weights = [candidate.weight for candidate in candidates]
        candidate = weighted_choice(self.rng, candidates, weights, "a scene of RandomScene")
        return [ChildrenAction(scene=candidate.scene, where="full")]
