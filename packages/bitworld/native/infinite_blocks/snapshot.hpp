// A world as bytes and back.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "infinite_blocks/world.hpp"

namespace bitworld::infinite_blocks {

// Empty rows above the highest cell are left out.
struct SnapshotHeader {
  std::uint64_t random_a, random_b;
  std::int32_t players, highest_row;
};
static_assert(sizeof(SnapshotHeader) == 24);
static_assert(std::endian::native == std::endian::little, "snapshots are little-endian");

inline std::string save(const World& world) {
  const Field& field = world.field();
  const int highest = field.highest(0, field.width() - 1);
  const SnapshotHeader header{world.random().a, world.random().b, static_cast<std::int32_t>(world.players().size()), highest};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(world.players().data()), world.players().size_bytes());
  const auto first = static_cast<std::size_t>(highest) * static_cast<std::size_t>(field.width());
  bytes.append(reinterpret_cast<const char*>(field.cells().data()) + first, field.cells().size() - first);
  return bytes;
}

inline bool is_valid(const Player& player, const Field& field) {
  const auto within = [](int value, int least, int most) { return least <= value && value <= most; };
  return within(player.slot, 0, kMaxPlayers - 1) && within(player.kind, 0, kShapes - 1) &&
         within(player.next, 0, kShapes - 1) && within(player.rotation, 0, 3) && within(player.x, -kBox, field.width()) &&
         within(player.y, -kBox, field.height()) && player.pause >= 0 && player.score >= 0;
}

// Replaces the state of a world with fields of the same size; leaves it unchanged if the bytes are not of one.
inline void load(World& world, std::string_view bytes) {
  Field& field = world.field();
  SnapshotHeader header;
  const auto refuse = [] { throw std::invalid_argument("the snapshot does not fit this world"); };
  if (bytes.size() < sizeof header) refuse();
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.players < 0 || header.players > kMaxPlayers || header.highest_row < 0 || header.highest_row > field.height()) {
    refuse();
  }
  std::array<Player, kMaxPlayers> players{};
  const std::size_t player_bytes = static_cast<std::size_t>(header.players) * sizeof(Player);
  const std::size_t cells =
      static_cast<std::size_t>(field.height() - header.highest_row) * static_cast<std::size_t>(field.width());
  if (bytes.size() != sizeof header + player_bytes + cells) refuse();
  std::memcpy(players.data(), bytes.data() + sizeof header, player_bytes);
  for (int i = 0; i < header.players; ++i) {
    if (!is_valid(players[static_cast<std::size_t>(i)], field)) refuse();
  }
  const char* rows = bytes.data() + sizeof header + player_bytes;
  for (std::size_t i = 0; i < cells; ++i) {
    if (static_cast<std::uint8_t>(rows[i]) > kShapes) refuse();
  }
  world.restart();
  world.random() = Random{header.random_a, header.random_b};
  for (int i = 0; i < header.players; ++i) world.append(players[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < cells; ++i) {
    const int x = static_cast<int>(i % static_cast<std::size_t>(field.width()));
    const int y = header.highest_row + static_cast<int>(i / static_cast<std::size_t>(field.width()));
    if (rows[i] != 0) field.set(x, y, static_cast<std::uint8_t>(rows[i]));
  }
}

}  // namespace bitworld::infinite_blocks
