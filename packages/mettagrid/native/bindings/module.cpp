// `mettagrid._native`: programs, maps and worlds for Python. The rules are in core/.
#include "bindings/batch.hpp"
#include "bindings/layout.hpp"
#include "bindings/recorder.hpp"
#include "bindings/series_text.hpp"
#include "bindings/token_memory.hpp"
#include "bindings/world.hpp"
#include "cpu/processor.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace bindings;

namespace bindings {
void add_gpu_kernels(nb::module_& module);
void add_network_kernels(nb::module_& module);
}  // namespace bindings

NB_MODULE(_native, module) {
  // A program that exits while one of its threads still plays leaks worlds; do not print warnings about it after Ctrl-C.
  nb::set_leak_warnings(false);
  mg::processor_level = cpu::highest_level();
  module.doc() = "The native core of mettagrid: programs and worlds.";
  module.def("table_layout", &bindings::table_layout, "{table: [field names]} of a program block, in order");
  module.def("phase_names", &bindings::phase_names, "Names of the parts of a step, in order");
  module.def("fault_names", &bindings::fault_names, "Names of the reasons why a step stops early; the index is the code");
  module.def("constants", &bindings::constants, "Numbers of the core that Python uses too");
  module.def(
      "processor_level", [] { return static_cast<int32_t>(mg::processor_level); },
      "Which instructions the core uses: 0 those of every processor, 1 AVX2, 2 AVX-512");
  module.def("_set_processor_level", [](int32_t level) {
    if (level < 0 || level > static_cast<int32_t>(cpu::highest_level()))
      throw nb::value_error("this processor has no such level");
    mg::processor_level = static_cast<mg::ProcessorLevel>(level);
  });
  module.def("op_names", &bindings::op_names, "Names of the instructions; the index is the code");
  nb::class_<PyProgram>(module, "Program")
      .def(nb::init<const Array<const int32_t, nb::ndim<1>>&>(), "words"_a)
      .def_prop_ro("bytes", &PyProgram::bytes)
      .def_prop_ro("hash", &PyProgram::hash)
      .def_prop_ro("words", &PyProgram::words, "The block as a list of numbers");
  nb::class_<PyMap>(module, "Map")
      .def(nb::init<nb::object, const Array<const int32_t, nb::ndim<2>>&, const Array<const int32_t, nb::ndim<2>>&>(),
           "program"_a, "cells"_a, "cell_stats"_a)
      .def_prop_ro("world_bytes", &PyMap::world_bytes)
      .def_prop_ro("_slots", &PyMap::slots)
      .def_prop_ro("_agents", &PyMap::agents)
      .def("_scenery", &PyMap::scenery)
      .def("_image", &PyMap::image);
  nb::class_<PyWorld>(module, "World")
      .def(nb::init<nb::object, uint32_t>(), "map"_a, "seed"_a)
      .def(nb::init<nb::object, const nb::bytes&>(), "program"_a, "snapshot"_a)
      .def("state_hash", &PyWorld::state_hash, "A number that changes with anything the rules can read")
      .def("_snapshot", &PyWorld::snapshot)
      .def_prop_rw("_map", &PyWorld::map, &PyWorld::keep_map, nb::arg().none())
      .def("_restore", &PyWorld::restore)
      .def("_copy", &PyWorld::copy)
      .def("_load", &PyWorld::load)
      .def("_differences", &PyWorld::differences)
      .def("_array_size", &PyWorld::array_size)
      .def("_has_object", &PyWorld::has_object, "slot"_a)
      .def("_step_traced", &PyWorld::step_traced)
      .def("_step_timed", &PyWorld::step_timed)
      .def("_start", &PyWorld::start)
      .def("_set_buffers", &PyWorld::set_buffers)
      .def("_observe_start", &PyWorld::observe_start)
      .def("step", &PyWorld::step, "Run one step in place in the buffers")
      .def("action_success", &PyWorld::action_success)
      .def("_episode_rewards", &PyWorld::episode_rewards)
      .def("_game_stats", &PyWorld::game_stats)
      .def("_agent_stats", &PyWorld::agent_stats)
      .def("_game_stat", &PyWorld::game_stat)
      .def("_agent_stat", &PyWorld::agent_stat)
      .def("_invalid_actions", &PyWorld::invalid_actions)
      .def("_set_inventory", &PyWorld::set_inventory)
      .def("_tag_count", &PyWorld::tag_count)
      .def("_slots_within", &PyWorld::slots_within)
      .def("_object", &PyWorld::object)
      .def("_object_tags", &PyWorld::object_tags)
      .def("_object_inventory", &PyWorld::object_inventory)
      .def("_object_limits", &PyWorld::object_limits)
      .def("_object_tokens", &PyWorld::object_tokens)
      .def("_agent_slot", &PyWorld::agent_slot)
      .def("_agent", &PyWorld::agent)
      .def("_has_tag", &PyWorld::has_tag)
      .def("_add_tag", &PyWorld::add_tag)
      .def("_remove_tag", &PyWorld::remove_tag)
      .def_prop_ro("current_step", [](const PyWorld& w) { return w.header().step; })
      .def_prop_ro("map_width", [](const PyWorld& w) { return w.header().width; })
      .def_prop_ro("map_height", [](const PyWorld& w) { return w.header().height; })
      .def_prop_ro("num_agents", [](const PyWorld& w) { return w.header().agents; })
      .def_prop_ro("world_bytes", [](const PyWorld& w) { return w.header().bytes; })
      .def_prop_ro(
          "seed", [](PyWorld& w) { return w.world().seed(); }, "The seed of the running episode")
      .def_prop_ro("_is_in_batch", [](const PyWorld& w) { return w.is_in_batch; });
  nb::class_<PyMapPool>(module, "MapPool")
      .def(nb::init<nb::object, int32_t>(), "program"_a, "size"_a)
      .def("_put", &PyMapPool::put)
      .def("_fail", &PyMapPool::fail)
      .def("_wait", &PyMapPool::wait)
      .def("_close", &PyMapPool::close);
  module.def("text_styles", &bindings::text_styles, "Ways to write a column; the index is the code");
  module.def("sorted_rows", &bindings::sorted_rows, "pages"_a, "first_tick"_a,
             "Rows of a recorder as columns, in the order of replays");
  module.def("series_texts", &bindings::series_texts, "field"_a, "object"_a, "key"_a, "tick"_a, "value"_a, "ids"_a,
             "is_static"_a, "templates"_a, "pieces"_a, "base"_a, "length"_a, "tells_missing"_a,
             "Changes of objects as JSON: their numbers and texts");
  module.def("record_fields", &bindings::record_fields, "Kinds of rows that a recorder writes; the index is the code");
  nb::class_<PyRecorder>(module, "Recorder", "Follows one world and writes its changes into rows of 12 bytes.")
      .def(nb::init<nb::object, std::vector<int32_t>>(), "world"_a, "values"_a = std::vector<int32_t>{})
      .def("use", &PyRecorder::use, "rows"_a, "Write into this array from now on, from its start")
      .def("record", &PyRecorder::record,
           "Write what changed since the last call; False when the array is full and the call must be repeated")
      .def("record_with", &PyRecorder::record_with, "rewards"_a)
      .def_prop_ro("written", &PyRecorder::written, "Rows written into the array in use")
      .def_prop_ro("rows_needed", &PyRecorder::rows_needed, "The least number of rows an array must have")
      .def("limit_groups", &PyRecorder::limit_groups, "template"_a);
  nb::class_<PyBatch>(module, "Batch")
      .def(nb::init<nb::list, const std::vector<int32_t>&, int32_t, bool, bool, nb::object, Array<int64_t, nb::ndim<1>>>(),
           "worlds"_a, "rooms"_a, "threads"_a, "auto_reset"_a, "next_seed"_a, "maps"_a.none(), "episodes"_a)
      .def("_step", &PyBatch::step)
      .def("_run", &PyBatch::run)
      .def("_run_random", &PyBatch::run_random)
      .def("_reset", &PyBatch::reset, "worlds"_a, "seeds"_a.none())
      .def("_replace", &PyBatch::replace)
      .def("_close", &PyBatch::close);
  nb::class_<PyTokenMemory>(module, "TokenMemory", "Appends what agents have seen before to their observations.")
      .def(nb::init<int32_t, int32_t, int32_t, int32_t, const std::vector<int32_t>&, const PyTokenMemory::Bytes&,
                    const PyTokenMemory::Bytes&, const PyTokenMemory::Bytes&>(),
           "rows"_a, "threads"_a, "height"_a, "width"_a, "features"_a, "makes_a_thing"_a, "goes_with_it"_a, "is_visible"_a)
      .def("see", &PyTokenMemory::see, "observations"_a, "rows"_a, "out"_a, "translation"_a.none(), "tables"_a.none())
      .def("forget", &PyTokenMemory::forget, "rows"_a);
  bindings::add_gpu_kernels(module);
  bindings::add_network_kernels(module);
}
