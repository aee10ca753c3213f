// One team mind at work: places cogs on the map, chooses their plans and walks them.
#pragma once

#include "mind.hpp"
#include "search.hpp"

namespace planner {

inline constexpr int kPatience = 3;  // uses without effect before an object counts as useless,
inline constexpr int kGrudge = 40;   // for this many steps

struct Candidate {
  int number;
  double cost;
};

// Memory that every decision uses and none keeps; one per thread.
struct Scratch {
  Glimpse glimpse;
  Flood flood;
  std::vector<int> closed, rejected;
  std::vector<Candidate> candidates;
  std::vector<uint8_t> route;
};

class Team {
 public:
  Team(const Vocabulary& words, const Character& character, Mind& mind, Scratch& scratch)
      : words_(words), character_(character), mind_(mind), flood_(scratch.flood), closed_(scratch.closed), rejected_(scratch.rejected),
        candidates_(scratch.candidates), route_(scratch.route) {}

  // The action for a cog whose observation has been entered.
  int act(Cog& cog) {
    judge(cog);
    if (character_.shows_vibe && !cog.vibe_shown && cog.role != kNoRole && words_.vibe_action[cog.role] >= 0) {
      cog.vibe_shown = true;
      return stay(cog, words_.vibe_action[cog.role]);
    }
    if (!holds(cog)) choose(cog);
    return follow(cog);
  }

 private:
  // Whether the plan still makes sense; cheap, because it is asked in every step.
  bool holds(Cog& cog) {
    if (mind_.step >= cog.until) return false;
    if (cog.goal == kIdle) return cog.news == mind_.news && !is_in_danger(cog) && cog.territory == 1;
    if (is_in_danger(cog) && cog.goal != kAlign && cog.goal != kScramble && cog.goal != kPatrol) return cog.goal == kRetreat;
    const Object* target = cog.target >= 0 ? &mind_.object(cog.target) : nullptr;
    if (target && (!target->exists || target->useless_until > mind_.step)) return false;
    switch (cog.goal) {
      case kGearUp: return cog.gear != cog.role && mind_.can_pay(cog.role);
      case kMine: return cog.cargo < capacity(cog);
      case kDeposit: return cog.cargo > 0 && (target->kind == kHub || mind_.is_ours(*target));
      case kFetchHeart: return cog.hearts < hearts_wanted(cog) && mind_.supply() > 0;
      case kAlign: return cog.hearts > 0 && cog.gear == kAligner && !mind_.is_ours(*target);
      case kScramble: return cog.hearts > 0 && cog.gear == kScrambler && mind_.is_theirs(*target);
      case kExplore: return mind_.chart.ground(mind_.chart.cell(cog.place)) == kUnknown && (cog.news == mind_.news || mind_.step < cog.since + kDwell);
      case kRetreat: return cog.territory != 1;
      case kGuard: return mind_.is_ours(*target) || mind_.step < cog.until;
      case kPatrol: return target->seen < cog.since && (cog.news == mind_.news || mind_.step < cog.since + kDwell);
      case kTry: return cog.failures == 0;
      default: return false;
    }
  }

  bool is_in_danger(const Cog& cog) const { return cog.territory != 1 && cog.hp > 0 && cog.hp <= character_.reserve && cog.gear != kNoRole && mind_.hub >= 0; }

  void choose(Cog& cog) {
    release(cog);
    cog.news = mind_.news;
    mind_.update_reach();
    closed_.clear();
    rejected_.clear();
    for (int attempt = 0; attempt < 4; ++attempt) {
      if (!propose(cog)) break;
      if (survives(cog)) return claim(cog);
      if (cog.target >= 0) rejected_.push_back(cog.target);
      release(cog);
    }
    if (cog.territory != 1 && cog.gear != kNoRole && mind_.hub >= 0 && retreat(cog)) return claim(cog);
    set(cog, kIdle, -1, cog.at, kPause);
  }

  bool propose(Cog& cog) {
    if (is_in_danger(cog) && retreat(cog)) return true;
    if (mind_.hub < 0 || mind_.team < 0) return try_others(cog, 1) || explore(cog, false) || try_others(cog, kTries);
    assign(cog);
    if (survey(cog)) return true;
    if (cog.role == kAligner && cog.gear == kNoRole && first_heart(cog)) return true;
    if (cog.gear != cog.role && !(cog.adapts && cog.role == kScout) && gear_up(cog)) return true;
    switch (cog.role) {
      case kMiner: return mine(cog) || explore(cog, false) || patrol(cog);
      case kAligner: return fetch_heart(cog) || align(cog) || guard(cog) || bank(cog) || explore(cog, cog.hearts > 0) || explore(cog, false) || patrol(cog);
      case kScrambler: return fetch_heart(cog) || scramble(cog) || explore(cog, false) || patrol(cog);
      default: return explore(cog, false) || try_others(cog, kTries) || patrol(cog);
    }
  }

  // --- Roles.

  void assign(Cog& cog) {
    if (cog.role == kNoRole) {
      size_t place = 0;
      while (mind_.cogs[place] != &cog) ++place;
      const uint8_t given = place < character_.roster.size() ? character_.roster[place] : kSmart;
      cog.adapts = given == kSmart;
      const uint8_t chosen = cog.hearts ? uint8_t{kAligner} : character_.opening[place % character_.opening.size()];
      cog.role = static_cast<Role>(cog.adapts ? chosen : given);
    }
    if (!cog.adapts || cog.role == kScrambler || mind_.step < kOpening) return;
    const int aligners = mind_.count(kAligner), miners = mind_.count(kMiner);
    const int carried = hearts_carried(), open = open_junctions();
    if (cog.role == kMiner || cog.role == kScout) {
      // Hearts wait in the hub: now they need hands.
      const int home = walk(cog.at, mind_.object(mind_.hub).at);
      const double waiting = hearts_at_arrival(cog, home + character_.detour);
      const bool rich = mind_.supply() + carried >= open + character_.stop && waiting >= character_.spare;
      if ((rich || waiting >= character_.spare + home / character_.close) && open + character_.hidden / 2 > carried &&
          (miners > least_miners() || cog.role == kScout) && cog.cargo < capacity(cog) / 2 && mind_.can_pay(kAligner)) {
        cog.role = kAligner;
      }
    } else if (cog.hearts == 0 && carried + mind_.supply() == 0 && mind_.can_pay(kMiner) && (miners == 0 || (open > 0 && miners < aligners - 1))) {
      cog.role = kMiner;
    }
  }

  int least_miners() const {
    const int cogs = static_cast<int>(mind_.cogs.size());
    return cogs < 4 ? cogs / 2 : std::max(2, static_cast<int>(character_.least_miners * cogs + 0.5));
  }

  int open_junctions() const {
    int open = 0;
    for (int number : mind_.junctions) {
      const Object& junction = mind_.object(number);
      open += junction.exists && !mind_.is_ours(junction);
    }
    return open;
  }

  int hearts_carried() const {
    int hearts = 0;
    for (const Cog* cog : mind_.cogs) hearts += cog->role == kAligner ? cog->hearts : 0;
    return hearts;
  }

  // --- Proposals: each sets the plan and its path, or returns false.

  bool gear_up(Cog& cog) {
    const int station = mind_.stations[cog.role];
    if (station < 0 || !mind_.can_pay(cog.role) ) return false;
    return go_to_object(cog, kGearUp, station, 200);
  }

  bool mine(Cog& cog) {
    const int room = capacity(cog) - cog.cargo;
    if (room <= 0) return deposit(cog);
    const int rate = cog.gear == kMiner ? 10 : 1;
    const int bumps = std::min((room + rate - 1) / rate, 20);
    double expected[kElements];
    for (int element = 0; element < kElements; ++element) expected[element] = mind_.stock[element];
    for (const Cog* other : mind_.cogs) {
      if (other == &cog) continue;
      for (int element = 0; element < kElements; ++element) expected[element] += other->cargo_of[element];
      if (other->goal == kMine && other->target >= 0) {
        expected[mind_.object(other->target).kind - kExtractor] += std::max(0, capacity(*other) - other->cargo);
      }
    }
    const double least = *std::min_element(expected, expected + kElements);
    begin(cog);
    int best = -1;
    double best_cost = 1e9;
    size_t next = 0;
    while (flood_.steps + bumps < best_cost && flood_.grow()) {
      for (; next < flood_.objects.size(); ++next) {
        const Object& object = mind_.object(flood_.objects[next].number);
        if (object.kind < kExtractor || object.kind >= kStation || is_useless(flood_.objects[next].number)) continue;
        const double scarcity = character_.surplus * (expected[object.kind - kExtractor] - least);
        const double poor = object.content < room ? (room - object.content) * 0.3 : 0;
        const double cost = flood_.objects[next].steps + bumps + mind_.steps_to_deposit(object.at) + scarcity + poor;
        if (cost < best_cost) {
          best_cost = cost;
          best = flood_.objects[next].number;
        }
      }
    }
    if (const int corner = better_corner(cog, expected, least, bumps, best_cost); corner >= 0) {
      const Spot at = corner_of(corner);
      if (go_to_cell(cog, kExplore, at, 60)) return true;
    }
    if (best < 0) return cog.cargo > 0 && deposit(cog);
    return take(cog, kMine, best, 300);
  }

  // The compound around a hub usually has one extractor of each element in its corners: worth a look while unknown.
  int better_corner(const Cog& cog, const double* expected, double least, int bumps, double best_cost) const {
    int best = -1;
    for (int element = 0; element < kElements && character_.corners; ++element) {
      const Spot at = corner_of(element);
      if (!mind_.chart.contains(at) || mind_.chart.ground(mind_.chart.cell(at)) != kUnknown) continue;
      double going = 0;
      for (const Cog* other : mind_.cogs) going += other != &cog && other->goal == kExplore && other->place == at ? kMinerCargo : 0;
      const double cost = walk(cog.at, at) + bumps + 2 * kCorner + character_.surplus * (expected[element] + going - least);
      if (cost >= best_cost) continue;
      best_cost = cost;
      best = element;
    }
    return best;
  }

  Spot corner_of(int element) const {
    const Spot home = mind_.object(mind_.hub).at;
    const int down = element == kGermanium || element == kSilicon ? 1 : -1, right = element == kOxygen || element == kSilicon ? 1 : -1;
    return Spot{static_cast<int16_t>(home.row + down * kCorner), static_cast<int16_t>(home.col + right * kCorner)};
  }

  bool go_to_cell(Cog& cog, Goal goal, Spot at, int steps) {
    const int wanted = mind_.chart.cell(at);
    begin(cog);
    while (flood_.grow()) {
      for (int cell : flood_) {
        if (cell != wanted) continue;
        flood_.path_to(cell, cog.path);
        set(cog, goal, -1, at, steps);
        return true;
      }
    }
    return false;
  }

  bool deposit(Cog& cog) {
    begin(cog);
    size_t next = 0;
    while (flood_.grow()) {
      for (; next < flood_.objects.size(); ++next) {
        const int number = flood_.objects[next].number;
        const Object& object = mind_.object(number);
        if (is_useless(number)) continue;
        if (number == mind_.hub || (mind_.deposits_at_junctions && object.kind == kJunction && mind_.is_ours(object))) return take(cog, kDeposit, number, 300);
      }
    }
    return false;
  }

  // Elements in the bag of a cog that is no miner.
  bool bank(Cog& cog) { return cog.cargo > 0 && deposit(cog); }

  // How many hearts to leave the hub with: a fair share of what is there, no more than there are junctions for.
  int hearts_wanted(const Cog& cog) const {
    int takers = 1, carried = 0;
    for (const Cog* other : mind_.cogs) {
      if (other == &cog || other->role != cog.role) continue;
      const bool begins = mind_.step < kOpening && other->hearts == 0 && (other->gear == kNoRole || other->goal == kFetchHeart);
      takers += begins || (other->goal == kFetchHeart && static_cast<int>(other->path.size()) <= character_.queue);
      carried += other->hearts;
    }
    const int open = open_junctions() + character_.hidden;
    const int need = (std::max(1, open - carried) + takers - 1) / takers;
    const int share = (cog.hearts + mind_.supply() + takers - 1) / takers;
    return std::clamp(std::min(need, share), 1, std::min(character_.most_hearts, kHeartsMax));
  }

  // Hearts in the hub after `steps`, less those of cogs that come before.
  double hearts_at_arrival(const Cog& cog, int steps) const {
    int stock[kElements];
    for (int element = 0; element < kElements; ++element) stock[element] = mind_.stock[element];
    double hearts = mind_.hub_hearts;
    for (const Cog* other : mind_.cogs) {
      const bool comes_before = other != &cog && static_cast<int>(other->path.size()) <= steps;
      if (other->goal == kDeposit && comes_before) {
        for (int element = 0; element < kElements; ++element) stock[element] += other->cargo_of[element];
      }
      if (other->role == kMiner && other->gear == kMiner) hearts += character_.income * std::max(0, steps - character_.horizon);
      if (other->role == kMiner || other == &cog || other->hearts) continue;
      const bool changes = other->gear != other->role && other->goal == kGearUp;
      if ((other->goal == kFetchHeart || changes) && comes_before) hearts -= character_.spare;
    }
    return hearts + *std::min_element(stock, stock + kElements) / kHeartCost;
  }

  // Before its gear, a cog takes a heart that waits in the hub, if that is on its way.
  bool first_heart(Cog& cog) {
    if (mind_.stations[kAligner] < 0 || mind_.hub_hearts == 0 || !mind_.can_pay(kAligner)) return false;
    const int home = walk(cog.at, mind_.object(mind_.hub).at);
    if (home > walk(cog.at, mind_.object(mind_.stations[kAligner]).at) || (cog.hearts && home > 1)) return false;
    int hearts = mind_.hub_hearts;
    for (const Cog* other : mind_.cogs) hearts -= other != &cog && other->goal == kFetchHeart && other->hearts == 0;
    if (hearts <= 0 || cog.hearts >= hearts_wanted(cog)) return false;
    return go_to_object(cog, kFetchHeart, mind_.hub, 200);
  }

  bool fetch_heart(Cog& cog) {
    if (cog.gear != cog.role || mind_.hub < 0) return false;
    const int home = walk(cog.at, mind_.object(mind_.hub).at);
    const bool beside = home <= 1;
    if (cog.hearts > 0 && !(beside && mind_.supply() > 0 && cog.hearts < hearts_wanted(cog))) return false;
    if (cog.hearts == 0 && hearts_at_arrival(cog, home) < std::min(character_.trip, std::max(1, open_junctions()))) return false;
    return go_to_object(cog, kFetchHeart, mind_.hub, 200);
  }

  bool align(Cog& cog) {
    if (cog.hearts == 0 || cog.gear != kAligner) return false;
    // Open junctions with the least that reaching them can cost, the most promising last.
    candidates_.clear();
    for (size_t i = 0; i < mind_.junctions.size(); ++i) {
      const int number = mind_.junctions[i];
      if (!mind_.in_reach[i] || !mind_.object(number).exists || !is_open(cog, number)) continue;
      candidates_.push_back({number, align_cost(cog, number, walk(cog.at, mind_.object(number).at))});
    }
    if (candidates_.empty()) return false;
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return a.cost > b.cost || (a.cost == b.cost && a.number > b.number);
    });
    // Unknown ground on this side of a far junction may hold a nearer one; often this is clear without a search.
    const double least = candidates_.back().cost - character_.far;
    if (least > 0 && explore(cog, true, least)) return true;
    begin(cog);
    int best = -1;
    double best_cost = 1e9;
    size_t next = 0;
    while (!candidates_.empty() && candidates_.back().cost < best_cost && flood_.grow()) {
      for (; next < flood_.objects.size(); ++next) {
        const auto [number, steps] = flood_.objects[next];
        const auto found = std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& c) { return c.number == number; });
        if (found == candidates_.end()) continue;
        candidates_.erase(found);
        const double cost = align_cost(cog, number, steps);
        if (cost < best_cost) {
          best_cost = cost;
          best = number;
        }
      }
    }
    if (best < 0) return false;
    flood_.path_to(mind_.chart.cell(mind_.object(best).at), route_);
    if (best_cost - character_.far > std::max(0.0, least) && explore(cog, true, best_cost - character_.far)) return true;
    cog.path = route_;
    set(cog, kAlign, best, mind_.object(best).at, kAlignSteps);
    return true;
  }

  // Steps to a junction, and more if it is better left to another cog that is closer.
  double align_cost(const Cog& cog, int number, int steps) const {
    double cost = steps;
    for (const Cog* other : mind_.cogs) {
      if (other == &cog || other->hearts == 0 || other->gear != kAligner) continue;
      cost += character_.voronoi * std::max(0, steps - walk(other->at, mind_.object(number).at));
    }
    return cost;
  }

  bool is_open(const Cog& cog, int number) const {
    const Object& junction = mind_.object(number);
    if (mind_.is_ours(junction) || is_useless(number)) return false;
    if (!is_free_for(cog, number)) return false;
    if (!character_.co_owns && mind_.is_theirs(junction)) return false;
    return true;
  }

  // A claim holds against cogs that are not much closer.
  bool is_free_for(const Cog& cog, int number) const {
    const Cog* holder = claimant(number);
    return !holder || holder == &cog || static_cast<int>(holder->path.size()) > walk(cog.at, mind_.object(number).at) + kStealMargin;
  }

  bool is_claimed(const Cog& cog, int number) const {
    const Cog* holder = claimant(number);
    return holder && holder != &cog;
  }

  Cog* claimant(int number) const {
    const int claimed_by = mind_.object(number).claimed_by;
    for (Cog* cog : mind_.cogs) {
      if (cog->number == claimed_by && cog->target == number) return cog;
    }
    return nullptr;
  }

  bool scramble(Cog& cog) {
    if (cog.hearts == 0 || cog.gear != kScrambler) return false;
    const bool has_target = std::any_of(mind_.junctions.begin(), mind_.junctions.end(), [&](int number) {
      return mind_.object(number).exists && mind_.is_theirs(mind_.object(number)) && !mind_.is_ours(mind_.object(number));
    });
    if (!has_target) return false;
    begin(cog);
    size_t next = 0;
    while (flood_.grow()) {
      for (; next < flood_.objects.size(); ++next) {
        const int number = flood_.objects[next].number;
        const Object& object = mind_.object(number);
        if (object.kind != kJunction || !mind_.is_theirs(object) || mind_.is_ours(object)) continue;
        if (is_useless(number) || is_claimed(cog, number)) continue;
        return take(cog, kScramble, number, 120);
      }
    }
    return false;
  }

  // Stands beside a junction of ours that the clips take next.
  bool guard(Cog& cog) {
    const int wave = mind_.next_wave(character_);
    if (!character_.guards || cog.hearts == 0 || wave - mind_.step > kGuardSteps) return false;
    int best = -1, best_steps = 1 << 20;
    for (int ship : mind_.ships) {
      const int number = mind_.victim(ship, false);
      if (number < 0 || !mind_.is_ours(mind_.object(number))) continue;
      const Object& junction = mind_.object(number);
      if (is_claimed(cog, number)) continue;
      const int steps = walk(cog.at, junction.at);
      if (steps < best_steps) {
        best_steps = steps;
        best = number;
      }
    }
    if (best < 0 || !go_to_object(cog, kGuard, best, wave + 2 - mind_.step)) return false;
    if (!cog.path.empty()) cog.path.erase(cog.path.begin());  // stop beside it
    return true;
  }

  // Some cogs explore before anything else, so that the others know where to go.
  bool survey(Cog& cog) {
    if (mind_.step >= character_.survey_until || !cog.adapts || cog.hearts) return false;
    int explorers = 0;
    for (const Cog* other : mind_.cogs) explorers += other != &cog && other->goal == kExplore;
    return explorers < static_cast<int>(character_.surveyors * static_cast<double>(mind_.cogs.size()) + 0.5) && explore(cog, false);
  }

  // The nearest unknown cell away from where others explore; with `in_reach`, only where junctions could be captured.
  bool explore(Cog& cog, bool in_reach, double most = 1e9) {
    if (mind_.explored == mind_.chart.changes) return false;
    begin(cog);
    int best = -1;
    double best_cost = most;
    size_t next = 0;
    while (flood_.steps < best_cost && flood_.grow()) {
      for (; next < flood_.unknown.size(); ++next) {
        const Reached& reached = flood_.unknown[next];
        const Spot at = mind_.chart.spot(reached.number);
        if (in_reach && !could_capture(at)) continue;
        double cost = reached.steps + character_.novelty * (kNovelMost - novelty(at));
        if (cost >= best_cost) continue;
        for (const Cog* other : mind_.cogs) {
          if (other != &cog && other->goal == kExplore) cost += character_.crowd * std::max(0, 12 - walk(other->place, at));
        }
        if (mind_.hub >= 0) cost += character_.sector * sector_gap(cog, at);
        if (cost < best_cost) {
          best_cost = cost;
          best = reached.number;
        }
      }
    }
    if (best < 0) {
      if (flood_.unknown.empty() && most == 1e9) mind_.explored = mind_.chart.changes;
      return false;
    }
    flood_.path_to(best, cog.path);
    set(cog, kExplore, -1, mind_.chart.spot(best), 60);
    return true;
  }

  // How much is unknown around a place: samples of its surroundings.
  int novelty(Spot at) const {
    int unknown = 0;
    for (int row = -6; row <= 6; row += 3) {
      for (int col = -6; col <= 6; col += 3) {
        const Spot there{static_cast<int16_t>(at.row + row), static_cast<int16_t>(at.col + col)};
        unknown += mind_.chart.contains(there) && mind_.chart.ground(mind_.chart.cell(there)) == kUnknown;
      }
    }
    return unknown;
  }

  // How far a place is from the direction in which this cog explores first.
  double sector_gap(const Cog& cog, Spot at) const {
    const Spot home = mind_.object(mind_.hub).at;
    static constexpr int kRows[8] = {-1, 1, 0, 0, -1, 1, 1, -1}, kCols[8] = {0, 0, 1, -1, 1, -1, 1, -1};
    const int sector = cog.number & 7;
    const int along = (at.row - home.row) * kRows[sector] + (at.col - home.col) * kCols[sector];
    return along > 0 ? 0 : std::min(40, 10 - along);
  }

  bool could_capture(Spot at) const {
    const int margin = 4;
    if (mind_.hub >= 0 && square(at, mind_.object(mind_.hub).at) <= (kHubReach + margin) * (kHubReach + margin)) return true;
    for (int number : mind_.junctions) {
      const Object& junction = mind_.object(number);
      if (junction.exists && mind_.is_ours(junction) && square(at, junction.at) <= (kJunctionReach + margin) * (kJunctionReach + margin)) return true;
    }
    return false;
  }

  // Looks again at the junction that was seen longest ago: others may have taken it.
  bool patrol(Cog& cog) {
    if (!mind_.has_rivals) return false;
    int best = -1, best_worth = INT32_MIN;
    for (int number : mind_.junctions) {
      const Object& object = mind_.object(number);
      if (!object.exists || object.seen == mind_.step || is_claimed(cog, number) || is_useless(number)) continue;
      const int worth = mind_.step - object.seen - 2 * walk(cog.at, object.at);
      if (worth > best_worth) {
        best_worth = worth;
        best = number;
      }
    }
    return best >= 0 && go_to_object(cog, kPatrol, best, kPatrolSteps);
  }

  // Uses an object of another game, those used least first.
  bool try_others(Cog& cog, int most) {
    int least = most;
    for (int number : mind_.others) {
      if (mind_.object(number).exists && !is_useless(number)) least = std::min(least, static_cast<int>(mind_.object(number).uses));
    }
    if (least == most) return false;
    begin(cog);
    size_t next = 0;
    while (flood_.grow()) {
      for (; next < flood_.objects.size(); ++next) {
        const int number = flood_.objects[next].number;
        if (mind_.object(number).kind == kOther && mind_.object(number).uses == least && !is_useless(number)) return take(cog, kTry, number, 200);
      }
    }
    return false;
  }

  // To the nearest cell of our territory.
  bool retreat(Cog& cog) {
    begin(cog);
    while (flood_.grow()) {
      for (int cell : flood_) {
        if (mind_.chart.influence(cell) < 8) continue;
        flood_.path_to(cell, cog.path);
        set(cog, kRetreat, -1, mind_.chart.spot(cell), 60);
        return true;
      }
    }
    return false;
  }

  // --- Plans.

  void begin(const Cog& cog) { flood_.start(mind_.chart, mind_.chart.cell(cog.at), closed_); }

  bool is_useless(int number) const {
    return mind_.object(number).useless_until > mind_.step || std::find(rejected_.begin(), rejected_.end(), number) != rejected_.end();
  }

  bool go_to_object(Cog& cog, Goal goal, int number, int steps) {
    if (is_useless(number)) return false;
    begin(cog);
    size_t next = 0;
    while (flood_.grow()) {
      for (; next < flood_.objects.size(); ++next) {
        if (flood_.objects[next].number == number) return take(cog, goal, number, steps);
      }
    }
    return false;
  }

  bool take(Cog& cog, Goal goal, int number, int steps) {
    flood_.path_to(mind_.chart.cell(mind_.object(number).at), cog.path);
    set(cog, goal, number, mind_.object(number).at, steps);
    return true;
  }

  void set(Cog& cog, Goal goal, int target, Spot place, int steps) {
    cog.goal = goal;
    cog.target = target;
    cog.place = place;
    cog.since = mind_.step;
    cog.until = mind_.step + steps;
    cog.failures = cog.blocked = 0;
    if (goal == kIdle) cog.path.clear();
  }

  void claim(Cog& cog) {
    if (cog.target >= 0 && (cog.goal == kAlign || cog.goal == kScramble || cog.goal == kGuard || cog.goal == kPatrol)) {
      Object& object = mind_.object(cog.target);
      if (Cog* holder = claimant(cog.target); holder && holder != &cog) holder->until = 0;
      object.claimed_by = static_cast<int16_t>(cog.number);
    }
  }

  void release(Cog& cog) {
    set(cog, kIdle, -1, cog.at, 0);
  }

  // Whether the cog can walk its path and be back in our territory with hp to spare.
  bool survives(const Cog& cog) const {
    if (cog.goal == kRetreat || cog.gear == kNoRole || mind_.hub < 0) return true;
    const int most = cog.gear == kScout ? 400 : cog.gear == kScrambler ? 200 : 100;
    int hp = cog.hp, away = 0;
    int cell = mind_.chart.cell(cog.at);
    for (size_t i = cog.path.size(); i-- > 0;) {
      cell += mind_.chart.step(static_cast<Heading>(cog.path[i]));
      const int influence = mind_.chart.influence(cell);
      if (influence > 0) {
        hp = most;
        away = 0;
      } else {
        const int loss = influence < 0 ? 2 : 1;
        hp -= loss;
        away += loss;
      }
      if (hp <= 2) return false;
    }
    // A junction is worth more than the gear of a cog that does not come back.
    if (cog.goal == kAlign || cog.goal == kScramble || mind_.supply() >= kWealth) return true;
    const int stay = cog.goal == kMine ? 6 : 2;
    return hp >= away + stay + character_.reserve / 2;
  }

  static int capacity(const Cog& cog) { return cog.gear == kMiner ? kMinerCargo : kCargo; }

  // --- Walking.

  // Whether the last use had an effect; an object without effect is left alone for a while.
  void judge(Cog& cog) {
    if (!cog.used || cog.target < 0) return;
    cog.used = false;
    Object& object = mind_.object(cog.target);
    if (object.uses < 0xFFFF) ++object.uses;
    if (cog.failures < kPatience) return;
    object.useless_until = mind_.step + kGrudge;
    if (cog.goal == kDeposit && object.kind == kJunction) mind_.deposits_at_junctions = false;  // not in this game
  }

  int follow(Cog& cog) {
    const bool is_asked = cog.in_the_way;
    cog.in_the_way = false;
    if (cog.path.empty()) {
      if ((is_asked || cog.goal == kIdle) && step_aside(cog, -1)) return words_.heading_action[cog.heading];
      if (cog.goal != kGuard && cog.goal != kIdle) set(cog, kIdle, -1, cog.at, 0);
      if (cog.goal == kGuard && !mind_.is_ours(mind_.object(cog.target))) cog.until = mind_.step;
      return stay(cog, words_.noop_action);
    }
    const Heading heading = static_cast<Heading>(cog.path.back());
    const int next = mind_.chart.cell(cog.at) + mind_.chart.step(heading);
    const Ground ground = mind_.chart.ground(next);
    const bool last = cog.path.size() == 1;
    if (ground == kBlocked || (ground == kObject && !(last && cog.target >= 0))) return replan(cog);
    if (std::find(cog.near.begin(), cog.near.end(), next) != cog.near.end()) return pass(cog, next);
    cog.blocked = 0;
    if (ground == kObject) {
      cog.used = true;
      ++cog.failures;
      return move(cog, heading);
    }
    return move(cog, heading);
  }

  // The path is blocked by something that was not on the map.
  int replan(Cog& cog) {
    if (cog.blocked++ > 2) {
      release(cog);
      return stay(cog, words_.noop_action);
    }
    choose(cog);
    if (cog.path.empty()) return stay(cog, words_.noop_action);
    return follow(cog);
  }

  // Another cog stands in the way: wait for it, walk around it, or step aside.
  int pass(Cog& cog, int next) {
    ++cog.blocked;
    if (roll(cog) % 4 == 0) return stay(cog, words_.noop_action);
    closed_ = cog.near;
    const int goal_cell = mind_.chart.cell(cog.place);
    flood_.start(mind_.chart, mind_.chart.cell(cog.at), closed_);
    const int limit = static_cast<int>(cog.path.size()) + 12;
    bool found = false;
    size_t object = 0;
    while (!found && flood_.steps < limit && flood_.grow()) {
      if (cog.target >= 0) {
        for (; object < flood_.objects.size(); ++object) found |= flood_.objects[object].number == cog.target;
      } else {
        for (int cell : flood_) found |= cell == goal_cell;
      }
    }
    closed_.clear();
    if (found) {
      flood_.path_to(goal_cell, cog.path);
      if (cog.goal == kGuard && !cog.path.empty()) cog.path.erase(cog.path.begin());
      if (cog.path.empty()) return stay(cog, words_.noop_action);
      const Heading heading = static_cast<Heading>(cog.path.back());
      if (mind_.chart.ground(mind_.chart.cell(cog.at) + mind_.chart.step(heading)) == kObject) {
        cog.used = true;
        ++cog.failures;
      }
      return move(cog, heading);
    }
    for (Cog* other : mind_.cogs) other->in_the_way |= mind_.chart.cell(other->at) == next && other->path.empty();
    // Step aside, and find a new way from there.
    if (!step_aside(cog, next)) return stay(cog, words_.noop_action);
    release(cog);
    return words_.heading_action[cog.heading];
  }

  // Moves to a free cell beside the cog, other than `next`.
  bool step_aside(Cog& cog, int next) {
    const int start = static_cast<int>(roll(cog) % kHeadings);
    for (int turn = 0; turn < kHeadings; ++turn) {
      const Heading heading = static_cast<Heading>((start + turn) % kHeadings);
      const int cell = mind_.chart.cell(cog.at) + mind_.chart.step(heading);
      if (mind_.chart.ground(cell) != kFree || cell == next || std::find(cog.near.begin(), cog.near.end(), cell) != cog.near.end()) continue;
      move(cog, heading);
      return true;
    }
    return false;
  }

  int move(Cog& cog, Heading heading) {
    cog.heading = heading;
    return words_.heading_action[heading];
  }

  int stay(Cog& cog, int action) {
    cog.heading = kNowhere;
    return action;
  }

  static uint32_t roll(Cog& cog) {
    cog.dice ^= cog.dice << 13;
    cog.dice ^= cog.dice >> 17;
    cog.dice ^= cog.dice << 5;
    return cog.dice;
  }

  static constexpr int kPatrolSteps = 60, kStealMargin = 4, kCorner = 8, kNovelMost = 25, kOpening = 30, kDwell = 3, kPause = 10, kWealth = 10, kGuardSteps = 60, kAlignSteps = 120, kTries = 50;

  const Vocabulary& words_;
  const Character& character_;
  Mind& mind_;
  Flood& flood_;
  std::vector<int>&closed_, &rejected_;
  std::vector<Candidate>& candidates_;
  std::vector<uint8_t>& route_;
};

}  // namespace planner
