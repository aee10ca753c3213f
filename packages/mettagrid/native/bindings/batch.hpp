// Pools of maps and batches of worlds as Python objects. The Python classes `MapPool` and `Batch` derive from these.
#pragma once

#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/world.hpp"
#include "cpu/batch.hpp"

namespace bindings {

// Waits without the GIL until the map is there or lost; checks for interrupts now and then.
inline void wait_for_map(cpu::MapPool& pool, int32_t i) {
  for (;;) {
    {
      nb::gil_scoped_release unlocked;
      if (pool.wait(i, std::chrono::milliseconds(100))) return;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

class PyMapPool {
 public:
  PyMapPool(nb::object program, int32_t size)
      : program_(std::move(program)), maps_(static_cast<std::size_t>(size)), pool_(size) {}

  cpu::MapPool& pool() { return pool_; }
  const nb::object& program() const { return program_; }
  const nb::object& map(int32_t i) const { return maps_[static_cast<std::size_t>(i)]; }

  void put(int32_t i, nb::object map) {
    check(i);
    const PyMap& made = nb::cast<const PyMap&>(map);
    if (!made.program().is(program_)) throw std::runtime_error("The map was resolved against another program");
    maps_[static_cast<std::size_t>(i)] = std::move(map);
    pool_.put(i, made.map());
  }
  void fail(int32_t i) {
    check(i);
    pool_.fail(i);
  }
  void close() { pool_.close(); }

  // The map, or None if it is lost.
  nb::object wait(int32_t i) {
    check(i);
    wait_for_map(pool_, i);
    return pool_.map(i) == nullptr ? nb::none() : nb::object(map(i));
  }

 private:
  void check(int32_t i) const {
    if (i < 0 || i >= pool_.size()) throw nb::index_error(("There is no map " + std::to_string(i)).c_str());
  }

  nb::object program_;
  std::vector<nb::object> maps_;
  cpu::MapPool pool_;
};

// A run checks for interrupts after this many agent-steps (some tenths of a second).
constexpr int64_t kAgentSteps = int64_t{1} << 18;

class PyBatch {
 public:
  // The worlds already work in slices of the batch's arrays.
  PyBatch(nb::list worlds, const std::vector<int32_t>& rooms, int32_t threads, bool auto_reset, bool next_seed, nb::object maps,
          Array<int64_t, nb::ndim<1>> episodes)
      : kept_worlds_(std::move(worlds)), kept_maps_(std::move(maps)), kept_episodes_(std::move(episodes)) {
    std::vector<cpu::OwnedWorld*> seats;
    for (const nb::handle world : kept_worlds_) {
      worlds_.push_back(&nb::cast<PyWorld&>(world));
      seats.push_back(&worlds_.back()->world());
    }
    if (auto_reset && kept_maps_.is_none()) check_maps();
    if (kept_episodes_.shape(0) != seats.size() || rooms.size() != seats.size())
      throw std::runtime_error("There must be one count of episodes and one of rows per world");
    if (!kept_maps_.is_none()) maps_ = &nb::cast<PyMapPool&>(kept_maps_);
    check_idle();
    batch_.emplace(seats, rooms, kept_episodes_.data(),
                   cpu::Batch::Settings{threads, auto_reset, next_seed, maps_ ? &maps_->pool() : nullptr});
    for (PyWorld* world : worlds_) world->is_in_batch = true;
  }
  PyBatch(const PyBatch&) = delete;
  ~PyBatch() { release(); }

  void step() { play(cpu::Job{.steps = 1}); }

  // `actions`, `vibe_actions`: [steps, agents]; `sums`: [agents].
  void run(const Array<const int32_t, nb::ndim<2>>& actions, const Array<const int32_t, nb::ndim<2>>& vibe_actions,
           const Array<float, nb::ndim<1>>& sums) {
    check_open();
    const std::size_t agents = static_cast<std::size_t>(batch_->agents());
    const bool fits = actions.shape(1) == agents && vibe_actions.shape(1) == agents && sums.shape(0) == agents;
    if (!fits || vibe_actions.shape(0) != actions.shape(0)) throw std::runtime_error("The streams have the wrong shape");
    play(cpu::Job{.steps = static_cast<int64_t>(actions.shape(0)),
                  .actions = actions.data(),
                  .vibe_actions = vibe_actions.data(),
                  .sums = sums.data()});
  }
  void run_random(int64_t steps, uint64_t seed, const Array<float, nb::ndim<1>>& sums) {
    check_open();
    const std::size_t agents = static_cast<std::size_t>(batch_->agents());
    if (sums.shape(0) != agents) throw std::runtime_error("The sums have the wrong shape");
    play(cpu::Job{.steps = steps, .is_random = true, .seed = seed, .sums = sums.data()});
  }

  // Starts new episodes now: the next ones, or with seeds (one per world) the first ones again.
  void reset(const std::vector<int32_t>& worlds, const std::optional<std::vector<uint32_t>>& seeds) {
    check_open();
    check_idle();
    if (kept_maps_.is_none()) check_maps();
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      cpu::Seat& seat = batch_->seat(worlds[i]);
      seat.must_begin = true;
      seat.starts_over = seeds.has_value();
      if (seeds) seat.seed = (*seeds)[i];
    }
    play(cpu::Job{});
  }

  // The new world already works in rows of the old one.
  void replace(int32_t i, nb::object next) {
    check_open();
    check_idle();
    PyWorld& world = nb::cast<PyWorld&>(next);
    if (world.is_stepping) throw std::runtime_error("Another thread is stepping this world");
    PyWorld*& seat = worlds_[static_cast<std::size_t>(i)];
    batch_->replace(i, world.world());
    seat->is_in_batch = false;
    world.is_in_batch = true;
    seat = &world;
    kept_worlds_[static_cast<std::size_t>(i)] = next;
  }

  void close() {
    if (!batch_) return;
    check_idle();
    release();
  }

 private:
  // Marks the worlds as stepping, so that other threads cannot use them.
  struct Stepping {
    explicit Stepping(const std::vector<PyWorld*>& all) : worlds(all) { set(true); }
    ~Stepping() { set(false); }
    void set(bool is_stepping) const {
      for (PyWorld* world : worlds) world->is_stepping = is_stepping;
    }
    const std::vector<PyWorld*>& worlds;
  };

  void play(cpu::Job job) {
    check_open();
    check_idle();
    if (batch_->is_lost()) {
      throw std::runtime_error("The batch was made before a fork and its threads are in the other process; make a batch here");
    }
    {
      const Stepping stepping(worlds_);
      batch_->prepare();
      const int64_t steps = job.steps, piece = std::max<int64_t>(1, kAgentSteps / batch_->agents());
      job.steps = 0;
      do {
        job.steps = std::min(job.steps + piece, steps);
        play_on(job);
        if (job.steps < steps && PyErr_CheckSignals() != 0) throw nb::python_error();
      } while (job.steps < steps);
    }
    finish();
  }

  // Plays until every world has taken job.steps steps since `prepare`, or has failed.
  void play_on(const cpu::Job& job) {
    for (int32_t map = 0; map >= 0;) {
      {
        nb::gil_scoped_release unlocked;
        batch_->play(job);
      }
      if (maps_ == nullptr) return;
      keep_maps();
      map = batch_->awaited_map();
      if (map >= 0) wait_for_map(maps_->pool(), map);
    }
  }

  // Throws one exception for all failures: about the first world, with the number of others.
  void finish() {
    int32_t failed = 0, first = 0;
    std::string text;
    for (int32_t i = 0; i < batch_->size(); ++i) {
      const cpu::Seat& seat = batch_->seat(i);
      if (seat.outcome == cpu::Outcome::kPlayed) continue;
      const std::string fault = worlds_[static_cast<std::size_t>(i)]->take_fault();
      if (failed++ == 0) {
        first = i;
        text = fault;
      }
    }
    if (failed == 0) return;
    const cpu::Seat& seat = batch_->seat(first);
    if (seat.outcome == cpu::Outcome::kNoMemory) throw std::bad_alloc();
    const bool has_no_map = seat.outcome == cpu::Outcome::kNoMap;
    nb::find(*this).attr("_raise_failure")(first, text, has_no_map ? seat.map : -1, failed - 1);
  }

  // A world keeps the map of its current episode, as it does outside of a batch.
  void keep_maps() {
    for (int32_t i = 0; i < batch_->size(); ++i) {
      const int32_t map = batch_->seat(i).map;
      PyWorld& world = *worlds_[static_cast<std::size_t>(i)];
      if (map >= 0 && world.has_map() && &world.world().map() == maps_->pool().map(map)) world.keep_map(maps_->map(map));
    }
  }

  void check_maps() const {
    for (const PyWorld* world : worlds_) {
      if (world->has_map()) continue;
      throw std::runtime_error("A world opened from a snapshot has no map to restart on; give the batch a pool of maps");
    }
  }
  void check_open() const {
    if (!batch_) throw std::runtime_error("The batch is closed");
  }
  void check_idle() const {
    for (const PyWorld* world : worlds_) {
      if (world->is_stepping) throw std::runtime_error("Another thread is stepping this batch or one of its worlds");
    }
  }
  void release() {
    if (!batch_) return;
    batch_.reset();
    for (PyWorld* world : worlds_) world->is_in_batch = false;
  }

  nb::list kept_worlds_;
  nb::object kept_maps_;
  Array<int64_t, nb::ndim<1>> kept_episodes_;
  std::vector<PyWorld*> worlds_;
  PyMapPool* maps_ = nullptr;
  std::optional<cpu::Batch> batch_;
};

}  // namespace bindings
