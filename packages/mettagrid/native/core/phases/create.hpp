// Creates a world from a program, a map and a seed (rules, section 10, construction): plan, build, start.
#pragma once

#include "core/state/hash.hpp"
#include "core/phases/made.hpp"
#include "core/phases/step.hpp"

namespace mg {

// A map: template index of each cell, -1 = empty, and the game stat that counts it. Agents appear as their own templates.
struct MapCells {
  const int32_t* cells;
  const int32_t* stats;
  int32_t height, width;
};

MG_FN int32_t words_for(int32_t bits) { return (bits + 31) / 32; }

// Finds the tags that can own territory. Beyond the first few, a tag of several territories counts more than once.
MG_FN void count_owners(const Program& p, Header& h) {
  for (int32_t& tag : h.owner_tag) tag = kNone;
  for (const Territory& territory : p.territories) {
    for (int32_t i = 0; i < territory.tag_count; ++i) {
      const int32_t tag = p.lists[territory.first_tag + i].value;
      bool is_known = false;
      for (const int32_t known : h.owner_tag) is_known |= known == tag;
      if (is_known) continue;
      if (h.owners < kFewOwners) h.owner_tag[h.owners] = tag;
      ++h.owners;
    }
  }
}

// The sizes of a block that do not depend on the objects on the map.
MG_FN Header plan_sizes(const Program& p, int32_t height, int32_t width) {
  const Settings& set = p.set();
  Header h{};
  h.height = height;
  h.width = width;
  h.resources = set.resource_count;
  h.tags = set.tag_count;
  h.tag_words = set.tag_words;
  h.territories = p.territories.size;
  h.game_stats = set.game_stat_count;
  h.agent_stats = set.agent_stat_count;
  h.agent_rewards = set.reward_count;
  h.stat_words_game = words_for(h.game_stats);
  h.stat_words_agent = words_for(h.agent_stats);
  h.templates = p.templates.size;
  count_owners(p, h);
  for (const WindowCell& view : p.window) {
    h.window_rows = max_of(h.window_rows, abs_of(view.dr));
    h.window_cols = max_of(h.window_cols, abs_of(view.dc));
  }
  h.stride = width + h.window_cols;
  h.origin = h.window_rows * h.stride + h.window_cols;
  h.cells = (height + 2 * h.window_rows) * h.stride + h.window_cols;
  h.cell_words = words_for(h.cells);
  h.shows_territory = set.obs_territory != 0;
  return h;
}

// Fills in the bytes; false if an array would be too large to index.
MG_FN bool measure_world(Header& h) {
  int64_t largest = max_of<int64_t>(h.tag_capacity, (int64_t{h.templates} + h.actors + 1) * kLine);
  largest = max_of<int64_t>(largest, int64_t{max_of(h.templates, h.actors)} * max_of(h.resources, h.tag_words));
  largest = max_of<int64_t>(largest, int64_t{h.territories + 1} * h.cells);
  largest = max_of<int64_t>(largest, int64_t{h.area_capacity} * h.agents);
  largest =
      max_of<int64_t>(largest, int64_t{h.agents} * (int64_t{h.cell_words} + h.agent_stats + h.agent_rewards + kInvalidIds));
  largest = max_of<int64_t>(largest, int64_t{h.claim_capacity} * 8);
  if (largest >= INT32_MAX || h.slots > kMostSlots) return false;
  World::measure(h);
  return true;
}

// The sizes of a block, without its contents. `bytes` is 0 if it would be too large.
MG_FN Header plan_world(const Program& p, const MapCells& map) {
  const Settings& set = p.set();
  Header h = plan_sizes(p, map.height, map.width);
  const int32_t cells = map.height * map.width;
  int32_t actors = 0, scenery = 0, most_areas = 0, most_controls = 0;
  int64_t holders = 0, areas = 0, claims = 0;
  for (int32_t i = 0; i < cells; ++i) {
    if (map.cells[i] < 0) continue;
    const Template& t = p.templates[map.cells[i]];
    if (t.is_scenery) {
      ++scenery;
      continue;
    }
    ++actors;
    h.agents += t.is_agent;
    areas += t.area_count;
    claims += t.control_count;
    for (int32_t k = 0; k < t.tag_count; ++k) holders += !p.tag_is_dynamic[p.lists[t.first_tag + k].value].value;
  }
  for (const Template& t : p.templates) {
    most_areas = max_of(most_areas, t.area_count);
    most_controls = max_of(most_controls, t.control_count);
  }
  h.actors = 1 + actors;
  if (set.any_spawn) {
    h.actors += cells + kRemovedPerStep;
    h.spawn_slots = h.actors;
    areas += int64_t{cells + kRemovedPerStep} * most_areas;
    if (set.correct_spawned) claims += int64_t{cells + kRemovedPerStep} * most_controls;
  }
  h.slots = h.actors + scenery;
  for (int32_t tag = 0; tag < h.tags; ++tag) holders += p.tag_is_dynamic[tag].value ? h.actors : kTagSlack;
  h.tag_capacity = static_cast<int32_t>(min_of<int64_t>(holders, INT32_MAX));
  h.area_capacity = static_cast<int32_t>(min_of<int64_t>(areas, INT32_MAX));
  h.claim_capacity = static_cast<int32_t>(min_of<int64_t>(claims, INT32_MAX));
  measure_world(h);
  return h;
}

MG_FN void lay_out_tags(const Program& p, const World& w, const MapCells& map) {
  const int32_t cells = map.height * map.width;
  for (int32_t tag = 0; tag < w.h->tags; ++tag) w.tag_room[tag] = p.tag_is_dynamic[tag].value ? w.h->actors : kTagSlack;
  for (int32_t i = 0; i < cells; ++i) {
    if (map.cells[i] < 0 || p.templates[map.cells[i]].is_scenery) continue;
    const Template& t = p.templates[map.cells[i]];
    for (int32_t k = 0; k < t.tag_count; ++k) {
      const int32_t tag = p.lists[t.first_tag + k].value;
      if (!p.tag_is_dynamic[tag].value) ++w.tag_room[tag];
    }
  }
  int32_t at = 0;
  for (int32_t tag = 0; tag < w.h->tags; ++tag) {
    w.tag_first[tag] = at;
    at += w.tag_room[tag];
  }
}

MG_FN void make_agent(const Program& p, const World& w, int32_t slot, int32_t agent) {
  const Template& t = p.templates[w.kind(slot)];
  w.object_agent[slot] = agent;
  w.agent_slot[agent] = slot;
  w.agent_spawn_row[agent] = w.object_row[slot];
  w.agent_spawn_col[agent] = w.object_col[slot];
  w.agent_moved[agent] = w.agent_before[agent] = w.cell_of(slot);
  for (int32_t i = 0; i < t.initial_count; ++i) {
    const Pair& initial = p.pairs[t.first_initial + i];
    agent_stat(w, agent, resource_stat(p, initial.key, kAmount)) = static_cast<float>(initial.value);
  }
  for (int32_t i = 0; i < t.stat_count; ++i) {
    const Pair& stat = p.pairs[t.first_stat + i];
    agent_stat(w, agent, stat.key) = float_from_bits(stat.value);
  }
}

MG_FN void reset_coverage(const Program& p, const World& w) {
  for (int32_t agent = 0; agent < w.h->agents; ++agent) {
    for (int32_t i = 0; i < w.h->cell_words; ++i) w.agent_cells[agent * w.h->cell_words + i] = 0;
    w.agent_unique[agent] = w.agent_farthest[agent] = 0;
    for (const int32_t stat : {p.set().stat_unique, p.set().stat_distance}) agent_stat(w, agent, stat) = 0.0f;
  }
  count_coverage(p, w);
}

constexpr int32_t kPatch = 8;  // rows and columns

// The scenery of a map. Ids count all objects of the map, row by row; the order is by patches, so that the slots of neighbours
// are close.
MG_FN void build_map_scenery(const Program& p, const MapCells& map, const Header& plan, const SceneryHead& head, void* block) {
  const Scenery s = build_scenery(p, plan, head, block);
  int32_t id = 0, at = 0;
  for (int32_t top = 0; top < map.height; top += kPatch) {
    const int32_t rows = min_of(kPatch, map.height - top);
    int32_t ids[kPatch];  // of the last object before the patch in each row
    for (int32_t i = 0; i < rows; ++i) {
      ids[i] = id;
      for (int32_t col = 0; col < map.width; ++col) id += map.cells[(top + i) * map.width + col] >= 0;
    }
    for (int32_t left = 0; left < map.width; left += kPatch) {
      for (int32_t i = 0; i < rows; ++i) {
        for (int32_t col = left; col < min_of(left + kPatch, map.width); ++col) {
          const int32_t kind = map.cells[(top + i) * map.width + col];
          if (kind < 0) continue;
          ++ids[i];
          if (!p.templates[kind].is_scenery) continue;
          s.objects[at++] = SceneryObject{ids[i], kind, static_cast<uint16_t>(top + i), static_cast<uint16_t>(col)};
        }
      }
    }
  }
  make_line_numbers(s, plan.actors);
  s.h->hash = scenery_hash(s);
}

// Builds everything that depends only on program and map: worlds of one map start as copies of one such block. `block`
// has plan.bytes bytes, zeroed.
MG_FN World build_world(const Program& p, const MapCells& map, const Header& plan, void* block, const void* scenery) {
  *static_cast<Header*>(block) = plan;
  const World w = World::view(block, scenery);
  Header& h = *w.h;
  h.used_slots = 1;
  h.next_id = 1;
  w.object_agent[0] = kNone;
  w.object_template[0] = p.set().proxy_template;
  make_second_part(p, w);
  for (int32_t i = 0; i < h.agents * h.territories; ++i) w.agent_owner[i] = -1;
  lay_out_tags(p, w, map);
  int32_t agents = 0;
  h.used_slots = 1 + h.agents;  // the first slots are those of the agents: what every step of them uses is next to each other
  for (int32_t slot = h.actors; slot < h.slots; ++slot) w.place(w.row(slot), w.col(slot), slot);
  for (int32_t i = 0; i < h.height * h.width; ++i) {
    if (map.cells[i] < 0) continue;
    const Template& t = p.templates[map.cells[i]];
    if (t.is_scenery) {
      ++h.next_id;
      h.vision_blockers += t.blocks_vision;
      game_stat(w, map.stats[i]) += 1.0f;
      continue;
    }
    const int32_t slot = t.is_agent ? 1 + agents : take_slot(w);
    make_object(p, w, slot, map.cells[i], i / h.width, i % h.width);
    if (t.is_agent) make_agent(p, w, slot, agents++);
    game_stat(w, map.stats[i]) += 1.0f;
    register_areas(p, w, slot);
    register_claims(p, w, slot);
  }
  settle_territory(p, w);
  return w;
}

// Completes a new world: its randomness and everything that may draw from it. `observe_start` writes the initial observation.
MG_FN void start_world(const Program& p, const World& w, uint32_t seed, Scratch& scratch) {
  w.h->random.seed(seed);
  make_lines(w);
  Machine m(p, w, scratch);
  for (const Materialized& made : p.materialized) {
    untag_all(m, made.tag);  // objects that the config gives the tag lose it, without `on_tag_remove`
    if (!m.ok()) return;
    m.drop_result();
    m.run_for(made.query, kNone, kNone);
    if (!m.ok()) return;
    for (int32_t i = m.result_begin(); i < m.s.top; ++i) add_tag(p, w, m.s.arena[i], made.tag);
    m.drop_result();
  }
  settle_territory(p, w);
  reset_coverage(p, w);
}

// Initializes new buffers: clears the outputs, resets the coverage, writes the initial observation.
MG_FN void observe_start(const Program& p, const World& w, Scratch& scratch, const Buffers& io) {
  const int64_t bytes = int64_t{w.h->agents} * io.tokens * 3;
  for (int64_t i = 0; i < bytes; ++i) io.observations[i] = kUnused;
  for (int32_t agent = 0; agent < w.h->agents; ++agent) {
    io.rewards[agent] = w.agent_total[agent] = 0.0f;
    io.terminals[agent] = io.truncations[agent] = false;
  }
  reset_coverage(p, w);
  Machine m(p, w, scratch);
  write_observations(m, io);
}

}  // namespace mg
