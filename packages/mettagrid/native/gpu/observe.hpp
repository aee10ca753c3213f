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
static_assert(kSeenWords * 32 == mg::kWindowWords * 64, "a bit per cell");

// Memory that the lanes of one warp share.
struct alignas(16) Stage {
  uint8_t bytes[3 * kStaged + 4];
  uint8_t found[kSeenWords * 32];
};

// The global tokens and the radius of one agent: the part of its observation that may run rules.
MG_FN void put_head(const DeviceBatch& b, mg::Machine& m, const mg::Buffers& io, int64_t world, int32_t agent) {
  mg::TokenWriter out{io.observations + int64_t{agent} * io.tokens * 3, io.tokens, 0};
  mg::put_values(m, agent, out);
  const int32_t slot = m.w.agent_slot[agent];
  b.heads[world * b.agents + agent] = Head{out.attempted, slot, m.w.cell_of(slot), m.w.agent_radius[agent]};
}

MG_FN void put_heads(const DeviceBatch& b, mg::Machine& m, const mg::Buffers& io, int64_t world) {
  m.begin_reading();
  m.s.completion = mg::episode_completion(m.p.set(), m.w.h->step);
  for (int32_t agent = 0; agent < m.w.h->agents && m.ok(); ++agent) put_head(b, m, io, world, agent);
}

// The number of tokens of a window cell: borders of territory, then the object.
MG_FN int32_t count_cell(const mg::Program& p, const mg::World& w, int32_t observer, int32_t radius, int32_t i, int32_t cell) {
  const mg::Ground ground = w.grid[cell];
  const int32_t slot = ground.slot();
  mg::TokenWriter counter{nullptr, 0, 0};
  if (slot != mg::kEmpty) {
    const int32_t count = w.line(slot)[mg::kLine - 1];
    if (count <= mg::kLineTokens) {
      counter.attempted = count;
    } else {
      mg::put_object(p, w, slot, 0, counter);
    }
  }
  if (ground.borders() != 0) { mg::put_edges(p, w, observer, cell, p.window[i].neighbours >> (4 * radius), 0, counter); }
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
  const mg::Ground ground = w.grid[cell];
  const int32_t slot = ground.slot();
  if (ground.borders() != 0) { mg::put_edges(p, w, observer, cell, view.neighbours >> (4 * radius), location, out); }
  if (slot == mg::kEmpty) return;
  const uint8_t* line = w.line(slot);
  const int32_t count = line[mg::kLine - 1];
  if (count > mg::kLineTokens) {
    mg::put_object(p, w, slot, location, out);
  } else if (out.attempted + count <= out.room) {
    copy_line(out.at, line, count, location);
    out.at += 3 * count;
    out.attempted += count;
  } else {
    for (int32_t k = 0; k < count; ++k) out.put(location, line[3 * k + 1], line[3 * k + 2]);
  }
}

// What an agent sees, cell by cell of the window; cell 32 r + lane is in word r.
struct AgentSight {
  PerLane<int32_t> slot[kSeenWords];  // visible object or kEmpty
  PerLane<int32_t> age[kSeenWords];   // steps since an agent last saw it, before this step
  int32_t attempted, written;         // tokens
};

// The window of one agent, after its global tokens.
MG_FN void observe_agent(const DeviceBatch& b, const mg::Program& p, const mg::World& w, int64_t world, int32_t agent,
                         Stage& stage, AgentSight& sight) {
  const int64_t row = world * b.agents + agent;
  const Head from = b.heads[row];
  const int32_t tokens = static_cast<int32_t>(b.tokens), head = from.tokens, before = b.written[row];
  const int32_t observer = from.slot, radius = from.radius, here = from.cell, window = p.window.size;
  const bool occluded = w.h->vision_blockers > 0;
  const int32_t* offsets = w.scenery.window_offset;
  const mg::WindowBits bits = mg::WindowBits::around(w, w.object_row[observer], w.object_col[observer]);

  // The visible cells that hold an object or are on a border, nearest first. Loads are under way before the first is used.
  PerLane<uint32_t> is_found{};  // bit r: cell 32 r + lane
  each_lane([&](int32_t lane) {
    mg::WindowPlace places[kSeenWords];
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r)
      places[r] = r * kLanes + lane < window ? w.scenery.window_places[r * kLanes + lane] : mg::WindowPlace{0, -1};
    uint32_t found = 0;
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r) {
      if (places[r].bit >= 0) found |= static_cast<uint32_t>(bits.test(places[r].bit)) << r;
    }
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r) {
      const int32_t i = r * kLanes + lane;
      bool is_here = (found >> r) & 1;
      if (is_here && radius < mg::kFullRadius) is_here = (p.window[i].radius_mask >> radius) & 1;
      if (is_here && occluded) {
        is_here = !mg::is_hidden(p, w, w.object_row[observer], w.object_col[observer], p.sights[radius * p.window.size + i]);
      }
      sight.slot[r][lane] = is_here ? w.slot_at(here + places[r].offset) : mg::kEmpty;
      is_found[lane] |= static_cast<uint32_t>(is_here) << r;
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
      offset[lane] = count_cell(p, w, observer, radius, i, here + offsets[i]);
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
      put_cell(p, w, observer, radius, i, here + offsets[i], writer);
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
MG_FN int32_t claim_seen(const mg::World& w, AgentSight& sight, Marked& marked) {
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
MG_FN void note_seen(const mg::Program& p, const mg::World& w, int32_t agent, AgentSight& sight, int32_t unseen) {
  each_lane([&](int32_t lane) {
    MG_UNROLL
    for (int32_t r = 0; r < kSeenWords; ++r) {
      if (sight.slot[r][lane] != mg::kEmpty) w.object_seen[sight.slot[r][lane]] = w.h->step;
    }
    if (lane == 0 && unseen > 0) mg::agent_stat(w, agent, p.set().stat_visited) += static_cast<float>(unseen);
  });
}

// The sums of tokens, in the order of agents, by one thread. `attempted`: of agents [first, last).
MG_FN void count_tokens(const DeviceBatch& b, const mg::Program& p, const mg::World& w, int64_t world, int32_t first,
                        int32_t last, const int32_t* attempted) {
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
