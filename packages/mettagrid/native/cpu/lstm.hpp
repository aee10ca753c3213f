// An LSTM over segments in which episodes may begin, and its gradients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "cpu/weight_gradients.hpp"

namespace cpu {

// Writes the next cell and hidden state of an LSTM, and the activated gates to `saved` unless it is null. `before`, the cell
// before the step, may be the same as `memory`.
template <class Gate>
MG_INLINE void activate(int64_t size, const float* sums, const float* before, float* memory, float* shown, Gate* saved) {
  for (int64_t j = 0; j < size; j += kLanes) {
    Lanes add, keep, fresh, show, now;
    load(add, sums + j);
    load(keep, sums + size + j);
    load(fresh, sums + 2 * size + j);
    load(show, sums + 3 * size + j);
    load(now, before + j);
    sigmoid(add);
    sigmoid(keep);
    tanh(fresh);
    sigmoid(show);
    now = keep * now + add * fresh;
    store(memory + j, now);
    tanh(now);
    now *= show;
    store(shown + j, now);
    if (saved != nullptr) {
      store(saved + j, add);
      store(saved + size + j, keep);
      store(saved + 2 * size + j, fresh);
      store(saved + 3 * size + j, show);
    }
  }
}

// Arrays are contiguous, [segments][steps][units]. The gates of a unit are in four parts: add, keep, new, show.
struct Lstm {
  Precision precision;
  int64_t segments, steps, features, size;  // `size` is a multiple of `kLanes`
  const float* inputs;                      // [segments][steps][features]
  const float* input_weight;                // [4 * size][features]
  const float* hidden_weight;               // [4 * size][size]
  const float* hidden;                      // [segments][size], before the first step
  const float* cell;                        // [segments][size], before the first step
  const uint8_t* resets;                    // [segments][steps], where the state is zeroed before the step; or null

  // Memory that can be used again by the next call.
  struct Scratch {
    Panels::Storage panels;
    Floats of_gates;
    std::vector<Half> rounded_of_gates;
  };
  struct Gradients {
    float* inputs;         // [segments][steps][features]
    float* input_weight;   // [4 * size][features]
    float* hidden_weight;  // [4 * size][size]
    float* bias;           // [4 * size]
    float* hidden;         // [segments][size]
    float* cell;           // [segments][size]
  };

  // Writes outputs and cells [segments][steps][size] and, unless it is null, the activated gates
  // [segments][steps][4 * size], floats or halves; `bias` is [4 * size].
  template <class Gate>
  void run(const float* bias, float* outputs, float* cells, Gate* gates, Scratch& scratch, Workers& workers) const {
    Panels panels(scratch.panels, features % 2 == 0 ? precision : Precision::k_float32, features + size, 4 * size);
    panels.fill_transposed(input_weight, features, 0, features, 4 * size);
    panels.fill_transposed(hidden_weight, size, features, size, 4 * size);
    share_rows(workers, segments, [&](auto wide, int64_t first, int64_t rows) __attribute__((always_inline)) {
      const int64_t padded = round_up(rows, kTileRows), inner = panels.inner(), columns = panels.columns();
      Floats both(static_cast<std::size_t>(padded * inner)), sums(static_cast<std::size_t>(padded * columns));
      const Floats nothing(static_cast<std::size_t>(size));
      for (int64_t t = 0; t < steps; ++t) {
        for (int64_t r = 0; r < rows; ++r) {
          float* row = both.data() + r * inner;
          copy(row, inputs + at(first + r, t) * features, features);
          copy(row + features, is_reset(first + r, t) ? nothing.data() : before(hidden, outputs, first + r, t), size);
        }
        panels.multiply(wide, padded, inner, both.data(), inner, bias, sums.data());
        for (int64_t r = 0; r < rows; ++r) {
          const int64_t place = at(first + r, t);
          activate(size, sums.data() + r * columns, is_reset(first + r, t) ? nothing.data() : before(cell, cells, first + r, t),
                   cells + place * size, outputs + place * size, gates == nullptr ? nullptr : gates + place * 4 * size);
        }
      }
    });
  }

  // Writes the gradients, given those of the outputs [segments][steps][size] and of the last cell [segments][size], which
  // may be null. The gates, outputs and cells are those of `run`.
  template <class Gate>
  void run_back(const Gate* gates, const float* outputs, const float* cells, const float* of_outputs, const float* of_cell,
                const Gradients& of, Scratch& scratch, Workers& workers) const {
    Gate* const of_gates = memory_of_gates(scratch, gates);
    const int64_t shift = round_up(features, kTileColumns);  // where the columns of the hidden state begin
    Panels panels(scratch.panels, precision, 4 * size, shift + size);
    panels.fill(input_weight, 0, 0, 4 * size, features);
    panels.fill(hidden_weight, 0, shift, 4 * size, size);
    share_rows(workers, segments, [&](auto wide, int64_t first, int64_t rows) __attribute__((always_inline)) {
      const int64_t padded = round_up(rows, kTileRows), columns = panels.columns();
      Floats slopes(static_cast<std::size_t>(padded * 4 * size)), both(static_cast<std::size_t>(padded * columns));
      Floats of_memory(static_cast<std::size_t>(rows * size));
      const Floats nothing(static_cast<std::size_t>(std::max(size, columns)));
      if (of_cell != nullptr) copy(of_memory.data(), of_cell + first * size, rows * size);
      for (int64_t t = steps; t-- > 0;) {
        for (int64_t r = 0; r < rows; ++r) {
          const int64_t s = first + r, place = at(s, t);
          const bool begins = is_reset(s, t);
          activate_back(gates + place * 4 * size, cells + place * size, begins ? nothing.data() : before(cell, cells, s, t),
                        of_outputs + place * size, both.data() + r * columns + shift, of_memory.data() + r * size,
                        slopes.data() + r * 4 * size, of_gates + place * 4 * size);
          if (begins) clear(of_memory.data() + r * size, size);
        }
        panels.multiply(wide, padded, 4 * size, slopes.data(), 4 * size, nothing.data(), both.data());
        for (int64_t r = 0; r < rows; ++r) {
          float* row = both.data() + r * columns;
          copy(of.inputs + at(first + r, t) * features, row, features);
          if (is_reset(first + r, t)) clear(row + shift, size);
        }
      }
      for (int64_t r = 0; r < rows; ++r) copy(of.hidden + (first + r) * size, both.data() + r * columns + shift, size);
      copy(of.cell + first * size, of_memory.data(), rows * size);
    });
    const auto input = [&](int64_t place) { return inputs + place * features; };
    const auto shown = [&](int64_t place) {  // the hidden state before a step
      const int64_t s = place / steps, t = place % steps;
      return is_reset(s, t) ? nullptr : before(hidden, outputs, s, t);
    };
    using Block = std::conditional_t<std::is_same_v<Gate, Half>, PairBlock, FloatBlock>;
    weight_gradients<Block>(of_gates, segments * steps, 4 * size, of.bias, workers,
                            WeightGradient{input, features, of.input_weight}, WeightGradient{shown, size, of.hidden_weight});
  }

 private:
  int64_t at(int64_t segment, int64_t step) const { return segment * steps + step; }
  bool is_reset(int64_t segment, int64_t step) const { return resets != nullptr && resets[at(segment, step)] != 0; }

  float* memory_of_gates(Scratch& scratch, const float*) const {
    resize(scratch.of_gates, segments * steps * 4 * size);
    return scratch.of_gates.data();
  }
  Half* memory_of_gates(Scratch& scratch, const Half*) const {
    resize(scratch.rounded_of_gates, segments * steps * 4 * size);
    return scratch.rounded_of_gates.data();
  }

  // A row of `first` [segments][size] before the first step, else that of `later` [segments][steps][size] after the last one.
  const float* before(const float* first, const float* later, int64_t segment, int64_t step) const {
    return step == 0 ? first + segment * size : later + (at(segment, step) - 1) * size;
  }

  // Replaces the gradient of the cell after a step by that of the cell before it, and writes that of the gates
  // twice. `earlier` is the cell before the step.
  template <class Gate>
  MG_INLINE void activate_back(const Gate* gates, const float* after, const float* earlier, const float* of_output,
                               const float* of_hidden, float* of_memory, float* slopes, Gate* of_gates) const {
    for (int64_t j = 0; j < size; j += kLanes) {
      Lanes add, keep, fresh, show, shown, memory, slope, more, of_cell;
      load(add, gates + j);
      load(keep, gates + size + j);
      load(fresh, gates + 2 * size + j);
      load(show, gates + 3 * size + j);
      load(shown, after + j);
      load(memory, earlier + j);
      load(slope, of_output + j);
      load(more, of_hidden + j);
      load(of_cell, of_memory + j);
      slope += more;
      tanh(shown);
      of_cell += slope * show * (1.0f - shown * shown);
      slope *= shown * show * (1.0f - show);
      store(slopes + 3 * size + j, slope);
      store(of_gates + 3 * size + j, slope);
      slope = of_cell * fresh * add * (1.0f - add);
      store(slopes + j, slope);
      store(of_gates + j, slope);
      slope = of_cell * memory * keep * (1.0f - keep);
      store(slopes + size + j, slope);
      store(of_gates + size + j, slope);
      slope = of_cell * add * (1.0f - fresh * fresh);
      store(slopes + 2 * size + j, slope);
      store(of_gates + 2 * size + j, slope);
      of_cell *= keep;
      store(of_memory + j, of_cell);
    }
  }
};

}  // namespace cpu
