"""The published import paths: each imports, the README lists it, and no other module stands beside them."""

import importlib
import re
from pathlib import Path

import pytest

import cogames

ROOT = Path(cogames.__file__).parent
README = Path(__file__).resolve().parents[1] / "README.md"

# The modules of cogames 0.26.22 that we offer; docs/concepts/published-names.md lists the others with reasons.
AT_THE_ROOT = {
    "core",
    "curricula",
    "device",
    "display_detect",
    "evaluate",
    "game",
    "main",
    "optional_deps",
    "pickup",
    "play",
    "replays",
    "seed",
    "softmax_cli",
    "variants",
    "verbose",
}
IN_CLI = {
    "assay",
    "auth",
    "base",
    "bitworld",
    "client",
    "compat",
    "docsync.docsync",
    "episode",
    "generated_models",
    "leaderboard",
    "matches",
    "mission",
    "player",
    "policy",
    "season",
    "submit",
    "utils",
}
IN_POLICY = {
    "chaos_monkey",
    "cognitive_substrate_diagnostics",
    "pufferlib_policy",
    "role_policies",
    "signal_handler",
    "starter_agent",
    "trainable_policy_template",
    "tutorial_overlay_policy",
    "tutorial_policy",
}
SAME_MODULE = {
    "cogames.core": "mettagrid.cogame.core",
    "cogames.display_detect": "mettagrid.util.display",
    "cogames.game": "mettagrid.cogame.game",
    "cogames.variants": "mettagrid.cogame.variants",
}
PUBLISHED = [
    "cogames.diagnose",
    *(f"cogames.{name}" for name in sorted(AT_THE_ROOT)),
    *(f"cogames.cli.{name}" for name in sorted(IN_CLI)),
    *(f"cogames.policy.{name}" for name in sorted(IN_POLICY)),
]


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_module_imports_with_its_names(name: str) -> None:
    if name.endswith(("trainable_policy_template", "pufferlib_policy")):
        pytest.importorskip("torch")
    module = importlib.import_module(name)
    assert module.__name__ == SAME_MODULE.get(name, name)
    assert all(hasattr(module, public) for public in getattr(module, "__all__", []))


@pytest.mark.parametrize("name", SAME_MODULE)
def test_a_patch_of_a_moved_module_reaches_our_code(name: str) -> None:
    assert importlib.import_module(name) is importlib.import_module(SAME_MODULE[name])


def test_a_game_patched_under_the_published_name_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from cogames import game, missions

    monkeypatch.setattr(game, "_games", {"mine": game.CoGame("mine", [], [])})
    assert missions.list(game="mine") == []


def test_only_published_modules_are_at_the_root_and_in_cli() -> None:
    at_the_root = {path.stem for path in ROOT.glob("*.py")} - {"__init__", "__main__", "entry_points"}
    assert at_the_root == AT_THE_ROOT, "a module at the root is a published import path; put new code into a folder"
    in_cli = {path.relative_to(ROOT / "cli").with_suffix("") for path in (ROOT / "cli").rglob("*.py")}
    names = {".".join(path.parts) for path in in_cli if path.name != "__init__"}
    assert names - {"mission_tables"} == IN_CLI, "cogames.cli holds published import paths; put new code into commands"


def test_the_readme_lists_every_published_module() -> None:
    section = README.read_text(encoding="utf-8").partition("## Published import paths")[2].partition("\n## ")[0]
    listed = set(re.findall(r"`(cogames[\w.]*)`", section))
    missing = [name for name in PUBLISHED if not name.startswith("cogames.policy.") and name not in listed]
    assert missing == []
    for name in sorted(listed):
        importlib.import_module(name)
