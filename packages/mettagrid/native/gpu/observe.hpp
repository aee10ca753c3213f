// Observing in parallel: a warp per agent.
//
// The order of agents shows in three places only. Global tokens may run rules, so `put_heads` writes them beforehand, in order.
// The objects that an agent is the first to see in a step, and the sums of tokens, are counted afterwards by `settle`. Between the
// two nothing changes but the caller's arrays.
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
  b.head[world * b.agents + agent] = out.attempted;
}

MG_FN void put_heads(const Batch& b, mg::Machine& m, const mg::Buffers& io, int64_t world) {
  m.begin_reading();
  m.s.completion = mg::episode_completion(m.p.set(), m.w.h->step);
  for (int32_t agent = 0; agent < m.w.h->agents && m.ok(); ++agent) put_head(b, m, io, world, agent);
}

// Encodes the objects that have changed. Thread `thread` of `threads` takes every so many words of marks.
MG_FN void freshen(const mg::Program& p, const mg::World& w, int32_t thread, int32_t threads) {
  const int32_t words = (w.h->slots + 64) / 64;
  // A step changes few objects, an episode's start all of them: threads share the bits of a word, not the words.
  for (int32_t word = 0; word < words; ++word) {
    const uint64_t marks = w.changed[word];
    if (marks == 0) continue;
    for (int32_t bit = thread; bit < 64; bit += threads) {
      const int32_t slot = 64 * word + bit;
      if (!((marks >> bit) & 1) || slot >= w.h->slots) continue;
      uint8_t* line = w.line(w.object_line[slot]);
      if (line[mg::kLine - 1] == mg::kLineDirty) mg::encode_line(p, w, slot, line);
    }
  }
}

// After all threads have encoded.
MG_FN void clear_marks(const mg::World& w, int32_t thread, int32_t threads) {
  for (int32_t word = thread; word < (w.h->slots + 64) / 64; word += threads) w.changed[word] = 0;
}

// The tokens of a window cell: borders of territory, then the object.
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
  } else if (out.room == 0) {
    out.attempted += count;
  } else {
    for (int32_t k = 0; k < count; ++k) out.put(location, line[3 * k + 1], line[3 * k + 2]);
  }
}

// The window of one agent, after its global tokens.
MG_FN void observe_agent(const Batch& b, const mg::Program& p, const mg::World& w, int64_t world, int32_t agent, Stage& stage) {
  const int64_t row = world * b.agents + agent;
  const int32_t tokens = static_cast<int32_t>(b.tokens), head = b.head[row], before = b.written[row];
  const int32_t observer = w.agent_slot[agent], radius = w.agent_radius[agent];
  const int32_t y = w.object_row[observer], x = w.object_col[observer], here = w.cell(y, x), window = w.h->window;
  const bool occluded = w.h->vision_blockers > 0;

  // The visible cells that hold an object or are on a border, nearest first.
  int32_t count = 0;
  for (int32_t first = 0; first < kSeenWords * kLanes; first += kLanes) {
    PerLane<bool> is_found{}, has_object{};
    each_lane([&](int32_t lane) {
      const int32_t i = first + lane;
      if (i >= window) return;
      const int32_t cell = here + w.window_offset[i];
      const bool object = w.grid[cell] != mg::kEmpty;
      if (!object && w.owner_edges[cell] == 0) return;
      if (((p.window[i].radius_mask >> radius) & 1) == 0 && radius < mg::kFullRadius) return;
      if (occluded && mg::is_hidden(p, w, y, x, p.sights[radius * p.window.size + i])) return;
      is_found[lane] = true;
      has_object[lane] = object;
    });
    const uint32_t found = ballot(is_found), objects = ballot(has_object);
    each_lane([&](int32_t lane) {
      if (is_found[lane]) {
        stage.found[count + count_bits(found & ((1u << lane) - 1))] = static_cast<uint8_t>(first + lane);
      }
      if (lane == 0) b.seen[row * kSeenWords + first / kLanes] = objects;
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
      mg::TokenWriter counter{nullptr, 0, 0};
      put_cell(p, w, observer, radius, i, here + w.window_offset[i], counter);
      offset[lane] = counter.attempted;
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
    for (int32_t k = mg::max_of(4 * mg::max_of(last_word, first_word), shift) + lane; k < end; k += kLanes) base[k] = stage.bytes[k];
    for (int32_t k = 3 * written + lane; k < 3 * before; k += kLanes) out[k] = mg::kUnused;
    if (lane == 0) {
      b.attempted[row] = at;
      b.written[row] = written;
    }
  });
}

// What the order of agents decides: who was the first to see an object in this step, and the sums of tokens. For one warp.
MG_FN void settle(const Batch& b, const mg::Program& p, const mg::World& w, int64_t world) {
  const mg::Settings& set = p.set();
  const int32_t step = w.h->step, tokens = static_cast<int32_t>(b.tokens), rounds = (w.h->window + kLanes - 1) / kLanes;
  for (int32_t agent = 0; agent < w.h->agents; ++agent) {
    const int64_t row = world * b.agents + agent;
    const int32_t here = w.cell_of(w.agent_slot[agent]);
    PerLane<int32_t> unseen{};
    each_lane([&](int32_t lane) {
      for (int32_t round = 0; round < rounds; ++round) {
        if (!((b.seen[row * kSeenWords + round] >> lane) & 1)) continue;
        const int32_t slot = w.grid[here + w.window_offset[round * kLanes + lane]];
        unseen[lane] += step - w.object_seen[slot];
        w.object_seen[slot] = step;
      }
    });
    const int32_t sum = sum_before(unseen);
    each_lane([&](int32_t lane) {
      if (lane != 0 || w.h->fault != 0) return;
      const int32_t attempted = b.attempted[row], written = b.written[row];
      if (sum > 0) mg::agent_stat(w, agent, set.stat_visited) += static_cast<float>(sum);
      mg::game_stat(w, set.stat_tokens_written) += static_cast<float>(written);
      mg::game_stat(w, set.stat_tokens_dropped) += static_cast<float>(attempted - written);
      mg::game_stat(w, set.stat_tokens_free) += static_cast<float>(tokens - written);
      if (attempted > tokens) {
        w.fail(mg::Fault::kTokenBudget, agent, attempted);
        report_fault(b, w, world);
      }
    });
  }
}

}  // namespace gpu
