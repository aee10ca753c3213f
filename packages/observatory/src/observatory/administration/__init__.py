"""The operators' pages and actions, besides seasons."""
