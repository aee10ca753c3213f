// Observations (rules, section 11): tokens of three bytes, (location, feature, value), written into the caller's buffer.
//
// The tokens of an actor are cached in a line and encoded again after it has changed; observing it is then a copy with the
// location filled in. All scenery of a template shares one line. First the changed lines are encoded (`freshen_lines`); then
// agents are observed one after the other (`observe_window`); on a GPU, in parallel (gpu/observe.hpp).
#pragma once

#include "core/machine/run.hpp"

namespace mg {

constexpr uint8_t kGlobalLocation = 0xFE;
constexpr uint8_t kUnused = 0xFF;
constexpr int32_t kFullRadius = 7;  // the whole window

constexpr int32_t kWide = 5;  // tokens copied at a time, by one load and one store of 16 bytes

#if !defined(__CUDA_ARCH__)  // there, words must be aligned
using Wide = uint64_t __attribute__((vector_size(16)));

// Five tokens; `marks` has their location and zeros.
MG_FN void copy_wide(uint8_t* to, const uint8_t* from, const Wide& marks) {
  Wide tokens;
  __builtin_memcpy(&tokens, from, sizeof tokens);
  tokens |= marks;
  __builtin_memcpy(to, &tokens, sizeof tokens);
}

// One token; may touch the byte behind it.
MG_FN void put_token(uint8_t* at, uint32_t location, uint32_t feature, uint32_t value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint32_t token = location | (feature & 255) << 8 | (value & 255) << 16;
  __builtin_memcpy(at, &token, sizeof token);
#else
  at[0] = static_cast<uint8_t>(location);
  at[1] = static_cast<uint8_t>(feature);
  at[2] = static_cast<uint8_t>(value);
#endif
}
#endif

// The tokens of one agent. Tokens beyond the budget are counted, not written.
struct TokenWriter {
  uint8_t* at;
  int32_t room;
  int32_t attempted;

  MG_FN void put(uint8_t location, int32_t feature, int32_t value) {
    if (attempted++ >= room) return;
#if !defined(__CUDA_ARCH__)
    if (attempted < room) {
      put_token(at, location, static_cast<uint32_t>(feature), static_cast<uint32_t>(value));
      at += 3;
      return;
    }
#endif
    at[0] = location;
    at[1] = static_cast<uint8_t>(feature);
    at[2] = static_cast<uint8_t>(value);
    at += 3;
  }
};

// Digits low to high in the number base of the game; the first is always written.
template <class Put>
MG_FN void put_number(int32_t base, int32_t feature, uint32_t value, Put put) {
  const uint32_t b = static_cast<uint32_t>(base);
  for (; value >= b; value /= b) put(feature++, static_cast<int32_t>(value % b));
  put(feature, static_cast<int32_t>(value));
}

// The parts of an object that observers see.
struct Look {
  const uint32_t* tags;
  const uint16_t* held;
  const uint8_t* order;
  int32_t vibe, agent, group;
  bool hides_held;
};

MG_FN Look look_of(const Program& p, const World& w, int32_t slot) {
  const bool hides = (w.flags(slot) & kSpawned) != 0 && !p.set().correct_spawned;
  return Look{w.tags(slot), w.held(slot), w.order(slot), w.vibe(slot), w.agent(slot), p.templates[w.kind(slot)].group, hides};
}

template <class Put>
MG_FN void look_tokens(const Settings& set, const Look& look, Put put) {
  for_each_bit(look.tags, set.tag_words, [&](int32_t tag) { put(set.feature_tag, tag); });
  if (look.vibe != 0) put(set.feature_vibe, look.vibe);
  for (int32_t i = 0; !look.hides_held && i < set.resource_count && look.order[i] != kNoResource; ++i) {
    const int32_t feature = set.feature_inventory + look.order[i] * set.inventory_digits;
    put_number(set.obs_base, feature, look.held[look.order[i]], put);
  }
  if (look.agent < 0) return;
  put(set.feature_group, look.group);
  put(set.feature_agent_id, look.agent & 255);
}

template <class Put>
MG_FN void object_tokens(const Program& p, const World& w, int32_t slot, Put put) {
  look_tokens(p.set(), look_of(p, w, slot), put);
}

MG_CALL void encode_line(const Settings& set, const Look& look, uint8_t* line) {
  int32_t count = 0;
  look_tokens(set, look, [&](int32_t feature, int32_t value) {
    if (count < kLineTokens) {
      line[3 * count] = 0;
      line[3 * count + 1] = static_cast<uint8_t>(feature);
      line[3 * count + 2] = static_cast<uint8_t>(value);
    }
    ++count;
  });
  line[kLine - 1] = count <= kLineTokens ? static_cast<uint8_t>(count) : kLineTooLong;
}

// Encodes the lines of the actors that have changed. Lanes share them word by word. The line of slot 0 has no tokens, so that
// empty cells can be observed like others.
MG_FN void freshen_lines(const Program& p, const World& w, int32_t lane, int32_t lanes) {
  for (int32_t i = lane; i < (w.actors + 31) / 32; i += lanes) {
    for (uint32_t rest = w.dirty[i] & (i == 0 ? ~1u : ~0u); rest != 0; rest &= rest - 1) {
      const int32_t slot = 32 * i + lowest_bit(rest);
      encode_line(p.set(), look_of(p, w, slot), w.lines + static_cast<int64_t>(slot) * kLine);
    }
    w.dirty[i] = 0;
  }
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
    const int32_t dc = w.col(slot) - w.agent_spawn_col[agent];
    const int32_t dr = w.row(slot) - w.agent_spawn_row[agent];
    if (dc != 0) put(dc > 0 ? set.feature_east : set.feature_west, min_of(abs_of(dc), 255));
    if (dr != 0) put(dr < 0 ? set.feature_north : set.feature_south, min_of(abs_of(dr), 255));
  }
}

// 0: no owner, 1: the observer has the owning tag, 2: another owner.
MG_FN int32_t owner_label(const World& w, int32_t observer, int32_t cell) {
  const int32_t owner = w.owner_seen[cell];
  return owner < 0 ? 0 : has_tag(w, observer, owner) ? 1 : 2;
}

// One token per border of the cell, of those in `visible`. There is no border between two owning tags that the observer both
// has.
MG_FN void put_edges(const Program& p, const World& w, int32_t observer, int32_t cell, int32_t visible, uint8_t location,
                     TokenWriter& out) {
  const int32_t label = owner_label(w, observer, cell), stride = w.h->stride;
  const int32_t neighbours[4] = {cell - stride, cell + stride, cell + 1, cell - 1};  // in the order of the Edge bits
  for (uint32_t rest = w.owner_edges[cell] & static_cast<uint32_t>(visible) & 15u; rest != 0; rest &= rest - 1) {
    const int32_t i = lowest_bit(rest), other = owner_label(w, observer, neighbours[i]);
    if (label != 1 || other != 1) out.put(location, p.set().feature_territory_edge + i, 3 * label + other);
  }
}

// Whether an object that blocks vision is on a cell between the observer and a window cell.
MG_FN bool is_hidden(const Program& p, const World& w, int32_t row, int32_t col, const Sight& sight) {
  for (int32_t i = 0; i < sight.touch_count; ++i) {
    const Offset& offset = p.touches[sight.first_touch + i];
    if (!w.inside(row + offset.dr, col + offset.dc)) continue;
    const int32_t slot = w.grid[w.cell(row + offset.dr, col + offset.dc)];
    if (slot != kEmpty && (w.flags(slot) & kBlocksVision)) return true;
  }
  return false;
}

// A set of window cells; bit i is the cell that is i-th in the order of the window.
struct alignas(16) WindowSet {
  uint64_t words[kWindowWords];
};

#if defined(__CUDA_ARCH__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__

// The window cells that have something to show.
MG_FN WindowSet find_seen(const World& w, const uint32_t* shown, int32_t here, int32_t radius) {
  WindowSet seen{};
  for (int32_t i = 0; i < w.scenery.h->window; ++i) {
    seen.words[i >> 6] |= static_cast<uint64_t>(test_bit(shown, here + w.scenery.places[i].offset)) << (i & 63);
  }
  for (int32_t i = 0; i < kWindowWords; ++i) seen.words[i] &= w.scenery.radius_set[radius * kWindowWords + i];
  return seen;
}

#else

// The same: four columns of a row at a time, brought into the order of the window by a table. `kWides`: 16 bytes of a set.
template <int32_t kWides>
MG_FN void collect_seen(const World& w, const uint32_t* shown, int32_t here, Wide* seen) {
  const Scenery& s = w.scenery;
  const int32_t rows = s.h->window_rows, stride = w.h->stride;
  const uint8_t *bytes = reinterpret_cast<const uint8_t*>(shown), *sets = reinterpret_cast<const uint8_t*>(s.parts);
  constexpr int32_t kSet = kWindowWords * 8, kPart = 16 * kSet;
  int32_t cell = here - rows * stride - s.h->window_cols;
  for (int32_t row = 0; row <= 2 * rows; ++row, cell += stride, sets += kRowParts * kPart) {
    uint32_t bits;  // at least 15; the words end with one to spare
    __builtin_memcpy(&bits, bytes + (cell >> 3), sizeof bits);
    bits >>= cell & 7;
    for (int32_t part = 0; part < kRowParts; ++part) {
      const uint8_t* set = sets + part * kPart + (bits >> (4 * part) & 15) * kSet;
      for (int32_t k = 0; k < kWides; ++k) {
        Wide found;
        __builtin_memcpy(&found, set + 16 * k, sizeof found);
        seen[k] |= found;
      }
    }
  }
}

MG_FN WindowSet find_seen(const World& w, const uint32_t* shown, int32_t here, int32_t radius) {
  Wide found[kWindowWords / 2] = {};
  if (w.scenery.h->window <= 128) {
    collect_seen<1>(w, shown, here, found);
  } else {
    collect_seen<2>(w, shown, here, found);
  }
  WindowSet seen;
  __builtin_memcpy(&seen, found, sizeof seen);
  for (int32_t i = 0; i < kWindowWords; ++i) seen.words[i] &= w.scenery.radius_set[radius * kWindowWords + i];
  return seen;
}

#endif

// The tokens of an object whose line is too long, or when the plain rules are asked for.
MG_FN void put_object(const Program& p, const World& w, int32_t slot, uint8_t location, TokenWriter& out) {
  object_tokens(p, w, slot, [&](int32_t feature, int32_t value) { out.put(location, feature, value); });
}

// Notes that an object was seen and returns the steps since any agent last saw it: the first to see it in a step gets them.
MG_FN int32_t note_seen(int32_t* object_seen, int32_t slot, int32_t step) {
  const int32_t age = step - object_seen[slot];
  object_seen[slot] = step;
  return age;
}

// One visible cell after the other, whatever it takes. Returns the sum of `note_seen`.
MG_CALL int32_t observe_cells(const Program& p, const World& w, int32_t observer, int32_t radius, bool plain,
                              const WindowSet& seen, TokenWriter& out) {
  const int32_t row = w.object_row[observer], col = w.object_col[observer], here = w.cell(row, col);
  const bool occluded = w.h->vision_blockers > 0;  // then the program has lines of sight
  int32_t unseen = 0;
  for (int32_t k = 0; k < kWindowWords; ++k) {
    for (uint64_t rest = seen.words[k]; rest != 0; rest &= rest - 1) {
      const int32_t i = 64 * k + lowest_bit64(rest), cell = here + w.scenery.places[i].offset, slot = w.grid[cell];
      const uint8_t location = static_cast<uint8_t>(p.window[i].location);
      if (occluded && is_hidden(p, w, row, col, p.sights[radius * p.window.size + i])) continue;
      if (p.set().obs_territory && w.owner_edges[cell] != 0) {
        put_edges(p, w, observer, cell, p.window[i].neighbours >> (4 * radius), location, out);
      }
      if (slot == kEmpty) continue;
      unseen += note_seen(w.object_seen, slot, w.h->step);
      const uint8_t* line = w.line(slot);
      if (line[kLine - 1] > kLineTokens || plain) {
        put_object(p, w, slot, location, out);
      } else {
        for (int32_t j = 0; j < line[kLine - 1]; ++j) out.put(location, line[3 * j + 1], line[3 * j + 2]);
      }
    }
  }
  return unseen;
}

#if !defined(__CUDA_ARCH__)

// A visible cell: what there is to copy.
struct Sighting {
  const uint8_t* line;
  int32_t count;  // of its tokens
  uint8_t sides;  // with a border, as bits
  uint8_t place;  // in the window
};

// Looks at the visible cells, notes the objects as seen and returns the sum of `note_seen`. Without branches, so that the
// memory of many cells is read at a time; an empty cell has the line of slot 0, without tokens.
MG_FN int32_t sight_cells(const Program& p, const World& w, int32_t here, int32_t radius, const WindowSet& seen,
                          Sighting* sightings, int32_t& sighted) {
  const WindowPlace* places = w.scenery.places;
  const int32_t *grid = w.grid + here, *line_of = w.scenery.line_of;
  const uint8_t *edges = w.owner_edges + here, *lines = w.lines;
  int32_t* object_seen = w.object_seen;
  const int32_t step = w.h->step, shift = p.set().obs_territory ? 4 * radius : 32;  // 32: no borders are visible
  int32_t unseen = 0;
  Sighting* to = sightings;
  for (int32_t k = 0; k < kWindowWords; ++k) {
    for (uint64_t rest = seen.words[k]; rest != 0; rest &= rest - 1) {
      const int32_t i = 64 * k + lowest_bit64(rest), offset = places[i].offset, slot = grid[offset];
      const uint8_t* line = lines + static_cast<int64_t>(line_of[slot]) * kLine;
      const int32_t is_object = -static_cast<int32_t>(slot != kEmpty);
      unseen += (step - object_seen[slot]) & is_object;
      object_seen[slot] = step & is_object;
      *to++ = Sighting{line, line[kLine - 1], static_cast<uint8_t>(edges[offset] & (places[i].neighbours >> shift)),
                       static_cast<uint8_t>(i)};
    }
  }
  sighted = static_cast<int32_t>(to - sightings);
  return unseen;
}

// The same as `observe_cells` for the cells before the end of the budget comes near, if no object blocks vision; removes them
// from `seen`. Everything a loop needs is in local variables, because a store of tokens could change any other memory as far as
// the compiler knows.
MG_FN int32_t observe_quickly(const Program& p, const World& w, int32_t observer, int32_t radius, WindowSet& seen,
                              TokenWriter& writer) {
  constexpr int32_t kMost = 4 + kLineTokens + 2 * kWide + 1;  // tokens of a cell, and what copying may touch behind them
  if (writer.attempted + kMost > writer.room) return 0;
  const int32_t here = w.cell_of(observer), stride = w.h->stride;
  Sighting sightings[kWindowWords * 64];
  int32_t sighted;
  const int32_t unseen = sight_cells(p, w, here, radius, seen, sightings, sighted);
  const WindowPlace* places = w.scenery.places;
  const int16_t* owners = w.owner_seen + here;
  const uint32_t* tags = w.object_tags + observer * w.h->tag_words;
  const uint32_t edge_feature = static_cast<uint32_t>(p.set().feature_territory_edge);
  const int32_t steps[4] = {-stride, stride, 1, -1};  // in the order of the Edge bits
  const auto label = [&](int32_t owner) { return owner < 0 ? 0u : 2u - test_bit(tags, owner); };
  uint8_t* const begin = writer.at;
  uint8_t* const last = begin + 3 * (writer.room - writer.attempted - kMost);
  uint8_t* at = begin;
  const Sighting* next = sightings;
  for (const Sighting* end = sightings + sighted; next != end && at <= last && next->count <= kLineTokens; ++next) {
    const WindowPlace& place = places[next->place];
    if (next->sides != 0) {
      const uint32_t own = label(owners[place.offset]);
      uint32_t rest = next->sides;
      do {
        const int32_t side = lowest_bit(rest);
        const uint32_t other = label(owners[place.offset + steps[side]]);
        put_token(at, place.marks[0], edge_feature + static_cast<uint32_t>(side), 3 * own + other);
        at += own == 1 && other == 1 ? 0 : 3;
        rest &= rest - 1;
      } while (rest != 0);
    }
    Wide wide;
    __builtin_memcpy(&wide, place.marks, sizeof wide);
    copy_wide(at, next->line, wide);
    copy_wide(at + 3 * kWide, next->line + 3 * kWide, wide);
    for (int32_t done = 2 * kWide; done < next->count; done += kWide) copy_wide(at + 3 * done, next->line + 3 * done, wide);
    at += 3 * next->count;
  }
  writer.at = at;
  writer.attempted += static_cast<int32_t>(at - begin) / 3;
  const Sighting* const end = sightings + sighted;
  seen = WindowSet{};
  for (; next != end; ++next) seen.words[next->place >> 6] |= uint64_t{1} << (next->place & 63);
  return unseen;
}

#endif

// Writes the tokens of the visible objects and borders, nearest first.
MG_FN int32_t observe_window(const Program& p, const World& w, int32_t observer, int32_t radius, bool plain,
                             TokenWriter& writer) {
  WindowSet seen = find_seen(w, p.set().obs_territory ? w.shown : w.occupied, w.cell_of(observer), radius);
  int32_t unseen = 0;
#if !defined(__CUDA_ARCH__)
  if (!plain && w.h->vision_blockers == 0) unseen = observe_quickly(p, w, observer, radius, seen, writer);
#endif
  if ((seen.words[0] | seen.words[1] | seen.words[2] | seen.words[3]) == 0) return unseen;
  return unseen + observe_cells(p, w, observer, radius, plain, seen, writer);
}

// Used tokens are contiguous, so after the reach of wide copies, clearing ends at the first unused token.
MG_FN void clear_unused(uint8_t* at, const uint8_t* end) {
  const uint8_t* touched = at + 3 * (2 * kWide + 1);
  for (; at < end && (at < touched || at[1] != kUnused); at += 3) at[0] = at[1] = at[2] = kUnused;
}

// The tokens that do not belong to a cell, and how far the agent sees: what the rules compute.
MG_FN void put_values(Machine& m, int32_t agent, TokenWriter& out) {
  const Program& p = m.p;
  const World& w = m.w;
  const Settings& set = p.set();
  const int32_t slot = w.agent_slot[agent];
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
}

// The stats of an observation. `attempted`: its tokens, with those beyond the budget; `unseen`: the sum of `note_seen`.
MG_FN void count_observation(const Program& p, const World& w, int32_t agent, int32_t tokens, int32_t attempted,
                             int32_t unseen) {
  const Settings& set = p.set();
  const int32_t written = min_of(attempted, tokens);
  if (unseen > 0) agent_stat(w, agent, set.stat_visited) += static_cast<float>(unseen);
  game_stat(w, set.stat_tokens_written) += static_cast<float>(written);
  game_stat(w, set.stat_tokens_dropped) += static_cast<float>(attempted - written);
  game_stat(w, set.stat_tokens_free) += static_cast<float>(tokens - written);
  if (attempted > tokens) w.fail(Fault::kTokenBudget, agent, attempted);
}

MG_FN void observe_agent(Machine& m, const Buffers& io, int32_t agent) {
  uint8_t* begin = io.observations + int64_t{agent} * io.tokens * 3;
  TokenWriter out{begin, io.tokens, 0};
  put_values(m, agent, out);
  const int32_t unseen = observe_window(m.p, m.w, m.w.agent_slot[agent], m.w.agent_radius[agent], m.plain(), out);
  clear_unused(begin + 3 * min_of(out.attempted, io.tokens), begin + 3 * int64_t{io.tokens});
  count_observation(m.p, m.w, agent, io.tokens, out.attempted, unseen);
}

MG_FN void write_observations(Machine& m, const Buffers& io) {
  m.begin_reading();
  m.s.completion = episode_completion(m.p.set(), m.w.h->step);
  settle_territory(m.p, m.w);
  freshen_lines(m.p, m.w, 0, 1);
  for (int32_t agent = 0; agent < m.w.h->agents && m.ok(); ++agent) observe_agent(m, io, agent);
}

}  // namespace mg
