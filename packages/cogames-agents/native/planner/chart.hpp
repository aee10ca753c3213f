// The team's map: cells, objects and territory, in a frame of its own that grows when a cog walks off it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "vocabulary.hpp"

namespace planner {

enum Ground : uint8_t { kUnknown, kFree, kBlocked, kObject };

struct Spot {
  int16_t row = 0, col = 0;
  bool operator==(const Spot&) const = default;
};

inline int walk(Spot a, Spot b) { return std::abs(a.row - b.row) + std::abs(a.col - b.col); }
inline int square(Spot a, Spot b) {
  const int rows = a.row - b.row, cols = a.col - b.col;
  return rows * rows + cols * cols;
}

// How far the territory of an object reaches.
inline int strength(Kind kind) { return kind == kHub ? 20 : 10; }

struct Object {
  Spot at;
  Kind kind = kNothing;
  bool exists = true;
  int8_t projects = 0;  // sign of the influence that is on the map
  uint8_t lanes = 0;
  uint32_t teams = 0;
  int32_t content = 0;
  int32_t seen = 0;           // step of the last sighting
  int32_t useless_until = 0;  // step until which using it again is pointless
  int16_t claimed_by = -1;    // cog
  uint16_t uses = 0;          // by cogs that did not know what it does
};

class Chart {
 public:
  Chart() { resize(7); }

  int shift() const { return shift_; }
  int size() const { return 1 << (2 * shift_); }
  int cell(Spot at) const { return ((at.row + half_) << shift_) | (at.col + half_); }
  Spot spot(int cell) const {
    return Spot{static_cast<int16_t>((cell >> shift_) - half_), static_cast<int16_t>((cell & ((1 << shift_) - 1)) - half_)};
  }
  int step(Heading heading) const { return kRowStep[heading] * (1 << shift_) + kColStep[heading]; }

  Ground ground(int cell) const { return static_cast<Ground>(ground_[static_cast<size_t>(cell)]); }
  Ground* row_at(int cell) { return reinterpret_cast<Ground*>(&ground_[static_cast<size_t>(cell)]); }
  int object_at(int cell) const {
    return ground_[static_cast<size_t>(cell)] == kObject ? index_[static_cast<size_t>(cell)] : -1;
  }
  int object_at(Spot at) const { return contains(at) ? object_at(cell(at)) : -1; }
  bool contains(Spot at) const { return std::abs(at.row) < half_ - 1 && std::abs(at.col) < half_ - 1; }

  // Our influence minus theirs, in sixteenths.
  int influence(int cell) const { return influence_[static_cast<size_t>(cell)]; }

  // The step in which a cog was last around a cell: in its block of 4 by 4 cells.
  int visited(int cell) const { return visited_[static_cast<size_t>(block(cell))]; }
  void visit(int cell, int step) { visited_[static_cast<size_t>(block(cell))] = step; }

  std::vector<Object> objects;
  int changes = 0;  // of the ground

  // Makes room for everything within `margin` of a spot; false if it is too far away.
  bool reach(Spot at, int margin) {
    while (std::abs(at.row) + margin >= half_ - 1 || std::abs(at.col) + margin >= half_ - 1) {
      if (shift_ >= kLargestShift) return false;
      resize(shift_ + 1);
    }
    return true;
  }

  void set_ground(int cell, Ground ground) {
    ground_[static_cast<size_t>(cell)] = ground;
    ++changes;
  }

  int add(Spot at, Kind kind) {
    const int number = static_cast<int>(objects.size());
    Object object;
    object.at = at;
    object.kind = kind;
    objects.push_back(object);
    set_ground(cell(at), kObject);
    index_[static_cast<size_t>(cell(at))] = static_cast<uint16_t>(number);
    return number;
  }

  void remove(int number) {
    Object& object = objects[static_cast<size_t>(number)];
    object.exists = false;
    set_ground(cell(object.at), kFree);
  }

  // Adds (sign 1) or takes back (-1) the influence of a source of strength `reach`.
  void project(Spot at, int reach, int sign) {
    const std::vector<int16_t>& disc = disc_of(reach);
    const int side = 2 * reach + 1;
    for (int row = std::max(-reach, -half_ - at.row); row <= reach && at.row + row < half_; ++row) {
      for (int col = std::max(-reach, -half_ - at.col); col <= reach && at.col + col < half_; ++col) {
        const int here = cell(Spot{static_cast<int16_t>(at.row + row), static_cast<int16_t>(at.col + col)});
        int16_t& value = influence_[static_cast<size_t>(here)];
        value = static_cast<int16_t>(value + sign * disc[static_cast<size_t>((row + reach) * side + col + reach)]);
      }
    }
  }

 private:
  static constexpr int kLargestShift = 11;  // 1024 cells to each side; games have smaller maps

  void resize(int shift) {
    const int old_shift = shift_, old_half = half_;
    const std::vector<uint8_t> ground = std::move(ground_);
    const std::vector<uint16_t> index = std::move(index_);
    shift_ = shift;
    half_ = 1 << (shift - 1);
    ground_.assign(static_cast<size_t>(size()), kUnknown);
    index_.assign(static_cast<size_t>(size()), 0);
    influence_.assign(static_cast<size_t>(size()), 0);
    visited_.assign(static_cast<size_t>(size() >> 4), 0);
    for (int row = -old_half; row < old_half; ++row) {
      const size_t from = static_cast<size_t>((row + old_half) << old_shift);
      const size_t to = static_cast<size_t>(cell(Spot{static_cast<int16_t>(row), static_cast<int16_t>(-old_half)}));
      const size_t count = static_cast<size_t>(2 * old_half);
      std::copy_n(ground.begin() + static_cast<ptrdiff_t>(from), count, ground_.begin() + static_cast<ptrdiff_t>(to));
      std::copy_n(index.begin() + static_cast<ptrdiff_t>(from), count, index_.begin() + static_cast<ptrdiff_t>(to));
    }
    for (const Object& object : objects) {
      if (object.projects) project(object.at, strength(object.kind), object.projects);
    }
  }

  static const std::vector<int16_t>& disc_of(int reach) {
    static const std::vector<int16_t> hub = make_disc(20), junction = make_disc(10);
    return reach == 20 ? hub : junction;
  }

  static std::vector<int16_t> make_disc(int reach) {
    std::vector<int16_t> disc;
    for (int row = -reach; row <= reach; ++row) {
      for (int col = -reach; col <= reach; ++col) {
        const int squared = 256 * (row * row + col * col);  // of sixteenths
        int root = 0;
        while ((root + 1) * (root + 1) <= squared) ++root;
        disc.push_back(static_cast<int16_t>(std::max(0, 16 * reach - root)));
      }
    }
    return disc;
  }

  int block(int cell) const { return (cell >> (shift_ + 2) << (shift_ - 2)) | ((cell & ((1 << shift_) - 1)) >> 2); }

  int shift_ = 0, half_ = 0;
  std::vector<uint8_t> ground_;
  std::vector<uint16_t> index_;
  std::vector<int16_t> influence_;
  std::vector<int32_t> visited_;
};

}  // namespace planner
