"""The optimizer in its box: what it leaves in its workspace is data from a stranger."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from coworld.engines.local_images import LocalImages
from coworld.engines.process import ProcessEngine
from coworld.optimize import ImproverFailed, Task
from coworld.optimize.boxed_optimizer import OptimizerEntry, boxed_optimizer

PLAYER = {"player.sh": "#!/bin/sh\necho one\n", "kept.txt": "kept", "sub/gone.txt": "gone"}


def optimize(tmp_path: Path, script: str) -> tuple[Path, str | None]:
    """(workspace, note) after an optimizer has run."""
    program, workspace, findings = tmp_path / "program", tmp_path / "workspace", tmp_path / "findings"
    for folder in (program, findings):
        folder.mkdir()
    for name, text in PLAYER.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text)
    (workspace / "player.sh").chmod(0o755)
    (program / "optimizer.sh").write_text(f'cd "${{COGAME_POLICY_WORKSPACE_URI#file://}}"\n{script}\n')
    engine = ProcessEngine(LocalImages.beside(None, [f"optimizer:1={program}"]))
    improver = boxed_optimizer(OptimizerEntry("theirs", "optimizer:1", ["/bin/sh", "optimizer.sh"]), engine)
    return workspace, improver(Task(workspace, 0, 0, folder=findings))


def test_added_changed_and_removed_files_come_back_with_their_modes(tmp_path: Path) -> None:
    script = "echo 'echo two' >> player.sh; rm -r sub; echo new > sub; mkdir deep; printf '#!/bin/sh\\n' > deep/run"
    workspace, note = optimize(tmp_path, script)
    found = sorted(str(path.relative_to(workspace)) for path in workspace.rglob("*") if path.is_file())
    assert found == ["deep/run", "kept.txt", "player.sh", "sub"]
    assert (workspace / "player.sh").read_text().endswith("echo two\n") and note is None
    assert os.access(workspace / "player.sh", os.X_OK) and os.access(workspace / "deep" / "run", os.X_OK)
    assert not os.access(workspace / "kept.txt", os.X_OK)


def test_links_and_pipes_are_never_followed_out_of_the_workspace(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the author's own")
    script = f"ln -sf {secret} kept.txt; ln -s / root; ln -s {tmp_path} sub/up; echo changed >> player.sh"
    workspace, _ = optimize(tmp_path, script)
    assert not (workspace / "kept.txt").exists() and not (workspace / "root").exists()
    assert not any(path.is_symlink() for path in workspace.rglob("*"))
    assert secret.read_text() == "the author's own"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 4", "ended with exit code 4"),
        ("echo no idea; exit 1", "no idea"),
        ("true", "changed nothing and wrote no plan"),
        ("rm -r *", "workspace is empty"),
        pytest.param(
            "i=0; while [ $i -lt 10100 ]; do : > f$i; i=$((i+1)); done", "more than 10000 files", marks=pytest.mark.slow
        ),
        ("mkfifo pipe", "changed nothing and wrote no plan"),
    ],
)
def test_an_optimizer_without_a_usable_workspace_has_no_proposal(tmp_path: Path, script: str, reason: str) -> None:
    with pytest.raises(ImproverFailed, match=reason):
        optimize(tmp_path, script)
    assert not list((tmp_path / "workspace").rglob("pipe"))
