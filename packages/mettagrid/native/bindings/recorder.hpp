// Records a world from Python: rows of changes in an array that the caller owns.
#pragma once

#include "bindings/world.hpp"

namespace bindings {

class PyRecorder {
 public:
  // `values`: indices of the global values to record as agents observe them.
  PyRecorder(nb::object world, std::vector<int32_t> values)
      : kept_world_(std::move(world)),
        world_(nb::cast<PyWorld&>(kept_world_)),
        recorder_(world_.world().p, checked(std::move(values))) {
    world_.world().recorders.push_back(&recorder_);
  }
  PyRecorder(const PyRecorder&) = delete;
  ~PyRecorder() { std::erase(world_.world().recorders, &recorder_); }

  // `rows`: uint8 [rows, 12], written from the start.
  void use(Array<uint8_t, nb::shape<-1, sizeof(cpu::Row)>> rows) {
    if (reinterpret_cast<std::uintptr_t>(rows.data()) % alignof(cpu::Row) != 0)
      throw std::runtime_error("The rows are not aligned");
    if (static_cast<int64_t>(rows.shape(0)) < recorder_.rows_needed()) {
      throw std::runtime_error("There must be at least " + std::to_string(recorder_.rows_needed()) + " rows");
    }
    recorder_.use(reinterpret_cast<cpu::Row*>(rows.data()), static_cast<int64_t>(rows.shape(0)));
    kept_rows_ = nb::cast(rows);
  }

  // Writes the changes since the last tick. False if the rows ran out in the middle: pass a new array and call again.
  bool record() { return write(world_.recorded_buffers()); }

  // The same with other rewards than those of the world.
  bool record_with(const Array<const float, nb::ndim<1>>& rewards) {
    mg::Buffers io = world_.recorded_buffers();
    if (static_cast<int32_t>(rewards.shape(0)) != world_.header().agents)
      throw std::runtime_error("There must be one reward per agent");
    io.rewards = const_cast<float*>(rewards.data());  // only read
    return write(io);
  }

  int64_t written() const { return recorder_.written(); }
  int64_t rows_needed() const { return recorder_.rows_needed(); }

  // [[resources that share a limit]] of a template, by their lowest.
  std::vector<std::vector<int32_t>> limit_groups(int32_t template_index) const {
    const mg::Program& p = world_.world().p;
    if (template_index < 0 || template_index >= p.templates.size) throw nb::index_error("There is no such template");
    std::vector<std::vector<int32_t>> found;
    for (const cpu::Recorder::Group& group : recorder_.groups(template_index)) {
      std::vector<int32_t> resources;
      for (int32_t r = 0; r < p.set().resource_count; ++r) {
        if (p.lists[p.templates[template_index].limit_map + r].value == group.group) resources.push_back(r);
      }
      found.push_back(resources);
    }
    return found;
  }

 private:
  std::vector<int32_t> checked(std::vector<int32_t> values) const {
    for (const int32_t place : values) {
      if (place < 0 || place >= world_.world().p.global_values.size) throw nb::index_error("There is no such global value");
    }
    return values;
  }

  bool write(const mg::Buffers& io) {
    if (kept_rows_.is_none()) throw std::runtime_error("The recorder has no rows to write into yet");
    cpu::OwnedWorld& world = world_.world();
    world.share_marks();
    return recorder_.record(world.w, io, world.w.h->step > 0);
  }

  nb::object kept_world_, kept_rows_ = nb::none();
  PyWorld& world_;
  cpu::Recorder recorder_;
};

inline nb::list record_fields() {
  nb::list names;
#define MG_FIELD_NAME(name) names.append(#name);
  MG_RECORD_FIELDS(MG_FIELD_NAME)
#undef MG_FIELD_NAME
  return names;
}

}  // namespace bindings
