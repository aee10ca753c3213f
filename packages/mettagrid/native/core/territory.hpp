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
  if (w.owner_seen[here] != w.owner_seen[there]) {
    w.owner_edges[here] = static_cast<uint8_t>(w.owner_edges[here] | bit);
    w.owner_edges[there] = static_cast<uint8_t>(w.owner_edges[there] | back);
  } else {
    w.owner_edges[here] = static_cast<uint8_t>(w.owner_edges[here] & ~bit);
    w.owner_edges[there] = static_cast<uint8_t>(w.owner_edges[there] & ~back);
  }
}

// The tag with the highest total owns the cell; a tie for the top leaves it without owner.
MG_FN void refresh_owner(const Program& p, const World& w, int32_t territory, int32_t row, int32_t col) {
  const Territory& t = p.territories[territory];
  const int32_t cells = w.h->cells, cell = w.cell(row, col);
  int64_t best = 0;
  int32_t owner = -1;
  for (int32_t i = 0; i < t.tag_count; ++i) {
    const int64_t score = w.score[(t.first_score + i) * cells + cell];
    if (score > best) {
      best = score;
      owner = p.lists[t.first_tag + i].value;
    } else if (score == best) {
      owner = -1;
    }
  }
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

// Adds (sign 1) or takes back (sign -1) the influence of a claim where it is stamped.
MG_CALL void stamp_claim(const Program& p, const World& w, const Claim& claim, int32_t sign) {
  if (claim.tag < 0) return;
  const Control& control = p.controls[claim.control];
  const Territory& t = p.territories[control.territory];
  // A map is smaller than 2^16 cells a side, so a longer reach changes nothing and sums with it could overflow.
  const int32_t reach = min_of(control.strength / control.decay, 1 << 17);
  int64_t* score = w.score + (t.first_score + claim.tag) * w.h->cells;
  const int32_t top = max_of(0, claim.row - reach), bottom = min_of(w.h->height - 1, claim.row + reach);
  const int32_t left = max_of(0, claim.col - reach), right = min_of(w.h->width - 1, claim.col + reach);
  for (int32_t row = top; row <= bottom; ++row) {
    for (int32_t col = left; col <= right; ++col) {
      const int64_t dr = row - claim.row, dc = col - claim.col, d2 = dr * dr + dc * dc;
      if (d2 > int64_t{reach} * reach) continue;
      score[w.cell(row, col)] += sign * influence(control, d2);
      refresh_owner(p, w, control.territory, row, col);
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

// Updates the claims of an object for its tags and its cell.
MG_CALL void refresh_claims(const Program& p, const World& w, int32_t slot) {
  for (int32_t i = 0; i < w.h->claim_count; ++i) {
    Claim& claim = w.claim[i];
    if (claim.slot != slot) continue;
    const int32_t tag = claiming_tag(p, w, slot, p.territories[p.controls[claim.control].territory]);
    const int32_t row = w.object_row[slot], col = w.object_col[slot];
    if (tag == claim.tag && row == claim.row && col == claim.col) continue;
    stamp_claim(p, w, claim, -1);
    claim.tag = tag;
    claim.row = row;
    claim.col = col;
    stamp_claim(p, w, claim, 1);
  }
}

MG_FN void register_claims(const Program& p, const World& w, int32_t slot) {
  const Template& t = p.templates[w.object_template[slot]];
  if (t.control_count == 0) return;
  for (int32_t i = 0; i < t.control_count; ++i) {
    if (w.h->claim_count == w.h->claim_capacity) return w.fail(Fault::kClaims, w.h->claim_capacity);
    w.claim[w.h->claim_count++] = Claim{slot, t.first_control + i, kNone, w.object_row[slot], w.object_col[slot]};
  }
  w.object_flags[slot] = static_cast<uint8_t>(w.object_flags[slot] | kHasClaims);
  refresh_claims(p, w, slot);
}

MG_CALL void withdraw_claims(const Program& p, const World& w, int32_t slot) {
  int32_t kept = 0;
  for (int32_t i = 0; i < w.h->claim_count; ++i) {
    if (w.claim[i].slot == slot) {
      stamp_claim(p, w, w.claim[i], -1);
    } else {
      w.claim[kept++] = w.claim[i];
    }
  }
  w.h->claim_count = kept;
  w.object_flags[slot] = static_cast<uint8_t>(w.object_flags[slot] & ~kHasClaims);
}

}  // namespace mg
