// The random generator and the state hash, for games written in Python.
#include "core/hash.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cstdint>
#include <tuple>

#include "bindings/parts.hpp"
#include "core/canvas.hpp"
#include "core/colours.hpp"
#include "core/random.hpp"

namespace nb = nanobind;

namespace bitworld {

namespace {

using Words = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::uint64_t hash_words(const Words& words) {
  StateHash hash;
  for (std::size_t i = 0; i < words.size(); ++i) hash.add(words.data()[i]);
  return hash.value();
}

using Picture = nb::ndarray<const std::uint8_t, nb::shape<kSide, kSide>, nb::c_contig, nb::device::cpu>;

nb::bytes pack_picture(const Picture& picture) {
  std::array<std::uint8_t, kPixels / 2> packed;
  pack(picture.data(), packed.data());
  return nb::bytes(packed.data(), packed.size());
}

}  // namespace

void bind_core(nb::module_& module) {
  nb::class_<Random>(module, "Random")
      .def(
          "__init__", [](Random* self, std::int64_t seed) { new (self) Random(Random::seeded(seed)); }, nb::arg("seed"))
      .def("next", &Random::next)
      .def(
          "below_or_equal",
          [](Random& self, std::int64_t most) {
            if (most < 0) throw nb::value_error("the largest number must not be negative");
            return self.below_or_equal(most);
          },
          nb::arg("most"))
      .def_prop_rw(
          "state", [](const Random& self) { return std::tuple(self.a, self.b); },
          [](Random& self, std::tuple<std::uint64_t, std::uint64_t> words) { std::tie(self.a, self.b) = words; });
  module.def("pack_picture", &pack_picture, nb::arg("picture"));
  module.def("hash_words", &hash_words, nb::arg("words"));
  const auto tuple_of = [](const auto& colours) {
    nb::list listed;
    for (const uint8_t colour : colours) listed.append(int{colour});
    return nb::tuple(listed);
  };
  module.attr("SLOT_COLOURS") = tuple_of(kSlotColours);
  module.attr("SHADOW") = tuple_of(kShadow);
}

}  // namespace bitworld
