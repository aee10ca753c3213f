// Health: a cog loses 1 hp in each step, 2 in enemy territory, and is healed at once in its own.
#pragma once

#include "turn.hpp"

namespace planner {

inline constexpr int kOurs = 1, kTheirs = 2;  // `territory:here`
inline constexpr int kPlenty = 60;            // hp with which no cog is in danger
inline constexpr int kMostHp = 400;           // of a scout
inline constexpr int kSafely = 8;             // influence in sixteenths that a rounding error does not turn around

inline bool can_heal(const Turn& turn) { return turn.cog.gear != kNoRole && turn.mind.hub >= 0; }

// Estimate the hp that the way to our territory costs. A junction that the clips hold too is their territory.
inline int loss_on_way_home(const Turn& turn) {
  const Mind& mind = turn.mind;
  if (turn.cog.territory == kOurs) return 0;
  const auto steps_to = [&](int number) {
    const Object& source = mind.object(number);
    return std::max(1, walk(turn.cog.at, source.at) - strength(source.kind));
  };
  int least = steps_to(mind.hub);
  for (int number : mind.junctions) {
    if (mind.object(number).projects > 0) least = std::min(least, steps_to(number));
  }
  return least * (turn.cog.territory == kTheirs ? 2 : 1) + turn.cog.detour;
}

// The nearest cell of our territory, which the flood reaches last; -1 if there is none. Unknown ground may be a dead end.
inline int find_refuge(Turn& turn, bool over_known) {
  turn.flood().start(turn.mind.chart, turn.here(), turn.scratch.closed, over_known);
  while (turn.flood().grow()) {
    for (int cell : turn.flood()) {
      if (turn.mind.chart.influence(cell) >= kSafely) return cell;
    }
  }
  return -1;
}

// The same over known ground, which includes the way the cog came, if our territory still reaches that far.
inline int find_safe_refuge(Turn& turn) {
  const int refuge = find_refuge(turn, true);
  return refuge >= 0 ? refuge : find_refuge(turn, false);
}

// Measures the way home, which walls can make longer than the estimate; only once the hp no longer last for the way that
// the cog came.
inline void measure_way_home(Turn& turn) {
  static constexpr int kRate = 4;    // a step brings a cog closer to danger by so much: 2 hp lost, and a way that costs 2 more
  static constexpr int kNoWay = 10;  // steps until the next search where there is no refuge
  Cog& cog = turn.cog;
  const int reserve = turn.character.hp_reserve;
  if (cog.territory == kOurs || cog.hp > reserve + cog.hp_outside || !can_heal(turn)) {
    cog.detour = cog.detour_until = 0;
    return;
  }
  if (turn.mind.step < cog.detour_until) return;
  cog.detour = 0;
  cog.detour_until = turn.mind.step + kNoWay;
  if (find_safe_refuge(turn) < 0) return;
  const int loss = turn.flood().steps * (cog.territory == kTheirs ? 2 : 1);
  cog.detour = std::max(0, loss - loss_on_way_home(turn));
  cog.detour_until = turn.mind.step + std::max(1, (cog.hp - reserve - loss) / kRate);
}

// Whether the cog must turn back now.
inline bool is_in_danger(const Turn& turn) {
  const Cog& cog = turn.cog;
  if (cog.territory == kOurs || cog.hp <= 0 || cog.hp > kPlenty || !can_heal(turn)) return false;
  return cog.hp <= turn.character.hp_reserve + loss_on_way_home(turn);
}

// Whether the cog can walk its path, and be back in our territory with hp to spare.
inline bool survives(const Turn& turn) {
  const Cog& cog = turn.cog;
  if (cog.goal == kRetreat || !can_heal(turn)) return true;
  const int most = cog.gear == kScout ? 400 : cog.gear == kScrambler ? 200 : 100;
  int hp = cog.hp, way_back = loss_on_way_home(turn), cell = turn.here();
  for (size_t i = cog.path.size(); i-- > 0;) {
    cell += turn.mind.chart.step(static_cast<Heading>(cog.path[i]));
    const int influence = turn.mind.chart.influence(cell);
    if (influence > 0) {
      hp = most;
      way_back = 0;
    } else {
      const int loss = influence < 0 ? 2 : 1;
      hp -= loss;
      way_back += loss;
    }
    if (hp <= 2) return false;
  }
  // A junction is worth more than the gear of a cog that does not come back.
  if (cog.goal == kAlign || cog.goal == kScramble) return true;
  const int stay = cog.goal == kMine ? 6 : 2;
  return hp >= way_back + stay + turn.character.hp_reserve / 2;
}

// To the nearest cell of our territory.
inline bool retreat(Turn& turn) {
  const int refuge = find_safe_refuge(turn);
  if (refuge < 0) return false;
  turn.flood().path_to(refuge, turn.cog.path);
  turn.set(kRetreat, -1, turn.mind.chart.spot(refuge), 60);
  return true;
}

}  // namespace planner
