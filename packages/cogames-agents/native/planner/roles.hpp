// Roles: given by the roster, or by what the team needs.
#pragma once

#include "economy.hpp"

namespace planner {

inline int least_miners(const Turn& turn) {
  const int cogs = static_cast<int>(turn.mind.cogs.size());
  return cogs < 4 ? cogs / 2 : std::max(2, static_cast<int>(turn.character.least_miners * cogs + 0.5));
}

inline void give_first_role(Turn& turn) {
  const Character& character = turn.character;
  Cog& cog = turn.cog;
  const size_t place =
      static_cast<size_t>(std::find(turn.mind.cogs.begin(), turn.mind.cogs.end(), &cog) - turn.mind.cogs.begin());
  const uint8_t given = place < character.roster.size() ? character.roster[place] : kSmart;
  cog.adapts = given == kSmart;
  if (!cog.adapts) {
    cog.role = static_cast<Role>(given);
  } else if (!character.roster.empty()) {
    const int cogs = static_cast<int>(turn.mind.cogs.size());
    cog.role = cog.hearts || 8 * turn.mind.count(kAligner) < 3 * cogs ? kAligner : kMiner;
  } else {
    cog.role = static_cast<Role>(character.opening[place % character.opening.size()]);
  }
}

inline constexpr size_t kGroup = 4;  // cogs that share the roles between them

inline size_t place_in_group(const Turn& turn) {
  const std::vector<Cog*>& cogs = turn.mind.cogs;
  return static_cast<size_t>(std::find(cogs.begin(), cogs.end(), &turn.cog) - cogs.begin()) % kGroup;
}

// Whether the cog never stops mining: the first of every four.
inline bool keeps_mining(const Turn& turn) { return turn.mind.cogs.size() >= kGroup && place_in_group(turn) == 0; }

// Whether the cog watches the map and mines only now and then: the last of every four, with all done.
inline bool looks_around(const Turn& turn) { return place_in_group(turn) == kGroup - 1 && turn.is_done(); }

// Whether a miner fetches hearts in reserve: it has no aligners to do so, all is done, and there are other teams.
inline bool keeps_reserve(const Turn& turn) { return turn.mind.cogs.size() == 1 && turn.is_done() && !turn.is_peaceful(); }

// Whether hearts wait in the hub, or soon will, that no other cog comes for.
inline bool should_carry_hearts(const Turn& turn) {
  const Mind& mind = turn.mind;
  const Character& character = turn.character;
  const int open = mind.open_junctions(), carried = mind.hearts_carried();
  // Where no team takes junctions back, there is time: miners keep their gear until junctions are known that need hearts.
  const int hidden = turn.is_peaceful() ? 0 : hidden_junctions(turn) / 2;
  if (open + hidden <= carried || turn.cog.cargo >= capacity(turn.cog) / 2 || !mind.can_pay(kAligner)) return false;
  if (turn.cog.role == kMiner && (mind.count(kMiner) <= least_miners(turn) || keeps_mining(turn))) return false;
  const int home = steps_home(turn);
  const double waiting = hearts_at_arrival(turn, home + character.gear_steps);
  const bool is_alone = mind.cogs.size() == 1;  // and has to change its gear twice
  if (is_alone && turn.is_peaceful() && waiting < character.most_hearts) return false;
  const bool is_rich = mind.supply() + carried >= open + character.enough_hearts && waiting >= character.waiting_hearts;
  return is_rich || waiting >= character.waiting_hearts + home / character.steps_per_heart;
}

// Whether there is nothing to carry and too few cogs mine.
inline bool should_mine(const Turn& turn) {
  const Mind& mind = turn.mind;
  if (turn.is_done() && mind.count(kMiner) == 0) return mind.can_pay(kMiner);
  if (turn.cog.hearts || mind.hearts_carried() + mind.supply() > 0 || !mind.can_pay(kMiner)) return false;
  const int miners = mind.count(kMiner);
  return miners == 0 || (mind.open_junctions() > 0 && miners < mind.count(kAligner) - 1);
}

// Whether the cog and the hub have no hearts, and the team has no miners to pay for new ones.
inline bool is_without_income(const Turn& turn) {
  return turn.cog.hearts == 0 && turn.mind.supply() == 0 && turn.mind.count(kMiner) == 0;
}

inline void choose_role(Turn& turn) {
  Cog& cog = turn.cog;
  if (cog.role == kNoRole) give_first_role(turn);
  if (!cog.adapts || turn.mind.step < turn.character.first_roles_until) return;
  if ((cog.role == kMiner || cog.role == kScout) && should_carry_hearts(turn)) {
    cog.role = kAligner;
  } else if (cog.role == kAligner && should_mine(turn)) {
    cog.role = kMiner;
  }
}

}  // namespace planner
