"""`cogames.cli.mission`: missions by name for code that has a `CoGame`."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from cogames.cli import mission as cli
from cogames.core import CoGameMission, CoGameMissionVariant, Deps
from cogames.game import CoGame, get_game, register_game
from mettagrid.cogame import game as games
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.random_map import RandomMapBuilder


class ToyDark(CoGameMissionVariant):
    name: str = "toy_dark"
    description: str = "Lights out."

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.max_steps = 7


class ToyBase(CoGameMissionVariant):
    name: str = "toy_base"
    description: str = "Base rules."


class ToyTop(CoGameMissionVariant):
    name: str = "toy_top"
    description: str = "On top."

    def dependencies(self) -> Deps:
        return Deps(required=[ToyBase], optional=[ToyDark])


class ToyMission(CoGameMission):
    def make_base_env(self) -> MettaGridConfig:
        return MettaGridConfig.EmptyRoom(num_agents=self.num_cogs or 2)


def toy_mission(name: str, **settings: object) -> ToyMission:
    field = RandomMapBuilder.Config(width=10, height=9, agents=2)
    about = f"About {name}."
    return ToyMission(name=name, description=about, map_builder=field, num_cogs=2, max_cogs=4, **settings)


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> Iterator[CoGame]:
    """A game with sub-missions, an evaluation mission and variants that depend on each other."""
    monkeypatch.setattr(games, "_games", dict(games._games))
    toy = CoGame(
        "toy",
        [toy_mission("alpha", sub_missions=["toy_dark"], default_variant="toy_top"), toy_mission("beta")],
        [ToyDark(), ToyBase(), ToyTop()],
        [toy_mission("ev1")],
    )
    register_game(toy)
    yield toy


def printed(show: object, *arguments: object) -> str:
    console = Console(file=io.StringIO(), width=100)
    show(*arguments[:1], console, *arguments[1:])  # type: ignore[operator]
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_resolve_mission_gives_name_environment_and_mission(game: CoGame) -> None:
    name, env, mission = cli.resolve_mission(game, "alpha", ["toy_dark"], cogs=3)
    assert (name, env.game.num_agents, env.game.max_steps) == ("alpha", 3, 7)
    assert mission is not None
    assert (type(mission), mission.num_cogs, mission.has_variant("toy_dark")) == (ToyMission, 3, True)
    assert cli.resolve_mission(game, "alpha.toy_dark")[1].game.max_steps == 7
    assert cli.resolve_mission(game, "ev1")[0] == "ev1"
    assert cli.get_mission("beta", game_name="toy")[1].game.max_steps == 10000


def test_a_mission_of_cogs_vs_clips_resolves_with_its_variants() -> None:
    name, env, mission = cli.resolve_mission(get_game("cogsguard"), "machina_1", ["no_clips"], cogs=4)
    assert (name, env.game.num_agents) == ("machina_1", 4)
    assert mission is not None and mission.has_variant("no_clips")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nope",), "Unknown mission 'nope'. Available: alpha, beta, ev1"),
        (("alpha.nope",), "Unknown sub-mission 'nope' for 'alpha'. Available: toy_dark"),
        (("beta", ["full"]), "Unknown variant 'full'.\nAvailable variants: toy_dark, toy_base, toy_top"),
        (("nowhere.yaml",), "File not found: nowhere.yaml"),
    ],
)
def test_unknown_names_are_value_errors_with_the_known_names(game: CoGame, words: tuple, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:
        cli.resolve_mission(game, *words)
    assert str(refused.value) == sentence


def test_evaluation_missions_are_found_only_when_they_are_asked_for(game: CoGame) -> None:
    assert cli.find_mission(game, "ev1", include_evals=True).name == "ev1"
    with pytest.raises(ValueError, match=r"Unknown mission 'ev1'\. Available: alpha, beta$"):
        cli.find_mission(game, "ev1")
    assert cli.get_all_mission_names(game) == cli.get_all_missions("toy") == ["alpha", "beta"]
    assert cli.get_all_eval_mission_names(game) == ["ev1"]
    assert [mission.name for mission in cli.get_all_missions_list("toy")] == ["alpha", "beta"]


def test_a_game_that_is_not_registered_works_too() -> None:
    hidden = CoGame("hidden", [toy_mission("only")], [ToyDark()])
    assert cli.resolve_mission(hidden, "only", ["toy_dark"])[1].game.max_steps == 7
    with pytest.raises(ValueError, match="Unknown mission 'arena'"):
        cli.find_mission(hidden, "arena", include_evals=True)


def test_patterns_match_anywhere_in_a_name(game: CoGame) -> None:
    def names(pattern: str) -> list[str]:
        return [name for name, _ in cli.resolve_missions_by_wildcard(game, pattern, ["toy_dark"], 3)]

    assert (names("*"), names("*et*"), names("zz*")) == (["alpha", "beta", "ev1"], ["beta"], [])


def test_variants_and_cogs_are_applied_to_a_copy(game: CoGame) -> None:
    mission = game.missions[1]
    changed = cli.apply_variants(mission, cli.resolve_mission_variants(game, mission, ["toy_dark"]), 3)
    assert (changed.num_cogs, changed.make_env().game.max_steps) == (3, 7)
    assert (mission.num_cogs, mission.make_env().game.max_steps) == (2, 10000)


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json"])
def test_an_environment_is_saved_and_loaded(game: CoGame, tmp_path: Path, suffix: str) -> None:
    env = cli.get_mission("alpha", game_name="toy")[1]
    path = tmp_path / f"mission{suffix}"
    cli.save_mission_config(env, path)
    assert cli.load_mission_config(path) == env
    name, loaded, mission = cli.resolve_mission(game, str(path))
    assert (name, loaded, mission) == (str(path), env, None)


def test_files_that_cannot_be_read_or_written_are_refused(tmp_path: Path) -> None:
    env = MettaGridConfig.EmptyRoom(num_agents=1)
    with pytest.raises(ValueError, match=r"Unsupported file format: \.txt"):
        cli.save_mission_config(env, tmp_path / "mission.txt")
    with pytest.raises(ValueError, match=r"Unsupported file format: \.py"):
        cli.load_mission_config(tmp_path / "mission.py")
    with pytest.raises(FileNotFoundError):
        cli.load_mission_config(tmp_path / "mission.yaml")
    program = tmp_path / "mission.py"
    program.write_text("from mettagrid.config.mettagrid_config import MettaGridConfig\nconfig = MettaGridConfig()\n")
    assert isinstance(cli.load_mission_config_from_python(program), MettaGridConfig)
    program.write_text("config = 3\n")
    with pytest.raises(ValueError, match="MettaGridConfig"):
        cli.load_mission_config_from_python(program)


def test_missions_variants_and_dependencies_are_printed(game: CoGame) -> None:
    missions = printed(cli.print_missions, game)
    assert "alpha.toy_dark" in missions and "Lights out." in missions and "10x9" in missions
    assert "beta" not in printed(cli.print_missions, game, "alp")
    assert printed(cli.print_missions, game, "zzz") == "No missions matching 'zzz'\n"
    assert "On top." in printed(cli.print_variants, game)
    assert "ev1" in printed(cli.print_evals, game)
    graph = printed(cli.print_variant_graph, game).split("\n")
    assert graph[1:] == [
        "Variant Dependency Graph",
        "└── toy_top — On top.",
        "    ├── toy_base — Base rules.",
        "    └── toy_dark — Lights out. (optional)",
        "",
    ]
    assert "toy_base" in printed(cli.print_mission_dependencies, game)
    assert "(no variant dependencies)" in printed(cli.print_mission_dependencies, game)


def test_the_graph_of_cogs_vs_clips_is_printed() -> None:
    graph = printed(cli.print_variant_graph, get_game("cogsguard"))
    assert "damage" in graph and "(optional)" in graph


def test_an_installed_game_is_listed_by_name(game: CoGame, capsys: pytest.CaptureFixture[str]) -> None:
    cli.list_missions(game_name="toy")
    cli.list_variants(game_name="toy")
    cli.list_evals(game_name="toy")
    cli.describe_mission(*cli.get_mission("alpha", game_name="toy"))
    out = capsys.readouterr().out
    assert all(text in out for text in ("About alpha.", "toy_top", "About ev1.", "Max steps"))


@pytest.fixture
def command(game: CoGame) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    def one(ctx: typer.Context, mission: str | None = None, steps: int | None = None) -> None:
        name, env, _ = cli.get_mission_name_and_config(ctx, mission, game_name="toy", steps=steps)
        print(name, env.game.max_steps)

    @app.command()
    def many(ctx: typer.Context, missions: list[str] | None = None) -> None:
        print([name for name, _ in cli.get_mission_names_and_configs(ctx, missions, game_name="toy")])

    return app


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["one", "--mission", "beta"], 0, "beta 10000"),
        (["one", "--mission", "beta", "--steps", "5"], 0, "beta 5"),
        (["one", "--mission", "nope"], 1, "Unknown mission 'nope'"),
        (["one"], 1, "Missing: --mission / -m"),
        (["many", "alpha", "b*", "alpha"], 0, "['alpha', 'beta']"),
        (["many", "zz*"], 1, "No missions found for ['zz*']"),
        (["many"], 1, "Supply at least one: --mission / -m"),
    ],
)
def test_commands_get_their_missions_or_exit(command: typer.Typer, words: list[str], code: int, text: str) -> None:
    if words[0] == "many":
        words = ["many", *(part for name in words[1:] for part in ("--missions", name))]
    result = CliRunner().invoke(command, words)
    assert (result.exit_code, text in result.output) == (code, True), result.output
