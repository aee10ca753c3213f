// Health: a cog loses 1 hp in each step, 2 in enemy territory, and is healed at once in its own.
#pragma once

#include "turn.hpp"

namespace planner {

inline constexpr int kOurs = 1;     // `territory:here`
inline constexpr int kWealth = 10;  // hearts in the hub with which the team can afford to lose a cog's gear
inline constexpr int kSafely = 8;   // influence in sixteenths that a rounding error does not turn around

inline bool can_heal(const Turn& turn) { return turn.cog.gear != kNoRole && turn.mind.hub >= 0; }

inline bool is_in_danger(const Turn& turn) {
  const Cog& cog = turn.cog;
  return cog.territory != kOurs && cog.hp > 0 && cog.hp <= turn.character.hp_reserve && can_heal(turn);
}

// Whether the cog can walk its path, and be back in our territory with hp to spare.
inline bool survives(const Turn& turn) {
  const Cog& cog = turn.cog;
  if (cog.goal == kRetreat || !can_heal(turn)) return true;
  const int most = cog.gear == kScout ? 400 : cog.gear == kScrambler ? 200 : 100;
  int hp = cog.hp, way_back = 0, cell = turn.here();
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
  if (cog.goal == kAlign || cog.goal == kScramble || turn.mind.supply() >= kWealth) return true;
  const int stay = cog.goal == kMine ? 6 : 2;
  return hp >= way_back + stay + turn.character.hp_reserve / 2;
}

// To the nearest cell of our territory.
inline bool retreat(Turn& turn) {
  turn.start_flood();
  while (turn.flood().grow()) {
    for (int cell : turn.flood()) {
      if (turn.mind.chart.influence(cell) < kSafely) continue;
      turn.flood().path_to(cell, turn.cog.path);
      turn.set(kRetreat, -1, turn.mind.chart.spot(cell), 60);
      return true;
    }
  }
  return false;
}

}  // namespace planner
