// The kernels on the CPU: the same functions, with the threads of a block one after the other. For tests and machines without a
// GPU to prove the logic; `mettagrid.batch` is the fast way to step worlds on a CPU.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "core/state/hash.hpp"
#include "gpu/draw.hpp"
#include "gpu/play.hpp"

namespace gpu {

// Memory of one block of threads.
struct Room {
  static constexpr int32_t kWarps = 3;  // fewer than on a GPU, so that small games have several rounds of agents
  Stage stages[kWarps];
  AgentSight sights[kWarps];
  Marked marked;
  int32_t attempted[kWarps];
  int32_t unseen[kWarps];
};

inline void emulate_observing(const DeviceBatch& b, const mg::Program& p, int64_t world, Room& room) {
  const mg::World& w = world_of(b, world);
  if (w.h->fault != 0) return;
  for (int32_t thread = 0; thread < kLanes; ++thread) mg::freshen_lines(p, w, thread, kLanes);
  for (int32_t thread = 0; thread < kLanes; ++thread) clear_marked(w, room.marked, thread, kLanes);
  for (int32_t first = 0; first < w.h->agents; first += Room::kWarps) {
    const int32_t here = mg::min_of(Room::kWarps, w.h->agents - first);
    for (int32_t warp = 0; warp < here; ++warp) {
      observe_agent(b, p, w, world, first + warp, room.stages[warp], room.sights[warp]);
      room.attempted[warp] = room.sights[warp].attempted;
    }
    for (int32_t warp = 0; warp < here; ++warp) room.unseen[warp] = claim_seen(w, room.sights[warp], room.marked);
    for (int32_t warp = 0; warp < here; ++warp) note_seen(p, w, first + warp, room.sights[warp], room.unseen[warp]);
    count_tokens(b, p, w, world, first, first + here, room.attempted);
  }
}

inline void emulate_beginning(const DeviceBatch& b, const mg::Program& p, int64_t world, Room& room) {
  if (!must_begin(b, world)) return;
  const Episode e = next_episode(b, world);
  for (int32_t thread = 0; thread < kLanes; ++thread) copy_start(b, world, e, thread, kLanes);
  start(b, p, world, e);
  const mg::World& w = world_of(b, world);
  for (int32_t time = 0; time < 2 && w.h->fault == 0; ++time) {
    begin_observing(b, p, world);
    if (!b.in_order) emulate_observing(b, p, world, room);
  }
}

inline void emulate_rules(const DeviceBatch& b, const mg::Program& p, int64_t world) {
  const mg::World& w = world_of(b, world);
  if (!can_play(w)) return;
  play_actions(b, p, w, world);
  if (mg::is_stale(w)) settle_together(p, w);
  play_effects(b, p, w, world);
  if (mg::is_stale(w)) settle_together(p, w);
  play_end(b, p, w, world);
}

inline void emulate(const std::string& kernel, const DeviceBatch& b, uint64_t number) {
  const mg::Program p = mg::Program::view(b.words);
  const auto room = std::make_unique<Room>();
  const auto each_world = [&](const auto& visit) {
    for (int64_t world = 0; world < b.worlds; ++world) visit(world);
  };
  // Steps in order run the observation code of the CPU engine, which needs a cache of encoded borders.
  const auto borders = b.in_order ? std::make_unique<mg::BorderCache>() : nullptr;
  each_world([&](int64_t world) { b.scratch[world].borders = borders.get(); });
  const auto each_row = [&](const auto& visit) {
    for (int64_t row = 0; row < b.worlds * b.agents; ++row) visit(row);
  };
  if (kernel == "begin_kernel") {
    each_world([&](int64_t world) { emulate_beginning(b, p, world, *room); });
  } else if (kernel == "rules_kernel") {
    each_world([&](int64_t world) { emulate_rules(b, p, world); });
  } else if (kernel == "observe_kernel") {
    each_world([&](int64_t world) { emulate_observing(b, p, world, *room); });
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
