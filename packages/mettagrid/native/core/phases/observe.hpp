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

#if !defined(__CUDA_ARCH__)
// The same where the budget is known to suffice.
struct RoomyWriter {
  uint8_t* at;

  MG_FN void put(uint8_t location, int32_t feature, int32_t value) {
    put_token(at, location, static_cast<uint32_t>(feature), static_cast<uint32_t>(value));
    at += 3;
  }
};
#endif

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

template <class Writer>
MG_FN void put_globals(Machine& m, int32_t agent, Writer& out) {
  const Program& p = m.p;
  const World& w = m.w;
  const Settings& set = p.set();
  const int32_t slot = w.agent_slot[agent];
  const auto put = [&](int32_t feature, int32_t value) { out.put(kGlobalLocation, feature, value); };
  if (set.obs_completion) put(set.feature_completion, m.s.completion);
  if (set.obs_last_action) put(set.feature_last_action, w.agent_action[agent] & 255);
  if (set.obs_last_move) put(set.feature_last_move, w.actor_cell(slot) != w.agent_before[agent]);
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

// One token per border of the cell, of those in `visible`. There is no border between two owning tags that the observer both
// has.
MG_FN void put_edges(const Program& p, const World& w, int32_t observer, int32_t cell, int32_t visible, uint8_t location,
                     TokenWriter& out) {
  const int32_t label = owner_label(w, observer, cell), stride = w.h->stride;
  const int32_t neighbours[4] = {cell - stride, cell + stride, cell + 1, cell - 1};  // in the order of the Edge bits
  for (uint32_t rest = static_cast<uint32_t>(edges_in(w, cell) & visible & 15); rest != 0; rest &= rest - 1) {
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
    seen.words[i >> 6] |= static_cast<uint64_t>(test_bit(shown, here + w.scenery.window_offset[i])) << (i & 63);
  }
  for (int32_t i = 0; i < kWindowWords; ++i) seen.words[i] &= w.scenery.radius_set[radius * kWindowWords + i];
  return seen;
}

#else

// The same: four columns of a row at a time, brought into the order of the window by a table. `kHalves`: of the window.
template <int32_t kHalves>
MG_FN void collect_seen(const World& w, const uint32_t* shown, int32_t here, Wide* seen) {
  const Scenery& s = w.scenery;
  const int32_t rows = s.h->window_rows, stride = w.h->stride;
  const uint8_t* const bytes = reinterpret_cast<const uint8_t*>(shown);
  const Wide* sets = reinterpret_cast<const Wide*>(s.parts);
  int32_t cell = here - rows * stride - s.h->window_cols;
  for (int32_t row = 0; row <= 2 * rows; ++row, cell += stride, sets += kRowParts * 16) {
    uint32_t bits;  // at least 15; the words end with one to spare
    __builtin_memcpy(&bits, bytes + (cell >> 3), sizeof bits);
    bits >>= cell & 7;
    for (int32_t half = 0; half < kHalves; ++half) {
      const uint8_t* const at = reinterpret_cast<const uint8_t*>(sets + half * kWindowSide * kRowParts * 16);
      const auto part = [&](int32_t offset) { return *reinterpret_cast<const Wide*>(at + offset); };
      seen[half] |= (part(bits << 4 & 0xF0) | part(256 + (bits & 0xF0))) |
                    (part(512 + (bits >> 4 & 0xF0)) | part(768 + (bits >> 8 & 0xF0)));
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
      const int32_t i = 64 * k + lowest_bit64(rest), cell = here + w.scenery.window_offset[i], slot = w.grid[cell];
      const uint8_t location = static_cast<uint8_t>(p.window[i].location);
      if (occluded && is_hidden(p, w, row, col, p.sights[radius * p.window.size + i])) continue;
      if (p.set().obs_territory) put_edges(p, w, observer, cell, p.window[i].neighbours >> (4 * radius), location, out);
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

// The visible cells in the order of the window, and what there is to copy.
struct Sightings {
  int32_t count;
  int32_t tokens;                    // of all objects together
  int32_t unseen;                    // the sum of `note_seen`
  bool too_long;                     // the line of an object is
  uint32_t cell[kWindowWords * 64];  // its place in the window; above eight bits, its borders
  int32_t slot[kWindowWords * 64];
  const uint8_t* line[kWindowWords * 64];
};

// Looks at the visible cells and notes the objects as seen. Two loops without branches, so that the memory of many cells is
// read at a time, with few variables, so that all are in registers; an empty cell has the line of slot 0, without tokens.
MG_FN void sight_cells(const World& w, int32_t here, const WindowSet& seen, Sightings& out) {
  const int32_t *offsets = w.scenery.window_offset, *grid = w.grid + here;
  const uint16_t* borders = w.borders + here;
  int64_t count = 0;
  for (int32_t k = 0; k < kWindowWords; ++k) {
    for (uint64_t rest = seen.words[k]; rest != 0; rest &= rest - 1) {
      const int64_t i = 64 * k + lowest_bit64(rest), offset = offsets[i];
      out.cell[count] = static_cast<uint32_t>(i) | static_cast<uint32_t>(borders[offset]) << 8;
      out.slot[count++] = grid[offset];
    }
  }
  const int32_t* line_of = w.scenery.line_of;
  const uint8_t* lines = w.lines;
  int32_t *object_seen = w.object_seen, step = w.h->step, unseen = 0, tokens = 0;
  uint32_t lengths = 0;
  object_seen[kEmpty] = step;  // so that an empty cell adds nothing
  for (int64_t i = 0; i < count; ++i) {
    const int32_t slot = out.slot[i];
    const uint8_t* line = lines + static_cast<int64_t>(line_of[slot]) * kLine;
    out.line[i] = line;
    unseen += step - object_seen[slot];
    object_seen[slot] = step;
    tokens += line[kLine - 1];
    lengths |= line[kLine - 1];
  }
  object_seen[kEmpty] = 0;
  static_assert(kLineTokens < 128 && kLineTooLong >= 128, "the highest bit tells them apart");
  out.count = static_cast<int32_t>(count);
  out.tokens = tokens;
  out.unseen = unseen;
  out.too_long = lengths >= 128;
}

// The tokens of all borders that a cell can have for observers of one group, in games with few owners: those who have the same
// of the owners' tags, a bit each. As in the line of an object, the last byte is the number of tokens.
MG_CALL void encode_borders(uint32_t first, uint32_t group, BorderLine* lines) {
  const auto label = [&](uint32_t owner) { return owner == 0 ? 0 : group >> (owner - 1) & 1 ? 1u : 2u; };
  for (uint32_t borders = 0; borders < kBorders; ++borders) {
    uint8_t *const line = lines[borders].bytes, *at = line;
    const uint32_t own = borders & 3;
    for (uint32_t side = 0; side < 4; ++side) {
      const uint32_t other = borders >> (2 * side + 2) & 3, pair = 3 * label(own) + label(other);
      if (other == own || pair == 4) continue;  // both are the observer's
      put_token(at, 0, first + side, pair);
      at += 3;
    }
    line[sizeof(BorderLine) - 1] = static_cast<uint8_t>((at - line) / 3);
  }
}

// The lines of an observer, encoded on first use.
MG_FN const BorderLine* border_lines(const Machine& m, int32_t observer) {
  const uint32_t first = static_cast<uint32_t>(m.p.set().feature_territory_edge);
  const uint32_t* tags = m.w.object_tags + observer * m.w.h->tag_words;
  uint32_t group = 0;
  for (int32_t i = 0; i < m.w.h->owners; ++i) group |= static_cast<uint32_t>(test_bit(tags, m.w.h->owner_tag[i])) << i;
  BorderCache& cache = *m.s.borders;
  if (cache.first != first || !(cache.groups >> group & 1)) {
    cache.groups = (cache.first == first ? cache.groups : 0) | 1u << group;
    cache.first = first;
    encode_borders(first, group, cache.lines[group]);
  }
  return cache.lines[group];
}

// Tokens of a cell without its object, and what copying may touch behind them.
constexpr int32_t kEdgeTokens = 4, kReach = 2 * kWide + 1;

// Writes the tokens of sightings and returns how many it has finished. Without `kFast`, it stops before a line that is too
// long, and after `last`. Everything the loop needs is in local variables, because a store of tokens could change any other
// memory as far as the compiler knows.
template <bool kFast>
MG_FN int64_t copy_sightings(const Machine& m, int32_t observer, int32_t radius, const Sightings& found, uint8_t*& written,
                             const uint8_t* last) {
  const World& w = m.w;
  const LocationMarks* marks = w.scenery.marks;
  const uint16_t* sides = w.scenery.sides + (m.p.set().obs_territory ? radius : kRadii) * kWindowWords * 64;
  const BorderLine* borders = kFast ? border_lines(m, observer) : nullptr;
  const int64_t count = found.count;
  uint8_t* at = written;
  int64_t next = 0;
  for (; next < count; ++next) {
    const uint8_t* line = found.line[next];
    const int64_t tokens = line[kLine - 1];
    if (!kFast && (at > last || tokens > kLineTokens)) break;
    const uint32_t cell = found.cell[next], i = cell & 255;
    Wide mark;
    __builtin_memcpy(&mark, marks[i].bytes, sizeof mark);
    if (kFast && cell >= 256) {
      // Neighbours that the observer does not see count as this cell.
      const uint32_t fields = cell >> 8, same = (fields & 3) * kEachField;
      const uint8_t* border = borders[same ^ ((same ^ fields) & sides[i])].bytes;
      copy_wide(at, border, mark);
      at += 3 * int64_t{border[sizeof(BorderLine) - 1]};
    } else if (cell >= 256 && m.p.set().obs_territory) {
      const int32_t place = static_cast<int32_t>(i);
      TokenWriter out{at, kEdgeTokens + kReach, 0};
      put_edges(m.p, w, observer, w.actor_cell(observer) + w.scenery.window_offset[i],
                m.p.window[place].neighbours >> (4 * radius), marks[i].bytes[0], out);
      at = out.at;
    }
    copy_wide(at, line, mark);
    copy_wide(at + 3 * kWide, line + 3 * kWide, mark);
    for (int64_t done = 2 * kWide; done < tokens; done += kWide) copy_wide(at + 3 * done, line + 3 * done, mark);
    at += 3 * tokens;
  }
  written = at;
  return next;
}

// The same as `observe_cells` for the cells before the end of the budget comes near, if no object blocks vision; removes them
// from `seen`.
MG_FN int32_t observe_quickly(const Machine& m, int32_t observer, int32_t radius, WindowSet& seen, TokenWriter& writer) {
  constexpr int32_t kMost = kEdgeTokens + kLineTokens + kReach;
  const int32_t room = writer.room - writer.attempted;
  if (room < kMost) return 0;
  Sightings found;
  sight_cells(m.w, m.w.actor_cell(observer), seen, found);
  uint8_t* const begin = writer.at;
  const bool has_room = !found.too_long && found.tokens + kEdgeTokens * found.count + kReach <= room;
  int64_t next = has_room && m.w.has_few_owners()
                     ? copy_sightings<true>(m, observer, radius, found, writer.at, nullptr)
                     : copy_sightings<false>(m, observer, radius, found, writer.at, begin + 3 * (room - kMost));
  writer.attempted += static_cast<int32_t>(writer.at - begin) / 3;
  seen = WindowSet{};
  for (; next < found.count; ++next) {
    const int32_t place = found.cell[next] & 255;
    seen.words[place >> 6] |= uint64_t{1} << (place & 63);
  }
  return found.unseen;
}

#endif

// Writes the tokens of the visible objects and borders, nearest first.
MG_FN int32_t observe_window(const Machine& m, int32_t observer, int32_t radius, TokenWriter& writer) {
  const Program& p = m.p;
  const World& w = m.w;
  WindowSet seen = find_seen(w, p.set().obs_territory ? w.shown : w.occupied, w.actor_cell(observer), radius);
  int32_t unseen = 0;
#if !defined(__CUDA_ARCH__)
  if (!m.plain() && w.h->vision_blockers == 0) unseen = observe_quickly(m, observer, radius, seen, writer);
#endif
  if ((seen.words[0] | seen.words[1] | seen.words[2] | seen.words[3]) == 0) return unseen;
  return unseen + observe_cells(p, w, observer, radius, m.plain(), seen, writer);
}

// Used tokens are contiguous, so after the reach of wide copies, clearing ends at the first unused token.
MG_FN void clear_unused(uint8_t* at, const uint8_t* end) {
#if !defined(__CUDA_ARCH__)
  constexpr int32_t kCleared = 16;  // tokens
  static_assert(kCleared >= 2 * kWide + 1, "the reach of wide copies");
  if (end - at >= 3 * kCleared) {
    __builtin_memset(at, kUnused, 3 * kCleared);
    for (at += 3 * kCleared; at < end && at[1] != kUnused; at += 3) at[0] = at[1] = at[2] = kUnused;
    return;
  }
#endif
  const uint8_t* touched = at + 3 * (2 * kWide + 1);
  for (; at < end && (at < touched || at[1] != kUnused); at += 3) at[0] = at[1] = at[2] = kUnused;
}

// The tokens that do not belong to a cell, and how far the agent sees: what the rules compute.
template <class Writer>
MG_FN void put_values(Machine& m, int32_t agent, Writer& out) {
  const Program& p = m.p;
  const World& w = m.w;
  const Settings& set = p.set();
  const int32_t slot = w.agent_slot[agent];
  put_globals(m, agent, out);
  if (set.obs_territory) out.put(kGlobalLocation, set.feature_territory_here, owner_label(w, slot, w.actor_cell(slot)));
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

// At least as many as `put_values` writes: 7 tokens, and values of up to 16 bits, digit by digit.
MG_FN int32_t most_values(const Program& p) { return 7 + 16 * p.global_values.size; }

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
#if !defined(__CUDA_ARCH__)
  if (most_values(m.p) < io.tokens) {
    RoomyWriter roomy{begin};
    put_values(m, agent, roomy);
    out.attempted = static_cast<int32_t>(roomy.at - begin) / 3;
    out.at = roomy.at;
  } else {
    put_values(m, agent, out);
  }
#else
  put_values(m, agent, out);
#endif
  const int32_t unseen = observe_window(m, m.w.agent_slot[agent], m.w.agent_radius[agent], out);
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
