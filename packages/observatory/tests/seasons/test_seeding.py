"""`observatory seed`, and the seasons that a new server has."""

import subprocess
from pathlib import Path

from fastapi.testclient import TestClient

from mettagrid.config.mettagrid_config import MettaGridConfig
from observatory.seasons.seeding import preset_files, seed, seed_if_empty
from tests.warm import WarmProgram

DOCUMENTED = {"beta-cvc", "beta", "beta-cogsguard", "beta-teams-small", "beta-teams-large", "beta-teams-tiny-fixed"}


def test_a_new_server_has_the_documented_seasons(app, client: TestClient, clock, database) -> None:
    seed_if_empty(database, clock())
    seasons = client.get("/tournament/seasons").json()
    assert {season["name"] for season in seasons} == DOCUMENTED
    assert seasons[0]["name"] == "beta-cvc" and seasons[0]["is_default"]
    assert {season["tournament_type"] for season in seasons if season["is_default"]} == {"freeplay", "team"}
    for season, agents in (("beta-cvc", 8), ("beta", 4), ("beta-cogsguard", 5)):
        config = client.get(f"/tournament/seasons/{season}/pools/qualifying/config").json()["config"]
        assert MettaGridConfig.model_validate(config).game.num_agents == agents
    seed_if_empty(database, clock())
    assert seed(database, preset_files(), clock()) == []  # all there
    assert len(client.get("/tournament/seasons/beta/versions").json()) == 1


def test_the_command_creates_seasons_from_files(tmp_path: Path, observatory_program: WarmProgram) -> None:
    preset = tmp_path / "mine.yaml"
    preset.write_text(
        "name: mine\ndisplay_name: Mine\nsummary: My own\ntournament_type: freeplay\n"
        "freeplay:\n  game: { mission: tutorial, num_agents: 2 }\n  splits: [[1, 1]]\n"
    )

    def run(file: Path) -> subprocess.CompletedProcess[str]:
        return observatory_program.run("seed", file, "--data", tmp_path / "data")

    first, again = run(preset), run(preset)
    assert (first.returncode, first.stdout.strip()) == (0, "mine")
    assert (again.returncode, again.stdout.strip()) == (0, "All of these seasons exist already")
    preset.write_text("name: Not A Name\n")
    broken = run(preset)
    assert (
        broken.returncode == 1
        and "mine.yaml does not describe a season" in broken.stderr
        and "Traceback" not in broken.stderr
    )


def test_the_command_creates_documented_seasons_by_name(tmp_path: Path, observatory_program: WarmProgram) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return observatory_program.run("seed", *words, "--data", tmp_path / "data", cwd=tmp_path)

    assert run("beta-cvc", "beta-cogsguard").stdout.split() == ["beta-cvc", "beta-cogsguard"]
    refused = run("beta-cvs")
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: There is no file 'beta-cvs', and the documented seasons are beta, beta-")


def test_seasons_can_be_created_without_becoming_the_default(client: TestClient, clock, database) -> None:
    seed(database, preset_files(), clock(), keep_defaults=True)
    seasons = client.get("/tournament/seasons").json()
    assert {season["name"] for season in seasons} == DOCUMENTED
    assert not any(season["is_default"] for season in seasons)
