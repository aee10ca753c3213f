"""URIs: read and write data, and find manifests and replays."""
