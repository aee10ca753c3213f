// The program: the constant part of a game, as flat tables of 32-bit integers.
//
// The compiler (Python, `mettagrid.compiler`) writes the tables; this file is the only definition of their rows. Each
// MG_ROW lists its fields once, and both the C++ struct and the field names of the compiler come from that list
// (`bindings/layout.hpp` passes them to Python). "entry" fields are indices into `code`; entry 0 is a routine that does
// nothing and succeeds, so 0 also means "none". A first/count pair is a slice of another table. -1 means "none" elsewhere.
#pragma once

#include "core/base.hpp"

namespace mg {

#define MG_FIELD(name) int32_t name;
#define MG_ROW(Name, FIELDS) \
  struct Name {              \
    FIELDS(MG_FIELD)         \
  };                         \
  static_assert(std::is_trivially_copyable<Name>::value && alignof(Name) == 4, #Name " is a row of 32-bit integers");

// One row: sizes, switches and feature ids of the game. `globals_shared`: agents with the same tags of `globals_mask` (-1: all
// agents) share all global values.
// clang-format off
#define MG_SETTINGS(F)                                                                                          \
  F(resource_count) F(tag_count) F(tag_words) F(action_count) F(max_steps) F(truncates)          \
  F(obs_base) F(obs_completion) F(obs_last_action) F(obs_last_move)                  \
  F(obs_last_reward) F(obs_position) F(obs_territory) F(obs_radius_entry) F(any_spawn)                          \
  F(globals_shared) F(globals_mask)          \
  F(proxy_template) F(game_tick_entry) F(game_stat_count) F(agent_stat_count)               \
  F(feature_group) F(feature_completion) F(feature_last_action) F(feature_last_reward) F(feature_vibe)          \
  F(feature_tag) F(feature_east) F(feature_west) F(feature_north) F(feature_south) F(feature_agent_id)          \
  F(feature_inventory) F(feature_last_move) F(feature_territory_here) F(feature_territory_edge)                 \
  F(inventory_digits) F(stat_tokens_written) F(stat_tokens_dropped) F(stat_tokens_free)          \
  F(stat_visited) F(stat_unique) F(stat_distance) F(stat_still) F(stat_invalid) F(stat_swap) F(stat_death)      \
  F(stat_failed) F(stat_noop) F(stat_move) F(stat_vibe) F(stat_resources) F(death_resource) F(reward_count)     \
  F(correct_spawned) F(correct_invalid) F(correct_last_reward) F(correct_removed_territory) F(correct_tick)
// clang-format on
MG_ROW(Settings, MG_SETTINGS)

// The initial state of an object. Agents have one template each. `limit_map`: `resource_count` group indices in `lists`,
// -1 = unlimited. `drop`: the order in which limited resources are dropped when a modifier is lost.
// clang-format off
#define MG_TEMPLATE(F)                                                                                          \
  F(is_agent) F(is_scenery) F(group) F(vibe) F(blocks_vision) F(first_tag) F(tag_count) F(limit_map)               \
  F(first_drop) F(drop_count) F(modifier_mask) F(first_initial) F(initial_count) F(on_use) F(on_after_use)      \
  F(on_tick) F(first_area) F(area_count) F(first_control) F(control_count) F(first_removal) F(removal_count)    \
  F(first_reward) F(reward_count) F(first_stat) F(stat_count)
// clang-format on
MG_ROW(Template, MG_TEMPLATE)

// One instruction. A test jumps to `jump` when its result equals `sense`; other uses of the fields: see `op.hpp`.
#define MG_INSTR(F) F(op) F(jump) F(sense) F(a) F(b) F(c)
MG_ROW(Instr, MG_INSTR)

#define MG_PAIR(F) F(key) F(value)
MG_ROW(Pair, MG_PAIR)

// Resources that share one limit: min(max, max(base, sum of bonus x held)).
#define MG_LIMIT_GROUP(F) F(base) F(max) F(first_modifier) F(modifier_count) F(first_member) F(member_count)
MG_ROW(LimitGroup, MG_LIMIT_GROUP)

// An area of effect. `presence`: resource deltas paid on entering and taken back on leaving (in `pairs`).
#define MG_AREA(F) F(filters) F(mutations) F(radius) F(is_static) F(effect_self) F(first_presence) F(presence_count)
MG_ROW(Area, MG_AREA)

// A claim on the territory around an object. `first_score`: its scores in `lists`, [distance in rows][distance in columns, from
// -reach to reach], or -1 if they are too many or too large to be stored.
#define MG_CONTROL(F) F(territory) F(strength) F(decay) F(first_score)
MG_ROW(Control, MG_CONTROL)

// A kind of territory. `first_tag`/`tag_count`: the tags that can own it, ascending, in `lists`.
#define MG_TERRITORY(F) F(first_tag) F(tag_count) F(on_enter) F(on_exit) F(presence)
MG_ROW(Territory, MG_TERRITORY)

#define MG_REMOVAL(F) F(tag) F(entry)
MG_ROW(Removal, MG_REMOVAL)

#define MG_MOVE_HANDLER(F) F(entry) F(range) F(takes_empty)
MG_ROW(MoveHandler, MG_MOVE_HANDLER)

// `kind`: ActionKind. dr, dc, direction for moves; `vibe` for vibe changes.
#define MG_ACTION(F) F(kind) F(dr) F(dc) F(direction) F(vibe)
MG_ROW(Action, MG_ACTION)

#define MG_SCHEDULED(F) F(timestep) F(entry)
MG_ROW(Scheduled, MG_SCHEDULED)

// A number computed for an agent. `is_shared`: agents with the same tags of the mask (-1: all agents) share it.
#define MG_VALUE(F) F(entry) F(is_shared) F(mask)
MG_ROW(Value, MG_VALUE)

#define MG_REWARD(F) F(value) F(per_tick)
MG_ROW(Reward, MG_REWARD)

// A cell of the observation window, nearest first. `radius_mask`: bit v set = visible at radius v (0..7).
// `neighbours`: 4 bits N, S, E, W per radius = the neighbour is visible too.
#define MG_WINDOW_CELL(F) F(dr) F(dc) F(location) F(radius_mask) F(neighbours)
MG_ROW(WindowCell, MG_WINDOW_CELL)

// The cells between the observer and a window cell, as a slice of `touches`: [radius 0..7][window cell]. No rows: no object
// of this game blocks vision.
#define MG_SIGHT(F) F(first_touch) F(touch_count)
MG_ROW(Sight, MG_SIGHT)
#define MG_OFFSET(F) F(dr) F(dc)
MG_ROW(Offset, MG_OFFSET)

#define MG_GLOBAL_VALUE(F) F(value) F(feature)
MG_ROW(GlobalValue, MG_GLOBAL_VALUE)

// The start of a rule's mutations in `code`, for tracing; `name`: an id that the compiler assigns.
#define MG_NOTE(F) F(at) F(name)
MG_ROW(Note, MG_NOTE)

#define MG_MATERIALIZED(F) F(tag) F(query)
MG_ROW(Materialized, MG_MATERIALIZED)

// A set of tags or resources: 256 bits.
#define MG_MASK(F) F(w0) F(w1) F(w2) F(w3) F(w4) F(w5) F(w6) F(w7)
MG_ROW(Mask, MG_MASK)

#define MG_INTEGER(F) F(value)
MG_ROW(Integer, MG_INTEGER)

// Every table: X(row type, name). The order is the order in the block.
// clang-format off
#define MG_TABLES(X)                                                                                            \
  X(Settings, settings) X(Template, templates) X(Instr, code) X(Pair, pairs) X(Integer, lists) X(Mask, masks)   \
  X(LimitGroup, limit_groups) X(Area, areas) X(Control, controls) X(Territory, territories)                     \
  X(Removal, removals) X(MoveHandler, move_handlers) X(Action, actions) X(Scheduled, schedule)                  \
  X(Value, values) X(Reward, rewards) X(WindowCell, window) X(Sight, sights) X(Offset, touches) X(GlobalValue, global_values)                     \
  X(Materialized, materialized) X(Note, notes) X(Integer, tag_is_dynamic)
// clang-format on

enum class ActionKind : int32_t { kNoop = 0, kMove = 1, kChangeVibe = 2 };

// A view of a program block: one Span per table. The block is: {offset in words, rows} per table, then the tables.
struct Program {
#define MG_SPAN(Row, name) Span<const Row> name;
  MG_TABLES(MG_SPAN)
#undef MG_SPAN

#define MG_COUNT(Row, name) +1
  static constexpr int32_t kTables = 0 MG_TABLES(MG_COUNT);
#undef MG_COUNT

  MG_FN static Program view(const int32_t* words) {
    Program p;
    int32_t t = 0;
#define MG_BIND(Row, name)                                                                        \
  p.name = Span<const Row>{reinterpret_cast<const Row*>(words + words[2 * t]), words[2 * t + 1]}; \
  ++t;
    MG_TABLES(MG_BIND)
#undef MG_BIND
    return p;
  }

  MG_FN const Settings& set() const { return settings.data[0]; }
  MG_FN const uint32_t* mask(int32_t index) const { return reinterpret_cast<const uint32_t*>(&masks.data[index]); }
};

}  // namespace mg
