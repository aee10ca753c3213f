// The instructions, one case each (`op.hpp` lists their operands).
#pragma once

#include "query.hpp"

namespace mg {

MG_FN bool near_any(const World& w, int32_t slot, const int32_t* others, int32_t count, int32_t limit) {
  for (int32_t i = 0; i < count; ++i) {
    if (limit < 0 || w.distance2(slot, others[i]) <= limit) return true;
  }
  return false;
}

MG_FN bool any_common(const uint32_t* a, const uint32_t* b, int32_t words) {
  for (int32_t i = 0; i < words; ++i) {
    if (a[i] & b[i]) return true;
  }
  return false;
}

MG_FN bool share_tag(const World& w, int32_t a, int32_t b, const uint32_t* mask) {
  for (int32_t i = 0; i < w.h->tag_words; ++i) {
    if (w.tags(a)[i] & w.tags(b)[i] & mask[i]) return true;
  }
  return false;
}

MG_FN void change_or_defer(Machine& m, const Instr& in) {
  const int32_t slot = m.entity(in.a);
  if (slot < 0) return;
  const bool defer = m.s.deferring && in.a == static_cast<int32_t>(Entity::kTarget) && !is_modifier(m.p, m.w, slot, in.b);
  if (!defer) {
    change_resource(m.p, m.w, slot, in.b, in.c);
    return;
  }
  if (!m.s.deferred_set[in.b]) {
    m.s.deferred_set[in.b] = true;
    m.s.deferred_delta[in.b] = 0;
    m.s.deferred_resource[m.s.deferred_count++] = in.b;
  }
  m.s.deferred_delta[in.b] += in.c;
}

MG_FN void transfer(Machine& m, const Instr& in) {
  const int32_t from = m.entity(in.a / 8), to = m.entity(in.a % 8);
  if (from < 0 || to < 0) return;
  const int32_t moved = transfer_resource(m.p, m.w, from, to, in.b, in.c < 0 ? m.w.held(from)[in.b] : in.c);
  if (moved > 0 && m.w.is_agent(from)) {
    agent_stat(m.w, m.w.agent(from), resource_stat(m.p, in.b, kDeposited)) += static_cast<float>(moved);
  }
  if (in.sense == 1 && (m.w.flags(from) & kOnGrid) && holds_nothing(m.w, from)) {
    withdraw_areas(m.p, m.w, from);
    remove_object(m.p, m.w, from);
  }
}

MG_FN void query_move(Machine& m, const Instr& in) {
  const int32_t slot = m.entity(static_cast<int32_t>(Entity::kElement));
  int32_t moved = 0;
  if (in.a < 0) {
    moved = change_resource(m.p, m.w, slot, in.b, in.c);
  } else {
    const int32_t other = m.entity(in.a);
    if (other < 0) return;
    moved =
        in.c > 0 ? transfer_resource(m.p, m.w, other, slot, in.b, in.c) : transfer_resource(m.p, m.w, slot, other, in.b, -in.c);
  }
  if (moved != 0 && in.sense >= 0) game_stat(m.w, in.sense) += static_cast<float>(moved);
}

MG_FN void place_adjacent(Machine& m, int32_t slot) {
  constexpr int32_t kSteps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  for (int32_t i = m.result_begin(); slot >= 0 && i < m.s.top; ++i) {
    for (const auto& step : kSteps) {
      const int32_t row = m.w.row(m.s.arena[i]) + step[0], col = m.w.col(m.s.arena[i]) + step[1];
      if (!m.w.inside(row, col) || m.w.grid[m.w.cell(row, col)] != kEmpty) continue;
      move_object(m.p, m.w, slot, row, col);
      return m.drop_result();
    }
  }
  m.drop_result();
}

MG_FN void untag_all(Machine& m, int32_t tag) {
  const int32_t begin = m.s.top, count = m.w.tag_held[tag];
  for (int32_t i = 0; i < count; ++i) m.keep(m.w.tag_holders[m.w.tag_first[tag] + i]);
  if (!m.ok()) return;
  m.w.tag_held[tag] = 0;
  for (int32_t i = begin; i < m.s.top; ++i) {
    clear_bit(m.w.tags(m.s.arena[i]), tag);
    tags_changed(m.p, m.w, m.s.arena[i]);
  }
  m.push_result(begin);
}

MG_FN void tag_result(Machine& m, int32_t tag) {
  for (int32_t i = m.result_begin(); i < m.s.top; ++i) add_tag(m.p, m.w, m.s.arena[i], tag);
  m.drop_result();
  int32_t lost = m.result_begin();
  for (int32_t i = lost; i < m.s.top; ++i) {
    if (!has_tag(m.w, m.s.arena[i], tag)) m.s.arena[lost++] = m.s.arena[i];
  }
  m.s.top = lost;
}

MG_FN bool relative_target(Machine& m, const Instr& in) {
  if (m.ctx.actor < 0) return false;
  const int32_t row = m.w.row(m.ctx.actor) + m.p.lists[in.a].value * in.c;
  const int32_t col = m.w.col(m.ctx.actor) + m.p.lists[in.a + 1].value * in.c;
  if (!m.w.inside(row, col)) return false;
  const int32_t slot = m.w.grid[m.w.cell(row, col)];
  m.ctx.row = row;
  m.ctx.col = col;
  m.ctx.target = slot == kEmpty ? kNone : slot;
  return true;
}

MG_FN void swap_agents(Machine& m) {
  const int32_t a = m.ctx.actor, b = m.ctx.target;
  if (a < 0 || b < 0 || !m.w.is_agent(a) || !m.w.is_agent(b)) return;
  if (a != b) swap_objects(m.p, m.w, a, b);
  agent_stat(m.w, m.w.agent(a), m.p.set().stat_swap) += 1.0f;
}

MG_FN bool push_target(Machine& m) {
  const int32_t actor = m.ctx.actor, target = m.ctx.target;
  if (actor < 0 || target < 0) return false;
  const int32_t row = m.w.row(target) + sign_of(m.w.row(target) - m.w.row(actor));
  const int32_t col = m.w.col(target) + sign_of(m.w.col(target) - m.w.col(actor));
  if (!m.w.inside(row, col) || m.w.grid[m.w.cell(row, col)] != kEmpty) return false;
  move_object(m.p, m.w, target, row, col);
  return true;
}

MG_FN void relocate(Machine& m) {
  const int32_t actor = m.ctx.actor;
  if (actor < 0 || !m.w.is_agent(actor) || !m.w.inside(m.ctx.row, m.ctx.col)) return;
  if (m.w.grid[m.w.cell(m.ctx.row, m.ctx.col)] == kEmpty) move_object(m.p, m.w, actor, m.ctx.row, m.ctx.col);
}

MG_FN bool spawn_at_target(Machine& m, int32_t template_index) {
  if (template_index < 0 || !m.w.inside(m.ctx.row, m.ctx.col)) return false;
  if (m.w.grid[m.w.cell(m.ctx.row, m.ctx.col)] != kEmpty) return false;
  const int32_t slot = spawn_object(m, template_index, m.ctx.row, m.ctx.col);
  if (slot < 0) return false;
  m.ctx.target = slot;
  return true;
}

// A tag was removed from `slot`: its handler runs with the object as actor and target, and the target cell of the rule that
// removed the tag. Returns where to continue.
MG_FN int32_t after_removal(Machine& m, int32_t slot, int32_t tag, int32_t next) {
  const int32_t entry = removal_entry(m.p, m.w, slot, tag);
  if (entry == 0 || !m.enter(next, CallKind::kRestore, entry)) return next;
  m.ctx = Context{slot, slot, kNone, m.ctx.row, m.ctx.col};
  return entry;
}

// Only agents use objects.
MG_FN int32_t use_target(Machine& m, const Instr& in, int32_t next) {
  const bool can_use = m.ctx.actor >= 0 && m.w.is_agent(m.ctx.actor) && m.ctx.target >= 0;
  const int32_t entry = can_use ? m.p.templates[m.w.kind(m.ctx.target)].on_use : 0;
  if (entry == 0) return in.sense == 1 ? in.jump : next;
  return m.enter(next, CallKind::kUse, entry, in.sense == 1 ? in.jump : kNone) ? entry : next;
}

// The end of a used object's handler: on success the actor's `on_after_use` follows, which can still fail the use.
MG_FN int32_t after_use(Machine& m, const Call& call, bool success) {
  if (!success) return call.fail_at >= 0 ? call.fail_at : call.back;
  if (call.kind == CallKind::kAfterUse) return call.back;
  const int32_t actor = m.ctx.actor;
  if (actor < 0 || !m.w.is_agent(actor)) return call.back;
  m.w.agent_animation[m.w.agent(actor)] = 1;
  const int32_t entry = m.p.templates[m.w.kind(actor)].on_after_use;
  if (entry == 0 || !m.enter(call.back, CallKind::kAfterUse, entry, call.fail_at)) return call.back;
  return entry;
}

MG_FN void each_open(Machine& m, const Instr& in) {
  const int32_t begin = m.s.result[--m.s.results];
  Loop* loop = m.open_loop();
  if (loop == nullptr) return;
  loop->begin = loop->read = begin;
  loop->end = m.s.top;
  loop->counted = 0;
  loop->most = in.b;
  const int32_t count = loop->end - begin;
  if (in.a == 1 && in.b >= 0 && count > in.b) m.w.h->random.shuffle(m.s.arena + begin, count);
}

MG_FN bool each_next(Machine& m, bool becomes_context) {
  Loop& loop = m.s.loop[m.s.loops - 1];
  if (loop.read == loop.end) return false;
  const int32_t slot = loop.element = m.s.arena[loop.read++];
  if (becomes_context) m.ctx = Context{slot, slot, kNone, m.w.row(slot), m.w.col(slot)};
  return true;
}

MG_FN bool Machine::run(int32_t entry) {
#if !defined(__CUDA_ARCH__)
  if (s.watcher != nullptr && s.watcher->rule != nullptr) return run_code<true>(entry);
#endif
  return run_code<false>(entry);
}

// Notifies the watcher when the mutations of a rule begin.
MG_FN void note_rule(Machine& m, int32_t pc) {
#if !defined(__CUDA_ARCH__)
  for (const Note& note : m.p.notes) {
    if (note.at == pc) m.s.watcher->rule(*m.s.watcher, note.name, m.ctx.actor, m.ctx.target);
  }
#else
  (void)m, (void)pc;
#endif
}

template <bool kWatched>
MG_CALL bool Machine::run_code(int32_t entry) {
  const int32_t bottom = s.calls;
  ++s.changes;
  int32_t pc = entry;
  while (ok()) {
    const Instr& in = p.code[pc];
    if constexpr (kWatched) note_rule(*this, pc);
    s.changes += is_mutation(in.op);
    int32_t next = pc + 1;
    const auto test = [&](bool result) {
      if (result == (in.sense != 0)) next = in.jump;
    };
    const auto can_fail = [&](bool done) {
      if (!done && in.sense == 1) next = in.jump;
    };
    switch (static_cast<Op>(in.op)) {
      case Op::kReturn: {
        if (s.calls == bottom) return in.a != 0;
        const Call call = s.call[--s.calls];
        if (call.kind == CallKind::kRestore || call.kind == CallKind::kUse) ctx = call.kept;
        if (call.kind == CallKind::kShared) keep_result(p.code[call.back - 1].a, p.code[call.back - 1].b);
        const bool is_use = call.kind == CallKind::kUse || call.kind == CallKind::kAfterUse;
        next = is_use ? after_use(*this, call, in.a != 0) : call.back;
        break;
      }
      case Op::kJump: next = in.jump; break;
      case Op::kCall:
        if (enter(next, CallKind::kInline, in.a)) next = in.a;
        break;
      case Op::kCallShared:
        if (!reuse_result(in.a, in.b) && enter(next, CallKind::kShared, in.a)) next = in.a;
        break;
      case Op::kFlagPush:
        if (s.flags == kNumbers) fail(Fault::kStack);
        else s.flag[s.flags++] = false;
        break;
      case Op::kFlagSet: s.flag[s.flags - 1 - in.a] = in.b != 0; break;
      case Op::kFlagPop: test(s.flag[--s.flags]); break;

      case Op::kTestConst: test(in.a != 0); break;
      case Op::kTestVibe: {
        const int32_t slot = entity(in.a);
        test(slot >= 0 && w.vibe(slot) == in.b);
        break;
      }
      case Op::kTestResource: {
        const int32_t slot = entity(in.a);
        test(slot >= 0 && w.held(slot)[in.b] >= in.c);
        break;
      }
      case Op::kTestTag: {
        const int32_t slot = entity(in.a);
        test(slot >= 0 && has_tag(w, slot, in.b));
        break;
      }
      case Op::kTestTagMask: {
        const int32_t slot = entity(in.a);
        test(slot >= 0 && any_common(w.tags(slot), p.mask(in.b), w.h->tag_words));
        break;
      }
      case Op::kTestSharedMask:
        test(ctx.actor >= 0 && ctx.target >= 0 && share_tag(w, ctx.actor, ctx.target, p.mask(in.a)));
        break;
      case Op::kTestDistance: {
        const int32_t a = entity(in.a), b = entity(in.b);
        test(a >= 0 && b >= 0 && (in.c < 0 || w.distance2(a, b) <= in.c));
        break;
      }
      case Op::kTestNearResult: {
        const int32_t slot = entity(in.a), begin = result_begin();
        const bool near = slot >= 0 && near_any(w, slot, s.arena + begin, s.top - begin, in.c);
        drop_result();
        test(near);
        break;
      }
      case Op::kTestNearTag: {
        const int32_t slot = entity(in.a);
        test(slot >= 0 && near_any(w, slot, w.tag_holders + w.tag_first[in.b], w.tag_held[in.b], in.c));
        break;
      }
      case Op::kTestAtLeast: {
        const float least = pop(), value = pop();
        test(value >= least);
        break;
      }
      case Op::kTestPresent: test(entity(in.a) >= 0); break;
      case Op::kTestEmptyCell: test(ctx.target < 0); break;
      case Op::kTestUsable: test(ctx.target >= 0); break;
      case Op::kTestPeriodic: test(now >= in.b && (now - in.b) % in.a == 0); break;

      case Op::kPushConst: push(float_from_bits(in.a)); break;
      case Op::kPushInventory: {
        const int32_t slot = entity(in.a);
        push(slot >= 0 ? static_cast<float>(w.held(slot)[in.b]) : in.c >= 0 ? game_stat(w, in.c) : 0.0f);
        break;
      }
      case Op::kPushAgentStat: {
        const int32_t slot = entity(in.a);
        push(slot >= 0 && w.is_agent(slot) ? agent_stat(w, w.agent(slot), in.b) : 0.0f);
        break;
      }
      case Op::kPushGameStat: push(game_stat(w, in.a)); break;
      case Op::kPushCount: {
        const int32_t count = s.top - result_begin();
        drop_result();
        push(static_cast<float>(count));
        break;
      }
      case Op::kPushTagCount: push(static_cast<float>(w.tag_held[in.a])); break;
      case Op::kPushSumHeld: {
        float sum = 0.0f;
        for (int32_t i = result_begin(); i < s.top; ++i) sum += static_cast<float>(w.held(s.arena[i])[in.a]);
        drop_result();
        push(sum);
        break;
      }
      case Op::kScaleBy: s.number[s.numbers - 1] = float_from_bits(in.a) * s.number[s.numbers - 1]; break;
      case Op::kLogPlusOne: s.number[s.numbers - 1] = natural_log(s.number[s.numbers - 1] + 1.0f); break;
      case Op::kAdd: {
        const float x = pop();
        s.number[s.numbers - 1] += x;
        break;
      }
      case Op::kRatio: {
        const float x = pop();
        if (x > 0.0f) s.number[s.numbers - 1] /= x;
        break;
      }
      case Op::kMax: {
        const float x = pop();
        if (s.number[s.numbers - 1] < x) s.number[s.numbers - 1] = x;
        break;
      }
      case Op::kMin: {
        const float x = pop();
        if (x < s.number[s.numbers - 1]) s.number[s.numbers - 1] = x;
        break;
      }

      case Op::kScanTag: scan_tag(*this, in.a); break;
      case Op::kScanResult: scan_result(*this); break;
      case Op::kScanNext:
        if (!scan_next(*this)) next = in.jump;
        break;
      case Op::kScanKeep:
        scan_keep(*this);
        next = in.jump;
        break;
      case Op::kScanShuffle: {
        const Span<int32_t> kept = scan_kept(*this);
        w.h->random.shuffle(kept.data, kept.size);
        break;
      }
      case Op::kScanLimit: {
        const int32_t most = truncate_to_int(pop());
        Loop& loop = s.loop[s.loops - 1];
        const Span<int32_t> kept = scan_kept(*this);
        if (most >= 0 && kept.size > most) loop.write = s.top = loop.begin + most;
        break;
      }
      case Op::kScanClose: scan_close(*this); break;
      case Op::kKeepNearest: keep_nearest(*this, in.a); break;
      case Op::kClosureOpen: closure_open(*this); break;
      case Op::kClosureNext:
        if (!closure_next(*this)) next = in.jump;
        break;
      case Op::kClosureAdd:
        visit(*this, s.loop[s.loops - 1], ctx.target);
        next = in.jump;
        break;
      case Op::kClosureClose: close_queue(*this); break;
      case Op::kRayOpen:
        if (!ray_open(*this, in) && in.sense == 1) next = in.jump;
        break;
      case Op::kRaySource:
        if (!ray_source(*this)) next = in.jump;
        break;
      case Op::kRayRange:
        s.loop[s.loops - 1].range = truncate_to_int(pop());
        ctx.actor = s.loop[s.loops - 1].kept.actor;
        break;
      case Op::kRayNext:
        if (!ray_next(*this)) next = in.jump;
        break;
      case Op::kRayKeep:
        visit(*this, s.loop[s.loops - 1], ctx.target);
        next = in.jump;
        break;
      case Op::kRayStop:
        if (in.a == 1) visit(*this, s.loop[s.loops - 1], ctx.target);
        ray_end(s.loop[s.loops - 1]);
        next = in.jump;
        break;
      case Op::kRayClose:
        if (s.loop[s.loops - 1].spawn < 0) {
          close_queue(*this);
        } else {
          const Loop& loop = s.loop[--s.loops];
          s.top = loop.begin;
          ctx = loop.kept;
        }
        break;

      case Op::kEachOpen: each_open(*this, in); break;
      case Op::kEachNext:
        if (!each_next(*this, in.a == 1)) next = in.jump;
        break;
      case Op::kEachCount: {
        Loop& loop = s.loop[s.loops - 1];
        ++loop.counted;
        if (loop.most < 0 || loop.counted < loop.most) next = in.jump;
        break;
      }
      case Op::kEachClose: {
        const Loop& loop = s.loop[--s.loops];
        ctx = loop.kept;
        s.top = loop.begin;
        if (in.a >= 0 && loop.counted == 0) next = in.a;
        break;
      }

      case Op::kChangeResource: change_or_defer(*this, in); break;
      case Op::kTransfer: transfer(*this, in); break;
      case Op::kClearResources: {
        const int32_t slot = entity(in.a);
        for (int32_t i = 0; slot >= 0 && i < in.c; ++i) {
          const int32_t resource = p.lists[in.b + i].value;
          change_resource(p, w, slot, resource, -int64_t{w.held(slot)[resource]});
        }
        break;
      }
      case Op::kSetGameStat: game_stat(w, in.a) = pop(); break;
      case Op::kSetAgentStat: {
        const int32_t slot = entity(in.a);
        const float x = pop();
        if (slot >= 0 && w.is_agent(slot)) agent_stat(w, w.agent(slot), in.b) = x;
        break;
      }
      case Op::kAddGameStat: game_stat(w, in.a) += pop(); break;
      case Op::kAddAgentStat: {
        const int32_t slot = entity(in.a);
        const float x = pop();
        if (slot >= 0 && w.is_agent(slot)) agent_stat(w, w.agent(slot), in.b) += x;
        break;
      }
      case Op::kAddResource: {
        const int32_t slot = entity(in.a);
        const float delta = pop();
        if (slot >= 0) change_resource(p, w, slot, in.b, truncate_to_int(delta));
        else if (in.c >= 0) game_stat(w, in.c) += delta;
        break;
      }
      case Op::kAddTag: {
        const int32_t slot = entity(in.a);
        if (slot >= 0) add_tag(p, w, slot, in.b);
        break;
      }
      case Op::kRemoveTag: {
        const int32_t slot = entity(in.a);
        if (slot >= 0 && remove_tag(p, w, slot, in.b)) next = after_removal(*this, slot, in.b, next);
        break;
      }
      case Op::kSetVibe: {
        const int32_t slot = entity(in.a);
        if (slot >= 0) set_vibe(w, slot, in.b);
        break;
      }
      case Op::kUntagAll: untag_all(*this, in.a); break;
      case Op::kTagResult: tag_result(*this, in.a); break;
      case Op::kFireRemoval: next = after_removal(*this, entity(static_cast<int32_t>(Entity::kElement)), in.a, next); break;
      case Op::kQueryMove: query_move(*this, in); break;
      case Op::kPlaceAdjacent: place_adjacent(*this, entity(in.a)); break;
      case Op::kRelocate: relocate(*this); break;
      case Op::kRelativeTarget: can_fail(relative_target(*this, in)); break;
      case Op::kSwap: swap_agents(*this); break;
      case Op::kPush: can_fail(push_target(*this)); break;
      case Op::kUseTarget: next = use_target(*this, in, next); break;
      case Op::kSpawn: can_fail(spawn_at_target(*this, in.a)); break;
    }
    pc = next;
  }
  return false;
}

}  // namespace mg
