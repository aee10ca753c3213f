// The numbers that Python's `random.Random(seed)` draws: the Mersenne Twister, seeded with one word.
#pragma once

#include <array>
#include <cstdint>

namespace starter {

class Dice {
 public:
  explicit Dice(uint32_t seed) {
    state_[0] = 19650218u;
    for (uint32_t i = 1; i < kSize; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
    uint32_t at = 1;
    const auto wrap = [&] {
      if (++at < kSize) return;
      state_[0] = state_[kSize - 1];
      at = 1;
    };
    for (uint32_t i = 0; i < kSize; ++i, wrap()) {
      state_[at] = (state_[at] ^ ((state_[at - 1] ^ (state_[at - 1] >> 30)) * 1664525u)) + seed;
    }
    for (uint32_t i = 0; i < kSize - 1; ++i, wrap()) {
      state_[at] = (state_[at] ^ ((state_[at - 1] ^ (state_[at - 1] >> 30)) * 1566083941u)) - at;
    }
    state_[0] = 0x80000000u;
  }

  // Whether `random() < 0.5`; it draws two words, and the first one decides.
  bool is_below_half() {
    const uint32_t first = draw();
    draw();
    return first < 0x80000000u;
  }

  // The index that `choice` takes from a sequence of 1 to 4 elements.
  int below(int count) {
    const int bits = count == 1 ? 1 : count < 4 ? 2 : 3;
    for (;;) {
      const int drawn = static_cast<int>(draw() >> (32 - bits));
      if (drawn < count) return drawn;
    }
  }

 private:
  static constexpr uint32_t kSize = 624, kMiddle = 397;

  uint32_t draw() {
    if (next_ == kSize) refill();
    uint32_t word = state_[next_++];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9D2C5680u;
    word ^= (word << 15) & 0xEFC60000u;
    return word ^ (word >> 18);
  }

  void refill() {
    for (uint32_t i = 0; i < kSize; ++i) {
      const uint32_t mixed = (state_[i] & 0x80000000u) | (state_[(i + 1) % kSize] & 0x7FFFFFFFu);
      state_[i] = state_[(i + kMiddle) % kSize] ^ (mixed >> 1) ^ (mixed & 1 ? 0x9908B0DFu : 0);
    }
    next_ = 0;
  }

  std::array<uint32_t, kSize> state_;
  uint32_t next_ = kSize;
};

}  // namespace starter
