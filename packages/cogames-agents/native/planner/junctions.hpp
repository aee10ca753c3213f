// Junctions: capture them, take them from others, keep them.
#pragma once

#include "exploring.hpp"

namespace planner {

inline constexpr int kGuardSteps = 60;  // before a wave of the clips, in which cogs go to where it will strike
inline constexpr int kPatrolSteps = 60;
inline constexpr int kStale = 100;  // steps after which a junction is worth another look

// Steps to a junction, and more if it is better left to another cog that is closer.
inline double align_cost(const Turn& turn, int number, int steps) {
  double cost = steps;
  for (const Cog* other : turn.mind.cogs) {
    if (other == &turn.cog || other->hearts == 0 || other->gear != kAligner) continue;
    cost += turn.character.courtesy * std::max(0, steps - walk(other->at, turn.mind.object(number).at));
  }
  return cost;
}

inline bool is_open(const Turn& turn, int number) {
  const Object& junction = turn.mind.object(number);
  if (!junction.exists || turn.mind.is_ours(junction) || turn.is_useless(number)) return false;
  if (!turn.character.co_owns && turn.mind.is_theirs(junction)) return false;
  return turn.may_take_over(number);
}

// Junctions that the cog could capture with the least that reaching them can cost, the cheapest last.
inline void find_open_junctions(Turn& turn) {
  std::vector<Candidate>& candidates = turn.scratch.candidates;
  candidates.clear();
  for (size_t i = 0; i < turn.mind.junctions.size(); ++i) {
    const int number = turn.mind.junctions[i];
    if (!turn.mind.in_reach[i] || !is_open(turn, number)) continue;
    candidates.push_back({number, align_cost(turn, number, walk(turn.cog.at, turn.mind.object(number).at))});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.cost > b.cost || (a.cost == b.cost && a.number > b.number);
  });
}

// Explores instead of going to a known junction, if unknown ground costs less than `most`. Where junctions are rare, only
// for a while.
inline bool defer(Turn& turn, double most) {
  static constexpr size_t kRare = 3;
  Cog& cog = turn.cog;
  const bool waits_long = cog.deferring_since >= 0 && turn.mind.step - cog.deferring_since > turn.character.deferring_steps;
  if (most <= 0 || (waits_long && turn.mind.junctions.size() <= kRare)) return false;
  if (!explore(turn, true, most)) return false;
  if (cog.deferring_since < 0) cog.deferring_since = turn.mind.step;
  return true;
}

// To the open junction that costs least, or to unknown ground on the way that may hold a nearer one.
inline bool align(Turn& turn) {
  if (turn.cog.hearts == 0 || turn.cog.gear != kAligner) return false;
  std::vector<Candidate>& candidates = turn.scratch.candidates;
  find_open_junctions(turn);
  if (candidates.empty()) return false;
  // Often unknown ground is nearer than any junction can be, and no search for the junction is needed.
  const double least = candidates.back().cost - turn.character.exploring_lead;
  if (defer(turn, least)) return true;
  Flood& flood = turn.flood();
  turn.start_flood();
  Candidate best{-1, 1e9};
  size_t next = 0;
  while (!candidates.empty() && candidates.back().cost < best.cost && flood.grow()) {
    for (; next < flood.objects().size(); ++next) {
      const auto [number, steps] = flood.objects()[next];
      if (std::erase_if(candidates, [&](const Candidate& candidate) { return candidate.number == number; }) == 0) continue;
      const double cost = align_cost(turn, number, steps);
      if (cost < best.cost) best = {number, cost};
    }
  }
  if (best.number < 0) return false;
  const Spot at = turn.mind.object(best.number).at;
  flood.path_to(turn.mind.chart.cell(at), turn.scratch.route);
  if (best.cost - turn.character.exploring_lead > std::max(0.0, least) &&
      defer(turn, best.cost - turn.character.exploring_lead))
    return true;
  turn.cog.path = turn.scratch.route;
  turn.set(kAlign, best.number, at, 120);
  return true;
}

inline bool scramble(Turn& turn) {
  const Mind& mind = turn.mind;
  if (turn.cog.hearts == 0 || turn.cog.gear != kScrambler) return false;
  const auto is_target = [&](int number, const Object& object) {
    return object.kind == kJunction && object.exists && mind.is_theirs(object) && !mind.is_ours(object) &&
           !turn.is_claimed(number);
  };
  const bool has_target = std::any_of(mind.junctions.begin(), mind.junctions.end(),
                                      [&](int number) { return is_target(number, mind.object(number)); });
  return has_target && turn.take_nearest(kScramble, 120, is_target);
}

// Stands beside a junction of ours that the clips take next, to align it again at once.
inline bool guard(Turn& turn) {
  const Mind& mind = turn.mind;
  Cog& cog = turn.cog;
  const int wave = mind.next_wave(turn.character);
  if (!turn.character.guards || cog.hearts == 0 || wave - mind.step > kGuardSteps) return false;
  int best = -1, best_steps = 1 << 20;
  for (int ship : mind.ships) {
    const int number = mind.victim(ship, false);
    if (number < 0 || !mind.is_ours(mind.object(number)) || turn.is_claimed(number)) continue;
    const int steps = walk(cog.at, mind.object(number).at);
    if (steps >= best_steps) continue;
    best_steps = steps;
    best = number;
  }
  if (best < 0 || !turn.go_to_object(kGuard, best, wave + 2 - mind.step)) return false;
  stop_beside(cog);
  return true;
}

// Looks again at the nearest junction that was not seen for long: others may have taken it.
inline bool patrol(Turn& turn) {
  static constexpr size_t kTooDangerous = 2;  // rejected plans
  const Mind& mind = turn.mind;
  if (!mind.has_rivals || turn.scratch.rejected.size() >= kTooDangerous) return false;
  const auto is_stale = [&](int number, const Object& object) {
    return object.kind == kJunction && object.exists && mind.step - object.seen > kStale && !turn.is_claimed(number);
  };
  const bool has_target = std::any_of(mind.junctions.begin(), mind.junctions.end(),
                                      [&](int number) { return is_stale(number, mind.object(number)); });
  return has_target && turn.take_nearest(kPatrol, kPatrolSteps, is_stale);
}

}  // namespace planner
