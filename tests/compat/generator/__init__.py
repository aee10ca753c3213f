"""Random valid games for comparing two engines. Plain dictionaries: no engine is imported here."""

from .case import Case, random_case
from .families import FAMILIES

__all__ = ["FAMILIES", "Case", "random_case"]
