// The sum over the used tokens of observations: the first layer of the network `sparse`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cpu/vectors.hpp"
#include "cpu/workers.hpp"

namespace cpu {

// Calls work(number of vectors, first column) for all columns up to `last`; with 0 vectors it is a single column.
template <class Work>
MG_INLINE void by_columns(int64_t column, int64_t last, const Work& work) {
  for (; column + 8 * kLanes <= last; column += 8 * kLanes) work(std::integral_constant<std::size_t, 8>{}, column);
  for (; column + 4 * kLanes <= last; column += 4 * kLanes) work(std::integral_constant<std::size_t, 4>{}, column);
  for (; column + kLanes <= last; column += kLanes) work(std::integral_constant<std::size_t, 1>{}, column);
  for (; column < last; ++column) work(std::integral_constant<std::size_t, 0>{}, column);
}

// How the tokens of a game are read.
struct TokenTables {
  static constexpr uint8_t kGlobal = 0xFE, kUnused = 0xFF;

  const int32_t* kinds;       // [65536] by feature * 256 + value: 0 if unknown, else 1 + its row
  const int64_t* places;      // [512] by location, and by 256 + location for tokens of `memory_feature`: a row, or
                              // `num_places` and above if there is none
  const int32_t* magnitudes;  // [256] by feature: a row
  const float* scales;        // [256] by feature: the factor of a value
  int32_t own_location, memory_feature;
  int64_t num_places;
};

struct Observations {
  const uint8_t* data;  // [count][tokens][3]
  int64_t count, tokens;
  int64_t stride;  // bytes from one observation to the next
};

// The rows of an embedding [rows][width] in bfloat16: half as much memory to read. A number has columns j and j + 16, in the
// low and the high half, so that both become floats with one instruction; the width is a multiple of `kColumns`.
class RoundedRows {
 public:
  using Pair = uint32_t;
  static constexpr int64_t kColumns = 2 * kLanes;

  void fill(const float* rows, int64_t count, int64_t width) {
    pairs_.resize(static_cast<std::size_t>(count * width / 2));
    vectorized([&](auto) __attribute__((always_inline)) {
      for (int64_t i = 0; i < count * width; i += kColumns) {
        Lanes numbers;
        BitLanes low, high;
        load(numbers, rows + i);
        round(low, numbers);
        load(numbers, rows + i + kLanes);
        round(high, numbers);
        low |= high << 16;
        std::memcpy(pairs_.data() + i / 2, &low, sizeof low);
      }
    });
  }
  const Pair* data() const { return pairs_.data(); }

  // Reads `kColumns` columns.
  static MG_INLINE void read(const Pair* from, Lanes& low, Lanes& high) {
    BitLanes pairs;
    std::memcpy(&pairs, from, sizeof pairs);
    const BitLanes first = pairs << 16, second = pairs & 0xFFFF0000u;
    std::memcpy(&low, &first, sizeof low);
    std::memcpy(&high, &second, sizeof high);
  }

 private:
  std::vector<Pair> pairs_;
};

// Each used token adds place * kind, elementwise. Those of the agent's own cell and of the whole game also add
// amount * magnitude.
struct TokenSums {
  TokenTables tables;
  Observations observations;
  const float* places;  // [num_places][width]
  const float* kinds;   // [kinds][width]
  int64_t width;
  const RoundedRows::Pair* rounded_places = nullptr;  // the same; both are null in float32
  const RoundedRows::Pair* rounded_kinds = nullptr;

  struct Product {
    int64_t place, kind;  // rows, times the step of `read`
  };
  struct Amount {
    int64_t magnitude;  // a row, times the step of `read`
    float amount;
  };
  // What one observation adds.
  struct Terms {
    explicit Terms(int64_t tokens) : products_(static_cast<std::size_t>(tokens)), amounts_(static_cast<std::size_t>(tokens)) {}
    Product* products() { return products_.data(); }
    Amount* amounts() { return amounts_.data(); }
    int64_t num_products = 0, num_amounts = 0;

    std::vector<Product> products_;
    std::vector<Amount> amounts_;
  };

  // Writes the sum of one observation [width], with memory for its terms.
  MG_INLINE void sum(int64_t observation, const float* magnitudes, Terms& terms, float* to) const {
    read(observation, width, terms);
    if (rounded_places != nullptr) {
      int64_t column = 0;
      for (; column + 4 * RoundedRows::kColumns <= width; column += 4 * RoundedRows::kColumns) {
        sum_rounded<4>(terms, column, magnitudes, to);
      }
      for (; column < width; column += RoundedRows::kColumns) sum_rounded<1>(terms, column, magnitudes, to);
      return;
    }
    by_columns(0, width, [&](auto vectors, int64_t column) __attribute__((always_inline)) {
      sum_columns<vectors()>(terms, places + column, kinds + column, magnitudes + column, to + column);
    });
  }

  // Writes sums [count][width] or, if `bias` [width] is not null, ReLU of the sums plus it; `magnitudes` is
  // [magnitudes][width].
  void run(const float* magnitudes, const float* bias, float* sums, Workers& workers) const {
    constexpr int64_t kPiece = 16;
    workers.share(static_cast<int32_t>((observations.count + kPiece - 1) / kPiece), [&](int32_t piece) {
      vectorized([&](auto) __attribute__((always_inline)) {
        Terms terms(observations.tokens);
        for (int64_t i = piece * kPiece; i < std::min(observations.count, (piece + 1) * kPiece); ++i) {
          sum(i, magnitudes, terms, sums + i * width);
          if (bias != nullptr) add_relu(bias, sums + i * width);
        }
      });
    });
  }

  // Adds a bias [width] to a sum, and applies ReLU.
  MG_INLINE void add_relu(const float* bias, float* to) const {
    for (int64_t j = 0; j < width; ++j) {
      const float sum = to[j] + bias[j];
      to[j] = sum < 0.0f ? 0.0f : sum;  // NaN stays NaN
    }
  }

  // Reads the terms of one observation, with rows that are `step` apart.
  MG_INLINE void read(int64_t observation, int64_t step, Terms& terms) const {
    const uint8_t* token = observations.data + observation * observations.stride;
    Product* product = terms.products();
    Amount* amount = terms.amounts();
    for (int64_t i = 0; i < observations.tokens; ++i, token += 3) {
      const uint8_t location = token[0], feature = token[1], value = token[2];
      if (location == TokenTables::kUnused) continue;
      const int64_t place = tables.places[location + (feature == tables.memory_feature ? 256 : 0)];
      const int64_t kind = tables.kinds[feature * 256 + value];
      *product = {place * step, (kind - 1) * step};
      product += kind != 0 && place < tables.num_places;
      if (location == TokenTables::kGlobal || location == tables.own_location) {
        const float size = static_cast<float>(value) * tables.scales[feature];
        *amount = {tables.magnitudes[feature] * step, size};
        amount += size != 0.0f;
      }
    }
    terms.num_products = product - terms.products();
    terms.num_amounts = amount - terms.amounts();
  }

 private:
  // Sums N * `RoundedRows::kColumns` columns.
  template <std::size_t N>
  MG_INLINE void sum_rounded(Terms& terms, int64_t column, const float* magnitudes, float* sums) const {
    Lanes total[N][2] = {};
    const RoundedRows::Pair *const place_rows = rounded_places + column / 2, *const kind_rows = rounded_kinds + column / 2;
    for (const Product *p = terms.products(), *const end = p + terms.num_products; p != end; ++p) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < N; ++v) {
        Lanes place[2], kind[2];
        RoundedRows::read(place_rows + p->place / 2 + v * kLanes, place[0], place[1]);
        RoundedRows::read(kind_rows + p->kind / 2 + v * kLanes, kind[0], kind[1]);
        total[v][0] += place[0] * kind[0];
        total[v][1] += place[1] * kind[1];
      }
    }
    for (const Amount *a = terms.amounts(), *const end = a + terms.num_amounts; a != end; ++a) {
#pragma GCC unroll 8
      for (std::size_t v = 0; v < 2 * N; ++v) {
        Lanes magnitude;
        load(magnitude, magnitudes + column + a->magnitude + v * kLanes);
        total[v / 2][v % 2] += magnitude * a->amount;
      }
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < 2 * N; ++v) store(sums + column + v * kLanes, total[v / 2][v % 2]);
  }

  template <std::size_t N>
  static MG_INLINE void sum_columns(Terms& terms, const float* place_rows, const float* kind_rows, const float* magnitude_rows,
                                    float* sums) {
    const Product* const products_end = terms.products() + terms.num_products;
    const Amount* const amounts_end = terms.amounts() + terms.num_amounts;
    if constexpr (N == 0) {
      float total = 0.0f;
      for (const Product* p = terms.products(); p != products_end; ++p) total += place_rows[p->place] * kind_rows[p->kind];
      for (const Amount* a = terms.amounts(); a != amounts_end; ++a) total += magnitude_rows[a->magnitude] * a->amount;
      *sums = total;
    } else {
      Lanes total[N] = {};
      for (const Product* p = terms.products(); p != products_end; ++p) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < N; ++v) {
          Lanes place, kind;
          load(place, place_rows + p->place + v * kLanes);
          load(kind, kind_rows + p->kind + v * kLanes);
          total[v] += place * kind;
        }
      }
      for (const Amount* a = terms.amounts(); a != amounts_end; ++a) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < N; ++v) {
          Lanes magnitude;
          load(magnitude, magnitude_rows + a->magnitude + v * kLanes);
          total[v] += magnitude * a->amount;
        }
      }
#pragma GCC unroll 8
      for (std::size_t v = 0; v < N; ++v) store(sums + v * kLanes, total[v]);
    }
  }
};

}  // namespace cpu
