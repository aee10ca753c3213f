"""The digest of an entrant, which decides whether a ladder can be resumed."""

from pathlib import Path

import pytest

from cogames.ladder.entrants import make_entrants


def test_the_digest_of_an_installed_policy_changes_with_all_code_of_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "digested_agents/__init__.py": "",
        "digested_agents/policy.py": "class P: ...\n",
        "digested_agents/_native.so": "one",
        "digested_agents/notes.txt": "one",
        "digested_agents-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: digested-agents\nVersion: 1.0\n",
        "digested_agents-1.0.dist-info/entry_points.txt": "[mettagrid.policies]\ndigested = digested_agents.policy:P\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)

    def digest() -> str:
        (entrant,) = make_entrants(["digested_agents.policy.P"], import_code=False)
        return entrant.digest

    first = digest()
    (tmp_path / "digested_agents/notes.txt").write_text("two")
    assert digest() == first
    (tmp_path / "digested_agents/_native.so").write_text("two")
    assert digest() != first
