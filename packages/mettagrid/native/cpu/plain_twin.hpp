// Debug build: a second world that takes the same step without shortcuts. All derived data is recomputed first, nothing
// encoded or shared is used, and afterwards state, outputs and territory must be the same.
#pragma once

#if METTAGRID_DEBUG_CHECKS

#include "core/state/hash.hpp"
#include "cpu/memory.hpp"

namespace cpu {

class PlainTwin {
 public:
  PlainTwin(const mg::Program& program, const mg::World& world, const mg::Buffers& io)
      : p_(program),
        block_(zeroed_block(world.h->bytes)),
        outputs_(io),
        observations_(io.observations, io.observations + observation_bytes(world, io)) {
    std::memcpy(block_.get(), world.h, world.h->state_bytes);
    w_ = mg::World::view(block_.get(), world.scenery.h);
    const std::size_t n = static_cast<std::size_t>(world.h->agents);
    flags_.assign(2 * n, 0);
    std::memcpy(flags_.data(), io.terminals, n);
    std::memcpy(flags_.data() + n, io.truncations, n);
    rewards_.assign(n, 0.0f);
    outputs_.observations = observations_.data();
    outputs_.terminals = reinterpret_cast<bool*>(flags_.data());
    outputs_.truncations = outputs_.terminals + n;
    outputs_.rewards = rewards_.data();
  }

  // Steps the twin and compares it with the world after its step.
  bool agrees(mg::Scratch& scratch, const mg::World& world, const mg::Buffers& io) {
    mg::make_second_part(p_, w_);
    mg::Watcher* watcher = scratch.watcher;
    scratch.watcher = nullptr;
    scratch.plain = true;
    mg::step_world(p_, w_, scratch, outputs_);
    scratch.plain = false;
    scratch.watcher = watcher;
    const std::size_t n = static_cast<std::size_t>(world.h->agents);
    return mg::state_hash(w_) == mg::state_hash(world) &&
           std::memcmp(io.observations, outputs_.observations, observations_.size()) == 0 &&
           std::memcmp(io.rewards, outputs_.rewards, n * sizeof(float)) == 0 &&
           std::memcmp(io.terminals, outputs_.terminals, n) == 0 && std::memcmp(io.truncations, outputs_.truncations, n) == 0 &&
           same_territory(world);
  }

 private:
  static std::size_t observation_bytes(const mg::World& world, const mg::Buffers& io) {
    return static_cast<std::size_t>(world.h->agents) * static_cast<std::size_t>(io.tokens) * 3;
  }

  // Compares data recomputed from the state after the step with the incrementally updated data.
  bool same_territory(const mg::World& world) {
    const mg::Header& h = *world.h;
    mg::make_territory(p_, w_);
    const std::size_t cells = static_cast<std::size_t>(h.cells);
    return std::memcmp(w_.owner, world.owner, cells * static_cast<std::size_t>(h.territories) * sizeof *w_.owner) == 0 &&
           std::memcmp(w_.owner_seen, world.owner_seen, cells * sizeof *w_.owner_seen) == 0 &&
           std::memcmp(w_.grid, world.grid, cells * sizeof *w_.grid) == 0 && same_bits(world);
  }

  bool same_bits(const mg::World& world) {
    mg::make_shown(w_);
    return std::memcmp(w_.shown, world.shown, static_cast<std::size_t>(mg::shown_words(*world.h)) * sizeof *w_.shown) == 0;
  }

  const mg::Program& p_;
  Block block_;
  mg::World w_{};
  mg::Buffers outputs_;
  std::vector<uint8_t> observations_;
  std::vector<uint8_t> flags_;
  std::vector<float> rewards_;
};

}  // namespace cpu

#endif
