"""One of several scenes from files."""

from mettagrid.base_config import Config
from mettagrid.mapgen.scene import ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.scenes.yaml import YamlScene
from mettagrid.mapgen.utils.weighted import weighted_choice


class RandomYamlSceneCandidate(Config):
    """A scene file and how likely it is, compared with the others."""

    scene_file: str
    weight: float = 1.0


class RandomYamlSceneConfig(SceneConfig):
    """The files to choose from."""

    candidates: list[RandomYamlSceneCandidate]


class RandomYamlScene(Scene[RandomYamlSceneConfig]):
    """Draws the scene in one of the files."""

    def get_children(self) -> list[ChildrenAction]:
        candidates = self.config.candidates
        weights = [candidate.weight for candidate in candidates]
        chosen = weighted_choice(self.rng, candidates, weights, "a scene file")
        return [ChildrenAction(scene=YamlScene.Config(file=chosen.scene_file), where="full")]

    def render(self) -> None: ...
