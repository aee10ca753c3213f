"""The commissioner role: its messages, a server for one, a client to one."""
