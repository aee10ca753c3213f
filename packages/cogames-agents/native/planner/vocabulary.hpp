// The names of one game as numbers: what the policy interface declares, and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace planner {

enum Element : uint8_t { kCarbon, kOxygen, kGermanium, kSilicon, kElements };
enum Role : uint8_t { kMiner, kAligner, kScrambler, kScout, kRoles, kNoRole = kRoles };

inline constexpr std::array<std::string_view, kElements> kElementNames{"carbon", "oxygen", "germanium", "silicon"};
inline constexpr std::array<std::string_view, kRoles + 1> kRoleNames{"miner", "aligner", "scrambler", "scout", "none"};

// The types of objects. An extractor's kind is kExtractor + its element, a station's kStation + its role.
enum Kind : uint8_t {
  kNothing,
  kWall,
  kAgent,
  kHub,
  kJunction,
  kShip,
  kExtractor,
  kStation = kExtractor + kElements,
  kOther = kStation + kRoles,  // an object of another game: used once to see what it does
};

inline std::string kind_name(Kind kind) {
  if (kind >= kExtractor && kind < kStation)
    return std::string(kElementNames[static_cast<size_t>(kind - kExtractor)]) + "_extractor";
  if (kind >= kStation && kind < kOther) return std::string(kRoleNames[static_cast<size_t>(kind - kStation)]) + "_station";
  constexpr std::string_view kNames[] = {"", "wall", "agent", "hub", "junction", "ship"};
  return kind < kExtractor ? std::string(kNames[kind]) : "object";
}

enum Heading : uint8_t { kNorth, kSouth, kWest, kEast, kHeadings, kNowhere = kHeadings };
inline constexpr int kRowStep[kHeadings] = {-1, 1, 0, 0};
inline constexpr int kColStep[kHeadings] = {0, 0, -1, 1};

inline constexpr int kTeamsMax = 32;
inline constexpr int kLanesMax = 8;

// What a feature says. `digit` weights are kept apart, in `Vocabulary::weight`.
enum class Says : uint8_t {
  kIgnored,
  kTag,
  kEast,
  kWest,
  kNorth,
  kSouth,
  kMoved,
  kTerritory,
  kDone,
  kAgentId,
  kHp,
  kHeart,
  kElement,  // + element: carried, or in an object
  kGear = kElement + kElements,
  kStock = kGear + kRoles,  // + element: in the hub, for the whole team
};

inline constexpr Says operator+(Says says, int offset) { return static_cast<Says>(static_cast<int>(says) + offset); }

struct Tag {
  Kind kind = kNothing;
  int8_t team = -1;
  int8_t lane = -1;
};

struct Feature {
  Says says = Says::kIgnored;
  int32_t weight = 1;
};

struct FeatureName {
  int id;
  std::string name;
  double normalization;
};

class Vocabulary {
 public:
  Vocabulary(const std::vector<std::string>& tag_names, const std::vector<FeatureName>& feature_names,
             const std::vector<std::string>& action_names, int window_height, int window_width,
             const std::vector<std::pair<int, int>>& visible_cols)
      : height(window_height), width(window_width) {
    for (size_t row = 0; row < visible_cols.size() && row < first_col.size(); ++row) {
      first_col[row] = static_cast<int8_t>(visible_cols[row].first);
      last_col[row] = static_cast<int8_t>(visible_cols[row].second);
    }
    for (size_t id = 0; id < tag_names.size() && id < tags.size(); ++id) tags[id] = read_tag(tag_names[id]);
    for (const FeatureName& feature : feature_names) {
      if (feature.id >= 0 && feature.id < 256) features[static_cast<size_t>(feature.id)] = read_feature(feature);
    }
    heading_action.fill(-1);
    vibe_action.fill(-1);
    for (size_t i = 0; i < action_names.size(); ++i) {
      const std::string& name = action_names[i];
      const int number = static_cast<int>(i);
      if (name == "noop") noop_action = number;
      if (name == "move_north") heading_action[kNorth] = number;
      if (name == "move_south") heading_action[kSouth] = number;
      if (name == "move_west") heading_action[kWest] = number;
      if (name == "move_east") heading_action[kEast] = number;
      for (int role = 0; role < kRoles; ++role) {
        if (name == "change_vibe_" + std::string(kRoleNames[static_cast<size_t>(role)]))
          vibe_action[static_cast<size_t>(role)] = number;
      }
    }
  }

  int height, width;
  std::array<Tag, 256> tags{};
  std::array<Feature, 256> features{};
  std::array<int, kHeadings> heading_action{};
  std::array<int, kRoles + 1> vibe_action{};  // -1 for a role that has none
  int noop_action = 0;
  int teams = 0;
  bool has_ships = false;
  // The visible columns of each row of the window: [first, last].
  std::array<int8_t, 16> first_col{}, last_col{};

  int centre() const { return (height / 2) << 4 | (width / 2); }

 private:
  Tag read_tag(const std::string& name) {
    Tag tag;
    if (name.rfind("team:", 0) == 0) {
      if (teams < kTeamsMax) tag.team = static_cast<int8_t>(teams++);
      return tag;
    }
    if (name.rfind("clips:ship:", 0) == 0 && lanes_ < kLanesMax) {
      tag.lane = static_cast<int8_t>(lanes_++);
      return tag;
    }
    if (name.rfind("type:", 0) != 0) return tag;
    tag.kind = kind_of(std::string_view(name).substr(5));
    has_ships |= tag.kind == kShip;
    return tag;
  }

  static Kind kind_of(std::string_view type) {
    if (type == "wall") return kWall;
    if (type == "agent") return kAgent;
    if (type == "hub") return kHub;
    if (type == "junction") return kJunction;
    if (type == "ship") return kShip;
    for (int element = 0; element < kElements; ++element) {
      const std::string_view name = kElementNames[static_cast<size_t>(element)];
      if (type.size() == name.size() + 10 && type.substr(0, name.size()) == name && type.substr(name.size()) == "_extractor") {
        return static_cast<Kind>(kExtractor + element);
      }
    }
    for (int role = 0; role < kRoles; ++role) {
      if (type == kRoleNames[static_cast<size_t>(role)]) return static_cast<Kind>(kStation + role);
    }
    return kOther;
  }

  static Feature read_feature(const FeatureName& feature) {
    std::string_view name = feature.name;
    Feature read;
    // Large numbers are split into digits: `name`, `name:p1`, ...
    const size_t colon = name.rfind(":p");
    if (colon != std::string_view::npos && colon + 3 == name.size() && name[colon + 2] >= '1' && name[colon + 2] <= '3') {
      for (int power = name[colon + 2] - '0'; power > 0; --power) read.weight *= static_cast<int32_t>(feature.normalization);
      name = name.substr(0, colon);
    }
    read.says = meaning(name);
    return read;
  }

  static Says meaning(std::string_view name) {
    if (name == "tag") return Says::kTag;
    if (name == "lp:east") return Says::kEast;
    if (name == "lp:west") return Says::kWest;
    if (name == "lp:north") return Says::kNorth;
    if (name == "lp:south") return Says::kSouth;
    if (name == "last_action_move") return Says::kMoved;
    if (name == "territory:here") return Says::kTerritory;
    if (name == "episode_completion_pct") return Says::kDone;
    if (name == "agent_id") return Says::kAgentId;
    if (name == "inv:hp") return Says::kHp;
    if (name == "inv:heart") return Says::kHeart;
    for (int element = 0; element < kElements; ++element) {
      const std::string word(kElementNames[static_cast<size_t>(element)]);
      if (name == "inv:" + word) return Says::kElement + element;
      if (name == "team:" + word) return Says::kStock + element;
    }
    for (int role = 0; role < kRoles; ++role) {
      if (name == "inv:" + std::string(kRoleNames[static_cast<size_t>(role)])) return Says::kGear + role;
    }
    return Says::kIgnored;
  }

  int lanes_ = 0;
};

}  // namespace planner
