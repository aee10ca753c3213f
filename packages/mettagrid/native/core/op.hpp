// The instruction set. Handlers, filters, queries, game values, events and area effects all compile to this one code.
//
// Registers: the context (actor, target, frontier, target cell, direction), a stack of numbers, a stack of flags, a stack of
// loops, a stack of calls, and the last query result, which is the top slice of the scratch arena.
// Entities in operands: 0 actor, 1 target, 2 frontier node of a closure, 3 current element of the innermost loop.
#pragma once

#include "base.hpp"

namespace mg {

// X(name): operands
// clang-format off
#define MG_OPS(X)                                                                                                  \
  X(Return)         /* end of a routine; a = 1 success, 0 failure */                                               \
  X(Jump)           /* to jump */                                                                                  \
  X(Call)           /* routine at a, same context */                                                               \
  X(CallShared)     /* query at a; b = cache slot of its result */                                                 \
  X(FlagPush)       /* push a false flag */                                                                        \
  X(FlagSet)        /* flag a below the top = b */                                                                 \
  X(FlagPop)        /* test: pop the flag */                                                                       \
  /* tests */                                                                                                      \
  X(TestConst)      /* a */                                                                                        \
  X(TestVibe)       /* entity a has vibe b */                                                                      \
  X(TestResource)   /* entity a holds >= c of resource b */                                                        \
  X(TestTag)        /* entity a has tag b */                                                                       \
  X(TestTagMask)    /* entity a has a tag of mask b */                                                             \
  X(TestSharedMask) /* actor and target share a tag of mask a */                                                   \
  X(TestDistance)   /* entities a and b at squared distance <= c; c < 0: no bound */                               \
  X(TestNearResult) /* entity a at squared distance <= c of any query result; c < 0: any result; drops the result */ \
  X(TestNearTag)    /* entity a at squared distance <= c of any holder of tag b; c < 0: there is a holder */        \
  X(TestAtLeast)    /* pops minimum, pops value: value >= minimum */                                               \
  X(TestPresent)    /* there is an entity a */                                                                     \
  X(TestEmptyCell)  /* no target */                                                                                \
  X(TestUsable)     /* target exists */                                                                            \
  X(TestPeriodic)   /* period a, first b */                                                                        \
  /* numbers */                                                                                                    \
  X(PushConst)      /* bits a */                                                                                   \
  X(PushInventory)  /* entity a, resource b; no entity: game stat c, or 0 when c < 0 */                            \
  X(PushAgentStat)  /* entity a, stat b; 0 if it is not an agent */                                                \
  X(PushGameStat)   /* stat a */                                                                                   \
  X(PushCount)      /* size of the query result; drops the result */                                               \
  X(PushTagCount)   /* number of holders of tag a */                                                               \
  X(PushSumHeld)    /* sum of resource a over the query result; drops the result */                                \
  X(ScaleBy)        /* top *= bits a */                                                                            \
  X(LogPlusOne)     /* top = ln(top + 1) */                                                                        \
  X(Add)            /* pops b, top += b */                                                                         \
  X(Ratio)          /* pops denominator: top /= it when positive */                                                \
  X(Max)            /* pops b, top = max(top, b) */                                                                \
  X(Min)                                                                                                           \
  /* queries: a loop with the target as its variable, writing the matches to the arena */                          \
  X(ScanTag)        /* open a scan over the holders of tag a */                                                    \
  X(ScanResult)     /* open a scan over the query result, in place */                                              \
  X(ScanNext)       /* next element becomes the target; at the end jump */                                         \
  X(ScanKeep)       /* keep the target; jump */                                                                    \
  X(ScanShuffle)    /* shuffle the kept elements */                                                                \
  X(ScanLimit)      /* pops a number and keeps that many; negative: all */                                         \
  X(ScanClose)      /* the kept elements are the query result; restores target and frontier */                     \
  X(ClosureOpen)    /* results: seeds, then candidates (the two last results) */                                   \
  X(ClosureNext)    /* next pair (frontier, unvisited candidate); at the end jump */                               \
  X(ClosureAdd)     /* the target is reached; jump */                                                              \
  X(ClosureClose)                                                                                                  \
  X(RayOpen)        /* b directions from lists[a]; c < 0: from the query result, else spawning template c from the target, which can fail */ \
  X(RaySource)      /* next source becomes actor and target; at the end jump */                                    \
  X(RayRange)       /* pops the range of this source; the actor is restored */                                     \
  X(RayNext)        /* next object on the ray becomes the target; at the end of the source's rays jump */          \
  X(RayKeep)        /* keep the target; jump */                                                                    \
  X(RayStop)        /* a = 1 keep the target; end of this ray; jump */                                             \
  X(RayClose)                                                                                                      \
  /* loops over a query result for mutations */                                                                    \
  X(EachOpen)       /* a = 1: shuffle when more than b; b = most elements to count, < 0 all; context is saved */   \
  X(EachNext)       /* next element; a = 1: it becomes actor and target; at the end jump */                        \
  X(EachCount)      /* one more counted; jump, or past the limit falls through */                                  \
  X(EachClose)      /* context restored; when a >= 0 and nothing was counted: continue at routine a */             \
  /* mutations: those that can fail jump to `jump` when they do and sense = 1 */                                   \
  X(ChangeResource) /* entity a, resource b, delta c */                                                            \
  X(Transfer)       /* entity a / 8 -> entity a % 8, resource b, amount c (< 0 all); sense = 1: remove the emptied source */ \
  X(ClearResources) /* entity a, resources lists[b, b + c) */                                                      \
  X(SetGameStat)    /* stat a, pops value */                                                                       \
  X(SetAgentStat)   /* entity a, stat b, pops value */                                                             \
  X(AddGameStat)    /* stat a, pops value */                                                                       \
  X(AddAgentStat)   /* entity a, stat b, pops value */                                                             \
  X(AddResource)    /* pops a number: to resource b of entity a, truncated; no entity: to game stat c, if any */    \
  X(AddTag)         /* entity a, tag b */                                                                          \
  X(RemoveTag)      /* entity a, tag b */                                                                          \
  X(SetVibe)        /* entity a, vibe b */                                                                         \
  X(UntagAll)       /* tag a is removed from all holders, which become a result */                                 \
  X(TagResult)      /* tag a is added to the query result (dropped); the result below becomes the former holders */ \
  X(FireRemoval)    /* on_tag_remove of the loop element for tag a */                                              \
  X(QueryMove)      /* loop element, resource b, delta c; a = other entity (-1 none); stat in sense (-1 none) */   \
  X(PlaceAdjacent)  /* entity a to a free neighbour of the query result (dropped) */                               \
  X(Relocate)                                                                                                      \
  X(RelativeTarget) /* direction a (dr, dc in lists[a], lists[a + 1]), b = direction code, distance c; can fail */ \
  X(Swap)                                                                                                          \
  X(Push)           /* can fail */                                                                                 \
  X(UseTarget)      /* can fail */                                                                                 \
  X(Spawn)          /* template a; can fail */
// clang-format on

enum class Op : int32_t {
#define MG_OP(name) k##name,
  MG_OPS(MG_OP)
#undef MG_OP
};

constexpr Op kFirstMutation = Op::kChangeResource;  // from here on they change the world

enum class Entity : int32_t { kActor = 0, kTarget = 1, kFrontier = 2, kElement = 3 };

}  // namespace mg
