// Observations (rules, section 11): tokens of three bytes, (location, feature, value), written into the caller's buffer.
//
// The tokens of an object are cached in a line and re-encoded after the object has changed; observing it is then a copy with
// the location filled in. Unmodified objects, above all walls, share the line of their template.
#pragma once

#include "run.hpp"

namespace mg {

constexpr uint8_t kGlobalLocation = 0xFE;
constexpr uint8_t kUnused = 0xFF;
constexpr int32_t kFullRadius = 7;  // the whole window

constexpr int32_t kWide = 8;  // tokens copied at a time: three words

MG_FN void copy_word(uint8_t* to, const uint8_t* from, uint64_t marks) {
  uint64_t word;
  __builtin_memcpy(&word, from, sizeof word);
  word |= marks;
  __builtin_memcpy(to, &word, sizeof word);
}

// The tokens of one agent. Tokens beyond the budget are counted, not written.
struct TokenWriter {
  uint8_t* at;
  int32_t room;
  int32_t attempted;

  MG_FN void put(uint8_t location, int32_t feature, int32_t value) {
    if (attempted++ >= room) return;
    at[0] = location;
    at[1] = static_cast<uint8_t>(feature);
    at[2] = static_cast<uint8_t>(value);
    at += 3;
  }

  // Copies a line, eight tokens at a time where they fit; surplus tokens are overwritten or cleared later. The constants mask
  // the bytes of a word that hold a location.
  MG_FN void put_line(uint8_t location, const uint8_t* line, int32_t count) {
#if !defined(__CUDA_ARCH__)  // there, words must be aligned
    if (attempted + count + kWide <= room) {
      for (int32_t done = 0; done < count; done += kWide) {
        copy_word(at + 3 * done, line + 3 * done, location * 0x0001000001000001ull);
        copy_word(at + 3 * done + 8, line + 3 * done + 8, location * 0x0100000100000100ull);
        copy_word(at + 3 * done + 16, line + 3 * done + 16, location * 0x0000010000010000ull);
      }
      at += 3 * count;
      attempted += count;
      return;
    }
#endif
    for (int32_t i = 0; i < count; ++i) put(location, line[3 * i + 1], line[3 * i + 2]);
  }
};

// Digits low to high in the number base of the game; the first is always written.
template <class Put>
MG_FN void put_number(int32_t base, int32_t feature, uint32_t value, Put put) {
  const uint32_t b = static_cast<uint32_t>(base);
  for (; value >= b; value /= b) put(feature++, static_cast<int32_t>(value % b));
  put(feature, static_cast<int32_t>(value));
}

template <class Put>
MG_FN void object_tokens(const Program& p, const World& w, int32_t slot, Put put) {
  const Settings& set = p.set();
  for_each_bit(w.tags(slot), w.h->tag_words, [&](int32_t tag) { put(set.feature_tag, tag); });
  if (w.object_vibe[slot] != 0) put(set.feature_vibe, w.object_vibe[slot]);
  if (!(w.object_flags[slot] & kSpawned) || set.correct_spawned) {
    const uint16_t* held = w.held(slot);
    const uint8_t* order = w.order(slot);
    for (int32_t i = 0; i < w.h->resources && order[i] != kNoResource; ++i) {
      const int32_t feature = set.feature_inventory + order[i] * set.inventory_digits;
      put_number(set.obs_base, feature, held[order[i]], put);
    }
  }
  const int32_t agent = w.object_agent[slot];
  if (agent < 0) return;
  put(set.feature_group, p.templates[w.object_template[slot]].group);
  put(set.feature_agent_id, agent & 255);
}

MG_CALL void encode_line(const Program& p, const World& w, int32_t slot, uint8_t* line) {
  int32_t count = 0;
  object_tokens(p, w, slot, [&](int32_t feature, int32_t value) {
    if (count < kLineTokens) {
      line[3 * count] = 0;
      line[3 * count + 1] = static_cast<uint8_t>(feature);
      line[3 * count + 2] = static_cast<uint8_t>(value);
    }
    ++count;
  });
  line[kLine - 1] = count <= kLineTokens ? static_cast<uint8_t>(count) : kLineTooLong;
}

MG_FN void put_object(const Machine& m, int32_t slot, uint8_t location, TokenWriter& out) {
  const Program& p = m.p;
  const World& w = m.w;
  uint8_t* line = w.line(w.object_line[slot]);
  if (line[kLine - 1] == kLineDirty) encode_line(p, w, slot, line);
  if (line[kLine - 1] <= kLineTokens && !m.plain()) return out.put_line(location, line, line[kLine - 1]);
  object_tokens(p, w, slot, [&](int32_t feature, int32_t value) { out.put(location, feature, value); });
}

// The finished fraction of the episode, 0..255.
MG_FN int32_t episode_completion(const Settings& set, int32_t step) {
  if (set.max_steps <= 0) return 0;
  return step >= set.max_steps ? 255 : static_cast<int32_t>(int64_t{256} * step / set.max_steps);
}

MG_FN void put_globals(Machine& m, int32_t agent, TokenWriter& out) {
  const Program& p = m.p;
  const World& w = m.w;
  const Settings& set = p.set();
  const int32_t slot = w.agent_slot[agent];
  const auto put = [&](int32_t feature, int32_t value) { out.put(kGlobalLocation, feature, value); };
  if (set.obs_completion) put(set.feature_completion, m.s.completion);
  if (set.obs_last_action) put(set.feature_last_action, w.agent_action[agent] & 255);
  if (set.obs_last_move) put(set.feature_last_move, w.cell_of(slot) != w.agent_before[agent]);
  if (set.obs_last_reward) {
    const float reward = set.correct_last_reward ? w.agent_last_reward[agent] * 100.0f : 0.0f;
    put(set.feature_last_reward, truncate_to_int(reward < 0.0f ? reward - 0.5f : reward + 0.5f) & 255);
  }
  if (set.obs_position) {
    const int32_t dc = w.object_col[slot] - w.agent_spawn_col[agent];
    const int32_t dr = w.object_row[slot] - w.agent_spawn_row[agent];
    if (dc != 0) put(dc > 0 ? set.feature_east : set.feature_west, min_of(abs_of(dc), 255));
    if (dr != 0) put(dr < 0 ? set.feature_north : set.feature_south, min_of(abs_of(dr), 255));
  }
}

// 0: no owner, 1: the observer has the owning tag, 2: another owner.
MG_FN int32_t owner_label(const World& w, int32_t observer, int32_t cell) {
  const int32_t owner = w.owner_seen[cell];
  return owner < 0 ? 0 : has_tag(w, observer, owner) ? 1 : 2;
}

// One token per border of the cell. There is no border between two owning tags that the observer both has.
MG_FN void put_edges(const Program& p, const World& w, int32_t observer, int32_t cell, int32_t edges, uint8_t location,
                     TokenWriter& out) {
  const int32_t label = owner_label(w, observer, cell), stride = w.h->stride;
  const int32_t neighbours[4] = {cell - stride, cell + stride, cell + 1, cell - 1};  // in the order of the Edge bits
  for (int32_t i = 0; i < 4; ++i) {
    if (!((edges >> i) & 1)) continue;
    const int32_t other = owner_label(w, observer, neighbours[i]);
    if (label != 1 || other != 1) out.put(location, p.set().feature_territory_edge + i, 3 * label + other);
  }
}

// Whether an object that blocks vision is on a cell between the observer and a window cell.
MG_FN bool is_hidden(const Program& p, const World& w, int32_t row, int32_t col, const Sight& sight) {
  for (int32_t i = 0; i < sight.touch_count; ++i) {
    const Offset& offset = p.touches[sight.first_touch + i];
    if (!w.inside(row + offset.dr, col + offset.dc)) continue;
    const int32_t slot = w.grid[w.cell(row + offset.dr, col + offset.dc)];
    if (slot != kEmpty && (w.object_flags[slot] & kBlocksVision)) return true;
  }
  return false;
}

constexpr int32_t kMostWindow = 256;  // cells of the largest window, 15 x 15

// The window cells that hold an object or are on a border, nearest first. Branch-free, since the branch is unpredictable.
MG_FN int32_t find_seen(const Program& p, const World& w, int32_t here, int32_t radius, uint8_t* found) {
  const int32_t* grid = w.grid + here;
  const uint8_t* edges = w.owner_edges + here;
  int32_t count = 0;
  if (radius < kFullRadius) {
    for (int32_t i = 0; i < w.h->window; ++i) {
      const int32_t at = w.window_offset[i];
      found[count] = static_cast<uint8_t>(i);
      count += ((p.window[i].radius_mask >> radius) & 1) != 0 && (grid[at] != kEmpty || edges[at] != 0);
    }
    return count;
  }
  for (int32_t i = 0; i < w.h->window; ++i) {
    const int32_t at = w.window_offset[i];
    found[count] = static_cast<uint8_t>(i);
    count += (grid[at] | edges[at]) != 0;
  }
  return count;
}

// Writes the tokens of the visible objects. Returns the number of steps since each was last observed, summed over them.
MG_FN int32_t put_window(const Machine& m, int32_t observer, int32_t radius, TokenWriter& writer) {
  const Program& p = m.p;
  const World& w = m.w;
  TokenWriter out = writer;
  const int32_t row = w.object_row[observer], col = w.object_col[observer], here = w.cell(row, col), step = w.h->step;
  const bool occluded = w.h->vision_blockers > 0;  // then the program has lines of sight
  uint8_t found[kMostWindow];
  const int32_t count = find_seen(p, w, here, radius, found);
  int32_t unseen = 0;
  for (int32_t k = 0; k < count; ++k) {
    const int32_t i = found[k], cell = here + w.window_offset[i], slot = w.grid[cell];
    const WindowCell& view = p.window[i];
    const uint8_t location = static_cast<uint8_t>(view.location);
    if (occluded && is_hidden(p, w, row, col, p.sights[radius * p.window.size + i])) continue;
    if (w.owner_edges[cell] != 0 && p.set().obs_territory) {
      put_edges(p, w, observer, cell, w.owner_edges[cell] & (view.neighbours >> (4 * radius)), location, out);
    }
    if (slot == kEmpty) continue;
    unseen += step - w.object_seen[slot];
    w.object_seen[slot] = step;
    put_object(m, slot, location, out);
  }
  writer = out;
  return unseen;
}

// Used tokens are contiguous, so after the reach of a wide copy, clearing ends at the first unused token.
MG_FN void clear_unused(uint8_t* at, const uint8_t* end) {
  const uint8_t* touched = at + 3 * kWide;
  for (; at < end && (at < touched || at[1] != kUnused); at += 3) at[0] = at[1] = at[2] = kUnused;
}

MG_FN void observe_agent(Machine& m, const Buffers& io, int32_t agent) {
  const Program& p = m.p;
  const World& w = m.w;
  const Settings& set = p.set();
  const int32_t slot = w.agent_slot[agent];
  uint8_t* begin = io.observations + int64_t{agent} * io.tokens * 3;
  TokenWriter out{begin, io.tokens, 0};
  put_globals(m, agent, out);
  if (set.obs_territory) out.put(kGlobalLocation, set.feature_territory_here, owner_label(w, slot, w.cell_of(slot)));
  for (const GlobalValue& value : p.global_values) {
    const int32_t amount = clamp_to(truncate_to_int(m.read(value.value, slot)), 0, kMostHeld);
    put_number(set.obs_base, value.feature, static_cast<uint32_t>(amount),
               [&](int32_t feature, int32_t digit) { out.put(kGlobalLocation, feature, digit); });
  }
  int32_t radius = kFullRadius;
  if (set.obs_radius_entry != 0) {
    radius = clamp_to(truncate_to_int(m.value_for(set.obs_radius_entry, slot, slot)), 0, kFullRadius);
  }
  w.agent_radius[agent] = static_cast<uint8_t>(radius);
  const int32_t unseen = put_window(m, slot, radius, out);
  const int32_t written = min_of(out.attempted, io.tokens);
  clear_unused(begin + 3 * written, begin + 3 * int64_t{io.tokens});
  if (unseen > 0) agent_stat(w, agent, set.stat_visited) += static_cast<float>(unseen);
  game_stat(w, set.stat_tokens_written) += static_cast<float>(written);
  game_stat(w, set.stat_tokens_dropped) += static_cast<float>(out.attempted - written);
  game_stat(w, set.stat_tokens_free) += static_cast<float>(io.tokens - written);
  if (out.attempted > io.tokens) w.fail(Fault::kTokenBudget, agent, out.attempted);
}

MG_FN void write_observations(Machine& m, const Buffers& io) {
  m.begin_reading();
  m.s.completion = episode_completion(m.p.set(), m.w.h->step);
  for (int32_t agent = 0; agent < m.w.h->agents && m.ok(); ++agent) observe_agent(m, io, agent);
}

}  // namespace mg
