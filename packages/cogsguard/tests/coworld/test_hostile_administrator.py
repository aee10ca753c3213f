"""A player of Cogs vs Clips that tries to administer the game, in a box as players have it."""

import json
from pathlib import Path

from cogsguard.coworld.world import MANIFEST
from coworld.engines.local_images import LocalImage, LocalImages
from coworld.engines.process import ProcessEngine
from coworld.manifest.package import load_package
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.episode_request import fixture_request
from coworld.runner.runner import run_episode

HOSTILE = Path(__file__).parents[3] / "coworld" / "tests" / "hostile"
IMAGE = "hostile/administrator:latest"


def test_a_player_never_administers_the_game_and_is_blamed(tmp_path: Path) -> None:
    package = load_package(MANIFEST)
    request = fixture_request(package)
    image = LocalImage(image=IMAGE, root=HOSTILE, argv=("python", str(HOSTILE / "administrator.py")), workdir=HOSTILE)
    first, *others = request.players
    attacker = first.model_copy(update={"image": IMAGE, "env": {}, "run": []})
    job = CoworldEpisodeJobSpec(manifest=request.manifest, game_config=request.game_config, players=[attacker, *others])
    engine = ProcessEngine(LocalImages(({IMAGE: image},)))
    outcome = run_episode(package, job, engine=engine, workspace=tmp_path / "out", budget_seconds=120)
    answers = json.loads((outcome.workspace / "policy_artifact_0.zip").read_bytes())
    statuses = {line.split()[1] for way, lines in answers.items() if "/" in way for line in lines}
    assert statuses <= {"400", "403"}
    assert outcome.error is not None
    assert (outcome.error.error_type, outcome.error.slot) == ("player_error", 0)
