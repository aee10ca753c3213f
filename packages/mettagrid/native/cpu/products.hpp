// Products of matrices, float32. Results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cpu/vectors.hpp"
#include "cpu/workers.hpp"

namespace cpu {

inline constexpr int64_t kTileRows = 8, kTileColumns = 2 * kLanes;

using Floats = std::vector<float>;

MG_INLINE int64_t round_up(int64_t number, int64_t step) { return (number + step - 1) / step * step; }
MG_INLINE void copy(float* to, const float* from, int64_t count) {
  std::memcpy(to, from, sizeof(float) * static_cast<std::size_t>(count));
}
MG_INLINE void clear(float* to, int64_t count) { std::memset(to, 0, sizeof(float) * static_cast<std::size_t>(count)); }
inline void resize(Floats& floats, int64_t count) { floats.resize(static_cast<std::size_t>(count)); }

// Writes to[i * to_step + j] = from[j * from_step + i] for all i < rows and j < columns.
inline void transpose(const float* from, int64_t from_step, int64_t rows, int64_t columns, float* to, int64_t to_step) {
  constexpr int64_t kBlock = 16;  // a cache line is written at once, while 16 are read one after the other
  for (int64_t block = 0; block < columns; block += kBlock) {
    const int64_t last = std::min(columns, block + kBlock);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = block; j < last; ++j) to[i * to_step + j] = from[j * from_step + i];
    }
  }
}

// Adds the product of [kTileRows][inner] and [inner][kTileColumns] to a tile. Element (r, i) of the left one is
// left[r * row_step + i * inner_step]; rows of the right one are contiguous, those of the tile `out_step` apart.
template <class Wide>
MG_INLINE void add_tile(Wide, const float* left, int64_t row_step, int64_t inner_step, const float* right, int64_t inner,
                        float* out, int64_t out_step) {
  // As many sums as fit in the registers.
  constexpr int64_t kRows = Wide::value ? kTileRows : kTileRows / 2, kVectors = Wide::value ? 2 : 1;
  for (int64_t row = 0; row < kTileRows; row += kRows) {
    for (int64_t column = 0; column < kTileColumns; column += kVectors * kLanes) {
      Lanes sums[std::size_t{kRows}][std::size_t{kVectors}];
      float* const to = out + row * out_step + column;
#pragma GCC unroll 8
      for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
        for (int64_t v = 0; v < kVectors; ++v) load(sums[r][v], to + r * out_step + v * kLanes);
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
  // The content is in `storage`, which can be reused for other panels later.
  Panels(Floats& storage, int64_t inner, int64_t columns)
      : inner_(inner), columns_(round_up(columns, kTileColumns)), storage_(storage) {
    resize(storage, inner * columns_);
    if (columns_ != columns) clear(storage.data(), inner * columns_);
  }

  int64_t inner() const { return inner_; }
  int64_t columns() const { return columns_; }

  // Elements of a row are contiguous up to the end of their panel.
  float* at(int64_t row, int64_t column) {
    return storage_.data() + (column / kTileColumns * inner_ + row) * kTileColumns + column % kTileColumns;
  }

  // Copies a matrix [rows][columns] to these rows and columns; `first_column` is a multiple of `kTileColumns`.
  void fill(const float* matrix, int64_t first_row, int64_t first_column, int64_t rows, int64_t columns) {
    for (int64_t j = 0; j < columns; j += kTileColumns) {
      float* to = at(first_row, first_column + j);
      const int64_t used = std::min(kTileColumns, columns - j);
      for (int64_t i = 0; i < rows; ++i) copy(to + i * kTileColumns, matrix + i * columns + j, used);
    }
  }
  // Copies the transpose of a matrix [columns][rows], whose rows are `step` apart, to these rows.
  void fill_transposed(const float* matrix, int64_t step, int64_t first_row, int64_t rows, int64_t columns) {
    for (int64_t j = 0; j < columns; j += kTileColumns) {
      transpose(matrix + j * step, step, rows, std::min(kTileColumns, columns - j), at(first_row, j), kTileColumns);
    }
  }

  // Adds left [rows][inner] times the first `inner` rows of this to out [rows][columns()]; `rows` is a multiple of
  // `kTileRows`.
  template <class Wide>
  MG_INLINE void add_product(Wide wide, int64_t rows, int64_t inner, const float* left, float* out) const {
    for (int64_t column = 0; column < columns_; column += kTileColumns) {
      const float* panel = storage_.data() + column * inner_;
      for (int64_t row = 0; row < rows; row += kTileRows) {
        add_tile(wide, left + row * inner, inner, 1, panel, inner, out + row * columns_ + column, columns_);
      }
    }
  }

 private:
  int64_t inner_, columns_;
  Floats& storage_;
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

// Writes the gradients of the weight [rows][columns] and the bias [rows] of a linear layer, from that of its outputs
// [inner][rows] and its inputs [inner][columns]; `of_bias` may be null.
inline void weight_gradients(const float* of_outputs, const float* inputs, int64_t inner, int64_t rows, int64_t columns,
                             float* of_weight, float* of_bias, Workers& workers) {
  constexpr int64_t kBlock = 128;  // of the inner dimension; what is used again then stays in the cache
  const int64_t piece = round_up((rows + workers.threads() - 1) / workers.threads(), kTileRows);
  workers.share(static_cast<int32_t>((rows + piece - 1) / piece), [&](int32_t number) {
    vectorized([&](auto wide) __attribute__((always_inline)) {
      const int64_t first = number * piece, count = std::min(piece, rows - first), padded = round_up(count, kTileRows);
      const int64_t width = round_up(columns, kTileColumns);
      Floats sums(static_cast<std::size_t>(padded * width)), panel(std::size_t{kBlock * kTileColumns});
      Floats tiles(static_cast<std::size_t>(padded * kBlock)), total(static_cast<std::size_t>(padded));
      for (int64_t start = 0; start < inner; start += kBlock) {
        const int64_t size = std::min(kBlock, inner - start);
        for (int64_t i = 0; i < size; ++i) {  // tile by tile: with steps of `rows` numbers, few cache lines would be used
          const float* from = of_outputs + (start + i) * rows + first;
          float* to = tiles.data() + i * kTileRows;
          int64_t row = 0;
          for (; row + kTileRows <= count; row += kTileRows) copy(to + row * kBlock, from + row, kTileRows);
          if (row < count) copy(to + row * kBlock, from + row, count - row);
          for (int64_t r = 0; r < count; ++r) total[static_cast<std::size_t>(r)] += from[r];
        }
        for (int64_t column = 0; column < width; column += kTileColumns) {
          const float* from = inputs + start * columns + column;
          const int64_t used = std::min(kTileColumns, columns - column);
          for (int64_t i = 0; i < size; ++i) copy(panel.data() + i * kTileColumns, from + i * columns, used);
          for (int64_t row = 0; row < padded; row += kTileRows) {
            add_tile(wide, tiles.data() + row * kBlock, 1, kTileRows, panel.data(), size, sums.data() + row * width + column,
                     width);
          }
        }
      }
      for (int64_t r = 0; r < count; ++r) copy(of_weight + (first + r) * columns, sums.data() + r * width, columns);
      if (of_bias != nullptr) copy(of_bias + first, total.data(), count);
    });
  });
}

}  // namespace cpu
