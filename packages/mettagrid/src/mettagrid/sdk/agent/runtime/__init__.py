"""Convert observations to a form that agents can reason about."""

from mettagrid.sdk.agent.runtime.observation import ObservationCell, ObservationEnvelope, decode_observation

__all__ = ["ObservationCell", "ObservationEnvelope", "decode_observation"]
