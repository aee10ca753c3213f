// Random actions, the same as those of `cpu/random_actions.hpp`, and sums of rewards, for runs.
#pragma once

#include "gpu/batch.hpp"

namespace gpu {

constexpr uint64_t kStride = 0x9E3779B97F4A7C15ull;

MG_FN uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

MG_FN void draw_actions(const DeviceBatch& b, int64_t row, uint64_t seed) {
  const uint64_t world = static_cast<uint64_t>(row / b.agents), agent = static_cast<uint64_t>(row % b.agents);
  const uint64_t at = mixed(mixed(seed + kStride * (world + 1)) + static_cast<uint64_t>(b.taken[world]));
  const uint64_t bits = mixed(at + kStride * (agent + 1));
  b.actions[row] = b.primary[((bits & 0xFFFFFFFFu) * static_cast<uint64_t>(b.primary_count)) >> 32];
  b.vibe_actions[row] = b.vibes[((bits >> 32) * static_cast<uint64_t>(b.vibe_count)) >> 32];
}

}  // namespace gpu
