#include <nanobind/nanobind.h>

NB_MODULE(_native, module) { module.doc() = "The planner of Cogs vs Clips."; }
