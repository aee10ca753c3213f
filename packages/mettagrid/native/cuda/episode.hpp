// An episode file: a program, a map, a seed, the actions of every step, and the expected results.
//
// 32-bit words in the order of `Episode`; `scripts/gpu_episode.py` writes them.
#pragma once

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/create.hpp"

namespace gpu {

struct Episode {
  static constexpr int32_t kMagic = 0x4550474D;  // "MGPE"

  int32_t words, height, width, agents, tokens, steps, hashes;  // hashes: 0 or steps + 1
  uint32_t seed;
  std::vector<int32_t> program;                // [words]
  std::vector<int32_t> cells, stats;           // [height][width], see mg::Map
  std::vector<int32_t> actions, vibe_actions;  // [steps][agents]
  std::vector<uint32_t> digests;               // [steps + 1] of the outputs (`digest`), starting before the first step
  std::vector<uint64_t> state_hashes;          // [hashes], likewise
};

// CRC-32 (that of zlib) of some bytes, continued from `before`.
inline uint32_t crc32(const void* bytes, std::size_t count, uint32_t before = 0) {
  uint32_t crc = ~before;
  const uint8_t* at = static_cast<const uint8_t*>(bytes);
  for (std::size_t i = 0; i < count; ++i) {
    crc ^= at[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

// Of one world's outputs.
inline uint32_t digest(const mg::Buffers& io, int32_t agents) {
  const std::size_t n = static_cast<std::size_t>(agents);
  uint32_t crc = crc32(io.observations, n * static_cast<std::size_t>(io.tokens) * 3);
  crc = crc32(io.rewards, n * sizeof(float), crc);
  crc = crc32(io.terminals, n, crc);
  return crc32(io.truncations, n, crc);
}

namespace detail {

class Words {
 public:
  explicit Words(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    const std::streamoff bytes = file.tellg();
    words_.resize(static_cast<std::size_t>(bytes) / 4);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(words_.data()), static_cast<std::streamsize>(words_.size() * 4));
    if (bytes % 4 != 0 || !file) refuse();
  }
  int32_t next() { return take<int32_t>(1)[0]; }

  template <class T>
  std::vector<T> take(int64_t count) {
    if (count < 0 || count > static_cast<int64_t>((words_.size() - at_) * 4 / sizeof(T))) refuse();
    std::vector<T> taken(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(taken.data(), words_.data() + at_, taken.size() * sizeof(T));
    at_ += taken.size() * sizeof(T) / 4;
    return taken;
  }
  bool at_end() const { return at_ == words_.size(); }

  [[noreturn]] void refuse() const {
    throw std::runtime_error(path_ + ": not an episode file, or of another version; write it again with gpu_episode.py");
  }

 private:
  std::string path_;
  std::vector<int32_t> words_;
  std::size_t at_ = 0;
};

// The tables are inside the program, the map refers to existing templates, all sizes are positive.
inline bool is_sound(const Episode& e) {
  const int64_t size = static_cast<int64_t>(e.program.size());
  if (e.height < 1 || e.width < 1 || e.agents < 1 || e.tokens < 0 || size < 2 * mg::Program::kTables) return false;
  const int32_t* head = e.program.data();
#define MG_FITS(Row, name)                                                                                          \
  if (head[0] < 0 || head[1] < 0 || head[0] + int64_t{head[1]} * int64_t{sizeof(mg::Row) / 4} > size) return false; \
  head += 2;
  MG_TABLES(MG_FITS)
#undef MG_FITS
  const mg::Program p = mg::Program::view(e.program.data());
  if (p.settings.size != 1) return false;
  int32_t agents = 0;
  for (std::size_t i = 0; i < e.cells.size(); ++i) {
    if (e.cells[i] < -1 || e.cells[i] >= p.templates.size) return false;
    if (e.cells[i] >= 0 && (e.stats[i] < 0 || e.stats[i] >= p.set().game_stat_count)) return false;
    agents += e.cells[i] >= 0 && p.templates[e.cells[i]].is_agent;
  }
  return agents == e.agents;
}

}  // namespace detail

inline Episode read_episode(const std::string& path) {
  detail::Words file(path);
  Episode e;
  if (file.next() != Episode::kMagic) file.refuse();
  for (int32_t* size : {&e.words, &e.height, &e.width, &e.agents, &e.tokens, &e.steps, &e.hashes}) *size = file.next();
  e.seed = static_cast<uint32_t>(file.next());
  e.program = file.take<int32_t>(e.words);
  e.cells = file.take<int32_t>(int64_t{e.height} * e.width);
  e.stats = file.take<int32_t>(int64_t{e.height} * e.width);
  e.actions = file.take<int32_t>(int64_t{e.steps} * e.agents);
  e.vibe_actions = file.take<int32_t>(int64_t{e.steps} * e.agents);
  e.digests = file.take<uint32_t>(int64_t{e.steps} + 1);
  e.state_hashes = file.take<uint64_t>(e.hashes);
  if (!file.at_end() || (e.hashes != 0 && e.hashes != e.steps + 1) || !detail::is_sound(e)) file.refuse();
  return e;
}

}  // namespace gpu
