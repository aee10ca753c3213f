// Maps and worlds that own their memory, independent of Python; faults are stored in the header of the world.
#pragma once

#include <atomic>
#include <mutex>

#include "cpu/adopt.hpp"
#include "cpu/plain_twin.hpp"
#include "cpu/recorder.hpp"
#include "cpu/snapshot.hpp"

namespace cpu {

// A map resolved against a program. The first world on it is built in place; the initial block of further ones is created on
// demand.
class BuiltMap {
 public:
  BuiltMap(const mg::Program& program, std::vector<int32_t> cells, std::vector<int32_t> stats, int32_t height, int32_t width)
      : program_(program),
        cells_(std::move(cells)),
        stats_(std::move(stats)),
        map_{cells_.data(), stats_.data(), height, width} {
    plan_ = mg::plan_world(program_, map_);
    if (plan_.bytes == 0) return;
    const mg::SceneryHead head = mg::plan_scenery(program_, plan_, plan_.slots - plan_.actors);
    scenery_ = zeroed_scenery(head.bytes);
    mg::build_map_scenery(program_, map_, plan_, head, scenery_.get());
  }
  BuiltMap(const BuiltMap&) = delete;
  BuiltMap& operator=(const BuiltMap&) = delete;

  const mg::Program& program() const { return program_; }
  const mg::Header& plan() const { return plan_; }  // bytes = 0: such a world would be too large
  const SceneryBlock& scenery() const { return scenery_; }

  // Writes the initial state of a world, except its randomness, into plan().bytes bytes. Encoded tokens are omitted, since
  // they are encoded again on first use.
  void write_start(void* block) const {
    if (!is_used_.exchange(true)) return build(block);
    std::call_once(image_once_, [this] {
      image_ = zeroed_block(plan_.bytes);
      build(image_.get());
    });
    const mg::World w = mg::World::view(image_.get(), scenery_.get());
    std::memcpy(block, image_.get(), w.start_bytes());
  }

 private:
  void build(void* block) const {
    std::memset(block, 0, plan_.bytes);
    mg::build_world(program_, map_, plan_, block, scenery_.get());
  }

  const mg::Program& program_;
  std::vector<int32_t> cells_, stats_;
  mg::MapCells map_;
  mg::Header plan_{};
  SceneryBlock scenery_;
  mutable std::atomic<bool> is_used_ = false;
  mutable std::once_flag image_once_;
  mutable Block image_;
};

// One world, and the caller's memory that it reads actions from and writes results to.
class OwnedWorld {
 public:
  OwnedWorld(const BuiltMap& map, uint32_t seed) : p(map.program()) { start(map, seed); }
  OwnedWorld(const mg::Program& program, const char* snapshot) : p(program) { take_state(snapshot + sizeof(SnapshotHead)); }

  const mg::Program& p;
  mg::World w{};
  mg::Buffers io{};

  bool has_buffers() const { return io.rewards != nullptr; }

  // The map of the episode; a world from a snapshot has none. The map must live until the next episode starts.
  bool has_map() const { return map_ != nullptr; }
  const BuiltMap& map() const { return *map_; }
  void keep_map(const BuiltMap& map) { map_ = &map; }
  uint32_t seed() const { return seed_; }

  // Starts a new episode in place. Memory is allocated only if the map is larger than all earlier ones.
  void start(const BuiltMap& map, uint32_t seed) {
    reserve(map.plan().bytes);
    map.write_start(block_.get());
    scenery_ = map.scenery();
    w = mg::World::view(block_.get(), scenery_.get());
    map_ = &map;
    seed_ = seed;
    mg::start_world(p, w, seed, scratch());
    replaced();
  }

  // Clears the outputs and writes the current observation.
  void observe_start() { mg::observe_start(p, w, scratch(), io); }

  void step() {
#if METTAGRID_DEBUG_CHECKS
    PlainTwin twin(p, w, io);
    mg::step_world(p, w, scratch(), io);
    if (w.h->fault == 0 && !twin.agrees(scratch(), w, io)) w.fail(mg::Fault::kShortcut);
#else
    mg::step_world(p, w, scratch(), io);
#endif
  }

  // Asks the memory for what `mg::look_ahead` reads of this world: first its head, later where its agents are.
  void prefetch_head() const {
    mg::prefetch_bytes(w.h, 256);
    mg::prefetch_bytes(w.agent_slot, w.h->agents * 4);
  }
  void prefetch_places() const {
    mg::prefetch_line(w.h->random.state + std::min(w.h->random.next, mg::Random::kWords - 1));
    // Agents have the first slots, so these lines have the data of all of them.
    const int64_t slots = 1 + w.h->agents;
    mg::prefetch_bytes(w.object_row, 2 * slots);
    mg::prefetch_bytes(w.object_col, 2 * slots);
    mg::prefetch_bytes(w.object_template, 4 * slots);
    mg::prefetch_bytes(w.object_agent, 4 * slots);
    mg::prefetch_bytes(w.object_seen, 4 * slots);
    mg::prefetch_bytes(w.object_flags, slots);
    mg::prefetch_bytes(w.object_tags, 4 * slots * w.h->tag_words);
  }

  uint64_t state_hash() const { return mg::state_hash(w); }

  // Recorders of this world; each must be removed before its destruction.
  std::vector<Recorder*> recorders;

  // From now on its scenery can change too. Throws if there is no memory for it.
  void adopt() {
    Adopted made = adopted(p, w);
    w = made.w;
    block_ = std::move(made.block);
    scenery_ = std::move(made.scenery);
    capacity_ = w.h->bytes;
    replaced();
  }

  // Passes the marks to every recorder and clears them.
  void share_marks() {
    const std::size_t words = static_cast<std::size_t>((w.h->slots + 64) / 64);
    for (Recorder* recorder : recorders) recorder->note(w.changed, w.h->slots);
    std::fill_n(w.changed, words, 0);
  }

  // Copies the state of another world of the same program, and its last observations. Both have buffers of the same shape.
  void copy(const OwnedWorld& other) {
    reserve(other.w.h->bytes);
    std::memcpy(block_.get(), other.w.h, other.w.start_bytes());
    scenery_ = other.scenery_;
    w = mg::World::view(block_.get(), scenery_.get());
    mg::make_lines(w);
    const std::size_t n = static_cast<std::size_t>(w.h->agents);
    std::memcpy(io.observations, other.io.observations, n * static_cast<std::size_t>(io.tokens) * 3);
    std::memcpy(io.terminals, other.io.terminals, n * sizeof(bool));
    std::memcpy(io.truncations, other.io.truncations, n * sizeof(bool));
    std::memcpy(io.rewards, other.io.rewards, n * sizeof(float));
    map_ = other.map_;
    seed_ = other.seed_;
    replaced();
  }

  std::size_t snapshot_bytes() const {
    return sizeof(SnapshotHead) + w.h->state_bytes + scenery_bytes(*w.h) +
           static_cast<std::size_t>(w.h->agents) * output_bytes(io.tokens);
  }

  // `bytes` has room for snapshot_bytes().
  void write_snapshot(uint64_t program_hash, char* bytes) const {
    char* at = bytes + sizeof(SnapshotHead);
    const auto put = [&](const void* from, std::size_t size) {
      std::memcpy(at, from, size);
      at += size;
    };
    const std::size_t n = static_cast<std::size_t>(w.h->agents);
    put(w.h, w.h->state_bytes);
    put(w.scenery.objects, scenery_bytes(*w.h));
    put(io.observations, n * static_cast<std::size_t>(io.tokens) * 3);
    put(io.terminals, n * sizeof(bool));
    put(io.truncations, n * sizeof(bool));
    put(io.rewards, n * sizeof(float));
    put(io.actions, n * sizeof(int32_t));
    put(io.vibe_actions, n * sizeof(int32_t));
    SnapshotHead head{};
    std::memcpy(head.format, kSnapshotFormat, sizeof head.format);
    head.program = program_hash;
    head.state_bytes = w.h->state_bytes;
    head.agents = w.h->agents;
    head.tokens = io.tokens;
    head.check = hash_bytes(bytes + sizeof head, snapshot_bytes() - sizeof head);
    std::memcpy(bytes, &head, sizeof head);
  }

  // Continues from the block of a world of the same map, at least its state.
  void load(const char* block) {
    std::memcpy(block_.get(), block, w.h->state_bytes);
    mg::make_second_part(p, w);
    replaced();
  }

  // Continues from a valid snapshot. Actions belong to the caller and are not written.
  void restore(const char* bytes) {
    take_state(bytes + sizeof(SnapshotHead));
    const char* at = bytes + sizeof(SnapshotHead) + w.h->state_bytes + scenery_bytes(*w.h);
    const auto take = [&](void* to, std::size_t size) {
      std::memcpy(to, at, size);
      at += size;
    };
    const std::size_t n = static_cast<std::size_t>(w.h->agents);
    take(io.observations, n * static_cast<std::size_t>(io.tokens) * 3);
    take(io.terminals, n * sizeof(bool));
    take(io.truncations, n * sizeof(bool));
    take(io.rewards, n * sizeof(float));
  }

  // All agents are terminal or all are truncated.
  bool is_over() const { return all(io.terminals) || all(io.truncations); }

  mg::Scratch& scratch() const { return thread_scratch().for_slots(w.h->slots); }

 private:
  void reserve(std::size_t bytes) {
    if (bytes <= capacity_) return;
    block_ = zeroed_block(bytes);
    capacity_ = bytes;
  }

  void take_state(const char* state) {
    mg::Header h;
    std::memcpy(&h, state, sizeof h);
    reserve(h.bytes);
    std::memcpy(block_.get(), state, h.state_bytes);
    scenery_ = copied_scenery(p, h, state + h.state_bytes);
    w = mg::World::view(block_.get(), scenery_.get());
    mg::make_second_part(p, w);
    replaced();
  }

  void replaced() {
    for (Recorder* recorder : recorders) recorder->note_all();
  }

  bool all(const bool* flags) const {
    for (int32_t agent = 0; agent < w.h->agents; ++agent) {
      if (!flags[agent]) return false;
    }
    return true;
  }

  Block block_;
  SceneryBlock scenery_;
  std::size_t capacity_ = 0;
  const BuiltMap* map_ = nullptr;
  uint32_t seed_ = 0;
};

}  // namespace cpu
