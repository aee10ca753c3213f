// Asks the memory for what a step of the next world will use, while this one is stepped: a batch of many worlds does not fit in
// the cache. A processor waits for about ten lines of its cache at a time, so each phase asks for a few lines after each agent.
#pragma once

#include "core/machine/machine.hpp"

namespace mg {

// GCC removes a call of a function that only prefetches, since to it that has no effect; the empty statement counts as one.
MG_FN void prefetch_line(const void* at) {
#if !defined(__CUDA_ARCH__)
  __builtin_prefetch(at);
  asm volatile("");
#else
  (void)at;
#endif
}
MG_FN void prefetch_bytes(const void* from, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += 64) prefetch_line(static_cast<const char*>(from) + at);
}

enum class Part : int32_t { kObject, kStats, kWindow, kTokens };

MG_FN void prefetch_object(const World& w, int32_t agent) {
  const int32_t slot = w.agent_slot[agent];
  const void* const used[] = {
      w.inventory + slot * w.h->resources,
      w.held_order + slot * w.h->resources,
      w.object_template + slot,
      w.object_agent + slot,
      w.object_flags + slot,
      w.object_tags + slot * w.h->tag_words,
      w.object_seen + slot,
      w.lines + static_cast<int64_t>(slot) * kLine,
  };
  for (const void* at : used) prefetch_line(at);
}

// The stats of an agent, and its share of the arrays that have an entry of a few bytes for each.
MG_FN void prefetch_stats(const Settings& set, const World& w, int32_t agent) {
  const float* const stats = w.agent_stat + agent * w.h->agent_stats;
  prefetch_line(stats + set.stat_noop);
  prefetch_bytes(stats + set.stat_resources, min_of(w.h->resources * 16, 192));
  const void* const arrays[] = {
      w.agent_stat_set,    w.agent_before,  w.agent_moved,     w.agent_still,     w.agent_action,
      w.agent_order,       w.agent_success, w.agent_animation, w.agent_radius,    w.agent_unique,
      w.agent_farthest,    w.agent_owner,   w.agent_spawn_row, w.agent_spawn_col, w.agent_total,
      w.agent_last_reward, w.reward_before, w.game_stat,       w.game_stat_set,   w.tag_held,
      w.tag_first,         w.dirty,         w.changed,         w.object_vibe,
  };
  constexpr int32_t kArrays = sizeof arrays / sizeof arrays[0];
  for (int32_t i = agent; i < kArrays; i += w.h->agents) prefetch_line(arrays[i]);
}

MG_FN void prefetch_window(const World& w, int32_t agent) {
  const int32_t cell = w.actor_cell(w.agent_slot[agent]), stride = w.h->stride;
  const int32_t rows = w.h->window_rows, cols = w.h->window_cols, first = cell - rows * stride, last = cell + rows * stride;
  prefetch_line(w.owner_seen + cell);
  prefetch_line(w.agent_cells + agent * w.h->cell_words + (cell >> 5));
  prefetch_line(w.shown + (first >> 5));
  prefetch_line(w.shown + (last >> 5));
  for (int32_t middle = first; middle <= last; middle += stride) {
    prefetch_line(w.grid + middle - cols);
    prefetch_line(w.grid + middle + cols);
    prefetch_line(w.borders + middle);
  }
}

MG_RARE void prefetch_part(const Ahead& ahead, Part part, int32_t agent) {
  const World& w = *ahead.w;
  if (agent >= w.h->agents) return;
  switch (part) {
    case Part::kObject: return prefetch_object(w, agent);
    case Part::kStats: return prefetch_stats(ahead.p->set(), w, agent);
    case Part::kWindow: return prefetch_window(w, agent);
    case Part::kTokens: {
      const int32_t bytes = ahead.io->tokens * 3;
      return prefetch_bytes(ahead.io->observations + int64_t{agent} * bytes, min_of(bytes, 256));
    }
  }
}

// After an agent in a phase of this world.
MG_FN void look_ahead(const Scratch& s, Part part, int32_t agent) {
#if !defined(__CUDA_ARCH__)
  if (s.ahead != nullptr) prefetch_part(*s.ahead, part, agent);
#else
  (void)s, (void)part, (void)agent;
#endif
}

}  // namespace mg
