"""Settings of pip beside the interpreter may hold credentials: a box sees an empty file in their place."""

import sys
from pathlib import Path

import pytest

from cogbox import Mount, Sandbox, python_runtime


def test_a_box_does_not_see_the_settings_of_pip_beside_the_interpreter(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / "prefix"
    prefix.mkdir()
    prefix.chmod(0o755)
    (prefix / "pip.conf").write_text("[global]\nindex-url = https://operator:secret@index.example.com/simple\n")
    (prefix / "other.txt").write_text("seen")
    mounts = [*python_runtime(), Mount(prefix)]
    command = [sys.executable, "-c", "print([open(name).read() for name in ('pip.conf', 'other.txt')])"]
    monkeypatch.setattr(sys, "prefix", str(prefix))
    result = sandbox.run(command, mounts=mounts, python=False, cwd=prefix)
    assert result.stdout == b"['', 'seen']\n", result
