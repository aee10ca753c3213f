// A program and a map as Python objects. They validate the input, so that the core need not.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <string>

#include "cpu/world.hpp"

namespace bindings {

namespace nb = nanobind;

template <class T, class... Shape>
using Array = nb::ndarray<T, nb::numpy, nb::c_contig, nb::device::cpu, Shape...>;

// A program block and its view. Immutable; shared by all its worlds.
class PyProgram {
 public:
  explicit PyProgram(const Array<const int32_t, nb::ndim<1>>& words) : words_(words.data(), words.data() + words.size()) {
    const int64_t size = static_cast<int64_t>(words_.size());
    if (size < 2 * mg::Program::kTables) throw std::runtime_error("The program block is too short");
    int32_t table = 0;
#define MG_CHECK(Row, name) check_table(table++, sizeof(mg::Row) / 4, #name);
    MG_TABLES(MG_CHECK)
#undef MG_CHECK
    view_ = mg::Program::view(words_.data());
    hash_ = cpu::hash_bytes(words_.data(), bytes());
    if (view_.settings.size != 1) throw std::runtime_error("A program has exactly one row of settings");
  }
  const mg::Program& view() const { return view_; }
  std::size_t bytes() const { return words_.size() * sizeof(int32_t); }
  const std::vector<int32_t>& words() const { return words_; }
  // Identifies the program; part of every snapshot.
  uint64_t hash() const { return hash_; }

 private:
  void check_table(int32_t table, std::size_t fields, const char* name) const {
    const int64_t first = words_[static_cast<std::size_t>(2 * table)];
    const int64_t rows = words_[static_cast<std::size_t>(2 * table + 1)];
    const int64_t last = first + rows * static_cast<int64_t>(fields);
    if (first < 0 || rows < 0 || last > static_cast<int64_t>(words_.size())) {
      throw std::runtime_error(std::string("Table `") + name + "` does not fit in the program block");
    }
  }

  std::vector<int32_t> words_;
  mg::Program view_;
  uint64_t hash_ = 0;
};

// A map resolved against a program.
class PyMap {
 public:
  // `cells`: template index of each cell, -1 = empty; `cell_stats`: the game stat that counts it.
  PyMap(nb::object program, const Array<const int32_t, nb::ndim<2>>& cells, const Array<const int32_t, nb::ndim<2>>& cell_stats)
      : program_(std::move(program)), map_(made(nb::cast<const PyProgram&>(program_).view(), cells, cell_stats)) {
    if (map_->plan().bytes == 0) throw std::runtime_error("A world of this map and configuration would be too large");
  }
  const cpu::BuiltMap& map() const { return *map_; }
  const nb::object& program() const { return program_; }
  uint64_t world_bytes() const { return map_->plan().bytes; }
  int32_t slots() const { return map_->plan().slots; }
  int32_t agents() const { return map_->plan().agents; }
  // The objects that all its worlds share.
  nb::bytes scenery() const {
    const void* block = map_->scenery().get();
    return nb::bytes(block, mg::Scenery::view(block).h->bytes);
  }
  // The initial block of its worlds.
  nb::bytes image() const {
    const cpu::Block block = cpu::zeroed_block(map_->plan().bytes);
    map_->write_start(block.get());
    return nb::bytes(block.get(), map_->plan().bytes);
  }

 private:
  static std::unique_ptr<cpu::BuiltMap> made(const mg::Program& p, const Array<const int32_t, nb::ndim<2>>& cells,
                                             const Array<const int32_t, nb::ndim<2>>& stats) {
    if (stats.shape(0) != cells.shape(0) || stats.shape(1) != cells.shape(1)) {
      throw std::runtime_error("`cell_stats` must have the shape of `cells`");
    }
    if (cells.shape(0) > 65535 || cells.shape(1) > 65535 || cells.size() > INT32_MAX / 64) {
      throw std::runtime_error("A map of " + std::to_string(cells.shape(0)) + " x " + std::to_string(cells.shape(1)) +
                               " cells is too large");
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const int32_t cell = cells.data()[i], stat = stats.data()[i];
      if (cell < -1 || cell >= p.templates.size) {
        throw std::runtime_error("The map names object template " + std::to_string(cell) + ", which does not exist");
      }
      if (cell >= 0 && (stat < 0 || stat >= p.set().game_stat_count)) {
        throw std::runtime_error("The map counts a cell under game stat " + std::to_string(stat) + ", which does not exist");
      }
    }
    return std::make_unique<cpu::BuiltMap>(p, std::vector<int32_t>(cells.data(), cells.data() + cells.size()),
                                           std::vector<int32_t>(stats.data(), stats.data() + stats.size()),
                                           static_cast<int32_t>(cells.shape(0)), static_cast<int32_t>(cells.shape(1)));
  }

  nb::object program_;  // before map_, which refers to it
  std::unique_ptr<cpu::BuiltMap> map_;
};

}  // namespace bindings
