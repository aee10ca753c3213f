// Recorded rows for Python: sorted, and written as text. Both run without the GIL.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings/program.hpp"
#include "cpu/series_text.hpp"
#include "cpu/sorted_rows.hpp"

namespace bindings {

// A numpy array that takes ownership of the vector's content.
template <class T>
nb::object as_array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
  return nb::cast(nb::ndarray<T, nb::numpy, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// Pages of a recorder as (ids, templates, agents, field, object, key, tick, value), see cpu::SortedRows.
inline nb::tuple sorted_rows(const std::vector<Array<const uint8_t, nb::shape<-1, sizeof(cpu::Row)>>>& pages,
                             int32_t first_tick) {
  std::vector<std::pair<const cpu::Row*, int64_t>> views;
  for (const auto& page : pages) {
    if (reinterpret_cast<std::uintptr_t>(page.data()) % alignof(cpu::Row) != 0)
      throw std::runtime_error("The rows are not aligned");
    for (std::size_t i = 0; i < page.shape(0); ++i) {
      if (page.data()[i * sizeof(cpu::Row) + offsetof(cpu::Row, field)] >= cpu::kRecordFields)
        throw std::runtime_error("There is no such field");
    }
    views.emplace_back(reinterpret_cast<const cpu::Row*>(page.data()), static_cast<int64_t>(page.shape(0)));
  }
  cpu::SortedRows rows;
  {
    nb::gil_scoped_release unlocked;
    rows = cpu::RowSorter(views).sorted(first_tick);
  }
  return nb::make_tuple(as_array(std::move(rows.ids)), as_array(std::move(rows.templates)), as_array(std::move(rows.agents)),
                        as_array(std::move(rows.field)), as_array(std::move(rows.object)), as_array(std::move(rows.key)),
                        as_array(std::move(rows.tick)), as_array(std::move(rows.value)));
}

// (text, style, field, default, names), see cpu::Piece.
using PieceTuple = std::tuple<std::string, int32_t, int32_t, std::string, std::vector<std::pair<int32_t, int32_t>>>;

// (numbers of the written objects, end offset of each text, all texts joined by commas), see cpu::Story.
// `ids`, `is_static`, `templates`: [objects]; `templates` are positions in `pieces`.
inline nb::tuple series_texts(const Array<const uint8_t, nb::ndim<1>>& field, const Array<const uint32_t, nb::ndim<1>>& object,
                              const Array<const uint16_t, nb::ndim<1>>& key, const Array<const int32_t, nb::ndim<1>>& tick,
                              const Array<const int32_t, nb::ndim<1>>& value, const Array<const int32_t, nb::ndim<1>>& ids,
                              const Array<const uint8_t, nb::ndim<1>>& is_static,
                              const Array<const int32_t, nb::ndim<1>>& templates,
                              const std::vector<std::vector<PieceTuple>>& pieces, int32_t base, int32_t length,
                              bool tells_missing) {
  const std::size_t size = field.shape(0), objects = ids.shape(0);
  if (object.shape(0) != size || key.shape(0) != size || tick.shape(0) != size || value.shape(0) != size || size > INT32_MAX) {
    throw std::runtime_error("The columns have different lengths");
  }
  if (is_static.shape(0) != objects || templates.shape(0) != objects || objects > INT32_MAX / cpu::SeriesText::kFields) {
    throw std::runtime_error("The arrays about objects have different lengths");
  }
  std::vector<std::vector<cpu::Piece>> read;
  for (const auto& list : pieces) {
    read.emplace_back();
    for (const auto& [text, style, number, default_text, names] : list) {
      read.back().push_back(cpu::Piece{text, static_cast<cpu::Style>(style), number, default_text, names});
    }
  }
  for (std::size_t i = 0; i < objects; ++i) {
    if (static_cast<std::size_t>(templates.data()[i]) >= read.size()) throw std::out_of_range("There is no such template");
  }
  std::vector<int32_t> order;
  std::vector<std::size_t> ends;
  std::string text;
  {
    nb::gil_scoped_release unlocked;
    const cpu::Columns rows{field.data(), object.data(), key.data(), tick.data(), value.data(), static_cast<int64_t>(size)};
    cpu::SeriesText writer(rows, cpu::Story{base, length, static_cast<int32_t>(cpu::Field::k_alive), tells_missing,
                                            static_cast<int32_t>(objects), ids.data(), is_static.data()});
    order = writer.order();
    text.reserve(size * 8 + objects * 256);
    for (const int32_t number : order) {
      if (!ends.empty()) text += ',';
      writer.write(text, number, read[static_cast<std::size_t>(templates.data()[number])]);
      ends.push_back(text.size());
    }
  }
  return nb::make_tuple(order, ends, nb::bytes(text.data(), text.size()));
}

inline nb::list text_styles() {
  nb::list names;
#define MG_STYLE_NAME(name) names.append(#name);
  MG_TEXT_STYLES(MG_STYLE_NAME)
#undef MG_STYLE_NAME
  return names;
}

}  // namespace bindings
