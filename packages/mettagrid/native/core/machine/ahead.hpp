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
  const char* const first = static_cast<const char*>(from);
  for (int64_t at = 0; at < bytes; at += 64) prefetch_line(first + at);
  prefetch_line(first + bytes - 1);
}

// Every so many lines of a part of a block.
MG_FN void prefetch_share(const void* from, const void* end, int32_t share, int32_t shares) {
  const char* const first = static_cast<const char*>(from);
  const int64_t bytes = static_cast<const char*>(end) - first;
  for (int64_t at = int64_t{share} * 64; at < bytes; at += int64_t{shares} * 64) prefetch_line(first + at);
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
      w.lines + slot,
  };
  for (const void* at : used) prefetch_line(at);
}

// The stats of an agent, above all the built-in ones, which come first, and its share of the lines that every agent uses.
MG_FN void prefetch_stats(const World& w, int32_t agent) {
  prefetch_bytes(w.agent_stat + agent * w.h->agent_stats, min_of(w.h->agent_stats * 4, 320));
  prefetch_share(w.agent_slot, w.tag_room, agent, w.h->agents);
  prefetch_share(w.changed, w.stale->regions, agent, w.h->agents);
}

MG_FN void prefetch_window(const World& w, int32_t agent) {
  const int32_t cell = w.actor_cell(w.agent_slot[agent]), stride = w.h->stride;
  const int32_t rows = w.h->window_rows, cols = w.h->window_cols, first = cell - rows * stride, last = cell + rows * stride;
  prefetch_line(w.agent_cells + agent * w.h->cell_words + (cell >> 5));
  prefetch_line(w.shown + (first >> 5));
  prefetch_line(w.shown + (last >> 5));
  for (int32_t middle = first; middle <= last; middle += stride) {
    prefetch_line(w.grid + middle - cols);
    prefetch_line(w.grid + middle + cols);
  }
}

MG_RARE void prefetch_part(const Ahead& ahead, Part part, int32_t agent) {
  const World& w = *ahead.w;
  if (agent >= w.h->agents) return;
  switch (part) {
    case Part::kObject: return prefetch_object(w, agent);
    case Part::kStats: return prefetch_stats(w, agent);
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
