"""The published Paint Arena, of several generations, under our runner and certifier; and its programs against ours.

usage: coworld_paintarena.py PYTHON [PYTHON ...]     interpreters with a published `coworld` each, newest first

For each release: its own manifest (from its package, never copied into this repository) certifies and plays; our player
plays its game and its player plays ours; its game plays with the player of every
other release. Exit status 1 when anything differs.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from coworld.certification.certify import certify  # noqa: E402
from coworld.engines.local_images import SIDE_FILE, LocalImages  # noqa: E402
from coworld.engines.process import ProcessEngine  # noqa: E402
from coworld.examples.paintarena import __path__ as OURS  # noqa: E402
from coworld.manifest.package import CoworldPackage, load_package  # noqa: E402
from coworld.models.requests import CoworldEpisodeJobSpec  # noqa: E402
from coworld.runner.episode_request import fixture_request, with_own_commands  # noqa: E402
from coworld.runner.runner import EpisodeOutcome, run_episode  # noqa: E402
from tests.compat.coworld_releases import CONFIG, PLAYED, bring_up_to_date, installed, published_manifest  # noqa: E402


class Release:
    """One published version, mapped for the process engine."""

    def __init__(self, python: Path, home: Path) -> None:
        self.version, example = installed(python)
        self.venv = python.parent.parent
        self.image = f"published/paintarena:{self.version}"
        self.home = home / self.version
        self.home.mkdir()
        self.document = self._document(example)
        self.path = self.home / "coworld_manifest.json"
        self.path.write_text(json.dumps(self.document))
        # The oldest images had the example at /app; the others import it.
        entry = {
            "root": str(example),
            "at": "/app",
            "mounts": [str(self.venv)],
            "env": {"PATH": f"{self.venv}/bin:/usr/bin:/bin"},
        }
        (self.home / SIDE_FILE).write_text(json.dumps({"images": {self.image: entry}}))

    def _document(self, example: Path) -> dict[str, Any]:
        """Return the package's manifest with our image names, without the parts that need other programs."""
        document = published_manifest(example)
        game = document["game"]
        game.setdefault("version", "1.0.0")
        game["runnable"]["image"] = self.image
        game.pop("replay_viewer", None)  # its pages are built by a script that the package does not have
        for section in ("player", "grader", "diagnoser", "optimizer", "commissioner", "reporter"):
            for entry in document.get(section, []):
                if "image" in entry:
                    entry["image"] = self.image
        # Default roles are images of their own, which are not on PyPI: ours of the same name take their place.
        for section in ("commissioner", "reporter"):
            for entry in document.get(section, []):
                if "image" in entry and not entry.get("run"):
                    entry["image"] = f"softmax/default-{section}:latest"
        document["certification"]["game_config"] |= CONFIG
        return document

    def brought_up_to_date(self) -> tuple[Path, list[str]]:
        """Its manifest with what certification asks for today and its time did not, and the names of that."""
        document = json.loads(json.dumps(self.document))
        added = bring_up_to_date(document)
        path = self.home / "brought_up_to_date.json"
        path.write_text(json.dumps(document))
        return path, added

    def package(self) -> CoworldPackage:
        return load_package(self.path, strict=False)

    def engine(self, *others: "Release") -> ProcessEngine:
        tables = [LocalImages.beside(release.path).tables[-1] for release in (self, *others)]
        return ProcessEngine(LocalImages(tuple(tables)))

    def player(self) -> tuple[str, list[str]]:
        return self.image, list(self.document["player"][0]["run"])


def main(pythons: list[str]) -> bool:
    good = True

    def check(claim: str, passed: bool, detail: object) -> None:
        nonlocal good
        good &= passed
        print(f"  {'same' if passed else 'DIFFERS'}  {claim}" + ("" if passed else f": {detail}"), flush=True)

    with tempfile.TemporaryDirectory(prefix="coworld-compat-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        releases = [Release(Path(python), home) for python in pythons]
        ours = load_package(Path(OURS[0]) / "coworld_manifest.json")
        for release in releases:
            print(f"compat: Paint Arena of coworld {release.version}")
            engine, out = release.engine(), home / f"out-{release.version}"
            path, added = release.brought_up_to_date()
            report = certify(path, engine=engine, workspace=out / "certify", timeout_seconds=60)
            failed = report.failed_step
            claim = "its manifest certifies" + (f" ({', '.join(added)})" if added else " as it is")
            check(claim, report.certified, f"{failed and failed.id}: {failed and failed.feedback}")
            package = release.package()
            outcome = run_episode(package, fixture_request(package), engine=engine, workspace=out / "own")
            check("its game and its player", _played(outcome), outcome.error or outcome.results)
            image, run = ours.manifest.player[0].image or "", list(ours.manifest.player[0].run)
            request = _seated(package, image, run, engine)
            outcome = run_episode(package, request, engine=engine, workspace=out / "our-player")
            check("its game and our player", _played(outcome), outcome.error or outcome.results)
            image, run = release.player()
            request = _seated(ours, image, run, engine)
            config = {**request.game_config, **CONFIG}
            request = request.model_copy(update={"game_config": config})
            outcome = run_episode(ours, request, engine=engine, workspace=out / "our-game")
            check("our game and its player", _played(outcome), outcome.error or outcome.results)
            for other in releases:
                if other is release:
                    continue
                image, run = other.player()
                both = release.engine(other)
                request = _seated(package, image, run, both)
                outcome = run_episode(package, request, engine=both, workspace=out / other.version)
                claim = f"its game and the player of {other.version}"
                check(claim, _played(outcome), outcome.error or outcome.results)
    return good


def _seated(package: CoworldPackage, image: str, run: list[str], engine: ProcessEngine) -> CoworldEpisodeJobSpec:
    request = fixture_request(package, images=[image], run=run)
    return request if run else with_own_commands(request, engine)


def _played(outcome: EpisodeOutcome) -> bool:
    scores = (outcome.results or {}).get("scores", [])
    return outcome.ok and len(scores) == 2 and min(scores) >= PLAYED


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
