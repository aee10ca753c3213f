// What a team knows and has agreed on: its map, stock and claims, and what the clips will do next.
#pragma once

#include "character.hpp"
#include "glimpse.hpp"

namespace planner {

enum Goal : uint8_t {
  kIdle,
  kGearUp,
  kMine,
  kDeposit,
  kFetchHeart,
  kAlign,
  kScramble,
  kExplore,
  kRetreat,
  kGuard,
  kPatrol,
  kRoam,
  kTry,
  kLinger,
  kGoals
};
inline constexpr std::string_view kGoalNames[kGoals] = {"wait",   "gear_up",  "mine",    "deposit", "fetch_heart",
                                                        "align",  "scramble", "explore", "retreat", "guard",
                                                        "patrol", "roam",     "try",     "linger"};

inline constexpr int kHeartCost = 7;  // of each element
// Paid by the hub, by role: carbon, oxygen, germanium, silicon.
inline constexpr int kGearCost[kRoles][kElements] = {{1, 1, 3, 1}, {3, 1, 1, 1}, {1, 3, 1, 1}, {1, 1, 1, 3}};
inline constexpr int kHubReach = 25, kJunctionReach = 15;  // to a junction that can be captured
inline constexpr int kCargo = 4, kMinerCargo = 40;
inline constexpr int kEndlessLoad = 400;  // of a miner where the game does not limit cargo
inline constexpr int kHeartsMax = 10;

struct Mind;

struct Cog {
  int number = 0;
  Mind* mind = nullptr;
  Spot at;       // in the frame of the mind
  Spot offset;   // of the cog's own frame in that of the mind
  Spot counted;  // in the cog's own frame
  bool position_shown = false;
  int steps = 0;  // observations so far
  int hp = 0, hearts = 0, cargo = 0, cargo_of[kElements] = {};
  int territory = 0;
  int hp_outside = 0;    // lost since the cog left our territory; the way back costs no more
  int detour = 0;        // hp that the way back costs beyond the estimate,
  int detour_until = 0;  // measured again from this step
  Role gear = kNoRole, role = kNoRole;
  bool adapts = false;  // the planner may change the role
  Goal goal = kIdle;
  int target = -1;             // object
  Spot place;                  // where the target is, or the cell to reach
  int since = 0;               // step of the plan
  int until = 0;               // step at which the plan is reconsidered
  int news = 0;                // of the mind when the plan was made
  size_t junctions = 0;        // known then
  bool is_firm = false;        // the plan is kept whatever is discovered meanwhile
  std::vector<uint8_t> path;   // headings, last first
  Heading heading = kNowhere;  // of the last action
  bool used = false;           // the last action walked into the target
  int failures = 0;
  int mined_of[kElements] = {};  // units so far
  int fetched = -1000;           // step in which the cog last got a heart
  int helped = -1000;            // step in which the cog last helped the miners
  int loads = 0;                 // how often it did
  int deferring_since = -1;      // step in which the cog first explored instead of going to a junction it knew
  int blocked = 0;
  bool in_the_way = false;  // another cog waits for this one to move
  uint32_t dice = 1;
  std::vector<int> near;  // cells of cogs in view
  Role shown = kNoRole;   // role that the vibe says
};

inline uint32_t roll(Cog& cog) {
  cog.dice ^= cog.dice << 13;
  cog.dice ^= cog.dice >> 17;
  cog.dice ^= cog.dice << 5;
  return cog.dice;
}

// Ends the path one step before its target.
inline void stop_beside(Cog& cog) {
  if (!cog.path.empty()) cog.path.erase(cog.path.begin());
}

struct Mind {
  Chart chart;
  int team = -1;
  std::vector<Cog*> cogs;
  int step = 0;
  int news = 1;  // changes that may make a better plan possible
  int stock[kElements] = {};
  int hub = -1, hub_hearts = 0;
  int stations[kRoles] = {-1, -1, -1, -1};
  std::vector<int> junctions, extractors, ships, others;
  std::vector<uint8_t> in_reach;  // by position in `junctions`
  int reach_news = 0;
  bool has_rivals = false;            // has seen something of another team
  bool deposits_at_junctions = true;  // until one refuses
  int miner_cargo = kMinerCargo;      // units of a full load
  bool knows_cargo = false;           // a miner with a full load has tried to take more
  int last_wave = 0;
  int explored = -1;  // changes of the chart when nothing unknown was in reach

  bool is_explored() const { return explored >= 0; }
  bool is_ours(const Object& object) const { return team >= 0 && (object.teams >> team & 1); }
  bool is_theirs(const Object& object) const { return (object.teams & ~(team >= 0 ? 1u << team : 0u)) != 0; }
  Object& object(int number) { return chart.objects[static_cast<size_t>(number)]; }
  const Object& object(int number) const { return chart.objects[static_cast<size_t>(number)]; }

  bool can_pay(Role role) const {
    for (int element = 0; element < kElements; ++element) {
      if (stock[element] < kGearCost[role][element]) return false;
    }
    return true;
  }

  // Hearts that the hub can give now, without the elements for gear that cogs still need.
  int supply() const { return hub_hearts + spare_elements() / kHeartCost; }

  int spare_elements() const {
    int left[kElements];
    std::copy(stock, stock + kElements, left);
    for (const Cog* cog : cogs) {
      if (cog->gear == cog->role || cog->role == kNoRole) continue;
      for (int element = 0; element < kElements; ++element) left[element] -= kGearCost[cog->role][element];
    }
    return std::max(0, *std::min_element(left, left + kElements));
  }

  int count(Role role) const {
    return static_cast<int>(std::count_if(cogs.begin(), cogs.end(), [&](const Cog* cog) { return cog->role == role; }));
  }

  int open_junctions() const {
    return static_cast<int>(std::count_if(junctions.begin(), junctions.end(), [&](int number) {
      const Object& junction = object(number);
      return junction.exists && !is_ours(junction);
    }));
  }

  // Whether the network reaches a junction that is not ours.
  bool can_capture() const {
    for (size_t i = 0; i < junctions.size(); ++i) {
      const Object& junction = object(junctions[i]);
      const bool is_reached = i >= in_reach.size() || in_reach[i];
      if (junction.exists && is_reached && !is_ours(junction)) return true;
    }
    return false;
  }

  // Whether both the team and another hold every junction.
  bool all_shared() const {
    return std::all_of(junctions.begin(), junctions.end(), [&](int number) {
      const Object& junction = object(number);
      return !junction.exists || (is_ours(junction) && is_theirs(junction));
    });
  }

  int hearts_carried() const {
    int hearts = 0;
    for (const Cog* cog : cogs) hearts += cog->role == kAligner ? cog->hearts : 0;
    return hearts;
  }

  // Enters an object of a sighting; returns its number.
  int note(Spot at, const Sighting& seen) {
    int number = chart.object_at(chart.cell(at));
    if (number >= 0 && object(number).kind != seen.kind) {
      forget(number);
      number = -1;
    }
    if (number < 0) number = enter(at, seen.kind);
    Object& found = object(number);
    found.seen = step;
    found.content = seen.content;
    if (found.teams != seen.teams || found.lanes != seen.lanes) set_teams(found, seen.teams, seen.lanes);
    if (seen.kind == kHub && is_ours(found)) {
      if (hub < 0) hub = number;
      if (number == hub) hub_hearts = seen.hearts;
    }
    if (seen.kind >= kStation && seen.kind < kOther && (is_ours(found) || !found.teams)) {
      int& station = stations[seen.kind - kStation];
      if (station < 0 || !object(station).exists) station = number;
    }
    return number;
  }

  void set_teams(Object& found, uint32_t teams, uint8_t lanes) {
    found.teams = teams;
    found.lanes = lanes;
    has_rivals |= is_theirs(found);
    ++news;
    const int reach = strength(found.kind);
    const bool claims = found.kind == kHub || found.kind == kJunction || found.kind == kShip;
    const int8_t sign = !claims || !teams ? int8_t{0} : (team >= 0 && (teams & -teams) == 1u << team) ? int8_t{1} : int8_t{-1};
    if (sign == found.projects) return;
    if (found.projects) chart.project(found.at, reach, -found.projects);
    if (sign) chart.project(found.at, reach, sign);
    found.projects = sign;
  }

  void forget(int number) {
    Object& object = this->object(number);
    set_teams(object, 0, 0);
    object.claimed_by = -1;
    chart.remove(number);
    if (number == hub) hub = -1;
    ++news;
  }

  // Which junctions our network reaches; computed when ownership has changed.
  void update_reach() {
    if (reach_news == news) return;
    reach_news = news;
    in_reach.assign(junctions.size(), 0);
    for (size_t i = 0; i < junctions.size(); ++i) {
      const Object& junction = object(junctions[i]);
      if (!junction.exists) continue;
      bool reached = hub >= 0 && square(junction.at, object(hub).at) <= kHubReach * kHubReach;
      for (size_t j = 0; !reached && j < junctions.size(); ++j) {
        const Object& other = object(junctions[j]);
        reached = j != i && other.exists && is_ours(other) && square(junction.at, other.at) <= kJunctionReach * kJunctionReach;
      }
      in_reach[i] = reached;
    }
  }

  // Manhattan steps from a place to the nearest object that takes deposits.
  int steps_to_deposit(Spot at) const {
    int best = 1 << 20;
    if (hub >= 0) best = walk(at, object(hub).at);
    if (!deposits_at_junctions) return best;
    for (int number : junctions) {
      const Object& junction = object(number);
      if (junction.exists && is_ours(junction)) best = std::min(best, walk(at, junction.at));
    }
    return best;
  }

  // The wave of the clips that just came changes what we believe about junctions out of view.
  void expect_wave(const Character& character) {
    if (ships.empty() || step < character.first_wave) return;
    const int wave = character.first_wave + (step - character.first_wave) / character.wave_period * character.wave_period;
    if (wave == last_wave) return;
    last_wave = wave;
    for (int ship : ships) {
      const int taken = victim(ship, false);
      if (taken >= 0 && object(taken).seen < step) set_teams(object(taken), 0, object(taken).lanes);
      const int turned = victim(ship, true);
      if (turned < 0 || object(turned).seen >= step) continue;
      set_teams(object(turned), object(ship).teams, object(turned).lanes | object(ship).lanes);
    }
  }

  int next_wave(const Character& character) const {
    if (ships.empty()) return 1 << 30;
    if (step < character.first_wave) return character.first_wave;
    return character.first_wave + ((step - character.first_wave) / character.wave_period + 1) * character.wave_period;
  }

  // The junction that a ship takes next: the nearest to it in reach of its lane that is not theirs; neutral ones only if
  // `neutral`, otherwise only owned ones.
  int victim(int ship, bool neutral) const {
    const Object& from = object(ship);
    int best = -1, best_square = 1 << 30;
    for (int number : junctions) {
      const Object& junction = object(number);
      if (!junction.exists || (junction.teams & from.teams) || (junction.teams == 0) != neutral) continue;
      const int distance = square(junction.at, from.at);
      if (distance >= best_square || !lane_reaches(from, junction.at)) continue;
      best = number;
      best_square = distance;
    }
    return best;
  }

 private:
  bool lane_reaches(const Object& ship, Spot at) const {
    if (square(ship.at, at) <= kJunctionReach * kJunctionReach) return true;
    for (int number : junctions) {
      const Object& junction = object(number);
      if (junction.exists && (junction.lanes & ship.lanes) && square(junction.at, at) <= kJunctionReach * kJunctionReach)
        return true;
    }
    return false;
  }

  int enter(Spot at, Kind kind) {
    const int number = chart.add(at, kind);
    ++news;
    if (kind == kJunction) junctions.push_back(number);
    if (kind >= kExtractor && kind < kStation) extractors.push_back(number);
    if (kind == kShip) ships.push_back(number);
    if (kind == kOther) others.push_back(number);
    return number;
  }
};

}  // namespace planner
