// The map that a cog builds: its own position, and everything it has seen; see `cogames.policy.memory`.
#pragma once

#include <bit>

#include "sight.hpp"

namespace starter {

// An object that a cog goes to. Objects of other kinds only block the way.
struct Object {
  Spot at;
  uint16_t kinds = 0;
  int32_t seen = 0;  // step of the last sighting
  uint64_t teams = 0;
};

class Memory {
 public:
  void reset() {
    grid = &first_grid();
    ground_.assign(static_cast<size_t>(grid->width * kLayers * grid->words), 0);
    view_goods.fill(-1);
    offset_row_ = offset_col_ = 0;
    position_is_shown_ = false;
    here = Spot{};
    heading = kNowhere;
    blocked_version = 1;
    places_changed = true;
    objects_.clear();
    slots_.assign(kFirstSlots, -1);
    for (std::vector<int32_t>& list : of_kind_) list.clear();
    cogs.clear();
  }

  // Learns from a view; false if the cog is farther from its start than a map can be. `enlarged` is set to the grid before.
  bool look(const Sight& sight, const View& view, int step, const Grid*& enlarged) {
    if (!find_place(sight, view, enlarged)) return false;
    for (size_t i = 0; i < view_goods.size(); ++i) {
      view_goods[i] = sight.goods[i] < 0 ? int16_t{-1} : view.own[static_cast<size_t>(sight.goods[i])];
    }
    look_at_ground(sight, view);
    cogs.clear();
    for (const uint8_t location : view.places) {
      const uint32_t line = location >> 4, cell = 1u << (location & 15);
      if (view.cogs[line] & cell) {
        cogs.push_back(in_window(sight, location));
      } else if (view.objects[line] & cell) {
        const Tag& tag = view.at[location];
        put(in_window(sight, location), tag.kinds, tag.teams, sight.visible[line] & cell ? step : -1);
      }
    }
    return true;
  }

  bool is_blocked(Spot at) const { return bit(layer(grid->row(at), kBlocked), grid->col(at)); }
  bool is_object(Spot at) const { return bit(layer(grid->row(at), kObjects), grid->col(at)); }
  bool is_known(Spot at) const { return bit(layer(grid->row(at), kKnown), grid->col(at)); }
  bool is_frontier(Spot at) const { return bit(layer(grid->row(at), kFrontier), grid->col(at)); }
  bool is_free(Spot at) const { return grid->is_inside(at) && !is_blocked(at); }

  const uint64_t* known(int row) const { return layer(row, kKnown); }
  const uint64_t* blocked(int row) const { return layer(row, kBlocked); }
  // Unknown cells next to known free ones.
  const uint64_t* frontier(int row) const { return layer(row, kFrontier); }

  const std::vector<int32_t>& of_kind(int kind) const { return of_kind_[static_cast<size_t>(kind)]; }
  const Object& object(int32_t number) const { return objects_[static_cast<size_t>(number)]; }

  // Whether a cell is in view, and its location there.
  bool is_visible(const Sight& sight, Spot at, uint8_t& location) const {
    const int row = at.row - here.row + sight.rows, col = at.col - here.col + sight.cols;
    if (row < 0 || col < 0 || row >= sight.height || col >= sight.width) return false;
    location = static_cast<uint8_t>(row << 4 | col);
    return sight.visible[static_cast<size_t>(row)] >> col & 1;
  }

  // The cell the cog moves to now; its own cell if it does not move.
  Spot ahead() const { return heading == kNowhere ? here : here.step(heading); }

  const Grid* grid = nullptr;
  Spot here;
  Heading heading = kNowhere;                                // of the current move
  std::vector<Spot> cogs;                                    // the other cogs in view now
  std::array<int16_t, 1 + kElements + kRoles> view_goods{};  // as the last view showed them; -1 if absent
  uint32_t blocked_version = 1;                              // changes when a cell becomes blocked or free
  bool places_changed = true;                                // since the caller last cleared it: any object with a kind

 private:
  // The layers of a row lie side by side: a step touches few rows, and all layers of them.
  enum Layer { kKnown, kBlocked, kObjects, kFrontier, kLayers };
  static constexpr size_t kFirstSlots = 64;

  static const Grid& first_grid() { return grids()[0]; }
  static const std::array<Grid, 5>& grids() {
    static const std::array<Grid, 5> all{Grid(kFirstReach), Grid(2 * kFirstReach), Grid(4 * kFirstReach), Grid(8 * kFirstReach),
                                         Grid(kLastReach)};
    return all;
  }

  uint64_t* layer(int row, Layer which) { return &ground_[static_cast<size_t>((row * kLayers + which) * grid->words)]; }
  const uint64_t* layer(int row, Layer which) const {
    return &ground_[static_cast<size_t>((row * kLayers + which) * grid->words)];
  }

  Spot in_window(const Sight& sight, uint8_t location) const {
    return Spot{static_cast<int16_t>(here.row + (location >> 4) - sight.rows),
                static_cast<int16_t>(here.col + (location & 15) - sight.cols)};
  }

  // The cog's position: as the game shows it, otherwise by counting its own steps.
  bool find_place(const Sight& sight, const View& view, const Grid*& enlarged) {
    if (heading != kNowhere && view.number(sight, kMoved)) {
      offset_row_ += kRowStep[heading];
      offset_col_ += kColStep[heading];
    }
    const int north = view.value(sight.position[kNorth]), east = view.value(sight.position[kEast]);
    const int south = view.value(sight.position[kSouth]), west = view.value(sight.position[kWest]);
    position_is_shown_ |= north || east || south || west;
    if (position_is_shown_ && std::max({north, east, south, west}) < 255) {
      offset_row_ = south - north;
      offset_col_ = east - west;
    }
    const int margin = std::max(sight.rows, sight.cols) + 1;
    while (!grid->contains(offset_row_, offset_col_, margin)) {
      if (grid->reach == kLastReach) return false;
      if (!enlarged) enlarged = grid;
      enlarge();
    }
    here = Spot{static_cast<int16_t>(offset_row_), static_cast<int16_t>(offset_col_)};
    return true;
  }

  void look_at_ground(const Sight& sight, const View& view) {
    const int words = grid->words, top = grid->row(here) - sight.rows, left = grid->col(here) - sight.cols;
    int first_changed = grid->width, last_changed = -1;
    bool is_blocking_changed = false;
    for (int line = 0; line < sight.height; ++line) {
      const size_t i = static_cast<size_t>(line);
      const uint32_t seen = sight.visible[i], objects = view.objects[i];
      uint64_t* const row = layer(top + line, kKnown);
      const uint32_t unseen = seen & ~field(row, words, left);
      const uint32_t blocked = field(row + kBlocked * words, words, left);
      const uint32_t turned = blocked ^ ((blocked & ~seen) | view.walls[i] | objects);
      const uint32_t stood = field(row + kObjects * words, words, left);
      const uint32_t now = (stood & ~seen) | objects;
      if (stood != now) {
        for (uint32_t gone = stood & ~now; gone; gone &= gone - 1) {
          remove(grid->spot(top + line, left + std::countr_zero(gone)));
        }
        flip(row + kObjects * words, words, left, stood ^ now);
      }
      if (!(unseen | turned)) continue;
      flip(row, words, left, unseen);
      flip(row + kBlocked * words, words, left, turned);
      is_blocking_changed |= turned != 0;
      first_changed = std::min(first_changed, top + line);
      last_changed = top + line;
    }
    if (is_blocking_changed) ++blocked_version;
    for (int row = first_changed - 1; row <= last_changed + 1; ++row) {
      if (grid->is_row_inside(row)) update_frontier(row);
    }
  }

  void update_frontier(int row) {
    const int words = grid->words;
    const uint64_t* const above = layer(row - 1, kKnown);
    const uint64_t* const below = layer(row + 1, kKnown);
    uint64_t* const middle = layer(row, kKnown);
    // The outermost cells are unknown, so no carry leaves a row.
    const auto open = [&](const uint64_t* cells, int word) { return cells[word] & ~cells[kBlocked * words + word]; };
    uint64_t before = 0, now = open(middle, 0);
    for (int word = 0; word < words; ++word) {
      const uint64_t after = word + 1 < words ? open(middle, word + 1) : 0;
      const uint64_t beside = now << 1 | before >> 63 | now >> 1 | after << 63;
      middle[kFrontier * words + word] =
          (open(above, word) | open(below, word) | beside) & ~middle[word] & grid->cols_inside[static_cast<size_t>(word)];
      before = now;
      now = after;
    }
  }

  void enlarge() {
    const Grid& old = *grid;
    const Grid& larger =
        *std::find_if(grids().begin(), grids().end(), [&](const Grid& other) { return other.reach > old.reach; });
    std::vector<uint64_t> moved(static_cast<size_t>(larger.width * kLayers * larger.words), 0);
    const int by = larger.reach - old.reach;
    for (int row = 0; row < old.width; ++row) {
      for (int which = 0; which < kLayers; ++which) {
        add_shifted(layer(row, static_cast<Layer>(which)), old.words,
                    &moved[static_cast<size_t>(((row + by) * kLayers + which) * larger.words)], larger.words, by);
      }
    }
    ground_.swap(moved);
    grid = &larger;
    ++blocked_version;
    places_changed = true;
  }

  // Stores what stands in a cell; `step` is negative for a cell out of view.
  void put(Spot at, uint16_t kinds, uint64_t teams, int step) {
    int32_t number = find(at);
    if (number < 0) {
      if (!kinds) return;
      number = insert(at);
    }
    Object& object = objects_[static_cast<size_t>(number)];
    if (step >= 0) object.seen = step;
    if (object.kinds == kinds && object.teams == teams) return;
    places_changed = true;
    if (object.kinds != kinds) list(number, object.kinds, kinds);
    object.kinds = kinds;
    object.teams = teams;
  }

  void remove(Spot at) {
    const int32_t number = find(at);
    if (number < 0 || !objects_[static_cast<size_t>(number)].kinds) return;
    places_changed = true;
    list(number, objects_[static_cast<size_t>(number)].kinds, 0);
    objects_[static_cast<size_t>(number)].kinds = 0;
  }

  void list(int32_t number, uint16_t before, uint16_t now) {
    for (size_t kind = 0; kind < kKinds; ++kind) {
      const bool was = before >> kind & 1, is = now >> kind & 1;
      if (was && !is) std::erase(of_kind_[kind], number);
      if (is && !was) of_kind_[kind].push_back(number);
    }
  }

  // Objects are found by a hash of their place, with open addressing; a place stays in the table when its object goes.
  size_t first_slot(Spot at) const {
    const uint32_t key = static_cast<uint32_t>(static_cast<uint16_t>(at.row)) << 16 | static_cast<uint16_t>(at.col);
    return (key * 2654435761u >> 12) & (slots_.size() - 1);
  }

  int32_t find(Spot at) const {
    for (size_t slot = first_slot(at);; slot = (slot + 1) & (slots_.size() - 1)) {
      const int32_t number = slots_[slot];
      if (number < 0 || objects_[static_cast<size_t>(number)].at == at) return number;
    }
  }

  int32_t insert(Spot at) {
    if (2 * (objects_.size() + 1) > slots_.size()) {
      slots_.assign(2 * slots_.size(), -1);
      for (size_t i = 0; i < objects_.size(); ++i) occupy(objects_[i].at, static_cast<int32_t>(i));
    }
    objects_.push_back(Object{.at = at});
    occupy(at, static_cast<int32_t>(objects_.size() - 1));
    return static_cast<int32_t>(objects_.size() - 1);
  }

  void occupy(Spot at, int32_t number) {
    size_t slot = first_slot(at);
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = number;
  }

  std::vector<uint64_t> ground_;  // [row][layer][word]
  int offset_row_ = 0, offset_col_ = 0;
  bool position_is_shown_ = false;
  std::vector<Object> objects_;
  std::vector<int32_t> slots_;
  std::array<std::vector<int32_t>, kKinds> of_kind_;
};

}  // namespace starter
