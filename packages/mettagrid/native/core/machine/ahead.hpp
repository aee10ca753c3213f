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
}

// The first lines from an address on, without a loop; those past the end of an array do no harm.
template <int32_t kLines>
MG_FN void prefetch_lines(const void* from) {
#if !defined(__CUDA_ARCH__)
#pragma GCC unroll 8
#endif
  for (int32_t i = 0; i < kLines; ++i) prefetch_line(static_cast<const char*>(from) + 64 * i);
}

// Every so many lines of a part of a block.
MG_FN void prefetch_share(const void* from, const void* end, int32_t share, int32_t shares) {
  const char* const first = static_cast<const char*>(from);
  const int64_t bytes = static_cast<const char*>(end) - first;
  for (int64_t at = int64_t{share} * 64; at < bytes; at += int64_t{shares} * 64) prefetch_line(first + at);
}

struct PrefetchObject {
  MG_RARE static void run(const World& w, const Buffers&, int32_t agent) {
    const int32_t slot = w.agent_slot[agent];
    prefetch_line(w.inventory + slot * w.h->resources);
    prefetch_line(w.held_order + slot * w.h->resources);
    prefetch_line(w.lines + slot);
  }
};

// The stats of an agent, above all the built-in ones, which come first, and its share of the lines that every agent uses.
struct PrefetchStats {
  MG_RARE static void run(const World& w, const Buffers&, int32_t agent) {
    prefetch_lines<3>(w.agent_stat + agent * w.h->agent_stats);
    prefetch_share(w.agent_slot, w.tag_room, agent, w.h->agents);
    prefetch_share(w.dirty, w.stale->regions, agent, w.h->agents);
  }
};

struct PrefetchWindow {
  MG_RARE static void run(const World& w, const Buffers&, int32_t agent) {
    const int32_t slot = w.agent_slot[agent], cell = w.actor_cell(slot), rows = w.h->window_rows, cols = w.h->window_cols;
    const int64_t stride = w.h->stride, width = 2 * cols, first = cell - rows * stride - cols;
    prefetch_line(w.agent_cells + agent * w.h->cell_words + (cell >> 5));
    const uint32_t* const shown = w.shown_from(w.object_row[slot], w.object_col[slot]);
    prefetch_line(shown);
    prefetch_line(shown + 2 * rows);
    const Ground* row = w.grid + first;
    for (int32_t i = 2 * rows; i >= 0; --i, row += stride) {
      prefetch_line(row);
      prefetch_line(row + width);
    }
  }
};

struct PrefetchTokens {
  MG_RARE static void run(const World&, const Buffers& io, int32_t agent) {
    prefetch_lines<5>(io.observations + int64_t{agent} * io.tokens * 3);
  }
};

// After an agent in a phase of this world.
template <class Prefetch>
MG_FN void look_ahead(const Scratch& s, int32_t agent) {
#if !defined(__CUDA_ARCH__)
  const Ahead* const ahead = s.ahead;
  if (ahead != nullptr && agent < ahead->w->h->agents) Prefetch::run(*ahead->w, *ahead->io, agent);
#else
  (void)s, (void)agent;
#endif
}

}  // namespace mg
