// Beginning episodes, and the rules of a step: one thread per world, since their effects are immediate and ordered.
#pragma once

#include "gpu/observe.hpp"

namespace gpu {

MG_FN bool all_set(const bool* flags, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!flags[i]) return false;
  }
  return true;
}

MG_FN bool must_begin(const DeviceBatch& b, int64_t world) {
  if (b.due[world] != kNotDue) return true;
  const int64_t first = world * b.agents;
  return b.auto_reset && (all_set(b.terminals + first, b.agents) || all_set(b.truncations + first, b.agents));
}

// Number, seed and map of the episode that begins.
struct Episode {
  int64_t number;
  uint32_t seed;
  int32_t map;
};

MG_FN Episode next_episode(const DeviceBatch& b, int64_t world) {
  const bool over = b.due[world] == kStartsOver;
  Episode e;
  e.number = over ? 0 : b.episodes[world] + 1;
  e.seed = over ? b.seeds[world] : b.seeds[world] + static_cast<uint32_t>(b.next_seed);
  e.map = b.is_pooled ? static_cast<int32_t>((world + e.number * b.worlds) % b.maps) : b.map_of[world];
  return e;
}

// Copies the initial block and clears the observations; thread `thread` of `threads` copies every so many words.
MG_FN void copy_start(const DeviceBatch& b, int64_t world, const Episode& e, int32_t thread, int32_t threads) {
  const uint8_t* image = b.images + e.map * b.image_bytes;
  const uint64_t* from = reinterpret_cast<const uint64_t*>(image);
  uint64_t* to = reinterpret_cast<uint64_t*>(b.blocks + world * b.block_bytes);
  const int64_t words = start_bytes(b, e.map) / 8;
  for (int64_t i = thread; i < words; i += threads) to[i] = from[i];
  const int64_t first = world * b.agents;
  uint8_t* out = b.observations + first * b.tokens * 3;
  for (int64_t i = thread; i < b.agents * b.tokens * 3; i += threads) out[i] = mg::kUnused;
  for (int64_t i = first + thread; i < first + b.agents; i += threads) b.written[i] = 0;
}

// Completes the copy, by one thread.
MG_FN void start(const DeviceBatch& b, const mg::Program& p, int64_t world, const Episode& e) {
  const mg::World& w = make_view(b, world, e.map);
  mg::start_world(p, w, e.seed, scratch_of(b, w, world));
  if (b.due[world] == kStartsOver) b.taken[world] = 0;
  b.due[world] = kNotDue;
  b.episodes[world] = e.number;
  b.seeds[world] = e.seed;
  b.map_of[world] = e.map;
  report_fault(b, w, world);
}

// The first part of a first observation (`mg::observe_start`), by one thread; `observe_agent` and `settle` follow.
MG_FN void begin_observing(const DeviceBatch& b, const mg::Program& p, int64_t world) {
  const mg::World& w = world_of(b, world);
  const mg::Buffers io = buffers_of(b, world);
  if (b.in_order) return mg::observe_start(p, w, scratch_of(b, w, world), io);
  for (int32_t agent = 0; agent < w.h->agents; ++agent) {
    io.rewards[agent] = w.agent_total[agent] = 0.0f;
    io.terminals[agent] = io.truncations[agent] = false;
  }
  mg::reset_coverage(p, w);
  mg::Machine m(p, w, scratch_of(b, w, world));
  put_heads(b, m, io, world);
  report_fault(b, w, world);
}

// A step (`mg::step_world`) up to the windows of the agents, in three parts. Between them, the lanes of a warp update the
// territory together. Rewards do not depend on the windows, unless `in_order` is set; then the first part does all.
MG_FN bool can_play(const mg::World& w) { return w.h->fault == 0; }  // after a fault: from its next episode on

MG_FN void play_actions(const DeviceBatch& b, const mg::Program& p, const mg::World& w, int64_t world) {
  const mg::Buffers io = buffers_of(b, world);
  mg::Scratch& scratch = scratch_of(b, w, world);
  if (b.in_order) return mg::step_world(p, w, scratch, io);
  for (int32_t agent = 0; agent < w.h->agents; ++agent) w.agent_before[agent] = w.cell_of(w.agent_slot[agent]);
  ++w.h->step;
  mg::release_removed(w);
  mg::Machine m(p, w, scratch);
  mg::apply_actions(m, io);
  mg::fire_due_events(m);
  mg::run_agent_ticks(m);
}

MG_FN void play_effects(const DeviceBatch& b, const mg::Program& p, const mg::World& w, int64_t world) {
  if (b.in_order) return;
  mg::Machine m(p, w, scratch_of(b, w, world));
  mg::apply_area_effects(m);
  mg::run_game_tick(m);
  mg::count_coverage(p, w);
}

MG_FN void play_end(const DeviceBatch& b, const mg::Program& p, const mg::World& w, int64_t world) {
  if (!b.in_order) {
    const mg::Buffers io = buffers_of(b, world);
    mg::Machine m(p, w, scratch_of(b, w, world));
    put_heads(b, m, io, world);
    mg::write_rewards(m, io);
    mg::flag_episode_end(p, w, io);
  }
  ++b.taken[world];
  report_fault(b, w, world);
}

// Brings the territory of a world up to date: all lanes of a warp.
MG_FN void settle_together(const mg::Program& p, const mg::World& w) {
  each_lane([&](int32_t lane) { mg::refresh_owners(p, w, lane, kLanes); });
  each_lane([&](int32_t lane) { mg::refresh_edges(w, lane, kLanes); });
  each_lane([&](int32_t lane) {
    if (lane == 0) mg::forget_stale(w);
  });
}

}  // namespace gpu
