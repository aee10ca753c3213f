// Infinite blocks as Python objects: one world, and a batch of them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/parts.hpp"
#include "infinite_blocks/batch.hpp"
#include "infinite_blocks/picture.hpp"
#include "infinite_blocks/snapshot.hpp"
#include "infinite_blocks/world.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bitworld::infinite_blocks {

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Masks = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rewards = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Screen = nb::ndarray<std::uint8_t, nb::shape<kScreen, kScreen>, nb::c_contig, nb::device::cpu>;
using Screens = nb::ndarray<std::uint8_t, nb::shape<-1, -1, kScreen, kScreen>, nb::device::cpu>;

Rules checked_rules(int width, int height, int fall_ticks, int run) {
  if (width < 8 || width > 1000 || height < 24 || height > 1000) {
    throw nb::value_error("a field is 8 to 1000 cells wide and 24 to 1000 high");
  }
  if (fall_ticks < 1 || run < 4) throw nb::value_error("a piece falls after 1 tick or more, and a run has at least 4 cells");
  return {width, height, fall_ticks, run};
}

void check_player(const World& world, int player) {
  if (player < 0 || player >= static_cast<int>(world.players().size())) throw nb::index_error("there is no such player");
}

void step(World& world, const Bytes& held, const Bytes& pressed) {
  if (held.size() != world.players().size() || pressed.size() != world.players().size()) {
    throw nb::value_error("each player needs one mask");
  }
  world.step(held.data(), pressed.data());
}

std::vector<std::array<std::int32_t, kPlayerWords>> player_words(const World& world) {
  std::vector<std::array<std::int32_t, kPlayerWords>> rows;
  for (const Player& player : world.players()) rows.push_back(World::words(player));
  return rows;
}

// The values of the cells of an area inside the field, row by row.
nb::bytes area(const World& world, int left, int top, int width, int height) {
  const Field& field = world.field();
  if (left < 0 || top < 0 || width < 0 || height < 0 || left + width > field.width() || top + height > field.height()) {
    throw nb::value_error("the area is not inside the field");
  }
  std::string cells;
  cells.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = top; y < top + height; ++y) {
    for (int x = left; x < left + width; ++x) cells.push_back(static_cast<char>(field.at(x, y)));
  }
  return nb::bytes(cells.data(), cells.size());
}

// A batch with its lock: steps and draws release Python's own.
struct BoundBatch : Batch {
  using Batch::Batch;
  std::atomic<bool> is_busy{false};
};

// Holds a batch while one thread uses it.
class Turn {
 public:
  explicit Turn(BoundBatch& batch) : batch_(batch) {
    if (batch.is_busy.exchange(true)) throw std::runtime_error("another thread is using this batch");
  }
  ~Turn() { batch_.is_busy = false; }
  Turn(const Turn&) = delete;

 private:
  BoundBatch& batch_;
};

void check_world(const Batch& batch, int world) {
  if (world < 0 || world >= batch.worlds()) throw nb::index_error("there is no such world");
}

void check_batch(const Batch& batch, std::size_t worlds, std::size_t players) {
  if (batch.is_lost()) throw std::runtime_error("a batch with threads cannot be used after a fork: create it in the child");
  if (worlds != static_cast<std::size_t>(batch.worlds()) || players != static_cast<std::size_t>(batch.players())) {
    throw nb::value_error("the array must have a row for each world and a column for each player");
  }
}

void draw_batch(BoundBatch& batch, const Screens& pictures) {
  check_batch(batch, pictures.shape(0), pictures.shape(1));
  if (pictures.stride(3) != 1 || pictures.stride(2) != kScreen || pictures.stride(1) < kScreen * kScreen ||
      pictures.stride(0) != pictures.stride(1) * static_cast<std::int64_t>(pictures.shape(1))) {
    throw nb::value_error("every picture must be contiguous, and all equally far apart");
  }
  const Turn turn(batch);
  const nb::gil_scoped_release release;
  batch.draw(pictures.data(), static_cast<std::size_t>(pictures.stride(1)));
}

}  // namespace

}  // namespace bitworld::infinite_blocks

namespace bitworld {

void bind_infinite_blocks(nb::module_& module) {
  using namespace infinite_blocks;
  nb::class_<World>(module, "BlocksWorld")
      .def(
          "__init__",
          [](World* self, int width, int height, int fall_ticks, int run, std::int64_t seed) {
            new (self) World(checked_rules(width, height, fall_ticks, run), seed);
          },
          "width"_a, "height"_a, "fall_ticks"_a, "run"_a, "seed"_a)
      .def("restart", &World::restart)
      .def(
          "add_player",
          [](World& self, int slot) {
            if (slot < 0 || slot >= kMaxPlayers || self.players().size() >= kMaxPlayers) throw nb::value_error("no such slot");
            self.add_player(slot);
          },
          "slot"_a)
      .def(
          "remove_player", [](World& self, int player) { check_player(self, player), self.remove_player(player); }, "player"_a)
      .def("step", &step, "held"_a, "pressed"_a)
      .def("player_words", &player_words)
      .def("area", &area, "left"_a, "top"_a, "width"_a, "height"_a)
      .def("highest_row", [](const World& self) { return self.field().highest(0, self.field().width() - 1); })
      .def(
          "landing_row",
          [](const World& self, int player) {
            check_player(self, player);
            return self.landing_row(self.players()[static_cast<std::size_t>(player)]);
          },
          "player"_a)
      .def(
          "draw",
          [](const World& self, int player, const Screen& out) {
            check_player(self, player);
            Picture(out.data()).draw(self, player);
          },
          "player"_a, "out"_a)
      .def("hash", &World::hash)
      .def("save",
           [](const World& self) {
             const std::string bytes = save(self);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("load", [](World& self, const nb::bytes& bytes) { load(self, {bytes.c_str(), bytes.size()}); }, "saved"_a);

  nb::class_<BoundBatch>(module, "BlocksBatch")
      .def(
          "__init__",
          [](BoundBatch* self, int worlds, int players, int threads, int width, int height, int fall_ticks, int run) {
            const Rules rules = checked_rules(width, height, fall_ticks, run);
            if (worlds < 1 || players < 1 || players > kMaxPlayers || threads < 1) {
              throw nb::value_error("a batch has at least one world and one thread, and 1 to 16 players");
            }
            new (self) BoundBatch(worlds, players, threads, rules);
          },
          "worlds"_a, "players"_a, "threads"_a, "width"_a, "height"_a, "fall_ticks"_a, "run"_a)
      .def(
          "start",
          [](BoundBatch& self, int world, std::int64_t seed) {
            check_world(self, world);
            const Turn turn(self);
            self.start(world, seed);
          },
          "world"_a, "seed"_a)
      .def(
          "step",
          [](BoundBatch& self, const Masks& masks, const Rewards& rewards) {
            check_batch(self, masks.shape(0), masks.shape(1));
            check_batch(self, rewards.shape(0), rewards.shape(1));
            const Turn turn(self);
            const nb::gil_scoped_release release;
            self.step(masks.data(), rewards.data());
          },
          "masks"_a, "rewards"_a)
      .def("draw", &draw_batch, "pictures"_a)
      .def("hash", [](BoundBatch& self, int world) {
        check_world(self, world);
        const Turn turn(self);
        return self.world(world).hash();
      });

  // For the map viewer, which is written in Python.
  nb::list shapes;
  for (const auto& rotations : kRotations) {
    nb::list kind;
    for (const Shape& shape : rotations) {
      nb::list cells;
      for (const Cell cell : shape) cells.append(nb::make_tuple(int{cell.x}, int{cell.y}));
      kind.append(cells);
    }
    shapes.append(kind);
  }
  module.attr("BLOCK_SHAPES") = shapes;
  module.attr("BLOCK_COLOURS") = nb::cast(std::vector<int>(kColours.begin(), kColours.end()));
  module.attr("BLOCK_EDGES") = nb::cast(std::vector<int>(kEdges.begin(), kEdges.end()));
}

}  // namespace bitworld
