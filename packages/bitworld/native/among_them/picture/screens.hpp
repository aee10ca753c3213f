// The screens with text: lobby, roles, meeting, results. A sprite scene takes the texts and icons of a screen as objects.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

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

// The texts and icons of a screen. Places are those of the top-left corner; that of an icon includes its outline.
struct ScreenItems {
  struct Text {
    std::string text;
    int32_t x, y;
    bool is_struck;
  };
  struct Icon {
    int32_t number;  // of the player, or of the chat message
    bool is_chat;
    bool is_body;
    uint8_t colour;
    int32_t x, y;
  };
  std::vector<Text> texts;
  std::vector<Icon> icons;
};

inline constexpr int32_t kNoViewer = -1;

class Screens {
 public:
  // With `items`, texts and icons are listed and not drawn.
  Screens(const Art& art, uint8_t* pixels, ScreenItems* items = nullptr) : art_(art), canvas_(pixels), items_(items) {
    // Row by row: one memcpy of the whole is four times slower (measured) at one distance of the addresses modulo 4096.
    for (std::size_t i = 0; i < kPixels; i += kSide) std::memcpy(pixels + i, art.backdrop.data() + i, kSide);
  }

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
    for (int32_t i = 0; i < s.players_len; ++i) icon(s, i, false, 4 + i % 6 * 9, top + i / 6 * 9);
  }

  void roles(const State& s, int32_t viewer) {
    const bool is_imposter = viewer != kNoViewer && s.players[viewer].is_imposter();
    text(14, is_imposter ? "IMPS" : "CREWMATE");
    int32_t shown[kMostPlayers];
    int32_t count = 0;
    for (int32_t i = 0; i < s.players_len; ++i) {
      // Imposters know each other.
      if (!is_imposter || s.players[i].is_imposter()) shown[count++] = i;
    }
    const Cells cells{count, 40};
    for (int32_t i = 0; i < count; ++i) icon(s, shown[i], false, cells.x(i) + 1, cells.y(i) + 1);
  }

  void meeting(const State& s, const Config& config, int32_t viewer) {
    const Cells cells{s.players_len, 1};
    for (int32_t i = 0; i < s.players_len; ++i) {
      const Player& player = s.players[i];
      icon(s, i, !player.is_alive, cells.x(i) + 1, cells.y(i) + 1);
      if (i == viewer) canvas_.fill(cells.x(i) + 7, cells.y(i) - 1, 2, 1, colour(player));
    }
    const int32_t skip_y = cells.bottom() + 2;
    text(kSkipX, skip_y, "SKIP");
    const int32_t cursor = viewer >= 0 && viewer < s.cursors_len ? s.cursors[viewer] : -1;
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
    icon(s, s.ejected, false, 57, 36);
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
      icon(s, i, false, x + 3, y);
      const std::string_view role = player.is_imposter() ? "IMP" : "CREW";
      text(x + 19, y + 4, role, !player.is_alive);
    }
  }

 private:
  static constexpr int32_t kStruckRow = 3;
  static constexpr int32_t kSkipX = 50;
  static constexpr int32_t kSkipWidth = 28;
  static constexpr int32_t kChatX = 17;
  static constexpr int32_t kChatIcon = 14;
  static constexpr int32_t kLineHeight = 8;
  static constexpr int32_t kChatBottom = 125;

  static uint8_t colour(const Player& player) { return static_cast<uint8_t>(player.colour & 15); }

  void text(int32_t x, int32_t y, std::string_view line, bool is_struck = false) {
    if (items_ != nullptr) {
      items_->texts.push_back({std::string(line), x, y, is_struck});
      return;
    }
    canvas_.text(art_.font, x, y, line, kWhite);
    if (is_struck) canvas_.fill(x, y + kStruckRow, art_.font.width(line), 1, kRed);
  }
  void text(int32_t y, std::string_view line) { text((kSide - art_.font.width(line)) / 2, y, line); }

  void icon(const State& s, int32_t player, bool is_body, int32_t x, int32_t y) {
    icon({player, false, is_body, colour(s.players[player]), x, y});
  }
  void icon(const ScreenItems::Icon& shown) {
    if (items_ != nullptr) {
      items_->icons.push_back(shown);
    } else {
      canvas_.stamp(shown.is_body ? art_.body[shown.colour] : art_.crew[shown.colour][0], shown.x, shown.y);
    }
  }

  void countdown(int32_t y, int32_t seconds) {
    char line[32] = "IN ";
    const Digits digits(seconds);
    const std::string_view number = digits.view();
    number.copy(line + 3, number.size());
    text(y, {line, 3 + number.size()});
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

  // The newest messages that fit, the newest at the bottom, each beside an icon of its speaker.
  void chat(const State& s, int32_t top) {
    int32_t bottom = kChatBottom;
    for (int32_t i = s.chat_len - 1; i >= 0 && bottom - kChatIcon >= top; --i) {
      const ChatLine& message = s.chat[i];
      std::string_view lines[kChatLength];
      const auto count = static_cast<int32_t>(wrap({message.text, static_cast<std::size_t>(message.length)}, lines));
      // A long message loses its first lines.
      const int32_t shown = std::min(count, (bottom - top) / kLineHeight);
      const int32_t height = std::max(shown * kLineHeight, kChatIcon);
      const int32_t y = bottom - height;
      icon({i, true, false, static_cast<uint8_t>(message.colour & 15), 1, y});
      for (int32_t line = 0; line < shown; ++line) {
        const int32_t line_y = y + (height - shown * kLineHeight) / 2 + line * kLineHeight;
        text(kChatX, line_y, lines[count - shown + line]);
      }
      bottom = y - 1;
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
  ScreenItems* items_;
};

}  // namespace bitworld::among_them
