"""The published module path of the map builder that these evaluations use."""

from mettagrid.map_builder.choice_ascii import ChoiceAsciiMapBuilder

__all__ = ["ChoiceAsciiMapBuilder"]
