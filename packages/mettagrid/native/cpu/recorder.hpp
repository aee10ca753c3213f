// Records the changes of a world, tick by tick, as rows in memory that the caller owns.
//
// A recorder stores the last recorded state of every object. The rules mark changed objects (World::mark), so the cost of a
// tick depends on its changes and not on the size of the map. Objects are numbered in the order in which they were first
// seen. The kinds of rows are defined here; `mettagrid/replay/_rows.py` has the same list.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/phases/observe.hpp"
#include "cpu/memory.hpp"

namespace cpu {

// X(name): kinds of rows. "object": number of the object, unless the comment says otherwise.
#define MG_RECORD_FIELDS(X)                                                               \
  X(tick)     /* a tick begins: value = step */                                           \
  X(object)   /* first seen: key = template, value = id */                                \
  X(agent)    /* first seen, agents only: value = agent id */                             \
  X(alive)    /* value = 0 removed, 1 on the grid, 2 also observed without inventory */   \
  X(location) /* value = row << 16 | column */                                            \
  X(amount)   /* key = resource, value = amount held */                                   \
  X(limit)    /* key = lowest resource of a limit group, value = effective limit */       \
  X(tag)      /* key = tag, value = 1 has it, 0 has it no longer */                       \
  X(vibe)                                                                                 \
  X(action)     /* agents: executed action, 0 when it failed */                           \
  X(success)    /* agents: 0 or 1 */                                                      \
  X(animation)  /* agents */                                                              \
  X(reward)     /* agents: value = bits of a 32-bit float */                              \
  X(asked)      /* agents: action in the caller's buffer */                               \
  X(asked_vibe) /* agents: likewise, vibe action */                                       \
  X(stat)       /* of the game, tokens left out: key = stat, value = bits of a float */   \
  X(owner)      /* object = row x width + column, key = territory, value = tag or -1 */   \
  X(observed)   /* agents: key = place in the recorder's list, value = amount observed */ \
  X(radius)     /* agents of games that limit it: how far the observation reached, 0..7 */

enum class Field : uint8_t {
#define MG_FIELD_NAME(name) k_##name,
  MG_RECORD_FIELDS(MG_FIELD_NAME)
#undef MG_FIELD_NAME
};

#define MG_COUNT_FIELD(name) +1
inline constexpr std::size_t kRecordFields = 0 MG_RECORD_FIELDS(MG_COUNT_FIELD);
#undef MG_COUNT_FIELD

struct Row {
  uint32_t object;
  int32_t value;
  uint16_t key;
  Field field;
  uint8_t unused;
};
static_assert(sizeof(Row) == 12, "read by numpy");

class Recorder {
 public:
  // `values`: indices of the global values to record; others can be derived from the rest of the rows.
  explicit Recorder(const mg::Program& program, std::vector<int32_t> values = {}) : p_(program), values_(std::move(values)) {
    for (const mg::Template& t : p_.templates) groups_.push_back(groups_of(t));
    digit_of_.fill(Digit{-1, 0});
    for (std::size_t i = 0; i < values_.size(); ++i) {
      int64_t worth = 1;
      for (int32_t feature = p_.global_values[values_[i]].feature; worth <= mg::kMostHeld && feature < 255; ++feature) {
        digit_of_[static_cast<std::size_t>(feature)] = Digit{static_cast<int32_t>(i), static_cast<int32_t>(worth)};
        worth *= p_.set().obs_base;
      }
    }
  }

  // Rows are written from `rows` on; at least `rows_needed()` of them.
  void use(Row* rows, int64_t size) {
    begin_ = at_ = rows;
    end_ = rows + size;
  }
  int64_t written() const { return at_ - begin_; }
  // More rows than one object, agent, stat or cell can need.
  int64_t rows_needed() const {
    return 9 + p_.set().tag_count + 2 * p_.set().resource_count + static_cast<int64_t>(values_.size());
  }

  // Takes over the marks of a world.
  void note(const uint64_t* changed, int32_t slots) {
    const std::size_t words = words_for(slots), behind = static_cast<std::size_t>(slots);
    const uint64_t owner_bit = uint64_t{1} << (behind & 63);
    if (pending_.size() < words) pending_.resize(words);
    for (std::size_t i = 0; i < words; ++i) pending_[i] |= changed[i];
    if (!(changed[behind >> 6] & owner_bit)) return;
    owners_changed_ = true;
    pending_[behind >> 6] &= ~owner_bit;
  }
  // Marks everything as changed, because the state was replaced.
  void note_all() { is_anew_ = true; }

  // Writes the changes since the last written tick. False if the rows ran out: pass new ones and call again.
  bool record(const mg::World& w, const mg::Buffers& io, bool has_stepped) {
    if (phase_ == kDone) begin_tick(w);
    if (phase_ == kTick) {
      if (!has_room()) return false;
      put(Field::k_tick, 0, 0, w.h->step);
      phase_ = kObjects;
    }
    return objects(w) && agents(w, io, has_stepped) && stats(w) && owners(w);
  }

  // A limit group of a template, identified by its lowest resource.
  struct Group {
    int32_t key, group;
  };
  const std::vector<Group>& groups(int32_t template_index) const { return groups_[static_cast<std::size_t>(template_index)]; }

 private:
  enum Phase { kTick, kObjects, kAgents, kStats, kOwners, kDone };

  // The last recorded state of an object. Its tags and inventory are in separate arrays.
  struct Seen {
    int32_t id;  // 0: the slot was empty
    uint32_t number;
    uint16_t row, col;
    uint8_t vibe;
  };
  struct SeenAgent {
    uint32_t number;
    int32_t action, asked, asked_vibe;
    uint32_t reward;
    uint8_t success, animation, radius;
  };
  // A token of a global value: its index, and the weight of the digit.
  struct Digit {
    int32_t place, worth;
  };

  static std::size_t words_for(int32_t slots) { return static_cast<std::size_t>((slots + 64) / 64); }

  std::vector<Group> groups_of(const mg::Template& t) const {
    std::vector<Group> found;
    for (int32_t r = 0; t.limit_map >= 0 && r < p_.set().resource_count; ++r) {
      const int32_t group = p_.lists[t.limit_map + r].value;
      bool is_known = group < 0;
      for (const Group& other : found) is_known |= other.group == group;
      if (!is_known) found.push_back(Group{r, group});
    }
    return found;
  }

  bool has_room() const { return end_ - at_ >= rows_needed(); }
  void put(Field field, uint32_t object, int32_t key, int32_t value) {
    *at_++ = Row{object, value, static_cast<uint16_t>(key), field, 0};
  }

  void begin_tick(const mg::World& w) {
    const mg::Header& h = *w.h;
    const std::size_t slots = static_cast<std::size_t>(h.slots);
    if (slots > seen_.size()) {
      seen_.resize(slots);
      tags_.resize(slots * static_cast<std::size_t>(h.tag_words));
      held_.resize(slots * static_cast<std::size_t>(h.resources));
      pending_.resize(words_for(h.slots));
    }
    if (is_anew_) {
      std::fill(pending_.begin(), pending_.end(), 0);
      list_all(w);
      owners_changed_ = true;
      stats_.assign(static_cast<std::size_t>(h.game_stats), 0);
      stat_set_.assign(static_cast<std::size_t>(h.stat_words_game), 0);
      owners_.assign(
          static_cast<std::size_t>(h.territories) * static_cast<std::size_t>(h.height) * static_cast<std::size_t>(h.width), -1);
    }
    pending_[0] &= ~uint64_t{1};  // slot 0 is a placeholder, not an object
    agents_.resize(static_cast<std::size_t>(h.agents));
    observed_.resize(agents_.size() * values_.size());
    is_anew_ = false;
    next_ = 0;
    phase_ = kTick;
  }

  // Every slot, by object id: scenery and actors are in the order in which the map has them.
  void list_all(const mg::World& w) {
    std::vector<std::pair<int32_t, int32_t>> slots;
    for (int32_t slot = static_cast<int32_t>(seen_.size()); --slot > 0;)
      slots.emplace_back(w.is_used(slot) ? w.id(slot) : 0, slot);
    std::sort(slots.begin(), slots.end());
    all_.clear();
    for (const auto& entry : slots) all_.push_back(entry.second);
    listed_ = 0;
  }

  bool objects(const mg::World& w) {
    if (phase_ != kObjects) return true;
    for (; listed_ < all_.size(); ++listed_) {
      if (!has_room()) return false;
      see(w, all_[listed_]);
    }
    all_.clear();
    listed_ = 0;
    for (; next_ < pending_.size(); ++next_) {
      for (uint64_t& rest = pending_[next_]; rest != 0; rest &= rest - 1) {
        if (!has_room()) return false;
        see(w, static_cast<int32_t>(next_ * 64) + __builtin_ctzll(rest));
      }
    }
    next_ = 0;
    phase_ = kAgents;
    return true;
  }

  void see(const mg::World& w, int32_t slot) {
    const bool is_listed = w.is_used(slot) && (w.flags(slot) & mg::kOnGrid) && !(w.flags(slot) & mg::kRemoved);
    const int32_t id = is_listed ? w.id(slot) : 0;
    Seen& seen = seen_[static_cast<std::size_t>(slot)];
    const bool is_new = seen.id != id;
    if (is_new) {
      if (seen.id != 0) put(Field::k_alive, seen.number, 0, 0);
      seen.id = id;
      if (id != 0) meet(w, slot, seen);
    }
    if (id == 0) return;
    if (is_new || seen.row != w.row(slot) || seen.col != w.col(slot)) {
      seen.row = static_cast<uint16_t>(w.row(slot));
      seen.col = static_cast<uint16_t>(w.col(slot));
      put(Field::k_location, seen.number, 0, seen.row << 16 | seen.col);
    }
    if (seen.vibe != w.vibe(slot)) {
      seen.vibe = static_cast<uint8_t>(w.vibe(slot));
      put(Field::k_vibe, seen.number, 0, seen.vibe);
    }
    see_tags(w, slot, seen.number);
    see_held(w, slot, seen.number, is_new);
  }

  // A new object in this slot. Its state is recorded as changes from an empty state.
  void meet(const mg::World& w, int32_t slot, Seen& seen) {
    seen.number = next_number_++;
    seen.vibe = 0;
    const std::size_t words = static_cast<std::size_t>(w.h->tag_words), resources = static_cast<std::size_t>(w.h->resources);
    std::fill_n(tags_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(slot) * words), words, 0);
    std::fill_n(held_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(slot) * resources), resources,
                uint16_t{0});
    put(Field::k_object, seen.number, w.kind(slot), seen.id);
    const int32_t agent = w.agent(slot);
    if (agent >= 0) {
      put(Field::k_agent, seen.number, 0, agent);
      agents_[static_cast<std::size_t>(agent)] = SeenAgent{};
      agents_[static_cast<std::size_t>(agent)].number = seen.number;
    }
    const bool hides = (w.flags(slot) & mg::kSpawned) && !p_.set().correct_spawned;
    put(Field::k_alive, seen.number, 0, hides ? 2 : 1);
  }

  void see_tags(const mg::World& w, int32_t slot, uint32_t number) {
    uint32_t* seen = tags_.data() + static_cast<std::size_t>(slot) * static_cast<std::size_t>(w.h->tag_words);
    for (int32_t i = 0; i < w.h->tag_words; ++i) {
      const uint32_t now = w.tags(slot)[i];
      for (uint32_t rest = now ^ seen[i]; rest != 0; rest &= rest - 1) {
        const int32_t bit = mg::lowest_bit(rest);
        put(Field::k_tag, number, i * 32 + bit, static_cast<int32_t>((now >> bit) & 1));
      }
      seen[i] = now;
    }
  }

  // Limits depend only on the amounts of their modifiers.
  void see_held(const mg::World& w, int32_t slot, uint32_t number, bool is_new) {
    const uint16_t* now = w.held(slot);
    uint16_t* seen = held_.data() + static_cast<std::size_t>(slot) * static_cast<std::size_t>(w.h->resources);
    bool may_change_limits = is_new;
    for (int32_t r = 0; r < w.h->resources; ++r) {
      if (now[r] == seen[r]) continue;
      put(Field::k_amount, number, r, now[r]);
      may_change_limits |= mg::is_modifier(p_, w, slot, r);
    }
    if (may_change_limits) {
      for (const Group& group : groups(w.kind(slot))) {
        const int32_t limit = mg::limit_with(p_, now, group.group);
        if (is_new || limit != mg::limit_with(p_, seen, group.group)) put(Field::k_limit, number, group.key, limit);
      }
    }
    std::copy_n(now, w.h->resources, seen);
  }

  bool agents(const mg::World& w, const mg::Buffers& io, bool has_stepped) {
    if (phase_ != kAgents) return true;
    for (; next_ < agents_.size(); ++next_) {
      if (!has_room()) return false;
      const std::size_t i = next_;
      SeenAgent& seen = agents_[i];
      uint32_t reward;
      std::memcpy(&reward, io.rewards + i, sizeof reward);
      compare(Field::k_action, seen.number, seen.action, w.agent_action[i]);
      compare(Field::k_success, seen.number, seen.success, w.agent_success[i]);
      compare(Field::k_animation, seen.number, seen.animation, w.agent_animation[i]);
      compare(Field::k_reward, seen.number, seen.reward, reward);
      if (p_.set().obs_radius_entry != 0) compare(Field::k_radius, seen.number, seen.radius, w.agent_radius[i]);
      see_values(io, i);
      if (!has_stepped) continue;  // there are no requested actions yet
      compare(Field::k_asked, seen.number, seen.asked, io.actions[i]);
      compare(Field::k_asked_vibe, seen.number, seen.asked_vibe, io.vibe_actions[i]);
    }
    next_ = 0;
    phase_ = kStats;
    return true;
  }

  // Global values as the agent observed them: computing one again could draw random numbers. Their tokens come first.
  void see_values(const mg::Buffers& io, std::size_t agent) {
    if (values_.empty()) return;
    const uint8_t* token = io.observations + agent * static_cast<std::size_t>(io.tokens) * 3;
    now_.assign(values_.size(), 0);
    for (int32_t i = 0; i < io.tokens && token[0] == mg::kGlobalLocation; ++i, token += 3) {
      const Digit& digit = digit_of_[token[1]];
      if (digit.place >= 0) now_[static_cast<std::size_t>(digit.place)] += digit.worth * token[2];
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      int32_t& seen = observed_[agent * values_.size() + i];
      if (seen == now_[i]) continue;
      seen = now_[i];
      put(Field::k_observed, agents_[agent].number, static_cast<int32_t>(i), seen);
    }
  }

  template <class T>
  void compare(Field field, uint32_t number, T& seen, T now) {
    if (seen == now) return;
    seen = now;
    put(field, number, 0, static_cast<int32_t>(now));
  }

  bool stats(const mg::World& w) {
    if (phase_ != kStats) return true;
    const bool any_new = std::memcmp(w.game_stat_set, stat_set_.data(), stat_set_.size() * sizeof(uint32_t)) != 0;
    for (; next_ < stats_.size(); ++next_) {
      uint32_t now;
      std::memcpy(&now, w.game_stat + next_, sizeof now);
      const int32_t stat = static_cast<int32_t>(next_);
      const bool is_new = any_new && mg::test_bit(w.game_stat_set, stat) && !mg::test_bit(stat_set_.data(), stat);
      if ((now == stats_[next_] && !is_new) || stat > UINT16_MAX || counts_tokens(stat)) continue;
      if (!has_room()) return false;
      stats_[next_] = now;
      mg::set_bit(stat_set_.data(), stat);
      put(Field::k_stat, 0, stat, static_cast<int32_t>(now));
    }
    next_ = 0;
    phase_ = kOwners;
    return true;
  }

  // They change in every step and are irrelevant to the game.
  bool counts_tokens(int32_t stat) const {
    const mg::Settings& set = p_.set();
    return stat == set.stat_tokens_written || stat == set.stat_tokens_dropped || stat == set.stat_tokens_free;
  }

  // Row by row; `next_` counts the rows of all territories.
  bool owners(const mg::World& w) {
    const int32_t height = w.h->height, width = w.h->width;
    const std::size_t rows = static_cast<std::size_t>(w.h->territories * height);
    for (; owners_changed_ && next_ < rows; ++next_) {
      const int32_t line = static_cast<int32_t>(next_), territory = line / height, row = line % height;
      const int16_t* now = w.owner + territory * w.h->cells + w.cell(row, 0);
      int16_t* seen = owners_.data() + next_ * static_cast<std::size_t>(width);
      if (std::memcmp(now, seen, static_cast<std::size_t>(width) * sizeof *now) == 0) continue;
      for (int32_t col = 0; col < width; ++col) {
        if (seen[col] == now[col]) continue;
        if (!has_room()) return false;
        seen[col] = now[col];
        put(Field::k_owner, static_cast<uint32_t>(row * width + col), territory, now[col]);
      }
    }
    owners_changed_ = false;
    phase_ = kDone;
    return true;
  }

  const mg::Program& p_;
  std::vector<int32_t> values_;
  std::array<Digit, 256> digit_of_;         // by feature
  std::vector<std::vector<Group>> groups_;  // by template
  Row* begin_ = nullptr;
  Row* at_ = nullptr;
  Row* end_ = nullptr;

  std::vector<uint64_t> pending_;  // bit per slot: must be compared
  std::vector<int32_t> all_;       // slots to record before the pending ones, after the state was replaced
  std::size_t listed_ = 0;         // ...of which so many are done
  bool is_anew_ = true;
  bool owners_changed_ = false;
  Phase phase_ = kDone;
  std::size_t next_ = 0;  // where the phase continues

  uint32_t next_number_ = 0;
  std::vector<Seen> seen_;
  std::vector<uint32_t> tags_;  // [slot][word]
  std::vector<uint16_t> held_;  // [slot][resource]
  std::vector<SeenAgent> agents_;
  std::vector<int32_t> observed_, now_;  // [agent][value], [value]
  std::vector<uint32_t> stats_, stat_set_;
  std::vector<int16_t> owners_;  // [territory][row][column]
};

}  // namespace cpu
