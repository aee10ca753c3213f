// The names of one game as numbers, and one observation decoded with them; see `cogames.policy.sight`.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grid.hpp"

namespace starter {

enum Element : uint8_t { kCarbon, kOxygen, kGermanium, kSilicon, kElements };
enum Role : uint8_t { kMiner, kAligner, kScrambler, kScout, kRoles };
inline constexpr std::array<std::string_view, kElements> kElementNames{"carbon", "oxygen", "germanium", "silicon"};
inline constexpr std::array<std::string_view, kRoles> kRoleNames{"miner", "aligner", "scrambler", "scout"};

// Types of objects that a cog goes to: an extractor's is kExtractor + its element, a station's kStation + its role.
enum Kind : uint8_t { kHub, kJunction, kExtractor, kStation = kExtractor + kElements, kKinds = kStation + kRoles };

// Numbers about the cog and the game, each the sum of digits.
enum Number : uint8_t {
  kMoved,
  kTerritory,
  kHp,
  kHearts,
  kCargo,
  kGear = kCargo + kElements,
  kStock = kGear + kRoles,
  kNumbers = kStock + kElements,
};

inline constexpr int kTeamsMax = 64;
inline constexpr uint8_t kGlobal = 0xFE, kEmpty = 0xFF;  // locations

struct Tag {
  uint16_t kinds = 0;  // bit of its kind
  bool is_cog = false;
  uint64_t teams = 0;  // bit of its team, in the order of the tags
};

struct Digit {
  uint8_t feature;
  int64_t weight;
};

struct FeatureName {
  int id;
  std::string name;
  double normalization;
};

class Sight {
 public:
  Sight(const std::vector<std::string>& tag_names, const std::vector<FeatureName>& feature_names,
        const std::vector<std::string>& action_names, int window_height, int window_width,
        const std::vector<std::pair<int, int>>& visible_cols)
      : height(window_height), width(window_width), rows(height / 2), cols(width / 2) {
    for (size_t row = 0; row < visible_cols.size() && row < visible.size(); ++row) {
      for (int col = visible_cols[row].first; col <= visible_cols[row].second; ++col) visible[row] |= 1u << col;
    }
    read_tags(tag_names);
    read_features(feature_names);
    for (size_t i = 0; i < action_names.size(); ++i) {
      constexpr std::string_view kNames[] = {"move_north", "move_east", "move_south", "move_west", "noop"};
      for (size_t heading = 0; heading <= kNowhere; ++heading) {
        if (action_names[i] == kNames[heading]) actions[heading] = static_cast<int>(i);
      }
    }
  }

  int height, width, rows, cols;
  std::array<uint32_t, 16> visible{};  // the visible columns of each row of the window, as bits
  std::array<Tag, 256> tags{};
  int tag_feature = -1, wall_tag = -1;
  std::array<std::vector<Digit>, kNumbers> digits;
  std::array<int64_t, 256> heart_weight{};              // of the features that are digits of an inventory's hearts
  std::array<int, kHeadings> position{-1, -1, -1, -1};  // features `lp:north`, ...
  std::array<int, 1 + kElements + kRoles> goods{};      // features of what an object gives or takes; -1 if there is none
  std::array<int, kHeadings + 1> actions{};             // of each heading, and of waiting

  int centre() const { return rows << 4 | cols; }

 private:
  static constexpr double kBaseMax = 1 << 20;
  static constexpr int64_t kWeightMax = int64_t{1} << 40;  // larger numbers do not occur, and would not fit

  void read_tags(const std::vector<std::string>& names) {
    std::map<std::string, size_t> numbers;
    for (size_t id = 0; id < names.size() && id < tags.size(); ++id) numbers[names[id]] = id;
    int teams = 0;
    for (size_t id = 0; id < names.size() && id < tags.size(); ++id) {
      const std::string& name = names[id];
      if (numbers[name] != id) continue;
      if (name == "type:wall") wall_tag = static_cast<int>(id);
      if (name == "type:agent") tags[id].is_cog = true;
      if (name.rfind("team:", 0) == 0) {
        if (teams == kTeamsMax) throw std::invalid_argument("there are more than 64 teams");
        tags[id].teams = uint64_t{1} << teams++;
      }
      if (name == "type:hub") tags[id].kinds |= 1u << kHub;
      if (name == "type:junction") tags[id].kinds |= 1u << kJunction;
      for (size_t i = 0; i < kElements; ++i) {
        if (name == "type:" + std::string(kElementNames[i]) + "_extractor")
          tags[id].kinds = static_cast<uint16_t>(1u << (kExtractor + i));
      }
      for (size_t i = 0; i < kRoles; ++i) {
        if (name == "type:" + std::string(kRoleNames[i])) tags[id].kinds = static_cast<uint16_t>(1u << (kStation + i));
      }
    }
  }

  void read_features(const std::vector<FeatureName>& names) {
    std::map<std::string, std::pair<int, int64_t>> features;  // id and base
    for (const FeatureName& feature : names) {
      if (feature.id < 0 || feature.id > 255) continue;
      features[feature.name] = {feature.id, static_cast<int64_t>(std::clamp(feature.normalization, 0.0, kBaseMax))};
    }
    const auto id = [&](const std::string& name) { return features.count(name) ? features[name].first : -1; };
    const auto read = [&](int number, const std::string& name) {
      if (!features.count(name)) return;
      const int64_t base = features[name].second;
      int64_t weight = 1;
      std::string part = name;
      for (int power = 1; features.count(part) && weight < kWeightMax; ++power, weight *= base) {
        digits[static_cast<size_t>(number)].push_back({static_cast<uint8_t>(features[part].first), weight});
        part = name + ":p" + std::to_string(power);
      }
    };
    tag_feature = id("tag");
    position = {id("lp:north"), id("lp:east"), id("lp:south"), id("lp:west")};
    read(kMoved, "last_action_move");
    read(kTerritory, "territory:here");
    read(kHp, "inv:hp");
    read(kHearts, "inv:heart");
    goods[0] = id("inv:heart");
    for (size_t i = 0; i < kElements; ++i) {
      const std::string name(kElementNames[i]);
      read(static_cast<int>(kCargo + i), "inv:" + name);
      read(static_cast<int>(kStock + i), "team:" + name);
      goods[1 + i] = id("inv:" + name);
    }
    for (size_t i = 0; i < kRoles; ++i) {
      const std::string name(kRoleNames[i]);
      read(static_cast<int>(kGear + i), "inv:" + name);
      goods[1 + kElements + i] = id("inv:" + name);
    }
    for (const Digit& digit : digits[kHearts]) heart_weight[digit.feature] = digit.weight;
  }
};

struct View {
  std::array<int16_t, 256> own;                     // values of the cog and the game by feature; -1 if absent
  std::array<uint32_t, 16> walls, objects, cogs;    // cells by row of the window, as bits
  std::array<Tag, 256> at;                          // by location; only of `objects` and `cogs`
  std::vector<uint8_t> places;                      // the locations of these
  std::vector<std::pair<uint8_t, int64_t>> hearts;  // in inventories, by location
  uint64_t own_teams;

  int64_t number(const Sight& sight, int which) const {
    int64_t sum = 0;
    for (const Digit& digit : sight.digits[static_cast<size_t>(which)]) {
      if (own[digit.feature] >= 0) sum += own[digit.feature] * digit.weight;
    }
    return sum;
  }
  int value(int feature) const {
    return feature < 0 || own[static_cast<size_t>(feature)] < 0 ? 0 : own[static_cast<size_t>(feature)];
  }
};

inline void decode(const Sight& sight, const uint8_t* row, int tokens, View& view) {
  view.own.fill(-1);
  view.walls.fill(0);
  view.objects.fill(0);
  view.cogs.fill(0);
  view.places.clear();
  view.hearts.clear();
  const int centre = sight.centre();
  for (const uint8_t* end = row + 3 * tokens; row < end && row[0] != kEmpty; row += 3) {
    const uint8_t location = row[0], feature = row[1], value = row[2];
    const size_t line = location >> 4;
    const uint32_t cell = 1u << (location & 15);
    if (feature == sight.tag_feature) {
      if (value == sight.wall_tag) {
        view.walls[line] |= cell;
        continue;
      }
      const Tag& tag = sight.tags[value];
      Tag& sum = view.at[location];
      if (!(view.objects[line] & cell)) {
        view.objects[line] |= cell;
        view.places.push_back(location);
        sum = tag;
      } else {
        sum.kinds |= tag.kinds;
        sum.teams |= tag.teams;
        sum.is_cog |= tag.is_cog;
      }
      if (sum.is_cog) view.cogs[line] |= cell;
    } else if (location == kGlobal || location == centre) {
      view.own[feature] = value;
    } else if (sight.heart_weight[feature]) {
      view.hearts.emplace_back(location, value * sight.heart_weight[feature]);
    }
  }
  const size_t middle = static_cast<size_t>(centre >> 4);
  view.own_teams = view.objects[middle] >> (centre & 15) & 1 ? view.at[static_cast<size_t>(centre)].teams : 0;
  const uint32_t box = (1u << sight.width) - 1;
  for (size_t line = 0; line < 16; ++line) {
    const uint32_t cells = line < static_cast<size_t>(sight.height) ? box : 0;
    view.walls[line] &= cells;
    view.cogs[line] &= cells;
    view.objects[line] &= cells & ~view.cogs[line];
  }
  view.cogs[middle] &= ~(1u << (centre & 15));
}

}  // namespace starter
