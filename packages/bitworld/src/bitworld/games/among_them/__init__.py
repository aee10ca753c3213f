"""Among Them: crewmates finish their tasks, imposters kill, everyone votes."""
