// An LSTM over segments in which episodes may begin, and its gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/products.hpp"

namespace cpu {

// Replaces the cell and the hidden state of an LSTM; writes the activated gates to `saved` unless it is null.
MG_INLINE void activate(int64_t size, const float* sums, float* memory, float* shown, float* saved) {
  for (int64_t j = 0; j < size; j += kLanes) {
    Lanes add, keep, fresh, show, now;
    load(add, sums + j);
    load(keep, sums + size + j);
    load(fresh, sums + 2 * size + j);
    load(show, sums + 3 * size + j);
    load(now, memory + j);
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
  int64_t segments, steps, features, size;  // `size` is a multiple of `kLanes`
  const float* inputs;                      // [segments][steps][features]
  const float* input_weight;                // [4 * size][features]
  const float* hidden_weight;               // [4 * size][size]
  const float* hidden;                      // [segments][size], before the first step
  const float* cell;                        // [segments][size], before the first step
  const uint8_t* resets;                    // [segments][steps], where the state is zeroed before the step; or null

  // Memory that can be used again by the next call.
  struct Scratch {
    Floats panels, of_gates, before;
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
  // [segments][steps][4 * size]; `bias` is [4 * size].
  void run(const float* bias, float* outputs, float* cells, float* gates, Scratch& scratch, Workers& workers) const {
    Panels panels(scratch.panels, features + size, 4 * size);
    panels.fill_transposed(input_weight, features, 0, features, 4 * size);
    panels.fill_transposed(hidden_weight, size, features, size, 4 * size);
    share_rows(workers, segments, [&](auto wide, int64_t first, int64_t rows) __attribute__((always_inline)) {
      const int64_t padded = round_up(rows, kTileRows), inner = panels.inner(), columns = panels.columns();
      Floats both(static_cast<std::size_t>(padded * inner)), sums(static_cast<std::size_t>(padded * columns));
      Floats memory(cell + first * size, cell + (first + rows) * size);
      for (int64_t r = 0; r < rows; ++r) copy(both.data() + r * inner + features, hidden + (first + r) * size, size);
      for (int64_t t = 0; t < steps; ++t) {
        for (int64_t r = 0; r < rows; ++r) {
          float* row = both.data() + r * inner;
          copy(row, inputs + at(first + r, t) * features, features);
          if (is_reset(first + r, t)) {
            clear(row + features, size);
            clear(memory.data() + r * size, size);
          }
          copy(sums.data() + r * columns, bias, 4 * size);
        }
        panels.add_product(wide, padded, inner, both.data(), sums.data());
        for (int64_t r = 0; r < rows; ++r) {
          const int64_t place = at(first + r, t);
          float* shown = both.data() + r * inner + features;
          activate(size, sums.data() + r * columns, memory.data() + r * size, shown,
                   gates == nullptr ? nullptr : gates + place * 4 * size);
          copy(outputs + place * size, shown, size);
          copy(cells + place * size, memory.data() + r * size, size);
        }
      }
    });
  }

  // Writes the gradients, given those of the outputs [segments][steps][size] and of the last cell [segments][size], which
  // may be null. The gates, outputs and cells are those of `run`.
  void run_back(const float* gates, const float* outputs, const float* cells, const float* of_outputs, const float* of_cell,
                const Gradients& of, Scratch& scratch, Workers& workers) const {
    resize(scratch.of_gates, segments * steps * 4 * size);
    resize(scratch.before, segments * steps * size);
    float* const of_gates = scratch.of_gates.data();
    float* const before = scratch.before.data();             // the hidden state before each step
    const int64_t shift = round_up(features, kTileColumns);  // where the columns of the hidden state begin
    Panels panels(scratch.panels, 4 * size, shift + size);
    panels.fill(input_weight, 0, 0, 4 * size, features);
    panels.fill(hidden_weight, 0, shift, 4 * size, size);
    share_rows(workers, segments, [&](auto wide, int64_t first, int64_t rows) __attribute__((always_inline)) {
      const int64_t padded = round_up(rows, kTileRows), columns = panels.columns();
      Floats slopes(static_cast<std::size_t>(padded * 4 * size)), both(static_cast<std::size_t>(padded * columns));
      Floats of_memory(static_cast<std::size_t>(rows * size));
      if (of_cell != nullptr) copy(of_memory.data(), of_cell + first * size, rows * size);
      for (int64_t t = steps; t-- > 0;) {
        for (int64_t r = 0; r < rows; ++r) {
          const int64_t s = first + r, place = at(s, t);
          const bool begins = is_reset(s, t);
          const float* memory = begins ? nullptr : t == 0 ? cell + s * size : cells + (place - 1) * size;
          float* slope = slopes.data() + r * 4 * size;
          activate_back(gates + place * 4 * size, cells + place * size, memory, of_outputs + place * size,
                        both.data() + r * columns + shift, of_memory.data() + r * size, slope);
          copy(of_gates + place * 4 * size, slope, 4 * size);
          if (begins) {
            clear(before + place * size, size);
            clear(of_memory.data() + r * size, size);
          } else {
            copy(before + place * size, t == 0 ? hidden + s * size : outputs + (place - 1) * size, size);
          }
        }
        clear(both.data(), padded * columns);
        panels.add_product(wide, padded, 4 * size, slopes.data(), both.data());
        for (int64_t r = 0; r < rows; ++r) {
          float* row = both.data() + r * columns;
          copy(of.inputs + at(first + r, t) * features, row, features);
          if (is_reset(first + r, t)) clear(row + shift, size);
        }
      }
      for (int64_t r = 0; r < rows; ++r) copy(of.hidden + (first + r) * size, both.data() + r * columns + shift, size);
      copy(of.cell + first * size, of_memory.data(), rows * size);
    });
    weight_gradients(of_gates, inputs, segments * steps, 4 * size, features, of.input_weight, of.bias, workers);
    weight_gradients(of_gates, before, segments * steps, 4 * size, size, of.hidden_weight, nullptr, workers);
  }

 private:
  int64_t at(int64_t segment, int64_t step) const { return segment * steps + step; }
  bool is_reset(int64_t segment, int64_t step) const { return resets != nullptr && resets[at(segment, step)] != 0; }

  // Replaces the gradient of the cell after a step by that of the cell before it, and writes that of the gates. `before`
  // is the cell before the step, null if it is zero.
  MG_INLINE void activate_back(const float* gates, const float* after, const float* before, const float* of_output,
                               const float* of_hidden, float* of_memory, float* of_gates) const {
    for (int64_t j = 0; j < size; j += kLanes) {
      Lanes add, keep, fresh, show, shown, memory = {}, slope, more, of_cell;
      load(add, gates + j);
      load(keep, gates + size + j);
      load(fresh, gates + 2 * size + j);
      load(show, gates + 3 * size + j);
      load(shown, after + j);
      if (before != nullptr) load(memory, before + j);
      load(slope, of_output + j);
      load(more, of_hidden + j);
      load(of_cell, of_memory + j);
      slope += more;
      tanh(shown);
      of_cell += slope * show * (1.0f - shown * shown);
      slope *= shown * show * (1.0f - show);
      store(of_gates + 3 * size + j, slope);
      slope = of_cell * fresh * add * (1.0f - add);
      store(of_gates + j, slope);
      slope = of_cell * memory * keep * (1.0f - keep);
      store(of_gates + size + j, slope);
      slope = of_cell * add * (1.0f - fresh * fresh);
      store(of_gates + 2 * size + j, slope);
      of_cell *= keep;
      store(of_memory + j, of_cell);
    }
  }
};

}  // namespace cpu
