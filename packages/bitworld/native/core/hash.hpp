// The state hash of BitWorld games: FNV-1a over whole 64-bit words.
#pragma once

#include <concepts>
#include <cstdint>

namespace bitworld {

class StateHash {
 public:
  constexpr void add(std::integral auto value) {
    value_ ^= static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    value_ *= kPrime;
  }

  // What `add(0)`, `count` times, multiplies the hash with.
  static constexpr std::uint64_t zeros(std::int64_t count) {
    std::uint64_t product = 1;
    for (std::uint64_t factor = kPrime; count > 0; count >>= 1, factor *= factor) {
      if (count & 1) product *= factor;
    }
    return product;
  }
  constexpr void add_zeros(std::uint64_t product) { value_ *= product; }

  constexpr std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kPrime = 1099511628211ULL;

  std::uint64_t value_ = 14695981039346656037ULL;
};

}  // namespace bitworld
