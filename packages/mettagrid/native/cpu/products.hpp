// Products of matrices. Results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cpu/bfloat16.hpp"
#include "cpu/vectors.hpp"
#include "cpu/workers.hpp"

namespace cpu {

inline constexpr int64_t kTileRows = 8, kTileColumns = 2 * kLanes;

using Floats = std::vector<float>;
using Pairs = std::vector<bfloat16::Pair>;

// The factors of products; sums are float32 with both.
enum class Precision { k_float32, k_bfloat16 };

MG_INLINE int64_t round_up(int64_t number, int64_t step) { return (number + step - 1) / step * step; }
template <class Number>
MG_INLINE void copy(Number* to, const Number* from, int64_t count) {
  std::memcpy(to, from, sizeof(Number) * static_cast<std::size_t>(count));
}
MG_INLINE void clear(float* to, int64_t count) { std::memset(to, 0, sizeof(float) * static_cast<std::size_t>(count)); }
template <class Number>
void resize(std::vector<Number>& numbers, int64_t count) {
  numbers.resize(static_cast<std::size_t>(count));
}

// Writes to[i * to_step + j] = from[j * from_step + i] for all i < rows and j < columns.
template <class Number>
void transpose(const Number* from, int64_t from_step, int64_t rows, int64_t columns, Number* to, int64_t to_step) {
  constexpr int64_t kBlock = 16;  // a cache line is written at once, while 16 are read one after the other
  for (int64_t block = 0; block < columns; block += kBlock) {
    const int64_t last = std::min(columns, block + kBlock);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = block; j < last; ++j) to[i * to_step + j] = from[j * from_step + i];
    }
  }
}

// Writes a tile: the product of [kTileRows][inner] and [inner][kTileColumns], plus `start`. Element (r, i) of the left one is
// left[r * row_step + i * inner_step]; rows of the right one are contiguous, the others `start_step` and `out_step` apart.
template <class Wide>
MG_INLINE void multiply_tile(Wide, const float* left, int64_t row_step, int64_t inner_step, const float* right, int64_t inner,
                             const float* start, int64_t start_step, float* out, int64_t out_step) {
  // As many sums as fit in the registers.
  constexpr int64_t kRows = Wide::value ? kTileRows : kTileRows / 2, kVectors = Wide::value ? 2 : 1;
  for (int64_t row = 0; row < kTileRows; row += kRows) {
    for (int64_t column = 0; column < kTileColumns; column += kVectors * kLanes) {
      Lanes sums[std::size_t{kRows}][std::size_t{kVectors}];
      const float* const from = start + row * start_step + column;
      float* const to = out + row * out_step + column;
#pragma GCC unroll 8
      for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
        for (int64_t v = 0; v < kVectors; ++v) load(sums[r][v], from + r * start_step + v * kLanes);
      }
      const float* numbers = left + row * row_step;
      const float* vectors = right + column;
      for (int64_t i = 0; i < inner; ++i, numbers += inner_step, vectors += kTileColumns) {
        Lanes factors[std::size_t{kVectors}];
#pragma GCC unroll 2
        for (int64_t v = 0; v < kVectors; ++v) load(factors[v], vectors + v * kLanes);
#pragma GCC unroll 8
        for (int64_t r = 0; r < kRows; ++r) {
          const float number = numbers[r * row_step];
#pragma GCC unroll 2
          for (int64_t v = 0; v < kVectors; ++v) sums[r][v] += factors[v] * number;
        }
      }
#pragma GCC unroll 8
      for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
        for (int64_t v = 0; v < kVectors; ++v) store(to + r * out_step + v * kLanes, sums[r][v]);
      }
    }
  }
}

// A matrix [inner][columns] in panels of `kTileColumns` columns, padded with zeros: the right side of a product.
class Panels {
 public:
  // The content of panels; it can be reused for others later.
  struct Storage {
    Floats floats;
    Pairs pairs;
  };

  // Products are in float32 where bfloat16 is not available or the rows are not pairs.
  Panels(Storage& storage, Precision precision, int64_t inner, int64_t columns)
      : is_rounded_(precision == Precision::k_bfloat16 && bfloat16::is_available() && inner % 2 == 0),
        inner_(inner),
        columns_(round_up(columns, kTileColumns)),
        storage_(storage) {
    if (is_rounded_) {
      resize(storage.pairs, inner / 2 * columns_);
      if (columns_ != columns) std::fill(storage.pairs.begin(), storage.pairs.end(), 0u);
    } else {
      resize(storage.floats, inner * columns_);
      if (columns_ != columns) clear(storage.floats.data(), inner * columns_);
    }
  }

  int64_t inner() const { return inner_; }
  int64_t columns() const { return columns_; }

  // Elements of a row are contiguous up to the end of their panel. Only float32 panels have them.
  float* at(int64_t row, int64_t column) {
    return storage_.floats.data() + (column / kTileColumns * inner_ + row) * kTileColumns + column % kTileColumns;
  }

  // Copies a matrix [rows][columns] to these rows and columns; `first_column` is a multiple of `kTileColumns`. With bfloat16,
  // `first_row` and `rows` are even.
  void fill(const float* matrix, int64_t first_row, int64_t first_column, int64_t rows, int64_t columns) {
    for (int64_t j = 0; j < columns; j += kTileColumns) {
      const int64_t used = std::min(kTileColumns, columns - j);
      if (is_rounded_) {
        bfloat16::Pair* to = pair_at(first_row, first_column + j);
        for (int64_t i = 0; i < rows; i += 2, to += kTileColumns) {
          bfloat16::round_rows(matrix + i * columns + j, matrix + (i + 1) * columns + j, used, to);
        }
      } else {
        float* to = at(first_row, first_column + j);
        for (int64_t i = 0; i < rows; ++i) copy(to + i * kTileColumns, matrix + i * columns + j, used);
      }
    }
  }
  // Copies the transpose of a matrix [columns][rows] to these rows. With bfloat16, `first_row` and `rows` are even.
  void fill_transposed(const float* matrix, int64_t step, int64_t first_row, int64_t rows, int64_t columns) {
    Pairs line(is_rounded_ ? static_cast<std::size_t>(kTileColumns * rows / 2) : 0);
    for (int64_t j = 0; j < columns; j += kTileColumns) {
      const int64_t used = std::min(kTileColumns, columns - j);
      if (is_rounded_) {
        for (int64_t c = 0; c < used; ++c) bfloat16::round(matrix + (j + c) * step, rows, line.data() + c * rows / 2);
        transpose(line.data(), rows / 2, rows / 2, used, pair_at(first_row, j), kTileColumns);
      } else {
        transpose(matrix + j * step, step, rows, used, at(first_row, j), kTileColumns);
      }
    }
  }

  // Writes out [rows][columns()]: left [rows][inner], whose rows are `left_step` apart, times the first `inner` rows of this,
  // plus `start` [columns()] in each row; `rows` is a multiple of `kTileRows`.
  template <class Wide>
  MG_INLINE void multiply(Wide wide, int64_t rows, int64_t inner, const float* left, int64_t left_step, const float* start,
                          float* out) const {
    if (is_rounded_) {
      thread_local Pairs rounded;
      resize(rounded, rows * inner / 2);
      for (int64_t row = 0; row < rows; ++row) {
        bfloat16::round(left + row * left_step, inner, rounded.data() + row * inner / 2);
      }
      for (int64_t column = 0; column < columns_; column += kTileColumns) {
        const bfloat16::Pair* panel = storage_.pairs.data() + column * (inner_ / 2);
        bfloat16::multiply(rows, rounded.data(), inner / 2, 1, panel, inner / 2, start + column, 0, out + column, columns_);
      }
      return;
    }
    for (int64_t column = 0; column < columns_; column += kTileColumns) {
      const float* panel = storage_.floats.data() + column * inner_;
      for (int64_t row = 0; row < rows; row += kTileRows) {
        multiply_tile(wide, left + row * left_step, left_step, 1, panel, inner, start + column, 0,
                      out + row * columns_ + column, columns_);
      }
    }
  }

 private:
  bfloat16::Pair* pair_at(int64_t row, int64_t column) {
    return storage_.pairs.data() + (column / kTileColumns * inner_ + row) / 2 * kTileColumns;
  }

  bool is_rounded_;
  int64_t inner_, columns_;
  Storage& storage_;
};

// Calls work(wide, first row, number of rows) for pieces of at most 32 rows.
template <class Work>
void share_rows(Workers& workers, int64_t rows, const Work& work) {
  const int64_t piece = std::clamp(round_up(rows / workers.threads(), kTileRows), kTileRows, 4 * kTileRows);
  workers.share(static_cast<int32_t>((rows + piece - 1) / piece), [&](int32_t number) {
    vectorized([&](auto wide)
                   __attribute__((always_inline)) { work(wide, number * piece, std::min(piece, rows - number * piece)); });
  });
}

}  // namespace cpu
