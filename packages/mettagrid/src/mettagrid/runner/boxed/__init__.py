"""Run untrusted policies, each in its own box (see the package `cogbox`).

    from mettagrid.runner.boxed import BoxedPolicy

    plan = EpisodePlan(env, [BoxedPolicy.from_uri("./submission.zip"), BoxedPolicy.from_uri("starter")], assignments)

No code of such a policy runs in this process: its bundle is unpacked and its manifest read here, its setup script and
its code run inside boxes, and its actions arrive over a socket.
"""

try:
    import cogbox  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("Policies in boxes need the package cogbox: `pip install mettagrid[boxes]`") from error

from mettagrid.runner.boxed.material import PolicyMaterial, material_from_spec, material_from_uri
from mettagrid.runner.boxed.policy import BoxedPolicy, BoxPolicyOptions, FailedPolicy
from mettagrid.runner.boxed.validate import Validation, validate_bundle, validate_policy

__all__ = [
    "BoxPolicyOptions",
    "BoxedPolicy",
    "FailedPolicy",
    "PolicyMaterial",
    "Validation",
    "material_from_spec",
    "material_from_uri",
    "validate_bundle",
    "validate_policy",
]
