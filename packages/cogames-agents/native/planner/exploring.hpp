// Unknown ground: where to look next, and objects whose use is unknown.
#pragma once

#include "turn.hpp"

namespace planner {

// How much is unknown around a place, of 25 samples.
inline int novelty(const Chart& chart, Spot at) {
  int unknown = 0;
  for (int row = -6; row <= 6; row += 3) {
    for (int col = -6; col <= 6; col += 3) {
      const Spot there{static_cast<int16_t>(at.row + row), static_cast<int16_t>(at.col + col)};
      unknown += chart.contains(there) && chart.ground(chart.cell(there)) == kUnknown;
    }
  }
  return unknown;
}

// A part of a direction (1, 0 or -1), turned away from a wall close to the hub.
inline int open_way(const Mind& mind, Spot home, int way, Heading forward, Heading back) {
  static constexpr int kClose = 6;
  if (way == 0) return 0;
  const int step = mind.chart.step(way > 0 ? forward : back);
  for (int steps = 1; steps <= kClose; ++steps) {
    if (mind.chart.ground(mind.chart.cell(home) + steps * step) == kBlocked) return -way;
  }
  return way;
}

// How far a place is from the direction in which a cog explores first. Of every eight cogs, the four that open as aligners
// take the diagonals.
inline int sector_gap(const Turn& turn, Spot at) {
  static constexpr int kRows[8] = {-1, -1, -1, 0, 1, 1, 1, 0}, kCols[8] = {0, 1, -1, -1, 0, -1, 1, 1};
  if (turn.mind.hub < 0) return 0;
  const Spot home = turn.mind.object(turn.mind.hub).at;
  const int sector = turn.cog.number & 7;
  const int along = (at.row - home.row) * open_way(turn.mind, home, kRows[sector], kSouth, kNorth) +
                    (at.col - home.col) * open_way(turn.mind, home, kCols[sector], kEast, kWest);
  return along > 0 ? 0 : std::min(40, 10 - along);
}

// Whether a junction just beyond this cell could be captured.
inline bool could_capture(const Mind& mind, Spot at) {
  static constexpr int kBeyond = 4;
  const auto is_near = [&](const Object& object, int reach) {
    return square(at, object.at) <= (reach + kBeyond) * (reach + kBeyond);
  };
  if (mind.hub >= 0 && is_near(mind.object(mind.hub), kHubReach)) return true;
  return std::any_of(mind.junctions.begin(), mind.junctions.end(), [&](int number) {
    const Object& junction = mind.object(number);
    return junction.exists && mind.is_ours(junction) && is_near(junction, kJunctionReach);
  });
}

// To the unknown cell that costs least: near, with much unknown around it, in the cog's own direction, away from where
// others explore. With `in_reach` only where junctions could be captured; nothing that costs `most` or more.
inline bool explore(Turn& turn, bool in_reach, double most = 1e9) {
  static constexpr int kSamples = 25, kCrowd = 12;
  Mind& mind = turn.mind;
  const Character& character = turn.character;
  const int leash = turn.scratch.leash;
  if (mind.explored == mind.chart.changes) return false;
  Flood& flood = turn.flood();
  turn.start_flood();
  int best = -1;
  double best_cost = most;
  size_t next = 0;
  while (flood.steps < best_cost && flood.steps < leash && flood.grow()) {
    for (; next < flood.unknown().size(); ++next) {
      const auto [cell, steps] = flood.unknown()[next];
      const Spot at = mind.chart.spot(cell);
      if (in_reach && !could_capture(mind, at)) continue;
      double cost = steps + character.novelty_weight * (kSamples - novelty(mind.chart, at));
      if (cost >= best_cost) continue;
      for (const Cog* other : mind.cogs) {
        if (other != &turn.cog && other->goal == kExplore)
          cost += character.crowd_weight * std::max(0, kCrowd - walk(other->place, at));
      }
      cost += character.direction_weight * sector_gap(turn, at);
      if (cost >= best_cost) continue;
      best_cost = cost;
      best = cell;
    }
  }
  if (best < 0) {
    if (flood.unknown().empty() && most == 1e9 && leash == kNoLeash) mind.explored = mind.chart.changes;
    return false;
  }
  flood.path_to(best, turn.cog.path);
  turn.set(kExplore, -1, mind.chart.spot(best), 60);
  return true;
}

// With nothing unknown: to ground that no cog has been around for long, and none goes to now. Chance decides between
// cells that are worth about the same, so that cogs see such ground from all sides.
inline bool roam(Turn& turn) {
  static constexpr int kApart = 12, kCrowding = 100, kChance = 15;
  const uint32_t salt = roll(turn.cog);
  const auto chance = [&](int cell) {  // 0 to kChance
    return static_cast<int>((static_cast<uint32_t>(cell) * 2654435761u ^ salt) * 2246822519u >> 28);
  };
  Mind& mind = turn.mind;
  Flood& flood = turn.flood();
  turn.start_flood();
  int best = -1, best_worth = INT32_MIN;
  // Ground at this distance is worth `mind.step + kChance - 2 * flood.steps` at most: if no cog was ever there.
  while (flood.steps < turn.scratch.leash && mind.step + kChance - 2 * flood.steps > best_worth && flood.grow()) {
    for (int cell : flood) {
      int worth = mind.step - mind.chart.visited(cell) - 2 * flood.steps + chance(cell);
      if (worth <= best_worth) continue;
      const Spot at = mind.chart.spot(cell);
      const bool is_taken = std::any_of(mind.cogs.begin(), mind.cogs.end(), [&](const Cog* other) {
        return other != &turn.cog && other->goal == kRoam && walk(other->place, at) < kApart;
      });
      worth -= is_taken ? kCrowding : 0;
      if (worth <= best_worth) continue;
      best_worth = worth;
      best = cell;
    }
  }
  if (best < 0) return false;
  flood.path_to(best, turn.cog.path);
  turn.set(kRoam, -1, mind.chart.spot(best), 60);
  return true;
}

// Some cogs explore before anything else, so that the others know where to go.
inline bool survey(Turn& turn) {
  const Cog& cog = turn.cog;
  if (turn.mind.step >= turn.character.survey_until || !cog.adapts || cog.hearts) return false;
  int explorers = 0;
  for (const Cog* other : turn.mind.cogs) explorers += other != &cog && other->goal == kExplore;
  const int wanted = static_cast<int>(turn.character.surveyors * static_cast<double>(turn.mind.cogs.size()) + 0.5);
  return explorers < wanted && explore(turn, false);
}

// Uses an object of another game, those used least first and none more than `most` times.
inline bool try_others(Turn& turn, int most) {
  int least = most;
  for (int number : turn.mind.others) {
    const Object& object = turn.mind.object(number);
    if (object.exists && !turn.is_useless(number)) least = std::min(least, static_cast<int>(object.uses));
  }
  return least < most &&
         turn.take_nearest(kTry, 200, [&](int, const Object& object) { return object.kind == kOther && object.uses == least; });
}

}  // namespace planner
