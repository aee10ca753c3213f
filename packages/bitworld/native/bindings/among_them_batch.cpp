// Batches of Among Them as Python objects.
#include "among_them/batch.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "among_them/chat.hpp"
#include "among_them/snapshot.hpp"
#include "bindings/faults.hpp"
#include "bindings/parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bitworld::among_them {

namespace {

template <class Value>
using Array = std::optional<nb::ndarray<Value, nb::c_contig, nb::device::cpu>>;

// Checks the shape of an array; returns its memory, or null if there is none.
template <class Value>
Value* memory(const Array<Value>& array, const char* name, std::initializer_list<std::size_t> shape) {
  if (!array) return nullptr;
  bool fits = array->ndim() == shape.size();
  std::size_t axis = 0;
  for (const std::size_t size : shape) {
    fits = fits && array->shape(axis) == size;
    ++axis;
  }
  if (!fits) throw nb::value_error((std::string(name) + " has the wrong shape").c_str());
  return array->data();
}

// A batch and the arrays that it reads and writes; it keeps them alive.
class BoundBatch {
 public:
  BoundBatch(const Config& config, std::shared_ptr<const Map> map, nb::object artist, int32_t games, int32_t players,
             int32_t threads, int64_t seed, Array<const uint8_t> masks, Array<float> rewards, Array<bool> dones,
             Array<int8_t> outcomes, Array<uint64_t> hashes, Array<uint8_t> pixels, Array<uint8_t> packed)
      : artist_(std::move(artist)),
        batch_(config, std::move(map), artist_.is_none() ? nullptr : nb::cast<const Artist*>(artist_),
               {.games = checked(games, 1 << 20, "games"),
                .players = checked(players, kMostPlayers, "players"),
                .threads = checked(threads, 256, "threads"),
                .seed = seed}),
        masks_(std::move(masks)),
        rewards_(std::move(rewards)),
        dones_(std::move(dones)),
        outcomes_(std::move(outcomes)),
        hashes_(std::move(hashes)),
        pixels_(std::move(pixels)),
        packed_(std::move(packed)) {
    const auto rows = static_cast<std::size_t>(games), seats = static_cast<std::size_t>(players);
    constexpr auto kEdge = static_cast<std::size_t>(kSide);
    arrays_.masks = memory(masks_, "masks", {rows, seats});
    arrays_.rewards = memory(rewards_, "rewards", {rows, seats});
    arrays_.dones = memory(dones_, "dones", {rows});
    arrays_.outcomes = memory(outcomes_, "outcomes", {rows});
    arrays_.hashes = memory(hashes_, "hashes", {rows});
    arrays_.pixels = memory(pixels_, "pixels", {rows, seats, kEdge, kEdge});
    arrays_.packed = memory(packed_, "packed", {rows, seats, kPixels / 2});
    batch_.show(arrays_);
  }

  void step(bool draws) {
    run([&] { batch_.step(arrays_, draws); });
  }
  void show() {
    run([&] { batch_.show(arrays_); });
  }
  void start(int32_t game, int64_t seed) {
    Batch::Row& row = row_of(game);
    batch_.start(row, seed);
    batch_.show(arrays_, game);
  }
  void reset(int64_t seed) {
    run([&] {
      batch_.reset(seed);
      batch_.show(arrays_);
    });
  }

  bool chat(int32_t game, int32_t player, std::string_view text) {
    Batch::Row& row = row_of(game);
    if (player < 0 || player >= batch_.players()) throw nb::index_error("there is no such player");
    return say(batch_.game(row), player, ChatText(text).view());
  }

  nb::bytes snapshot(int32_t game) {
    Batch::Row& row = row_of(game);
    std::vector<std::string> names;
    for (int32_t i = 0; i < batch_.players(); ++i) names.push_back("player_" + std::to_string(i));
    const std::span<const Account> accounts(row.accounts, names.size());
    const std::string bytes = write_snapshot(row.state, accounts, names, batch_.rules());
    return nb::bytes(bytes.data(), bytes.size());
  }

  void restore(int32_t game, const nb::bytes& bytes) {
    Batch::Row& row = row_of(game);
    Snapshot snapshot;
    raise_fault(read_snapshot({bytes.c_str(), bytes.size()}, batch_.map(), batch_.rules(), snapshot));
    const auto players = static_cast<std::size_t>(batch_.players());
    bool fits = snapshot.state.players_len == batch_.players() && snapshot.accounts.size() == players;
    for (int32_t i = 0; fits && i < batch_.players(); ++i) fits = snapshot.state.players[i].identity == i;
    if (!fits) throw nb::value_error("the snapshot has other players than the batch");
    row.state = snapshot.state;
    std::copy(snapshot.accounts.begin(), snapshot.accounts.end(), row.accounts);
    batch_.show(arrays_, game);
  }

  int64_t seed_of(int32_t game) { return row_of(game).seed; }

 private:
  static int32_t checked(int32_t value, int32_t most, const char* name) {
    if (value < 1 || value > most) {
      throw nb::value_error((std::string(name) + " must be between 1 and " + std::to_string(most)).c_str());
    }
    return value;
  }

  void check_idle() const {
    if (is_busy_.load()) throw std::runtime_error("another thread is stepping this batch");
    if (batch_.is_lost()) throw std::runtime_error("a batch with threads cannot be used after a fork: create it in the child");
  }

  Batch::Row& row_of(int32_t game) {
    check_idle();
    if (game < 0 || game >= batch_.games()) throw nb::index_error(("there is no game " + std::to_string(game)).c_str());
    return batch_.row(game);
  }

  template <class Work>
  void run(const Work& work) {
    check_idle();
    is_busy_ = true;  // the caller holds the lock of the interpreter
    {
      const nb::gil_scoped_release release;
      work();
    }
    is_busy_ = false;
  }

  nb::object artist_;
  Batch batch_;
  Array<const uint8_t> masks_;
  Array<float> rewards_;
  Array<bool> dones_;
  Array<int8_t> outcomes_;
  Array<uint64_t> hashes_;
  Array<uint8_t> pixels_, packed_;
  BatchArrays arrays_;
  std::atomic<bool> is_busy_{false};
};

}  // namespace

}  // namespace bitworld::among_them

namespace bitworld {

void bind_among_them_batch(nb::module_& module) {
  using namespace among_them;
  nb::class_<BoundBatch>(module, "AmongThemBatch")
      .def(nb::init<const Config&, std::shared_ptr<const Map>, nb::object, int32_t, int32_t, int32_t, int64_t,
                    Array<const uint8_t>, Array<float>, Array<bool>, Array<int8_t>, Array<uint64_t>, Array<uint8_t>,
                    Array<uint8_t>>(),
           "config"_a, "map"_a, "artist"_a.none(), "games"_a, "players"_a, "threads"_a, "seed"_a, "masks"_a.noconvert(),
           "rewards"_a.noconvert(), "dones"_a.noconvert(), "outcomes"_a.noconvert(), "hashes"_a.noconvert().none(),
           "pixels"_a.noconvert().none(), "packed"_a.noconvert().none())
      .def("step", &BoundBatch::step, "draws"_a)
      .def("show", &BoundBatch::show)
      .def("start", &BoundBatch::start, "game"_a, "seed"_a)
      .def("reset", &BoundBatch::reset, "seed"_a)
      .def("chat", &BoundBatch::chat, "game"_a, "player"_a, "text"_a)
      .def("snapshot", &BoundBatch::snapshot, "game"_a)
      .def("restore", &BoundBatch::restore, "game"_a, "snapshot"_a)
      .def("seed_of", &BoundBatch::seed_of, "game"_a);
}

}  // namespace bitworld
