// Squares of cells with a bit for each cell, as `cogames.policy.cells` has them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace starter {

enum Heading : uint8_t { kNorth, kEast, kSouth, kWest, kHeadings, kNowhere = kHeadings };
inline constexpr int kRowStep[kHeadings] = {-1, 0, 1, 0};
inline constexpr int kColStep[kHeadings] = {0, 1, 0, -1};

// A cell, by rows and columns from where the cog started.
struct Spot {
  int16_t row = 0, col = 0;
  bool operator==(const Spot&) const = default;
  Spot step(Heading heading, int sign = 1) const {
    return Spot{static_cast<int16_t>(row + sign * kRowStep[heading]), static_cast<int16_t>(col + sign * kColStep[heading])};
  }
};

inline constexpr int kFirstReach = 40, kLastReach = 640;  // cells to each side; doubled when the cog gets near the edge
inline constexpr int kWordsMax = 2 * kLastReach / 64;

// The size of a square and the place of a cell in it. The outermost ring is never part of a set.
struct Grid {
  explicit Grid(int cells_to_each_side) : reach(cells_to_each_side), width(2 * reach), words((width + 63) / 64) {
    for (int col = 1; col < width - 1; ++col) cols_inside[static_cast<size_t>(col >> 6)] |= uint64_t{1} << (col & 63);
  }

  int reach, width;
  int words;  // of a row
  std::array<uint64_t, kWordsMax> cols_inside{};

  int row(Spot at) const { return at.row + reach; }
  int col(Spot at) const { return at.col + reach; }
  Spot spot(int row, int col) const { return Spot{static_cast<int16_t>(row - reach), static_cast<int16_t>(col - reach)}; }
  bool is_row_inside(int row) const { return row >= 1 && row < width - 1; }
  bool is_inside(Spot at) const { return is_row_inside(row(at)) && col(at) >= 1 && col(at) < width - 1; }
  // Whether the cell lies inside with at least `margin` cells around it.
  bool contains(int at_row, int at_col, int margin) const {
    const int limit = reach - 1 - margin;
    return -limit <= at_row && at_row < limit && -limit <= at_col && at_col < limit;
  }
};

inline bool bit(const uint64_t* row, int col) { return row[col >> 6] >> (col & 63) & 1; }

// A row of up to 16 cells from a column on, and the exclusive or of such a row.
inline uint32_t field(const uint64_t* row, int words, int col) {
  const int word = col >> 6, shift = col & 63;
  uint64_t cells = row[word] >> shift;
  if (shift > 48 && word + 1 < words) cells |= row[word + 1] << (64 - shift);
  return static_cast<uint32_t>(cells & 0xFFFF);
}

inline void flip(uint64_t* row, int words, int col, uint32_t cells) {
  const int word = col >> 6, shift = col & 63;
  row[word] ^= uint64_t{cells} << shift;
  if (shift > 48 && word + 1 < words) row[word + 1] ^= uint64_t{cells} >> (64 - shift);
}

// Adds the cells of a row of a smaller grid to a row of a larger one, `by` columns to the right.
inline void add_shifted(const uint64_t* from, int from_words, uint64_t* to, int to_words, int by) {
  const int shift = by & 63;
  for (int word = 0; word < from_words; ++word) {
    const int into = word + (by >> 6);
    if (into < to_words) to[into] |= from[word] << shift;
    if (shift && into + 1 < to_words) to[into + 1] |= from[word] >> (64 - shift);
  }
}

// One set of cells.
class Board {
 public:
  void clear(const Grid& grid) { cells_.assign(static_cast<size_t>(grid.width * grid.words), 0); }
  uint64_t* row(const Grid& grid, int number) { return &cells_[static_cast<size_t>(number * grid.words)]; }
  const uint64_t* row(const Grid& grid, int number) const { return &cells_[static_cast<size_t>(number * grid.words)]; }
  bool has(const Grid& grid, Spot at) const { return bit(row(grid, grid.row(at)), grid.col(at)); }
  void add(const Grid& grid, Spot at) { row(grid, grid.row(at))[grid.col(at) >> 6] |= uint64_t{1} << (grid.col(at) & 63); }
  void remove(const Grid& grid, Spot at) {
    row(grid, grid.row(at))[grid.col(at) >> 6] &= ~(uint64_t{1} << (grid.col(at) & 63));
  }

  // Adds the cells within Euclidean distance `radius`, clipped to the inside of the grid.
  void add_disc(const Grid& grid, Spot centre, int radius) {
    for (int by = -radius, half = 0; by <= radius; ++by) {
      while ((half + 1) * (half + 1) + by * by <= radius * radius) ++half;
      while (half * half + by * by > radius * radius) --half;
      const int at = grid.row(centre) + by;
      if (!grid.is_row_inside(at)) continue;
      const int first = std::max(1, grid.col(centre) - half), last = std::min(grid.width - 2, grid.col(centre) + half);
      uint64_t* cells = row(grid, at);
      for (int word = first >> 6; word <= last >> 6; ++word) {
        const int low = std::max(first - 64 * word, 0), high = std::min(last - 64 * word, 63);
        cells[word] |= (~uint64_t{0} >> (63 - high + low)) << low;
      }
    }
  }

  void move_to(const Grid& larger, const Grid& grid) {
    if (cells_.empty()) return;
    Board moved;
    moved.clear(larger);
    const int by = larger.reach - grid.reach;
    for (int number = 0; number < grid.width; ++number) {
      add_shifted(row(grid, number), grid.words, moved.row(larger, number + by), larger.words, by);
    }
    cells_.swap(moved.cells_);
  }

 private:
  std::vector<uint64_t> cells_;  // row by row
};

}  // namespace starter
