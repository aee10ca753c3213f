// The view of a player in play: the camera, the lit pixels, who is in sight, the marks of its tasks. Pictures
// and sprite scenes are both drawn from it, so they agree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "among_them/game.hpp"
#include "among_them/picture/art.hpp"
#include "among_them/picture/sight.hpp"

namespace bitworld::among_them {

// The top-left corner of a sprite, from the point of its player or body.
inline constexpr int32_t kSpriteX = -2;
inline constexpr int32_t kSpriteY = -8;

// Task bubbles float over their stations, up and down by a pixel every 30 ticks.
inline int32_t bubble_height(int64_t tick) {
  const int64_t moment = tick % 30;
  if (moment >= 6 && moment < 15) return 15;
  return moment >= 21 ? 13 : 14;
}

inline Point bubble_of(const Rect& station, int64_t tick) { return {station.x + 2, station.y - bubble_height(tick)}; }

// The pixel at the edge of the window where the line from the player to a point outside of the window ends.
inline Point arrow_to(int32_t dx, int32_t dy) {
  const auto floor_div = [](int32_t a, int32_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  if (std::abs(dx) > std::abs(dy)) {
    const int32_t edge = dx > 0 ? kSide - 1 : 0;
    return {edge, std::clamp(kOriginY + floor_div(dy * (edge - kOriginX), dx), 0, kSide - 1)};
  }
  if (dy == 0) return {kOriginX, kOriginY};
  const int32_t edge = dy > 0 ? kSide - 1 : 0;
  return {std::clamp(kOriginX + floor_div(dx * (edge - kOriginY), dy), 0, kSide - 1), edge};
}

struct TaskMark {
  int32_t task;
  bool is_arrow;  // else a bubble
  Point place;    // in the window: the pixel of an arrow, the top-left corner of a bubble
};

struct View {
  Point camera;  // the point of the map in the top-left pixel
  bool sees_all;
  Sight sight;  // unset if `sees_all`
  int32_t bodies_len;
  int32_t bodies[kMostPlayers];
  int32_t players_len;
  int32_t players[kMostPlayers];  // from back to front
  int32_t marks_len;
  TaskMark marks[kMostTasks];

  // Whether the point of a player or body is in the window and lit.
  bool shows(int32_t x, int32_t y) const {
    x -= camera.x;
    y -= camera.y;
    if (x < 0 || y < 0 || x >= kSide || y >= kSide) return false;
    return sees_all || sight.sees(x, y);
  }
};

inline void find_marks(const State& s, const Config& config, const Map& map, int32_t viewer, View& view) {
  const Player& me = s.players[viewer];
  view.marks_len = 0;
  for (int32_t i = 0; i < me.tasks_len; ++i) {
    const int32_t task = me.tasks[i];
    if (s.has_done(task, viewer)) continue;
    const Point bubble = bubble_of(map.tasks[static_cast<std::size_t>(task)], s.tick);
    const int32_t x = bubble.x - view.camera.x;
    const int32_t y = bubble.y - view.camera.y;
    const bool is_near = x > -kSpriteSide && y > -kSpriteSide && x < kSide && y < kSide;
    if (!(is_near ? config.show_task_bubbles : config.show_task_arrows)) continue;
    const Point place = is_near ? Point{x, y} : arrow_to(x + kSpriteSide / 2 - kOriginX, y + kSpriteSide / 2 - kOriginY);
    view.marks[view.marks_len++] = {task, !is_near, place};
  }
}

inline void look(const State& s, const Config& config, const Map& map, const WallBits& walls, int32_t viewer, View& view) {
  const Player& me = s.players[viewer];
  view.camera = {me.x - kOriginX, me.y - kOriginY};
  view.sees_all = !me.is_alive;
  if (!view.sees_all) walls.look(me.x, me.y, view.sight);
  view.bodies_len = 0;
  for (int32_t i = 0; i < s.bodies_len; ++i) {
    if (view.shows(s.bodies[i].x, s.bodies[i].y)) view.bodies[view.bodies_len++] = i;
  }
  view.players_len = 0;
  for (int32_t i = 0; i < s.players_len; ++i) {
    const Player& other = s.players[i];
    // Only ghosts see ghosts.
    const bool is_seen = i == viewer || ((other.is_alive || !me.is_alive) && view.shows(other.x, other.y));
    if (!is_seen) continue;
    int32_t place = view.players_len++;
    for (; place > 0 && s.players[view.players[place - 1]].y > other.y; --place) view.players[place] = view.players[place - 1];
    view.players[place] = i;
  }
  find_marks(s, config, map, viewer, view);
}

}  // namespace bitworld::among_them
