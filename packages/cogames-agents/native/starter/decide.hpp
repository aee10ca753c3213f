// The wishes of each role, best first; see `cogames.policy.starter_agent`, which these decisions equal.
#pragma once

#include "cog.hpp"

namespace starter {

inline constexpr int kMostHearts = 4;   // to carry at once
inline constexpr int kRound = 100;      // steps until an aligner checks its junctions again
inline constexpr int kPassing = 3;      // a scout has passed cells within this distance
inline constexpr int kEnoughMore = 60;  // with this much more than of the scarcest element, look for the scarcest

// One decision of one cog, after it has looked. A wish returns whether it has chosen the heading.
class Turn {
 public:
  Turn(const Sight& sight, Cog& cog, Scratch& scratch) : sight_(sight), view_(scratch.view), cog_(cog), scratch_(scratch) {}

  int decide() {
    const bool has_wish = cog_.role == kMiner       ? mine()
                          : cog_.role == kAligner   ? align()
                          : cog_.role == kScrambler ? scramble()
                                                    : scout();
    if (!has_wish && !explore()) heading_ = cog_.walker.step_aside(cog_.memory);
    return heading_;
  }

 private:
  bool mine() { return survive() || gear_up() || gather(); }

  bool align() {
    if (survive() || gear_up() || fetch_hearts()) return true;
    if (!has_gear() || !hearts()) return gather();
    if (cog_.steps % kRound == 0) cog_.recent_since = cog_.steps;
    cog_.update_network();
    const auto reaches = [&](Spot at) { return cog_.network.has(grid(), at); };
    if (go(kJunction, [&](const Object& object) { return !cog_.is_ours(object) && reaches(object.at); })) return true;
    const auto cells = [&](int row, int word) { return frontier(row, word) & cog_.network.row(grid(), row)[word]; };
    if (own_quarter_first([&](Spot at) { return cog_.memory.is_frontier(at) && reaches(at); }, cells)) return true;
    return go(kJunction, [&](const Object& object) {
      return cog_.is_ours(object) && !cog_.is_theirs(object) && object.seen <= cog_.recent_since;
    });
  }

  bool scramble() {
    if (survive() || gear_up() || fetch_hearts()) return true;
    if (!has_gear() || !hearts()) return gather();
    return go(kJunction, [&](const Object& object) { return cog_.is_theirs(object); });
  }

  // Walks past everything again and again: cells seen long ago may have changed.
  bool scout() {
    Memory& memory = cog_.memory;
    cog_.passed.add_disc(grid(), memory.here, kPassing);
    if (gear_up()) return true;
    if (own_quarter_first([&](Spot at) { return memory.is_frontier(at); },
                          [&](int row, int word) { return frontier(row, word); }))
      return true;
    const auto is_left = [&](Spot at) { return memory.is_known(at) && memory.is_free(at) && !cog_.passed.has(grid(), at); };
    const auto left = [&](int row, int word) {
      return memory.known(row)[word] & ~memory.blocked(row)[word] & ~cog_.passed.row(grid(), row)[word];
    };
    if (own_quarter_first(is_left, left)) return true;
    cog_.passed.clear(grid());
    return false;
  }

  bool survive() {
    if (!cog_.must_go_home(sight_, view_)) return false;
    const auto has = [&](Spot at) { return cog_.is_home(at) && !cog_.is_useless(at); };
    return toward(has, [&](Board& targets) {
      cog_.for_each_refuge([&](Spot at, int reach) { targets.add_disc(grid(), at, reach); });
      uint64_t any = 0;
      for (int row = 1; row < grid().width - 1; ++row) {
        for (int word = 0; word < grid().words; ++word)
          any |= targets.row(grid(), row)[word] &= ~cog_.memory.blocked(row)[word];
      }
      return any && remove_useless(targets);
    });
  }

  bool gear_up() {
    if (has_gear()) return false;
    for (int element = 0; element < kElements; ++element) {
      if (stock(element) < kGearCost[role()][element]) return false;
    }
    return go(kStation + role(), [&](const Object& object) { return cog_.is_ours(object); });
  }

  // Goes to the hub for the first heart; once there, takes more, but leaves at least as many for the others.
  bool fetch_hearts() {
    if (!has_gear()) return false;
    int64_t least = stock(0);
    for (int element = 1; element < kElements; ++element) least = std::min(least, stock(element));
    const int64_t supply = cog_.hub_hearts + least / kHeartCost;
    if (!supply) return false;
    if (hearts() && !(cog_.is_beside_hub() && hearts() < std::min<int64_t>(kMostHearts, supply))) return false;
    return go_to_hub();
  }

  // Fills up with one element and brings it to the hub, or to a junction we hold.
  bool gather() {
    int64_t cargo = 0;
    for (int element = 0; element < kElements; ++element) cargo += number(kCargo + element);
    if (cargo >= (number(kGear + int{kMiner}) ? kMinerCargo : kSmallCargo)) {
      cog_.element = kElements;
      begin_targets();
      add_targets(kHub, [&](const Object& object) { return cog_.is_ours(object); });
      add_targets(kJunction, [&](const Object& object) { return cog_.is_ours(object); });
      if (go_to_targets()) return true;
    }
    if (cog_.element == kElements || !has_extractor(cog_.element)) cog_.element = scarcest_element();
    if (cog_.element != kElements) return go(kExtractor + cog_.element, [](const Object&) { return true; });
    return cargo && go_to_hub();
  }

  // The scarcest element with a known extractor; kElements if exploring for a scarcer one is better.
  int scarcest_element() const {
    int scarcest = kElements;
    int64_t least = stock(0);
    for (int element = 0; element < kElements; ++element) {
      least = std::min(least, stock(element));
      if (has_extractor(element) && (scarcest == kElements || stock(element) < stock(scarcest))) scarcest = element;
    }
    return scarcest != kElements && stock(scarcest) < least + kEnoughMore ? scarcest : static_cast<int>(kElements);
  }

  // Goes to the nearest unseen cell, whether or not it was useless.
  bool explore() {
    return own_quarter_first([&](Spot at) { return cog_.memory.is_frontier(at); },
                             [&](int row, int word) { return frontier(row, word); }, false);
  }

  bool go_to_hub() {
    return go(kHub, [&](const Object& object) { return cog_.is_ours(object); });
  }

  // Goes to the nearest object of a kind that is not useless and for which `is_target` is true.
  template <typename IsTarget>
  bool go(int kind, const IsTarget& is_target) {
    begin_targets();
    add_targets(kind, is_target);
    return go_to_targets();
  }

  void begin_targets() { scratch_.targets.clear(); }

  template <typename IsTarget>
  void add_targets(int kind, const IsTarget& is_target) {
    cog_.for_each(kind, [&](const Object& object) {
      if (is_target(object) && !cog_.is_useless(object.at)) scratch_.targets.push_back(object.at);
    });
  }

  bool go_to_targets() {
    const std::vector<Spot>& spots = scratch_.targets;
    if (spots.empty()) return false;
    return toward([&](Spot at) { return std::find(spots.begin(), spots.end(), at) != spots.end(); },
                  [&](Board& targets) {
                    for (const Spot at : spots) targets.add(grid(), at);
                    return true;
                  });
  }

  // Goes to a cell in the cog's own quarter of the map, else to any. `has` and `cells` describe the same set.
  template <typename Has, typename Cells>
  bool own_quarter_first(const Has& has, const Cells& cells, bool unless_useless = true) {
    const auto is_target = [&](Spot at) { return has(at) && !(unless_useless && cog_.is_useless(at)); };
    const auto paint = [&](Board& targets, int first_row, int last_row, int first_col, int last_col) {
      uint64_t any = 0;
      for (int row = first_row; row < last_row; ++row) {
        for (int word = first_col >> 6; word <= (last_col - 1) >> 6; ++word) {
          uint64_t among = cells(row, word);
          if (64 * word < first_col) among &= ~uint64_t{0} << (first_col - 64 * word);
          if (64 * (word + 1) > last_col) among &= ~uint64_t{0} >> (64 * (word + 1) - last_col);
          any |= targets.row(grid(), row)[word] = among;
        }
      }
      return any && (!unless_useless || remove_useless(targets));
    };
    const int reach = grid().reach, width = grid().width;
    const int row = cog_.quarter >> 1 ? reach : 0, col = cog_.quarter & 1 ? reach : 0;
    return toward([&](Spot at) { return cog_.is_in_quarter(at) && is_target(at); },
                  [&](Board& targets) { return paint(targets, row, row + reach, col, col + reach); }) ||
           toward(is_target, [&](Board& targets) { return paint(targets, 0, width, 0, width); });
  }

  // Removes useless cells; returns whether others are left.
  bool remove_useless(Board& targets) const {
    if (cog_.useless.empty()) return true;
    for (const Spot at : cog_.useless) targets.remove(grid(), at);
    for (int row = 0; row < grid().width; ++row) {
      for (int word = 0; word < grid().words; ++word) {
        if (targets.row(grid(), row)[word]) return true;
      }
    }
    return false;
  }

  template <typename Has, typename Paint>
  bool toward(const Has& has, const Paint& paint) {
    const int heading = cog_.walker.toward(cog_.memory, scratch_.search, has, paint);
    if (heading == Walker::kNoWay) return false;
    heading_ = heading;
    return true;
  }

  int role() const { return cog_.role; }
  int64_t number(int which) const { return view_.number(sight_, which); }
  int64_t stock(int element) const { return number(kStock + element); }
  int64_t hearts() const { return number(kHearts); }
  bool has_gear() const { return number(kGear + role()); }
  bool has_extractor(int element) const { return !cog_.memory.of_kind(kExtractor + element).empty(); }
  uint64_t frontier(int row, int word) const { return cog_.memory.frontier(row)[word]; }
  const Grid& grid() const { return *cog_.memory.grid; }

  const Sight& sight_;
  const View& view_;
  Cog& cog_;
  Scratch& scratch_;
  int heading_ = kNowhere;
};

}  // namespace starter
