// Elements, gear and hearts, with their true costs.
#pragma once

#include "turn.hpp"

namespace planner {

inline constexpr int kOpening = 30;      // steps in which the first hearts are shared and roles stay
inline constexpr int kCorner = 8;        // rows and columns from a hub to the corners of its compound
inline constexpr int kHelpEvery = 100;   // steps between two loads of a cog that has no miner gear
inline constexpr double kScarcest = 10;  // its surplus weight: it takes what the team has least of
inline constexpr double kVariety = 100;  // the habit weight when all is done: every cog mines all elements in turn
inline constexpr int kSameVisit = 3;     // steps after a heart in which a cog takes more
inline constexpr int kNearHome = 8;      // steps to the hub that a second heart is worth when none is needed
inline constexpr int kSpareHearts = 4;   // carried at most when no junction is left to capture
inline constexpr int kMinerYield = 10;   // units that one use of an extractor gives a miner
inline constexpr int kFarLoad = 30;      // steps to the next load beyond which it does not matter how far it is

inline int capacity(const Cog& cog) { return cog.gear == kMiner ? cog.mind->miner_cargo : kCargo; }

inline int steps_home(const Turn& turn) { return walk(turn.cog.at, turn.mind.object(turn.mind.hub).at); }

// Where a hub usually has the station of a role: in a row below it.
inline Spot usual_station(const Mind& mind, Role role) {
  static constexpr int kColumns[kRoles] = {1, -3, -1, 3};
  const Spot home = mind.object(mind.hub).at;
  return Spot{static_cast<int16_t>(home.row + 4), static_cast<int16_t>(home.col + kColumns[role])};
}

// To the station of the cog's role, or to where it usually is while that is unknown.
inline bool gear_up(Turn& turn) {
  const Mind& mind = turn.mind;
  const int station = mind.stations[turn.cog.role];
  if (!mind.can_pay(turn.cog.role)) return false;
  if (station >= 0) return turn.queue_at_object(kGearUp, station, 200);
  const Spot usual = usual_station(mind, turn.cog.role);
  const bool is_unknown = mind.chart.contains(usual) && mind.chart.ground(mind.chart.cell(usual)) == kUnknown;
  return turn.character.knows_compound && is_unknown && turn.go_to_cell(kExplore, usual, 20);
}

// Whether an object takes the cog's load once the cog is there: the hub, a junction of ours, or one that a team-mate is about
// to capture, beside which the cog waits.
inline bool takes_deposit(const Turn& turn, int number) {
  static constexpr int kWait = 5;  // steps
  const Mind& mind = turn.mind;
  const Object& object = mind.object(number);
  if (number == mind.hub) return true;
  if (!mind.deposits_at_junctions || object.kind != kJunction) return false;
  return mind.is_ours(object) || turn.steps_to_capture(number) <= walk(turn.cog.at, object.at) + kWait;
}

// Manhattan steps from an extractor to the nearest place of deposit, for a cog that leaves it in `ready` steps.
inline int steps_to_deposit(const Turn& turn, Spot at, int ready) {
  const Mind& mind = turn.mind;
  int best = mind.steps_to_deposit(at);
  for (int number : mind.junctions) {
    const Object& junction = mind.object(number);
    const int steps = walk(at, junction.at);
    if (!mind.deposits_at_junctions || steps >= best || !junction.exists) continue;
    best = std::min(best, std::max(steps, turn.steps_to_capture(number) - ready + 1));
  }
  return best;
}

// Manhattan steps from a place of deposit to the nearest extractor with a use left for a miner.
inline int steps_to_next_load(const Mind& mind, Spot at) {
  int best = kFarLoad;
  for (int number : mind.extractors) {
    const Object& extractor = mind.object(number);
    if (extractor.exists && extractor.content >= kMinerYield) best = std::min(best, walk(at, extractor.at));
  }
  return best;
}

// To the place of deposit that is near; for a miner also near an extractor, because it comes back for the next load.
inline bool deposit(Turn& turn) {
  const Mind& mind = turn.mind;
  const auto is_target = [&](int number) {
    return number >= 0 && mind.object(number).exists && !turn.is_useless(number) && takes_deposit(turn, number);
  };
  // A full hub and junctions that take nothing are common, and a flood that finds no target covers the whole map.
  if (!is_target(mind.hub) && std::none_of(mind.junctions.begin(), mind.junctions.end(), is_target)) return false;
  const double weight = turn.cog.gear == kMiner ? turn.character.next_load_weight : 0;
  Flood& flood = turn.flood();
  turn.start_flood();
  int best = -1;
  double best_cost = 1e9;
  size_t next = 0;
  while (flood.steps < best_cost && flood.grow()) {
    for (; next < flood.objects().size(); ++next) {
      const auto [number, steps] = flood.objects()[next];
      if (!is_target(number)) continue;
      const Object& object = mind.object(number);
      const int wait = number == mind.hub || mind.is_ours(object) ? 0 : turn.steps_to_capture(number);
      const double cost = std::max(steps, wait) + (weight > 0 ? weight * steps_to_next_load(mind, object.at) : 0);
      if (cost >= best_cost) continue;
      best_cost = cost;
      best = number;
    }
  }
  return best >= 0 && turn.take(kDeposit, best, 300);
}

// Where the compound of a hub usually has the extractor of an element.
inline Spot corner_of(const Mind& mind, int element) {
  const Spot home = mind.object(mind.hub).at;
  const int down = element == kGermanium || element == kSilicon ? 1 : -1,
            right = element == kOxygen || element == kSilicon ? 1 : -1;
  return Spot{static_cast<int16_t>(home.row + down * kCorner), static_cast<int16_t>(home.col + right * kCorner)};
}

// Whether a wall straight above, below or beside the hub shows that no compound reaches as far as this corner.
inline bool is_walled_off(const Mind& mind, Spot corner) {
  const Spot home = mind.object(mind.hub).at;
  const int hub = mind.chart.cell(home), down = mind.chart.step(corner.row > home.row ? kSouth : kNorth),
            right = mind.chart.step(corner.col > home.col ? kEast : kWest);
  for (int steps = 1; steps <= kCorner; ++steps) {
    if (mind.chart.ground(hub + steps * down) == kBlocked || mind.chart.ground(hub + steps * right) == kBlocked) return true;
  }
  return false;
}

// What the team will have of each element when everything on its way has arrived.
struct Forecast {
  double of[kElements];
  double least;

  explicit Forecast(const Turn& turn) {
    for (int element = 0; element < kElements; ++element) of[element] = turn.mind.stock[element];
    for (const Cog* other : turn.mind.cogs) {
      if (other == &turn.cog) continue;
      for (int element = 0; element < kElements; ++element) of[element] += other->cargo_of[element];
      if (other->goal == kMine && other->target >= 0) {
        of[turn.mind.object(other->target).kind - kExtractor] += std::max(0, capacity(*other) - other->cargo);
      }
      if (other->goal != kExplore || other->role != kMiner) continue;
      for (int element = 0; element < kElements; ++element)
        of[element] += other->place == corner_of(turn.mind, element) ? kMinerCargo : 0;
    }
    least = *std::min_element(of, of + kElements);
  }
};

// The compound around a hub usually has an extractor of each element in its corners: to one of them that is unknown yet,
// if an extractor there would cost less than `most`. The first miners go to the far corners, so that the first loads of
// all elements arrive together.
inline bool look_in_corner(Turn& turn, const Forecast& forecast, int bumps, double most) {
  const Mind& mind = turn.mind;
  const int sign = mind.step < kOpening ? -1 : 1;
  int best = -1;
  double best_rank = 1e9;
  for (int element = 0; element < kElements && turn.character.knows_compound; ++element) {
    const Spot at = corner_of(mind, element);
    if (!mind.chart.contains(at) || mind.chart.ground(mind.chart.cell(at)) != kUnknown) continue;
    if (is_walled_off(mind, at)) continue;
    const int steps = walk(turn.cog.at, at);
    const double surplus = turn.character.surplus_weight * (forecast.of[element] - forecast.least);
    const double rank = sign * steps + surplus;
    if (rank >= best_rank || steps + bumps + 2 * kCorner + surplus >= most) continue;
    best_rank = rank;
    best = element;
  }
  if (best < 0 || !turn.go_to_cell(kExplore, corner_of(mind, best), 60)) return false;
  turn.cog.is_firm = true;  // others rely on this element
  return true;
}

// Units that one use of an extractor yields.
inline int yield_of(const Cog& cog) { return cog.gear == kMiner ? kMinerYield : 1; }

// Whether to leave the rest in an extractor, which vanishes when it is empty: with all done, nothing needs that rest.
inline bool spares(const Turn& turn, const Object& extractor) {
  return extractor.content <= yield_of(turn.cog) && turn.is_done();
}

// Whether a miner with a full load takes more, to learn whether the game limits cargo; only where there is time for it.
inline bool tests_cargo(const Turn& turn, const Object& extractor) {
  return !turn.mind.knows_cargo && turn.is_peaceful() && turn.cog.gear == kMiner && turn.cog.cargo == kMinerCargo &&
         extractor.content > 0;
}

// To the extractor from which a full load reaches a place of deposit soonest, of an element that the team needs.
inline bool mine(Turn& turn) {
  const Cog& cog = turn.cog;
  Mind& mind = turn.mind;
  const int room = capacity(cog) - cog.cargo;
  if (room <= 0) return deposit(turn);
  const int bumps = std::min((room + yield_of(cog) - 1) / yield_of(cog), 20);
  const double weight = cog.gear == kMiner ? turn.character.surplus_weight : kScarcest;
  const double habit_weight = turn.is_done() ? kVariety : turn.character.habit_weight;
  const int rarest = *std::min_element(cog.mined_of, cog.mined_of + kElements);
  const Forecast forecast(turn);
  Flood& flood = turn.flood();
  turn.start_flood();
  int best = -1;
  double best_cost = 1e9;
  size_t next = 0;
  while (flood.steps + bumps < best_cost && flood.grow()) {
    for (; next < flood.objects().size(); ++next) {
      const auto [number, steps] = flood.objects()[next];
      const Object& object = mind.object(number);
      if (object.kind < kExtractor || object.kind >= kStation || turn.is_useless(number) || spares(turn, object)) continue;
      const double surplus = weight * (forecast.of[object.kind - kExtractor] - forecast.least);
      const double habit = habit_weight * (cog.mined_of[object.kind - kExtractor] - rarest);
      const double poverty = 0.3 * std::max(0, room - object.content);
      // The steps to a deposit take longest to compute; 1 is more than any rounding error.
      if (steps + bumps + surplus + poverty + habit >= best_cost + 1) continue;
      const double cost = steps + bumps + steps_to_deposit(turn, object.at, steps + bumps) + surplus + poverty + habit;
      if (cost >= best_cost) continue;
      best_cost = cost;
      best = number;
    }
  }
  if (best >= 0) flood.path_to(mind.chart.cell(mind.object(best).at), turn.scratch.route);
  if (look_in_corner(turn, forecast, bumps, best_cost)) return true;
  if (best < 0) return cog.cargo > 0 && deposit(turn);
  turn.cog.path = turn.scratch.route;
  turn.set(kMine, best, mind.object(best).at, 300);
  return true;
}

// Brings a small load of the scarcest element now and then; with all done, a load of each element at once.
inline bool help_miners(Turn& turn) {
  const bool is_due = turn.mind.step - turn.cog.helped >= kHelpEvery || (turn.is_done() && turn.cog.loads < kElements);
  if (!is_due || !mine(turn)) return false;
  ++turn.cog.loads;
  turn.cog.helped = turn.mind.step;
  return true;
}

// --- Hearts.

// Hearts in the hub after `steps`, less those of cogs that come before.
inline double hearts_at_arrival(const Turn& turn, int steps) {
  const Mind& mind = turn.mind;
  const Character& character = turn.character;
  int stock[kElements];
  std::copy(mind.stock, mind.stock + kElements, stock);
  double hearts = mind.hub_hearts;
  for (const Cog* other : mind.cogs) {
    const bool comes_before = other != &turn.cog && static_cast<int>(other->path.size()) <= steps;
    if (other->goal == kDeposit && comes_before) {
      for (int element = 0; element < kElements; ++element) stock[element] += other->cargo_of[element];
    }
    if (other->role == kMiner) {
      if (other->gear == kMiner) hearts += character.miner_income * std::max(0, steps - character.income_after);
      continue;
    }
    const bool takes = other->goal == kFetchHeart || (other->goal == kGearUp && other->gear != other->role);
    if (comes_before && takes && other->hearts == 0) hearts -= character.waiting_hearts;
  }
  return hearts + *std::min_element(stock, stock + kElements) / kHeartCost;
}

// Junctions that the team expects to find.
inline int hidden_junctions(const Turn& turn) { return turn.mind.is_explored() ? 0 : turn.character.expected_junctions; }

// How many hearts to leave the hub with: a fair share of what is there, no more than there are junctions for. When none is
// left to capture, half of what is there; all of it if the team can make more.
inline int hearts_wanted(const Turn& turn) {
  const Mind& mind = turn.mind;
  const Cog& cog = turn.cog;
  int takers = 1, carried = 0;
  for (const Cog* other : mind.cogs) {
    if (other == &cog || other->role != cog.role) continue;
    const bool begins = mind.step < kOpening && other->hearts == 0 && (other->gear == kNoRole || other->goal == kFetchHeart);
    takers += begins || (other->goal == kFetchHeart && static_cast<int>(other->path.size()) <= turn.character.sharing_steps);
    carried += other->hearts;
  }
  const int open = mind.open_junctions() + hidden_junctions(turn);
  const int need = open == 0 ? turn.character.reserve_hearts : (std::max(1, open - carried) + takers - 1) / takers;
  // While no junction is known that needs it, the last heart is left to a cog that has none.
  const bool leaves_last = turn.is_peaceful() && mind.junctions.empty() && cog.hearts > 0 && mind.count(cog.role) > 1;
  const int fair = (cog.hearts + mind.supply() + takers - 1) / takers;
  const int share = leaves_last ? std::min(fair, cog.hearts + mind.supply() - 1) : fair;
  if (turn.is_done() && !mind.extractors.empty()) return std::min(cog.hearts + mind.supply(), kHeartsMax);
  if (turn.holds_all()) return std::clamp((cog.hearts + mind.supply() + 1) / 2, 1, kSpareHearts);
  return std::clamp(std::min(need, share), 1, std::min(turn.character.most_hearts, kHeartsMax));
}

// Before its gear, a cog takes hearts that wait in the hub, if that is on its way.
inline bool fetch_heart_first(Turn& turn) {
  const Mind& mind = turn.mind;
  const Cog& cog = turn.cog;
  int hearts = mind.step < kOpening ? mind.hub_hearts : mind.supply();
  if (hearts == 0 || !mind.can_pay(kAligner)) return false;
  const int home = steps_home(turn);
  const Spot station = mind.stations[kAligner] >= 0 ? mind.object(mind.stations[kAligner]).at : usual_station(mind, kAligner);
  if (home > walk(cog.at, station) || (cog.hearts && home > 1)) return false;
  for (const Cog* other : mind.cogs) hearts -= other != &cog && other->goal == kFetchHeart && other->hearts == 0;
  return hearts > 0 && cog.hearts < hearts_wanted(turn) && turn.queue_at_object(kFetchHeart, mind.hub, 200);
}

// Fetches hearts for the next open junction while there is none; where all are held for good, only if the hub is near.
inline bool fetch_reserve(Turn& turn) {
  if (turn.holds_all() && turn.cog.hearts > 0 && steps_home(turn) > kNearHome) return false;
  return turn.cog.gear == turn.cog.role && turn.mind.supply() > 0 && turn.cog.hearts < hearts_wanted(turn) &&
         turn.queue_at_object(kFetchHeart, turn.mind.hub, 200);
}

inline bool fetch_heart(Turn& turn) {
  const Mind& mind = turn.mind;
  const Cog& cog = turn.cog;
  if (cog.gear != cog.role) return false;
  const int home = steps_home(turn);
  const bool may_linger = home <= 1 && mind.supply() == 0 && mind.step >= kOpening && !turn.is_done();
  if (may_linger && cog.hearts < turn.character.patient_hearts && hearts_at_arrival(turn, turn.character.patience) >= 1) {
    turn.set(kIdle, -1, cog.at, 1);
    turn.cog.goal = kLinger;
    return true;
  }
  if (cog.hearts > 0) {
    // The first junctions are worth more than a fuller load.
    const bool passes_by = mind.step < turn.character.first_roles_until && mind.step - cog.fetched > kSameVisit;
    if (home > 1 || passes_by || mind.supply() == 0 || cog.hearts >= hearts_wanted(turn)) return false;
  } else if (hearts_at_arrival(turn, home) < std::min(turn.character.worthwhile_hearts, std::max(1, mind.open_junctions()))) {
    return false;
  }
  return turn.queue_at_object(kFetchHeart, mind.hub, 200);
}

}  // namespace planner
