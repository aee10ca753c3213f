"""Registered games and those of installed packages."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from mettagrid.cogame import game as games
from mettagrid.cogame.core import CoGameMissionVariant
from mettagrid.cogame.errors import MissionError, UnknownGame
from mettagrid.cogame.game import CoGame, get_game, installed_games, register_game


@pytest.fixture(autouse=True)
def only_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "_games", {})
    monkeypatch.setattr(games, "_entries", list)


def test_a_registered_game_is_found() -> None:
    game = CoGame("chess", missions=[], variants=[])
    register_game(game)
    assert get_game("chess") is game
    assert installed_games() == ["chess"]


def test_an_unknown_game_is_refused_with_the_closest_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "_MODULES", {"cogsguard": "no_such_package.game"})
    register_game(CoGame("chess", missions=[], variants=[]))
    with pytest.raises(UnknownGame, match=r"^Game 'ches' not found\. Did you mean 'chess'\?$"):
        get_game("ches")
    with pytest.raises(UnknownGame, match=r"pip install cogames\[cogsguard\]"):
        get_game("cogsguard")


def test_a_game_of_an_installed_package_is_imported_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pytest.TempPathFactory
) -> None:
    package = tmp_path / "their_game.py"  # type: ignore[operator]
    package.write_text("from mettagrid.cogame.game import CoGame\nGAME = CoGame('theirs', missions=[], variants=[])\n")
    (tmp_path / "broken_game.py").write_text("raise RuntimeError('no such luck')\n")  # type: ignore[operator]
    monkeypatch.syspath_prepend(tmp_path)
    entries = [
        EntryPoint("theirs", "their_game:GAME", games.ENTRY_POINT_GROUP),
        EntryPoint("broken", "broken_game:GAME", games.ENTRY_POINT_GROUP),
    ]
    monkeypatch.setattr(games, "_entries", lambda: entries)
    assert get_game("theirs").name == "theirs"
    with pytest.raises(MissionError, match="'broken' cannot be imported from 'broken_game:GAME': no such luck"):
        get_game("broken")


def test_a_game_offers_its_variants_by_name() -> None:
    class Gambit(CoGameMissionVariant):
        name: str = "test_gambit"

    game = CoGame("chess", missions=[], variants=[Gambit()])
    assert game.variant_registry.required(Gambit) is game.variants[0]
    assert game.eval_missions == []


def test_a_known_game_needs_no_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownGame, match=r"install the package that has 'hungercog\.game'"):
        get_game("hungercog")
    package = tmp_path / "hungercog"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "game.py").write_text(
        "from mettagrid.cogame.game import CoGame, register_game\nregister_game(CoGame('hungercog', [], []))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    try:
        assert get_game("hungercog").missions == []
    finally:
        for name in ("hungercog.game", "hungercog"):
            sys.modules.pop(name, None)


def test_a_known_game_that_fails_to_import_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "werecog").mkdir()
    (tmp_path / "werecog" / "cogame.py").write_text("import a_package_that_is_missing\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        with pytest.raises(MissionError, match=r"'werecog' cannot be imported .*a_package_that_is_missing"):
            get_game("werecog")
    finally:
        sys.modules.pop("werecog", None)
