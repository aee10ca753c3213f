"""From observations to what an agent can reason about."""

from mettagrid.sdk.agent.runtime.observation import ObservationCell, ObservationEnvelope, decode_observation

__all__ = ["ObservationCell", "ObservationEnvelope", "decode_observation"]
