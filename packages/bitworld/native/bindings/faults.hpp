// Faults of native games as Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include "among_them/snapshot.hpp"

namespace bitworld::among_them {

inline void raise_fault(SnapshotFault fault) {
  switch (fault) {
    case SnapshotFault::kNone: return;
    case SnapshotFault::kDamaged: throw nanobind::value_error("the bytes are not a snapshot of Among Them");
    case SnapshotFault::kOtherRules: throw nanobind::value_error("the snapshot is of a game with another configuration or map");
  }
}

}  // namespace bitworld::among_them
