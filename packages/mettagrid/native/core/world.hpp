// The world: the mutable state of a game, as one contiguous block of plain data.
//
// A block starts with a header; the arrays follow at offsets that depend only on the sizes in the header, so a block can be
// copied, stored, compared and moved freely. `World` is a view: typed pointers into one block.
//
// Objects live in slots. Slot 0 is the placeholder for the owner of a territory while its handlers run. The slot of a removed
// object is reused from the next step on; object ids are never reused.
#pragma once

#include "program.hpp"
#include "random.hpp"

namespace mg {

constexpr int32_t kNone = -1;             // no entity
constexpr int32_t kEmpty = 0;             // in the grid: no object
constexpr int32_t kLine = 64;             // bytes of encoded tokens of one object, or of a template's unmodified objects
constexpr int32_t kLineTokens = 21;       // tokens that fit in it; the last byte is their number
constexpr uint8_t kLineDirty = 255;       // ...must be encoded before use
constexpr uint8_t kLineTooLong = 254;     // ...does not fit: encode straight into the observation
constexpr int32_t kInvalidIds = 64;       // distinct invalid action ids counted one by one, per agent
constexpr int32_t kTagSlack = 16;         // holders a tag without rules may gain through the debugging API
constexpr int32_t kRemovedPerStep = 256;  // room for objects that are removed and recreated in one step

// Why a step stopped early. The binding turns it into an exception; `fault_a`, `fault_b` carry the details.
enum class Fault : int32_t {
  kNothing = 0,
  kCallDepth,    // handlers nested too deeply: a = entry of the routine
  kStack,        // a loop, number or flag stack ran out
  kArena,        // query results need more scratch memory than there is
  kObjects,      // no free slot for a new object: a = slots of removed objects that keep their claims
  kTagHolders,   // a = tag
  kAreas,        // no room for the areas of spawned objects: a = how many there are
  kTokenBudget,  // a = agent, b = tokens attempted
  kShortcut,     // debug build: a shortcut gave another result than the plain rules
  kClaims,       // no room for the territory claims of spawned objects: a = how many there are
};

struct Header {
  uint64_t bytes;        // size of the whole block
  uint64_t state_bytes;  // size of the state; the rest is derived from it
  int32_t height, width;
  int32_t stride, origin, cells;  // see World::cell
  int32_t templates, window;      // rows of these tables of the program
  int32_t slots;                  // capacity, slot 0 included
  int32_t agents;
  int32_t resources, tags, tag_words, territories, owner_tags;  // owner_tags: sum over territories
  int32_t game_stats, agent_stats, agent_rewards;               // agent_rewards: most entries of one agent
  int32_t tag_capacity;                                         // sum over tags
  int32_t area_capacity, claim_capacity;
  int32_t stat_words_game, stat_words_agent, cell_words;

  int32_t step;
  int32_t used_slots;  // slots 1 .. used_slots - 1 have been handed out at least once
  int32_t next_id;
  int32_t free_count, removed_count;
  int32_t next_event;
  int32_t area_count, claim_count, vision_blockers;
  int32_t new_area_slots;  // spawned objects whose areas are registered at the end of the area phase
  int32_t tick_target, tick_target_id, tick_row, tick_col;  // context of the game's on_tick, see step.hpp
  int32_t fault, fault_a, fault_b;
  uint32_t entries;  // counts agents entering areas
  Random random;
};
static_assert(std::is_trivially_copyable<Header>::value && __has_unique_object_representations(Header),
              "copied and hashed as bytes");

// A source of an area of effect, in registration order. A static area stays at the cell where it was registered.
struct AreaSource {
  int32_t slot, area, row, col;
};

// A claim on territory. `tag`: index of the owning tag inside the territory's tag list, or kNone; row, col: where it is
// stamped.
struct Claim {
  int32_t slot, control, tag, row, col;
};

enum ObjectFlags : uint8_t { kOnGrid = 1, kSpawned = 2, kHasClaims = 4, kHasAreas = 8, kBlocksVision = 16, kRemoved = 32 };

// X(type, name, count): every array of the block. First the state...
#define MG_STATE(X)                                                                                                \
  X(int32_t, grid, h.cells) /* slot or kEmpty */                                                                   \
  X(int32_t, object_id, h.slots)                                                                                   \
  X(int32_t, object_template, h.slots)                                                                             \
  X(uint16_t, object_row, h.slots)                                                                                 \
  X(uint16_t, object_col, h.slots)                                                                                 \
  X(int32_t, object_agent, h.slots) /* agent id or kNone */                                                        \
  X(int32_t, object_seen, h.slots)  /* step at which an agent last observed it */                                  \
  X(uint8_t, object_vibe, h.slots)                                                                                 \
  X(uint8_t, object_flags, h.slots)                                                                                \
  X(uint32_t, object_tags, h.slots* h.tag_words) /* [slot][word] */                                                \
  X(uint16_t, inventory, h.slots* h.resources)   /* [slot][resource] */                                            \
  X(uint8_t, held_order, h.slots* h.resources)   /* [slot][position]: held resources in observation order */       \
  X(uint8_t, held_level, h.slots)                /* size of the hash table behind that order, see inventory.hpp */ \
  X(int32_t, free_slots, h.slots)                                                                                  \
  X(int32_t, removed_slots, h.slots) /* removed in this step, free from the next */                                \
  X(int32_t, new_areas, h.slots)     /* slots spawned in this step that have areas */                              \
  X(int32_t, tag_first, h.tags)      /* slice of tag_holders */                                                    \
  X(int32_t, tag_room, h.tags)                                                                                     \
  X(int32_t, tag_held, h.tags)                                                                                     \
  X(int32_t, tag_holders, h.tag_capacity) /* slots in the order in which they got the tag */                       \
  X(int32_t, agent_slot, h.agents)                                                                                 \
  X(uint16_t, agent_spawn_row, h.agents)                                                                           \
  X(uint16_t, agent_spawn_col, h.agents)                                                                           \
  X(int32_t, agent_before, h.agents) /* cell at the start of the step */                                           \
  X(int32_t, agent_moved, h.agents)  /* cell after its previous action */                                          \
  X(int32_t, agent_still, h.agents)  /* actions since it last moved */                                             \
  X(int32_t, agent_action, h.agents) /* executed action, 0 when it failed */                                       \
  X(int32_t, agent_order, h.agents)                                                                                \
  X(uint8_t, agent_success, h.agents)                                                                              \
  X(uint8_t, agent_animation, h.agents)                                                                            \
  X(uint8_t, agent_radius, h.agents) /* how far its last observation reached, 0..7 */                              \
  X(int32_t, agent_unique, h.agents)                                                                               \
  X(int32_t, agent_farthest, h.agents)                                                                             \
  X(uint32_t, agent_cells, h.agents* h.cell_words) /* cells it has stood on */                                     \
  X(float, agent_total, h.agents)                  /* sum of rewards */                                            \
  X(float, agent_last_reward, h.agents)                                                                            \
  X(float, reward_before, h.agents* h.agent_rewards)                                                               \
  X(float, agent_stat, h.agents* h.agent_stats)                                                                    \
  X(uint32_t, agent_stat_set, h.agents* h.stat_words_agent)                                                        \
  X(float, game_stat, h.game_stats)                                                                                \
  X(uint32_t, game_stat_set, h.stat_words_game)                                                                    \
  X(int32_t, invalid_id, h.agents* kInvalidIds)                                                                    \
  X(int32_t, invalid_count, h.agents* kInvalidIds) /* 0 = entry unused */                                          \
  X(AreaSource, area_source, h.area_capacity)                                                                      \
  X(uint32_t, area_entered, h.area_capacity* h.agents) /* [source][agent]: when it entered, 0 = it is outside */   \
  X(Claim, claim, h.claim_capacity)                                                                                \
  X(int16_t, agent_owner, h.agents* h.territories)    /* owner of the agent's cell last step */                    \
  X(uint16_t, owner_held, h.territories* h.resources) /* [territory][resource]: held by the owner's placeholder */ \
  X(uint8_t, owner_vibe, h.territories)               /* vibe of the owner's placeholder */

// ...then data that is derived from the state: hashes, snapshots and comparisons ignore it.
#define MG_MADE(X)                                                                                               \
  X(int64_t, score, h.owner_tags* h.cells)               /* [territory tag][cell], in 1/1024: exceeds 32 bits */ \
  X(int16_t, owner, h.territories* h.cells)              /* [territory][cell]: tag id or -1 */                   \
  X(int16_t, owner_seen, h.cells)                        /* owner of the first territory that has one, or -1 */  \
  X(uint8_t, owner_edges, h.cells)                       /* bits N, S, E, W: the neighbour's owner differs */    \
  X(int32_t, window_offset, h.window)                    /* cell of each window cell, from the observer's */     \
  X(int32_t, object_line, h.slots)                       /* which line shows it, see observe.hpp */              \
  X(uint64_t, changed, (h.slots + 64) / 64)              /* bit per slot, see World::mark */                     \
  X(uint8_t, lines, (h.templates + h.slots + 1) * kLine) /* encoded tokens; the last, so that a reset can leave them */

#define MG_ARRAYS(X) MG_STATE(X) MG_MADE(X)

struct World {
  Header* h;
#define MG_POINTER(Type, name, count) Type* name;
  MG_ARRAYS(MG_POINTER)
#undef MG_POINTER

  // Fills in the bytes of a block with these sizes.
  MG_FN static void measure(Header& h) {
    uint64_t at = align(sizeof(Header));
#define MG_SIZE(Type, name, count) at = align(at + static_cast<uint64_t>(int64_t{1} * count) * sizeof(Type));
    MG_STATE(MG_SIZE)
    h.state_bytes = at;
    MG_MADE(MG_SIZE)
#undef MG_SIZE
    h.bytes = at;
  }

  MG_FN static World view(void* block) {
    World w;
    w.h = static_cast<Header*>(block);
    const Header& h = *w.h;
    uint8_t* base = static_cast<uint8_t*>(block);
    uint64_t at = align(sizeof(Header));
#define MG_PLACE(Type, name, count)            \
  w.name = reinterpret_cast<Type*>(base + at); \
  at = align(at + static_cast<uint64_t>(int64_t{1} * count) * sizeof(Type));
    MG_ARRAYS(MG_PLACE)
#undef MG_PLACE
    return w;
  }

  MG_FN static uint64_t align(uint64_t at) { return (at + 63) & ~63ull; }

  // The map is surrounded by a frame as wide as the observation window, so that reads past the edge find empty cells. Adjacent
  // rows share the frame between them.
  MG_FN int32_t cell(int32_t row, int32_t col) const { return h->origin + row * h->stride + col; }
  MG_FN int32_t cell_of(int32_t slot) const { return cell(object_row[slot], object_col[slot]); }
  MG_FN bool inside(int32_t row, int32_t col) const {
    return static_cast<uint32_t>(row) < static_cast<uint32_t>(h->height) &&
           static_cast<uint32_t>(col) < static_cast<uint32_t>(h->width);
  }
  MG_FN uint32_t* tags(int32_t slot) const { return object_tags + slot * h->tag_words; }
  MG_FN uint16_t* held(int32_t slot) const { return inventory + slot * h->resources; }
  MG_FN uint8_t* order(int32_t slot) const { return held_order + slot * h->resources; }
  MG_FN uint8_t* line(int32_t index) const { return lines + static_cast<int64_t>(index) * kLine; }
  MG_FN int32_t own_line(int32_t slot) const { return h->templates + slot; }
  MG_FN bool is_agent(int32_t slot) const { return object_agent[slot] >= 0; }
  MG_FN int64_t distance2(int32_t a, int32_t b) const {
    const int64_t dr = object_row[a] - object_row[b], dc = object_col[a] - object_col[b];
    return dr * dr + dc * dc;
  }

  // Marks a slot whose object has changed or been replaced. The recorder (cpu/recorder.hpp) clears the marks; the rules never
  // read them. The bit after those of the slots means that the owner of a cell has changed.
  MG_FN void mark(int32_t slot) const { changed[slot >> 6] |= uint64_t{1} << (slot & 63); }

  // Marks an object whose observation has changed.
  MG_FN void touch(int32_t slot) const {
    object_line[slot] = own_line(slot);
    line(own_line(slot))[kLine - 1] = kLineDirty;
    mark(slot);
  }

  MG_FN void fail(Fault fault, int32_t a = 0, int32_t b = 0) const {
    if (h->fault != 0) return;
    h->fault = static_cast<int32_t>(fault);
    h->fault_a = a;
    h->fault_b = b;
  }
};

// Memory the caller owns; a step reads actions and writes the rest in place.
struct Buffers {
  uint8_t* observations;  // [agents][tokens][3]
  int32_t tokens;
  bool* terminals;
  bool* truncations;
  float* rewards;
  const int32_t* actions;
  const int32_t* vibe_actions;
};

}  // namespace mg
