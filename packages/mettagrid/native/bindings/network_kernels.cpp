// Kernels of networks as Python objects. Compiled with fused multiply-add, unlike the engine: networks need not give the
// same bits on every machine.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "cpu/drawing.hpp"
#include "cpu/linear.hpp"
#include "cpu/lstm.hpp"
#include "cpu/playing_network.hpp"
#include "cpu/token_gradients.hpp"

namespace bindings {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T, class... Shape>
using Array = nb::ndarray<T, nb::numpy, nb::c_contig, nb::device::cpu, Shape...>;
using Row = Array<float, nb::ndim<1>>;
using ConstRow = Array<const float, nb::ndim<1>>;
using Matrix = Array<float, nb::ndim<2>>;
using ConstMatrix = Array<const float, nb::ndim<2>>;
using StridedMatrix = nb::ndarray<const float, nb::numpy, nb::ndim<2>, nb::device::cpu>;
using Positions = nb::ndarray<int64_t, nb::numpy, nb::ndim<1>, nb::device::cpu>;  // may have gaps
using Actions = Array<int64_t, nb::ndim<2>>;
using Cube = Array<float, nb::ndim<3>>;
using ConstCube = Array<const float, nb::ndim<3>>;
using Gates = nb::ndarray<nb::numpy, nb::c_contig, nb::device::cpu, nb::ndim<3>>;  // floats or halves
using Resets = std::optional<Array<const bool, nb::ndim<2>>>;
using Observations = nb::ndarray<const uint8_t, nb::numpy, nb::ndim<3>, nb::device::cpu>;  // may have gaps between rows

void check(bool is_fine, const char* message) {
  if (!is_fine) throw std::invalid_argument(message);
}
int64_t size(std::size_t number) { return static_cast<int64_t>(number); }
template <class Values>
bool has_shape(const Values& values, std::initializer_list<int64_t> shape) {
  std::size_t axis = 0;
  for (const int64_t expected : shape) {
    if (size(values.shape(axis++)) != expected) return false;
  }
  return true;
}

cpu::Precision precision(bool bfloat16) { return bfloat16 ? cpu::Precision::k_bfloat16 : cpu::Precision::k_float32; }

// A copy of the tables that tell how the tokens of a game are read.
class TokenTables {
 public:
  TokenTables(const Array<const int32_t, nb::ndim<1>>& kinds, const Array<const int64_t, nb::ndim<1>>& places,
              const Array<const int32_t, nb::ndim<1>>& magnitudes, const ConstRow& scales, int32_t own_location,
              int32_t memory_feature)
      : kinds_(copied(kinds, 65536)),
        places_(copied(places, 512)),
        magnitudes_(copied(magnitudes, 256)),
        scales_(scales.data(), scales.data() + scales.size()),
        own_location_(own_location),
        memory_feature_(memory_feature),
        num_kinds_(*std::max_element(kinds_.begin(), kinds_.end())),
        num_magnitudes_(1 + *std::max_element(magnitudes_.begin(), magnitudes_.end())) {
    check(scales_.size() == 256, "a table has the wrong size");
  }

  // The tables for embeddings with these numbers of rows.
  cpu::TokenTables view(std::size_t places, std::size_t kinds, std::size_t magnitudes) const {
    check(size(kinds) >= num_kinds_ && size(magnitudes) >= num_magnitudes_, "the embeddings have too few rows");
    return {.kinds = kinds_.data(),
            .places = places_.data(),
            .magnitudes = magnitudes_.data(),
            .scales = scales_.data(),
            .own_location = own_location_,
            .memory_feature = memory_feature_,
            .num_places = size(places)};
  }

 private:
  template <class T>
  static std::vector<T> copied(const Array<const T, nb::ndim<1>>& table, std::size_t expected) {
    check(table.size() == expected, "a table has the wrong size");
    check(*std::min_element(table.data(), table.data() + expected) >= 0, "a table has a negative number");
    return {table.data(), table.data() + expected};
  }

  std::vector<int32_t> kinds_;
  std::vector<int64_t> places_;
  std::vector<int32_t> magnitudes_;
  std::vector<float> scales_;
  int32_t own_location_, memory_feature_;
  int32_t num_kinds_, num_magnitudes_;
};

cpu::Observations viewed(const Observations& tokens) {
  check(tokens.shape(2) == 3, "a token has 3 bytes");
  check(tokens.size() == 0 || (tokens.stride(2) == 1 && tokens.stride(1) == 3),
        "the tokens of an observation must be contiguous");
  return {.data = tokens.data(), .count = size(tokens.shape(0)), .tokens = size(tokens.shape(1)), .stride = tokens.stride(0)};
}

cpu::TokenSums token_sums(const TokenTables& tables, const Observations& observations, const ConstMatrix& places,
                          const ConstMatrix& kinds, std::size_t magnitudes) {
  check(kinds.shape(1) == places.shape(1), "the embeddings differ in width");
  return {.tables = tables.view(places.shape(0), kinds.shape(0), magnitudes),
          .observations = viewed(observations),
          .places = places.data(),
          .kinds = kinds.data(),
          .width = size(places.shape(1))};
}

// A copy of the weights of a network whose LSTM and heads follow a first and a second layer.
class PlayingNetwork {
 public:
  PlayingNetwork(const ConstMatrix& second_weight, const ConstRow& second_bias, bool second_has_relu,
                 const ConstMatrix& input_weight, const ConstMatrix& hidden_weight, const ConstRow& lstm_bias,
                 const ConstMatrix& head_weight, const ConstRow& head_bias, bool bfloat16)
      : second_(precision(bfloat16), checked(second_weight, second_bias), second_bias.data(), size(second_weight.shape(0)),
                size(second_weight.shape(1))),
        second_has_relu_(second_has_relu),
        lstm_(precision(bfloat16 && input_weight.shape(1) % 2 == 0), lstm_bias.data(), size(lstm_bias.size()),
              size(input_weight.shape(1) + hidden_weight.shape(1))),
        heads_(cpu::Precision::k_float32, checked(head_weight, head_bias), head_bias.data(), size(head_weight.shape(0)),
               size(head_weight.shape(1))) {
    checked(input_weight, lstm_bias);
    checked(hidden_weight, lstm_bias);
    check(hidden_weight.shape(0) == 4 * hidden_weight.shape(1) && input_weight.shape(1) == second_weight.shape(0) &&
              head_weight.shape(1) == hidden_weight.shape(1),
          "the layers do not fit");
    check(hidden_weight.shape(1) % cpu::kLanes == 0, "the size of the LSTM must be a multiple of 16");
    lstm_.fill(input_weight.data(), 0, size(input_weight.shape(1)));
    lstm_.fill(hidden_weight.data(), size(input_weight.shape(1)), size(hidden_weight.shape(1)));
  }

  cpu::PlayingNetwork view() const { return {second_, second_has_relu_, lstm_, heads_}; }
  cpu::PlayingNetwork::Memory memory(int64_t count, const ConstMatrix& hidden, const ConstMatrix& cell,
                                     const Matrix& next_hidden, const Matrix& next_cell) const {
    const std::initializer_list<int64_t> shape = {count, heads_.inputs()};
    check(has_shape(hidden, shape) && has_shape(cell, shape) && has_shape(next_hidden, shape) && has_shape(next_cell, shape),
          "the memory does not fit");
    return {hidden.data(), cell.data(), next_hidden.data(), next_cell.data()};
  }
  int64_t first_size() const { return second_.inputs(); }
  int64_t outputs() const { return heads_.outputs(); }

 private:
  static const float* checked(const ConstMatrix& weight, const ConstRow& bias) {
    check(weight.shape(0) == bias.shape(0), "a weight and its bias do not fit");
    return weight.data();
  }

  cpu::Linear second_;
  bool second_has_relu_;
  cpu::Linear lstm_, heads_;
};

// Copies of the embeddings of places and kinds in bfloat16.
class RoundedEmbeddings {
 public:
  RoundedEmbeddings() = default;
  RoundedEmbeddings(const ConstMatrix& places, const ConstMatrix& kinds) { fill(places, kinds); }

  static bool fits(const ConstMatrix& places) { return places.shape(1) % cpu::RoundedRows::kColumns == 0; }
  void fill(const ConstMatrix& places, const ConstMatrix& kinds) {
    check(fits(places), "the width of the embeddings must be a multiple of 32");
    places_.fill(places.data(), size(places.shape(0)), size(places.shape(1)));
    kinds_.fill(kinds.data(), size(kinds.shape(0)), size(kinds.shape(1)));
    shapes_ = {places.shape(0), kinds.shape(0), places.shape(1)};
  }
  // Lets the sums read these, which must be those of the same embeddings.
  void use(cpu::TokenSums& sums, const ConstMatrix& places, const ConstMatrix& kinds) const {
    check(shapes_ == std::array{places.shape(0), kinds.shape(0), places.shape(1)}, "the embeddings differ in size");
    sums.rounded_places = places_.data();
    sums.rounded_kinds = kinds_.data();
  }

 private:
  cpu::RoundedRows places_, kinds_;
  std::array<std::size_t, 3> shapes_{};
};

// A copy of the weight [outputs][bytes] of a first layer on bytes.
class ByteWeight {
 public:
  ByteWeight(const ConstMatrix& weight, const std::array<uint8_t, 3>& padding)
      : padding_(padding),
        width_(size(weight.shape(0))),
        tokens_(size(weight.shape(1) / 3)),
        weight_(panels_, padded_, weight.data(), size(weight.shape(1)), width_, tokens_, padding) {
    check(weight.shape(1) % 3 == 0, "a token has 3 bytes");
  }
  ByteWeight(const ByteWeight&) = delete;
  const cpu::ByteWeight& view() const { return weight_; }
  const std::array<uint8_t, 3>& padding() const { return padding_; }
  int64_t width() const { return width_; }
  int64_t tokens() const { return tokens_; }

 private:
  std::array<uint8_t, 3> padding_;
  int64_t width_, tokens_;
  cpu::Panels::Storage panels_;
  cpu::Floats padded_;
  cpu::ByteWeight weight_;
};

class NetworkKernels {
 public:
  NetworkKernels(int32_t threads, bool bfloat16) : workers_(threads), precision_(precision(bfloat16)) {}

  void sum_tokens(const TokenTables& tables, const Observations& observations, const ConstMatrix& places,
                  const ConstMatrix& kinds, const ConstMatrix& magnitudes, const std::optional<ConstRow>& bias,
                  const Matrix& sums) {
    cpu::TokenSums layer = token_sums(tables, observations, places, kinds, magnitudes.shape(0));
    check(size(magnitudes.shape(1)) == layer.width && (!bias || has_shape(*bias, {layer.width})) &&
              has_shape(sums, {layer.observations.count, layer.width}),
          "the shapes do not fit");
    const Use use(*this);
    if (precision_ == cpu::Precision::k_bfloat16 && RoundedEmbeddings::fits(places)) {
      rounded_.fill(places, kinds);
      rounded_.use(layer, places, kinds);
    }
    layer.run(magnitudes.data(), bias ? bias->data() : nullptr, sums.data(), workers_);
  }

  void sum_tokens_back(const TokenTables& tables, const Observations& observations, const ConstMatrix& places,
                       const ConstMatrix& kinds, const ConstMatrix& sums, const ConstMatrix& of_sums, const Matrix& of_places,
                       const Matrix& of_kinds, const Matrix& of_magnitudes, const std::optional<Row>& of_bias) {
    const cpu::TokenSums layer = token_sums(tables, observations, places, kinds, of_magnitudes.shape(0));
    check(places.shape(0) <= 65536 && kinds.shape(0) <= 65536, "the embeddings have too many rows");
    check(has_shape(sums, {layer.observations.count, layer.width}) &&
              has_shape(of_sums, {layer.observations.count, layer.width}) && (!of_bias || has_shape(*of_bias, {layer.width})) &&
              has_shape(of_places, {size(places.shape(0)), layer.width}) &&
              has_shape(of_kinds, {size(kinds.shape(0)), layer.width}) && size(of_magnitudes.shape(1)) == layer.width,
          "the shapes do not fit");
    const Use use(*this);
    const cpu::TokenGradients gradients{.sums = layer,
                                        .outputs = sums.data(),
                                        .of_outputs = of_sums.data(),
                                        .of_places = of_places.data(),
                                        .of_kinds = of_kinds.data(),
                                        .of_magnitudes = of_magnitudes.data(),
                                        .of_bias = of_bias ? of_bias->data() : nullptr,
                                        .num_kinds = size(kinds.shape(0)),
                                        .num_magnitudes = size(of_magnitudes.shape(0))};
    gradients.run(token_scratch_, workers_);
  }

  void sum_bytes(const Observations& tokens, const std::array<uint8_t, 3>& padding, const StridedMatrix& weight,
                 const Matrix& sums) {
    const cpu::ByteSums layer = byte_sums(tokens, padding, weight.shape(0));
    check(size(weight.shape(1)) == 3 * layer.observations.tokens && (weight.size() == 0 || weight.stride(1) == 1) &&
              has_shape(sums, {layer.observations.count, size(weight.shape(0))}),
          "the shapes do not fit");
    const Use use(*this);
    layer.run(weight.data(), weight.stride(0), size(weight.shape(0)), sums.data(), byte_scratch_, workers_);
  }

  void sum_bytes_back(const Observations& tokens, const std::array<uint8_t, 3>& padding, const ConstMatrix& of_sums,
                      const Matrix& of_weight) {
    const cpu::ByteSums layer = byte_sums(tokens, padding, of_weight.shape(0));
    check(has_shape(of_sums, {layer.observations.count, size(of_weight.shape(0))}) &&
              size(of_weight.shape(1)) == 3 * layer.observations.tokens,
          "the shapes do not fit");
    const Use use(*this);
    layer.run_back(of_sums.data(), size(of_weight.shape(0)), of_weight.data(), byte_scratch_, workers_);
  }

  void step_from_tokens(const PlayingNetwork& network, const TokenTables& tables, const Observations& observations,
                        const ConstMatrix& places, const ConstMatrix& kinds, const ConstMatrix& magnitudes,
                        const ConstRow& bias, const RoundedEmbeddings* rounded, const ConstMatrix& hidden,
                        const ConstMatrix& cell, const Matrix& next_hidden, const Matrix& next_cell, const Matrix& outputs) {
    cpu::TokenSums sums = token_sums(tables, observations, places, kinds, magnitudes.shape(0));
    if (rounded != nullptr) rounded->use(sums, places, kinds);
    const int64_t count = sums.observations.count;
    check(size(magnitudes.shape(1)) == sums.width && has_shape(bias, {sums.width}) && network.first_size() == sums.width &&
              has_shape(outputs, {count, network.outputs()}),
          "the shapes do not fit");
    const cpu::PlayingNetwork::Memory memory = network.memory(count, hidden, cell, next_hidden, next_cell);
    const Use use(*this);
    network.view().step(count, cpu::TokenLayer{sums, magnitudes.data(), bias.data()}, memory, outputs.data(), workers_);
  }

  void step_from_bytes(const PlayingNetwork& network, const ByteWeight& weight, const Observations& observations, float scale,
                       const ConstRow& bias, const ConstMatrix& hidden, const ConstMatrix& cell, const Matrix& next_hidden,
                       const Matrix& next_cell, const Matrix& outputs) {
    const cpu::ByteSums sums{.observations = viewed(observations), .padding = weight.padding()};
    const int64_t count = sums.observations.count;
    check(sums.observations.tokens <= weight.tokens() && has_shape(bias, {weight.width()}) &&
              network.first_size() == weight.width() && has_shape(outputs, {count, network.outputs()}),
          "the shapes do not fit");
    const cpu::PlayingNetwork::Memory memory = network.memory(count, hidden, cell, next_hidden, next_cell);
    const cpu::ByteLayer first{sums, weight.view(), weight.width(), scale, bias.data()};
    const Use use(*this);
    network.view().step(count, first, memory, outputs.data(), workers_);
  }

  void draw(const StridedMatrix& logits, const ConstMatrix& uniform, const Positions& positions, const Row& log_probs) {
    const cpu::Logits head{
        .data = logits.data(), .rows = size(logits.shape(0)), .count = size(logits.shape(1)), .step = logits.stride(0)};
    check(head.count > 0 && (head.count == 1 || logits.stride(1) == 1) && has_shape(uniform, {head.rows, head.count}) &&
              has_shape(positions, {head.rows}) && has_shape(log_probs, {head.rows}),
          "the shapes do not fit");
    const Use use(*this);
    head.draw(uniform.data(), head.count, positions.data(), positions.stride(0), log_probs.data(), false, workers_);
  }

  // The first column and the number of columns of a head in the outputs of a network.
  using Columns = std::pair<int64_t, int64_t>;

  void draw_actions(const ConstMatrix& outputs, const Columns& actions, const Columns& vibes, const Columns& value,
                    const ConstMatrix& uniform, const Actions& positions, const Row& log_probs, const Row& values) {
    const int64_t rows = size(outputs.shape(0)), width = size(outputs.shape(1));
    for (const auto& [first, count] : {actions, vibes, value}) {
      check(first >= 0 && count >= 0 && first + count <= width, "the shapes do not fit");
    }
    check(actions.second > 0 && value.second == 1 && has_shape(uniform, {rows, actions.second + vibes.second}) &&
              has_shape(positions, {rows, 2}) && has_shape(log_probs, {rows}) && has_shape(values, {rows}),
          "the shapes do not fit");
    const Use use(*this);
    const auto head = [&](const Columns& columns) {
      return cpu::Logits{.data = outputs.data() + columns.first, .rows = rows, .count = columns.second, .step = width};
    };
    head(actions).draw(uniform.data(), size(uniform.shape(1)), positions.data(), 2, log_probs.data(), false, workers_);
    if (vibes.second > 0) {
      head(vibes).draw(uniform.data() + actions.second, size(uniform.shape(1)), positions.data() + 1, 2, log_probs.data(), true,
                       workers_);
    }
    for (int64_t row = 0; row < rows; ++row) values.data()[row] = outputs.data()[row * width + value.first];
  }

  void run_linear(const ConstMatrix& inputs, const ConstMatrix& weight, const ConstRow& bias, bool has_relu, bool is_exact,
                  const Matrix& outputs) {
    const cpu::LinearLayer layer = linear(inputs, weight, has_relu, is_exact);
    check(has_shape(bias, {layer.outputs}) && has_shape(outputs, {layer.rows, layer.outputs}), "the shapes do not fit");
    const Use use(*this);
    layer.run(bias.data(), outputs.data(), workers_);
  }

  void run_linear_back(const ConstMatrix& inputs, const ConstMatrix& weight, bool has_relu, bool is_exact,
                       const ConstMatrix& outputs, const ConstMatrix& of_outputs, const Matrix& of_inputs,
                       const Matrix& of_weight, const Row& of_bias) {
    const cpu::LinearLayer layer = linear(inputs, weight, has_relu, is_exact);
    check(has_shape(outputs, {layer.rows, layer.outputs}) && has_shape(of_outputs, {layer.rows, layer.outputs}) &&
              has_shape(of_inputs, {layer.rows, layer.columns}) && has_shape(of_weight, {layer.outputs, layer.columns}) &&
              has_shape(of_bias, {layer.outputs}),
          "the shapes do not fit");
    const Use use(*this);
    layer.run_back(outputs.data(), of_outputs.data(), {of_inputs.data(), of_weight.data(), of_bias.data()}, linear_scratch_,
                   workers_);
  }

  void run_lstm(const ConstCube& inputs, const ConstMatrix& input_weight, const ConstMatrix& hidden_weight,
                const ConstRow& bias, const ConstMatrix& hidden, const ConstMatrix& cell, const Resets& resets,
                const Cube& outputs, const Cube& cells, const std::optional<Gates>& gates) {
    const cpu::Lstm layer = lstm(inputs, input_weight, hidden_weight, hidden, cell, resets);
    check(has_shape(bias, {4 * layer.size}) && has_shape(outputs, {layer.segments, layer.steps, layer.size}) &&
              has_shape(cells, {layer.segments, layer.steps, layer.size}) &&
              (!gates || has_shape(*gates, {layer.segments, layer.steps, 4 * layer.size})),
          "the shapes do not fit");
    const auto run = [&](auto* saved) { layer.run(bias.data(), outputs.data(), cells.data(), saved, scratch_, workers_); };
    if (gates && is_rounded(*gates)) {
      const Use use(*this);
      run(static_cast<cpu::Half*>(gates->data()));
    } else {
      const Use use(*this);
      run(gates ? static_cast<float*>(gates->data()) : nullptr);
    }
  }

  void run_lstm_back(const ConstCube& inputs, const ConstMatrix& input_weight, const ConstMatrix& hidden_weight,
                     const ConstMatrix& hidden, const ConstMatrix& cell, const Resets& resets, const Gates& gates,
                     const ConstCube& outputs, const ConstCube& cells, const ConstCube& of_outputs,
                     const std::optional<ConstMatrix>& of_last_cell, const Cube& of_inputs, const Matrix& of_input_weight,
                     const Matrix& of_hidden_weight, const Row& of_bias, const Matrix& of_hidden, const Matrix& of_cell) {
    const cpu::Lstm layer = lstm(inputs, input_weight, hidden_weight, hidden, cell, resets);
    const int64_t count = layer.segments, steps = layer.steps, units = layer.size;
    check(has_shape(gates, {count, steps, 4 * units}) && has_shape(outputs, {count, steps, units}) &&
              has_shape(cells, {count, steps, units}) && has_shape(of_outputs, {count, steps, units}) &&
              (!of_last_cell || has_shape(*of_last_cell, {count, units})) &&
              has_shape(of_inputs, {count, steps, layer.features}) && has_shape(of_input_weight, {4 * units, layer.features}) &&
              has_shape(of_hidden_weight, {4 * units, units}) && has_shape(of_bias, {4 * units}) &&
              has_shape(of_hidden, {count, units}) && has_shape(of_cell, {count, units}),
          "the shapes do not fit");
    const cpu::Lstm::Gradients gradients{.inputs = of_inputs.data(),
                                         .input_weight = of_input_weight.data(),
                                         .hidden_weight = of_hidden_weight.data(),
                                         .bias = of_bias.data(),
                                         .hidden = of_hidden.data(),
                                         .cell = of_cell.data()};
    const auto run = [&](const auto* saved) {
      const float* const of_last = of_last_cell ? of_last_cell->data() : nullptr;
      layer.run_back(saved, outputs.data(), cells.data(), of_outputs.data(), of_last, gradients, scratch_, workers_);
    };
    if (is_rounded(gates)) {
      const Use use(*this);
      run(static_cast<const cpu::Half*>(gates.data()));
    } else {
      const Use use(*this);
      run(static_cast<const float*>(gates.data()));
    }
  }

 private:
  // One call at a time, without the GIL.
  class Use {
   public:
    explicit Use(NetworkKernels& kernels) : lock_(kernels.mutex_) {
      check(!kernels.workers_.is_lost(), "the kernels were made before a fork");
    }

   private:
    nb::gil_scoped_release unlocked_;
    std::lock_guard<std::mutex> lock_;
  };

  bool is_rounded(const Gates& gates) const {
    const bool rounded = gates.dtype() == nb::dtype<cpu::Half>();
    check(rounded || gates.dtype() == nb::dtype<float>(), "the gates are float32 or bfloat16 as uint16");
    check(!rounded || (precision_ == cpu::Precision::k_bfloat16 && cpu::bfloat16::is_available()), "there is no bfloat16");
    return rounded;
  }

  static cpu::ByteSums byte_sums(const Observations& tokens, const std::array<uint8_t, 3>& padding, std::size_t width) {
    check(width % cpu::kLanes == 0, "the number of outputs must be a multiple of 16");
    return {.observations = viewed(tokens), .padding = padding};
  }

  cpu::LinearLayer linear(const ConstMatrix& inputs, const ConstMatrix& weight, bool has_relu, bool is_exact) const {
    check(inputs.shape(1) == weight.shape(1), "the shapes do not fit");
    return {.precision = is_exact ? cpu::Precision::k_float32 : precision_,
            .has_relu = has_relu,
            .rows = size(inputs.shape(0)),
            .columns = size(inputs.shape(1)),
            .outputs = size(weight.shape(0)),
            .inputs = inputs.data(),
            .weight = weight.data()};
  }

  cpu::Lstm lstm(const ConstCube& inputs, const ConstMatrix& input_weight, const ConstMatrix& hidden_weight,
                 const ConstMatrix& hidden, const ConstMatrix& cell, const Resets& resets) const {
    const int64_t segments = size(inputs.shape(0)), steps = size(inputs.shape(1)), units = size(hidden_weight.shape(1));
    check(units % cpu::kLanes == 0, "the size of the LSTM must be a multiple of 16");
    check(has_shape(input_weight, {4 * units, size(inputs.shape(2))}) && has_shape(hidden_weight, {4 * units, units}) &&
              has_shape(hidden, {segments, units}) && has_shape(cell, {segments, units}) &&
              (!resets || has_shape(*resets, {segments, steps})),
          "the shapes do not fit");
    return {.precision = precision_,
            .segments = segments,
            .steps = steps,
            .features = size(inputs.shape(2)),
            .size = units,
            .inputs = inputs.data(),
            .input_weight = input_weight.data(),
            .hidden_weight = hidden_weight.data(),
            .hidden = hidden.data(),
            .cell = cell.data(),
            .resets = resets ? reinterpret_cast<const uint8_t*>(resets->data()) : nullptr};
  }

  cpu::Workers workers_;
  cpu::Precision precision_;
  cpu::LinearLayer::Scratch linear_scratch_;
  cpu::Lstm::Scratch scratch_;
  cpu::ByteSums::Scratch byte_scratch_;
  cpu::TokenGradients::Scratch token_scratch_;
  RoundedEmbeddings rounded_;
  std::mutex mutex_;
};

}  // namespace

// Writes sums[t] = numbers[t] + factors[t] * sums[t + 1], from the last step to the first; all are [rows][steps].
void sum_backwards(const ConstMatrix& numbers, const ConstMatrix& factors, const Matrix& sums) {
  const int64_t rows = size(numbers.shape(0)), steps = size(numbers.shape(1));
  check(has_shape(factors, {rows, steps}) && has_shape(sums, {rows, steps}), "the shapes do not fit");
  for (int64_t row = 0; row < rows; ++row) {
    float sum = 0.0f;
    for (int64_t place = (row + 1) * steps; place-- > row * steps;) {
      sum = place + 1 == (row + 1) * steps ? numbers.data()[place] : numbers.data()[place] + factors.data()[place] * sum;
      sums.data()[place] = sum;
    }
  }
}

void add_network_kernels(nb::module_& module) {
  module.def("sum_backwards", &sum_backwards, "numbers"_a, "factors"_a, "sums"_a,
             "Write sums[t] = numbers[t] + factors[t] * sums[t + 1] in each row");
  nb::class_<TokenTables>(module, "TokenTables", "How the tokens of a game are read; see `GameTables`.")
      .def(nb::init<const Array<const int32_t, nb::ndim<1>>&, const Array<const int64_t, nb::ndim<1>>&,
                    const Array<const int32_t, nb::ndim<1>>&, const ConstRow&, int32_t, int32_t>(),
           "kinds"_a, "places"_a, "magnitudes"_a, "scales"_a, "own_location"_a, "memory_feature"_a);
  nb::class_<PlayingNetwork>(module, "PlayingNetwork", "The weights after the first layer, copied for `step_from_*`.")
      .def(nb::init<const ConstMatrix&, const ConstRow&, bool, const ConstMatrix&, const ConstMatrix&, const ConstRow&,
                    const ConstMatrix&, const ConstRow&, bool>(),
           "second_weight"_a, "second_bias"_a, "second_has_relu"_a, "input_weight"_a, "hidden_weight"_a, "lstm_bias"_a,
           "head_weight"_a, "head_bias"_a, "bfloat16"_a = false);
  nb::class_<ByteWeight>(module, "ByteWeight", "The weight of a first layer on bytes, copied for `step_from_bytes`.")
      .def(nb::init<const ConstMatrix&, const std::array<uint8_t, 3>&>(), "weight"_a, "padding"_a);
  nb::class_<RoundedEmbeddings>(module, "RoundedEmbeddings", "Places and kinds in bfloat16, copied for `step_from_tokens`.")
      .def(nb::init<const ConstMatrix&, const ConstMatrix&>(), "places"_a, "kinds"_a);
  nb::class_<NetworkKernels>(module, "NetworkKernels", "Layers of networks and their gradients, on some threads.")
      .def(nb::init<int32_t, bool>(), "threads"_a, "bfloat16"_a = false)
      .def_static("has_bfloat16", &cpu::bfloat16::is_available, "Whether this processor multiplies bfloat16 numbers")
      .def_static("has_fast_bfloat16", &cpu::bfloat16::is_fast, "Whether it does so faster than with float32")
      .def("sum_tokens", &NetworkKernels::sum_tokens, "tables"_a, "observations"_a, "places"_a, "kinds"_a, "magnitudes"_a,
           "bias"_a.none(), "sums"_a)
      .def("sum_tokens_back", &NetworkKernels::sum_tokens_back, "tables"_a, "observations"_a, "places"_a, "kinds"_a, "sums"_a,
           "of_sums"_a, "of_places"_a, "of_kinds"_a, "of_magnitudes"_a, "of_bias"_a.none())
      .def("sum_bytes", &NetworkKernels::sum_bytes, "observations"_a, "padding"_a, "weight"_a, "sums"_a)
      .def("sum_bytes_back", &NetworkKernels::sum_bytes_back, "observations"_a, "padding"_a, "of_sums"_a, "of_weight"_a)
      .def("step_from_tokens", &NetworkKernels::step_from_tokens, "network"_a, "tables"_a, "observations"_a, "places"_a,
           "kinds"_a, "magnitudes"_a, "bias"_a, "rounded"_a.none(), "hidden"_a, "cell"_a, "next_hidden"_a, "next_cell"_a,
           "outputs"_a)
      .def("step_from_bytes", &NetworkKernels::step_from_bytes, "network"_a, "weight"_a, "observations"_a, "scale"_a, "bias"_a,
           "hidden"_a, "cell"_a, "next_hidden"_a, "next_cell"_a, "outputs"_a)
      .def("draw", &NetworkKernels::draw, "logits"_a, "uniform"_a, "positions"_a, "log_probs"_a)
      .def("draw_actions", &NetworkKernels::draw_actions, "outputs"_a, "actions"_a, "vibes"_a, "value"_a, "uniform"_a,
           "positions"_a, "log_probs"_a, "values"_a)
      .def("run_linear", &NetworkKernels::run_linear, "inputs"_a, "weight"_a, "bias"_a, "has_relu"_a, "is_exact"_a, "outputs"_a)
      .def("run_linear_back", &NetworkKernels::run_linear_back, "inputs"_a, "weight"_a, "has_relu"_a, "is_exact"_a, "outputs"_a,
           "of_outputs"_a, "of_inputs"_a, "of_weight"_a, "of_bias"_a)
      .def("run_lstm", &NetworkKernels::run_lstm, "inputs"_a, "input_weight"_a, "hidden_weight"_a, "bias"_a, "hidden"_a,
           "cell"_a, "resets"_a.none(), "outputs"_a, "cells"_a, "gates"_a.none())
      .def("run_lstm_back", &NetworkKernels::run_lstm_back, "inputs"_a, "input_weight"_a, "hidden_weight"_a, "hidden"_a,
           "cell"_a, "resets"_a.none(), "gates"_a, "outputs"_a, "cells"_a, "of_outputs"_a, "of_last_cell"_a.none(),
           "of_inputs"_a, "of_input_weight"_a, "of_hidden_weight"_a, "of_bias"_a, "of_hidden"_a, "of_cell"_a);
}

}  // namespace bindings
