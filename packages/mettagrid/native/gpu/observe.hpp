// Observing in parallel: a warp per agent.
//
// The order of agents shows in three places only. Global tokens may run rules, so `put_heads` writes them beforehand, in order.
// The objects that an agent is the first to see in a step, and the sums of tokens, are counted afterwards (`claim_seen`,
// `count_tokens`). Between the two nothing changes but the caller's arrays.
#pragma once

#include "gpu/batch.hpp"
#include "gpu/lanes.hpp"

namespace gpu {

constexpr int32_t kStaged = 512;   // tokens that a warp collects before it writes them
constexpr int32_t kSeenWords = 8;  // bits for the largest window
static_assert(kSeenWords * 32 == mg::kMostWindow, "a bit per cell");

// Memory that the lanes of one warp share.
struct alignas(16) Stage {
  uint8_t bytes[3 * kStaged + 4];
  uint8_t found[mg::kMostWindow];
};

// The global tokens and the radius of one agent: the part of its observation that may run rules.
MG_FN void put_head(const Batch& b, mg::Machine& m, const mg::Buffers& io, int64_t world, int32_t agent) {
  const mg::Settings& set = m.p.set();
  const mg::World& w = m.w;
  const int32_t slot = w.agent_slot[agent];
  mg::TokenWriter out{io.observations + int64_t{agent} * io.tokens * 3, io.tokens, 0};
  mg::put_globals(m, agent, out);
  if (set.obs_territory) out.put(mg::kGlobalLocation, set.feature_territory_here, mg::owner_label(w, slot, w.cell_of(slot)));
  for (const mg::GlobalValue& value : m.p.global_values) {
    const int32_t amount = mg::clamp_to(mg::truncate_to_int(m.read(value.value, slot)), 0, mg::kMostHeld);
    mg::put_number(set.obs_base, value.feature, static_cast<uint32_t>(amount),
                   [&](int32_t feature, int32_t digit) { out.put(mg::kGlobalLocation, feature, digit); });
  }
  int32_t radius = mg::kFullRadius;
  if (set.obs_radius_entry != 0) {
    radius = mg::clamp_to(mg::truncate_to_int(m.value_for(set.obs_radius_entry, slot, slot)), 0, mg::kFullRadius);
  }
  w.agent_radius[agent] = static_cast<uint8_t>(radius);
  b.heads[world * b.agents + agent] = Head{out.attempted, slot, w.cell_of(slot), radius};
}

MG_FN void put_heads(const Batch& b, mg::Machine& m, const mg::Buffers& io, int64_t world) {
  m.begin_reading();
  m.s.completion = mg::episode_completion(m.p.set(), m.w.h->step);
  for (int32_t agent = 0; agent < m.w.h->agents && m.ok(); ++agent) put_head(b, m, io, world, agent);
}

// Encodes the objects that have changed, and clears their marks. Thread `thread` of `threads` takes every so many words of
// marks.
MG_FN void freshen(const mg::Program& p, const mg::World& w, int32_t thread, int32_t threads) {
  const int32_t words = (w.h->slots + 64) / 64;
  for (int32_t word = thread; word < words; word += threads) {
    const uint64_t marks = w.changed[word];
    if (marks == 0) continue;
    w.changed[word] = 0;
    for (int32_t half = 0; half < 2; ++half) {
      for (uint32_t rest = static_cast<uint32_t>(marks >> (32 * half)); rest != 0; rest &= rest - 1) {
        const int32_t slot = 64 * word + 32 * half + mg::lowest_bit(rest);
        if (slot >= w.h->slots) continue;  // the mark of a territory
        uint8_t* line = w.line(w.object_line[slot]);
        if (line[mg::kLine - 1] == mg::kLineDirty) mg::encode_line(p, w, slot, line);
      }
    }
  }
}

// The number of tokens of a window cell: borders of territory, then the object.
MG_FN int32_t count_cell(const mg::Program& p, const mg::World& w, int32_t observer, int32_t radius, int32_t i, int32_t cell) {
  const int32_t slot = w.grid[cell], edges = w.owner_edges[cell];
  mg::TokenWriter counter{nullptr, 0, 0};
  if (slot != mg::kEmpty) {
    const int32_t count = w.line(w.object_line[slot])[mg::kLine - 1];
    if (count <= mg::kLineTokens) {
      counter.attempted = count;
    } else {
      mg::object_tokens(p, w, slot, [&](int32_t feature, int32_t value) { counter.put(0, feature, value); });
    }
  }
  if (edges != 0 && p.set().obs_territory) {
    mg::put_edges(p, w, observer, cell, edges & (p.window[i].neighbours >> (4 * radius)), 0, counter);
  }
  return counter.attempted;
}

// Copies the tokens of a line, a word at a time: the constants mask the bytes of a word that hold a location.
MG_FN void copy_line(uint8_t* to, const uint8_t* line, int32_t count, uint32_t location) {
  const uint32_t* words = reinterpret_cast<const uint32_t*>(line);
  const int32_t bytes = 3 * count;
  for (int32_t at = 0, k = 0; at < bytes; at += 4, ++k) {
    const int32_t turn = k % 3;
    const uint32_t word = words[k] | location * (turn == 0 ? 0x01000001u : turn == 1 ? 0x00010000u : 0x00000100u);
    for (int32_t j = 0; j < 4 && at + j < bytes; ++j) to[at + j] = static_cast<uint8_t>(word >> (8 * j));
  }
}

MG_FN void put_cell(const mg::Program& p, const mg::World& w, int32_t observer, int32_t radius, int32_t i, int32_t cell,
                    mg::TokenWriter& out) {
  const mg::WindowCell& view = p.window[i];
  const uint8_t location = static_cast<uint8_t>(view.location);
  const int32_t slot = w.grid[cell], edges = w.owner_edges[cell];
  if (edges != 0 && p.set().obs_territory) {
    mg::put_edges(p, w, observer, cell, edges & (view.neighbours >> (4 * radius)), location, out);
  }
  if (slot == mg::kEmpty) return;
  const uint8_t* line = w.line(w.object_line[slot]);
  const int32_t count = line[mg::kLine - 1];
  if (count > mg::kLineTokens) {
    mg::object_tokens(p, w, slot, [&](int32_t feature, int32_t value) { out.put(location, feature, value); });
  } else if (out.attempted + count <= out.room) {
    copy_line(out.at, line, count, location);
    out.at += 3 * count;
    out.attempted += count;
  } else {
    for (int32_t k = 0; k < count; ++k) out.put(location, line[3 * k + 1], line[3 * k + 2]);
  }
}

// What an agent sees, cell by cell of the window; cell 32 r + lane is in word r.
struct Sight {
  PerLane<int32_t> slot[kSeenWords];  // visible object or kEmpty
  PerLane<int32_t> age[kSeenWords];   // steps since an agent last saw it, before this step
  int32_t attempted, written;         // tokens
};

// The window of one agent, after its global tokens.
MG_FN void observe_agent(const Batch& b, const mg::Program& p, const mg::World& w, int64_t world, int32_t agent, Stage& stage,
                         Sight& sight) {
  const int64_t row = world * b.agents + agent;
  const Head from = b.heads[row];
  const int32_t tokens = static_cast<int32_t>(b.tokens), head = from.tokens, before = b.written[row];
  const int32_t observer = from.slot, radius = from.radius, here = from.cell, window = w.h->window;
  const bool occluded = w.h->vision_blockers > 0;

  // The visible cells that hold an object or are on a border, nearest first. All loads are under way before the first is used.
  PerLane<uint32_t> is_found{};  // bit r: cell 32 r + lane
  each_lane([&](int32_t lane) {
    int32_t cells[kSeenWords];
    uint32_t bordered = 0;
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r) {
      const int32_t i = r * kLanes + lane;
      cells[r] = i < window ? here + w.window_offset[i] : -1;
    }
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r) {
      sight.slot[r][lane] = cells[r] < 0 ? mg::kEmpty : w.grid[cells[r]];
      bordered |= static_cast<uint32_t>(cells[r] >= 0 && w.owner_edges[cells[r]] != 0) << r;
    }
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r) {
      const int32_t i = r * kLanes + lane;
      bool found = sight.slot[r][lane] != mg::kEmpty || ((bordered >> r) & 1);
      if (found && radius < mg::kFullRadius) found = (p.window[i].radius_mask >> radius) & 1;
      if (found && occluded)
        found = !mg::is_hidden(p, w, w.object_row[observer], w.object_col[observer], p.sights[radius * p.window.size + i]);
      if (!found) sight.slot[r][lane] = mg::kEmpty;
      is_found[lane] |= static_cast<uint32_t>(found) << r;
    }
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r) {
      const int32_t slot = sight.slot[r][lane];
      sight.age[r][lane] = slot == mg::kEmpty ? 0 : w.h->step - w.object_seen[slot];
    }
  });
  int32_t count = 0;
  MG_UNROLL
  for (int32_t r = 0; r < kSeenWords; ++r) {
    PerLane<bool> here_found{};
    if (r * kLanes >= window) break;
    each_lane([&](int32_t lane) { here_found[lane] = (is_found[lane] >> r) & 1; });
    const uint32_t found = ballot(here_found);
    each_lane([&](int32_t lane) {
      if (!here_found[lane]) return;
      stage.found[count + count_bits(found & ((1u << lane) - 1))] = static_cast<uint8_t>(r * kLanes + lane);
    });
    count += count_bits(found);
  }

  // Their tokens. Those that are collected lie in `bytes` as they will in the array, from a multiple of four on.
  uint8_t* const out = b.observations + row * tokens * 3;
  uint8_t* const begin = out + 3 * mg::min_of(head, tokens);
  const int32_t shift = static_cast<int32_t>(reinterpret_cast<uint64_t>(begin) & 3);
  int32_t at = head, staged = head;
  for (int32_t first = 0; first < count; first += kLanes) {
    PerLane<int32_t> offset{};
    each_lane([&](int32_t lane) {
      if (first + lane >= count) return;
      const int32_t i = stage.found[first + lane];
      offset[lane] = count_cell(p, w, observer, radius, i, here + w.window_offset[i]);
    });
    const int32_t total = sum_before(offset);
    const bool fits = at + total <= mg::min_of(tokens, head + kStaged);
    each_lane([&](int32_t lane) {
      if (first + lane >= count) return;
      const int32_t i = stage.found[first + lane], start = at + offset[lane];
      uint8_t* to = fits ? stage.bytes + shift + 3 * (start - head) : out + 3 * int64_t{start};
      const int32_t room = fits ? tokens : mg::max_of(0, tokens - start);
      if (room == 0) return;
      mg::TokenWriter writer{to, room, 0};
      put_cell(p, w, observer, radius, i, here + w.window_offset[i], writer);
    });
    at += total;
    if (fits) staged = at;
  }

  const int32_t written = mg::min_of(at, tokens);
  each_lane([&](int32_t lane) {
    // Whole words first, then the bytes at both ends.
    const int32_t end = shift + 3 * (mg::min_of(staged, tokens) - mg::min_of(head, tokens));
    uint8_t* const base = begin - shift;
    const int32_t first_word = shift == 0 ? 0 : 1, last_word = end / 4;
    for (int32_t k = first_word + lane; k < last_word; k += kLanes) {
      reinterpret_cast<uint32_t*>(base)[k] = reinterpret_cast<const uint32_t*>(stage.bytes)[k];
    }
    for (int32_t k = shift + lane; k < mg::min_of(4 * first_word, end); k += kLanes) base[k] = stage.bytes[k];
    for (int32_t k = mg::max_of(4 * mg::max_of(last_word, first_word), shift) + lane; k < end; k += kLanes)
      base[k] = stage.bytes[k];
    for (int32_t k = 3 * written + lane; k < 3 * before; k += kLanes) out[k] = mg::kUnused;
    if (lane == 0) b.written[row] = written;
  });
  sight.attempted = at;
  sight.written = written;
}

// A bit per slot, for worlds with few enough: the objects that agents of lower numbers have seen in this step.
constexpr int32_t kMarked = 16384;
struct Marked {
  uint32_t words[kMarked / 32];
};

MG_FN void clear_marked(const mg::World& w, Marked& marked, int32_t thread, int32_t threads) {
  for (int32_t i = thread; i < mg::min_of(w.h->slots, kMarked) / 32 + 1 && i < kMarked / 32; i += threads) marked.words[i] = 0;
}

// The order of agents decides who is the first to see an object in a step: in their turns, one after the other, they claim
// theirs. Returns the sum of ages of the objects that this agent is the first to see.
MG_FN int32_t claim_seen(const mg::World& w, Sight& sight, Marked& marked) {
  PerLane<int32_t> sum{};
  each_lane([&](int32_t lane) {
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r) {
      const int32_t slot = sight.slot[r][lane];
      if (slot == mg::kEmpty) continue;
      if (slot < kMarked) {
        if (!set_shared_bit(marked.words, slot)) sum[lane] += sight.age[r][lane];
      } else {  // too many objects for the bits: look into the world, where earlier agents have written
        sum[lane] += w.h->step - load_fresh(w.object_seen + slot);
        store_fresh(w.object_seen + slot, w.h->step);
      }
    }
  });
  return sum_before(sum);
}

// After the turns of all agents that observe together.
MG_FN void note_seen(const mg::Program& p, const mg::World& w, int32_t agent, Sight& sight, int32_t unseen) {
  each_lane([&](int32_t lane) {
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r) {
      if (sight.slot[r][lane] != mg::kEmpty) w.object_seen[sight.slot[r][lane]] = w.h->step;
    }
    if (lane == 0 && unseen > 0) mg::agent_stat(w, agent, p.set().stat_visited) += static_cast<float>(unseen);
  });
}

// The sums of tokens, in the order of agents, by one thread. `attempted`: of agents [first, last).
MG_FN void count_tokens(const Batch& b, const mg::Program& p, const mg::World& w, int64_t world, int32_t first, int32_t last,
                        const int32_t* attempted) {
  const mg::Settings& set = p.set();
  const int32_t tokens = static_cast<int32_t>(b.tokens);
  float &written = mg::game_stat(w, set.stat_tokens_written), &dropped = mg::game_stat(w, set.stat_tokens_dropped),
        &unused = mg::game_stat(w, set.stat_tokens_free);
  float sums[3] = {written, dropped, unused};
  for (int32_t agent = first; agent < last; ++agent) {
    const int32_t all = attempted[agent - first], fits = mg::min_of(all, tokens);
    sums[0] += static_cast<float>(fits);
    sums[1] += static_cast<float>(all - fits);
    sums[2] += static_cast<float>(tokens - fits);
    if (all > tokens) {
      w.fail(mg::Fault::kTokenBudget, agent, all);
      report_fault(b, w, world);
    }
  }
  written = sums[0];
  dropped = sums[1];
  unused = sums[2];
}

}  // namespace gpu
