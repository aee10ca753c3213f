"""Messages between processes; see `sim.policy_v1`. Everything is imported on first use."""
