"""Evaluate it.

A script, a notebook and a page with the same content; this is the one to edit. `cogames docsync all` makes the others.
"""

from cogames.docsync.scripts import console, start

start(__file__)

# %% [markdown]
# # Evaluate it
#
# You have a policy and an idea how to improve it. Here you measure both, test whether the difference is more
# than luck, and find out what the policy adds to a team and where it loses.
#
# This page is also a notebook and a script: `evaluate_policy.ipynb` and `evaluate_policy.py` in `docs/tutorials`. It
# measures the template policy; measure yours in the same way.

# %% [console]
# <<hide-output>>
console("cogames tutorial make-policy --scripted -o my_policy.py")

# %% [markdown]
# ## One policy
#
# `scrimmage` gives your policy all seats and plays a number of episodes, each on its own map. A cog whose policy
# takes longer than a quarter of a second does nothing in that step; the command below allows more time, so that a busy
# machine does not change the numbers.

# %% [console]
# <<collapse-output>>
console("cogames scrimmage -m arena -c 4 -p class=my_policy.StarterPolicy -e 8 -s 400 --action-timeout-ms 10000")

# %% [markdown]
# The last table has the rewards: what a cog earned in each episode, which is the number of junctions that its team
# held, averaged over the length of the mission. The tables above explain it: what the team gathered, what
# the cogs did. In Python, the same is one call:

# %%
from cogames.episodes.evaluation import PlaySettings, evaluate
from cogames.missions import choose_missions
from cogames.policy.arguments import parse_policy_spec

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
# Eight maps are a small sample. The 95% confidence interval shows how much that matters: in 95 of 100 cases it contains
# the mean over very many maps. Four times the episodes make it half as wide.
#
# Episodes use the seeds 42, 43 and so on (`--seed` is the first). A seed gives the same map and the
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
# The intervals overlap widely, so these two numbers alone do not decide it. But both policies have played the same
# eight maps, and most of the spread comes from the maps. So compare map by map:

# %%
from softmax.stats import estimate_mean

gains = [new - old for old, new in zip(rewards(mine), rewards(eight), strict=True)]
print([round(gain, 2) for gain in gains])
show_mean("eight hearts earn more by", estimate_mean(gains))

# %% [markdown]
# The interval does not contain zero: eight hearts are slightly better here. If it did, you would need more episodes.
# And test one idea at a time: of twenty ideas that change nothing, one will look like a gain.
#
# ## Beside others
#
# In a league your policy shares a team with others. `run` divides the seats among all named policies and
# shuffles them before every episode.

# %% [console]
# <<collapse-output>>
console("cogames run -m arena -c 4 -p class=my_policy.StarterPolicy -p random -e 4 -s 200 --action-timeout-ms 10000")

# %% [markdown]
# All cogs of a team earn the same, so these rewards do not show who did the work. `pickup` does: it plays
# with your policy in all seats, in all but one, and so on down to none, and with the pool in the other seats. The gain
# over episodes without your cogs is the value over replacement, VOR. All episodes use one map, so that only
# the seats differ.

# %% [console]
console("cogames pickup -m arena -c 4 -p my_policy.StarterPolicy --pool random -e 4 -s 200 --action-timeout-ms 10000")

# %% [markdown]
# ## Where does it lose?
#
# `diagnose` plays missions that each test one skill, computes scores and writes a report. The whole set takes a while
# (`cogames diagnose my_policy.StarterPolicy`); three of its missions are enough for a first impression:

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
# `mixed` means that no weakness stands out. `diagnosis/diagnose_report.html` has all results, with replays of the
# most telling episodes.
#
# ## Watch the difference
#
# Numbers show that something differs, replays show what. Save the same episode with both policies:

# %% [console]
# <<hide-output>>
console("cogames play -m arena -c 4 -p class=my_policy.StarterPolicy -s 400 -r none --save-replay-file four.cogreplay")
console(
    "cogames play -m arena -c 4 -p class=eight_hearts.StarterPolicy -s 400 -r none --save-replay-file eight.cogreplay"
)

# %% [markdown]
# Then open them side by side. The panel Compare shows the first difference. From a terminal, use
# `cogames replay four.cogreplay --beside eight.cogreplay`.

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
# - [Submit it](submit_policy.md): pack the policy, and run the bundle as a league does.
# - [The author's loop](../guides/cogames.md): all of these commands with their options.
