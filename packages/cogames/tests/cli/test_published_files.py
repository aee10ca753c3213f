"""`cogames missions --save FILE --published`: a file that the published mettagrid 0.26 loads.

`make compat` plays such files in the published packages (tests/compat/saved_missions.py).
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cogames import missions
from cogames.missions.drawn_maps import draw_map
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.simulator import Simulation


def nodes(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every mapping in a document, with its place."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            yield from nodes(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner, f"{path}[]")


@pytest.mark.parametrize("ending", ["json", "yaml"])
def test_the_file_has_nothing_that_the_published_package_does_not_know(
    cogames: Any, tmp_path: Path, ending: str
) -> None:
    ran = cogames("missions", "-m", "arena", "--save", f"mine.{ending}", "--published")
    assert (ran.code, ran.out) == (0, "")
    text = (tmp_path / f"mine.{ending}").read_text()
    document = json.loads(text) if ending == "json" else yaml.load(text, yaml.CSafeLoader)
    for place, node in nodes(document):
        assert not {"nearest", "$type"} & node.keys(), place
        assert node.get("type", "mettagrid.") is None or "cogsguard" not in str(node.get("type")), place
    builder = document["game"]["map_builder"]
    assert builder["type"] == "mettagrid.map_builder.ascii.AsciiMapBuilder.Config"
    assert all(isinstance(row, str) and len(row) == 60 for row in builder["map_data"])


@pytest.mark.parametrize("words", [["arena"], ["tutorial.miner", "-c", "2"], ["diagnostic_memory"]], ids=" ".join)
def test_the_file_plays_the_same_episode_here(cogames: Any, tmp_path: Path, words: list[str]) -> None:
    assert cogames("missions", "-m", *words, "--map-seed", "5", "--save", "mine.json", "--published").code == 0
    saved = missions.load(str(tmp_path / "mine.json"))
    env = missions.load(words[0], cogs=int(words[-1]) if "-c" in words else None, seed=5)
    assert saved.game.map_builder.map_data == draw_map(env).map_data
    ours, theirs = Simulation(env, seed=1), Simulation(saved, seed=1)
    for step in range(120):
        for sim in (ours, theirs):
            for agent in sim.agents():
                agent.set_action(sim.action_names[(step + agent.id) % 5])
            sim.step()
        assert [list(agent.observation.tokens) for agent in ours.agents()] == [
            list(agent.observation.tokens) for agent in theirs.agents()
        ]
    assert ours.episode_rewards.tolist() == theirs.episode_rewards.tolist()


def test_the_file_has_the_fields_of_a_recorded_published_config(cogames: Any, tmp_path: Path, oracle_dir: Path) -> None:
    recorded = json.loads(gzip.decompress((oracle_dir / "game" / "arena_8_301.json.gz").read_bytes()))
    assert cogames("missions", "-m", "arena", "--save", "mine.json", "--published").code == 0
    document = json.loads((tmp_path / "mine.json").read_text())
    assert document.keys() == recorded.keys()
    assert document["game"].keys() == recorded["game"].keys()


def test_the_document_can_be_printed_and_the_seed_decides_the_map(cogames: Any) -> None:
    words = ["missions", "-m", "arena", "--published", "--format", "json"]
    by_default, other = cogames(*words), cogames(*words, "--map-seed", "7")
    maps = [json.loads(ran.out)["game"]["map_builder"]["map_data"] for ran in (by_default, other)]
    assert maps[0] != maps[1]
    assert maps[0] == ["".join(row) for row in draw_map(missions.load("arena", seed=42)).map_data]
    assert cogames("make-mission", "-m", "arena", "--published", "--format", "json").out == by_default.out


def test_values_that_the_published_package_misreads_are_named(cogames: Any, tmp_path: Path) -> None:
    env = MettaGridConfig.EmptyRoom(num_agents=1)
    document = env.model_dump(mode="json")
    reward = {"$type": "MaxGameValue", "values": [{"value": 1}, {"value": 2}]}
    document["game"]["agent"] = {"rewards": {"most": {"reward": reward}}}
    (tmp_path / "room.json").write_text(json.dumps(document))
    ran = cogames("missions", "-m", "room.json", "--save", "theirs.json", "--published")
    assert ran.code == 0 and "warning: The published mettagrid misreads maxima" in ran.err


@pytest.mark.parametrize("words", [["--published"], ["-m", "arena", "--published"]], ids=" ".join)
def test_published_alone_is_refused(cogames: Any, words: list[str]) -> None:
    ran = cogames("missions", *words)
    assert (ran.code, ran.error) == (1, "Error: --published needs a mission and --save or --format.")
