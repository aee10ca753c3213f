// Worlds as bytes. A snapshot holds the state, the scenery and the last step's outputs for the agents; it opens only with the
// program that created it. The bytes are untrusted: everything that the step uses as an index is checked before use.
#pragma once

#include <algorithm>
#include <string>

#include "core/state/hash.hpp"
#include "cpu/memory.hpp"

namespace cpu {

struct SnapshotHead {
  char format[8];
  uint64_t program;  // hash of the program block
  uint64_t state_bytes;
  int32_t agents, tokens;
  uint64_t check;  // hash of everything after the head
};
static_assert(sizeof(SnapshotHead) == 40, "part of the format");

inline constexpr char kSnapshotFormat[8] = {'M', 'G', 'S', 'T', 'A', 'T', 'E', '4'};

inline uint64_t hash_bytes(const void* data, std::size_t size) {
  std::vector<uint64_t> words((size + 31) / 32 * 4);
  std::memcpy(words.data(), data, size);
  return mg::mix(mg::hash_block(words.data(), words.size() * 8), size);
}

// Bytes of the caller's arrays for one agent.
inline std::size_t output_bytes(int32_t tokens) {
  return static_cast<std::size_t>(tokens) * 3 + 2 * sizeof(bool) + sizeof(float) + 2 * sizeof(int32_t);
}

// Bytes of the scenery in a snapshot, which follows the state.
inline std::size_t scenery_bytes(const mg::Header& h) {
  return static_cast<std::size_t>(h.slots - h.actors) * sizeof(mg::SceneryObject);
}

inline SceneryBlock copied_scenery(const mg::Program& p, const mg::Header& h, const char* objects) {
  const mg::SceneryHead head = mg::plan_scenery(p, h, h.slots - h.actors);
  SceneryBlock block = zeroed_scenery(head.bytes);
  const mg::Scenery scenery = mg::build_scenery(p, h, head, block.get());
  if (head.objects > 0) std::memcpy(scenery.objects, objects, scenery_bytes(h));
  mg::make_line_numbers(scenery, h.actors);
  scenery.h->hash = mg::scenery_hash(scenery);
  return block;
}

// Checks the state of a world in a snapshot: whether a step on it is safe.
class StateCheck {
 public:
  StateCheck(const mg::Program& program, const mg::World& world) : p(program), w(world), h(*world.h) {}

  // Sizes first: the arrays can be read only if those are right.
  static bool has_right_sizes(const mg::Program& p, const mg::Header& h) {
    if (h.height < 1 || h.width < 1 || h.height > 65535 || h.width > 65535 || h.slots < 1 || h.agents < 1) return false;
    if (h.slots > INT32_MAX / 64 || h.actors < 1 || h.actors > h.slots || h.agents > h.actors) return false;
    if (h.spawn_slots != (p.set().any_spawn ? h.actors : 0)) return false;
    mg::Header expected = mg::plan_sizes(p, h.height, h.width);
    expected.agents = h.agents;
    expected.actors = h.actors;
    expected.slots = h.slots;
    expected.spawn_slots = h.spawn_slots;
    expected.tag_capacity = h.tag_capacity;
    expected.area_capacity = h.area_capacity;
    expected.claim_capacity = h.claim_capacity;
    if (h.tag_capacity < 0 || h.area_capacity < 0 || h.claim_capacity < 0 || !mg::measure_world(expected)) return false;
    return h.bytes == expected.bytes && h.state_bytes == expected.state_bytes && h.stride == expected.stride &&
           h.origin == expected.origin && h.cells == expected.cells && h.templates == expected.templates &&
           h.resources == expected.resources && h.tags == expected.tags && h.tag_words == expected.tag_words &&
           h.territories == expected.territories && h.window_rows == expected.window_rows &&
           h.window_cols == expected.window_cols && h.game_stats == expected.game_stats &&
           h.agent_stats == expected.agent_stats && h.agent_rewards == expected.agent_rewards &&
           h.stat_words_game == expected.stat_words_game && h.stat_words_agent == expected.stat_words_agent &&
           h.cell_words == expected.cell_words && h.shows_territory == expected.shows_territory &&
           h.owners == expected.owners && std::equal(h.owner_tag, h.owner_tag + mg::kFewOwners, expected.owner_tag);
  }

  bool passes() const {
    return counts() && scenery() && grid() && objects() && lists() && tags() && agents() && stats() && areas() && claims();
  }

 private:
  static constexpr int32_t kMost = 1 << 30;  // counters must not be close to overflow

  static bool within(int64_t x, int64_t low, int64_t end) { return x >= low && x < end; }
  bool is_slot(int32_t slot, int32_t low = 1) const { return within(slot, low, h.used_slots); }

  bool counts() const {
    return within(h.used_slots, 1, int64_t{h.actors} + 1) && within(h.step, 0, kMost) && within(h.next_id, 1, kMost) &&
           within(h.free_count, 0, h.used_slots) && within(h.removed_count, 0, h.used_slots) && h.new_area_slots == 0 &&
           within(h.next_event, 0, int64_t{p.schedule.size} + 1) && within(h.area_count, 0, int64_t{h.area_capacity} + 1) &&
           within(h.claim_count, 0, int64_t{h.claim_capacity} + 1) && within(h.vision_blockers, 0, h.slots) &&
           (h.vision_blockers == 0 || p.sights.size > 0) && within(h.tick_target, 0, h.used_slots) && h.fault == 0 &&
           within(h.random.next, 0, mg::Random::kWords + 1);
  }
  bool scenery() const {
    for (int32_t slot = h.actors; slot < h.slots; ++slot) {
      const mg::SceneryObject& fixed = w.fixed(slot);
      if (!within(fixed.kind, 0, h.templates) || !p.templates[fixed.kind].is_scenery || !on_map(fixed.row, fixed.col))
        return false;
      if (!within(fixed.id, 1, h.next_id) || !within(w.object_seen[slot], 0, int64_t{h.step} + 1)) return false;
      if (w.slot_at(w.cell_of(slot)) != slot) return false;
    }
    return true;
  }
  bool grid() const {
    for (int32_t i = 0; i < h.cells; ++i) {
      const int32_t at = i - h.origin, row = at / h.stride, col = at % h.stride;
      const bool on_map = at >= 0 && row < h.height && col < h.width;
      const int32_t slot = w.slot_at(i);
      if (slot == mg::kEmpty) continue;
      if (!on_map || !(is_slot(slot) || within(slot, h.actors, h.slots))) return false;
      if (w.cell_of(slot) != i) return false;  // an object on two cells would be seen twice
    }
    return true;
  }
  bool objects() const {
    for (int32_t slot = 0; slot < h.used_slots; ++slot) {
      const int32_t agent = w.object_agent[slot];
      if (!within(w.object_template[slot], 0, h.templates) || w.object_row[slot] >= h.height || w.object_col[slot] >= h.width)
        return false;
      if (!within(w.object_seen[slot], 0, int64_t{h.step} + 1) || !within(w.object_id[slot], 0, h.next_id)) return false;
      if (!within(agent, -1, h.agents) || (agent >= 0 && w.agent_slot[agent] != slot)) return false;
      if (slot > 0 && !lists_held(slot)) return false;
      bool known = true;
      mg::for_each_bit(w.tags(slot), h.tag_words, [&](int32_t tag) { known &= tag < h.tags; });
      if (!known) return false;
    }
    return true;
  }
  // The order of an object lists each resource that it holds once, and no other.
  bool lists_held(int32_t slot) const {
    const uint8_t* const order = w.order(slot);
    const uint16_t* const held = w.held(slot);
    bool is_listed[mg::kMostResources] = {};
    int32_t listed = 0, holds = 0;
    for (; listed < h.resources && order[listed] != mg::kNoResource; ++listed) {
      const int32_t resource = order[listed];
      if (resource >= h.resources || held[resource] == 0 || is_listed[resource]) return false;
      is_listed[resource] = true;
    }
    for (int32_t resource = 0; resource < h.resources; ++resource) holds += held[resource] != 0;
    return listed == holds && within(w.held_level[slot], 0, mg::kLevels) && listed <= mg::buckets(w.held_level[slot]);
  }
  bool lists() const {
    std::vector<bool> is_free(static_cast<std::size_t>(h.used_slots));
    for (int32_t i = 0; i < h.free_count; ++i) {
      const int32_t slot = w.free_slots[i];
      if (!is_slot(slot) || w.object_id[slot] != 0 || is_free[static_cast<std::size_t>(slot)]) return false;
      is_free[static_cast<std::size_t>(slot)] = true;
    }
    for (int32_t i = 0; i < h.removed_count; ++i) {
      if (!is_slot(w.removed_slots[i])) return false;
    }
    return true;
  }
  bool tags() const {
    for (int32_t tag = 0; tag < h.tags; ++tag) {
      const int64_t first = w.tag_first[tag], room = w.tag_room[tag], held = w.tag_held[tag];
      if (first < 0 || room < 0 || held < 0 || held > room || first + room > h.tag_capacity) return false;
      for (int64_t i = 0; i < held; ++i) {
        if (!is_slot(w.tag_holders[first + i])) return false;
      }
    }
    return true;
  }
  bool agents() const {
    for (int32_t agent = 0; agent < h.agents; ++agent) {
      const int32_t slot = w.agent_slot[agent];
      if (!is_slot(slot) || w.object_agent[slot] != agent || !p.templates[w.object_template[slot]].is_agent) return false;
      if (!within(w.agent_still[agent], 0, kMost) || !within(w.agent_unique[agent], 0, kMost)) return false;
    }
    for (int32_t i = 0; i < h.agents * mg::kInvalidIds; ++i) {
      if (!within(w.invalid_count[i], 0, kMost)) return false;
    }
    for (int32_t i = 0; i < h.agents * h.territories; ++i) {
      if (!within(w.agent_owner[i], -1, h.tags)) return false;
    }
    return true;
  }
  // Bits of stats that do not exist.
  bool stats() const {
    bool known = true;
    mg::for_each_bit(w.game_stat_set, h.stat_words_game, [&](int32_t stat) { known &= stat < h.game_stats; });
    for (int32_t agent = 0; agent < h.agents; ++agent) {
      mg::for_each_bit(w.agent_stat_set + agent * h.stat_words_agent, h.stat_words_agent,
                       [&](int32_t stat) { known &= stat < h.agent_stats; });
    }
    return known;
  }
  bool areas() const {
    for (int32_t i = 0; i < h.area_count; ++i) {
      const mg::AreaSource& from = w.area_source[i];
      if (!is_slot(from.slot) || !within(from.area, 0, p.areas.size) || !on_map(from.row, from.col)) return false;
    }
    return true;
  }
  bool claims() const {
    for (int32_t i = 0; i < h.claim_count; ++i) {
      const mg::Claim& claim = w.claim[i];
      if (!is_slot(claim.slot) || !within(claim.control, 0, p.controls.size) || !on_map(claim.row, claim.col)) return false;
      if (!within(claim.tag, -1, p.territories[p.controls[claim.control].territory].tag_count)) return false;
    }
    return true;
  }
  bool on_map(int32_t row, int32_t col) const { return within(row, 0, h.height) && within(col, 0, h.width); }

  const mg::Program& p;
  const mg::World& w;
  const mg::Header& h;
};

// The problem of a snapshot as text; nothing if a world of this program can continue from it.
inline std::string snapshot_problem(const mg::Program& p, uint64_t program_hash, const char* bytes, std::size_t size) {
  SnapshotHead head;
  if (size < sizeof head + sizeof(mg::Header)) return "The snapshot is too short";
  std::memcpy(&head, bytes, sizeof head);
  if (std::memcmp(head.format, kSnapshotFormat, sizeof head.format) != 0) return "These bytes are not a snapshot of a world";
  if (head.program != program_hash) return "The snapshot was made with another program: the game or the version differs";
  mg::Header h;
  std::memcpy(&h, bytes + sizeof head, sizeof h);
  const bool fits =
      head.agents == h.agents && head.tokens >= 0 && head.state_bytes == h.state_bytes && h.agents >= 1 &&
      h.state_bytes <= size && h.actors >= 1 && h.slots >= h.actors &&
      size == sizeof head + h.state_bytes + scenery_bytes(h) + static_cast<std::size_t>(h.agents) * output_bytes(head.tokens);
  if (!fits || head.check != hash_bytes(bytes + sizeof head, size - sizeof head)) return "The snapshot is damaged";
  if (!StateCheck::has_right_sizes(p, h)) return "The sizes in the snapshot do not fit the program";
  const Block block = zeroed_block(h.bytes);
  std::memcpy(block.get(), bytes + sizeof head, h.state_bytes);
  const SceneryBlock scenery = copied_scenery(p, h, bytes + sizeof head + h.state_bytes);
  if (!StateCheck(p, mg::World::view(block.get(), scenery.get())).passes())
    return "The snapshot holds a state that no game can be in";
  return "";
}

}  // namespace cpu
