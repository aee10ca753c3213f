// The settled cells: a grid with the height of every column and a hash that changes with each cell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace bitworld::infinite_blocks {

// How many cells and how many runs a piece has cleared.
struct Cleared {
  int cells = 0;
  int runs = 0;
};

class Field {
 public:
  // `run` is the number of cells side by side that clear.
  Field(int width, int height, int run)
      : width_(width),
        height_(height),
        run_(run),
        cells_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
        tops_(static_cast<std::size_t>(width), static_cast<std::int16_t>(height)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  std::uint64_t hash() const { return hash_; }
  const std::vector<std::uint8_t>& cells() const { return cells_; }

  // 0 for an empty cell, else the kind of the piece + 1.
  std::uint8_t at(int x, int y) const { return cells_[index(x, y)]; }

  bool is_blocked(int x, int y) const { return x < 0 || x >= width_ || y < 0 || y >= height_ || cells_[index(x, y)] != 0; }

  void set(int x, int y, std::uint8_t value) {
    write(x, y, value);
    auto& top = tops_[static_cast<std::size_t>(x)];
    if (value != 0) {
      top = std::min(top, static_cast<std::int16_t>(y));
    } else if (top == y) {
      while (top < height_ && at(x, top) == 0) ++top;
    }
  }

  // The row of the highest settled cell in columns `from` to `to`; the height of the field if they are empty.
  int highest(int from, int to) const {
    int row = height_;
    for (int x = std::max(from, 0); x <= std::min(to, width_ - 1); ++x) {
      row = std::min<int>(row, tops_[static_cast<std::size_t>(x)]);
    }
    return row;
  }

  void empty_columns(int from, int to) {
    for (int x = std::max(from, 0); x <= std::min(to, width_ - 1); ++x) {
      for (int y = tops_[static_cast<std::size_t>(x)]; y < height_; ++y) write(x, y, 0);
      tops_[static_cast<std::size_t>(x)] = static_cast<std::int16_t>(height_);
    }
  }

  // Clears every run that meets columns `from` to `to` in row `row` or above. What lies above a cleared cell moves down
  // by one, which can complete further runs; rows below the one that is looked at do not change.
  Cleared clear_runs(int from, int to, int row) {
    Cleared cleared;
    row = std::min(row, height_ - 1);
    from = std::max(from, 0);
    to = std::min(to, width_ - 1);
    while (row >= highest(from, to)) {
      const auto [left, right] = find_run(from, to, row);
      if (left < 0) {
        --row;
        continue;
      }
      for (int x = left; x <= right; ++x) drop_column(x, row);
      cleared.cells += right - left + 1;
      cleared.runs += 1;
      from = std::min(from, left);
      to = std::max(to, right);
    }
    return cleared;
  }

  void clear() {
    std::fill(cells_.begin(), cells_.end(), std::uint8_t{0});
    std::fill(tops_.begin(), tops_.end(), static_cast<std::int16_t>(height_));
    hash_ = 0;
  }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  // A different number for every cell and value; the hash of the field is the sum of them.
  static std::uint64_t key(std::size_t cell, std::uint8_t value) {
    if (value == 0) return 0;
    std::uint64_t mixed = (static_cast<std::uint64_t>(cell) << 3 | value) * 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
    return mixed ^ mixed >> 31;
  }

  void write(int x, int y, std::uint8_t value) {
    const std::size_t cell = index(x, y);
    hash_ += key(cell, value) - key(cell, cells_[cell]);
    cells_[cell] = value;
  }

  // Returns the first run of at least `run_` cells that meets the columns, or (-1, -1).
  std::pair<int, int> find_run(int from, int to, int row) const {
    for (int x = from; x <= to; ++x) {
      if (at(x, row) == 0) continue;
      int left = x;
      int right = x;
      while (left > 0 && at(left - 1, row) != 0) --left;
      while (right + 1 < width_ && at(right + 1, row) != 0) ++right;
      if (right - left + 1 >= run_) return {left, right};
      x = right;
    }
    return {-1, -1};
  }

  void drop_column(int x, int row) {
    const int top = tops_[static_cast<std::size_t>(x)];
    for (int y = row; y > top; --y) write(x, y, at(x, y - 1));
    set(x, top, 0);
  }

  int width_;
  int height_;
  int run_;
  std::vector<std::uint8_t> cells_;  // [height, width]
  std::vector<std::int16_t> tops_;   // [width] row of the highest settled cell, or the height
  std::uint64_t hash_ = 0;
};

}  // namespace bitworld::infinite_blocks
