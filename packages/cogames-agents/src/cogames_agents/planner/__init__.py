"""The planner: one team mind in C++, many characters."""
