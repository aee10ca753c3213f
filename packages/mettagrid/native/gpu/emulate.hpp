// The kernels on the CPU: the same functions, with the threads of a block one after the other. For tests and machines without a
// GPU to prove the logic; `mettagrid.batch` is the fast way to step worlds on a CPU.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "core/hash.hpp"
#include "gpu/draw.hpp"
#include "gpu/play.hpp"

namespace gpu {

inline void emulate_observing(const Batch& b, const mg::Program& p, int64_t world, Stage& stage) {
  const mg::World w = world_of(b, world);
  if (w.h->fault != 0) return;
  for (int32_t thread = 0; thread < kLanes; ++thread) freshen(p, w, thread, kLanes);
  for (int32_t thread = 0; thread < kLanes; ++thread) clear_marks(w, thread, kLanes);
  for (int32_t agent = 0; agent < w.h->agents; ++agent) observe_agent(b, p, w, world, agent, stage);
  settle(b, p, w, world);
}

inline void emulate_beginning(const Batch& b, const mg::Program& p, int64_t world, Stage& stage) {
  if (!must_begin(b, world)) return;
  const Episode e = next_episode(b, world);
  for (int32_t thread = 0; thread < kLanes; ++thread) copy_start(b, world, e, thread, kLanes);
  start(b, p, world, e);
  const mg::World w = world_of(b, world);
  for (int32_t time = 0; time < 2 && w.h->fault == 0; ++time) {
    begin_observing(b, p, world);
    if (!b.in_order) emulate_observing(b, p, world, stage);
  }
}

inline void emulate(const std::string& kernel, const Batch& b, uint64_t number) {
  const mg::Program p = mg::Program::view(b.words);
  const auto stage = std::make_unique<Stage>();
  const auto each_world = [&](const auto& visit) {
    for (int64_t world = 0; world < b.worlds; ++world) visit(world);
  };
  const auto each_row = [&](const auto& visit) {
    for (int64_t row = 0; row < b.worlds * b.agents; ++row) visit(row);
  };
  if (kernel == "begin_kernel") {
    each_world([&](int64_t world) { emulate_beginning(b, p, world, *stage); });
  } else if (kernel == "rules_kernel") {
    each_world([&](int64_t world) { play_rules(b, p, world); });
  } else if (kernel == "observe_kernel") {
    each_world([&](int64_t world) { emulate_observing(b, p, world, *stage); });
  } else if (kernel == "draw_kernel") {
    each_row([&](int64_t row) { draw_actions(b, row, number); });
  } else if (kernel == "sum_kernel") {
    each_row([&](int64_t row) { b.sums[row] += b.rewards[row]; });
  } else if (kernel == "hash_kernel") {
    each_world([&](int64_t world) { b.hashes[world] = mg::state_hash(world_of(b, world)); });
  } else {
    throw std::runtime_error("There is no kernel " + kernel);
  }
}

}  // namespace gpu
