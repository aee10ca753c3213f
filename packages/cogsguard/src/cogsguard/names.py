"""Names that several rules share."""

ELEMENTS = ("oxygen", "carbon", "germanium", "silicon")
"""The elements, in the order in which they are registered."""

ROLES = ("aligner", "scrambler", "miner", "scout")
"""The pieces of gear, in the order in which they are registered."""

TEAM_PREFIX = "team:"
NET_PREFIX = "net:"
TERRITORY = "team_territory"


def extractor_of(element: str) -> str:
    return f"{element}_extractor"


HUB_EXTRACTORS = tuple(extractor_of(element) for element in ("carbon", "oxygen", "germanium", "silicon"))
"""The extractors in the corners of a base, from the top left row by row."""
