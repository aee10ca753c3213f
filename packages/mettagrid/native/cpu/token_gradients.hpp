// The gradients of the sum over the used tokens of observations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cpu/token_sums.hpp"
#include "cpu/weight_gradients.hpp"

namespace cpu {

// The tokens of some observations, sorted by place and kind: the gradients of all sums that a pair is part of are added up
// before they are multiplied with the pair. Aligned, because threads fill neighbours in an array.
class alignas(128) SortedTokens {
 public:
  struct Token {
    uint16_t place, kind;  // rows
    int32_t observation;
  };
  struct Amount {
    int64_t magnitude;  // a row
    float amount;
    int32_t observation;
  };

  void fill(const TokenSums& sums, int64_t first, int64_t last, int64_t num_kinds) {
    const std::size_t most = static_cast<std::size_t>((last - first) * sums.observations.tokens);
    if (tokens_.size() < most) {
      tokens_.resize(most);
      sorted_.resize(most);
    }
    kinds_.assign(static_cast<std::size_t>(num_kinds + 1), 0);
    places_.assign(static_cast<std::size_t>(sums.tables.num_places + 1), 0);
    amounts_.clear();
    Token* token = tokens_.data();
    TokenSums::Terms terms(sums.observations.tokens);
    for (int64_t i = first; i < last; ++i) {
      sums.read(i, 1, terms);
      const int32_t observation = static_cast<int32_t>(i);
      const TokenSums::Product* const products_end = terms.products() + terms.num_products;
      for (const TokenSums::Product* p = terms.products(); p != products_end; ++p, ++token) {
        *token = {static_cast<uint16_t>(p->place), static_cast<uint16_t>(p->kind), observation};
        ++kinds_[static_cast<std::size_t>(p->kind + 1)];
        ++places_[static_cast<std::size_t>(p->place + 1)];
      }
      for (int64_t t = 0; t < terms.num_amounts; ++t) {
        amounts_.push_back({terms.amounts()[t].magnitude, terms.amounts()[t].amount, observation});
      }
    }
    count_ = token - tokens_.data();
    sort(kinds_, [](const Token& each) { return each.kind; });
    sort(places_, [](const Token& each) { return each.place; });
  }

  const Token* begin() const { return tokens_.data(); }
  const Token* end() const { return tokens_.data() + count_; }
  const std::vector<Amount>& amounts() const { return amounts_; }

 private:
  // Keeps the order of tokens with the same key. `starts` has the number of tokens of each key, one place further.
  template <class Key>
  void sort(std::vector<int32_t>& starts, const Key& key) {
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const Token& token : *this) sorted_[static_cast<std::size_t>(starts[key(token)]++)] = token;
    tokens_.swap(sorted_);
  }

  int64_t count_ = 0;
  std::vector<Token> tokens_, sorted_;
  std::vector<Amount> amounts_;
  std::vector<int32_t> kinds_, places_;
};

// Numbers of N vectors of columns; of a single column if N is 0.
template <std::size_t N>
struct Columns {
  Lanes numbers[N] = {};

  MG_INLINE void add(const float* others) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < N; ++v) {
      Lanes other;
      load(other, others + v * kLanes);
      numbers[v] += other;
    }
  }
  // Adds these times some factors.
  MG_INLINE void add_times(const float* factors, float* to) const {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < N; ++v) {
      Lanes sum, factor;
      load(sum, to + v * kLanes);
      load(factor, factors + v * kLanes);
      sum += numbers[v] * factor;
      store(to + v * kLanes, sum);
    }
  }
  MG_INLINE void add_scaled(float factor, float* to) const {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < N; ++v) {
      Lanes sum;
      load(sum, to + v * kLanes);
      sum += numbers[v] * factor;
      store(to + v * kLanes, sum);
    }
  }
};
template <>
struct Columns<0> {
  float number = 0.0f;

  MG_INLINE void add(const float* other) { number += *other; }
  MG_INLINE void add_times(const float* factor, float* to) const { *to += number * *factor; }
  MG_INLINE void add_scaled(float factor, float* to) const { *to += number * factor; }
};

struct TokenGradients {
  const TokenSums& sums;
  const float* outputs;  // [count][width], those of `run` with a bias
  const float* of_outputs;
  float* of_places;      // [num_places][width]
  float* of_kinds;       // [num_kinds][width]
  float* of_magnitudes;  // [num_magnitudes][width]
  float* of_bias;        // [width]; without a bias it is null, and the outputs are not read
  int64_t num_kinds, num_magnitudes;

  // Memory that can be used again by the next call.
  struct Scratch {
    std::vector<SortedTokens> tokens;
    Floats of_sums;
  };

  // Writes the gradients. Each thread has its own columns, so that the order of additions does not depend on the number of
  // threads.
  void run(Scratch& scratch, Workers& workers) const {
    constexpr int64_t kBlock = 1024;  // observations; their gradients stay in the cache
    const int64_t count = sums.observations.count, width = sums.width;
    const int32_t blocks = static_cast<int32_t>((count + kBlock - 1) / kBlock);
    if (scratch.tokens.size() < static_cast<std::size_t>(blocks)) scratch.tokens.resize(static_cast<std::size_t>(blocks));
    const bool has_bias = of_bias != nullptr;
    if (has_bias) resize(scratch.of_sums, count * width);
    const float* const of_sums = has_bias ? scratch.of_sums.data() : of_outputs;
    workers.share(blocks, [&](int32_t block) {
      const int64_t first = block * kBlock, last = std::min(count, (block + 1) * kBlock);
      scratch.tokens[static_cast<std::size_t>(block)].fill(sums, first, last, num_kinds);
      if (!has_bias) return;
      for (int64_t i = first * width; i < last * width; ++i) {
        scratch.of_sums[static_cast<std::size_t>(i)] = outputs[i] > 0.0f ? of_outputs[i] : 0.0f;
      }
    });
    const int64_t piece = round_up((width + workers.threads() - 1) / workers.threads(), kLanes);
    workers.share(static_cast<int32_t>((width + piece - 1) / piece), [&](int32_t number) {
      vectorized([&](auto) __attribute__((always_inline)) {
        const int64_t first = number * piece, columns = std::min(piece, width - first);
        Part part(*this, of_sums, first, columns);
        for (int32_t block = 0; block < blocks; ++block) part.add(scratch.tokens[static_cast<std::size_t>(block)]);
        part.write();
        if (!has_bias) return;
        clear(of_bias + first, columns);
        add_rows(of_sums + first, width, count, columns, of_bias + first);
      });
    });
  }

 private:
  // Some columns of the gradients. They are in memory of their own until the end: two threads that write to neighbouring
  // columns of the same rows would take the cache lines from each other.
  class Part {
   public:
    Part(const TokenGradients& whole, const float* of_sums, int64_t first, int64_t width)
        : whole_(whole),
          of_sums_(of_sums),
          first_(first),
          width_(width),
          places_(rows(whole.sums.tables.num_places)),
          kinds_(rows(whole.num_kinds)),
          magnitudes_(rows(whole.num_magnitudes)) {}

    MG_INLINE void add(const SortedTokens& tokens) {
      by_columns(0, width_, [&](auto vectors, int64_t column) __attribute__((always_inline)) {
        add_products<vectors()>(tokens, column);
        add_amounts<vectors()>(tokens.amounts(), column);
      });
    }

    void write() const {
      write(places_, whole_.of_places);
      write(kinds_, whole_.of_kinds);
      write(magnitudes_, whole_.of_magnitudes);
    }

   private:
    Floats rows(int64_t count) const { return Floats(static_cast<std::size_t>(count * width_)); }

    void write(const Floats& from, float* to) const {
      for (int64_t row = 0; row * width_ < static_cast<int64_t>(from.size()); ++row) {
        copy(to + row * whole_.sums.width + first_, from.data() + row * width_, width_);
      }
    }

    template <std::size_t N>
    MG_INLINE void add_products(const SortedTokens& tokens, int64_t column) {
      const TokenSums& sums = whole_.sums;
      const SortedTokens::Token *token = tokens.begin(), *const end = tokens.end();
      while (token != end) {
        const SortedTokens::Token pair = *token;
        Columns<N> slopes;
        for (; token != end && token->place == pair.place && token->kind == pair.kind; ++token) {
          slopes.add(of_sums_ + token->observation * sums.width + first_ + column);
        }
        slopes.add_times(sums.kinds + pair.kind * sums.width + first_ + column, places_.data() + pair.place * width_ + column);
        slopes.add_times(sums.places + pair.place * sums.width + first_ + column, kinds_.data() + pair.kind * width_ + column);
      }
    }

    template <std::size_t N>
    MG_INLINE void add_amounts(const std::vector<SortedTokens::Amount>& amounts, int64_t column) {
      for (const SortedTokens::Amount& amount : amounts) {
        Columns<N> slopes;
        slopes.add(of_sums_ + amount.observation * whole_.sums.width + first_ + column);
        slopes.add_scaled(amount.amount, magnitudes_.data() + amount.magnitude * width_ + column);
      }
    }

    const TokenGradients& whole_;
    const float* of_sums_;
    int64_t first_, width_;
    Floats places_, kinds_, magnitudes_;
  };
};

}  // namespace cpu
