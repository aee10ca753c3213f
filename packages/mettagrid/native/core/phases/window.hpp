// Which cells of an agent's window have something to show: bits of a map, brought into the order of the window.
#pragma once

#include "core/processor.hpp"
#include "core/state/world.hpp"

namespace mg {

// A set of window cells; bit i is the cell that is i-th in the order of the window.
struct alignas(16) WindowSet {
  uint64_t words[kWindowWords];
};

#if !defined(__CUDA_ARCH__)
using Wide = uint64_t __attribute__((vector_size(16)));
using Wider = uint64_t __attribute__((vector_size(32)));  // two of them where there is no AVX2
#endif

// The bits of the map around an observer.
struct WindowBits {
  const uint32_t* rows;
  int32_t shift;  // of the first column of the window

  MG_FN static WindowBits around(const World& w, int32_t row, int32_t col) {
    return WindowBits{w.shown_from(row, col), col & (kStripColumns - 1)};
  }
  // `bit`: of a `WindowPlace`.
  MG_FN bool test(int32_t bit) const { return test_bit(rows, bit + shift); }
};

#if defined(__CUDA_ARCH__)

MG_FN WindowSet collect_cells(const World& w, int32_t row, int32_t col) {
  const WindowBits window = WindowBits::around(w, row, col);
  WindowSet seen{};
  for (int32_t i = 0; i < w.scenery.h->window; ++i) {
    seen.words[i >> 6] |= static_cast<uint64_t>(window.test(w.scenery.window_places[i].bit)) << (i & 63);
  }
  return seen;
}

#else

constexpr int32_t kPartBytes = kPartSets * static_cast<int32_t>(sizeof(Wide)), kRowBytes = kRowParts * kPartBytes;
constexpr uint32_t kLastSet = kPartBytes - sizeof(Wide);
static_assert(kRowParts == 3);

// Five columns of a row at a time, by a table. `kHalves`: of the window.
template <int32_t kHalves>
MG_FN void collect_parts(const Scenery& s, const WindowBits& window, Wide* seen) {
  const uint32_t* row = window.rows;
  const uint8_t* sets = reinterpret_cast<const uint8_t*>(s.parts);
  const uint8_t* const end = sets + (2 * s.h->window_rows + 1) * kRowBytes;
  for (; sets != end; sets += kRowBytes, ++row) {
    const uint32_t bits = *row >> window.shift << 4;
    for (int32_t half = 0; half < kHalves; ++half) {
      const auto part = [&](int32_t i) {
        const uint32_t set = bits >> (kPartColumns * i) & kLastSet;
        return *reinterpret_cast<const Wide*>(sets + (half * kWindowSide * kRowParts + i) * kPartBytes + set);
      };
      seen[half] |= part(0) | part(1) | part(2);
    }
  }
}

#if MG_HAS_LEVELS
using Bytes32 = char __attribute__((vector_size(32)));
using Words4 = uint32_t __attribute__((vector_size(16)));
using Words8 = uint32_t __attribute__((vector_size(32)));
using Bytes64 = char __attribute__((vector_size(64)));
using Words16 = uint32_t __attribute__((vector_size(64)));

// All rows at once: `Scenery::shuffles` says for each place of the window in which byte and bit its cell is. For windows of up
// to 128 cells. Reads 16 rows, however many the window has.
__attribute__((target("avx2"))) inline Wide collect_rows(const Scenery& s, const WindowBits& window) {
  Words8 low, high;
  __builtin_memcpy(&low, window.rows, sizeof low);
  __builtin_memcpy(&high, window.rows + 8, sizeof high);
  const uint32_t shift = static_cast<uint32_t>(window.shift), columns = 0x7FFF;
  using Ints8 = int32_t __attribute__((vector_size(32)));
  using Longs4 = long long __attribute__((vector_size(32)));
  const Longs4 packed = reinterpret_cast<Longs4>(__builtin_ia32_packusdw256(reinterpret_cast<Ints8>(low >> shift & columns),
                                                                            reinterpret_cast<Ints8>(high >> shift & columns)));
  const Bytes32 first = reinterpret_cast<Bytes32>(Longs4{packed[0], packed[1], packed[0], packed[1]});
  const Bytes32 second = reinterpret_cast<Bytes32>(Longs4{packed[2], packed[3], packed[2], packed[3]});
  const WindowShuffle* const shuffles = s.shuffles;
  constexpr long long kOnes = 0x0101010101010101;
  const Bytes32 bit = reinterpret_cast<Bytes32>(Longs4{kOnes, kOnes, 2 * kOnes, 2 * kOnes});
  Longs4 seen = {};
  for (int32_t i = kShuffles - 1; i >= 0; --i) {
    Bytes32 from_first, from_second, mask;
    __builtin_memcpy(&from_first, shuffles[i].first, sizeof from_first);
    __builtin_memcpy(&from_second, shuffles[i].second, sizeof from_second);
    __builtin_memcpy(&mask, shuffles[i].mask, sizeof mask);
    const Bytes32 bytes = __builtin_ia32_pshufb256(first, from_first) | __builtin_ia32_pshufb256(second, from_second);
    const Bytes32 is_set = reinterpret_cast<Bytes32>((bytes & mask) == mask);
    seen = (seen << 2) | reinterpret_cast<Longs4>(is_set & bit);
  }
  return Wide{static_cast<uint64_t>(seen[0] | seen[2]), static_cast<uint64_t>(seen[1] | seen[3])};
}
#endif

MG_FN WindowSet collect_cells(const World& w, int32_t row, int32_t col) {
  const WindowBits window = WindowBits::around(w, row, col);
  Wide seen[kWindowWords / 2] = {};
  if (w.scenery.h->window > 128) {
    collect_parts<2>(w.scenery, window, seen);
#if MG_HAS_LEVELS
  } else if (has_level(ProcessorLevel::kAvx2)) {
    seen[0] = collect_rows(w.scenery, window);
#endif
  } else {
    collect_parts<1>(w.scenery, window, seen);
  }
  WindowSet set;
  __builtin_memcpy(&set, seen, sizeof set);
  return set;
}

#endif

#if !defined(__CUDA_ARCH__)

// The elements of every set of eight, in order, a byte each, and their number.
struct ByteSets {
  uint64_t elements[256];
  uint8_t count[256];
};
constexpr ByteSets byte_sets() {
  ByteSets sets{};
  for (uint32_t set = 0; set < 256; ++set) {
    for (uint64_t i = 0; i < 8; ++i) {
      if (set >> i & 1) sets.elements[set] |= i << (8 * sets.count[set]++);
    }
  }
  return sets;
}
inline constexpr ByteSets kByteSets = byte_sets();

// The elements of a window set, in order.
struct Places {
  int64_t count;
  uint8_t at[kWindowWords * 64 + 8];
};

// Eight cells at a time without branches: the number of cells in a set cannot be predicted.
MG_FN void list_by_table(const WindowSet& seen, int32_t window, Places& places) {
  int64_t count = 0;
  for (int32_t k = 0; 64 * k < window; ++k) {
    uint64_t rest = seen.words[k], base = static_cast<uint64_t>(k) * 0x4040404040404040;
    for (int32_t i = 0; i < 8; ++i, rest >>= 8, base += 0x0808080808080808) {
      const uint64_t elements = kByteSets.elements[rest & 255] + base;
      __builtin_memcpy(places.at + count, &elements, sizeof elements);
      count += kByteSets.count[rest & 255];
    }
  }
  places.count = count;
}

#endif

// The window cells that have something to show, as far as the observer sees.
MG_FN WindowSet find_seen(const World& w, int32_t row, int32_t col, int32_t radius) {
  WindowSet seen = collect_cells(w, row, col);
  for (int32_t i = 0; i < kWindowWords; ++i) seen.words[i] &= w.scenery.radius_set[radius * kWindowWords + i];
  return seen;
}

#if !defined(__CUDA_ARCH__)

#if MG_HAS_LEVELS
// The same as a list, for windows of up to 128 cells: a permutation collects the bit of every cell, and a compression lists the
// cells whose bit is set.
__attribute__((target("avx512vbmi,avx512vbmi2,avx512bw,popcnt"))) inline void find_places_avx512(const World& w, int32_t row,
                                                                                                 int32_t col, int32_t radius,
                                                                                                 Places& places) {
  const WindowBits window = WindowBits::around(w, row, col);
  Words16 rows;
  __builtin_memcpy(&rows, window.rows, sizeof rows);
  const Bytes64 bytes = reinterpret_cast<Bytes64>(rows >> static_cast<uint32_t>(window.shift)), none = {};
  Bytes64 from[2], bits[2], numbers;
  __builtin_memcpy(from, w.scenery.permutation->bytes, sizeof from);
  __builtin_memcpy(bits, w.scenery.permutation->bits, sizeof bits);
  for (int32_t i = 0; i < 64; ++i) numbers[i] = static_cast<char>(i);
  const uint64_t* const visible = w.scenery.radius_set + radius * kWindowWords;
  constexpr uint64_t kAll = ~uint64_t{0};
  const Bytes64 first = __builtin_ia32_permvarqi512_mask(bytes, from[0], none, kAll);
  const Bytes64 second = __builtin_ia32_permvarqi512_mask(bytes, from[1], none, kAll);
  const uint64_t low = __builtin_ia32_ptestmb512(first, bits[0], kAll) & visible[0];
  const uint64_t high = __builtin_ia32_ptestmb512(second, bits[1], kAll) & visible[1];
  const Bytes64 low_places = __builtin_ia32_compressqi512_mask(numbers, none, low);
  const Bytes64 high_places = __builtin_ia32_compressqi512_mask(numbers + static_cast<char>(64), none, high);
  const int64_t count = __builtin_popcountll(low);
  __builtin_memcpy(places.at, &low_places, sizeof low_places);
  __builtin_memcpy(places.at + count, &high_places, sizeof high_places);
  places.count = count + __builtin_popcountll(high);
}
#endif

MG_FN void find_places(const World& w, int32_t row, int32_t col, int32_t radius, Places& places) {
  const int32_t window = w.scenery.h->window;
#if MG_HAS_LEVELS
  if (window <= 128 && has_level(ProcessorLevel::kAvx512)) return find_places_avx512(w, row, col, radius, places);
#endif
  list_by_table(find_seen(w, row, col, radius), window, places);
}

#endif

}  // namespace mg
