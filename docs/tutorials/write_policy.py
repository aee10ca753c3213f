"""Write your first policy.

A script, a notebook and a page with the same content; this is the one to edit. `cogames docsync all` makes the others.
"""

from cogames.docsync.scripts import console, start

start(__file__)

# %% [markdown]
# # Write your first policy
#
# A policy chooses the actions of agents. Here you inspect a cog's observation, write a policy of five lines, then one
# with memory and a plan, and watch both play. It takes a quarter of an hour.
#
# This page is also a notebook and a script: `write_policy.ipynb` and `write_policy.py` in `docs/tutorials`. Run it in
# the environment of `make setup` (`. .venv/bin/activate`); it writes its files to the current folder.

# %% [markdown]
# ## What a cog sees
#
# The game is Cogs vs Clips: a team of cogs wants to hold as many junctions of the map as it can, for as long as it can
# (`cogames docs mission`). A mission is a map with its rules, a `Simulation` one episode of it.

# %%
from cogames import missions
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator import Simulation

env = missions.load("arena", cogs=4, seed=1)
game = PolicyEnvInterface.from_mg_cfg(env)
simulation = Simulation(env, seed=1)

print("actions:", *game.action_names)
print("window: ", game.obs_height, "x", game.obs_width)

# %% [markdown]
# Every step, a cog gets an observation: a list of tokens. A token is a feature, a value, and a cell of the window, or
# no cell for facts about the cog itself. Empty cells have no tokens.

# %%
observation = simulation.agent(0).observation
for token in observation.tokens[4:14]:
    place = f"({token.location.row}, {token.location.col})" if token.location else "-"
    print(f"{place:9}{token.feature.name:16}{token.value}")

# %% [markdown]
# The cog stands in the middle of its window, at (6, 6). Tags describe the object in a cell; the value of a `tag`
# token is a position in `game.tags`. So this is all that our cog sees, and where:

# %%
for token in observation.tokens:
    if token.feature.name == "tag" and game.tags[token.value].startswith("type:"):
        row, column = token.location.row - 6, token.location.col - 6
        print(f"{row:+d} south {column:+d} east  {game.tags[token.value]}")

# %% [markdown]
# ## The shortest policy
#
# A `MultiAgentPolicy` is created once per game. It returns an `AgentPolicy` for each cog, whose `step` gets an
# observation and returns an `Action`.

# %%
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action


class EastAgent(AgentPolicy):
    def step(self, obs):
        return Action(name="move_east")


class EastPolicy(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return EastAgent(self.policy_env_info)


# %% [markdown]
# Let it play. This is the whole loop of an episode; the recorder stores it as a replay.

# %%
from mettagrid.replay import EpisodeRecorder


def play(policy_class, steps):
    env.game.max_steps = steps
    simulation = Simulation(env, seed=1)
    recorder = EpisodeRecorder.of(simulation)
    policy = policy_class(game)
    cogs = [policy.agent_policy(number) for number in range(simulation.num_agents)]
    for cog in cogs:
        cog.reset()
    while not simulation.is_done():
        for number, cog in enumerate(cogs):
            simulation.agent(number).set_action(cog.step(simulation.agent(number).observation))
        simulation.step()
        recorder.record()
    print(f"{simulation.current_step} steps, reward per cog {simulation.episode_rewards.mean():.2f}")
    return recorder.finish()


replay = play(EastPolicy, steps=30)

# %% [markdown]
# In a notebook, `show` draws the replay below the cell: press the space bar to play it, click a cog to see its
# observation. The cogs walk east until something is in the way, and stay there.

# %%
# <<hide-output>>
from mettagrid.viewer import show

show(replay)

# %% [markdown]
# ![The viewer: an agent and what is known about it](../gallery/agent-dark.jpg)

# %% [markdown]
# ## A policy with a plan
#
# A junction is taken by a cog that has aligner gear and a heart. The gear is at the aligner's station, hearts are at
# the hub, and the cog has to find junctions itself. So it needs
#
# - **perception**: `look` sorts the tokens. `lp:east` and similar features give the cog's offset from its start, so
#   that every cell it sees gets fixed coordinates;
# - **memory**: `known` stores the object of each cell. `reset` clears it, because every episode has another map;
# - **goals**: `wish` returns the cells to go to, given what the cog holds;
# - **movement**: `way` finds a shortest path over known floor. If no goal is reachable, the nearest cell never seen
#   becomes the goal.
#
# A cog uses an object by moving into it: the station gives gear, the hub a heart, the junction becomes ours. Save this
# as `first_policy.py`; notebook and script do it for you.

# %% [file first_policy.py]
"""Cogs that fetch hearts and align junctions."""

from collections import deque

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

MOVES = {"move_north": (-1, 0), "move_south": (1, 0), "move_west": (0, -1), "move_east": (0, 1)}
PATIENCE = 25  # steps until something that gave nothing is tried again


class Aligner(AgentPolicy):
    """One cog. Cells are (row, column), counted from where it started."""

    def reset(self, simulation=None):
        self.now = 0
        self.known = {}  # cell: tags of what stands there, none for floor
        self.tried = {}  # cell: when it was last pushed

    def step(self, obs):
        self.now += 1
        here, holds = self.look(obs)
        goals = {cell for cell in self.wish(holds) if self.now > self.tried.get(cell, -PATIENCE) + PATIENCE}
        move, goal = (goals and self.way(here, goals)) or self.way(here, None) or ("noop", here)
        down, right = MOVES.get(move, (0, 0))
        if goal == (here[0] + down, here[1] + right):
            self.tried[goal] = self.now
        self._infos = {"goal": str(goal)}  # replays show this
        return Action(name=move)

    def look(self, obs):
        """Where the cog is, and what it holds. What it sees goes into `known`."""
        middle = self.policy_env_info.obs_height // 2
        facts, holds = {}, {}
        seen = {cell: set() for cell in disc(middle)}
        for token in obs.tokens:
            name = token.feature.name
            if token.location is None:
                facts[name] = token.value
                continue
            cell = (token.location.row - middle, token.location.col - middle)
            if name == "tag":
                seen.setdefault(cell, set()).add(self.policy_env_info.tags[token.value])
            elif cell == (0, 0) and name.startswith("inv:"):
                holds[name.removeprefix("inv:")] = token.value
        south = facts.get("lp:south", 0) - facts.get("lp:north", 0)
        east = facts.get("lp:east", 0) - facts.get("lp:west", 0)
        for (row, column), tags in seen.items():
            if "type:agent" in tags and abs(row) + abs(column) != 1:
                tags = set()  # it will be gone before we are there
            self.known[south + row, east + column] = tags
        return (south, east), holds

    def wish(self, holds):
        """The cells to go to."""
        if holds.get("hp", 0) < 30 or ("aligner" in holds and "heart" not in holds):
            return self.find("type:hub")
        if "aligner" not in holds:
            return self.find("type:aligner")
        return self.find("type:junction", without="team:cogs")

    def find(self, tag, without=None):
        return {cell for cell, tags in self.known.items() if tag in tags and without not in tags}

    def way(self, here, goals):
        """The first move on a shortest way to a goal, and the goal. `None` for goals: anything not seen yet."""
        first, queue = {here: None}, deque([here])
        while queue:
            cell = queue.popleft()
            for move, (down, right) in MOVES.items():
                beside = (cell[0] + down, cell[1] + right)
                if beside in first:
                    continue
                first[beside] = first[cell] or move
                if beside not in self.known if goals is None else beside in goals:
                    return first[beside], beside
                if beside in self.known and not self.known[beside]:
                    queue.append(beside)
        return None


def disc(radius):
    """The cells of the window that a cog sees, counted from its middle."""
    around = range(-radius, radius + 1)
    return [(row, column) for row in around for column in around if row**2 + column**2 <= radius**2 + 1]


class AlignerPolicy(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Aligner(self.policy_env_info)


# %% [markdown]
# Check it before it plays: for exceptions, unknown actions, agents that affect one another, results that
# are not reproducible. The list should be empty.

# %%
from first_policy import AlignerPolicy

from mettagrid import check_policy

print(check_policy(AlignerPolicy, env))

# %%
replay = play(AlignerPolicy, steps=150)

# %% [markdown]
# ## From the command line
#
# Play a policy in a file by its name; the search includes the current folder. With `-r gui` you watch it in the
# browser while it plays, with `-r unicode` in the terminal.

# %% [console]
console(
    "cogames play -m arena -c 4 -p class=first_policy.AlignerPolicy -s 200 -r none --save-replay-file first.cogreplay"
)

# %% [markdown]
# The five hearts that the hub has at the start became five junctions. Now watch how: which way did the cogs go, and
# who stood idle? The `goal` of every cog is shown with it, since `step` puts it in `_infos`.

# %%
# <<hide-output>>
show("first.cogreplay")

# %% [markdown]
# Outside of a notebook, write the same as a page that works in any browser, without a server or a network:

# %%
from mettagrid.viewer import write_html

print(write_html("first.cogreplay", "first.html"))

# %% [markdown]
# ## What to do next
#
# - Hearts run out. `cogames docs mission` says what they are made of: let some of the cogs be miners.
# - Cogs that do not see the station at first search the whole map for it. All cogs of a policy may share what they
#   know: keep `known` in the policy.
# - `cogames tutorial make-policy --scripted -o my_policy.py` writes a stronger policy to start from;
#   `cogames docs scripted_agent` explains it.
# - [Evaluate it](evaluate_policy.md): is a change an improvement, or was it luck?
