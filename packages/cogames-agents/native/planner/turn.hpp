// One decision of one cog: what it may read and write, and the parts that all plans are made of.
#pragma once

#include "mind.hpp"
#include "search.hpp"

namespace planner {

struct Candidate {
  int number;  // object
  double cost;
};

// Memory that every decision uses and none keeps; one per thread.
struct Scratch {
  Glimpse glimpse;
  Flood flood;
  std::vector<int> closed;    // cells that the flood must not enter
  std::vector<int> rejected;  // objects that this decision has ruled out
  int leash;                  // most steps of a walk without a target; less after one proved too dangerous
  std::vector<Candidate> candidates;
  std::vector<uint8_t> route;
};

inline constexpr int kNoLeash = 1 << 20;

struct Turn {
  const Vocabulary& words;
  const Character& character;
  Mind& mind;
  Cog& cog;
  Scratch& scratch;

  Flood& flood() { return scratch.flood; }
  int here() const { return mind.chart.cell(cog.at); }

  // Whether no other team takes junctions: the game declares no ships and no teams besides ours and the clips, and the
  // team has seen nothing of others.
  bool is_peaceful() const { return !words.has_ships && words.teams <= 2 && !mind.has_rivals; }

  // Whether the team has captured every junction it knows, for good.
  bool holds_all() const { return is_peaceful() && !mind.junctions.empty() && !mind.can_capture(); }

  // Whether there is nothing left to find or capture. The clips never take a junction that they hold too.
  bool is_done() const {
    if (!mind.is_explored() || words.teams > 2) return false;
    return is_peaceful() ? !mind.can_capture() : mind.all_shared();
  }

  // --- Plans.

  void set(Goal goal, int target, Spot place, int steps) {
    cog.goal = goal;
    cog.target = target;
    cog.place = place;
    cog.since = mind.step;
    cog.until = mind.step + steps;
    cog.is_firm = false;
    cog.failures = cog.blocked = 0;
    if (goal == kIdle) cog.path.clear();
  }

  void drop() { set(kIdle, -1, cog.at, 0); }

  // Plans to go to an object that the flood has reached.
  bool take(Goal goal, int number, int steps) {
    flood().path_to(mind.chart.cell(mind.object(number).at), cog.path);
    set(goal, number, mind.object(number).at, steps);
    return true;
  }

  void start_flood() { flood().start(mind.chart, here(), scratch.closed); }

  // Takes the first object, by steps, for which `fits` holds.
  template <typename Fits>
  bool take_nearest(Goal goal, int steps, Fits fits) {
    start_flood();
    size_t next = 0;
    while (flood().grow()) {
      for (; next < flood().objects().size(); ++next) {
        const int number = flood().objects()[next].number;
        if (!is_useless(number) && fits(number, mind.object(number))) return take(goal, number, steps);
      }
    }
    return false;
  }

  bool go_to_object(Goal goal, int number, int steps) {
    return !is_useless(number) && take_nearest(goal, steps, [&](int reached, const Object&) { return reached == number; });
  }

  // The same for an object that many cogs use: to a side of it where no other cog stands, if there is one.
  bool queue_at_object(Goal goal, int number, int steps) {
    std::vector<int>& closed = scratch.closed;
    for (int cell : cog.near) {
      if (walk(mind.chart.spot(cell), mind.object(number).at) == 1) closed.push_back(cell);
    }
    const bool finds_side = !closed.empty() && go_to_object(goal, number, steps);
    closed.clear();
    return finds_side || go_to_object(goal, number, steps);
  }

  bool go_to_cell(Goal goal, Spot at, int steps) {
    const int wanted = mind.chart.cell(at);
    start_flood();
    while (flood().grow()) {
      for (int cell : flood()) {
        if (cell != wanted) continue;
        flood().path_to(cell, cog.path);
        set(goal, -1, at, steps);
        return true;
      }
    }
    return false;
  }

  bool is_useless(int number) const {
    const std::vector<int>& rejected = scratch.rejected;
    return mind.object(number).useless_until > mind.step ||
           std::find(rejected.begin(), rejected.end(), number) != rejected.end();
  }

  // --- Claims: a junction belongs to the cog that goes there, as long as it does.

  Cog* claimant(int number) const {
    const int claimed_by = mind.object(number).claimed_by;
    for (Cog* other : mind.cogs) {
      if (other->number == claimed_by && other->target == number) return other;
    }
    return nullptr;
  }

  bool is_claimed(int number) const {
    const Cog* holder = claimant(number);
    return holder && holder != &cog;
  }

  // Steps until a team-mate captures a junction; more than any walk if none is on its way.
  int steps_to_capture(int number) const {
    const Cog* holder = claimant(number);
    const bool captures = holder && holder->goal == kAlign && holder->hearts > 0 && holder->gear == kAligner;
    return captures ? static_cast<int>(holder->path.size()) : kNever;
  }

  // Whether the cog may go there: no other cog does, or only from much farther away.
  bool may_take_over(int number) const {
    const Cog* holder = claimant(number);
    return !holder || holder == &cog ||
           static_cast<int>(holder->path.size()) > walk(cog.at, mind.object(number).at) + kMuchFarther;
  }

  void claim() {
    if (cog.target < 0 || !(cog.goal == kAlign || cog.goal == kScramble || cog.goal == kGuard || cog.goal == kPatrol)) return;
    if (Cog* holder = claimant(cog.target); holder && holder != &cog) holder->until = 0;
    mind.object(cog.target).claimed_by = static_cast<int16_t>(cog.number);
  }

  static constexpr int kMuchFarther = 2, kNever = 1 << 20;
};

}  // namespace planner
