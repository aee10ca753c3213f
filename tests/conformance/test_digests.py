"""Random games and missions are those of the published engine and game, by digests; needs nothing but the repository.

`python tests/conformance/test_digests.py DIGESTS SHARED` writes the file: DIGESTS is what `tests/compat/digests.py`
prints under the published engine, SHARED the folder with the recorded missions.
"""

import gzip
import hashlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parent / "published_digests.json"
PARTS = 8
LAST_STEP = 240
"""later events are left out: the recordings do not hold them"""


def mission_digest(config: dict[str, Any]) -> str:
    """Hash a published configuration without its map, in the order of its keys."""
    game = {key: value for key, value in config["game"].items() if key not in ("map_builder", "vibe_names")}
    game["events"] = {
        key: {**event, "timesteps": [step for step in event["timesteps"] if step <= LAST_STEP]}
        for key, event in game["events"].items()
    }
    return hashlib.sha256(json.dumps({**config, "game": game}).encode()).hexdigest()


def recorded(kind: str) -> dict[str, str]:
    return json.loads(FILE.read_text())[kind] if FILE.exists() else {}


@pytest.mark.parametrize("part", range(PARTS))
def test_random_games_match_the_published_engine(part: int) -> None:
    from tests.compat.digests import digest
    from tests.compat.generator import random_case

    games = recorded("games")
    assert len(games) > 200
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in list(games)[part::PARTS]:
            case = random_case(int(seed))
            assert digest(case.config, case.meta) == games[seed], f"seed {seed}, {case.meta['family']}"


@pytest.mark.parametrize("call", recorded("missions"))
def test_a_mission_equals_the_published_one(call: str) -> None:
    from cogames import missions

    mission, variants, cogs = (None if word == "-" else word for word in call.split(" "))
    config = missions.load(
        mission, variants=variants.split(",") if variants else [], cogs=int(cogs) if cogs is not None else None
    )
    assert mission_digest(config.to_published()) == recorded("missions")[call]


def write(digests: Path, shared: Path) -> None:
    """Write the digests of the recorded games and missions."""
    sys.path.insert(0, str(shared / "oracle"))
    from trace_episode import load_config

    missions = {}
    for path in sorted((shared / "oracle" / "game").glob("*.meta.json")):
        meta = json.loads(path.read_text())
        with gzip.open(str(path).replace(".meta.json", ".json.gz"), "rt") as file:
            config = load_config(json.load(file)).to_published()
        call = f"{meta['mission']} {','.join(meta['variants']) or '-'} {meta['cogs'] or '-'}"
        missions[call] = mission_digest(config)
    document = {"games": json.loads(digests.read_text()), "missions": missions}
    FILE.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
