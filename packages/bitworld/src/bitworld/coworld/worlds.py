"""The paths of the manifests; `coworld` reads them through entry points. Imports nothing."""

from pathlib import Path

__all__ = ["AMONG_THEM", "FANCY_COOKOUT", "ICE_BRAWL", "INFINITE_BLOCKS", "STAG_HUNT"]

_FOLDER = Path(__file__).with_name("manifests")

AMONG_THEM = _FOLDER / "among_them.json"
FANCY_COOKOUT = _FOLDER / "fancy_cookout.json"
ICE_BRAWL = _FOLDER / "ice_brawl.json"
INFINITE_BLOCKS = _FOLDER / "infinite_blocks.json"
STAG_HUNT = _FOLDER / "stag_hunt.json"
