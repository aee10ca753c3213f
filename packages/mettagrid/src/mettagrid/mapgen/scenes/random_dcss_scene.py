"""A scene from one of the drawings next to this file, in the style of roguelike dungeons."""

from pathlib import Path
from typing import Self

from pydantic import model_validator

from mettagrid.mapgen.scene import ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.scenes.random_yaml_scene import RandomYamlScene, RandomYamlSceneCandidate

DRAWINGS = Path(__file__).parent / "dcss"
"""Folder of scene files: `wfc` and `convchain`."""


class RandomDcssSceneConfig(SceneConfig):
    """Which scenes to choose from: those that repeat a drawing exactly (`wfc`), freely (`dcss`), or both."""

    wfc: bool
    dcss: bool

    @model_validator(mode="after")
    def _at_least_one(self) -> Self:
        if not self.wfc and not self.dcss:
            raise ValueError("Either wfc or dcss must be true.")
        return self


class RandomDcssScene(Scene[RandomDcssSceneConfig]):
    """Draws one of the scenes."""

    def get_children(self) -> list[ChildrenAction]:
        folders = ["wfc"] * self.config.wfc + ["convchain"] * self.config.dcss
        files = [path for folder in folders for path in sorted((DRAWINGS / folder).glob("*.yaml"))]
        if not files:
            raise ValueError(f"There are no scene files in {' and '.join(folders)} of {DRAWINGS}.")
        candidates = [RandomYamlSceneCandidate(scene_file=str(path)) for path in files]
        return [ChildrenAction(scene=RandomYamlScene.Config(candidates=candidates), where="full")]

    def render(self) -> None: ...
