// The world: the mutable state of a game, as one contiguous block of plain data.
//
// A block starts with a header; the arrays follow at offsets that depend only on the sizes in the header, so a block can be
// copied, stored, compared and moved freely. `World` is a view: typed pointers into one block.
//
// Objects live in slots. Slot 0 is the placeholder for the owner of a territory while its handlers run; the slots up to
// `actors` hold objects that can change, those from `actors` on the scenery of the map, which cannot (scenery.hpp). The slot of
// a removed object is reused from the next step on; object ids are never reused.
#pragma once

#include "core/state/random.hpp"
#include "core/state/scenery.hpp"

namespace mg {

constexpr int32_t kNone = -1;             // no entity
constexpr int32_t kEmpty = 0;             // in the grid: no object
constexpr int32_t kInvalidIds = 64;       // distinct invalid action ids counted one by one, per agent
constexpr int32_t kTagSlack = 16;         // holders a tag without rules may gain through the debugging API
constexpr int32_t kRemovedPerStep = 256;  // room for objects that are removed and recreated in one step
constexpr int32_t kFewOwners = 3;         // owners that two bits tell apart, beside none
constexpr int32_t kSlotBits = 22;         // of what a cell holds; the rest are its borders
constexpr int32_t kMostSlots = 1 << kSlotBits;

// Why a step stopped early. The binding turns it into an exception; `fault_a`, `fault_b` carry the details.
#define MG_FAULTS(X)                                                                               \
  X(Nothing)                                                                                       \
  X(CallDepth)   /* handlers nested too deeply: a = entry of the routine */                        \
  X(Stack)       /* a loop, number or flag stack ran out */                                        \
  X(Arena)       /* query results need more scratch memory than there is */                        \
  X(Objects)     /* no free slot for a new object: a = slots of removed objects with claims */     \
  X(TagHolders)  /* a = tag */                                                                     \
  X(Areas)       /* no room for the areas of spawned objects: a = how many there are */            \
  X(TokenBudget) /* a = agent, b = tokens attempted */                                             \
  X(Shortcut)    /* debug build: a shortcut gave another result than the plain rules */            \
  X(Claims)      /* no room for the territory claims of spawned objects: a = how many there are */ \
  X(Scenery)     /* a rule changes an object that the compiler calls scenery: a = slot */
enum class Fault : int32_t {
#define MG_FAULT(name) k##name,
  MG_FAULTS(MG_FAULT)
#undef MG_FAULT
};

struct Header {
  uint64_t bytes;        // size of the whole block
  uint64_t state_bytes;  // size of the state; the rest is derived from it
  int32_t height, width;
  int32_t stride, origin, cells;     // see World::cell
  int32_t window_rows, window_cols;  // how far the window reaches from its centre
  int32_t templates;                 // rows of this table of the program
  int32_t actors;                    // slots of objects that can change: capacity, slot 0 included
  int32_t slots;                     // ...and of the scenery after them
  int32_t agents;
  int32_t resources, tags, tag_words, territories;
  int32_t game_stats, agent_stats, agent_rewards;  // agent_rewards: most entries of one agent
  int32_t tag_capacity;                            // sum over tags
  int32_t area_capacity, claim_capacity;
  int32_t stat_words_game, stat_words_agent, cell_words;
  int32_t spawn_slots;            // room in the lists of free, removed and spawned objects
  int32_t owners;                 // distinct tags that can own territory
  int32_t owner_tag[kFewOwners];  // ...the first ones, or kNone
  int32_t shows_territory;        // whether observers see borders: only then cells have them
  int32_t unused;

  int32_t step;
  int32_t used_slots;  // slots 1 .. used_slots - 1 of the actors have been handed out at least once
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
// The bitmap `World::shown` has the map with its frame in strips of 32 columns, a word per row. Neighbouring strips have 16
// columns in common, so the rows of any window are consecutive words of one strip.
constexpr int32_t kStripShift = 4, kStripColumns = 1 << kStripShift,
                  kSpareRows = 16;  // at the end, so that 16 rows can be read anywhere

MG_FN int32_t strips(const Header& h) { return (h.width + kStripColumns - 1) >> kStripShift; }
MG_FN int32_t strip_rows(const Header& h) { return h.height + 2 * h.window_rows; }
MG_FN int32_t shown_words(const Header& h) { return strips(h) * strip_rows(h) + kSpareRows; }

static_assert(sizeof(Header) % alignof(uint64_t) == 0, "arrays follow at once");
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

// Cells of a territory whose owners may be out of date, corners included.
struct Region {
  int32_t territory, top, left, bottom, right;
};

constexpr int32_t kStaleRegions = 24;  // capacity of the list; a full list is refreshed at once

struct StaleRegions {
  int32_t count;  // 0 between steps
  Region regions[kStaleRegions];
};

// What a cell holds: the slot of its object or kEmpty, and its borders (`World::set_borders`), which derive from the owners of
// territory. Both are read together.
struct Ground {
  uint32_t bits;

  MG_FN int32_t slot() const { return static_cast<int32_t>(bits & (kMostSlots - 1)); }
  MG_FN uint32_t borders() const { return bits >> kSlotBits; }
  MG_FN static Ground of(int32_t slot, uint32_t borders) { return Ground{static_cast<uint32_t>(slot) | borders << kSlotBits}; }
};

// The tokens of an object, encoded.
struct alignas(kLine) Line {
  uint8_t bytes[kLine];
};

enum ObjectFlags : uint8_t { kOnGrid = 1, kSpawned = 2, kHasClaims = 4, kHasAreas = 8, kBlocksVision = 16, kRemoved = 32 };

// X(type, name, count): every array of the block. First the state: what every step of an agent uses is next to each other, from
// `agent_slot` to `tag_room`.
#define MG_STATE(X)                                                                                                 \
  X(int32_t, agent_slot, h.agents)                                                                                  \
  X(int32_t, agent_before, h.agents) /* cell at the start of the step */                                            \
  X(int32_t, agent_moved, h.agents)  /* cell after its previous action */                                           \
  X(int32_t, agent_still, h.agents)  /* actions since it last moved */                                              \
  X(int32_t, agent_action, h.agents) /* executed action, 0 when it failed */                                        \
  X(int32_t, agent_order, h.agents)                                                                                 \
  X(int32_t, agent_unique, h.agents)                                                                                \
  X(int32_t, agent_farthest, h.agents)                                                                              \
  X(float, agent_total, h.agents) /* sum of rewards */                                                              \
  X(float, agent_last_reward, h.agents)                                                                             \
  X(float, reward_before, h.agents* h.agent_rewards)                                                                \
  X(uint16_t, agent_spawn_row, h.agents)                                                                            \
  X(uint16_t, agent_spawn_col, h.agents)                                                                            \
  X(int16_t, agent_owner, h.agents* h.territories) /* owner of the agent's cell last step */                        \
  X(uint8_t, agent_success, h.agents)                                                                               \
  X(uint8_t, agent_animation, h.agents)                                                                             \
  X(uint8_t, agent_radius, h.agents) /* how far its last observation reached, 0..7 */                               \
  X(uint32_t, agent_stat_set, h.agents* h.stat_words_agent)                                                         \
  X(uint32_t, game_stat_set, h.stat_words_game)                                                                     \
  X(float, game_stat, h.game_stats)                                                                                 \
  X(int32_t, tag_first, h.tags) /* slice of tag_holders */                                                          \
  X(int32_t, tag_held, h.tags)                                                                                      \
  X(int32_t, tag_room, h.tags)                                                                                      \
  X(int32_t, tag_holders, h.tag_capacity) /* slots in the order in which they got the tag */                        \
  X(Ground, grid, h.cells)                                                                                          \
  X(int32_t, object_id, h.actors)                                                                                   \
  X(int32_t, object_template, h.actors)                                                                             \
  X(uint16_t, object_row, h.actors)                                                                                 \
  X(uint16_t, object_col, h.actors)                                                                                 \
  X(int32_t, object_agent, h.actors) /* agent id or kNone */                                                        \
  X(int32_t, object_seen, h.slots)   /* step at which an agent last observed it */                                  \
  X(uint8_t, object_vibe, h.actors)                                                                                 \
  X(uint8_t, object_flags, h.actors)                                                                                \
  X(uint32_t, object_tags, h.actors* h.tag_words) /* [slot][word] */                                                \
  X(uint16_t, inventory, h.actors* h.resources)   /* [slot][resource] */                                            \
  X(uint8_t, held_order, h.actors* h.resources)   /* [slot][position]: held resources in observation order */       \
  X(uint8_t, held_level, h.actors)                /* size of the hash table behind that order, see inventory.hpp */ \
  X(int32_t, free_slots, h.spawn_slots)                                                                             \
  X(int32_t, removed_slots, h.spawn_slots)         /* removed in this step, free from the next */                   \
  X(int32_t, new_areas, h.spawn_slots)             /* slots spawned in this step that have areas */                 \
  X(uint32_t, agent_cells, h.agents* h.cell_words) /* cells it has stood on */                                      \
  X(float, agent_stat, h.agents* h.agent_stats)                                                                     \
  X(int32_t, invalid_id, h.agents* kInvalidIds)                                                                     \
  X(int32_t, invalid_count, h.agents* kInvalidIds) /* 0 = entry unused */                                           \
  X(AreaSource, area_source, h.area_capacity)                                                                       \
  X(uint32_t, area_entered, h.area_capacity* h.agents) /* [source][agent]: when it entered, 0 = it is outside */    \
  X(Claim, claim, h.claim_capacity)                                                                                 \
  X(uint16_t, owner_held, h.territories* h.resources) /* [territory][resource]: held by the owner's placeholder */  \
  X(uint8_t, owner_vibe, h.territories)               /* vibe of the owner's placeholder */

// ...then data that is derived from the state: hashes, snapshots and comparisons ignore it.
#define MG_MADE(X)                                                                                                             \
  X(uint64_t, changed, (h.slots + 64) / 64)              /* bit per slot, see World::mark */                                   \
  X(uint32_t, dirty, (h.actors + 31) / 32)               /* bit per actor: its line must be encoded before use */              \
  X(uint16_t, agent_limit, (h.agents + 1) * h.resources) /* [slot][resource]: what it may hold, 0 = unknown; inventory.hpp */  \
  X(StaleRegions, stale, 1)                              /* see territory.hpp */                                               \
  X(uint32_t, shown, shown_words(h))                     /* bit per cell: it has an object or border; see `shown_from` */      \
  X(int16_t, owner, h.territories* h.cells)              /* [territory][cell]: tag id or -1 */                                 \
  X(int16_t, owner_seen, h.territories == 1 ? 0 : h.cells) /* ...of the first territory that has one; see `view` */            \
  X(Line, lines, h.actors + h.templates + 1)               /* of actors and of scenery templates; one to spare for wide reads. \
                                                              Last: a reset leaves them */

#define MG_ARRAYS(X) MG_STATE(X) MG_MADE(X)

struct World {
  Header* h;
  Scenery scenery;
  int32_t actors;  // h->actors
#define MG_POINTER(Type, name, count) Type* name;
  MG_ARRAYS(MG_POINTER)
#undef MG_POINTER

  // Fills in the bytes of a block with these sizes.
  MG_FN static void measure(Header& h) {
    uint64_t at = sizeof(Header);
#define MG_SIZE(Type, name, count) at = align(at, alignof(Type)) + static_cast<uint64_t>(int64_t{1} * count) * sizeof(Type);
    MG_STATE(MG_SIZE)
    h.state_bytes = at = align(at, kBlockAlign);
    MG_MADE(MG_SIZE)
#undef MG_SIZE
    h.bytes = align(at, kBlockAlign);
  }

  // `scenery`: the block of the map's scenery, or of a copy.
  MG_FN static World view(void* block, const void* scenery) {
    World w;
    w.h = static_cast<Header*>(block);
    w.scenery = Scenery::view(scenery);
    w.actors = w.h->actors;
    const Header& h = *w.h;
    uint8_t* base = static_cast<uint8_t*>(block);
    uint64_t at = sizeof(Header);
#define MG_PLACE(Type, name, count)            \
  at = align(at, alignof(Type));               \
  w.name = reinterpret_cast<Type*>(base + at); \
  at += static_cast<uint64_t>(int64_t{1} * count) * sizeof(Type);
    MG_STATE(MG_PLACE)
    at = h.state_bytes;
    MG_MADE(MG_PLACE)
#undef MG_PLACE
    if (h.territories == 1) w.owner_seen = w.owner;
    return w;
  }

  static constexpr uint64_t kBlockAlign = 64;  // of the block and of its second part
  MG_FN static uint64_t align(uint64_t at, uint64_t to) { return (at + to - 1) & ~(to - 1); }

  // Bytes of a block that a new episode copies: all but the encoded tokens, which are encoded again.
  MG_FN uint64_t start_bytes() const {
    return static_cast<uint64_t>(reinterpret_cast<const uint8_t*>(lines) - reinterpret_cast<const uint8_t*>(h));
  }

  // The map is surrounded by a frame as wide as the observation window, so that reads past the edge find empty cells. Adjacent
  // rows share the frame between them.
  MG_FN int32_t cell(int32_t row, int32_t col) const { return h->origin + row * h->stride + col; }
  MG_FN int32_t cell_of(int32_t slot) const { return cell(row(slot), col(slot)); }
  MG_FN int32_t actor_cell(int32_t slot) const { return cell(object_row[slot], object_col[slot]); }
  MG_FN bool inside(int32_t row, int32_t col) const {
    return static_cast<uint32_t>(row) < static_cast<uint32_t>(h->height) &&
           static_cast<uint32_t>(col) < static_cast<uint32_t>(h->width);
  }

  // Objects of any slot. Writing through the pointers is for actors only.
  MG_FN bool is_scenery(int32_t slot) const { return slot >= actors; }
  MG_FN bool is_used(int32_t slot) const { return slot < h->used_slots || (slot >= actors && slot < h->slots); }
  MG_FN const SceneryObject& fixed(int32_t slot) const { return scenery.objects[slot - actors]; }
  MG_FN int32_t id(int32_t slot) const { return slot < actors ? object_id[slot] : fixed(slot).id; }
  MG_FN int32_t kind(int32_t slot) const { return slot < actors ? object_template[slot] : fixed(slot).kind; }
  MG_FN int32_t row(int32_t slot) const { return slot < actors ? object_row[slot] : fixed(slot).row; }
  MG_FN int32_t col(int32_t slot) const { return slot < actors ? object_col[slot] : fixed(slot).col; }
  MG_FN int32_t agent(int32_t slot) const { return slot < actors ? object_agent[slot] : kNone; }
  MG_FN int32_t vibe(int32_t slot) const { return slot < actors ? object_vibe[slot] : scenery.vibe[fixed(slot).kind]; }
  MG_FN int32_t flags(int32_t slot) const {
    return slot < actors ? object_flags[slot] : kOnGrid | (scenery.blocks_vision[fixed(slot).kind] ? kBlocksVision : 0);
  }
  MG_FN uint32_t* tags(int32_t slot) const {
    return slot < actors ? object_tags + slot * h->tag_words : scenery.tags + fixed(slot).kind * h->tag_words;
  }
  MG_FN uint16_t* held(int32_t slot) const {
    return slot < actors ? inventory + slot * h->resources : scenery.held + fixed(slot).kind * h->resources;
  }
  MG_FN uint8_t* order(int32_t slot) const {
    return slot < actors ? held_order + slot * h->resources : scenery.order + fixed(slot).kind * h->resources;
  }
  // On a GPU, worlds read the lines of scenery where the map has them.
  MG_FN const uint8_t* line(int32_t slot) const {
#if defined(__CUDA_ARCH__)
    if (slot >= actors) return scenery.lines + static_cast<int64_t>(fixed(slot).kind) * kLine;
#endif
    return lines[scenery.line_of[slot]].bytes;
  }
  MG_FN bool is_agent(int32_t slot) const { return agent(slot) >= 0; }
  MG_FN int64_t distance2(int32_t a, int32_t b) const {
    const int64_t dr = row(a) - row(b), dc = col(a) - col(b);
    return dr * dr + dc * dc;
  }

  MG_FN int32_t slot_at(int32_t at) const { return grid[at].slot(); }

  // The rows of the window of an observer here, with its first column in bit `col` % kStripColumns.
  MG_FN const uint32_t* shown_from(int32_t row, int32_t col) const {
    return shown + (col >> kStripShift) * strip_rows(*h) + row;
  }

  // `Put`: `put_bit`, or `put_shared_bit` if other lanes may write bits of other cells.
  template <class Put>
  MG_FN void put_shown(int32_t row, int32_t col, Put put) const {
    const int32_t framed = col + h->window_cols, strip = framed >> kStripShift, bit = framed & (kStripColumns - 1);
    const int32_t rows = strip_rows(*h);
    const bool value = is_shown(grid[cell(row, col)]);
    uint32_t* const word = shown + strip * rows + row + h->window_rows;
    if (strip < strips(*h)) put(word, bit, value);
    if (strip > 0) put(word - rows, bit + kStripColumns, value);
  }

  // The only way to write objects to the grid.
  MG_FN void place(int32_t row, int32_t col, int32_t slot) const {
    Ground& ground = grid[cell(row, col)];
    ground = Ground::of(slot, ground.borders());
    put_shown(row, col, put_bit);
  }
  // ...and the borders of a cell; lanes may write those of different cells. In games with few owners they are two bits for the
  // owner of the cell (1 + its place in `owner_tag`, 0 for none), then two for each of its neighbours N, S, E, W: in which bits
  // of the owner they differ, none for those off the map. In other games they are `Edge` bits.
  MG_FN void set_borders(int32_t row, int32_t col, uint32_t borders) const {
    Ground& ground = grid[cell(row, col)];
    ground = Ground::of(ground.slot(), borders);
    put_shown(row, col, put_shared_bit);
  }
  MG_FN bool has_few_owners() const { return h->owners <= kFewOwners; }
  MG_FN bool is_shown(Ground ground) const {
    const uint32_t borders = ground.borders();
    return ground.slot() != kEmpty || (has_few_owners() ? borders >> 2 : borders) != 0;
  }

  // The tag that owns a cell: of the first territory that has an owner there, or kNone.
  MG_FN int32_t owner_of(int32_t at) const {
    if (!h->shows_territory || !has_few_owners()) return owner_seen[at];
    const uint32_t own = grid[at].borders() & 3;  // in the line that observers read anyway
    return own == 0 ? kNone : h->owner_tag[own - 1];
  }

  // Every change of an object asks first: true for actors. Scenery cannot change, or the compiler is wrong.
  MG_FN bool can_change(int32_t slot) const {
    if (slot < actors) return true;
    fail(Fault::kScenery, slot);
    return false;
  }

  // Marks a slot whose object has changed or been replaced. The recorder (cpu/recorder.hpp) clears the marks; the rules never
  // read them. The bit after those of the slots means that the owner of a cell has changed.
  MG_FN void mark(int32_t slot) const { changed[slot >> 6] |= uint64_t{1} << (slot & 63); }

  // Marks an actor whose observation has changed.
  MG_FN void touch(int32_t slot) const {
    set_bit(dirty, slot);
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
