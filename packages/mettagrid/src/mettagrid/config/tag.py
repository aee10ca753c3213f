"""Tag names."""


def tag(name: str) -> str:
    """Return a tag name unchanged, for symmetry with `typeTag`."""
    return name


def typeTag(name: str) -> str:
    """Return the tag that every object of type `name` carries."""
    return f"type:{name}"
