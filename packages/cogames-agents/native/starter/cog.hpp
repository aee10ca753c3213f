// A cog of Cogs vs Clips: its inventory and knowledge, in the terms of the game; see `cogames.policy.cog`.
#pragma once

#include "walker.hpp"

namespace starter {

inline constexpr int kHeartCost = 7;                 // of each element
inline constexpr int kGearCost[kRoles][kElements] = {// paid by the hub
                                                     {1, 1, 3, 1},
                                                     {3, 1, 1, 1},
                                                     {1, 3, 1, 1},
                                                     {1, 1, 1, 3}};
inline constexpr int kSmallCargo = 4, kMinerCargo = 40;
inline constexpr int kHubReach = 25, kNetworkReach = 15;          // maximum distance of a new junction
inline constexpr int kHubTerritory = 16, kJunctionTerritory = 6;  // distances within which a cog heals
inline constexpr int kOurs = 1, kTheirs = 2;                      // values of `territory:here`
inline constexpr int kReserve = 12;                               // hp left on arrival at home
inline constexpr int kPatience = 3, kGrudge = 40;  // an object is useless after so many uses without effect, for so many steps

// What the decisions of one thread work with.
struct Scratch {
  View view;
  Search search;
  std::vector<Spot> targets;
};

struct Cog {
  Memory memory;
  Walker walker;
  Role role = kMiner;
  int quarter = 0;
  int steps = 0;            // number of observations so far
  uint64_t team = 0;        // bit of our team; 0 if unknown
  int64_t hub_hearts = 0;   // as last seen
  int element = kElements;  // to mine on this trip; kElements for none
  std::vector<Spot> useless;
  Board passed;          // a scout's
  int recent_since = 0;  // step after which junctions count as seen recently
  int failures = 0, grudge_ends = 0;
  Board network;  // where junctions can be captured
  const Grid* network_grid = nullptr;
  std::vector<Spot> network_of;

  void reset(int agent, Role its_role, int its_quarter) {
    memory.reset();
    walker.reset(agent);
    role = its_role;
    quarter = its_quarter & 3;
    steps = failures = grudge_ends = recent_since = 0;
    team = 0;
    hub_hearts = 0;
    element = kElements;
    useless.clear();
    if (role == kScout) passed.clear(*memory.grid);
    network_grid = nullptr;
  }

  // Learns from a view; false if the cog is lost.
  bool look(const Sight& sight, const View& view) {
    const bool is_use = memory.heading != kNowhere && memory.is_object(memory.ahead());
    const auto before = memory.view_goods;
    const Grid* old = nullptr;
    ++steps;
    if (!memory.look(sight, view, steps, old)) return false;
    if (old && role == kScout) passed.move_to(*memory.grid, *old);
    if (!team) {
      team = view.own_teams & (~view.own_teams + 1);
      memory.places_changed |= team != 0;
    }
    look_into_hub(sight, view);
    judge(is_use && before == memory.view_goods);
    return true;
  }

  bool is_ours(const Object& object) const { return object.teams & team; }
  bool is_theirs(const Object& object) const { return object.teams & ~team; }
  bool is_useless(Spot at) const { return std::find(useless.begin(), useless.end(), at) != useless.end(); }
  bool is_in_quarter(Spot at) const { return (at.col >= 0) == (quarter & 1) && (at.row >= 0) == (quarter >> 1); }

  // Calls `each` with the objects of a kind.
  template <typename Each>
  void for_each(int kind, const Each& each) const {
    for (const int32_t number : memory.of_kind(kind)) each(memory.object(number));
  }

  // Calls `each` with the place and the range of the objects that heal us. A junction of both teams counts as theirs.
  template <typename Each>
  void for_each_refuge(const Each& each) const {
    for_each(kHub, [&](const Object& hub) {
      if (is_ours(hub)) each(hub.at, kHubTerritory);
    });
    for_each(kJunction, [&](const Object& junction) {
      if (is_ours(junction) && !is_theirs(junction)) each(junction.at, kJunctionTerritory);
    });
  }

  bool is_beside_hub() const {
    bool is_beside = false;
    for_each(kHub, [&](const Object& hub) {
      const int distance = std::abs(hub.at.row - memory.here.row) + std::abs(hub.at.col - memory.here.col);
      is_beside |= is_ours(hub) && distance <= 1;
    });
    return is_beside;
  }

  // Whether the cog must leave now to reach its territory with enough hp.
  bool must_go_home(const Sight& sight, const View& view) const {
    const int64_t there = view.number(sight, kTerritory), hp = view.number(sight, kHp);
    if (there == kOurs || hp <= 0 || hp >= 70) return false;
    int distance = 1 << 16;
    for_each_refuge([&](Spot at, int reach) {
      distance = std::min(distance, std::abs(at.row - memory.here.row) + std::abs(at.col - memory.here.col) - reach);
    });
    if (distance == 1 << 16) distance = 0;
    return hp <= (there == kTheirs ? 2 : 1) * std::max(0, distance) + kReserve;
  }

  // Whether the cog heals in a cell.
  bool is_home(Spot at) const {
    if (!memory.is_free(at)) return false;
    bool is_safe = false;
    for_each_refuge([&](Spot refuge, int reach) {
      const int rows = at.row - refuge.row, cols = at.col - refuge.col;
      is_safe |= rows * rows + cols * cols <= reach * reach;
    });
    return is_safe;
  }

  void update_network() {
    if (!memory.places_changed && network_grid == memory.grid) return;
    memory.places_changed = false;
    std::vector<Spot> now;
    for_each(kHub, [&](const Object& hub) {
      if (is_ours(hub)) now.push_back(hub.at);
    });
    const size_t hubs = now.size();
    for_each(kJunction, [&](const Object& junction) {
      if (is_ours(junction)) now.push_back(junction.at);
    });
    if (now == network_of && network_grid == memory.grid) return;
    network.clear(*memory.grid);
    for (size_t i = 0; i < now.size(); ++i) network.add_disc(*memory.grid, now[i], i < hubs ? kHubReach : kNetworkReach);
    network_grid = memory.grid;
    network_of.swap(now);
  }

 private:
  void look_into_hub(const Sight& sight, const View& view) {
    Spot last{INT16_MIN, INT16_MIN};
    for_each(kHub, [&](const Object& hub) {
      uint8_t location = 0;
      if (!is_ours(hub) || !memory.is_visible(sight, hub.at, location)) return;
      if (std::pair(hub.at.row, hub.at.col) < std::pair(last.row, last.col)) return;
      last = hub.at;
      hub_hearts = 0;
      for (const auto& [place, hearts] : view.hearts) hub_hearts += place == location ? hearts : 0;
    });
  }

  // Counts consecutive uses without effect; after `kPatience` of them the object is useless for `kGrudge` steps.
  void judge(bool has_failed) {
    failures = has_failed ? failures + 1 : 0;
    if (failures >= kPatience) {
      if (!is_useless(memory.ahead())) useless.push_back(memory.ahead());
      grudge_ends = steps + kGrudge;
    } else if (steps >= grudge_ends) {
      useless.clear();
    }
  }
};

}  // namespace starter
