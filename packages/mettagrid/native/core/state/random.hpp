// The 32-bit Mersenne Twister and the shuffle of the rules document (section 14). The state is plain data of the world.
#pragma once

#include "core/base.hpp"

namespace mg {

struct Random {
  static constexpr int32_t kWords = 624;
  static constexpr int32_t kShift = 397;
  uint32_t state[kWords];
  int32_t next;  // index of the next word; kWords = the block is used up

  MG_FN void seed(uint32_t value) {
    state[0] = value;
    for (int32_t i = 1; i < kWords; ++i) {
      const uint32_t before = state[i - 1];
      state[i] = 1812433253u * (before ^ (before >> 30)) + static_cast<uint32_t>(i);
    }
    next = kWords;
  }

  MG_FN static uint32_t twist(uint32_t high, uint32_t low) {
    const uint32_t joined = (high & 0x80000000u) | (low & 0x7FFFFFFFu);
    return (joined >> 1) ^ (0x9908B0DFu & (0u - (joined & 1u)));  // a branch would be mispredicted for half of the words
  }

  MG_CALL void refill() {
    constexpr int32_t kRest = kWords - kShift, kLast = kWords - 1;
    for (int32_t i = 0; i < kRest; ++i) state[i] = state[i + kShift] ^ twist(state[i], state[i + 1]);
    for (int32_t i = kRest; i < kLast; ++i) state[i] = state[i - kRest] ^ twist(state[i], state[i + 1]);
    state[kLast] = state[kShift - 1] ^ twist(state[kLast], state[0]);
    next = 0;
  }

  MG_FN uint32_t draw() {
    if (next >= kWords) refill();
    uint32_t y = state[next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680u;
    y ^= (y << 15) & 0xEFC60000u;
    return y ^ (y >> 18);
  }

  // A uniform integer in [0, bound), bound >= 1, by multiplication with rejection.
  MG_FN uint32_t bounded(uint32_t bound) {
    uint64_t product = static_cast<uint64_t>(draw()) * bound;
    if (static_cast<uint32_t>(product) < bound) {
      const uint32_t threshold = (0u - bound) % bound;
      while (static_cast<uint32_t>(product) < threshold) product = static_cast<uint64_t>(draw()) * bound;
    }
    return static_cast<uint32_t>(product >> 32);
  }

  // Two positions come from one draw while that fits in 32 bits; 0 and 1 values draw nothing.
  MG_CALL void shuffle(int32_t* values, int32_t count) {
    if (count < 2) return;
    const uint32_t n = static_cast<uint32_t>(count);
    if (static_cast<uint64_t>(n) * n > 0xFFFFFFFFull) {
      for (uint32_t i = 1; i < n; ++i) swap_values(values[i], values[bounded(i + 1)]);
      return;
    }
    uint32_t i = 1;
    if (n % 2 == 0) {
      swap_values(values[1], values[bounded(2)]);
      i = 2;
    }
    while (i < n) {
      const uint32_t span = i + 1;
      const uint32_t both = bounded(span * (span + 1));
      swap_values(values[i], values[both / (span + 1)]);
      ++i;
      swap_values(values[i], values[both % (span + 1)]);
      ++i;
    }
  }
};
static_assert(std::is_trivially_copyable<Random>::value, "part of the world block");

}  // namespace mg
