"""The path of the manifest; `coworld` reads it through an entry point. Imports nothing."""

from pathlib import Path

__all__ = ["MANIFEST"]

MANIFEST = Path(__file__).with_name("coworld_manifest.json")
