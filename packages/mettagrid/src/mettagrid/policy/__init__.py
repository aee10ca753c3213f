"""Write, name, load and pack policies. Import from the modules; nothing is imported here.

- `policy`: `AgentPolicy`, `MultiAgentPolicy` and the stateful ones, the classes to derive from
- `batched`: `batched_form`, which decides for many worlds in one call
- `policy_env_interface`: `PolicyEnvInterface`, the description of a game that a policy gets
- `policy_spec`: `PolicySpec`, the description from which a policy is created
- `policy_registry`, `loader`: short names, and creating a policy from its description
- `submission`, `prepare_policy_spec`, `bundle`: reading and writing bundles
"""

__all__: list[str] = []
