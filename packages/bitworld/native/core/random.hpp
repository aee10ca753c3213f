// The random generator of BitWorld games: xoroshiro128+ with rotations 55, 14 and 36, seeded as published games seed it.
#pragma once

#include <bit>
#include <cstdint>

namespace bitworld {

struct Random {
  std::uint64_t a = 0;
  std::uint64_t b = 0;

  static constexpr Random seeded(std::int64_t seed) {
    if (seed == 0) seed = 0x7fffffff;
    Random random{static_cast<std::uint64_t>(seed >> 16), static_cast<std::uint64_t>(seed & 0xffff)};
    random.jump();
    random.next();
    return random;
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = a + b;
    const std::uint64_t mixed = a ^ b;
    a = std::rotl(a, 55) ^ mixed ^ (mixed << 14);
    b = std::rotl(mixed, 36);
    return result;
  }

  // Returns a number from 0 to `most`. Draws nothing if `most` is 0.
  constexpr std::int64_t below_or_equal(std::int64_t most) {
    if (most == 0) return 0;
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    const auto bound = static_cast<std::uint64_t>(most);
    for (;;) {
      const std::uint64_t drawn = next();
      // Reject the last, incomplete range, so that every number is equally likely.
      if (drawn <= kMost - kMost % bound) return static_cast<std::int64_t>(drawn % (bound + 1));
    }
  }

  constexpr bool operator==(const Random&) const = default;

 private:
  constexpr void jump() {
    std::uint64_t jumped_a = 0;
    std::uint64_t jumped_b = 0;
    for (const std::uint64_t word : {0xbeac0467eba5facbULL, 0xd86b048b86aa9922ULL}) {
      for (int bit = 0; bit < 64; ++bit) {
        if (word >> bit & 1) {
          jumped_a ^= a;
          jumped_b ^= b;
        }
        next();
      }
    }
    a = jumped_a;
    b = jumped_b;
  }
};

}  // namespace bitworld
