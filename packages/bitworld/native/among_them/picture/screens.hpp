// The screens with text: lobby, roles, meeting, results.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "among_them/game.hpp"
#include "among_them/picture/art.hpp"

namespace bitworld::among_them {

inline constexpr int32_t kTicksPerSecond = 24;

// Icons of players in rows of eight cells.
struct Cells {
  static constexpr int32_t kWidth = 16, kHeight = 17, kPerRow = 8;

  int32_t count, top;

  int32_t x(int32_t i) const { return (kSide - std::min(count, kPerRow) * kWidth) / 2 + i % kPerRow * kWidth; }
  int32_t y(int32_t i) const { return top + i / kPerRow * kHeight; }
  int32_t bottom() const { return top + (std::max(count, 1) + kPerRow - 1) / kPerRow * kHeight; }
};

// A number as text, in its own memory.
class Digits {
 public:
  explicit Digits(int64_t number) : end_(std::to_chars(text_, text_ + sizeof text_, number).ptr) {}
  std::string_view view() const { return {text_, static_cast<std::size_t>(end_ - text_)}; }

 private:
  char text_[24];
  char* end_;
};

class Screens {
 public:
  Screens(const Art& art, uint8_t* pixels) : art_(art), canvas_(pixels) { std::memcpy(pixels, art.backdrop.data(), kPixels); }

  // For a client without a seat.
  void waiting() {
    text(53, "GAME IN");
    text(69, "PROGRESS");
  }

  void lobby(const State& s, const Config& config) {
    int32_t top = 25;
    if (s.players_len < config.min_players) {
      text(4, "WAITING");
      text(14, "NEED MORE!");
    } else {
      text(2, "GAME");
      text(11, "STARTING");
      countdown(20, (s.start_wait_timer + kTicksPerSecond - 1) / kTicksPerSecond);
      top = 31;
    }
    for (int32_t i = 0; i < s.players_len; ++i) canvas_.stamp(crew(s.players[i]), 4 + i % 6 * 9, top + i / 6 * 9);
  }

  void roles(const State& s, int32_t viewer) {
    const bool is_imposter = s.players[viewer].is_imposter();
    text(14, is_imposter ? "IMPS" : "CREWMATE");
    int32_t shown[kMostPlayers];
    int32_t count = 0;
    for (int32_t i = 0; i < s.players_len; ++i) {
      // Imposters know each other.
      if (!is_imposter || s.players[i].is_imposter()) shown[count++] = i;
    }
    const Cells cells{count, 40};
    for (int32_t i = 0; i < count; ++i) canvas_.stamp(crew(s.players[shown[i]]), cells.x(i) + 1, cells.y(i) + 1);
  }

  void meeting(const State& s, const Config& config, int32_t viewer) {
    const Cells cells{s.players_len, 1};
    for (int32_t i = 0; i < s.players_len; ++i) {
      const Player& player = s.players[i];
      canvas_.stamp(player.is_alive ? crew(player) : body(player), cells.x(i) + 1, cells.y(i) + 1);
      if (i == viewer) canvas_.fill(cells.x(i) + 7, cells.y(i) - 1, 2, 1, colour(player));
    }
    const int32_t skip_y = cells.bottom() + 2;
    canvas_.text(art_.font, kSkipX, skip_y, "SKIP", kWhite);
    const int32_t cursor = viewer < s.cursors_len ? s.cursors[viewer] : -1;
    if (cursor == s.players_len) {
      canvas_.frame(kSkipX - 2, skip_y - 2, kSkipWidth, Font::kHeight + 4, kWhite);
    } else if (cursor >= 0 && cursor < s.players_len) {
      canvas_.frame(cells.x(cursor), cells.y(cursor), Cells::kWidth, Cells::kHeight, kWhite);
    }
    votes(s, cells, skip_y);
    chat(s, skip_y + Font::kHeight + 3);
    timer(s.vote_timer, config.vote_timer_ticks);
  }

  void vote_result(const State& s) {
    if (s.ejected < 0 || s.ejected >= s.players_len) {
      text(54, "NO ONE");
      text(64, "DIED");
      return;
    }
    canvas_.stamp(body(s.players[s.ejected]), 57, 36);
    text(54, "WAS");
    text(64, "KILLED");
  }

  void game_over(const State& s) {
    const bool is_draw = s.time_limit_reached != 0;
    text(2, is_draw ? "DRAW" : s.winner == Role::kImposter ? "IMPS WIN" : "CREW WINS");
    for (int32_t i = 0; i < s.players_len; ++i) {
      const Player& player = s.players[i];
      const int32_t x = i / 8 * 64;
      const int32_t y = 16 + i % 8 * 14;
      canvas_.stamp(crew(player), x + 3, y);
      const std::string_view role = player.is_imposter() ? "IMP" : "CREW";
      canvas_.text(art_.font, x + 19, y + 4, role, kWhite);
      if (!player.is_alive) canvas_.fill(x + 19, y + 7, art_.font.width(role), 1, kRed);
    }
  }

 private:
  static constexpr int32_t kSkipX = 50;
  static constexpr int32_t kSkipWidth = 28;
  static constexpr int32_t kChatX = 8;
  static constexpr int32_t kLineHeight = 8;
  static constexpr int32_t kChatBottom = 125;

  static uint8_t colour(const Player& player) { return static_cast<uint8_t>(player.colour & 15); }
  const Stamp& crew(const Player& player) const { return art_.crew[colour(player)][0]; }
  const Stamp& body(const Player& player) const { return art_.body[colour(player)]; }

  void text(int32_t y, std::string_view line) { canvas_.text_centred(art_.font, y, line, kWhite); }

  void countdown(int32_t y, int32_t seconds) {
    const Digits number(seconds);
    const int32_t width = art_.font.width("IN ") + 1 + art_.font.width(number.view());
    const int32_t x = canvas_.text(art_.font, (kSide - width) / 2, y, "IN ", kWhite);
    canvas_.text(art_.font, x, y, number.view(), kWhite);
  }

  // A dot in the colour of each voter, below its choice.
  void votes(const State& s, const Cells& cells, int32_t skip_y) {
    int32_t given[kMostPlayers + 1] = {};
    for (int32_t i = 0; i < std::min(s.votes_len, s.players_len); ++i) {
      const int32_t vote = s.votes[i];
      if (vote == kSkipVote) {
        const int32_t place = given[kMostPlayers]++;
        canvas_.dot(kSkipX + kSkipWidth + 2 + place * 2, skip_y, colour(s.players[i]));
      } else if (vote >= 0 && vote < s.players_len) {
        const int32_t place = given[vote]++;
        canvas_.dot(cells.x(vote) + 1 + place % 7 * 2, cells.y(vote) + 15 - place / 7 * 2, colour(s.players[i]));
      }
    }
  }

  void timer(int32_t left, int32_t whole) {
    constexpr int32_t kWidth = kSide - 4;
    const auto filled = static_cast<int32_t>(int64_t{kWidth} * std::clamp(left, 0, whole) / std::max(whole, 1));
    canvas_.fill(2, kSide - 2, kWidth, 2, kGray);
    canvas_.fill(2, kSide - 2, filled, 2, kGreen);
  }

  // The newest lines that fit, the newest message at the bottom; a bar in the colour of the speaker beside each message.
  void chat(const State& s, int32_t top) {
    int32_t y = kChatBottom;
    for (int32_t i = s.chat_len - 1; i >= 0 && y - kLineHeight >= top; --i) {
      const ChatLine& message = s.chat[i];
      std::string_view lines[kChatLength];
      const std::size_t count = wrap({message.text, static_cast<std::size_t>(message.length)}, lines);
      const int32_t bottom = y;
      for (std::size_t line = count; line-- > 0 && y - kLineHeight >= top;) {
        y -= kLineHeight;
        canvas_.text(art_.font, kChatX, y, lines[line], kWhite);
      }
      canvas_.fill(2, y, 4, bottom - y - 1, static_cast<uint8_t>(message.colour & 15));
      y -= 1;
    }
  }

  // Splits a message into lines that fit, at spaces where possible. Every line has at least one character.
  std::size_t wrap(std::string_view message, std::string_view* lines) const {
    constexpr int32_t kWidth = kSide - kChatX - 2;
    std::size_t count = 0;
    while (!message.empty()) {
      std::size_t length = 0;
      std::size_t after_word = 0;
      int32_t width = 0;
      while (length < message.size()) {
        width += art_.font.width(message[length]) + 1;
        if (width - 1 > kWidth) break;
        if (message[length] == ' ') after_word = length + 1;
        ++length;
      }
      if (length < message.size() && after_word > 0) length = after_word;
      length = std::max<std::size_t>(length, 1);
      lines[count++] = message.substr(0, length);
      message.remove_prefix(length);
    }
    return count;
  }

  const Art& art_;
  Canvas canvas_;
};

}  // namespace bitworld::among_them
