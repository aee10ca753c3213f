// Maps and worlds in memory of their own. Nothing here knows Python; faults stay in the header of the world.
#pragma once

#include "cpu/memory.hpp"

namespace cpu {

// A map resolved against a program, and the block that its worlds start as. Immutable.
class Map {
 public:
  Map(const mg::Program& program, std::vector<int32_t> cells, std::vector<int32_t> stats, int32_t height, int32_t width)
      : program_(program), cells_(std::move(cells)), stats_(std::move(stats)) {
    const mg::Map map{cells_.data(), stats_.data(), height, width};
    plan_ = mg::plan_world(program_, map);
    if (plan_.bytes == 0) return;
    image_ = zeroed_block(plan_.bytes);
    const mg::World w = mg::build_world(program_, map, plan_, image_.get());
    fault_ = w.h->fault;
    start_bytes_ = static_cast<std::size_t>(w.lines - static_cast<uint8_t*>(image_.get()));
  }

  const mg::Program& program() const { return program_; }
  const mg::Header& plan() const { return plan_; }  // bytes = 0: such a world would be too large
  const void* image() const { return image_.get(); }
  // All but the encoded tokens, which are encoded anew when they are seen.
  std::size_t start_bytes() const { return start_bytes_; }
  int32_t fault() const { return fault_; }

 private:
  const mg::Program& program_;
  std::vector<int32_t> cells_, stats_;
  mg::Header plan_{};
  Block image_;
  std::size_t start_bytes_ = 0;
  int32_t fault_ = 0;
};

// One world, and the caller's memory that it reads actions from and writes results to.
class World {
 public:
  World(const Map& map, uint32_t seed) : p(map.program()) { start(map, seed); }

  const mg::Program& p;
  mg::World w{};
  mg::Buffers io{};

  bool has_buffers() const { return io.rewards != nullptr; }

  // A new episode in place. Memory is taken only when the map is larger than all before.
  void start(const Map& map, uint32_t seed) {
    const std::size_t bytes = map.plan().bytes;
    if (bytes > capacity_) {
      block_ = zeroed_block(bytes);
      capacity_ = bytes;
    }
    std::memcpy(block_.get(), map.image(), map.start_bytes());
    w = mg::World::view(block_.get());
    mg::start_world(p, w, seed, scratch());
  }

  // Clears the outputs and writes the current observation.
  void observe_start() { mg::observe_start(p, w, scratch(), io); }

  void step() { mg::step_world(p, w, scratch(), io, 0, 1); }

  // Every agent is done, one way or the other.
  bool is_over() const { return all(io.terminals) || all(io.truncations); }

  mg::Scratch& scratch() const { return thread_scratch().for_slots(w.h->slots); }

 private:
  bool all(const bool* flags) const {
    for (int32_t agent = 0; agent < w.h->agents; ++agent) {
      if (!flags[agent]) return false;
    }
    return true;
  }

  Block block_;
  std::size_t capacity_ = 0;
};

}  // namespace cpu
