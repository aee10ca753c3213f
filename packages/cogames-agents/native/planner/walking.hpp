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

// Finds a path to the same place around the cogs in view.
inline bool find_way_around(Turn& turn) {
  Cog& cog = turn.cog;
  Flood& flood = turn.flood();
  const int goal = turn.mind.chart.cell(cog.place);
  const int most = static_cast<int>(cog.path.size()) + kDetour;
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

// Another cog stands in the way: wait for it, walk around it, or step aside.
inline int pass(Turn& turn, int next) {
  Cog& cog = turn.cog;
  if (roll(cog) % 4 == 0 && turn.mind.step >= kCrowded) return stay(turn);
  if (find_way_around(turn)) return cog.path.empty() ? stay(turn) : advance(turn);
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
