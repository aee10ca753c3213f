// A world as a Python object: it takes buffers, turns faults into exceptions, and answers queries about the world.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/program.hpp"
#include "cpu/trace.hpp"

namespace bindings {

// More tokens than any game needs; the number and the bytes of an agent fit in 32 bits.
constexpr std::size_t kMostTokens = std::size_t{1} << 24;

template <class Any>
std::string shape_text(const Any& array) {
  std::string text = "[";
  for (std::size_t i = 0; i < array.ndim(); ++i) text += (i ? ", " : "") + std::to_string(array.shape(i));
  return text + "]";
}

// One world and the caller's buffers.
class PyWorld {
 public:
  PyWorld(nb::object map, uint32_t seed)
      : program_(nb::cast<const PyMap&>(map).program()), map_(map), world_(nb::cast<const PyMap&>(map).map(), seed) {
    raise_fault();
  }
  // It has no map to restart on; `keep_map` sets one.
  PyWorld(nb::object program, const nb::bytes& snapshot)
      : program_(std::move(program)), map_(nb::none()), world_(program_view().view(), checked(snapshot).c_str()) {}

  // For the batch of this world. It steps `world()` only while `is_stepping` is set, which locks out other threads.
  cpu::OwnedWorld& world() { return world_; }
  bool is_stepping = false;
  bool is_in_batch = false;
  bool has_map() const { return world_.has_map(); }
  // The map that the next episode starts on.
  const nb::object& map() const { return map_; }
  void keep_map(nb::object map) {
    if (!map.is_none()) world_.keep_map(nb::cast<const PyMap&>(map).map());
    map_ = std::move(map);
  }
  // Returns the text of a fault and clears it; empty if there is none.
  std::string take_fault() {
    if (w_.h->fault == 0) return "";
    const nb::object text = nb::find(*this).attr("_describe_fault")(w_.h->fault, w_.h->fault_a, w_.h->fault_b);
    w_.h->fault = 0;
    return nb::cast<std::string>(text);
  }

  // Starts a new episode in place; the buffers stay, `observe_start` fills them.
  void start(nb::object map, uint32_t seed) {
    check_idle();
    const PyMap& next = nb::cast<const PyMap&>(map);
    if (!next.program().is(program_)) throw std::runtime_error("The map was resolved against another program");
    if (next.map().plan().agents != w_.h->agents) throw std::runtime_error("The map has another number of agents");
    world_.start(next.map(), seed);
    map_ = std::move(map);
    raise_fault();
  }

  uint64_t state_hash() const {
    check_idle();
    return world_.state_hash();
  }

  nb::bytes snapshot() const {
    check_idle();
    check_buffers();
    const nb::bytes bytes =
        nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(world_.snapshot_bytes())));
    world_.write_snapshot(program_view().hash(), PyBytes_AS_STRING(bytes.ptr()));
    return bytes;
  }

  // In place: the arrays stay the caller's, so they must have the size of those in the snapshot.
  void restore(const nb::bytes& snapshot) {
    check_idle();
    check_buffers();
    const char* bytes = checked(snapshot).c_str();
    cpu::SnapshotHead head;
    std::memcpy(&head, bytes, sizeof head);
    if (head.agents != w_.h->agents || head.tokens != io_.tokens) {
      throw std::runtime_error("The snapshot has " + std::to_string(head.agents) + " agents and " +
                               std::to_string(head.tokens) + " tokens each, this world " + std::to_string(w_.h->agents) +
                               " and " + std::to_string(io_.tokens));
    }
    world_.restore(bytes);
  }

  // Continues from the block of a world of the same map that another engine stepped.
  void load(const Array<const uint8_t, nb::ndim<1>>& block) {
    check_idle();
    if (block.size() < w_.h->state_bytes) throw std::runtime_error("The block is too short for this world");
    world_.load(reinterpret_cast<const char*>(block.data()));
    raise_fault();
  }

  void copy(const PyWorld& other) {
    check_idle();
    other.check_idle();
    check_buffers();
    other.check_buffers();
    if (!other.program_.is(program_)) throw std::runtime_error("The other world has another program");
    if (other.w_.h->agents != w_.h->agents || other.io_.tokens != io_.tokens)
      throw std::runtime_error("The other world has arrays of another shape");
    if (&other == this) return;
    world_.copy(other.world_);
    map_ = other.map_;
  }

  // [(array, index, here, there)] where the state of two worlds differs; arrays in the order of the block, `most` at most.
  nb::list differences(const PyWorld& other, std::size_t most) const {
    check_idle();
    other.check_idle();
    const mg::Header &h = *w_.h, &there = *other.w_.h;
    if (!other.program_.is(program_) || h.slots != there.slots || h.cells != there.cells) {
      throw std::runtime_error("Only worlds of one program with maps of one size can be compared");
    }
    if (h.actors == there.actors && h.state_bytes == there.state_bytes) return listed(cpu::changes_between(w_, other.w_, most));
    // The scenery of one of them has become actors, because it was given a tag, or the maps have other scenery.
    const cpu::Adopted here = cpu::adopted(p_, w_), across = cpu::adopted(p_, other.w_);
    if (here.w.h->state_bytes != across.w.h->state_bytes) {
      throw std::runtime_error("Only worlds of one program with maps of one size can be compared");
    }
    return listed(cpu::changes_between(here.w, across.w, most));
  }

  // Numbers in an array of the state.
  int64_t array_size(const std::string& array) const {
    int64_t size = 0;
    cpu::for_each_state_array(w_, w_, [&](const char* name, const auto*, const auto*, int64_t count) {
      if (array == name) size = count;
    });
    return size;
  }

  // Runs one step and returns its events: [(cause, a, b, c, [(array, index, before, after)])], see TraceEntry.
  nb::list step_traced() {
    check_idle();
    check_buffers();
    cpu::Tracer tracer(w_);
    {
      const cpu::Watching watching(world_.scratch(), tracer);
      world_.step();
    }
    raise_fault();
    nb::list entries;
    for (const cpu::TraceEntry& entry : tracer.entries) {
      entries.append(nb::make_tuple(static_cast<int32_t>(entry.cause), entry.a, entry.b, entry.c, listed(entry.changes)));
    }
    return entries;
  }

  // Runs one step and returns the nanoseconds of each part, in the order of `phase_names`.
  std::vector<int64_t> step_timed() {
    check_idle();
    check_buffers();
    cpu::PhaseClock clock;
    {
      const cpu::Watching watching(world_.scratch(), clock);
      world_.step();
    }
    raise_fault();
    return std::vector<int64_t>(clock.nanoseconds.begin(), clock.nanoseconds.end());
  }

  // If arrays are rejected, the old ones stay in use.
  void set_buffers(nb::ndarray<> observations, nb::ndarray<> terminals, nb::ndarray<> truncations, nb::ndarray<> rewards,
                   nb::ndarray<nb::ro> actions, nb::ndarray<nb::ro> vibe_actions) {
    check_idle();
    if (is_in_batch) throw std::runtime_error("The world works in the arrays of its batch; close the batch first");
    const std::size_t n = static_cast<std::size_t>(w_.h->agents);
    check(observations, nb::dtype<uint8_t>(), "observations");
    if (observations.ndim() != 3 || observations.shape(0) != n || observations.shape(2) != 3) {
      throw std::runtime_error("observations has shape " + shape_text(observations) + " but expected [" + std::to_string(n) +
                               ", [something], 3]");
    }
    if (observations.shape(1) > kMostTokens) {
      throw std::runtime_error("observations has " + std::to_string(observations.shape(1)) + " tokens per agent; at most " +
                               std::to_string(kMostTokens) + " are allowed");
    }
    check_row(terminals, nb::dtype<bool>(), "terminals");
    check_row(truncations, nb::dtype<bool>(), "truncations");
    check_row(rewards, nb::dtype<float>(), "rewards");
    check_row(actions, nb::dtype<int32_t>(), "actions");
    check_row(vibe_actions, nb::dtype<int32_t>(), "vibe_actions");
    io_ = mg::Buffers{static_cast<uint8_t*>(observations.data()),
                      static_cast<int32_t>(observations.shape(1)),
                      static_cast<bool*>(terminals.data()),
                      static_cast<bool*>(truncations.data()),
                      static_cast<float*>(rewards.data()),
                      static_cast<const int32_t*>(actions.data()),
                      static_cast<const int32_t*>(vibe_actions.data())};
    // The arrays stay alive as long as this world writes into them.
    kept_ = nb::make_tuple(nb::cast(observations), nb::cast(terminals), nb::cast(truncations), nb::cast(rewards),
                           nb::cast(actions), nb::cast(vibe_actions));
  }

  // Clears the outputs and writes the current observation.
  void observe_start() {
    check_idle();
    check_buffers();
    world_.observe_start();
    raise_fault();
  }

  void step() {
    check_idle();
    check_buffers();
    is_stepping = true;
    {
      nb::gil_scoped_release unlocked;
      world_.step();
    }
    is_stepping = false;
    if (w_.h->fault != 0) raise_fault();
  }

  const mg::Header& header() const {
    check_idle();
    return *w_.h;
  }

  // For a recorder, which reads them together with the state.
  const mg::Buffers& recorded_buffers() const {
    check_idle();
    check_buffers();
    return io_;
  }

  std::vector<bool> action_success() const {
    check_idle();
    return std::vector<bool>(w_.agent_success, w_.agent_success + w_.h->agents);
  }
  std::vector<float> episode_rewards() const {
    check_idle();
    return std::vector<float>(w_.agent_total, w_.agent_total + w_.h->agents);
  }

  // [(stat, value)] of the stats that exist.
  std::vector<std::pair<int32_t, float>> game_stats() const {
    check_idle();
    return stats(w_.game_stat_set, w_.h->stat_words_game, w_.game_stat);
  }
  std::vector<std::pair<int32_t, float>> agent_stats(int32_t agent) const {
    check_agent(agent);
    return stats(w_.agent_stat_set + agent * w_.h->stat_words_agent, w_.h->stat_words_agent,
                 w_.agent_stat + agent * w_.h->agent_stats);
  }
  nb::object game_stat(int32_t stat) const {
    check_idle();
    if (stat < 0 || stat >= w_.h->game_stats || !mg::test_bit(w_.game_stat_set, stat)) return nb::none();
    return nb::float_(w_.game_stat[stat]);
  }
  nb::object agent_stat(int32_t agent, int32_t stat) const {
    check_agent(agent);
    if (stat < 0 || stat >= w_.h->agent_stats) return nb::none();
    if (!mg::test_bit(w_.agent_stat_set + agent * w_.h->stat_words_agent, stat)) return nb::none();
    return nb::float_(w_.agent_stat[agent * w_.h->agent_stats + stat]);
  }
  std::vector<std::pair<int32_t, int32_t>> invalid_actions(int32_t agent) const {
    check_agent(agent);
    std::vector<std::pair<int32_t, int32_t>> found;
    for (int32_t i = 0; i < mg::kInvalidIds; ++i) {
      const int32_t at = agent * mg::kInvalidIds + i;
      if (w_.invalid_count[at] != 0) found.emplace_back(w_.invalid_id[at], w_.invalid_count[at]);
    }
    return found;
  }

  // Replaces the inventory of an agent, within its limits.
  void set_inventory(int32_t agent, const std::vector<std::pair<int32_t, int32_t>>& amounts) {
    check_agent(agent);
    for (const auto& [resource, amount] : amounts) {
      if (resource < 0 || resource >= w_.h->resources)
        throw std::runtime_error("There is no resource " + std::to_string(resource));
    }
    const int32_t slot = w_.agent_slot[agent];
    for (int32_t r = 0; r < w_.h->resources; ++r) mg::change_resource(p_, w_, slot, r, -int64_t{w_.held(slot)[r]});
    for (const auto& [resource, amount] : amounts) mg::change_resource(p_, w_, slot, resource, amount);
  }

  int32_t tag_count(int32_t tag) const {
    check_tag(tag);
    int32_t count = w_.tag_held[tag];
    for (int32_t slot = w_.actors; slot < w_.h->slots; ++slot) count += mg::has_tag(w_, slot, tag);
    return count;
  }

  // Slots of the objects on the grid inside the half-open bounds, by object id.
  std::vector<int32_t> slots_within(int32_t min_row, int32_t max_row, int32_t min_col, int32_t max_col) const {
    check_idle();
    std::vector<std::pair<int32_t, int32_t>> found;
    for (int32_t slot = 1; slot < w_.h->slots; ++slot) {
      if (!w_.is_used(slot)) continue;
      const int32_t row = w_.row(slot), col = w_.col(slot);
      if (!(w_.flags(slot) & mg::kOnGrid) || (w_.flags(slot) & mg::kRemoved)) continue;
      if (row >= min_row && row < max_row && col >= min_col && col < max_col) found.emplace_back(w_.id(slot), slot);
    }
    std::sort(found.begin(), found.end());
    std::vector<int32_t> slots;
    for (const auto& entry : found) slots.push_back(entry.second);
    return slots;
  }

  bool has_object(int32_t slot) const {
    check_idle();
    return slot > 0 && w_.is_used(slot);
  }

  // (id, template, row, col, agent or -1, vibe)
  std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t, int32_t> object(int32_t slot) const {
    check_slot(slot);
    return {w_.id(slot), w_.kind(slot), w_.row(slot), w_.col(slot), w_.agent(slot), w_.vibe(slot)};
  }
  std::vector<int32_t> object_tags(int32_t slot) const {
    check_slot(slot);
    std::vector<int32_t> tags;
    mg::for_each_bit(w_.tags(slot), w_.h->tag_words, [&](int32_t tag) { tags.push_back(tag); });
    return tags;
  }
  std::vector<std::pair<int32_t, int32_t>> object_inventory(int32_t slot) const {
    check_slot(slot);
    std::vector<std::pair<int32_t, int32_t>> held;
    for (int32_t r = 0; r < w_.h->resources; ++r) {
      if (w_.held(slot)[r] != 0) held.emplace_back(r, w_.held(slot)[r]);
    }
    return held;
  }
  std::vector<std::pair<int32_t, int32_t>> object_limits(int32_t slot) const {
    check_slot(slot);
    std::vector<std::pair<int32_t, int32_t>> limits;
    for (int32_t r = 0; r < w_.h->resources; ++r) {
      const int32_t group = mg::limit_group(p_, w_, slot, r);
      if (group >= 0) limits.emplace_back(r, mg::effective_limit(p_, w_, slot, group));
    }
    return limits;
  }
  // (feature, value) in observation order.
  std::vector<std::pair<int32_t, int32_t>> object_tokens(int32_t slot) const {
    check_slot(slot);
    std::vector<std::pair<int32_t, int32_t>> tokens;
    mg::object_tokens(p_, w_, slot, [&](int32_t feature, int32_t value) { tokens.emplace_back(feature, value); });
    return tokens;
  }
  int32_t agent_slot(int32_t agent) const {
    check_agent(agent);
    return w_.agent_slot[agent];
  }
  // (last action, animation, steps without motion, sum of the reward entries' last values)
  std::tuple<int32_t, int32_t, int32_t, float> agent(int32_t agent) const {
    check_agent(agent);
    const mg::Template& t = p_.templates[w_.kind(w_.agent_slot[agent])];
    float sum = 0.0f;
    for (int32_t i = 0; i < t.reward_count; ++i) sum += w_.reward_before[agent * w_.h->agent_rewards + i];
    return {w_.agent_action[agent], w_.agent_animation[agent], w_.agent_still[agent], sum};
  }

  // Objects are identified by slot and id here, since the slot may have been reused.
  bool has_tag(int32_t slot, int32_t id, int32_t tag) const {
    check_object(slot, id);
    return tag >= 0 && tag < w_.h->tags && mg::has_tag(w_, slot, tag);
  }
  bool add_tag(int32_t slot, int32_t id, int32_t tag) {
    check_idle();
    check_object(slot, id);
    check_tag(tag);
    if (w_.is_scenery(slot) && !mg::has_tag(w_, slot, tag)) world_.adopt();
    const bool added = mg::add_tag(p_, w_, slot, tag);
    mg::settle_territory(p_, w_);
    raise_fault();
    return added;
  }
  bool remove_tag(int32_t slot, int32_t id, int32_t tag) {
    check_idle();
    check_object(slot, id);
    check_tag(tag);
    if (w_.is_scenery(slot) && mg::has_tag(w_, slot, tag)) world_.adopt();
    if (!mg::remove_tag(p_, w_, slot, tag)) return false;
    mg::Machine machine(p_, w_, world_.scratch());
    machine.run_for(mg::removal_entry(p_, w_, slot, tag), slot, slot);
    mg::settle_territory(p_, w_);
    raise_fault();
    return true;
  }

 private:
  static std::vector<std::pair<int32_t, float>> stats(const uint32_t* set, int32_t words, const float* values) {
    std::vector<std::pair<int32_t, float>> found;
    mg::for_each_bit(set, words, [&](int32_t stat) { found.emplace_back(stat, values[stat]); });
    return found;
  }

  void raise_fault() {
    if (w_.h->fault != 0) throw std::runtime_error(take_fault());
  }

  template <class Any>
  static void check(const Any& array, nb::dlpack::dtype dtype, const char* name) {
    if (array.dtype() != dtype) throw nb::type_error((std::string(name) + " has the wrong type of elements").c_str());
    if (array.size() == 0) return;  // strides are meaningless then
    if (reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() != 0) {
      throw std::runtime_error(std::string(name) + " does not begin at an address that its elements can have");
    }
    for (std::size_t i = array.ndim(), expected = 1; i-- > 0; expected *= array.shape(i)) {
      if (array.shape(i) > 1 && array.stride(i) != static_cast<int64_t>(expected)) {
        throw std::runtime_error(std::string(name) + " is not contiguous in memory");
      }
    }
  }
  template <class Any>
  void check_row(const Any& array, nb::dlpack::dtype dtype, const char* name) const {
    check(array, dtype, name);
    if (array.ndim() != 1 || array.shape(0) != static_cast<std::size_t>(w_.h->agents)) {
      throw std::runtime_error(std::string(name) + " has the wrong shape: " + shape_text(array) + ", expected [" +
                               std::to_string(w_.h->agents) + "]");
    }
  }
  // A step runs without the GIL. Meanwhile other threads must not change or read the world: in a batch a new episode may
  // move it to other memory.
  void check_idle() const {
    if (is_stepping) throw std::runtime_error("Another thread is stepping this world");
  }
  void check_buffers() const {
    if (!world_.has_buffers()) throw std::runtime_error("The world has no buffers yet");
  }
  void check_agent(int32_t agent) const {
    check_idle();
    if (agent < 0 || agent >= w_.h->agents) throw nb::index_error(("There is no agent " + std::to_string(agent)).c_str());
  }
  void check_tag(int32_t tag) const {
    check_idle();
    if (tag < 0 || tag >= w_.h->tags) throw nb::index_error(("There is no tag " + std::to_string(tag)).c_str());
  }
  void check_slot(int32_t slot) const {
    check_idle();
    if (slot < 1 || !w_.is_used(slot)) throw nb::index_error(("There is no object in slot " + std::to_string(slot)).c_str());
  }

  void check_object(int32_t slot, int32_t id) const {
    check_slot(slot);
    const bool is_listed = (w_.flags(slot) & mg::kOnGrid) && !(w_.flags(slot) & mg::kRemoved);
    if (w_.id(slot) != id || !is_listed) {
      throw std::runtime_error("Object " + std::to_string(id) + " is no longer on the grid");
    }
  }

  const PyProgram& program_view() const { return nb::cast<const PyProgram&>(program_); }

  const nb::bytes& checked(const nb::bytes& snapshot) const {
    const PyProgram& program = program_view();
    const std::string problem = cpu::snapshot_problem(program.view(), program.hash(), snapshot.c_str(), snapshot.size());
    if (!problem.empty()) throw nb::value_error(problem.c_str());
    return snapshot;
  }

  static nb::list listed(const std::vector<cpu::Change>& changes) {
    nb::list list;
    for (const cpu::Change& change : changes)
      list.append(nb::make_tuple(change.array, change.index, change.before, change.after));
    return list;
  }

  nb::object program_, map_, kept_;
  cpu::OwnedWorld world_;
  const mg::Program& p_ = world_.p;
  const mg::World& w_ = world_.w;
  mg::Buffers& io_ = world_.io;
};

}  // namespace bindings
