// A hash of bytes: four streams of multiply and fold, joined at the end. Not cryptographic.
#pragma once

#include "core/state/world.hpp"

namespace mg {

MG_FN uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 32);
}

// `bytes` is a multiple of 32, and the block is aligned.
MG_FN uint64_t hash_block(const void* block, uint64_t bytes) {
  const uint64_t* words = static_cast<const uint64_t*>(block);
  uint64_t streams[4] = {bytes, 1, 2, 3};
  for (uint64_t i = 0; i < bytes / 8; i += 4) {
    for (int32_t k = 0; k < 4; ++k) streams[k] = mix(streams[k], words[i + static_cast<uint64_t>(k)]);
  }
  return mix(mix(streams[0], streams[1]), mix(streams[2], streams[3]));
}

// The objects of a scenery are padded with zeros to whole lines.
MG_FN uint64_t scenery_hash(const Scenery& s) {
  return hash_block(s.objects, Scenery::align(static_cast<uint64_t>(s.h->objects + 1) * sizeof(SceneryObject)));
}

// Version 5: rows of cells are not padded. Borders count with the cells, scenery through its own hash.
MG_FN uint64_t state_hash(const World& w) { return mix(hash_block(w.h, w.h->state_bytes), w.scenery.h->hash); }

}  // namespace mg
