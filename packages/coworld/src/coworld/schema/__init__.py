"""JSON documents: the base of all models, problems with a path and a fix, and validation against JSON Schema."""
