"""The random policy under the name that documents and bundles use."""

from mettagrid.policy.random_agent import RandomAgentPolicy, RandomMultiAgentPolicy

__all__ = ["RandomAgentPolicy", "RandomPolicy"]

RandomPolicy = RandomMultiAgentPolicy
