// What agents have seen and cannot see now, as further tokens of their observations: for networks, which forget.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cpu/workers.hpp"

namespace cpu {

class TokenMemory {
 public:
  static constexpr int32_t kMostThings = 160;  // of one agent; those seen longest ago are forgotten first
  static constexpr int32_t kMostTags = 3;      // of one thing
  static constexpr int32_t kLevels = 15;       // of a distance in rows or columns
  static constexpr uint8_t kGlobal = 0xFE, kUnused = 0xFF;

  struct Settings {
    int32_t height, width;                   // of the window
    int32_t tag, memory;                     // features: of tags, and of the tokens that are added
    int32_t east, west, north, south;        // features: the distance from where the agent began; -1: none
    std::array<uint8_t, 256> makes_a_thing;  // tags of objects to remember
    std::array<uint8_t, 256> goes_with_it;   // other tags to remember about such an object
    std::array<uint8_t, 256> is_visible;     // by location: cells of the window that an agent sees
  };

  TokenMemory(int32_t rows, int32_t threads, const Settings& settings)
      : settings_(settings), agents_(static_cast<std::size_t>(rows)), workers_(threads) {}

  int32_t rows() const { return static_cast<int32_t>(agents_.size()); }
  bool is_lost() const { return workers_.is_lost(); }
  void forget(int32_t row) { agents_[static_cast<std::size_t>(row)].count = 0; }

  // Copies the used tokens of observations [count][tokens][3] of the agents in `rows` to out [count][room][3], and appends
  // what they remember. `translation` [65536][2], one for each in `tables`, or null: feature and value to write instead.
  void see(const uint8_t* observations, const int64_t* rows, int64_t count, int32_t tokens, uint8_t* out, int32_t room,
           const uint8_t* translation, const int64_t* tables) {
    constexpr int64_t kPiece = 128;  // fewer take less time than waking a thread
    const int32_t pieces = static_cast<int32_t>((count + kPiece - 1) / kPiece);
    workers_.share(pieces, [&](int32_t piece) {
      for (int64_t i = piece * kPiece; i < std::min(count, (piece + 1) * kPiece); ++i) {
        const uint8_t* table = translation == nullptr ? nullptr : translation + tables[i] * 65536 * 2;
        see_one(agents_[static_cast<std::size_t>(rows[i])], observations + i * tokens * 3, tokens, out + i * room * 3, room,
                table);
      }
    });
  }

 private:
  struct Thing {
    int16_t row, col;  // from where the agent began
    uint8_t tags[kMostTags];
    uint8_t count;
  };
  struct Agent {
    int32_t count = 0;
    Thing things[kMostThings];  // by the time they were last seen
  };

  void see_one(Agent& agent, const uint8_t* tokens, int32_t most, uint8_t* out, int32_t room, const uint8_t* table) const {
    const int32_t kept = std::min(most, room);
    int32_t used = 0, row = 0, col = 0;
    for (; used < kept && tokens[3 * used] != kUnused; ++used) {
      const uint8_t* token = tokens + 3 * used;
      const uint8_t* pair = table == nullptr ? token + 1 : table + (token[1] * 256 + token[2]) * 2;
      uint8_t* copy = out + 3 * used;
      copy[0] = token[0];
      copy[1] = pair[0];
      copy[2] = pair[1];
      if (token[0] == kGlobal) {
        if (pair[0] == settings_.south) row += pair[1];
        if (pair[0] == settings_.north) row -= pair[1];
        if (pair[0] == settings_.east) col += pair[1];
        if (pair[0] == settings_.west) col -= pair[1];
      }
    }
    const int32_t top = row - settings_.height / 2, left = col - settings_.width / 2;
    forget_visible(agent, top, left);
    const int32_t seen = remember(agent, out, used, top, left);
    // What is seen now comes last and is in the observation already.
    std::array<std::array<uint64_t, 4>, kLevels * kLevels> told{};  // tags by place: each is appended once
    for (int32_t i = agent.count - seen; i-- > 0;) used = append(agent.things[i], row, col, told, out, used, room);
    std::memset(out + 3 * used, kUnused, static_cast<std::size_t>(3 * (room - used)));
  }

  void forget_visible(Agent& agent, int32_t top, int32_t left) const {
    int32_t kept = 0;
    for (int32_t i = 0; i < agent.count; ++i) {
      const Thing& thing = agent.things[i];
      const int32_t r = thing.row - top, c = thing.col - left;
      const bool inside = r >= 0 && c >= 0 && r < settings_.height && c < settings_.width;
      if (inside && settings_.is_visible[static_cast<std::size_t>(r << 4 | c)]) continue;
      if (kept != i) agent.things[kept] = thing;
      ++kept;
    }
    agent.count = kept;
  }

  // Appends the things in the observation and returns their number; the tokens of a cell are next to each other.
  int32_t remember(Agent& agent, const uint8_t* tokens, int32_t used, int32_t top, int32_t left) const {
    int32_t seen = 0;
    for (int32_t first = 0; first < used;) {
      const uint8_t location = tokens[3 * first];
      Thing thing{};
      bool is_thing = false;
      int32_t i = first;
      for (; i < used && tokens[3 * i] == location; ++i) {
        if (tokens[3 * i + 1] != settings_.tag) continue;
        const uint8_t tag = tokens[3 * i + 2];
        is_thing |= settings_.makes_a_thing[tag] != 0;
        if (thing.count < kMostTags && (settings_.makes_a_thing[tag] || settings_.goes_with_it[tag])) {
          thing.tags[thing.count++] = tag;
        }
      }
      first = i;
      if (!is_thing || location == kGlobal) continue;
      thing.row = static_cast<int16_t>(top + (location >> 4));
      thing.col = static_cast<int16_t>(left + (location & 15));
      if (agent.count == kMostThings) {
        std::memmove(agent.things, agent.things + 1, sizeof(Thing) * (kMostThings - 1));
        --agent.count;
      }
      agent.things[agent.count++] = thing;
      ++seen;
    }
    return std::min(seen, kMostThings);
  }

  template <class Told>
  int32_t append(const Thing& thing, int32_t row, int32_t col, Told& told, uint8_t* out, int32_t used, int32_t room) const {
    const int32_t place = level(thing.row - row) * kLevels + level(thing.col - col);
    for (int32_t i = 0; i < thing.count && used < room; ++i) {
      uint64_t& bits = told[static_cast<std::size_t>(place)][thing.tags[i] >> 6];
      const uint64_t bit = uint64_t{1} << (thing.tags[i] & 63);
      if (bits & bit) continue;
      bits |= bit;
      out[3 * used] = static_cast<uint8_t>(place);
      out[3 * used + 1] = static_cast<uint8_t>(settings_.memory);
      out[3 * used + 2] = thing.tags[i];
      ++used;
    }
    return used;
  }

  // 0 to 14 from far north or west to far south or east; finer where it is near.
  static int32_t level(int32_t distance) {
    constexpr int32_t kFar = 41;
    static constexpr std::array<uint8_t, 2 * kFar + 1> kTable = [] {
      constexpr int32_t kEnds[] = {1, 4, 7, 11, 17, 26, 40};
      std::array<uint8_t, 2 * kFar + 1> table{};
      for (int32_t i = -kFar; i <= kFar; ++i) {
        int32_t size = 0;
        while (size < 7 && (i < 0 ? -i : i) > kEnds[size]) ++size;
        table[static_cast<std::size_t>(i + kFar)] = static_cast<uint8_t>(kLevels / 2 + (i < 0 ? -size : size));
      }
      return table;
    }();
    return kTable[static_cast<std::size_t>(std::clamp(distance, -kFar, kFar) + kFar)];
  }

  Settings settings_;
  std::vector<Agent> agents_;
  Workers workers_;
};

}  // namespace cpu
