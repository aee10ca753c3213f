"""Readable YAML."""

import yaml


class _Dumper(yaml.SafeDumper):
    """Writes multi-line strings as blocks."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None),
)


def to_yaml(data: object) -> str:
    """Return plain data as YAML, keys in their order, drawings as blocks."""
    return str(yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True))
