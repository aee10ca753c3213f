"""Make a role specialist.

A script, a notebook and a page with the same content; this is the one to edit. `cogames docsync all` makes the others.
"""

from cogames.docsync.scripts import console, start

start(__file__)

# %% [markdown]
# # Make a role specialist
#
# A team of cogs needs miners, scouts, aligners and scramblers. Here you train one of them: first it copies the scripted
# player of its role, then rewards take over, then it plays in a team on a full map. Change `ROLE` for another
# specialist. Read [Train your first policy](train_policy.md) first.
#
# This page is also a notebook and a script: `train_specialist.ipynb` and `train_specialist.py` in `docs/tutorials`. It
# needs PyTorch, as the other page says. The budgets are for a page that runs in seconds.

# %%
ROLE = "miner"  # or scout, aligner, scrambler
COPY_STEPS = 6_000  # agent steps that copy the teacher; 20_000_000 in a real run
TEAM_STEPS = 2_000  # agent steps on the full map; 50_000_000 in a real run
SMALL = {"parallel_envs": 8, "horizon": 16, "maps": 8}  # {} in real runs: the defaults suit the machine

# %% [markdown]
# ## The role
#
# Every role has a small mission that rewards its work, and a scripted player.

# %%
from cogames import missions

env = missions.load(f"tutorial.{ROLE}", seed=1)
rewards = env.game.agents[0].rewards
print("rewarded: ", *(name for name, reward in rewards.items() if reward.reward.weights[0] > 0))
print("punished: ", *(name for name, reward in rewards.items() if reward.reward.weights[0] < 0))

# %% [markdown]
# ## What the network sees
#
# An observation is a list of tokens: where, what, how much. A dense network reads all 500 tokens, most of
# them empty. The network `sparse` adds up one row of a table for each token that is there, and it knows features
# by their names, so one set of weights plays missions whose features have different numbers. It learns the names of
# the missions of its first run: name all that it is to play, here also the full game `arena`.

# %%
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

for name in (f"tutorial.{ROLE}", "arena"):
    game = PolicyEnvInterface.from_mg_cfg(missions.load(name))
    print(f"{name}: {len(game.obs_features)} features, {len(game.tags)} tags, {len(game.action_names)} actions")

# %% [markdown]
# ## Copy the teacher
#
# The teacher acts for most agents, so that the student sees good play; the others act themselves, so that it also
# learns to recover from its own mistakes. The two parts shrink over `teacher_steps`, and PPO, which learns from
# rewards, gets the rest.

# %%
import os
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # PyTorch's threads sleep while they wait

from cogames_training.args import TrainArgs
from cogames_training.runs import find_run
from cogames_training.training import train

copying = TrainArgs(
    missions=[f"tutorial.{ROLE}", "arena"],
    policy="class=sparse",
    total_steps=COPY_STEPS,
    teacher=ROLE,
    teacher_led_proportion=0.7,
    student_led_proportion=0.3,
    teacher_steps=COPY_STEPS,
    **SMALL,
)
train(copying, run=ROLE)
for report in find_run(ROLE, Path("train_dir")).epochs:
    parts = (report.experience[f"{kind}_segments"] for kind in ("teacher_led", "student_led", "ppo"))
    print(f"epoch {report.epoch}: agents led by teacher, by student, PPO:", *map(int, parts))

# %% [markdown]
# Watch `teacher_agreement`: how often the student's most probable action is the teacher's. It should climb long before
# the reward does. If it stays low, raise `teacher_steps`, so that the parts shrink later.
#
# ## Compare it
#
# Next to the teacher and to chance, on maps that neither has seen.

# %%
# <<hide-output>>
from cogames.episodes.evaluation import PlaySettings, evaluate
from cogames.missions import choose_missions
from cogames.policy.arguments import parse_policy_spec

chosen = choose_missions([f"tutorial.{ROLE}"], max_steps=100)
for policy in (f"./train_dir/{ROLE}", ROLE, "random"):
    patient = PlaySettings(action_timeout_ms=10_000)
    result = evaluate(chosen, [parse_policy_spec(policy)], episodes=2, seed=1000, settings=patient).missions[0]
    print(f"{policy:20}{result.statistics.policies[0].reward.mean:.2f}")

# %% [markdown]
# ## Play in a team
#
# Now the full game counts. A new run starts from the weights, with a smaller step size; the small mission stays in the
# rotation, so that nothing is forgotten.

# %%
team = TrainArgs(
    missions=["arena", f"tutorial.{ROLE}"],
    policy=f"./train_dir/{ROLE}",
    total_steps=TEAM_STEPS,
    learning_rate=0.0003,
    teacher=ROLE,
    teacher_led_proportion=0.2,
    **SMALL,
)
result = train(team, run=f"{ROLE}_in_team")
print(result.is_finished)

# %% [markdown]
# In the arena it plays next to the scripted starter: two seats for the specialist, six for the others.

# %% [console]
# <<hide-output>>
console("cogames run -m arena -p ./train_dir/miner_in_team,proportion=2 -p starter,proportion=6 -e 1 -s 100")

# %% [markdown]
# What does it add? `cogames pickup -p ./train_dir/miner_in_team --pool starter` compares the team with and without it.
#
# ## Pack it

# %% [console]
# <<hide-output>>
console("cogames create-bundle -p ./train_dir/miner_in_team -o miner.zip")

# %% [markdown]
# ## What to do next
#
# - Train all four roles, and let one policy hand out the roles: `agent_policy(agent_id)` may load a different network
#   for each seat ([Policies](../guides/policies.md)).
# - `cogames sweep --search teacher_led_proportion --teacher miner -m tutorial.miner` looks for a better mixture.
# - `--teacher 'metta://policy/cogsguard?gear=10'` teaches all roles at once
#   ([the training guide](../guides/training.md)).
