"""A scene from a file."""

from pathlib import Path

from mettagrid.mapgen.scene import ChildrenAction, Scene, SceneConfig

_DEEPEST = 20  # files within files; more is a file that contains itself


class YamlSceneConfig(SceneConfig):
    """The YAML or JSON file; it has the scene's `type` and its parameters."""

    file: str


class YamlScene(Scene[YamlSceneConfig]):
    """Draws the scene in the file."""

    def post_init(self) -> None:
        depth, parent = 0, self.parent_scene
        while parent is not None:
            depth += isinstance(parent, YamlScene)
            parent = parent.parent_scene
        if depth > _DEEPEST:
            raise ValueError(f"The scene file {self.config.file} is nested {depth} deep; does it contain itself?")

    def get_children(self) -> list[ChildrenAction]:
        return [ChildrenAction(scene=load_scene(self.config.file), where="full")]

    def render(self) -> None: ...


def load_scene(file: str | Path) -> SceneConfig:
    """Read the scene in a YAML or JSON file; raises `FileNotFoundError` or `ValueError` if there is none."""
    import yaml  # only files need it

    path = Path(file)
    if not path.is_file():
        raise FileNotFoundError(f"The scene file {file} does not exist.")
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        return SceneConfig.model_validate(data)
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise ValueError(f"The scene file {file} cannot be read: {error}") from error
