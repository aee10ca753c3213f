// A fingerprint of what a game is played with, so that a snapshot is only restored where it fits. The seed is not part of it:
// a snapshot contains the random generator.
#pragma once

#include <cstdint>
#include <string_view>

#include "among_them/game.hpp"
#include "core/hash.hpp"

namespace bitworld::among_them {

inline uint64_t rules_fingerprint(const Config& c, const Map& map) {
  StateHash hash;
  const auto add_text = [&](std::string_view text) {
    hash.add(text.size());
    for (const char letter : text) hash.add(letter);
  };
  for (const int32_t value : {c.motion_scale,
                              c.accel,
                              c.friction_num,
                              c.friction_den,
                              c.max_speed,
                              c.stop_threshold,
                              c.kill_range,
                              c.vent_range,
                              c.report_range,
                              c.kill_cooldown_ticks,
                              c.role_reveal_ticks,
                              c.task_complete_ticks,
                              c.vote_result_ticks,
                              c.start_wait_ticks,
                              c.vote_timer_ticks,
                              c.message_cooldown_ticks,
                              c.game_over_ticks,
                              c.max_ticks,
                              c.min_players,
                              c.imposter_count,
                              int32_t{c.auto_imposter_count},
                              c.tasks_per_player,
                              c.button_calls,
                              c.max_games}) {
    hash.add(value);
  }
  for (const Slot& slot : c.slots) {
    add_text(slot.name);
    add_text(slot.token);
    hash.add(slot.has_role ? static_cast<int32_t>(slot.role) : -1);
    hash.add(slot.colour);
  }
  const auto add_rect = [&](const Rect& rect) {
    for (const int32_t value : {rect.x, rect.y, rect.w, rect.h}) hash.add(value);
  };
  for (const int32_t value : {map.width, map.height, map.home.x, map.home.y}) hash.add(value);
  add_rect(map.button);
  for (const Rect& task : map.tasks) add_rect(task);
  for (const Vent& vent : map.vents) {
    add_rect(vent.place);
    hash.add(vent.group);
    hash.add(vent.index);
  }
  for (const uint8_t cell : map.walk) hash.add(cell);
  return hash.value();
}

}  // namespace bitworld::among_them
