"""Names of cells: their length, and renaming them per instance."""

from typing import TYPE_CHECKING, Any

from mettagrid.mapgen.types import MapGrid

if TYPE_CHECKING:
    from mettagrid.mapgen.mapgen import MapGenConfig

_LONGEST = 64  # longer texts are drawings or descriptions, not names of cells


def longest_name(config: "MapGenConfig") -> int:
    """Return the length of the longest text in the configuration that can be the name of a cell."""
    texts = [*config.instance_object_remap.values(), config.instance_border_object]
    longest_instance = max((len(name) for name in config.instance_names or ()), default=0)
    return max(max(map(len, texts)) + longest_instance, _longest_text(config.instance.model_dump()))


def _longest_text(data: Any) -> int:
    if isinstance(data, str):
        return len(data) if len(data) <= _LONGEST else 0
    if isinstance(data, dict):
        return max((max(_longest_text(key), _longest_text(data[key])) for key in data if key != "type"), default=0)
    if isinstance(data, (list, tuple)):
        return max(map(_longest_text, data), default=0)
    return 0


def check_templates(templates: dict[str, str]) -> None:
    """Raise `ValueError` for a new name with an invalid placeholder."""
    for name, template in templates.items():
        try:
            template.format(instance_id=0, instance_name="")
        except (LookupError, ValueError, AttributeError) as error:
            raise ValueError(
                f"instance_object_remap renames {name!r} to {template!r}, which has an invalid placeholder ({error}); "
                "only {instance_id} and {instance_name} are allowed."
            ) from error


def renamed(grid: MapGrid, templates: dict[str, str], instance_id: int, instance_name: str) -> None:
    """Rename objects in place."""
    places = {name: grid == name for name in templates}
    for name, template in templates.items():
        grid[places[name]] = template.format(instance_id=instance_id, instance_name=instance_name)
