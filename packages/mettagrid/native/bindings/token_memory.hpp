// The memory of observations as a Python object.
#pragma once

#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/program.hpp"
#include "cpu/token_memory.hpp"

namespace bindings {

class PyTokenMemory {
 public:
  using Bytes = Array<const uint8_t, nb::ndim<1>>;

  // `features`: tag, memory, east, west, north, south. The tables have 256 entries.
  PyTokenMemory(int32_t rows, int32_t threads, int32_t height, int32_t width, const std::vector<int32_t>& features,
                const Bytes& makes_a_thing, const Bytes& goes_with_it, const Bytes& is_visible)
      : memory_(rows, threads, settings(height, width, features, makes_a_thing, goes_with_it, is_visible)) {}

  void see(const Array<const uint8_t, nb::ndim<3>>& observations, const Array<const int64_t, nb::ndim<1>>& rows,
           const Array<uint8_t, nb::ndim<3>>& out, const std::optional<Array<const uint8_t, nb::ndim<3>>>& translation,
           const std::optional<Array<const int64_t, nb::ndim<1>>>& tables) {
    const std::size_t count = observations.shape(0);
    check(observations.shape(2) == 3 && out.shape(2) == 3, "observations have 3 bytes per token");
    check(rows.shape(0) == count && out.shape(0) == count, "there must be one row and one place for each observation");
    for (std::size_t i = 0; i < count; ++i) {
      check(rows.data()[i] >= 0 && rows.data()[i] < memory_.rows(), "a row is out of range");
    }
    if (translation) {
      check(translation->shape(1) == 65536 && translation->shape(2) == 2, "a translation has 65536 pairs");
      check(tables && tables->shape(0) == count, "there must be one table for each observation");
      for (std::size_t i = 0; i < count; ++i) {
        check(tables->data()[i] >= 0 && static_cast<std::size_t>(tables->data()[i]) < translation->shape(0),
              "a table is out of range");
      }
    }
    check(!memory_.is_lost(), "the memory was made before a fork");
    const uint8_t* table = translation ? translation->data() : nullptr;
    const int64_t* numbers = tables ? tables->data() : nullptr;
    nb::gil_scoped_release unlocked;
    memory_.see(observations.data(), rows.data(), static_cast<int64_t>(count), static_cast<int32_t>(observations.shape(1)),
                out.data(), static_cast<int32_t>(out.shape(1)), table, numbers);
  }

  void forget(const Array<const int64_t, nb::ndim<1>>& rows) {
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
      check(rows.data()[i] >= 0 && rows.data()[i] < memory_.rows(), "a row is out of range");
      memory_.forget(static_cast<int32_t>(rows.data()[i]));
    }
  }

 private:
  static cpu::TokenMemory::Settings settings(int32_t height, int32_t width, const std::vector<int32_t>& features,
                                             const Bytes& makes_a_thing, const Bytes& goes_with_it, const Bytes& is_visible) {
    check(features.size() == 6, "there are 6 features");
    check(height >= 1 && width >= 1 && height <= 16 && width <= 16, "a window has at most 16 rows and columns");
    cpu::TokenMemory::Settings made{.height = height,
                                    .width = width,
                                    .tag = features[0],
                                    .memory = features[1],
                                    .east = features[2],
                                    .west = features[3],
                                    .north = features[4],
                                    .south = features[5],
                                    .makes_a_thing = table(makes_a_thing),
                                    .goes_with_it = table(goes_with_it),
                                    .is_visible = table(is_visible)};
    return made;
  }
  static std::array<uint8_t, 256> table(const Bytes& bytes) {
    check(bytes.shape(0) == 256, "a table has 256 entries");
    std::array<uint8_t, 256> made;
    std::copy(bytes.data(), bytes.data() + 256, made.begin());
    return made;
  }
  static void check(bool is_fine, const char* message) {
    if (!is_fine) throw std::invalid_argument(message);
  }

  cpu::TokenMemory memory_;
};

}  // namespace bindings
