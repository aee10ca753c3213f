"""Submit it.

A script, a notebook and a page with the same content; this is the one to edit. `cogames docsync all` makes the others.
"""

from cogames.docsync.scripts import console, start

start(__file__)

# %% [markdown]
# # Submit it
#
# What a league gets from you is a bundle: one `.zip` with your policy and all it needs. Here you make one, look into
# it, and try it the way a league runs it: in a sandbox, away from your files.
#
# This page is a notebook and a script too: `submit_policy.ipynb` and `submit_policy.py` in `docs/tutorials`. Sandboxes
# need Linux, with bubblewrap or a container runtime.

# %% [console]
# <<hide-output>>
console("cogames tutorial make-policy --scripted -o my_policy.py")

# %% [markdown]
# ## Pack
#
# Name the class, and every file and folder that it imports and that is not installed with `cogames`.

# %% [console]
# <<hide-output>>
console("cogames create-bundle -p class=my_policy.StarterPolicy -f my_policy.py -o submission.zip")

# %% [markdown]
# A bundle holds the files you named and a description of what to load.

# %%
import json
import zipfile

with zipfile.ZipFile("submission.zip") as bundle:
    print(*bundle.namelist())
    print(json.loads(bundle.read("policy_spec.json"))["class_path"])

# %% [markdown]
# Write `,data=weights.pt` behind the class for weights, `-k KEY=VALUE` for arguments of the policy, and
# `--setup-script FILE` for a Python file that is run once before the policy is loaded.
#
# From Python it is one call. The same files give the same bytes, so you can always tell whether a bundle is the one
# you measured.

# %%
from pathlib import Path

from cogames.bundles import create_bundle

made = create_bundle("class=my_policy.StarterPolicy", Path("again.zip"), include_files=["my_policy.py"])
print(Path("again.zip").read_bytes() == Path("submission.zip").read_bytes(), made.warnings)

# %% [markdown]
# ## Validate
#
# `validate-bundle` plays ten steps with the policy in a sandbox, where it sees neither your files nor the network. It
# says which kind of sandbox this machine has, and ends with `Policy validated successfully`, or with what is wrong and
# exit code 1.

# %% [console]
# <<hide-output>>
console("cogames validate-bundle -p ./submission.zip")

# %% [markdown]
# What it finds most often is a file that was forgotten. On your own machine such a policy works, since the file is
# there:

# %%
from cogames import missions
from mettagrid.runner.boxed import validate_bundle

broken = create_bundle("class=my_policy.StarterPolicy", Path("broken.zip"))
print(broken.warnings)
print(validate_bundle("./broken.zip", missions.load("arena")).problem)

# %% [markdown]
# ## Dry run
#
# Play the bundle as a league does: beside other policies, each in a sandbox of its own (`--isolate`), with a time
# limit for every action. A policy that breaks or is too slow does not end the episode; its cogs stand still, and the
# verdict says so.

# %%
from cogames.evaluation import PlaySettings, evaluate
from cogames.mission_args import choose_missions
from cogames.policy_args import parse_policy_spec

policies = [parse_policy_spec("./submission.zip"), parse_policy_spec("random")]
arena = choose_missions(["arena"], cogs=4, max_steps=50)
result = evaluate(arena, policies, episodes=1, settings=PlaySettings(isolate=True))
for name, verdict in zip(result.policy_names, result.missions[0].outcomes[0].verdicts, strict=True):
    print(f"{name}: {verdict.status}")

# %% [markdown]
# As a command that is `cogames run -m arena -c 4 -p ./submission.zip -p random --isolate -e 1 -s 50`.
#
# ## Upload and submit
#
# `upload` packs, tries, sends and submits. With `--dry-run` it does all of that but the sending, and needs no server:

# %% [console]
# <<hide-output>>
console("cogames upload -p ./submission.zip -n my-policy --no-submit --dry-run")

# %% [markdown]
# `observatory serve` starts a league on this machine and prints a token for `cogames auth set-token`; another league is
# named by `COGAMES_API_URL`. Then `cogames upload -p ./submission.zip -n my-policy --season beta-cvc` sends the bundle
# and enters it in a season, and `cogames submissions` shows it there. [In the league](../guides/league.md) goes
# through all of it.
#
# ## What to do next
#
# - [Policies](../guides/policies.md): bundles in detail, names, weights, arguments.
# - [The sandbox](../concepts/sandbox.md): what a policy may do, and what happens when it tries more.
