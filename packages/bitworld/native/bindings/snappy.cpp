// Snappy, for the sprites of the wire protocol.
#include "core/snappy.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "bindings/parts.hpp"

namespace nb = nanobind;

namespace bitworld {

namespace {

std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes copy(const std::string& content) { return nb::bytes(content.data(), content.size()); }

}  // namespace

void bind_snappy(nb::module_& module) {
  module.def(
      "snappy_compress", [](const nb::bytes& content) { return copy(snappy::compress(view(content))); }, nb::arg("content"));
  module.def(
      "snappy_decompress",
      [](const nb::bytes& stream, std::size_t expected) { return copy(snappy::decompress(view(stream), expected)); },
      nb::arg("stream"), nb::arg("expected"));
}

}  // namespace bitworld
