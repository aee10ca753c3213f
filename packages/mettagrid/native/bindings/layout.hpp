// The names of tables, fields and instructions, for the compiler: written once, in core/program/program.hpp and
// core/program/op.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include "core/machine/machine.hpp"
#include "core/program/program.hpp"
#include "cpu/snapshot.hpp"

namespace bindings {

namespace nb = nanobind;

#define MG_NAME(name) names.append(#name);
#define MG_FIELD_NAMES(Row, FIELDS)       \
  inline nb::list field_names(mg::Row*) { \
    nb::list names;                       \
    FIELDS(MG_NAME)                       \
    return names;                         \
  }
MG_FIELD_NAMES(Settings, MG_SETTINGS)
MG_FIELD_NAMES(Template, MG_TEMPLATE)
MG_FIELD_NAMES(Instr, MG_INSTR)
MG_FIELD_NAMES(Pair, MG_PAIR)
MG_FIELD_NAMES(LimitGroup, MG_LIMIT_GROUP)
MG_FIELD_NAMES(Area, MG_AREA)
MG_FIELD_NAMES(Control, MG_CONTROL)
MG_FIELD_NAMES(Territory, MG_TERRITORY)
MG_FIELD_NAMES(Removal, MG_REMOVAL)
MG_FIELD_NAMES(MoveHandler, MG_MOVE_HANDLER)
MG_FIELD_NAMES(Action, MG_ACTION)
MG_FIELD_NAMES(Scheduled, MG_SCHEDULED)
MG_FIELD_NAMES(Value, MG_VALUE)
MG_FIELD_NAMES(Reward, MG_REWARD)
MG_FIELD_NAMES(WindowCell, MG_WINDOW_CELL)
MG_FIELD_NAMES(Sight, MG_SIGHT)
MG_FIELD_NAMES(Offset, MG_OFFSET)
MG_FIELD_NAMES(GlobalValue, MG_GLOBAL_VALUE)
MG_FIELD_NAMES(Materialized, MG_MATERIALIZED)
MG_FIELD_NAMES(Note, MG_NOTE)
MG_FIELD_NAMES(Mask, MG_MASK)
MG_FIELD_NAMES(Integer, MG_INTEGER)

// {table name: [field names]} in the order of the block.
inline nb::dict table_layout() {
  nb::dict tables;
#define MG_LAYOUT(Row, name) tables[#name] = field_names(static_cast<mg::Row*>(nullptr));
  MG_TABLES(MG_LAYOUT)
#undef MG_LAYOUT
  return tables;
}

inline nb::list phase_names() {
  nb::list names;
#define MG_PHASE_NAME(name) names.append(#name);
  MG_PHASES(MG_PHASE_NAME)
#undef MG_PHASE_NAME
  return names;
}

// Names of faults; the index is the code.
inline nb::list fault_names() {
  nb::list names;
#define MG_FAULT_NAME(name) names.append(#name);
  MG_FAULTS(MG_FAULT_NAME)
#undef MG_FAULT_NAME
  return names;
}

// Numbers that Python or the pages use too; tests compare the latter (packages/mettagrid/tests/viewer).
inline nb::dict constants() {
  nb::dict numbers;
  numbers["actor"] = static_cast<int32_t>(mg::Entity::kActor);
  numbers["target"] = static_cast<int32_t>(mg::Entity::kTarget);
  numbers["frontier"] = static_cast<int32_t>(mg::Entity::kFrontier);
  numbers["element"] = static_cast<int32_t>(mg::Entity::kElement);
  numbers["call_depth"] = mg::kCallDepth;
  numbers["kept_results"] = mg::kKeptResults;
  numbers["most_held"] = mg::kMostHeld;
  numbers["tag_slack"] = mg::kTagSlack;
  numbers["global_location"] = mg::kGlobalLocation;
  numbers["unused_location"] = mg::kUnused;
  numbers["window_side"] = mg::kWindowSide;
  numbers["full_radius"] = mg::kFullRadius;
  numbers["snapshot_tokens_at"] = offsetof(cpu::SnapshotHead, tokens);
  return numbers;
}

// Instruction names; the index is the code.
inline nb::list op_names() {
  nb::list names;
#define MG_OP_NAME(name, effect) names.append(#name);
  MG_OPS(MG_OP_NAME)
#undef MG_OP_NAME
  return names;
}

#undef MG_FIELD_NAMES
#undef MG_NAME

}  // namespace bindings
