"""Run the server as a process: sockets, workers, backups, checks."""
