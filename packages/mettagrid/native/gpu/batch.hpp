// What the kernels work on: many worlds of one program, in one memory.
//
// The functions that look into the core's blocks are here, so that kernels do not depend on their layout.
#pragma once

#include "core/phases/create.hpp"

namespace gpu {

// What the rules leave for the observation of an agent.
struct alignas(16) Head {
  int32_t tokens;  // global ones, written already
  int32_t slot, cell, radius;
};

// Numbers and pointers of a batch; Python fills them in by name (`mettagrid/gpu/batch.py`), each as 64 bits.
// clang-format off
#define MG_BATCH(NUMBER, POINTER)                                                                             \
  NUMBER(worlds) NUMBER(agents) NUMBER(tokens) /* of the arrays */                                            \
  NUMBER(scenery_bytes)                        /* of the pool; from one map's scenery to the next */              \
  NUMBER(maps) NUMBER(image_bytes)             /* of the pool; bytes from one image to the next */            \
  NUMBER(block_bytes) NUMBER(arena_words)      /* from one world to the next */                               \
  NUMBER(auto_reset) NUMBER(next_seed) NUMBER(is_pooled)                                                      \
  NUMBER(in_order) /* rules read what observing counts: observe agent by agent, inside the rules */           \
  NUMBER(primary_count) NUMBER(vibe_count)                                                                    \
  POINTER(const int32_t, words)            /* the program */                                                  \
  POINTER(const uint8_t, images)           /* [maps][image_bytes]: initial blocks */                          \
  POINTER(const uint8_t, sceneries)        /* [maps][scenery_bytes] */                                        \
  POINTER(uint8_t, blocks)                 /* [worlds][block_bytes] */                                        \
  POINTER(mg::Scratch, scratch)            /* [worlds] */                                                     \
  POINTER(int32_t, arenas)                 /* [worlds][arena_words] */                                        \
  POINTER(uint8_t, observations)           /* [worlds][agents][tokens][3] */                                  \
  POINTER(float, rewards)                  /* [worlds][agents], as are the next four */                       \
  POINTER(bool, terminals)                                                                                    \
  POINTER(bool, truncations)                                                                                  \
  POINTER(int32_t, actions)                                                                                   \
  POINTER(int32_t, vibe_actions)                                                                              \
  POINTER(mg::Program, tables)             /* one: the views of `words` */                                    \
  POINTER(mg::World, views)                /* [worlds]: of `blocks` */                                        \
  POINTER(Head, heads)                     /* [worlds][agents] */                                             \
  POINTER(int32_t, written)                /* [worlds][agents]: tokens in the array */                        \
  POINTER(uint8_t, due)                    /* [worlds]: a `Due` */                                            \
  POINTER(uint32_t, seeds)                 /* [worlds]: of the running episode, or of the due one */          \
  POINTER(int64_t, episodes)               /* [worlds]: finished ones */                                      \
  POINTER(int64_t, taken)                  /* [worlds]: steps since it started over */                        \
  POINTER(int32_t, map_of)                 /* [worlds]: the map of the running episode */                     \
  POINTER(int32_t, faults)                 /* [worlds][3]: fault, a, b */                                     \
  POINTER(int32_t, failed)                 /* one number: not 0 once a world has failed; memory of the host */ \
  POINTER(uint64_t, hashes)                /* [worlds], on request */                                         \
  POINTER(float, sums)                     /* [worlds][agents]: rewards of a run */                           \
  POINTER(const int32_t, primary)          /* [primary_count]: ids to draw from */                            \
  POINTER(const int32_t, vibes)            /* [vibe_count] */
// clang-format on

struct DeviceBatch {
#define MG_NUMBER(name) int64_t name;
#define MG_POINTER_TO(Type, name) Type* name;
  MG_BATCH(MG_NUMBER, MG_POINTER_TO)
#undef MG_NUMBER
#undef MG_POINTER_TO
};

// Whether a world must begin an episode regardless of its flags.
enum Due : uint8_t { kNotDue = 0, kNext = 1, kStartsOver = 2 };

// Of a world that has begun.
MG_FN const mg::World& world_of(const DeviceBatch& b, int64_t world) { return b.views[world]; }

MG_FN const uint8_t* scenery_of(const DeviceBatch& b, int32_t map) { return b.sceneries + map * b.scenery_bytes; }

// Computes the view of a world whose block has just been copied from that of a map, and once that of the program.
MG_FN const mg::World& make_view(const DeviceBatch& b, int64_t world, int32_t map) {
  if (world == 0) *b.tables = mg::Program::view(b.words);
  b.views[world] = mg::World::view(b.blocks + world * b.block_bytes, scenery_of(b, map));
  return b.views[world];
}

MG_FN mg::Scratch& scratch_of(const DeviceBatch& b, const mg::World& w, int64_t world) {
  mg::Scratch& scratch = b.scratch[world];
  scratch.arena = b.arenas + world * b.arena_words;
  scratch.arena_size = mg::arena_needed(w.h->slots);
  return scratch;
}

MG_FN mg::Buffers buffers_of(const DeviceBatch& b, int64_t world) {
  const int64_t first = world * b.agents;
  return mg::Buffers{b.observations + first * b.tokens * 3,
                     static_cast<int32_t>(b.tokens),
                     b.terminals + first,
                     b.truncations + first,
                     b.rewards + first,
                     b.actions + first,
                     b.vibe_actions + first};
}

// Bytes of an initial block that a new episode copies: all but the encoded tokens, which are encoded again.
MG_FN int64_t start_bytes(const DeviceBatch& b, int32_t map) {
  uint8_t* image = const_cast<uint8_t*>(b.images + map * b.image_bytes);
  return static_cast<int64_t>(mg::World::view(image, scenery_of(b, map)).start_bytes());
}

MG_FN void report_fault(const DeviceBatch& b, const mg::World& w, int64_t world) {
  if (w.h->fault == 0) return;
  b.faults[3 * world] = w.h->fault;
  b.faults[3 * world + 1] = w.h->fault_a;
  b.faults[3 * world + 2] = w.h->fault_b;
  *b.failed = 1;
}

}  // namespace gpu
