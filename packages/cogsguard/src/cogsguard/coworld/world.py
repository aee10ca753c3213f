"""Found by `coworld` through an entry point: where the manifest is. Imports nothing."""

from pathlib import Path

__all__ = ["MANIFEST"]

MANIFEST = Path(__file__).with_name("coworld_manifest.json")
