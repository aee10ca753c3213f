"""Policies: how one is written, named, loaded and packed. Import from the modules; nothing is imported here.

- `policy`: `AgentPolicy`, `MultiAgentPolicy` and the stateful ones, the classes to derive from
- `policy_env_interface`: `PolicyEnvInterface`, what a policy is told about its game
- `policy_spec`: `PolicySpec`, the description from which a policy is made
- `policy_registry`, `loader`: short names, and making a policy from its description
- `submission`, `prepare_policy_spec`, `bundle`: reading and writing bundles
"""

__all__: list[str] = []
