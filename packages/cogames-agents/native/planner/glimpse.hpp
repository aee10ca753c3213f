// One observation, decoded: the cog itself, its team's stock, and what stands in the window.
#pragma once

#include <cstring>

#include "chart.hpp"

namespace planner {

struct Sighting {
  uint8_t location;  // row << 4 | column in the window
  Kind kind;
  uint32_t teams;  // bit per team
  uint8_t lanes;   // bit per lane of the clips
  int16_t agent_id;
  int16_t hearts;
  int16_t content;  // elements inside
};

struct Glimpse {
  int32_t east, west, north, south;
  int32_t moved, territory, done;
  int32_t hp, hearts;
  int32_t cargo[kElements];
  int32_t stock[kElements];
  bool shows_stock;
  Role gear;
  uint32_t teams;  // of the cog itself
  int sightings;
  Sighting seen[192];
  uint8_t cells[16][16];  // Ground by location; cogs stand on free cells
};

inline void decode(const Vocabulary& words, const uint8_t* row, int tokens, Glimpse& out) {
  std::memset(&out, 0, offsetof(Glimpse, seen));
  std::memset(out.cells, kFree, sizeof out.cells);
  out.gear = kNoRole;
  const uint8_t centre = static_cast<uint8_t>(words.centre());
  Sighting now{0xFF, kNothing, 0, 0, -1, 0, 0};
  const auto finish = [&] {
    if (now.kind == kNothing) return;  // the edges of territories are marked on empty cells
    if ((now.location >> 4) >= words.height || (now.location & 15) >= words.width) return;  // no game shows such cells
    uint8_t& cell = out.cells[now.location >> 4][now.location & 15];
    if (now.kind == kWall) {
      cell = kBlocked;
    } else if (now.location != centre) {
      if (now.kind != kAgent) cell = kObject;
      if (out.sightings < 192) out.seen[out.sightings++] = now;
    } else {
      out.teams = now.teams;
    }
  };
  const uint8_t* end = row + 3 * tokens;
  for (; row < end && row[0] != 0xFF; row += 3) {
    const uint8_t location = row[0];
    const Feature feature = words.features[row[1]];
    const int32_t value = row[2];
    const int32_t number = value * feature.weight;
    if (location == 0xFE) {
      switch (feature.says) {
        case Says::kEast: out.east += number; break;
        case Says::kWest: out.west += number; break;
        case Says::kNorth: out.north += number; break;
        case Says::kSouth: out.south += number; break;
        case Says::kMoved: out.moved = value; break;
        case Says::kTerritory: out.territory = value; break;
        case Says::kDone: out.done = value; break;
        default:
          if (feature.says >= Says::kStock) {
            out.stock[static_cast<int>(feature.says) - static_cast<int>(Says::kStock)] += number;
            out.shows_stock = true;
          }
      }
      continue;
    }
    if (location != now.location) {
      finish();
      now = Sighting{location, kNothing, 0, 0, -1, 0, 0};
    }
    if (feature.says == Says::kTag) {
      const Tag tag = words.tags[row[2]];
      if (tag.kind != kNothing) now.kind = tag.kind;
      if (tag.team >= 0) now.teams |= 1u << tag.team;
      if (tag.lane >= 0) now.lanes = static_cast<uint8_t>(now.lanes | 1u << tag.lane);
    } else if (location == centre) {
      if (feature.says == Says::kHp) {
        out.hp += number;
      } else if (feature.says == Says::kHeart) {
        out.hearts += number;
      } else if (feature.says >= Says::kElement && feature.says < Says::kGear) {
        out.cargo[static_cast<int>(feature.says) - static_cast<int>(Says::kElement)] += number;
      } else if (feature.says >= Says::kGear && feature.says < Says::kStock && value) {
        out.gear = static_cast<Role>(static_cast<int>(feature.says) - static_cast<int>(Says::kGear));
      }
    } else if (feature.says == Says::kAgentId) {
      now.agent_id = static_cast<int16_t>(value);
    } else if (feature.says == Says::kHeart) {
      now.hearts = static_cast<int16_t>(now.hearts + number);
    } else if (feature.says >= Says::kElement && feature.says < Says::kGear) {
      now.content = static_cast<int16_t>(now.content + number);
    }
  }
  finish();
}

}  // namespace planner
