// Territory (rules, section 8): the owner of each cell, updated when a claim changes instead of computed per observer.
#pragma once

#include "world.hpp"

namespace mg {

// floor(sqrt(x)) for x < 2^52. The root of a double is exact to half a unit on every IEEE platform; the loops only guard.
MG_FN int64_t integer_root(int64_t x) {
  int64_t root = static_cast<int64_t>(__builtin_sqrt(static_cast<double>(x)));
  while (root * root > x) --root;
  while ((root + 1) * (root + 1) <= x) ++root;
  return root;
}

// Influence in units of 1/1024 at squared distance d2.
MG_FN int64_t influence(const Control& control, int64_t d2) {
  const int64_t score = int64_t{control.strength} * 1024 - int64_t{control.decay} * integer_root(d2 * 1024 * 1024);
  return max_of<int64_t>(0, score);
}

enum Edge : uint8_t { kNorth = 1, kSouth = 2, kEast = 4, kWest = 8 };

// Sets or clears the bits of both cells of the edge between a cell and its neighbour in direction `bit`.
MG_FN void refresh_edge(const World& w, int32_t row, int32_t col, int32_t dr, int32_t dc, uint8_t bit, uint8_t back) {
  if (!w.inside(row + dr, col + dc)) return;
  const int32_t here = w.cell(row, col), there = w.cell(row + dr, col + dc);
  const bool differs = w.owner_seen[here] != w.owner_seen[there];
  w.set_edges(here, differs ? w.owner_edges[here] | bit : w.owner_edges[here] & ~bit);
  w.set_edges(there, differs ? w.owner_edges[there] | back : w.owner_edges[there] & ~back);
}

MG_FN void set_owner(const Program& p, const World& w, int32_t territory, int32_t row, int32_t col, int32_t owner) {
  const int32_t cells = w.h->cells, cell = w.cell(row, col);
  if (w.owner[territory * cells + cell] == owner) return;
  w.owner[territory * cells + cell] = static_cast<int16_t>(owner);
  w.mark(w.h->slots);
  int16_t seen = -1;
  for (int32_t k = 0; k < p.territories.size && seen < 0; ++k) seen = w.owner[k * cells + cell];
  if (w.owner_seen[cell] == seen) return;
  w.owner_seen[cell] = seen;
  refresh_edge(w, row, col, -1, 0, kNorth, kSouth);
  refresh_edge(w, row, col, 1, 0, kSouth, kNorth);
  refresh_edge(w, row, col, 0, 1, kEast, kWest);
  refresh_edge(w, row, col, 0, -1, kWest, kEast);
}

// A map is smaller than 2^16 cells a side, so a longer reach changes nothing and sums with it could overflow.
MG_FN int32_t reach_of(const Control& control) { return min_of(control.strength / control.decay, 1 << 17); }

constexpr int32_t kMostTags = 256;
constexpr int32_t kNearbyClaims = 128;  // beyond them, every cell looks at all claims

// The owner of a cell is the tag with the highest total of all claims that reach it; a tie for the top leaves it without.
struct Totals {
  const Program& p;
  const World& w;
  int32_t territory;
  int32_t nearby[kNearbyClaims], count;

  // The claims whose reach meets that of a control at this place.
  MG_FN Totals(const Program& program, const World& world, const Control& control, int32_t row, int32_t col)
      : p(program), w(world), territory(control.territory), count(0) {
    for (int32_t i = 0; i < w.h->claim_count; ++i) {
      const Claim& claim = w.claim[i];
      const Control& other = p.controls[claim.control];
      const int32_t most = reach_of(control) + reach_of(other);
      if (claim.tag < 0 || other.territory != territory) continue;
      if (abs_of(claim.row - row) > most || abs_of(claim.col - col) > most) continue;
      if (count < kNearbyClaims) nearby[count] = i;
      ++count;
    }
  }

  MG_FN int32_t owner(int32_t row, int32_t col) const {
    const Territory& t = p.territories[territory];
    int64_t total[kMostTags];
    for (int32_t i = 0; i < t.tag_count; ++i) total[i] = 0;
    const bool all = count > kNearbyClaims;
    for (int32_t i = 0; i < (all ? w.h->claim_count : count); ++i) {
      const Claim& claim = w.claim[all ? i : nearby[i]];
      const Control& control = p.controls[claim.control];
      if (claim.tag < 0 || control.territory != territory) continue;
      const int64_t dr = row - claim.row, dc = col - claim.col, d2 = dr * dr + dc * dc, reach = reach_of(control);
      if (d2 <= reach * reach) total[claim.tag] += influence(control, d2);
    }
    int64_t best = 0;
    int32_t found = -1;
    for (int32_t i = 0; i < t.tag_count; ++i) {
      if (total[i] > best) {
        best = total[i];
        found = p.lists[t.first_tag + i].value;
      } else if (total[i] == best) {
        found = -1;
      }
    }
    return found;
  }
};

// Updates the owners of all cells that a claim of this control, stamped at this place, reaches.
MG_FN void refresh_owners(const Program& p, const World& w, const Control& control, int32_t at_row, int32_t at_col) {
  const int32_t reach = reach_of(control);
  const Totals totals(p, w, control, at_row, at_col);
  const int32_t top = max_of(0, at_row - reach), bottom = min_of(w.h->height - 1, at_row + reach);
  const int32_t left = max_of(0, at_col - reach), right = min_of(w.h->width - 1, at_col + reach);
  for (int32_t row = top; row <= bottom; ++row) {
    for (int32_t col = left; col <= right; ++col) {
      const int64_t dr = row - at_row, dc = col - at_col;
      if (dr * dr + dc * dc > int64_t{reach} * reach) continue;
      set_owner(p, w, control.territory, row, col, totals.owner(row, col));
    }
  }
}

// Index of the lowest tag of the object that can own the territory, or kNone.
MG_FN int32_t claiming_tag(const Program& p, const World& w, int32_t slot, const Territory& t) {
  for (int32_t i = 0; i < t.tag_count; ++i) {
    if (test_bit(w.tags(slot), p.lists[t.first_tag + i].value)) return i;
  }
  return kNone;
}

// Changes a claim and updates the owners around its old and its new place.
MG_CALL void restamp_claim(const Program& p, const World& w, Claim& claim, int32_t tag, int32_t row, int32_t col) {
  const Control& control = p.controls[claim.control];
  const bool moves = row != claim.row || col != claim.col;
  const int32_t old_row = claim.row, old_col = claim.col;
  const bool leaves = claim.tag >= 0 && moves;
  claim.tag = tag;
  claim.row = row;
  claim.col = col;
  if (leaves) refresh_owners(p, w, control, old_row, old_col);
  refresh_owners(p, w, control, row, col);
}

// Updates the claims of an object for its tags and its cell.
MG_CALL void refresh_claims(const Program& p, const World& w, int32_t slot) {
  for (int32_t i = 0; i < w.h->claim_count; ++i) {
    Claim& claim = w.claim[i];
    if (claim.slot != slot) continue;
    const int32_t tag = claiming_tag(p, w, slot, p.territories[p.controls[claim.control].territory]);
    const int32_t row = w.row(slot), col = w.col(slot);
    if (tag == claim.tag && row == claim.row && col == claim.col) continue;
    restamp_claim(p, w, claim, tag, row, col);
  }
}

MG_FN void register_claims(const Program& p, const World& w, int32_t slot) {
  const Template& t = p.templates[w.kind(slot)];
  if (t.control_count == 0) return;
  for (int32_t i = 0; i < t.control_count; ++i) {
    if (w.h->claim_count == w.h->claim_capacity) return w.fail(Fault::kClaims, w.h->claim_capacity);
    w.claim[w.h->claim_count++] = Claim{slot, t.first_control + i, kNone, w.row(slot), w.col(slot)};
  }
  w.object_flags[slot] = static_cast<uint8_t>(w.flags(slot) | kHasClaims);
  refresh_claims(p, w, slot);
}

MG_CALL void withdraw_claims(const Program& p, const World& w, int32_t slot) {
  for (int32_t i = 0; i < w.h->claim_count; ++i) {
    if (w.claim[i].slot == slot) restamp_claim(p, w, w.claim[i], kNone, w.claim[i].row, w.claim[i].col);
  }
  int32_t kept = 0;
  for (int32_t i = 0; i < w.h->claim_count; ++i) {
    if (w.claim[i].slot != slot) w.claim[kept++] = w.claim[i];
  }
  w.h->claim_count = kept;
  w.object_flags[slot] = static_cast<uint8_t>(w.flags(slot) & ~kHasClaims);
}

}  // namespace mg
