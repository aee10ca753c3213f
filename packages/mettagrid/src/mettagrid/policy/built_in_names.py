"""The short names of our own policies.

They are listed here, and not only in the classes, so that resolving `noop` does not import every policy and PyTorch. A
test compares the list with the classes.
"""

from importlib.util import find_spec

_WITHOUT_TORCH = {
    "noop": "mettagrid.policy.noop.NoopPolicy",
    "random": "mettagrid.policy.random_agent.RandomMultiAgentPolicy",
    "bitworld_random_action": "mettagrid.policy.bitworld.BitWorldRandomActionPolicy",
    "bitworld_random_dpad": "mettagrid.policy.bitworld.BitWorldRandomDpadPolicy",
    "sparse": "mettagrid.policy.sparse.SparsePolicy",
    "chaos-monkey": "cogames.policy.chaos_monkey.ChaosMonkeyPolicy",
    "substrate_memory": "cogames.policy.cognitive_substrate_diagnostics.SubstrateMemoryPolicy",
    "substrate_exploration": "cogames.policy.cognitive_substrate_diagnostics.SubstrateExplorationPolicy",
    "substrate_planning": "cogames.policy.cognitive_substrate_diagnostics.SubstratePlanningPolicy",
    "starter": "cogames.policy.starter_agent.StarterPolicy",
    "miner": "cogames.policy.role_policies.MinerRolePolicy",
    "scout": "cogames.policy.role_policies.ScoutRolePolicy",
    "aligner": "cogames.policy.role_policies.AlignerRolePolicy",
    "scrambler": "cogames.policy.role_policies.ScramblerRolePolicy",
    "tutorial_noop": "cogames.policy.tutorial_overlay_policy.TutorialOverlayPolicy",
    "trained_arena": "cogames.policy.trained.TrainedArenaPolicy",
    "trained_miner": "cogames.policy.trained.TrainedMinerPolicy",
}

NEEDS_TORCH = {
    "lstm": "mettagrid.policy.lstm.LSTMPolicy",
    "stateless": "mettagrid.policy.stateless.StatelessPolicy",
    "puffer": "mettagrid.policy.puffer_default.PufferDefaultPolicy",
    "token": "mettagrid.policy.token_encoder.TokenPolicy",
    "tutorial": "cogames.policy.tutorial_policy.TutorialPolicy",
    "pufferlib_cogs": "cogames.policy.pufferlib_policy.PufferlibCogsPolicy",
}
"""names that exist only where PyTorch is installed"""


def built_in_policies() -> dict[str, str]:
    """Return {name: class path} of our policies that work with the installed packages."""
    names = _WITHOUT_TORCH if find_spec("torch") is None else _WITHOUT_TORCH | NEEDS_TORCH
    missing = {package for package in ("cogames",) if find_spec(package) is None}
    return {name: path for name, path in names.items() if path.partition(".")[0] not in missing}
