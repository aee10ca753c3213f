// From a plan to an action: follow the path, get past other cogs, and notice what has no effect.
#pragma once

#include "turn.hpp"

namespace planner {

inline constexpr int kPatience = 3;  // uses without effect before an object counts as useless,
inline constexpr int kGrudge = 40;   // for this many steps
inline constexpr int kCrowded = 12;  // steps in which all cogs move around the hub, and none waits for another
inline constexpr int kDetour = 12;   // steps that walking around another cog may cost

inline int stay(Turn& turn) {
  turn.cog.heading = kNowhere;
  return turn.words.noop_action;
}

inline int move(Turn& turn, Heading heading) {
  if (turn.words.heading_action[heading] < 0) return stay(turn);
  turn.cog.heading = heading;
  return turn.words.heading_action[heading];
}

// Takes the next step of the path, which may use an object.
inline int advance(Turn& turn) {
  Cog& cog = turn.cog;
  const Heading heading = static_cast<Heading>(cog.path.back());
  if (turn.mind.chart.ground(turn.here() + turn.mind.chart.step(heading)) == kObject) {
    cog.used = true;
    ++cog.failures;  // until the next observation shows an effect
  }
  return move(turn, heading);
}

// An object that the cog used several times without effect is left alone for a while.
inline void judge_last_use(Turn& turn) {
  Cog& cog = turn.cog;
  if (!cog.used || cog.target < 0) return;
  cog.used = false;
  Object& object = turn.mind.object(cog.target);
  if (object.uses < UINT16_MAX) ++object.uses;
  if (cog.goal == kMine && cog.gear == kMiner && cog.cargo >= kMinerCargo && cog.failures > 0) turn.mind.knows_cargo = true;
  if (cog.failures < kPatience) return;
  object.useless_until = turn.mind.step + kGrudge;
  if (cog.goal == kDeposit && object.kind == kJunction) turn.mind.deposits_at_junctions = false;  // not in this game
}

inline bool is_taken(const Cog& cog, int cell) { return std::find(cog.near.begin(), cog.near.end(), cell) != cog.near.end(); }

// A step to a free cell beside the cog, other than `except`; waits if there is none.
inline int step_aside(Turn& turn, int except, uint32_t first) {
  for (uint32_t i = 0; i < kHeadings; ++i) {
    const Heading heading = static_cast<Heading>((first + i) % kHeadings);
    const int cell = turn.here() + turn.mind.chart.step(heading);
    if (turn.mind.chart.ground(cell) == kFree && cell != except && !is_taken(turn.cog, cell)) return move(turn, heading);
  }
  return stay(turn);
}

// Finds a path to the same place around the cogs in view, at most `detour` steps longer.
inline bool find_way_around(Turn& turn, int detour) {
  Cog& cog = turn.cog;
  Flood& flood = turn.flood();
  const int goal = turn.mind.chart.cell(cog.place);
  const int most = static_cast<int>(cog.path.size()) + detour;
  flood.start(turn.mind.chart, turn.here(), cog.near);
  bool found = false;
  size_t next = 0;
  while (!found && flood.steps < most && flood.grow()) {
    for (; next < flood.objects().size(); ++next) found |= flood.objects()[next].number == cog.target;
    if (cog.target < 0) found = std::find(flood.begin(), flood.end(), goal) != flood.end();
  }
  if (!found) return false;
  flood.path_to(goal, cog.path);
  if (cog.goal == kGuard) stop_beside(cog);
  return true;
}

struct Mate {
  const Cog* cog = nullptr;  // none
  int next = -1;             // the cell it goes to, if any
};

// The team-mate in a cell. Those that decide later in this step are known from their last observation.
inline Mate mate_in(const Turn& turn, int cell) {
  const Chart& chart = turn.mind.chart;
  for (const Cog* other : turn.mind.cogs) {
    if (other == &turn.cog) continue;
    int at = chart.cell(other->at);
    size_t left = other->path.size();
    if (other->steps < turn.cog.steps && at != cell && other->heading != kNowhere) {
      at += chart.step(other->heading);
      if (left > 0 && other->path.back() == other->heading) --left;
    }
    if (at == cell) return {other, left > 0 ? at + chart.step(static_cast<Heading>(other->path[left - 1])) : -1};
  }
  return {};
}

// Whether a cog can capture a junction now.
inline bool is_ready(const Cog& cog) { return cog.hearts > 0 && cog.gear == kAligner; }

// Whether a cog stays where it is, and the other walks around it, when both want each other's cells.
inline bool goes_first(const Cog& cog, const Cog& other) {
  if (is_ready(cog) != is_ready(other)) return is_ready(cog);
  return cog.hearts != other.hearts ? cog.hearts > other.hearts : cog.number < other.number;
}

// Another cog stands in the way: follow it if it leaves, wait for it, walk around it, or step aside.
inline int pass(Turn& turn, int next) {
  Cog& cog = turn.cog;
  const Mate mate = mate_in(turn, next);
  const bool is_crowded = turn.mind.step < kCrowded;
  const bool may_stay = !is_crowded || (mate.cog && is_ready(cog) != is_ready(*mate.cog));
  if (may_stay && mate.next == turn.here() && goes_first(cog, *mate.cog)) return stay(turn);
  const bool leaves = mate.next >= 0 && turn.mind.chart.ground(mate.next) == kFree && !is_taken(cog, mate.next);
  if (leaves && mate.next != turn.here()) {
    find_way_around(turn, 0);
    return cog.path.empty() ? stay(turn) : advance(turn);
  }
  if (roll(cog) % 4 == 0 && !is_crowded) return stay(turn);
  if (find_way_around(turn, kDetour)) return cog.path.empty() ? stay(turn) : advance(turn);
  for (Cog* other : turn.mind.cogs) other->in_the_way |= turn.mind.chart.cell(other->at) == next && other->path.empty();
  turn.drop();  // and plan again from there
  return step_aside(turn, next, roll(cog));
}

// The action of a cog without a path: it stands where it must, or paces up and down.
inline int rest(Turn& turn, bool is_asked_to_move) {
  static constexpr uint32_t kBack[kHeadings + 1] = {kSouth, kNorth, kEast, kWest, kNorth};
  Cog& cog = turn.cog;
  const bool stands = cog.goal == kGuard || cog.goal == kLinger;
  if (!stands && cog.goal != kIdle) turn.drop();
  if (is_asked_to_move) return step_aside(turn, -1, roll(cog));
  return stands ? stay(turn) : step_aside(turn, -1, kBack[cog.heading]);
}

}  // namespace planner
