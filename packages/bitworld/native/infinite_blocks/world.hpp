// The state of infinite blocks and the rules of a tick.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/hash.hpp"
#include "core/random.hpp"
#include "infinite_blocks/field.hpp"
#include "infinite_blocks/shapes.hpp"

namespace bitworld::infinite_blocks {

inline constexpr int kMaxPlayers = 16;
inline constexpr int kPauseTicks = 6;    // between a piece that settled and the next
inline constexpr int kBuriedTicks = 48;  // after there was no room for a piece
inline constexpr int kShiftTicks = 8;    // a held direction repeats after this
inline constexpr int kRepeatTicks = 3;
inline constexpr int kDrop = 18;    // rows between a new piece and the highest cell around it
inline constexpr int kAround = 8;   // columns on each side that count as around it
inline constexpr int kSpread = 12;  // columns between the first pieces of two players

enum Button : std::uint8_t { kUp = 1, kDown = 2, kLeft = 4, kRight = 8, kSelect = 16, kA = 32, kB = 64 };

// All fields are part of the hash, in this order.
struct Player {
  std::int32_t slot = 0;
  std::int32_t score = 0;  // cells cleared by its pieces
  std::int32_t runs = 0;
  std::int32_t pieces = 0;
  std::int32_t buried = 0;  // times there was no room for a piece
  std::int32_t kind = 0;
  std::int32_t next = 0;  // kind of the next piece
  std::int32_t rotation = 0;
  std::int32_t x = 0;  // top-left corner of the box of the piece
  std::int32_t y = 0;
  std::int32_t fall = 0;   // ticks until the piece falls by a row
  std::int32_t pause = 0;  // ticks until a piece appears; 0 while there is one
  std::int32_t shift = 0;  // ticks until a held direction repeats
};

inline constexpr int kPlayerWords = 13;
static_assert(sizeof(Player) == kPlayerWords * sizeof(std::int32_t));

struct Rules {
  int width = 1000;  // of the field, in cells
  int height = 1000;
  int fall_ticks = 8;  // in which a piece falls by one row
  int run = 8;         // cells side by side that clear
};

class World {
 public:
  World(const Rules& rules, std::int64_t seed)
      : field_(rules.width, rules.height, rules.run), fall_ticks_(rules.fall_ticks), random_(Random::seeded(seed)) {}

  const Field& field() const { return field_; }
  std::span<const Player> players() const { return {players_.data(), static_cast<std::size_t>(count_)}; }

  // Empties the field and removes the players; the random generator continues.
  void restart() {
    field_.clear();
    count_ = 0;
  }

  void reseed(std::int64_t seed) { random_ = Random::seeded(seed); }

  void add_player(int slot) {
    Player player;
    player.slot = slot;
    const int side = slot % 2 == 0 ? -1 : 1;
    const int places = field_.width() - kBox + 1;
    const int column = field_.width() / 2 - 2 + side * ((slot + 1) / 2) * kSpread;
    player.x = (column % places + places) % places;
    player.next = draw_kind();
    player.pause = 1;
    players_[static_cast<std::size_t>(count_++)] = player;
  }

  void remove_player(int index) {
    std::copy(players_.begin() + index + 1, players_.begin() + count_, players_.begin() + index);
    --count_;
  }

  // `held` and `pressed` have a byte per player.
  void step(const std::uint8_t* held, const std::uint8_t* pressed) {
    for (int i = 0; i < count_; ++i) step_player(players_[static_cast<std::size_t>(i)], held[i], pressed[i]);
  }

  // The row at which the piece of a player would settle.
  int landing_row(const Player& player) const {
    int y = player.y;
    while (fits(player, player.x, y + 1, player.rotation)) ++y;
    return y;
  }

  std::uint64_t hash() const {
    StateHash hash;
    hash.add(random_.a);
    hash.add(random_.b);
    hash.add(field_.hash());
    hash.add(count_);
    for (const Player& player : players()) {
      for (const std::int32_t word : words(player)) hash.add(word);
    }
    return hash.value();
  }

  static std::array<std::int32_t, kPlayerWords> words(const Player& player) {
    return std::bit_cast<std::array<std::int32_t, kPlayerWords>>(player);
  }

  // For snapshots.
  Field& field() { return field_; }
  Random& random() { return random_; }
  const Random& random() const { return random_; }
  void append(const Player& player) { players_[static_cast<std::size_t>(count_++)] = player; }

 private:
  void step_player(Player& player, std::uint8_t held, std::uint8_t pressed) {
    if (player.pause > 0) {
      if (--player.pause == 0) appear(player);
      return;
    }
    rise_out_of_cells(player);
    if (player.pause > 0) return;
    shift(player, held, pressed);
    if (pressed & kA) turn(player, 1);
    if (pressed & kUp) turn(player, 3);
    if (pressed & kB) {
      player.y = landing_row(player);
      settle(player);
      return;
    }
    if (--player.fall > 0 && !(held & kDown)) return;
    player.fall = fall_ticks_;
    if (fits(player, player.x, player.y + 1, player.rotation)) {
      ++player.y;
    } else {
      settle(player);
    }
  }

  void appear(Player& player) {
    player.kind = player.next;
    player.next = draw_kind();
    player.rotation = 0;
    player.fall = fall_ticks_;
    player.shift = 0;
    player.x = std::clamp(player.x, 0, field_.width() - kBox);
    player.y = std::max(0, field_.highest(player.x - kAround, player.x + kBox - 1 + kAround) - kDrop);
    if (!fits(player, player.x, player.y, 0)) bury(player);
  }

  // Another player's piece may have settled where this one is.
  void rise_out_of_cells(Player& player) {
    while (!fits(player, player.x, player.y, player.rotation)) {
      if (--player.y < -kBox) {
        bury(player);
        return;
      }
    }
  }

  void bury(Player& player) {
    field_.empty_columns(player.x - 2, player.x + kBox + 1);
    ++player.buried;
    player.pause = kBuriedTicks;
  }

  void shift(Player& player, std::uint8_t held, std::uint8_t pressed) {
    const int direction = ((held & kRight) != 0) - ((held & kLeft) != 0);
    if (direction == 0) return;
    if (pressed & (kLeft | kRight)) {
      player.shift = kShiftTicks;
    } else if (--player.shift > 0) {
      return;
    } else {
      player.shift = kRepeatTicks;
    }
    if (fits(player, player.x + direction, player.y, player.rotation)) player.x += direction;
  }

  // Turns the piece; beside a wall or cells it may step aside by one.
  void turn(Player& player, int quarters) {
    const int rotation = (player.rotation + quarters) % 4;
    for (const int aside : {0, -1, 1}) {
      if (fits(player, player.x + aside, player.y, rotation)) {
        player.x += aside;
        player.rotation = rotation;
        return;
      }
    }
  }

  void settle(Player& player) {
    for (const Cell cell : shape(player.kind, player.rotation)) {
      field_.set(player.x + cell.x, player.y + cell.y, static_cast<std::uint8_t>(player.kind + 1));
    }
    const Cleared cleared = field_.clear_runs(player.x, player.x + kBox - 1, player.y + kBox - 1);
    player.score += cleared.cells;
    player.runs += cleared.runs;
    ++player.pieces;
    player.pause = kPauseTicks;
  }

  bool fits(const Player& player, int x, int y, int rotation) const {
    for (const Cell cell : shape(player.kind, rotation)) {
      if (field_.is_blocked(x + cell.x, y + cell.y)) return false;
    }
    return true;
  }

  static const Shape& shape(int kind, int rotation) {
    return kRotations[static_cast<std::size_t>(kind)][static_cast<std::size_t>(rotation)];
  }

  std::int32_t draw_kind() { return static_cast<std::int32_t>(random_.below_or_equal(kShapes - 1)); }

  Field field_;
  int fall_ticks_;
  Random random_;
  std::array<Player, kMaxPlayers> players_{};
  int count_ = 0;
};

}  // namespace bitworld::infinite_blocks
