// Worlds of one map side by side, in memory of a GPU or of the host: a warp each, or one after the other.
//
// Every world works on its own block, scratch memory and buffers, so warps need no synchronization. Inside a warp only the
// first lane runs the step: effects are ordered, and observations share scratch memory, stats and "last seen" in the order
// of agents. The other lanes help where the order does not matter: they copy.
#pragma once

#include "core/create.hpp"
#include "core/hash.hpp"

namespace gpu {

// Pointers into one memory; passed to kernels by value.
struct Batch {
  const int32_t* words;  // the program
  const uint8_t* image;  // the initial block of all worlds
  const uint8_t* scenery;  // ...and their scenery
  uint64_t bytes;        // ...of one block, a multiple of 64
  int32_t worlds, agents, tokens, arena_size;
  uint32_t seed;                // of world 0; world k has seed + k
  uint8_t* blocks;              // [worlds][bytes]
  uint64_t* hashes;             // [worlds]: of the state after the last call
  mg::Scratch* scratch;         // [worlds]
  int32_t* arenas;              // [worlds][arena_size]
  uint8_t* observations;        // [worlds][agents][tokens][3]
  float* rewards;               // [worlds][agents]
  bool* terminals;              // [worlds][agents]
  bool* truncations;            // [worlds][agents]
  const int32_t* actions;       // [agents], the same for all worlds
  const int32_t* vibe_actions;  // [agents]
};

MG_FN void sync_lanes() {
#if defined(__CUDA_ARCH__)
  __syncwarp();
#endif
}

MG_FN mg::World world_of(const Batch& b, int32_t world) {
  return mg::World::view(b.blocks + static_cast<uint64_t>(world) * b.bytes, b.scenery);
}

MG_FN mg::Scratch& scratch_of(const Batch& b, int32_t world) {
  mg::Scratch& scratch = b.scratch[world];
  scratch.arena = b.arenas + int64_t{world} * b.arena_size;
  scratch.arena_size = b.arena_size;
  return scratch;
}

MG_FN mg::Buffers buffers_of(const Batch& b, int32_t world) {
  const int64_t first = int64_t{world} * b.agents;
  return mg::Buffers{b.observations + first * b.tokens * 3,
                     b.tokens,
                     b.terminals + first,
                     b.truncations + first,
                     b.rewards + first,
                     b.actions,
                     b.vibe_actions};
}

// A new episode and its first observation.
MG_FN void start_one(const Batch& b, int32_t world, int32_t lane, int32_t lanes) {
  const uint64_t* from = reinterpret_cast<const uint64_t*>(b.image);
  uint64_t* to = reinterpret_cast<uint64_t*>(b.blocks + static_cast<uint64_t>(world) * b.bytes);
  for (uint64_t i = static_cast<uint64_t>(lane); i < b.bytes / 8; i += static_cast<uint64_t>(lanes)) to[i] = from[i];
  sync_lanes();
  if (lane != 0) return;
  const mg::Program p = mg::Program::view(b.words);
  const mg::World w = world_of(b, world);
  mg::start_world(p, w, b.seed + static_cast<uint32_t>(world), scratch_of(b, world));
  mg::observe_start(p, w, scratch_of(b, world), buffers_of(b, world));
  b.hashes[world] = mg::state_hash(w);
}

MG_FN void step_one(const Batch& b, int32_t world, int32_t lane) {
  if (lane != 0) return;
  const mg::Program p = mg::Program::view(b.words);
  const mg::World w = world_of(b, world);
  mg::step_world(p, w, scratch_of(b, world), buffers_of(b, world));
  b.hashes[world] = mg::state_hash(w);
}

}  // namespace gpu
