// Joining the lobby.
#pragma once

#include <cstdint>
#include <string_view>

#include "among_them/homes.hpp"
#include "core/colours.hpp"

namespace bitworld::among_them {

enum class Refusal : int32_t { kNone, kNotInLobby, kFull, kSameName, kSlotTaken, kWrongName, kWrongToken };

inline bool is_slot_taken(const State& s, int32_t slot) {
  for (int32_t i = 0; i < s.players_len; ++i) {
    if (s.players[i].slot == slot) return true;
  }
  return false;
}

struct SlotChoice {
  int32_t slot = -1;
  Refusal refusal = Refusal::kNone;
};

// Chooses the slot of a player who asks for `requested`: -1 to 15, -1 is any.
inline SlotChoice choose_slot(const Game& game, std::string_view name, int32_t requested, std::string_view token) {
  const State& s = game.state;
  const auto& slots = game.config.slots;
  const auto configured = [&](int32_t slot) {
    return static_cast<std::size_t>(slot) < slots.size() ? &slots[static_cast<std::size_t>(slot)] : nullptr;
  };
  if (requested >= 0) {
    if (is_slot_taken(s, requested)) return {.refusal = Refusal::kSlotTaken};
    if (const Slot* slot = configured(requested)) {
      if (!slot->name.empty() && slot->name != name) return {.refusal = Refusal::kWrongName};
      if (!slot->token.empty() && slot->token != token) return {.refusal = Refusal::kWrongToken};
    }
    return {.slot = requested};
  }
  // A slot that is reserved for this player; then any slot that is reserved for its name or its token.
  Refusal refusal = Refusal::kNone;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    if (!slot.is_restricted()) continue;
    const bool has_name = slot.name.empty() || slot.name == name;
    const bool has_token = slot.token.empty() || slot.token == token;
    if (has_name && has_token) {
      if (is_slot_taken(s, static_cast<int32_t>(i))) return {.refusal = Refusal::kSlotTaken};
      return {.slot = static_cast<int32_t>(i)};
    }
    if (!slot.name.empty() && has_name) refusal = Refusal::kWrongToken;
    if (!slot.token.empty() && has_token) refusal = Refusal::kWrongName;
  }
  if (refusal != Refusal::kNone) return {.refusal = refusal};
  const auto is_open = [&](int32_t slot) {
    const Slot* reserved = configured(slot);
    return !is_slot_taken(s, slot) && (reserved == nullptr || !reserved->is_restricted());
  };
  for (int32_t slot = s.next_join_order; slot < kMostPlayers; ++slot) {
    if (is_open(slot)) return {.slot = slot};
  }
  for (int32_t slot = 0; slot < kMostPlayers; ++slot) {
    if (is_open(slot)) return {.slot = slot};
  }
  return {.refusal = Refusal::kFull};
}

// Seats a player in a slot that `choose_slot` gave.
inline void seat(const Game& game, int32_t slot, int64_t identity) {
  State& s = game.state;
  const auto& slots = game.config.slots;
  const int32_t colour = static_cast<std::size_t>(slot) < slots.size() ? slots[static_cast<std::size_t>(slot)].colour : -1;
  Player player{};
  player.is_alive = 1;
  player.kill_cooldown = game.config.kill_cooldown_ticks;
  player.slot = slot;
  player.colour = colour >= 0 ? colour : kSlotColours[slot];
  player.active_task = -1;
  player.last_chat_tick = s.tick - game.config.message_cooldown_ticks;
  player.identity = identity;
  player.reward = game.account(player).reward;
  s.players[s.players_len++] = player;
  ++s.done_len;
  s.next_join_order = std::max(s.next_join_order, slot + 1);
  arrange_homes(game);
}

}  // namespace bitworld::among_them
