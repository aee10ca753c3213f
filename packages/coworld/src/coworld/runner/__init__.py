"""Run one episode."""
