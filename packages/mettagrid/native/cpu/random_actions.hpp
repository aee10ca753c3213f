// Random actions, for measuring and testing. Each number is a function of (seed, world, step, agent), so it does not depend
// on the caller or on earlier calls.
#pragma once

#include <cstdint>
#include <vector>

#include "core/program/program.hpp"

namespace cpu {

// The actions of a game to choose from, uniformly and independently for both streams.
class ActionChoice {
 public:
  explicit ActionChoice(const mg::Program& program) : program_(&program) {
    vibe_actions_.push_back(0);  // no change
    for (int32_t id = 0; id < program.actions.size; ++id) {
      const bool is_vibe = program.actions[id].kind == static_cast<int32_t>(mg::ActionKind::kChangeVibe);
      (is_vibe ? vibe_actions_ : actions_).push_back(id);
    }
  }

  const mg::Program& program() const { return *program_; }

  void draw(uint64_t seed, int32_t world, int64_t step, int32_t agents, int32_t* actions, int32_t* vibe_actions) const {
    uint64_t at = mixed(mixed(seed + kStride * (static_cast<uint64_t>(world) + 1)) + static_cast<uint64_t>(step));
    for (int32_t agent = 0; agent < agents; ++agent) {
      const uint64_t bits = mixed(at += kStride);
      actions[agent] = pick(actions_, static_cast<uint32_t>(bits));
      vibe_actions[agent] = pick(vibe_actions_, static_cast<uint32_t>(bits >> 32));
    }
  }

 private:
  static constexpr uint64_t kStride = 0x9E3779B97F4A7C15ull;

  // The finishing step of the generator SplitMix64: every bit of the input reaches every bit of the output.
  static uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
  }

  static int32_t pick(const std::vector<int32_t>& from, uint32_t bits) {
    return from[static_cast<std::size_t>((uint64_t{bits} * from.size()) >> 32)];
  }

  const mg::Program* program_;
  std::vector<int32_t> actions_, vibe_actions_;
};

}  // namespace cpu
