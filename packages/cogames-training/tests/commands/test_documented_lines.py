"""Every command line of the published documents about training runs, for a few steps."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from cogames_training.args import TrainArgs
from cogames_training.recipes import main as run_recipe

TEACHER = (
    '\'teacher={mode: sliced_cloner, policy_uri: "metta://policy/cogsguard?gear=10",'
    " teacher_led_proportion: %s, student_led_proportion: %s}'"
)
HALF, MOSTLY_STUDENT = TEACHER % (0.5, 0.5), TEACHER % (0.3, 0.7)
MINER = "'teacher={mode: sliced_cloner, policy_uri: \"metta://policy/miner\", teacher_led_proportion: 0.7}'"

TRAIN = {
    "train -m cogsguard_arena.basic --steps 5000000000 --batch-size 2097152 -p lstm": {
        "total_steps": 5_000_000_000,
        "batch_size": 2097152,
        "policy": "lstm",
        "missions": ["arena"],
    },
    "train -m cogsguard_arena.basic --steps 1000000 --batch-size 4096 --device cpu": {"total_steps": 1_000_000},
    "train -m cogsguard_arena.basic -s 100000 --batch-size 4096 --device cpu": {
        "total_steps": 100_000,
        "batch_size": 4096,
        "minibatch_size": 4096,
    },
    "tutorial train -m arena": {"policy": "class=lstm", "missions": ["arena"]},
    "tutorial train -m arena -p class=baseline": {"policy": "class=sparse"},
    "tutorial train -p ./train_dir/my_run:v5": {"policy": "./train_dir/my_run:v5"},
    "tutorial train -p class=lstm,data=./weights.safetensors": {"missions": ["arena"]},
    "tutorial train -m machina_1 -m arena": {"missions": ["machina_1", "arena"]},
    "tutorial train -m 'tutorial:*' -p class=sparse": {},
    "tutorial train -m arena -p class=stateless --vector-batch-size 128 --num-workers 2 --map-seed 3": {"map_seed": 3},
}
RECIPES = {
    f"run=my-cogsguard-bc-001 {HALF} trainer.total_timesteps=5_000_000_000 trainer.batch_size=2097152": {
        "teacher": "metta://policy/cogsguard?gear=10",
        "teacher_led_proportion": 0.5,
        "student_led_proportion": 0.5,
        "batch_size": 2097152,
    },
    "run=my-cogsguard-ppo-001 trainer.total_timesteps=10_000_000_000": {"teacher": None, "total_steps": 10**10},
    f"run=my-cogsguard-miner-001 {MINER} trainer.total_timesteps=2_000_000_000": {"teacher_led_proportion": 0.7},
    f"run=cogsguard-curriculum-full {MOSTLY_STUDENT} trainer.total_timesteps=5_000_000_000": {
        "student_led_proportion": 0.7
    },
}
EVALUATE = [
    "scrimmage -m cogsguard_arena.basic -p ./train_dir/my_run:v5 -e 1 -s 3",
    "scrimmage -m cogsguard_arena.basic -p ./train_dir/my_run -e 1 -s 3",
    "run -m cogsguard_arena.basic -p ./train_dir/my_run:v5,proportion=3 -p class=random,proportion=5 -e 1 -s 3",
    "run -S integrated_evals -p ./train_dir/my_run:v5 -e 1 -s 3",
    "run -S integrated_evals -p ./train_dir/my_run -e 1 -s 3",
    "play -m cogsguard_arena.basic -p ./train_dir/my_run -r log -s 3",
]


@pytest.fixture
def my_run(cogames: Any, tiny: list[TrainArgs], tmp_path: Path) -> Path:
    """A run of the recipes after five epochs."""
    assert run_recipe(["recipes.experiment.cogsguard.train", "run=my_run", "wandb.mode=disabled"]) == 130
    assert (tmp_path / "train_dir/my_run/checkpoints/my_run:v5/weights.safetensors").is_file()
    return tmp_path / "train_dir" / "my_run"


def test_the_commands_train(cogames: Any, tiny: list[TrainArgs], my_run: Path, tmp_path: Path) -> None:
    run_recipe(
        ["cogsguard.train", "run=lstm", "policy_architecture=lstm", "trainer.losses.ppo_critic.critic_update=mse"]
    )
    shutil.copy(tmp_path / "train_dir/lstm/checkpoints/lstm:v5/weights.safetensors", tmp_path / "weights.safetensors")
    for line, expected in TRAIN.items():
        ran = cogames(*shlex.split(line))
        assert ran.code == 0, (line, ran.err)
        asked = tiny[-1]
        assert {name: getattr(asked, name) for name in expected} == expected, line
        older = "warning: `cogames train` is an older spelling; write `cogames tutorial train`"
        assert ran.err.count(older) == line.startswith("train ")
    assert "`sparse` instead" in cogames("tutorial", "train", "-p", "baseline").err


def test_patterns_without_a_match_name_the_nearest_missions(cogames: Any, tiny: list[TrainArgs]) -> None:
    ran = cogames("tutorial", "train", "-m", "machina_2_bigger:*")
    assert (ran.code, "No missions found" in ran.error) == (1, True)


@pytest.mark.parametrize("pattern", ["*:shaped", "machina*:shaped"])
def test_patterns_match_variants(cogames: Any, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    import cogames_training.training

    asked: list[TrainArgs] = []

    def train(args: TrainArgs, **more: Any) -> None:
        asked.append(args)
        raise KeyboardInterrupt

    monkeypatch.setattr(cogames_training.training, "train", train)
    ran = cogames("tutorial", "train", "-m", pattern)
    if ran.code == 130:
        assert all("shaped" in name for name in asked[0].missions)
    else:  # no installed game has such a variant
        assert "No missions found" in ran.error


def test_the_recipes_train(cogames: Any, tiny: list[TrainArgs], tmp_path: Path) -> None:
    for line, expected in RECIPES.items():
        words = shlex.split(line)
        assert run_recipe(["recipes.experiment.cogsguard.train", *words]) == 130, line  # stopped after five epochs
        assert {name: getattr(tiny[-1], name) for name in expected} == expected, line
        name = words[0].removeprefix("run=")
        spec = json.loads((tmp_path / f"train_dir/{name}/checkpoints/{name}:v5/policy_spec.json").read_text())
        assert spec["class_path"].endswith("SparsePolicy")


def test_a_run_of_a_recipe_is_evaluated_and_uploaded(cogames: Any, my_run: Path) -> None:
    for line in EVALUATE:
        ran = cogames(*shlex.split(line))
        assert ran.code == 0, (line, ran.err)
    ran = cogames("upload", "-p", "./train_dir/my_run", "-n", "my-policy", "--dry-run")
    assert ran.code == 0, ran.err
    assert "Policy validated successfully" in ran.err


def test_the_template_is_trained_played_packed_and_uploaded(
    cogames: Any, tiny: list[TrainArgs], tmp_path: Path
) -> None:
    assert cogames("tutorial", "make-policy", "--trainable", "-o", "my_policy.py").code == 0
    # After so few steps the most likely action may be noop, and a policy that does nothing else is not valid.
    template = (tmp_path / "my_policy.py").read_text()
    assert "logits.argmax()" in template
    (tmp_path / "my_policy.py").write_text(template.replace("logits.argmax()", "1 + logits[:, 1:].argmax()"))
    ran = cogames("tutorial", "train", "-m", "arena", "-p", "class=my_policy.MyTrainablePolicy", "--run", "mine")
    assert ran.code == 0, ran.err
    name = ["policy_architecture=my_policy.MyTrainablePolicy", "trainer.losses.ppo_critic.critic_update=mse"]
    assert run_recipe(["cogsguard.train", "run=recipe", *name]) == 130
    for run in ("mine", "recipe"):
        policy = f"./train_dir/{run}"
        assert cogames("play", "-m", "arena", "-p", policy, "-r", "none", "-s", 3).code == 0
        packed = cogames("create-bundle", "-p", policy, "-f", "my_policy.py", "-o", f"{run}.zip")
        assert packed.code == 0, packed.err
        validated = cogames("validate-bundle", "-p", f"./{run}.zip")
        assert validated.code == 0, validated.err
    ran = cogames("upload", "-p", "./train_dir/mine", "-f", "my_policy.py", "-n", "mine", "--dry-run")
    assert ran.code == 0, ran.err
