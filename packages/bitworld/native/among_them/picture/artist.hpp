// Draws pictures of games on one map. Read-only after it is made, so threads share it; a picture allocates nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "among_them/game.hpp"
#include "among_them/picture/art.hpp"
#include "among_them/picture/screens.hpp"
#include "among_them/picture/sight.hpp"
#include "among_them/picture/view.hpp"
#include "among_them/scoring.hpp"

namespace bitworld::among_them {

class Artist {
 public:
  // `floor` [map->height][map->width]
  Artist(std::shared_ptr<const Map> map, const uint8_t* floor, const Art& art)
      : map_(std::move(map)), walls_(*map_), floor_(*map_, floor), art_(art) {}

  const Map& map() const { return *map_; }
  const WallBits& walls() const { return walls_; }

  void look(const State& s, const Config& config, int32_t viewer, View& view) const {
    among_them::look(s, config, *map_, walls_, viewer, view);
  }

  // Draws what a player sees. `pixels` [kSide][kSide]
  void draw(const State& s, const Config& config, int32_t viewer, uint8_t* pixels) const {
    if (s.phase == Phase::kPlaying) {
      play(s, config, viewer, pixels);
    } else {
      draw_screen(s, config, viewer, pixels, nullptr);
    }
  }

  // Draws the screen of a phase other than play, for a player or kNoViewer. With `items`, texts and icons are listed and not
  // drawn.
  void draw_screen(const State& s, const Config& config, int32_t viewer, uint8_t* pixels, ScreenItems* items) const {
    Screens screens(art_, pixels, items);
    switch (s.phase) {
      case Phase::kVoting: return screens.meeting(s, config, viewer);
      case Phase::kVoteResult: return screens.vote_result(s);
      case Phase::kGameOver: return screens.game_over(s);
      case Phase::kRoleReveal: return screens.roles(s, viewer);
      default: return screens.lobby(s, config);
    }
  }

  // Draws what a client without a seat sees.
  void draw_waiting(uint8_t* pixels) const { Screens(art_, pixels).waiting(); }

 private:
  void play(const State& s, const Config& config, int32_t viewer, uint8_t* pixels) const {
    View view;
    look(s, config, viewer, view);
    const Player& me = s.players[viewer];
    if (view.sees_all) {
      floor_.draw_lit(me.x, me.y, pixels);
    } else {
      floor_.draw(me.x, me.y, view.sight, pixels);
    }
    Canvas canvas(pixels);
    const int32_t dx = kSpriteX - 1 - view.camera.x;
    const int32_t dy = kSpriteY - 1 - view.camera.y;
    for (int32_t i = 0; i < view.bodies_len; ++i) {
      const Body& body = s.bodies[view.bodies[i]];
      canvas.stamp(art_.body[static_cast<std::size_t>(body.colour & 15)], body.x + dx, body.y + dy);
    }
    for (int32_t i = 0; i < view.players_len; ++i) {
      const Player& player = s.players[view.players[i]];
      const auto& kind = player.is_alive ? art_.crew : art_.ghost;
      canvas.stamp(kind[static_cast<std::size_t>(player.colour & 15)][player.faces_left != 0 ? 1 : 0], player.x + dx,
                   player.y + dy);
    }
    for (int32_t i = 0; i < view.marks_len; ++i) {
      const TaskMark& mark = view.marks[i];
      if (mark.is_arrow) {
        canvas.dot(mark.place.x, mark.place.y, kYellow);
      } else {
        canvas.stamp(art_.task, mark.place.x, mark.place.y);
      }
    }
    if (me.active_task >= 0 && me.task_progress > 0) progress(me, config, view, canvas);
    if (!me.is_alive) {
      canvas.stamp(art_.ghost_icon, kIconX, kIconY);
    } else if (me.is_imposter()) {
      canvas.stamp(me.kill_cooldown > 0 ? art_.kill_cooldown : art_.kill, kIconX, kIconY);
    }
    const Digits counter(tasks_remaining(s));
    const int32_t x = kSide - art_.font.width(counter.view());
    // The floor can be as light as the text.
    for (const auto& [away_x, away_y] : {std::pair{-1, 0}, {-1, 1}, {0, 1}}) {
      canvas.text(art_.font, x + away_x, away_y, counter.view(), kBlack);
    }
    canvas.text(art_.font, x, 0, counter.view(), kWhite);
  }

  void progress(const Player& me, const Config& config, const View& view, Canvas& canvas) const {
    constexpr int32_t kWidth = 14;
    const Rect& station = map_->tasks[static_cast<std::size_t>(me.active_task)];
    const int32_t whole = std::max(config.task_complete_ticks, 1);
    const auto filled = static_cast<int32_t>(int64_t{kWidth} * std::min(me.task_progress, whole) / whole);
    canvas.fill(station.x + 1 - view.camera.x, station.y - 1 - view.camera.y, kWidth, 1, kGray);
    canvas.fill(station.x + 1 - view.camera.x, station.y - 1 - view.camera.y, filled, 1, kGreen);
  }

  static constexpr int32_t kIconX = 1;
  static constexpr int32_t kIconY = kSide - 13;

  std::shared_ptr<const Map> map_;
  WallBits walls_;
  Floor floor_;
  Art art_;
};

}  // namespace bitworld::among_them
