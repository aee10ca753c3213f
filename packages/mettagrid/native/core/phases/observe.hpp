// Observations (rules, section 11): tokens of three bytes, (location, feature, value), written into the caller's buffer.
//
// The tokens of an actor are cached in a line and encoded again after it has changed; observing it is then a copy with the
// location filled in. All scenery of a template shares one line. First the changed lines are encoded (`freshen_lines`); then
// agents are observed one after the other (`observe_window`); on a GPU, in parallel (gpu/observe.hpp).
#pragma once

#include "core/machine/run.hpp"
#include "core/phases/lines.hpp"
#include "core/phases/window.hpp"

namespace mg {

constexpr uint8_t kGlobalLocation = 0xFE;
constexpr uint8_t kUnused = 0xFF;
constexpr int32_t kFullRadius = 7;  // the whole window

constexpr int32_t kWide = 10;  // tokens copied at a time: 32 bytes

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
  const int32_t owner = w.owner_of(cell);
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
    const int32_t slot = w.slot_at(w.cell(row + offset.dr, col + offset.dc));
    if (slot != kEmpty && (w.flags(slot) & kBlocksVision)) return true;
  }
  return false;
}

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
      const int32_t i = 64 * k + lowest_bit64(rest), cell = here + w.scenery.window_offset[i], slot = w.slot_at(cell);
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

// The tokens of all borders that a cell can have for observers of one group, in games with few owners: those who have the same
// of the owners' tags, a bit each. The last byte is the number of bytes of the tokens.
MG_CALL void encode_borders(uint32_t first, uint32_t group, BorderLine* lines) {
  const auto label = [&](uint32_t owner) { return owner == 0 ? 0 : group >> (owner - 1) & 1 ? 1u : 2u; };
  for (uint32_t borders = 0; borders < kBorders; ++borders) {
    uint8_t *const line = lines[borders].bytes, *at = line;
    const uint32_t own = borders & 3;
    for (uint32_t side = 0; side < 4; ++side) {
      const uint32_t other = own ^ (borders >> (2 * side + 2) & 3), pair = 3 * label(own) + label(other);
      if (other == own || pair == 4) continue;  // both are the observer's
      put_token(at, 0, first + side, pair);
      at += 3;
    }
    line[sizeof(BorderLine) - 1] = static_cast<uint8_t>(at - line);
  }
}

// The lines of an observer, encoded on first use.
MG_RARE const BorderLine* find_border_lines(const Machine& m, int32_t observer) {
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
MG_FN const BorderLine* border_lines(const Machine& m, int32_t observer) {
  if (m.s.last_borders == nullptr) m.s.last_borders = find_border_lines(m, observer);
  return m.s.last_borders;
}

// Tokens of a cell without its object, and what copying may touch behind them.
constexpr int32_t kEdgeTokens = 4, kReach = kWide + 1;

// What is on the visible cells.
struct Sightings {
  Places places;
  uint32_t last_seen;  // sum of the steps in which the objects were last seen; empty cells count as seen now
  Ground ground[kWindowWords * 64];
};

// Only reads the world, and in a loop without branches, so that the memory of many cells is read at a time. If the loop also
// noted the objects as seen, the processor would wait with each read until it knows where the writes before it go.
MG_INLINE void sight_cells(const World& w, int64_t here, Sightings& found) {
  const int32_t* const offsets = w.scenery.window_offset;
  const Ground* const grid = w.grid + here;
  const int32_t* const object_seen = w.object_seen;
  const int64_t count = found.places.count;
  uint32_t last_seen = 0;
  w.object_seen[kEmpty] = w.h->step;
  for (int64_t next = 0; next < count; ++next) {
    const Ground ground = grid[offsets[found.places.at[next]]];
    found.ground[next] = ground;
    last_seen += static_cast<uint32_t>(object_seen[ground.slot()]);
  }
  found.last_seen = last_seen;
}

// Fills in the location of the tokens: bytes 0, 3, .. 30.
MG_INLINE void mark_location(uint8_t location, Wider& marks) {
  using Bytes = uint8_t __attribute__((vector_size(32)));
  constexpr uint8_t k = 0xFF;
  constexpr Bytes kPlaces = {k, 0, 0, k, 0, 0, k, 0, 0, k, 0, 0, k, 0, 0, k, 0, 0, k, 0, 0, k, 0, 0, k, 0, 0, k, 0, 0, k, 0};
  marks = reinterpret_cast<Wider>((Bytes{} + location) & kPlaces);
}

// Copies tokens, with their location filled in.
template <class Bytes>
MG_INLINE void copy_marked(uint8_t* to, const uint8_t* from, const Wider& marks) {
  Bytes tokens, locations;
  __builtin_memcpy(&tokens, from, sizeof tokens);
  __builtin_memcpy(&locations, &marks, sizeof locations);
  tokens |= locations;
  __builtin_memcpy(to, &tokens, sizeof tokens);
}

// Notes the objects on the visible cells as seen, writes their tokens and borders, and returns how many cells it has finished:
// it stops when the tokens of another cell might not fit before `end`, and before a line that is too long. Everything the loop
// needs is in local variables, because a store of tokens could change any other memory as far as the compiler knows. With
// `kHasFewOwners`, borders are looked up; with `kIsAlike`, all scenery has the same line, the one after those of the actors.
template <bool kHasFewOwners, bool kIsAlike>
MG_INLINE int64_t copy_cells(const Machine& m, int32_t observer, int32_t radius, const Sightings& found, uint8_t*& written,
                             const uint8_t* end) {
  constexpr int64_t kMostBytes = 3 * (kEdgeTokens + kLineTokens);  // of a cell
  const World& w = m.w;
  const WindowLook* looks = w.scenery.looks + radius * kWindowWords * 64;
  asm("" : "+r"(looks));  // one register: otherwise the compiler adds the radius for each cell
  const uint8_t* const borders = kHasFewOwners ? border_lines(m, observer)->bytes : nullptr;
  const int32_t* const line_of = w.scenery.line_of;
  const Line* const lines = w.lines;
  int32_t* const object_seen = w.object_seen;
  const int32_t step = w.h->step;
  const uint32_t actors = static_cast<uint32_t>(w.actors);
  const int64_t count = found.places.count;
  if (end - written < kMostBytes) return 0;
  const uint8_t* const last = end - kMostBytes;
  uint8_t* at = written;
  int64_t next = 0;
  for (; next < count && at <= last; ++next) {
    const Ground ground = found.ground[next];
    const uint32_t slot = static_cast<uint32_t>(ground.slot());
    const uint64_t number = kIsAlike ? min_of(slot, actors) : static_cast<uint32_t>(line_of[slot]);
    const uint8_t* const line = lines[number].bytes;
    const uint64_t tokens = line[kLine - 1], i = found.places.at[next];
    const WindowLook& look = looks[i];
    uint8_t* to = at;
    Wider marks;
    mark_location(look.location, marks);
    if (kHasFewOwners) {  // for every cell: a branch on whether it has a border would often be mispredicted
      const uint8_t* const border = borders + (ground.bits >> (kSlotBits - 4) & look.sides);
      copy_marked<Wide>(to, border, marks);
      to += border[sizeof(BorderLine) - 1];
    } else if (ground.borders() != 0) {
      const int32_t cell = w.actor_cell(observer) + w.scenery.window_offset[i];
      TokenWriter out{to, kEdgeTokens + kReach, 0};
      put_edges(m.p, w, observer, cell, m.p.window[static_cast<int32_t>(i)].neighbours >> (4 * radius), look.location, out);
      to = out.at;
    }
    copy_marked<Wider>(to, line, marks);
    if (tokens > kWide) {
      if (tokens > kLineTokens) break;
      for (uint64_t done = kWide; done < tokens; done += kWide) copy_marked<Wider>(to + 3 * done, line + 3 * done, marks);
    }
    object_seen[slot] = step;
    at = to + 3 * tokens;
  }
  written = at;
  return next;
}

// Collects the cells from `next` on, and takes them out of the sum.
MG_RARE void left_over(const World& w, const Sightings& found, int64_t next, WindowSet& left, uint32_t& last_seen) {
  left = WindowSet{};
  for (int64_t k = next; k < found.places.count; ++k) {
    const int32_t i = found.places.at[k], slot = found.ground[k].slot();
    left.words[i >> 6] |= uint64_t{1} << (i & 63);
    last_seen -= static_cast<uint32_t>(slot == kEmpty ? w.h->step : w.object_seen[slot]);
  }
}

// The cells that are listed in `found`; returns as `copy_cells`.
MG_INLINE int64_t observe_places(const Machine& m, int32_t observer, int32_t radius, Sightings& found, uint8_t*& written,
                                 const uint8_t* end) {
  sight_cells(m.w, m.w.actor_cell(observer), found);
  const bool is_alike = m.w.scenery.h->kinds <= 1;
  if (m.w.has_few_owners()) {
    return is_alike ? copy_cells<true, true>(m, observer, radius, found, written, end)
                    : copy_cells<true, false>(m, observer, radius, found, written, end);
  }
  return is_alike ? copy_cells<false, true>(m, observer, radius, found, written, end)
                  : copy_cells<false, false>(m, observer, radius, found, written, end);
}

#if MG_HAS_LEVELS
__attribute__((target("avx2,bmi,bmi2"))) inline int64_t observe_places_avx2(const Machine& m, int32_t observer, int32_t radius,
                                                                            Sightings& found, uint8_t*& written,
                                                                            const uint8_t* end) {
  return observe_places(m, observer, radius, found, written, end);
}
#endif

MG_FN int64_t observe_found(const Machine& m, int32_t observer, int32_t radius, Sightings& found, uint8_t*& written,
                            const uint8_t* end) {
#if MG_HAS_LEVELS
  if (has_level(ProcessorLevel::kAvx2)) return observe_places_avx2(m, observer, radius, found, written, end);
#endif
  return observe_places(m, observer, radius, found, written, end);
}

// The same as `observe_cells` for the cells before the end of the budget comes near, if no object blocks vision. Returns
// whether these were all; the others are in `left`.
MG_FN bool observe_quickly(const Machine& m, int32_t observer, int32_t radius, TokenWriter& writer, int32_t& unseen,
                           WindowSet& left) {
  const int32_t room = writer.room - writer.attempted;
  Sightings found;
  find_places(m.w, m.w.object_row[observer], m.w.object_col[observer], radius, found.places);
  uint8_t *const begin = writer.at, *const end = begin + 3 * max_of(0, room - kReach);
  const int64_t next = observe_found(m, observer, radius, found, writer.at, end);
  m.w.object_seen[kEmpty] = 0;
  writer.attempted += static_cast<int32_t>(writer.at - begin) / 3;
  uint32_t last_seen = found.last_seen;
  const bool is_all = next == found.places.count;
  if (!is_all) left_over(m.w, found, next, left, last_seen);
  unseen = static_cast<int32_t>(static_cast<uint32_t>(next) * static_cast<uint32_t>(m.w.h->step) - last_seen);
  return is_all;
}

#endif

// Writes the tokens of the visible objects and borders, nearest first.
MG_FN int32_t observe_window(const Machine& m, int32_t observer, int32_t radius, TokenWriter& writer) {
  const World& w = m.w;
#if !defined(__CUDA_ARCH__)
  if (!m.plain() && w.h->vision_blockers == 0) {
    int32_t unseen = 0;
    WindowSet left;
    if (observe_quickly(m, observer, radius, writer, unseen, left)) return unseen;
    return unseen + observe_cells(m.p, w, observer, radius, false, left, writer);
  }
#endif
  return observe_cells(m.p, w, observer, radius, m.plain(),
                       find_seen(w, w.object_row[observer], w.object_col[observer], radius), writer);
}

// Used tokens are contiguous, so after the reach of wide copies, clearing ends at the first unused token.
MG_FN void clear_unused(uint8_t* at, const uint8_t* end) {
#if !defined(__CUDA_ARCH__)
  constexpr int32_t kCleared = 16;  // tokens
  static_assert(kCleared >= kReach, "what wide copies touch");
  if (end - at >= 3 * kCleared) {
    const Wide unused = ~Wide{};
    for (int32_t i = 0; i < 3; ++i) __builtin_memcpy(at + 16 * i, &unused, sizeof unused);
    for (at += 3 * kCleared; at < end && at[1] != kUnused; at += 3) at[0] = at[1] = at[2] = kUnused;
    return;
  }
#endif
  const uint8_t* touched = at + 3 * (kWide + 1);
  for (; at < end && (at < touched || at[1] != kUnused); at += 3) at[0] = at[1] = at[2] = kUnused;
}

#if !defined(__CUDA_ARCH__)
MG_FN bool shares_values(const Machine& m) {
  return m.p.set().globals_shared && m.p.values.size <= kSharedValues && !m.plain();
}

// The encoded global values of the agent's team, or null.
MG_RARE const TeamTokens* find_team(const Machine& m, int32_t slot) {
  if (!shares_values(m)) return nullptr;
  for (int32_t i = 0; i < m.s.teams; ++i) {
    if (m.same_tags(m.p.set().globals_mask, m.s.team[i].slot, slot)) return &m.s.team[i];
  }
  return nullptr;
}

MG_RARE const TeamTokens* add_team(Machine& m, int32_t slot, const uint8_t* tokens, int64_t bytes) {
  if (m.s.teams == kSharedTeams || bytes > static_cast<int64_t>(sizeof(TeamTokens::tokens))) return nullptr;
  TeamTokens& team = m.s.team[m.s.teams++];
  team.slot = slot;
  team.bytes = static_cast<int32_t>(bytes);
  __builtin_memcpy(team.tokens, tokens, static_cast<uint64_t>(bytes));
  return &team;
}

// Prepares what agents with the same tags share.
MG_FN void begin_observer(Machine& m, int32_t slot) {
  Scratch& s = m.s;
  const int32_t words = m.w.h->tag_words;
  const uint32_t* const tags = m.w.object_tags;
  bool is_same = s.last_observer != kNone;
  for (int32_t i = 0; is_same && i < words; ++i) is_same = tags[slot * words + i] == tags[s.last_observer * words + i];
  s.last_observer = slot;
  if (is_same) return;
  s.last_borders = nullptr;
  s.last_team = nullptr;
}
#endif

template <class Writer>
MG_FN void put_global_values(Machine& m, int32_t slot, Writer& out) {
  for (const GlobalValue& value : m.p.global_values) {
    const int32_t amount = clamp_to(truncate_to_int(m.read(value.value, slot)), 0, kMostHeld);
    put_number(m.p.set().obs_base, value.feature, static_cast<uint32_t>(amount),
               [&](int32_t feature, int32_t digit) { out.put(kGlobalLocation, feature, digit); });
  }
}

#if !defined(__CUDA_ARCH__)
// The same; if agents share their values, the first agent of a team encodes them for the others.
MG_FN void put_global_values(Machine& m, int32_t slot, RoomyWriter& out) {
  const TeamTokens*& team = m.s.last_team;
  if (team == nullptr) team = find_team(m, slot);
  if (team != nullptr) {
    for (int32_t at = 0; at < team->bytes; at += 16) __builtin_memcpy(out.at + at, team->tokens + at, 16);
    out.at += team->bytes;
    return;
  }
  const uint8_t* const begin = out.at;
  put_global_values<RoomyWriter>(m, slot, out);
  if (shares_values(m)) team = add_team(m, slot, begin, out.at - begin);
}
#endif

// The tokens that do not belong to a cell, and how far the agent sees: what the rules compute.
template <class Writer>
MG_FN void put_values(Machine& m, int32_t agent, Writer& out) {
  const Program& p = m.p;
  const World& w = m.w;
  const Settings& set = p.set();
  const int32_t slot = w.agent_slot[agent];
  put_globals(m, agent, out);
  if (set.obs_territory) out.put(kGlobalLocation, set.feature_territory_here, owner_label(w, slot, w.actor_cell(slot)));
  put_global_values(m, slot, out);
  int32_t radius = kFullRadius;
  if (set.obs_radius_entry != 0) {
    radius = clamp_to(truncate_to_int(m.value_for(set.obs_radius_entry, slot, slot)), 0, kFullRadius);
  }
  w.agent_radius[agent] = static_cast<uint8_t>(radius);
}

// At least as many as `put_values` touches: 7 tokens, values of up to 16 bits, digit by digit, and what a wide copy takes
// along.
MG_FN int32_t most_values(const Program& p) { return 7 + 16 * p.global_values.size + kWide; }

// The stats of an observation. `attempted`: its tokens, with those beyond the budget; `unseen`: the sum of `note_seen`.
MG_FN void count_observation(const Program& p, const World& w, int32_t agent, int32_t tokens, int32_t attempted,
                             int32_t unseen) {
  const Settings& set = p.set();
  const int32_t written = min_of(attempted, tokens);
  if (unseen > 0) agent_stat(w, agent, set.stat_visited) += static_cast<float>(unseen);
  w.game_stat[set.stat_tokens_written] += static_cast<float>(written);
  w.game_stat[set.stat_tokens_dropped] += static_cast<float>(attempted - written);
  w.game_stat[set.stat_tokens_free] += static_cast<float>(tokens - written);
  if (attempted > tokens) w.fail(Fault::kTokenBudget, agent, attempted);
}

MG_FN void observe_agent(Machine& m, const Buffers& io, int32_t agent) {
  uint8_t* begin = io.observations + int64_t{agent} * io.tokens * 3;
  TokenWriter out{begin, io.tokens, 0};
#if !defined(__CUDA_ARCH__)
  begin_observer(m, m.w.agent_slot[agent]);
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
  look_ahead<PrefetchObject>(m.s, agent);
  const int32_t unseen = observe_window(m, m.w.agent_slot[agent], m.w.agent_radius[agent], out);
  clear_unused(begin + 3 * min_of(out.attempted, io.tokens), begin + 3 * int64_t{io.tokens});
  count_observation(m.p, m.w, agent, io.tokens, out.attempted, unseen);
  look_ahead<PrefetchWindow>(m.s, agent);
}

MG_FN void write_observations(Machine& m, const Buffers& io) {
  m.begin_reading();
  m.s.teams = 0;
  m.s.last_observer = kNone;
  m.s.completion = episode_completion(m.p.set(), m.w.h->step);
  settle_territory(m.p, m.w);
  freshen_lines(m.p, m.w, 0, 1);
  const Settings& set = m.p.set();
  for (const int32_t stat : {set.stat_tokens_written, set.stat_tokens_dropped, set.stat_tokens_free}) game_stat(m.w, stat);
  for (int32_t agent = 0; agent < m.w.h->agents && m.ok(); ++agent) observe_agent(m, io, agent);
}

}  // namespace mg
