// Queries as loops of the machine: scans, closures and rays (rules, section 6.2).
#pragma once

#include "core/machine/operation.hpp"

namespace mg {

MG_FN void scan_tag(Machine& m, int32_t tag) {
  Loop* loop = m.open_loop();
  if (loop == nullptr) return;
  loop->tag = tag;
  loop->begin = m.s.top;
  loop->read = 0;
}

MG_FN void scan_result(Machine& m) {
  const int32_t begin = m.s.result[--m.s.results];
  Loop* loop = m.open_loop();
  if (loop == nullptr) return;
  loop->begin = loop->read = loop->write = begin;
  loop->end = m.s.top;
}

MG_FN bool scan_next(Machine& m) {
  Loop& loop = m.s.loop[m.s.loops - 1];
  if (loop.tag >= 0) {
    if (loop.read == m.w.tag_held[loop.tag]) return false;
    m.ctx.target = m.w.tag_holders[m.w.tag_first[loop.tag] + loop.read++];
  } else {
    if (loop.read == loop.end) return false;
    m.ctx.target = m.s.arena[loop.read++];
  }
  return true;
}

MG_FN void scan_keep(Machine& m) {
  Loop& loop = m.s.loop[m.s.loops - 1];
  if (loop.tag >= 0) {
    m.keep(m.ctx.target);
  } else {
    m.s.arena[loop.write++] = m.ctx.target;
  }
}

// The kept elements so far: arena[begin, end). Only shuffling, limiting and closing may follow.
MG_FN Span<int32_t> scan_kept(Machine& m) {
  Loop& loop = m.s.loop[m.s.loops - 1];
  if (loop.tag < 0) m.s.top = loop.write;
  return Span<int32_t>{m.s.arena + loop.begin, m.s.top - loop.begin};
}

MG_FN void scan_close(Machine& m) {
  scan_kept(m);
  const Loop& loop = m.s.loop[--m.s.loops];
  m.ctx = loop.kept;
  m.push_result(loop.begin);
}

constexpr int64_t kFar = int64_t{1} << 62;  // farther than any two objects, squared

MG_FN int64_t nearest2(const World& w, int32_t slot, const int32_t* others, int32_t count) {
  int64_t least = kFar;
  for (int32_t i = 0; i < count; ++i) least = min_of(least, w.distance2(slot, others[i]));
  return least;
}

// Of the result below the last one, keeps what is within r of an object of the last one, for the least r from 1 to `within` at
// which there is anything. Drops the last result.
MG_FN void keep_nearest(Machine& m, int32_t within) {
  const int32_t first = m.result_begin(), origins = m.s.top - first;
  const int32_t begin = m.s.result[m.s.results - 2];
  int64_t least = kFar;
  for (int32_t i = begin; i < first; ++i) least = min_of(least, nearest2(m.w, m.s.arena[i], m.s.arena + first, origins));
  int32_t kept = begin;
  if (least <= int64_t{within} * within) {
    int64_t radius = max_of<int64_t>(1, integer_root(least));
    if (radius * radius < least) ++radius;
    for (int32_t i = begin; i < first; ++i) {
      const int32_t slot = m.s.arena[i];
      if (nearest2(m.w, slot, m.s.arena + first, origins) <= radius * radius) m.s.arena[kept++] = slot;
    }
  }
  m.drop_result();
  m.s.top = kept;
}

// Reserves a bit per slot (cleared) and room for a result list, above the top of the arena.
MG_FN bool reserve_visited(Machine& m, Loop& loop, int32_t room) {
  const int32_t words = (m.w.actors + 31) / 32;
  if (m.s.arena_size - m.s.top < words + room) {
    m.fail(Fault::kArena);
    return false;
  }
  loop.visited = m.s.top;
  loop.queue = loop.write = m.s.top + words;
  for (int32_t i = 0; i < words; ++i) m.s.arena[loop.visited + i] = 0;
  m.s.top = loop.queue + room;
  return true;
}

MG_FN bool visit(Machine& m, Loop& loop, int32_t slot) {
  uint32_t* bits = reinterpret_cast<uint32_t*>(m.s.arena + loop.visited);
  if (test_bit(bits, slot)) return false;
  set_bit(bits, slot);
  m.s.arena[loop.write++] = slot;
  return true;
}

// Moves the results in the queue down to the start of the loop and makes them the query result.
MG_FN void close_queue(Machine& m) {
  const Loop& loop = m.s.loop[--m.s.loops];
  const int32_t count = loop.write - loop.queue;
  for (int32_t i = 0; i < count; ++i) m.s.arena[loop.begin + i] = m.s.arena[loop.queue + i];
  m.s.top = loop.begin + count;
  m.ctx = loop.kept;
  m.push_result(loop.begin);
}

MG_FN void closure_open(Machine& m) {
  const int32_t candidates = m.s.result[--m.s.results], seeds = m.s.result[--m.s.results];
  Loop* loop = m.open_loop();
  if (loop == nullptr) return;
  loop->begin = seeds;
  loop->candidate = loop->first_candidate = candidates;
  loop->end = m.s.top;
  if (!reserve_visited(m, *loop, m.s.top - seeds)) return;
  for (int32_t i = seeds; i < candidates; ++i) visit(m, *loop, m.s.arena[i]);
  loop->read = loop->queue;
}

// The next candidate that has not been reached yet, from the frontier in first-in first-out order.
MG_FN bool closure_next(Machine& m) {
  Loop& loop = m.s.loop[m.s.loops - 1];
  const uint32_t* bits = reinterpret_cast<const uint32_t*>(m.s.arena + loop.visited);
  for (; loop.write > loop.read; ++loop.read, loop.candidate = loop.first_candidate) {
    while (loop.candidate < loop.end) {
      const int32_t slot = m.s.arena[loop.candidate++];
      if (test_bit(bits, slot)) continue;
      m.ctx.frontier = m.s.arena[loop.read];
      m.ctx.target = slot;
      return true;
    }
  }
  return false;
}

// False if there is no target to spawn around. Then no loop is opened if failures count, and an empty one otherwise.
MG_FN bool ray_open(Machine& m, const Instr& in) {
  const bool spawning = in.c >= 0;
  const bool has_source = !spawning || m.ctx.target >= 0;
  if (!has_source && in.sense == 1) return false;
  const int32_t begin = spawning ? m.s.top : m.s.result[--m.s.results];
  Loop* loop = m.open_loop();
  if (loop == nullptr) return false;
  loop->begin = loop->read = begin;
  loop->first_direction = in.a;
  loop->directions = in.b;
  loop->spawn = in.c;
  if (spawning && has_source) m.keep(m.ctx.target);
  loop->end = m.s.top;
  if (!spawning) reserve_visited(m, *loop, m.w.h->slots);
  return has_source;
}

// The next source; its range is read with the source as actor and target.
MG_FN bool ray_source(Machine& m) {
  Loop& loop = m.s.loop[m.s.loops - 1];
  if (loop.read == loop.end) return false;
  m.ctx.actor = m.ctx.target = m.s.arena[loop.read++];
  loop.row = m.w.row(m.ctx.target);
  loop.col = m.w.col(m.ctx.target);
  loop.direction = loop.distance = 0;
  return true;
}

MG_FN void ray_end(Loop& loop) {
  ++loop.direction;
  loop.distance = 0;
}

// Spawned objects: their areas act from the next step on.
MG_FN int32_t spawn_object(Machine& m, int32_t template_index, int32_t row, int32_t col) {
  const int32_t slot = take_slot(m.w);
  if (slot < 0) return kNone;
  make_object(m.p, m.w, slot, template_index, row, col);
  ++m.s.changes;
  m.w.object_flags[slot] = static_cast<uint8_t>(m.w.flags(slot) | kSpawned);
  m.w.touch(slot);
  if (m.p.templates[template_index].area_count > 0) m.w.new_areas[m.w.h->new_area_slots++] = slot;
  if (m.p.set().correct_spawned) register_claims(m.p, m.w, slot);
  return slot;
}

MG_FN bool ray_next(Machine& m) {
  Loop& loop = m.s.loop[m.s.loops - 1];
  while (loop.direction < loop.directions) {
    const Integer* step = &m.p.lists[loop.first_direction + 2 * loop.direction];
    ++loop.distance;
    const int32_t row = loop.row + step[0].value * loop.distance, col = loop.col + step[1].value * loop.distance;
    if (loop.distance > loop.range || !m.w.inside(row, col)) {
      ray_end(loop);
      continue;
    }
    const int32_t slot = m.w.slot_at(m.w.cell(row, col));
    if (slot != kEmpty) {
      m.ctx.target = slot;
      return true;
    }
    if (loop.spawn >= 0 && spawn_object(m, loop.spawn, row, col) < 0) return false;
  }
  return false;
}

namespace operations {

MG_OPERATION(ScanTag) {
  scan_tag(m, in.a);
  return next;
}
MG_OPERATION(ScanResult) {
  scan_result(m);
  return next;
}
MG_OPERATION(ScanNext) { return scan_next(m) ? next : in.jump; }
MG_OPERATION(ScanKeep) {
  scan_keep(m);
  return in.jump;
}
MG_OPERATION(ScanShuffle) {
  const Span<int32_t> kept = scan_kept(m);
  m.w.h->random.shuffle(kept.data, kept.size);
  return next;
}
MG_OPERATION(ScanLimit) {
  const int32_t most = truncate_to_int(m.pop());
  Loop& loop = m.s.loop[m.s.loops - 1];
  const Span<int32_t> kept = scan_kept(m);
  if (most >= 0 && kept.size > most) loop.write = m.s.top = loop.begin + most;
  return next;
}
MG_OPERATION(ScanClose) {
  scan_close(m);
  return next;
}
MG_OPERATION(KeepNearest) {
  keep_nearest(m, in.a);
  return next;
}

MG_OPERATION(ClosureOpen) {
  closure_open(m);
  return next;
}
MG_OPERATION(ClosureNext) { return closure_next(m) ? next : in.jump; }
MG_OPERATION(ClosureAdd) {
  visit(m, m.s.loop[m.s.loops - 1], m.ctx.target);
  return in.jump;
}
MG_OPERATION(ClosureClose) {
  close_queue(m);
  return next;
}

MG_OPERATION(RayOpen) { return after_try(in, next, ray_open(m, in)); }
MG_OPERATION(RaySource) { return ray_source(m) ? next : in.jump; }
MG_OPERATION(RayRange) {
  m.s.loop[m.s.loops - 1].range = truncate_to_int(m.pop());
  m.ctx.actor = m.s.loop[m.s.loops - 1].kept.actor;
  return next;
}
MG_OPERATION(RayNext) { return ray_next(m) ? next : in.jump; }
MG_OPERATION(RayKeep) {
  visit(m, m.s.loop[m.s.loops - 1], m.ctx.target);
  return in.jump;
}
MG_OPERATION(RayStop) {
  if (in.a == 1) visit(m, m.s.loop[m.s.loops - 1], m.ctx.target);
  ray_end(m.s.loop[m.s.loops - 1]);
  return in.jump;
}
MG_OPERATION(RayClose) {
  if (m.s.loop[m.s.loops - 1].spawn < 0) {
    close_queue(m);
  } else {
    const Loop& loop = m.s.loop[--m.s.loops];
    m.s.top = loop.begin;
    m.ctx = loop.kept;
  }
  return next;
}

}  // namespace operations
}  // namespace mg
