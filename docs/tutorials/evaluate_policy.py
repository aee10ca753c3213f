"""Evaluate it.

A script, a notebook and a page with the same content; this is the one to edit. `cogames docsync all` makes the others.
"""

from cogames.docsync.scripts import console, start

start(__file__)

# %% [markdown]
# # Evaluate it
#
# You have a policy and an idea how to make it better. Here you measure both, find out whether the difference is more
# than luck, what the policy is worth beside others, and where it loses.
#
# This page is a notebook and a script too: `evaluate_policy.ipynb` and `evaluate_policy.py` in `docs/tutorials`. The
# policy is the one that comes as a template; yours is measured the same way.

# %% [console]
# <<hide-output>>
console("cogames tutorial make-policy --scripted -o my_policy.py")

# %% [markdown]
# ## One policy
#
# `scrimmage` gives your policy all seats and plays a number of episodes, each on a map of its own. A cog whose policy
# takes longer than a quarter of a second does nothing in that step; here it has longer, so that a busy machine changes
# no number.

# %% [console]
# <<collapse-output>>
console("cogames scrimmage -m arena -c 4 -p class=my_policy.StarterPolicy -e 8 -s 400 --action-timeout-ms 10000")

# %% [markdown]
# The last table has the rewards: what a cog earned in each episode, which is the number of junctions that its team
# held, averaged over the length of the mission. The tables above say how it came about: what the team gathered, what
# the cogs did. The same is one call in Python:

# %%
from cogames.evaluation import PlaySettings, evaluate
from cogames.mission_args import choose_missions
from cogames.policy_args import parse_policy_spec

missions = choose_missions(["arena"], cogs=4, max_steps=400)


def measure(policy):
    """The result of a policy on eight maps."""
    patient = PlaySettings(action_timeout_ms=10_000)
    return evaluate(missions, [parse_policy_spec(policy)], episodes=8, settings=patient).missions[0]


def rewards(result):
    """What a cog earned in each episode."""
    return [sum(outcome.rewards) / len(outcome.rewards) for outcome in result.outcomes]


def show_mean(name, interval):
    print(f"{name}: {interval.mean:.2f}, between {interval.low:.2f} and {interval.high:.2f}")


mine = measure("class=my_policy.StarterPolicy")
print([round(reward, 2) for reward in rewards(mine)])
show_mean("my policy", mine.statistics.policies[0].reward)

# %% [markdown]
# Eight maps are not all maps. The interval says how much that matters: in 95 of 100 cases it holds the mean that you
# would get from very many. Four times the episodes make it half as wide.
#
# Episodes are played with the seeds 42, 43 and so on (`--seed` is the first), and a seed gives the same map and the
# same results each time, on any machine and any number of cores.
#
# ## Is it better?
#
# The template's cogs carry four hearts at most. Would eight be better?

# %%
from pathlib import Path

text = Path("my_policy.py").read_text()
Path("eight_hearts.py").write_text(text.replace("MOST_HEARTS = 4", "MOST_HEARTS = 8"))

eight = measure("class=eight_hearts.StarterPolicy")
show_mean("four hearts ", mine.statistics.policies[0].reward)
show_mean("eight hearts", eight.statistics.policies[0].reward)

# %% [markdown]
# The intervals overlap widely, so these two numbers alone do not tell. But both policies have played the same eight
# maps, and most of the spread comes from the maps. So compare map by map:

# %%
from softmax.stats import estimate_mean

gains = [new - old for old, new in zip(rewards(mine), rewards(eight), strict=True)]
print([round(gain, 2) for gain in gains])
show_mean("eight hearts earn more by", estimate_mean(gains))

# %% [markdown]
# Zero is not in the interval: eight hearts are better here, by a little. Had it been, more episodes would be needed.
# And test one idea at a time: of twenty that change nothing, one will look like a gain.
#
# ## Beside others
#
# In a league your policy shares a team with others. `run` shares the seats out among all policies that are named, and
# shuffles them before every episode.

# %% [console]
# <<collapse-output>>
console("cogames run -m arena -c 4 -p class=my_policy.StarterPolicy -p random -e 4 -s 200 --action-timeout-ms 10000")

# %% [markdown]
# In a team all cogs earn the same, so these rewards say nothing about who did the work. `pickup` finds out: it plays
# with your policy in all seats, in all but one, and so on down to none, the pool in the others. What your cogs earn
# above what is earned without them is the value over replacement, VOR. All of it is played on one map, so that only
# the seats differ.

# %% [console]
console("cogames pickup -m arena -c 4 -p my_policy.StarterPolicy --pool random -e 4 -s 200 --action-timeout-ms 10000")

# %% [markdown]
# ## Where does it lose?
#
# `diagnose` plays missions that ask one thing each, gives marks and writes a report. The whole set takes a while
# (`cogames diagnose my_policy.StarterPolicy`); three of its missions are enough for an impression:

# %%
import json

from cogames.diagnose import DiagnoseOptions, run_diagnosis

asked = ["eval_balanced_spread", "eval_collect_resources", "eval_divide_and_conquer"]
options = DiagnoseOptions(
    "my_policy.StarterPolicy", experiments=asked, episodes=1, steps=200, output_dir=Path("diagnosis")
)
run = run_diagnosis(options)
note = json.loads(Path("diagnosis/doctor_note.json").read_text())
print("main weakness:", run.dominant_issue)
for axis in note["axes"]:
    print(f"{axis['axis']}: {axis['normalized_score']:.0f} of 100")

# %% [markdown]
# `mixed` says that no weakness stands out. `diagnosis/diagnose_report.html` has everything, with replays of the
# episodes that show it best.
#
# ## Watch the difference
#
# Numbers say that something differs, replays say what. Save the same episode with both policies:

# %% [console]
# <<hide-output>>
console("cogames play -m arena -c 4 -p class=my_policy.StarterPolicy -s 400 -r none --save-replay-file four.cogreplay")
console(
    "cogames play -m arena -c 4 -p class=eight_hearts.StarterPolicy -s 400 -r none --save-replay-file eight.cogreplay"
)

# %% [markdown]
# and open them side by side. The panel Compare names the first step at which they differ, and in what. From a terminal
# it is `cogames replay four.cogreplay --beside eight.cogreplay`.

# %%
# <<hide-output>>
from mettagrid.viewer import serve

server = serve("four.cogreplay", beside="eight.cogreplay")
print(server.address)  # open this in a browser

# %%
server.close()  # when you have seen enough

# %% [markdown]
# ![Two replays compared](../gallery/compare-dark.jpg)
#
# ## What to do next
#
# - [Submit it](submit_policy.md): pack the policy, and try the pack as a league would.
# - [The author's loop](../guides/cogames.md): all of these commands with their options.
