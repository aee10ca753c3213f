// Territory (rules, section 8): the owner of each cell, stored instead of computed per observer.
//
// A claim that changes only notes the cells it reaches (`note_stale`). Before owners are read next, all noted cells are updated
// together (`settle_territory`): first their owners, then the borders, each by any number of lanes.
#pragma once

#include "core/state/world.hpp"

namespace mg {

// floor(sqrt(x)) for x < 2^52. The root of a double is exact to half a unit on every IEEE platform; the loops only guard.
MG_FN int64_t integer_root(int64_t x) {
  int64_t root = static_cast<int64_t>(__builtin_sqrt(static_cast<double>(x)));
  while (root * root > x) --root;
  while ((root + 1) * (root + 1) <= x) ++root;
  return root;
}

// A map is smaller than 2^16 cells a side, so a longer reach changes nothing and sums with it could overflow.
MG_FN int32_t reach_of(const Control& control) { return min_of(control.strength / control.decay, 1 << 17); }

// The score of a claim, in units of 1/1024, for a cell that it reaches.
MG_FN int64_t score_at(const Control& control, int64_t dr, int64_t dc) {
  const int64_t d2 = dr * dr + dc * dc, reach = reach_of(control);
  if (d2 > reach * reach) return 0;
  return max_of<int64_t>(0, int64_t{control.strength} * 1024 - int64_t{control.decay} * integer_root(d2 * 1024 * 1024));
}

// The claims that reach into a region, by tag.
struct Nearby {
  static constexpr int32_t kMost = 128;  // beyond them, every cell looks at all claims

  const Program& p;
  const World& w;
  const Region& region;
  int32_t claims[kMost], count;
  int64_t strength;  // of all together

  MG_FN Nearby(const Program& program, const World& world, const Region& cells)
      : p(program), w(world), region(cells), count(0), strength(0) {
    for (int32_t i = 0; i < w.h->claim_count; ++i) {
      if (!reaches(w.claim[i])) continue;
      strength += p.controls[w.claim[i].control].strength;
      if (count < kMost) insert(i);
      ++count;
    }
  }

  MG_FN bool reaches(const Claim& claim) const {
    const Control& control = p.controls[claim.control];
    const int32_t reach = reach_of(control);
    return claim.tag >= 0 && control.territory == region.territory && claim.row + reach >= region.top &&
           claim.row - reach <= region.bottom && claim.col + reach >= region.left && claim.col - reach <= region.right;
  }

  MG_FN void insert(int32_t claim) {
    int32_t at = count;
    for (; at > 0 && w.claim[claims[at - 1]].tag > w.claim[claim].tag; --at) claims[at] = claims[at - 1];
    claims[at] = claim;
  }

  template <class Visit>
  MG_FN void for_each(Visit visit) const {
    if (count <= kMost) {
      for (int32_t i = 0; i < count; ++i) visit(w.claim[claims[i]]);
      return;
    }
    for (int32_t tag = 0; tag < p.territories[region.territory].tag_count; ++tag) {
      for (int32_t i = 0; i < w.h->claim_count; ++i) {
        if (w.claim[i].tag == tag && reaches(w.claim[i])) visit(w.claim[i]);
      }
    }
  }

  // Sums of scores fit in 32 bits.
  MG_FN bool is_weak() const { return strength < INT32_MAX / 1024; }
};

// Adjacent columns that a lane computes together: the lanes of a GPU take neighbouring cells, a CPU computes in vectors.
#if defined(__CUDA_ARCH__)
constexpr int32_t kColumns = 1;
#else
constexpr int32_t kColumns = 32;
#endif

// Adds the scores of a claim for cells of one row, from column `left` on.
template <class Total>
MG_FN void add_scores(const Program& p, const Claim& claim, int32_t row, int32_t left, int32_t columns, Total* totals) {
  const Control& control = p.controls[claim.control];
  const int32_t reach = reach_of(control), dr = abs_of(row - claim.row);
  const int32_t first = max_of(left, claim.col - reach), last = min_of(left + columns - 1, claim.col + reach);
  if (dr > reach || first > last) return;
  if (control.first_score < 0) {
    for (int32_t col = first; col <= last; ++col)
      totals[col - left] += static_cast<Total>(score_at(control, dr, col - claim.col));
    return;
  }
  const Integer* scores = p.lists.data + control.first_score + dr * (2 * reach + 1) + first - claim.col + reach;
  for (int32_t i = 0; i <= last - first; ++i) totals[first - left + i] += scores[i].value;
}

MG_FN void set_owner(const Program& p, const World& w, int32_t territory, int32_t cell, int32_t owner) {
  const int32_t cells = w.h->cells;
  if (w.owner[territory * cells + cell] == owner) return;
  w.owner[territory * cells + cell] = static_cast<int16_t>(owner);
  w.mark(w.h->slots);
  if (p.territories.size == 1) return;  // `owner_seen` is `owner`
  int16_t seen = -1;
  for (int32_t k = 0; k < p.territories.size && seen < 0; ++k) seen = w.owner[k * cells + cell];
  w.owner_seen[cell] = seen;
}

// Updates the owners of cells of one row. The owner is the tag with the highest total of all claims that reach the cell; a tie
// for the top leaves it without.
template <class Total>
MG_FN void refresh_row(const Nearby& nearby, int32_t row, int32_t left, int32_t columns) {
  const Program& p = nearby.p;
  const World& w = nearby.w;
  const Territory& t = p.territories[nearby.region.territory];
  Total totals[kColumns] = {}, best[kColumns] = {};
  int32_t found[kColumns], tag = kNone;
  for (int32_t i = 0; i < kColumns; ++i) found[i] = kNone;
  const auto compare = [&] {  // of each cell, the total of `tag` with the best so far
    for (int32_t i = 0; i < kColumns; ++i) {
      found[i] = totals[i] > best[i] ? tag : totals[i] == best[i] ? kNone : found[i];
      best[i] = max_of(best[i], totals[i]);
      totals[i] = 0;
    }
  };
  nearby.for_each([&](const Claim& claim) {
    if (claim.tag != tag) {
      compare();
      tag = claim.tag;
    }
    add_scores(p, claim, row, left, columns, totals);
  });
  compare();
  const int32_t cell = w.cell(row, left);
  for (int32_t i = 0; i < columns; ++i) {
    set_owner(p, w, nearby.region.territory, cell + i, found[i] < 0 ? -1 : p.lists[t.first_tag + found[i]].value);
  }
}

// Visits the cells of a region by lanes: visit(row, first column, columns).
template <class Visit>
MG_FN void share_region(const Region& region, int32_t lane, int32_t lanes, Visit visit) {
  const int32_t pieces = (region.right - region.left) / kColumns + 1;
  for (int32_t i = lane; i < pieces * (region.bottom - region.top + 1); i += lanes) {
    const int32_t left = region.left + i % pieces * kColumns;
    visit(region.top + i / pieces, left, min_of(kColumns, region.right - left + 1));
  }
}

MG_CALL void refresh_owners(const Program& p, const World& w, int32_t lane, int32_t lanes) {
  for (int32_t i = 0; i < w.stale->count; ++i) {
    const Nearby nearby(p, w, w.stale->regions[i]);
    if (nearby.is_weak()) {
      share_region(nearby.region, lane, lanes,
                   [&](int32_t row, int32_t left, int32_t columns) { refresh_row<int32_t>(nearby, row, left, columns); });
    } else {
      share_region(nearby.region, lane, lanes,
                   [&](int32_t row, int32_t left, int32_t columns) { refresh_row<int64_t>(nearby, row, left, columns); });
    }
  }
}

enum Edge : uint8_t { kNorth = 1, kSouth = 2, kEast = 4, kWest = 8 };

// The sides of a cell at which the owner of a neighbour on the map differs.
MG_FN int32_t edges_at(const World& w, int32_t row, int32_t col) {
  const int32_t cell = w.cell(row, col), stride = w.h->stride;
  const int16_t *seen = w.owner_seen + cell, own = *seen;
  return (row > 0 && seen[-stride] != own ? kNorth : 0) | (row + 1 < w.h->height && seen[stride] != own ? kSouth : 0) |
         (col + 1 < w.h->width && seen[1] != own ? kEast : 0) | (col > 0 && seen[-1] != own ? kWest : 0);
}

// Two bits for the owner of a cell, see `World::set_borders`.
MG_FN uint32_t owner_code(const World& w, int32_t cell) {
  const int32_t tag = w.owner_seen[cell], *known = w.h->owner_tag;
  return tag < 0 ? 0 : tag == known[0] ? 1 : tag == known[1] ? 2 : 3;
}

// The borders of a cell, from the owners.
MG_FN uint32_t borders_at(const World& w, int32_t row, int32_t col) {
  const int32_t edges = edges_at(w, row, col), cell = w.cell(row, col), stride = w.h->stride;
  if (!w.has_few_owners()) return static_cast<uint32_t>(edges);
  const int32_t neighbours[4] = {cell - stride, cell + stride, cell + 1, cell - 1};  // in the order of the Edge bits
  const uint32_t own = owner_code(w, cell);
  uint32_t fields = own;
  for (int32_t i = 0; i < 4; ++i) {
    if (edges >> i & 1) fields |= (own ^ owner_code(w, neighbours[i])) << (2 * i + 2);
  }
  return fields;
}

// The `Edge` bits in the borders of a cell.
MG_FN int32_t edges_in(const World& w, int32_t cell) {
  const uint32_t fields = w.grid[cell].borders();
  if (!w.has_few_owners()) return static_cast<int32_t>(fields);
  const uint32_t sides = (fields | fields >> 1) >> 2;
  return static_cast<int32_t>((sides & 1) | (sides >> 1 & 2) | (sides >> 2 & 4) | (sides >> 3 & 8));
}

// Updates the borders of the noted cells and their neighbours, after the owners.
MG_CALL void refresh_edges(const World& w, int32_t lane, int32_t lanes) {
  if (!w.h->shows_territory) return;
  for (int32_t i = 0; i < w.stale->count; ++i) {
    Region region = w.stale->regions[i];
    region.top = max_of(0, region.top - 1);
    region.left = max_of(0, region.left - 1);
    region.bottom = min_of(w.h->height - 1, region.bottom + 1);
    region.right = min_of(w.h->width - 1, region.right + 1);
    share_region(region, lane, lanes, [&](int32_t row, int32_t left, int32_t columns) {
      for (int32_t col = left; col < left + columns; ++col) {
        const uint32_t borders = borders_at(w, row, col);
        if (w.grid[w.cell(row, col)].borders() != borders) w.set_borders(row, col, borders);
      }
    });
  }
}

MG_FN bool is_stale(const World& w) { return w.stale->count > 0; }
MG_FN void forget_stale(const World& w) { w.stale->count = 0; }

MG_RARE void settle_stale(const Program& p, const World& w) {
  refresh_owners(p, w, 0, 1);
  refresh_edges(w, 0, 1);
  forget_stale(w);
}

// Brings owners and borders up to date, by one lane.
MG_FN void settle_territory(const Program& p, const World& w) {
  if (is_stale(w)) settle_stale(p, w);
}

MG_CALL void note_region(const Program& p, const World& w, const Region& region) {
  StaleRegions& stale = *w.stale;
  for (int32_t i = 0; i < stale.count; ++i) {
    const Region& noted = stale.regions[i];
    if (noted.territory == region.territory && noted.top <= region.top && noted.left <= region.left &&
        noted.bottom >= region.bottom && noted.right >= region.right) {
      return;
    }
  }
  if (stale.count == kStaleRegions) settle_territory(p, w);
  stale.regions[stale.count++] = region;
}

// Notes the cells that a claim of this control reaches from this place.
MG_FN void note_stale(const Program& p, const World& w, const Control& control, int32_t row, int32_t col) {
  const int32_t reach = reach_of(control);
  note_region(p, w,
              Region{control.territory, max_of(0, row - reach), max_of(0, col - reach), min_of(w.h->height - 1, row + reach),
                     min_of(w.h->width - 1, col + reach)});
}

// Index of the lowest tag of the object that can own the territory, or kNone.
MG_FN int32_t claiming_tag(const Program& p, const World& w, int32_t slot, const Territory& t) {
  for (int32_t i = 0; i < t.tag_count; ++i) {
    if (test_bit(w.tags(slot), p.lists[t.first_tag + i].value)) return i;
  }
  return kNone;
}

// Changes a claim; the cells around its old and its new place are out of date then.
MG_CALL void restamp_claim(const Program& p, const World& w, Claim& claim, int32_t tag, int32_t row, int32_t col) {
  const Control& control = p.controls[claim.control];
  const bool moves = row != claim.row || col != claim.col;
  const int32_t old_row = claim.row, old_col = claim.col;
  const bool leaves = claim.tag >= 0 && moves;
  claim.tag = tag;
  claim.row = row;
  claim.col = col;
  if (leaves) note_stale(p, w, control, old_row, old_col);
  note_stale(p, w, control, row, col);
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
