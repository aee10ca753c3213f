// The tokens of objects: each actor has a line, in which they are encoded, and so has all scenery of a template. Observing an
// object copies its line (observe.hpp).
#pragma once

#include "core/processor.hpp"
#include "core/state/objects.hpp"

namespace mg {

// One token; may touch the byte behind it.
MG_FN void put_token(uint8_t* at, uint32_t location, uint32_t feature, uint32_t value) {
#if !defined(__CUDA_ARCH__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint32_t token = location | (feature & 255) << 8 | (value & 255) << 16;
  __builtin_memcpy(at, &token, sizeof token);
#else
  at[0] = static_cast<uint8_t>(location);
  at[1] = static_cast<uint8_t>(feature);
  at[2] = static_cast<uint8_t>(value);
#endif
}

// Digits low to high in the number base of the game; the first is always written.
template <class Put>
MG_FN void put_number(int32_t base, int32_t feature, uint32_t value, Put put) {
  const uint32_t b = static_cast<uint32_t>(base);
  for (; value >= b; value /= b) put(feature++, static_cast<int32_t>(value % b));
  put(feature, static_cast<int32_t>(value));
}

// The parts of an object that observers see.
struct Look {
  const uint32_t* tags;
  const uint16_t* held;
  const uint8_t* order;
  int32_t vibe, agent, group;
  bool hides_held;
};

MG_FN Look look_of_actor(const Program& p, const World& w, int32_t slot) {
  const int32_t resources = w.h->resources;
  const bool hides = (w.object_flags[slot] & kSpawned) != 0 && !p.set().correct_spawned;
  return Look{w.object_tags + slot * w.h->tag_words,
              w.inventory + slot * resources,
              w.held_order + slot * resources,
              w.object_vibe[slot],
              w.object_agent[slot],
              p.templates[w.object_template[slot]].group,
              hides};
}

MG_FN Look look_of(const Program& p, const World& w, int32_t slot) {
  if (!w.is_scenery(slot)) return look_of_actor(p, w, slot);
  return Look{w.tags(slot), w.held(slot), w.order(slot), w.vibe(slot), kNone, p.templates[w.kind(slot)].group, false};
}

template <class Put>
MG_FN void look_tokens(const Settings& set, const Look& look, Put put) {
  for_each_bit(look.tags, set.tag_words, [&](int32_t tag) { put(set.feature_tag, tag); });
  if (look.vibe != 0) put(set.feature_vibe, look.vibe);
  for (int32_t i = 0; !look.hides_held && i < set.resource_count && look.order[i] != kNoResource; ++i) {
    const int32_t feature = set.feature_inventory + look.order[i] * set.inventory_digits;
    put_number(set.obs_base, feature, look.held[look.order[i]], put);
  }
  if (look.agent < 0) return;
  put(set.feature_group, look.group);
  put(set.feature_agent_id, look.agent & 255);
}

template <class Put>
MG_FN void object_tokens(const Program& p, const World& w, int32_t slot, Put put) {
  look_tokens(p.set(), look_of(p, w, slot), put);
}

MG_CALL void encode_line(const Settings& set, const Look& look, uint8_t* line) {
  uint8_t *at = line, *const end = line + 3 * kLineTokens;
  look_tokens(set, look, [&](int32_t feature, int32_t value) {
    if (at < end) put_token(at, 0, static_cast<uint32_t>(feature), static_cast<uint32_t>(value));
    at += 3;
  });
  line[kLine - 1] = at <= end ? static_cast<uint8_t>((at - line) / 3) : kLineTooLong;
}

#if MG_HAS_LEVELS
constexpr int32_t kMostAtOnce = 16;  // resources

// The tokens of the tags of one object, for others with the same tags.
struct TagTokens {
  const uint32_t* tags = nullptr;
  int32_t bytes = 0;  // more than `kLine` if there are too many
  uint8_t tokens[kLine - 3 * kMostAtOnce + 4];

  MG_FN void encode(const Settings& set, const uint32_t* of) {
    bool is_same = tags != nullptr;
    for (int32_t i = 0; is_same && i < set.tag_words; ++i) is_same = of[i] == tags[i];
    if (is_same) return;
    tags = of;
    bytes = 0;
    for_each_bit(of, set.tag_words, [&](int32_t tag) {
      if (bytes > kLine - 3 * kMostAtOnce - 3) {
        bytes = kLine + 1;
      } else {
        put_token(tokens + bytes, 0, static_cast<uint32_t>(set.feature_tag), static_cast<uint32_t>(tag));
        bytes += 3;
      }
    });
  }
};

// The same without branches on what the object holds, which would be mispredicted: all resources in the order of `look.order`
// become tokens at once. False if the object holds too much for that. Reads 16 values of `order` and `held`, however many
// resources there are: both arrays lie inside a block.
__attribute__((target("avx2,bmi,popcnt"))) inline bool encode_line_avx2(const Settings& set, const Look& look, TagTokens& tags,
                                                                        uint8_t* line) {
  using Bytes = char __attribute__((vector_size(16)));
  using Numbers = uint8_t __attribute__((vector_size(16)));
  using Shorts = short __attribute__((vector_size(16)));
  constexpr char k = -1;  // a byte that stays 0
  const int32_t resources = set.resource_count;
  if (resources > kMostAtOnce || set.obs_base != 256 || look.hides_held) return false;
  tags.encode(set, look.tags);
  if (tags.bytes > kLine) return false;
  __builtin_memcpy(line, tags.tokens, 16);
  uint8_t* at = line + tags.bytes;
  const auto put = [&](int32_t feature, int32_t value) {
    put_token(at, 0, static_cast<uint32_t>(feature), static_cast<uint32_t>(value));
    at += 3;
  };
  put_token(at, 0, static_cast<uint32_t>(set.feature_vibe), static_cast<uint32_t>(look.vibe));
  at += look.vibe != 0 ? 3 : 0;
  if (at > line + kLine - 3 * kMostAtOnce) return false;

  Bytes order;
  Shorts held[2];
  __builtin_memcpy(&order, look.order, sizeof order);
  __builtin_memcpy(held, look.held, sizeof held);
  const uint32_t exists = (1u << resources) - 1;
  const Shorts most = Shorts{} + 255;
  const Bytes fits = __builtin_ia32_packsswb128(__builtin_ia32_pminuw128(held[0], most) == held[0],
                                                __builtin_ia32_pminuw128(held[1], most) == held[1]);
  if ((static_cast<uint32_t>(__builtin_ia32_pmovmskb128(fits)) & exists) != exists) return false;
  const uint32_t ends = static_cast<uint32_t>(__builtin_ia32_pmovmskb128(order == Bytes{} + static_cast<char>(kNoResource)));
  const int32_t count = lowest_bit(ends | ~exists);
  const Bytes values = __builtin_ia32_pshufb128(__builtin_ia32_packuswb128(held[0], held[1]), order);
  const Numbers numbers = reinterpret_cast<Numbers>(order) * static_cast<uint8_t>(set.inventory_digits);
  const Bytes features = reinterpret_cast<Bytes>(numbers + static_cast<uint8_t>(set.feature_inventory));
  const auto third = [&](const Bytes& of_features, const Bytes& of_values, int32_t i) __attribute__((target("avx2"))) {
    const Bytes tokens = __builtin_ia32_pshufb128(features, of_features) | __builtin_ia32_pshufb128(values, of_values);
    __builtin_memcpy(at + 16 * i, &tokens, sizeof tokens);
  };
  third(Bytes{k, 0, k, k, 1, k, k, 2, k, k, 3, k, k, 4, k, k}, Bytes{k, k, 0, k, k, 1, k, k, 2, k, k, 3, k, k, 4, k}, 0);
  third(Bytes{5, k, k, 6, k, k, 7, k, k, 8, k, k, 9, k, k, 10}, Bytes{k, 5, k, k, 6, k, k, 7, k, k, 8, k, k, 9, k, k}, 1);
  third(Bytes{k, k, 11, k, k, 12, k, k, 13, k, k, 14, k, k, 15, k}, Bytes{10, k, k, 11, k, k, 12, k, k, 13, k, k, 14, k, k, 15},
        2);
  at += 3 * count;
  if (at > line + 3 * (kLineTokens - 2)) return false;
  if (look.agent >= 0) {
    put(set.feature_group, look.group);
    put(set.feature_agent_id, look.agent & 255);
  }
  line[kLine - 1] = static_cast<uint8_t>((at - line) / 3);
  return true;
}
#endif

// Encodes the lines of the actors that have changed. Lanes share them word by word. The line of slot 0 has no tokens, so that
// empty cells can be observed like others.
MG_FN void freshen_lines(const Program& p, const World& w, int32_t lane, int32_t lanes) {
#if MG_HAS_LEVELS
  TagTokens tags;
#endif
  for (int32_t i = lane; i < (w.actors + 31) / 32; i += lanes) {
    for (uint32_t rest = w.dirty[i] & (i == 0 ? ~1u : ~0u); rest != 0; rest &= rest - 1) {
      const int32_t slot = 32 * i + lowest_bit(rest);
      const Look look = look_of_actor(p, w, slot);
#if MG_HAS_LEVELS
      if (has_level(ProcessorLevel::kAvx2) && encode_line_avx2(p.set(), look, tags, w.lines[slot].bytes)) continue;
#endif
      encode_line(p.set(), look, w.lines[slot].bytes);
    }
    w.dirty[i] = 0;
  }
}

}  // namespace mg
