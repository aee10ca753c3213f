"""Run folders as policies: every documented way to write one loads the right weights."""

import zipfile
from pathlib import Path

import pytest

from cogames.policy.arguments import list_checkpoints, parse_policy_spec
from cogames.policy.bundles import create_bundle
from cogames_training.runs import RunFolder
from cogames_training.runs.layout import Layout
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

LSTM = "mettagrid.policy.lstm.LSTMPolicy"
GAME = PolicyEnvInterface(
    action_names=["noop", "move_north"],
    vibe_action_names=[],
    num_agents=2,
    observation_shape=(10, 3),
    egocentric_shape=(5, 5),
)


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs with checkpoints 5, 9 and 10, one in each layout; the bias of the value head is the epoch."""
    from mettagrid.policy.lstm import LSTMPolicy

    monkeypatch.chdir(tmp_path)
    network = LSTMPolicy(GAME).network()
    spec = {"class_path": LSTM, "init_kwargs": {}, "policy_env_interface": GAME.model_dump(mode="json")}
    layouts: dict[str, Layout] = {"lesson": "tutorial", "recipe": "recipe"}
    for name, layout in layouts.items():
        with RunFolder.create(Path("train_dir"), run_id=name, layout=layout, describe={"command": ["x"]}) as run:
            for epoch in (5, 9, 10):
                network.state_dict()["_value_head.bias"].fill_(epoch)
                run.save_checkpoint(epoch, network.state_dict(), spec, {})
    return tmp_path / "train_dir"


def epoch_of(policy: str) -> int:
    """Load a policy and return the epoch of its weights."""
    spec = parse_policy_spec(policy).to_policy_spec()
    loaded = initialize_or_load_policy(GAME, spec)
    return int(loaded.network().state_dict()["_value_head.bias"].item())


@pytest.mark.parametrize("run", ["lesson", "recipe"])
@pytest.mark.parametrize(
    ("form", "epoch"),
    [
        ("./train_dir/{}", 10),
        ("./train_dir/{}:latest", 10),
        ("./train_dir/{}:v5", 5),
        ("./train_dir/{}:v9", 9),
        ("./train_dir/{}:v10,proportion=3", 10),
        ("train_dir/{0}/checkpoints/{0}:v9", 9),
        ("./train_dir/{}/checkpoints:latest", 10),
    ],
)
def test_a_run_is_a_policy(run: str, form: str, epoch: int) -> None:
    assert epoch_of(form.format(run)) == epoch


@pytest.mark.parametrize(
    "policy",
    [
        "class=lstm,data=./train_dir/lesson.pt",
        "class=lstm,data=./train_dir/lesson/model_000010.pt",
        "class=lstm,data=./train_dir/recipe/checkpoints/recipe:v10/weights.safetensors",
    ],
)
def test_weights_of_a_run_are_the_data_of_a_class(policy: str) -> None:
    assert epoch_of(policy) == 10


@pytest.mark.parametrize("policy", ["./train_dir/lesson:v7", "./train_dir/recipe:v7", "./train_dir/other"])
def test_a_checkpoint_that_does_not_exist_is_an_error(policy: str) -> None:
    with pytest.raises(FileNotFoundError):
        parse_policy_spec(policy)


def test_no_checkpoint_at_all_is_an_error() -> None:
    with pytest.raises(ValueError, match="No latest checkpoint found"):
        parse_policy_spec("./train_dir/other:latest")


@pytest.mark.parametrize(("run", "weights"), [("lesson", "model_000010.pt"), ("recipe", "weights.safetensors")])
def test_a_bundle_of_a_run_has_only_the_policy(run: str, weights: str, tmp_path: Path) -> None:
    made = create_bundle(f"./train_dir/{run}", tmp_path / "bundle.zip")
    with zipfile.ZipFile(made.path) as archive:
        assert archive.namelist() == ["policy_spec.json", weights]
    assert epoch_of(str(made.path)) == 10


def test_runs_are_listed_as_policies() -> None:
    listed = {policy for policy, _ in list_checkpoints(Path("train_dir"))}
    assert {"./train_dir/lesson", "./train_dir/recipe/checkpoints/recipe:v10"} <= listed
