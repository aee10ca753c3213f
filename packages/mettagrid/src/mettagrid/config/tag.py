"""Tag names."""


def tag(name: str) -> str:
    """A tag name, as it is: for symmetry with `typeTag`."""
    return name


def typeTag(name: str) -> str:
    """The tag that every object of type `name` carries."""
    return f"type:{name}"
