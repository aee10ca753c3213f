"""Submit it.

A script, a notebook and a page with the same content; this is the one to edit. `cogames docsync all` makes the others.
"""

from cogames.docsync.scripts import console, start

start(__file__)

# %% [markdown]
# # Submit it
#
# You submit a bundle to a league: one `.zip` with your policy and all its files. Here you create one, inspect
# it, and run it the way a league does: in a sandbox, without access to your files.
#
# This page is also a notebook and a script: `submit_policy.ipynb` and `submit_policy.py` in `docs/tutorials`. Sandboxes
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
# A bundle contains the files you named and a description of what to load.

# %%
import json
import zipfile

with zipfile.ZipFile("submission.zip") as bundle:
    print(*bundle.namelist())
    print(json.loads(bundle.read("policy_spec.json"))["class_path"])

# %% [markdown]
# Append `,data=weights.pt` to the class for weights, use `-k KEY=VALUE` for arguments of the policy, and
# `--setup-script FILE` for a Python file that runs once before the policy is loaded.
#
# In Python it is one call. The same files give the same bytes, so you can always check whether a bundle is the one
# you measured.

# %%
from pathlib import Path

from cogames.policy.bundles import create_bundle

made = create_bundle("class=my_policy.StarterPolicy", Path("again.zip"), include_files=["my_policy.py"])
print(Path("again.zip").read_bytes() == Path("submission.zip").read_bytes(), made.warnings)

# %% [markdown]
# ## Validate
#
# `validate-bundle` plays ten steps with the policy in a sandbox, where it has access neither to your files nor to the
# network. It prints the isolation level of this machine, and ends with `Policy validated successfully`, or with the
# problem and exit code 1.

# %% [console]
# <<hide-output>>
console("cogames validate-bundle -p ./submission.zip")

# %% [markdown]
# The most common problem is a missing file: a bundle made without `-f` contains the file of the class, but not what
# that file imports. On your own machine such a policy works, because the other file is there:

# %%
from cogames import missions
from mettagrid.runner.boxed import validate_bundle

Path("my_variant.py").write_text("import my_policy\n\n\nclass Mine(my_policy.StarterPolicy):\n    pass\n")
create_bundle("class=my_variant.Mine", Path("broken.zip"))
print(validate_bundle("./broken.zip", missions.load("arena")).problem)

# %% [markdown]
# ## Dry run
#
# Play the bundle as a league does: beside other policies, each in its own sandbox (`--isolate`), with a time
# limit for every action. A policy that crashes or is too slow does not end the episode; its cogs stand still, and the
# verdict says so.

# %%
from cogames.episodes.evaluation import PlaySettings, evaluate
from cogames.missions import choose_missions
from cogames.policy.arguments import parse_policy_spec

policies = [parse_policy_spec("./submission.zip"), parse_policy_spec("random")]
arena = choose_missions(["arena"], cogs=4, max_steps=50)
result = evaluate(arena, policies, episodes=1, settings=PlaySettings(isolate=True))
for name, verdict in zip(result.policy_names, result.missions[0].outcomes[0].verdicts, strict=True):
    print(f"{name}: {verdict.status}")

# %% [markdown]
# The same as a command: `cogames run -m arena -c 4 -p ./submission.zip -p random --isolate -e 1 -s 50`.
#
# ## Upload and submit
#
# `upload` packs, validates, uploads and submits. With `--dry-run` it stops before the upload and needs no server:

# %% [console]
# <<hide-output>>
console("cogames upload -p ./submission.zip -n my-policy --no-submit --dry-run")

# %% [markdown]
# `observatory serve` starts a league on this machine and prints a token for `cogames auth set-token`; for another
# league, set `COGAMES_API_URL`. Then `cogames upload -p ./submission.zip -n my-policy --season beta-cvc` uploads the
# bundle
# and enters it in a season, and `cogames submissions` shows it there. [In the league](../guides/league.md) explains
# each step.
#
# ## What to do next
#
# - [Policies](../guides/policies.md): bundles in detail, names, weights, arguments.
# - [The sandbox](../concepts/sandbox.md): what a policy may do, and how violations are handled.
