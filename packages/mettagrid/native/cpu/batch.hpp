// Steps many worlds together, independent of Python; errors are stored in the seat of the world.
#pragma once

#include <deque>

#include "cpu/map_pool.hpp"
#include "cpu/random_actions.hpp"
#include "cpu/workers.hpp"

namespace cpu {

enum class Outcome : int32_t {
  kPlayed,  // all steps taken
  kWaits,   // the next episode's map is not there yet
  kNoMap,   // ...and never will be
  kFault,   // the rules stopped it: see the header of the world
  kNoMemory,
};

// The state of one world in a batch. Threads write to different seats concurrently.
struct alignas(64) Seat {
  OwnedWorld* world;
  const ActionChoice* choice;
  int64_t first;             // its first agent in the arrays of the batch
  int64_t* episodes;         // number of finished episodes, in the caller's memory
  int64_t taken = 0;         // steps since it started over; they number the random actions
  int64_t played = 0;        // steps of the running call
  bool must_begin = false;   // a new episode is due, regardless of the flags
  bool starts_over = false;  // ...and it is the first one, with `seed`
  uint32_t seed = 0;
  int32_t map = -1;  // in the pool: the one in use, or the one it waits for
  Outcome outcome = Outcome::kPlayed;
};

// The job of every world, until it has taken `steps` steps. Without `actions` and `is_random` it reads the actions from its
// own buffers.
struct Job {
  int64_t steps = 0;
  const int32_t* actions = nullptr;       // [steps][agents]
  const int32_t* vibe_actions = nullptr;  // [steps][agents]
  bool is_random = false;
  uint64_t seed = 0;
  float* sums = nullptr;  // [agents], rewards are added
};

class Batch {
 public:
  struct Settings {
    int32_t threads;
    bool auto_reset;
    bool next_seed;  // an episode's seed is one more than that of the previous episode
    MapPool* maps;   // may be null: then every episode is played on the map of the previous one
  };

  // `rooms` [worlds]: rows of each world in the arrays, at least as many as it has agents; `episodes` [worlds]. Worlds and
  // episodes outlive the batch.
  Batch(const std::vector<OwnedWorld*>& worlds, const std::vector<int32_t>& rooms, int64_t* episodes, const Settings& settings)
      : settings_(settings), workers_(settings.threads) {
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      seats_.push_back(Seat{.world = worlds[i], .choice = choice_of(*worlds[i]), .first = agents_, .episodes = episodes + i});
      agents_ += rooms[i];
    }
    drawn_.resize(static_cast<std::size_t>(2 * agents_));
  }

  // Another world takes the seat and its rows; the count of episodes continues.
  void replace(int32_t i, OwnedWorld& world) {
    Seat& old = seat(i);
    old = Seat{.world = &world, .choice = choice_of(world), .first = old.first, .episodes = old.episodes};
  }

  int32_t size() const { return static_cast<int32_t>(seats_.size()); }
  int64_t agents() const { return agents_; }
  Seat& seat(int32_t i) { return seats_[static_cast<std::size_t>(i)]; }
  bool is_lost() const { return workers_.is_lost(); }

  // A job begins with `prepare`; `play` continues it as far as the available maps allow. One thread plays a world from its
  // first step to its last: the threads never wait for each other in between.
  void prepare() {
    for (Seat& seat : seats_) {
      seat.played = 0;
      seat.outcome = Outcome::kPlayed;
    }
  }
  void play(const Job& job) {
    const int32_t reserve = job.steps == 1 ? std::min(kReserve, size() / (8 * workers_.threads())) : 0;
    workers_.share(size(), [&](int32_t i) { play_world(job, i); }, reserve);
  }

  // The lowest map in the pool that a world waits for, or -1.
  int32_t awaited_map() const {
    int32_t lowest = -1;
    for (const Seat& seat : seats_) {
      if (seat.outcome == Outcome::kWaits && (lowest < 0 || seat.map < lowest)) lowest = seat.map;
    }
    return lowest;
  }

 private:
  static constexpr int32_t kReserve = 4;  // worlds; a step with the world in another core's cache takes about twice as long
  static constexpr int64_t kCachedAgents = 384;  // 2 kB for each of them are in the cache of a core

  const ActionChoice* choice_of(const OwnedWorld& world) {
    for (const ActionChoice& known : choices_) {
      if (&known.program() == &world.p) return &known;
    }
    return &choices_.emplace_back(world.p);
  }

  void play_world(const Job& job, int32_t i) {
    Seat& seat = seats_[static_cast<std::size_t>(i)];
    mg::Scratch& scratch = seat.world->scratch();
    mg::Ahead ahead;
    // A longer job finds a world in the cache from the second step on, a few worlds stay there.
    if (job.steps == 1 && agents_ > kCachedAgents * workers_.threads()) {
      ahead = look_ahead(i);
      scratch.ahead = ahead.w == nullptr ? nullptr : &ahead;
    }
    try {
      if (seat.outcome == Outcome::kWaits) seat.outcome = Outcome::kPlayed;
      if (seat.outcome == Outcome::kPlayed && seat.must_begin) begin_episode(seat, i);
      while (seat.outcome == Outcome::kPlayed && seat.played < job.steps) step(job, seat, i);
    } catch (const std::bad_alloc&) { seat.outcome = Outcome::kNoMemory; }
    scratch.ahead = nullptr;
  }

  // The world that this thread probably plays after world i, for whose memory the step of world i asks. Those after it are
  // prepared for that.
  mg::Ahead look_ahead(int32_t i) const {
    const int32_t end = workers_.range_end(i, size());
    const auto world_after = [&](int32_t turns) -> const OwnedWorld* {
      return i + turns < end ? seats_[static_cast<std::size_t>(i + turns)].world : nullptr;
    };
    if (const OwnedWorld* const world = world_after(4)) mg::prefetch_bytes(world, sizeof *world);
    if (const OwnedWorld* const world = world_after(3)) world->prefetch_head();
    if (const OwnedWorld* const world = world_after(2)) world->prefetch_places();
    const OwnedWorld* const next = world_after(1);
    return next == nullptr ? mg::Ahead{} : mg::Ahead{&next->w, &next->io};
  }

  void step(const Job& job, Seat& seat, int32_t i) {
    OwnedWorld& world = *seat.world;
    if (settings_.auto_reset && world.is_over() && !begin_episode(seat, i)) return;
    const mg::Buffers own = world.io;
    const int64_t row = seat.played * agents_ + seat.first;
    if (job.is_random) {
      int32_t* actions = drawn_.data() + seat.first;
      int32_t* vibe_actions = actions + agents_;
      seat.choice->draw(job.seed, i, seat.taken, world.w.h->agents, actions, vibe_actions);
      world.io.actions = actions;
      world.io.vibe_actions = vibe_actions;
    } else if (job.actions != nullptr) {
      world.io.actions = job.actions + row;
      world.io.vibe_actions = job.vibe_actions + row;
      if (seat.played + 1 < job.steps) {  // the rows of a world are too far apart for the hardware prefetcher
        const int64_t bytes = int64_t{world.w.h->agents} * 4;
        mg::prefetch_bytes(world.io.actions + agents_, bytes);
        mg::prefetch_bytes(world.io.vibe_actions + agents_, bytes);
      }
    }
    world.step();
    world.io = own;
    ++seat.played;
    ++seat.taken;
    if (world.w.h->fault != 0) {
      seat.outcome = Outcome::kFault;
    } else if (job.sums != nullptr) {
      for (int32_t agent = 0; agent < world.w.h->agents; ++agent) job.sums[seat.first + agent] += own.rewards[agent];
    }
  }

  // False if it cannot begin now; it is still due then.
  bool begin_episode(Seat& seat, int32_t i) {
    OwnedWorld& world = *seat.world;
    const int64_t episode = seat.starts_over ? 0 : *seat.episodes + 1;
    const uint32_t seed = seat.starts_over ? seat.seed : world.seed() + settings_.next_seed;
    const BuiltMap* map = &world.map();
    if (settings_.maps != nullptr) {
      seat.map = static_cast<int32_t>((i + episode * size()) % settings_.maps->size());
      map = settings_.maps->map(seat.map);
      if (map == nullptr) {
        seat.outcome = settings_.maps->is_lost(seat.map) ? Outcome::kNoMap : Outcome::kWaits;
        return false;
      }
    }
    world.start(*map, seed);
    if (seat.starts_over) seat.taken = 0;
    *seat.episodes = episode;
    seat.must_begin = seat.starts_over = false;
    // Like a world that is created and then gets its arrays: the first observation is written, and counted, twice.
    for (int32_t time = 0; time < 2 && world.w.h->fault == 0; ++time) world.observe_start();
    if (world.w.h->fault != 0) seat.outcome = Outcome::kFault;
    return seat.outcome == Outcome::kPlayed;
  }

  Settings settings_;
  std::vector<Seat> seats_;
  std::deque<ActionChoice> choices_;  // seats point into it
  std::vector<int32_t> drawn_;        // [2][agents]
  int64_t agents_ = 0;
  Workers workers_;
};

}  // namespace cpu
