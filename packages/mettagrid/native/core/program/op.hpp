// The instruction set. Handlers, filters, queries, game values, events and area effects all compile to this one code.
//
// Registers: the context (actor, target, frontier, target cell, direction), a stack of numbers, a stack of flags, a stack of
// loops, a stack of calls, and the last query result, which is the top slice of the scratch arena.
// Entities in operands: 0 actor, 1 target, 2 frontier node of a closure, 3 current element of the innermost loop.
#pragma once

#include "core/base.hpp"

namespace mg {

// X(name, effect): operands. `effect` says whether the instruction can change anything that a query depends on: objects, tags,
// inventories, stats, positions. A mutation ends the life of cached query results, so a new instruction must say which it is.
// clang-format off
#define MG_OPS(X)                                                                                                  \
  X(Return, kPure)         /* end of a routine; a = 1 success, 0 failure */                                               \
  X(Jump, kPure)           /* to jump */                                                                                  \
  X(Call, kPure)           /* routine at a, same context */                                                               \
  X(CallShared, kPure)     /* query at a; b = cache slot of its result; c = 1: it depends on the actor */                   \
  X(FlagPush, kPure)       /* push a false flag */                                                                        \
  X(FlagSet, kPure)        /* flag a below the top = b */                                                                 \
  X(FlagPop, kPure)        /* test: pop the flag */                                                                       \
  /* tests */                                                                                                      \
  X(TestConst, kPure)      /* a */                                                                                        \
  X(TestVibe, kPure)       /* entity a has vibe b */                                                                      \
  X(TestResource, kPure)   /* entity a holds >= c of resource b */                                                        \
  X(TestTag, kPure)        /* entity a has tag b */                                                                       \
  X(TestTagMask, kPure)    /* entity a has a tag of mask b */                                                             \
  X(TestSharedMask, kPure) /* actor and target share a tag of mask a */                                                   \
  X(TestDistance, kPure)   /* entities a and b at squared distance <= c; c < 0: no bound */                               \
  X(TestNearResult, kPure) /* entity a at squared distance <= c of any query result; c < 0: any result; drops the result */ \
  X(TestNearTag, kPure)    /* entity a at squared distance <= c of any holder of tag b; c < 0: there is a holder */        \
  X(TestAtLeast, kPure)    /* pops minimum, pops value: value >= minimum */                                               \
  X(TestPresent, kPure)    /* there is an entity a */                                                                     \
  X(TestEmptyCell, kPure)  /* no target */                                                                                \
  X(TestUsable, kPure)     /* target exists */                                                                            \
  X(TestPeriodic, kPure)   /* period a, first b */                                                                        \
  /* numbers */                                                                                                    \
  X(PushConst, kPure)      /* bits a */                                                                                   \
  X(PushInventory, kPure)  /* entity a, resource b; no entity: game stat c, or 0 when c < 0 */                            \
  X(PushAgentStat, kPure)  /* entity a, stat b; 0 if it is not an agent */                                                \
  X(PushGameStat, kPure)   /* stat a */                                                                                   \
  X(PushCount, kPure)      /* size of the query result; drops the result */                                               \
  X(PushTagCount, kPure)   /* number of holders of tag a */                                                               \
  X(PushSumHeld, kPure)    /* sum of resource a over the query result; drops the result */                                \
  X(ScaleBy, kPure)        /* top *= bits a */                                                                            \
  X(LogPlusOne, kPure)     /* top = ln(top + 1) */                                                                        \
  X(Add, kPure)            /* pops b, top += b */                                                                         \
  X(Ratio, kPure)          /* pops denominator: top /= it when positive */                                                \
  X(Max, kPure)            /* pops b, top = max(top, b) */                                                                \
  X(Min, kPure)                                                                                                           \
  /* queries: a loop with the target as its variable, writing the matches to the arena */                          \
  X(ScanTag, kPure)        /* open a scan over the holders of tag a */                                                    \
  X(ScanResult, kPure)     /* open a scan over the query result, in place */                                              \
  X(ScanNext, kPure)       /* next element becomes the target; at the end jump */                                         \
  X(ScanKeep, kPure)       /* keep the target; jump */                                                                    \
  X(ScanShuffle, kPure)    /* shuffle the kept elements */                                                                \
  X(ScanLimit, kPure)      /* pops a number and keeps that many; negative: all */                                         \
  X(ScanClose, kPure)      /* the kept elements are the query result; restores target and frontier */                     \
  X(KeepNearest, kPure)    /* results: targets, then origins, which are dropped; keeps targets within the least r of any origin, 1 <= r <= a */ \
  X(ClosureOpen, kPure)    /* results: seeds, then candidates (the two last results) */                                   \
  X(ClosureNext, kPure)    /* next pair (frontier, unvisited candidate); at the end jump */                               \
  X(ClosureAdd, kPure)     /* the target is reached; jump */                                                              \
  X(ClosureClose, kPure)                                                                                                  \
  X(RayOpen, kPure)        /* b directions from lists[a]; c < 0: from the query result, else spawning template c from the target, which can fail */ \
  X(RaySource, kPure)      /* next source becomes actor and target; at the end jump */                                    \
  X(RayRange, kPure)       /* pops the range of this source; the actor is restored */                                     \
  X(RayNext, kPure)        /* next object on the ray becomes the target; at the end of the source's rays jump */          \
  X(RayKeep, kPure)        /* keep the target; jump */                                                                    \
  X(RayStop, kPure)        /* a = 1 keep the target; end of this ray; jump */                                             \
  X(RayClose, kPure)                                                                                                      \
  /* loops over a query result for mutations */                                                                    \
  X(EachOpen, kPure)       /* a = 1: shuffle when more than b; b = most elements to count, < 0 all; context is saved */   \
  X(EachNext, kPure)       /* next element; a = 1: it becomes actor and target; at the end jump */                        \
  X(EachCount, kPure)      /* one more counted; jump, or past the limit falls through */                                  \
  X(EachClose, kPure)      /* context restored; when a >= 0 and nothing was counted: continue at routine a */             \
  /* mutations: those that can fail jump to `jump` when they do and sense = 1 */                                   \
  X(ChangeResource, kMutation) /* entity a, resource b, delta c */                                                            \
  X(Transfer, kMutation)       /* entity a / 8 -> entity a % 8, resource b, amount c (< 0 all); sense = 1: remove the emptied source */ \
  X(ClearResources, kMutation) /* entity a, resources lists[b, b + c) */                                                      \
  X(SetGameStat, kMutation)    /* stat a, pops value */                                                                       \
  X(SetAgentStat, kMutation)   /* entity a, stat b, pops value */                                                             \
  X(AddGameStat, kMutation)    /* stat a, pops value */                                                                       \
  X(AddAgentStat, kMutation)   /* entity a, stat b, pops value */                                                             \
  X(AddResource, kMutation)    /* pops a number: to resource b of entity a, truncated; no entity: to game stat c, if any */    \
  X(AddHeld, kMutation)        /* entity a: as much of resource b as it holds of resource c */                                \
  X(AddTag, kMutation)         /* entity a, tag b */                                                                          \
  X(RemoveTag, kMutation)      /* entity a, tag b */                                                                          \
  X(SetVibe, kMutation)        /* entity a, vibe b */                                                                         \
  X(UntagAll, kMutation)       /* tag a is removed from all holders, which become a result */                                 \
  X(TagResult, kMutation)      /* tag a is added to the query result (dropped); the result below becomes the former holders */ \
  X(FireRemoval, kMutation)    /* on_tag_remove of the loop element for tag a */                                              \
  X(QueryMove, kMutation)      /* loop element, resource b, delta c; a = other entity (-1 none); stat in sense (-1 none) */   \
  X(PlaceAdjacent, kMutation)  /* entity a to a free neighbour of the query result (dropped) */                               \
  X(Relocate, kMutation)                                                                                                      \
  X(RelativeTarget, kMutation) /* direction a (dr, dc in lists[a], lists[a + 1]), b = direction code, distance c; can fail */ \
  X(Swap, kMutation)                                                                                                          \
  X(Push, kMutation)           /* can fail */                                                                                 \
  X(UseTarget, kMutation)      /* can fail */                                                                                 \
  X(Spawn, kMutation)          /* template a; can fail */
// clang-format on

enum class Op : int32_t {
#define MG_OP(name, effect) k##name,
  MG_OPS(MG_OP)
#undef MG_OP
};

enum Effect : uint8_t { kPure = 0, kMutation = 1 };

enum class Entity : int32_t { kActor = 0, kTarget = 1, kFrontier = 2, kElement = 3 };

}  // namespace mg
