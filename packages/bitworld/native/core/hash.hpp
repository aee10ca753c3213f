// The state hash of BitWorld games: FNV-1a over whole 64-bit words.
#pragma once

#include <concepts>
#include <cstdint>

namespace bitworld {

class StateHash {
 public:
  constexpr void add(std::integral auto value) {
    value_ ^= static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    value_ *= 1099511628211ULL;
  }

  constexpr std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037ULL;
};

}  // namespace bitworld
