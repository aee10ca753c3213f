"""Train your first policy.

A script, a notebook and a page with the same content; this is the one to edit. `cogames docsync all` makes the others.
"""

from cogames.docsync.scripts import console, start

start(__file__)

# %% [markdown]
# # Train your first policy
#
# A network learns from what its actions earn, or from a teacher that plays well. Here you do both with a small budget,
# read the run's files and curves, and pack the result. The page runs in seconds and teaches the network next to
# nothing: set `STEPS` for that.
#
# This page is also a notebook and a script: `train_policy.ipynb` and `train_policy.py` in `docs/tutorials`. It needs
# PyTorch: `pip install 'cogames[neural]'`, or the environment of `make setup`. On a machine without a compiler, such as
# a hosted notebook, install the wheels of `make wheelhouse`: upload them, then run
# `pip install --no-index --find-links wheelhouse 'cogames[agents,neural]'` in the first cell.

# %%
STEPS = 4_000  # agent steps of each run; 20_000_000 for a policy that has learned something
SMALL = {"parallel_envs": 8, "horizon": 32, "maps": 8}  # {} in real runs: the defaults suit the machine

# %% [markdown]
# ## The task
#
# `tutorial.miner` is a small map for four cogs. It rewards what a miner does: taking the miner's gear and
# mining all four elements.

# %%
from cogames import missions

env = missions.load("tutorial.miner", seed=1)
print(env.game.num_agents, "cogs,", env.game.max_steps, "steps")
for name, reward in env.game.agents[0].rewards.items():
    print(f"{name:18}{reward.reward.weights[0]:+.1f}")

# %% [markdown]
# ## Learn from rewards
#
# `TrainArgs` has all settings, each with a line about its meaning; `train` does the work. `class=sparse` is the fastest
# network here. While it trains, a display shows speed, losses and scores. A name for the run makes it easy to find.

# %%
import os
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # PyTorch's threads sleep while they wait

from cogames_training.args import TrainArgs
from cogames_training.training import train


def settings(**changes):
    common = {"missions": ["tutorial.miner"], "policy": "class=sparse", "total_steps": STEPS}
    return TrainArgs(**common, **SMALL, **changes)


result = train(settings(), run="first")
print(f"{result.epochs} epochs, {result.agent_steps:,} agent steps")

# %% [markdown]
# The same on the command line, with its own budget:
# `cogames tutorial train -m tutorial.miner -p class=sparse --steps 20000000 --run first`.
#
# ## What a run leaves behind

# %%
names = (path.name for path in Path("train_dir/first").iterdir())
print(*sorted(name for name in names if not name.startswith(("events", "."))), sep="\n")

# %% [markdown]
# - `model_*.pt` and `policy_spec.json`: the newest weights, and which class they belong to. So `./train_dir/first` is a
#   policy that every command accepts; `./train_dir/first:v4` is the checkpoint of epoch 4.
# - `trainer_state.pt`: what the trainer needs to continue the run exactly.
# - `run.json`: settings, seed, versions and machine. `metrics.jsonl`: all numbers of every epoch.
# - event files for TensorBoard.
#
# `cogames runs` lists all runs, and `cogames runs show first` draws their curves. In Python:

# %%
from cogames_training.runs import find_run

for report in find_run("first", Path("train_dir")).epochs:
    print(report.epoch, report.agent_steps, sorted(report.losses)[:4])

# %% [console]
# <<hide-output>>
console("cogames runs show first -o first.html")

# %% [markdown]
# ## Learn from a teacher
#
# From rewards alone a network needs many steps until it finds its first element. A teacher shows it. `miner` is a
# scripted policy; in half of the agents it acts, in the other half the student acts and learns what the teacher would
# have done. Both parts shrink to nothing over `teacher_steps`, and rewards take over.

# %%
teacher = {"teacher": "miner", "teacher_led_proportion": 0.5, "student_led_proportion": 0.5}
result = train(settings(**teacher, teacher_steps=10 * STEPS), run="taught")
epochs = find_run("taught", Path("train_dir")).epochs
better = epochs[-1].losses["cloning_loss"] < epochs[0].losses["cloning_loss"]
print("The student predicts the teacher", "better than before" if better else "no better yet")

# %% [markdown]
# ## Measure it
#
# Scores during training are means over changing weights and maps. Measure the finished policy like any other
# ([Evaluate it](evaluate_policy.md)), next to its teacher.

# %% [console]
# <<hide-output>>
console("cogames scrimmage -m tutorial.miner -p ./train_dir/taught -e 2 -s 100")
console("cogames scrimmage -m tutorial.miner -p miner -e 2 -s 100")

# %% [markdown]
# ## Continue it
#
# The name of a run continues it, with its settings, exactly where it stopped; after Ctrl-C as well. A larger number of
# steps makes it longer. The display is on stderr, here in a file, and the next commands are on stdout.

# %% [console]
console("cogames tutorial train --run taught --steps 6000 2> training.log")

# %% [markdown]
# `-p ./train_dir/taught` starts a *new* run from these weights instead, with another mission, teacher or learning rate.
#
# ## Your own network
#
# The template is a policy with a network of three layers. Change it, and train it by its class.

# %% [console]
# <<hide-output>>
console("cogames tutorial make-policy --trainable -o my_network.py")

# %%
own = settings()
own.policy = "class=my_network.MyTrainablePolicy"
result = train(own, run="own")
print(f"{result.epochs} epochs, {result.agent_steps:,} agent steps")

# %% [markdown]
# ## Submit it
#
# A run is a bundle; add the files of your own class with `-f`. `cogames upload -p ./train_dir/taught -n NAME` packs,
# checks and sends it ([Submit it](submit_policy.md)).

# %% [console]
# <<hide-output>>
console("cogames create-bundle -p ./train_dir/taught -o taught.zip")
console("cogames create-bundle -p ./train_dir/own -f my_network.py -o own.zip")

# %% [markdown]
# ## What to do next
#
# - Run this page again with `STEPS = 20_000_000`, and watch `reward` and `teacher agreement`.
# - [Make a role specialist](train_specialist.md): a miner, scout, aligner or scrambler for a team.
# - [The training guide](../guides/training.md): missions in rotation, recipes, sweeps, metrics, GPU machines.
