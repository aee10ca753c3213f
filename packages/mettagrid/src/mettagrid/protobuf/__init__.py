"""Messages that processes exchange; see `sim.policy_v1`. Nothing here is imported before it is used."""
