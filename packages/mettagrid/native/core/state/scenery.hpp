// Scenery: the objects of a map that no rule can change, move, create or remove (`Template::is_scenery`), above all walls. A
// map owns them once, in one read-only block; its worlds hold only what can change.
//
// The block also has what all worlds of a map share otherwise: how each scenery template looks, and the window of observations
// in the cells of this map.
#pragma once

#include "core/program/program.hpp"

namespace mg {

constexpr int32_t kLine = 64;          // bytes of encoded tokens of one object, or of all scenery of a template
constexpr int32_t kLineTokens = 21;    // tokens that fit in it; the last byte is their number
constexpr uint8_t kLineTooLong = 254;  // ...does not fit: encode straight into the observation

constexpr int32_t kWindowSide = 15;  // rows and columns of the largest window
constexpr int32_t kPartColumns = 5;  // of a row of the window, looked up together in `parts`
constexpr int32_t kPartSets = 1 << kPartColumns;
constexpr int32_t kRowParts = kWindowSide / kPartColumns;
constexpr int32_t kWindowWords = 4;  // 64-bit words of a set of window cells
constexpr int32_t kRadii = 8;        // 0..7

struct SceneryHead {
  uint64_t bytes;
  uint64_t hash;  // of the objects: part of the state hash of a world
  int32_t objects, templates, resources, tag_words, window;
  int32_t window_rows, window_cols;  // how far the window reaches from its centre
  int32_t slots;                     // of the worlds
  int32_t kinds;                     // distinct templates of the objects
  int32_t unused;
};

// `kind`: its template.
struct SceneryObject {
  int32_t id, kind;
  uint16_t row, col;
};
static_assert(sizeof(SceneryObject) == 12, "part of snapshots");

// Two bits of every byte of a set of up to 128 window cells, the lower one in the first 16 bytes: the byte of the rows in which
// each cell is, and its bit there. The rows 0..3 and 8..11 are in `first`, the others in `second`, two bytes each.
constexpr int32_t kShuffles = 4;
struct alignas(32) WindowShuffle {
  uint8_t first[32], second[32];  // kNoByte: in the other one
  uint8_t mask[32];
};
constexpr uint8_t kNoByte = 0x80;

// The same for AVX-512, which moves any byte to any place: for each cell of the window the byte that has its bit, with four
// bytes per row, and that bit. Places without a cell have no bit.
struct alignas(64) WindowPermutation {
  uint8_t bytes[128], bits[128];
};

// A window cell: from the observer's cell, and its bit in the words of `World::shown_from`.
struct alignas(8) WindowPlace {
  int32_t offset, bit;
};

// How a window cell is observed: which fields of its borders are shown, times the bytes of a `BorderLine`, and the location of
// its tokens.
struct WindowLook {
  uint16_t sides;
  uint8_t location, unused;
};

// X(type, name, count)
#define MG_SCENERY(X)                                                                                                         \
  X(SceneryObject, objects, h.objects + 1) /* one more, so that any slot can look it up */                                    \
  X(uint8_t, vibe, h.templates)                                                                                               \
  X(uint8_t, blocks_vision, h.templates)                                                                                      \
  X(uint32_t, tags, h.templates* h.tag_words) /* [template][word] */                                                          \
  X(uint16_t, held, h.templates* h.resources) /* [template][resource] */                                                      \
  X(uint8_t, order, h.templates* h.resources) /* [template][position] */                                                      \
  X(uint8_t, lines, h.templates* kLine)       /* encoded tokens of scenery templates */                                       \
  X(int32_t, window_offset, h.window)         /* cell of each window cell, from the observer's */                             \
  X(WindowPlace, window_places, h.window)     /* the same with its bit, for GPUs */                                           \
  X(int32_t, line_of, h.slots)                /* number of each slot's line in a world */                                     \
  X(int32_t, kinds, h.templates)              /* their templates, in the order of their lines */                              \
  X(uint64_t, parts,                                                                                                          \
    kWindowSide * kRowParts * kPartSets * kWindowWords) /* [half][row][part][bits][2]: half of the window with those cells */ \
  X(WindowShuffle, shuffles, kShuffles)                 /* for windows of up to 128 cells */                                  \
  X(WindowPermutation, permutation, 1)                  /* for the same */                                                    \
  X(uint64_t, radius_set, kRadii* kWindowWords)         /* [radius]: bit per window cell visible at it */                     \
  X(WindowLook, looks, kRadii * kWindowWords * 64)      /* [radius][window cell] */

struct Scenery {
  SceneryHead* h;
#define MG_POINTER(Type, name, count) Type* name;
  MG_SCENERY(MG_POINTER)
#undef MG_POINTER

  MG_FN static uint64_t align(uint64_t at) { return (at + 63) & ~63ull; }

  MG_FN static void measure(SceneryHead& h) {
    uint64_t at = align(sizeof(SceneryHead));
#define MG_SIZE(Type, name, count) at = align(at + static_cast<uint64_t>(int64_t{1} * count) * sizeof(Type));
    MG_SCENERY(MG_SIZE)
#undef MG_SIZE
    h.bytes = at;
  }

  // The block is only read; the pointers are not const because World returns those of actors and scenery alike.
  MG_FN static Scenery view(const void* block) {
    Scenery s;
    uint8_t* base = static_cast<uint8_t*>(const_cast<void*>(block));
    s.h = reinterpret_cast<SceneryHead*>(base);
    const SceneryHead& h = *s.h;
    uint64_t at = align(sizeof(SceneryHead));
#define MG_PLACE(Type, name, count)            \
  s.name = reinterpret_cast<Type*>(base + at); \
  at = align(at + static_cast<uint64_t>(int64_t{1} * count) * sizeof(Type));
    MG_SCENERY(MG_PLACE)
#undef MG_PLACE
    return s;
  }
};

}  // namespace mg
