// Plays recorded episodes on a GPU and on the CPU and compares everything after each step: blocks byte for byte, hashes
// computed on either side, observations, rewards and flags, and the expected results in the episode file.
//
// usage: check_episode [--worlds N] EPISODE ...     world 0 has the seed of the episode, world k that plus k
//
// Compiled with METTAGRID_HOST_ONLY the CPU plays both parts, which only checks this program itself.
#include <cstdio>
#include <filesystem>

#include "cuda/episode.hpp"
#include "cuda/place.hpp"

namespace gpu {
namespace {

#if defined(METTAGRID_HOST_ONLY)
using Device = Host;
#else
using Device = Gpu;
#endif

using Bytes = std::vector<uint8_t>;

// The results of a step, all worlds one after the other.
struct Outcome {
  Bytes blocks, hashes, observations, rewards, terminals, truncations;
};

// The worlds of an episode in one place.
template <class Place>
class Worlds {
 public:
  Worlds(const Episode& e, const Bytes& image, const Bytes& scenery, int32_t slots, int32_t worlds) {
    const int64_t rows = int64_t{worlds} * e.agents;
    batch_.worlds = worlds;
    batch_.agents = e.agents;
    batch_.tokens = e.tokens;
    batch_.seed = e.seed;
    batch_.bytes = image.size();
    batch_.arena_size = mg::arena_needed(slots);
    int32_t* words = zeroed<int32_t>(e.words);
    Place::upload(words, e.program.data(), e.program.size() * sizeof(int32_t));
    batch_.words = words;
    uint8_t* start = zeroed<uint8_t>(static_cast<int64_t>(image.size()));
    Place::upload(start, image.data(), image.size());
    batch_.image = start;
    uint8_t* fixed = zeroed<uint8_t>(static_cast<int64_t>(scenery.size()));
    Place::upload(fixed, scenery.data(), scenery.size());
    batch_.scenery = fixed;
    batch_.blocks = zeroed<uint8_t>(worlds * static_cast<int64_t>(image.size()));
    batch_.hashes = zeroed<uint64_t>(worlds);
    batch_.scratch = zeroed<mg::Scratch>(worlds);
    batch_.arenas = zeroed<int32_t>(int64_t{worlds} * batch_.arena_size);
    batch_.observations = zeroed<uint8_t>(rows * e.tokens * 3);
    batch_.rewards = zeroed<float>(rows);
    batch_.terminals = zeroed<bool>(rows);
    batch_.truncations = zeroed<bool>(rows);
    batch_.actions = actions_ = zeroed<int32_t>(e.agents);
    batch_.vibe_actions = vibe_actions_ = zeroed<int32_t>(e.agents);
  }
  Worlds(const Worlds&) = delete;
  Worlds& operator=(const Worlds&) = delete;
  ~Worlds() {
    for (void* memory : taken_) Place::release(memory);
  }

  void start() { Place::start(batch_); }

  void step(const int32_t* actions, const int32_t* vibe_actions) {
    const std::size_t bytes = static_cast<std::size_t>(batch_.agents) * sizeof(int32_t);
    Place::upload(actions_, actions, bytes);
    Place::upload(vibe_actions_, vibe_actions, bytes);
    Place::step(batch_);
  }

  Outcome outcome() const {
    const std::size_t worlds = static_cast<std::size_t>(batch_.worlds), rows = worlds * static_cast<std::size_t>(batch_.agents);
    return Outcome{fetched(batch_.blocks, worlds * batch_.bytes),
                   fetched(batch_.hashes, worlds * sizeof(uint64_t)),
                   fetched(batch_.observations, rows * static_cast<std::size_t>(batch_.tokens) * 3),
                   fetched(batch_.rewards, rows * sizeof(float)),
                   fetched(batch_.terminals, rows),
                   fetched(batch_.truncations, rows)};
  }

 private:
  template <class T>
  T* zeroed(int64_t count) {
    taken_.push_back(Place::zeroed(static_cast<std::size_t>(count) * sizeof(T) + 1));  // never nothing
    return static_cast<T*>(taken_.back());
  }
  static Bytes fetched(const void* from, std::size_t bytes) {
    Bytes copy(bytes);
    Place::download(copy.data(), from, bytes);
    return copy;
  }

  Batch batch_{};
  int32_t *actions_, *vibe_actions_;
  std::vector<void*> taken_;
};

// The array of a block that contains a byte, and the position in it. The places do not depend on the scenery.
std::string place_in_block(uint8_t* block, uint64_t at) {
  const mg::SceneryHead none{};
  const mg::World w = mg::World::view(block, &none);
  std::string found = "header, byte " + std::to_string(at);
#define MG_NAME(Type, name, count)                                                                             \
  if (const uint64_t first = static_cast<uint64_t>(reinterpret_cast<uint8_t*>(w.name) - block); at >= first) { \
    found = std::string(#name "[") + std::to_string((at - first) / sizeof(*w.name)) + "]";                     \
  }
  MG_ARRAYS(MG_NAME)
#undef MG_NAME
  return found;
}

// "" or the place of the first difference.
std::string difference(const char* what, const Bytes& cpu, const Bytes& device, int32_t worlds, bool is_block = false) {
  if (cpu == device) return "";
  std::size_t at = 0;
  while (cpu[at] == device[at]) ++at;
  const std::size_t each = cpu.size() / static_cast<std::size_t>(worlds), inside = at % each;
  Bytes one(cpu.data() + (at - inside), cpu.data() + (at - inside + each));
  const std::string place = is_block ? place_in_block(one.data(), inside) : "byte " + std::to_string(inside);
  return std::string(what) + " of world " + std::to_string(at / each) + " differ: " + place + " is " + std::to_string(cpu[at]) +
         " on the CPU and " + std::to_string(device[at]) + " on the device";
}

std::string difference(const Outcome& cpu, const Outcome& device, int32_t worlds) {
  for (const std::string& text : {difference("observations", cpu.observations, device.observations, worlds),
                                  difference("rewards", cpu.rewards, device.rewards, worlds),
                                  difference("terminals", cpu.terminals, device.terminals, worlds),
                                  difference("truncations", cpu.truncations, device.truncations, worlds),
                                  difference("blocks", cpu.blocks, device.blocks, worlds, true),
                                  difference("hashes", cpu.hashes, device.hashes, worlds)}) {
    if (!text.empty()) return text;
  }
  return "";
}

// Compares the results of world 0 with the file, and the hash of its block with the hash computed on the device.
std::string difference_from_file(const Episode& e, Outcome& device, const Bytes& scenery, std::size_t step) {
  const mg::Buffers io{device.observations.data(),
                       e.tokens,
                       reinterpret_cast<bool*>(device.terminals.data()),
                       reinterpret_cast<bool*>(device.truncations.data()),
                       reinterpret_cast<float*>(device.rewards.data()),
                       nullptr,
                       nullptr};
  if (digest(io, e.agents) != e.digests[step]) return "observations, rewards or flags are not those of the file";
  uint64_t hash;
  std::memcpy(&hash, device.hashes.data(), sizeof hash);
  if (mg::state_hash(mg::World::view(device.blocks.data(), scenery.data())) != hash) return "the device has another hash for the same block";
  if (e.hashes > 0 && hash != e.state_hashes[step]) return "the state's hash is not that of the file";
  return "";
}

bool is_equal(const std::string& path, int32_t worlds) {
  const Episode e = read_episode(path);
  const mg::Program p = mg::Program::view(e.program.data());
  const mg::Map map{e.cells.data(), e.stats.data(), e.height, e.width};
  const mg::Header plan = mg::plan_world(p, map);
  if (plan.bytes == 0) throw std::runtime_error(path + ": the world is too large");
  const mg::SceneryHead head = mg::plan_scenery(p, plan, plan.slots - plan.actors);
  const cpu::Block block = cpu::zeroed_block(plan.bytes), fixed = cpu::zeroed_block(head.bytes);
  mg::build_map_scenery(p, map, plan, head, fixed.get());
  mg::build_world(p, map, plan, block.get(), fixed.get());
  const Bytes scenery(static_cast<uint8_t*>(fixed.get()), static_cast<uint8_t*>(fixed.get()) + head.bytes);
  const Bytes image(static_cast<uint8_t*>(block.get()), static_cast<uint8_t*>(block.get()) + plan.bytes);
  Worlds<Host> cpu(e, image, scenery, plan.slots, worlds);
  Worlds<Device> device(e, image, scenery, plan.slots, worlds);
  cpu.start();
  device.start();
  int32_t step = 0;
  std::string found;
  while (true) {
    Outcome here = cpu.outcome(), there = device.outcome();
    found = difference(here, there, worlds);
    if (found.empty()) found = difference_from_file(e, there, scenery, static_cast<std::size_t>(step));
    if (!found.empty() || step == e.steps) break;
    const int64_t row = int64_t{step} * e.agents;
    cpu.step(e.actions.data() + row, e.vibe_actions.data() + row);
    device.step(e.actions.data() + row, e.vibe_actions.data() + row);
    ++step;
  }
  const int32_t equal = found.empty() ? step : step > 0 ? step - 1 : 0;
  std::printf("%s: %d of %d steps equal\n", std::filesystem::path(path).stem().c_str(), equal, e.steps);
  if (!found.empty()) std::printf("  step %d: %s\n", step, found.c_str());  // step 0: before the first
  std::fflush(stdout);
  return found.empty();
}

int check(const std::vector<std::string>& paths, int32_t worlds) {
  std::printf("%d worlds per episode on %s and on the CPU\n", worlds, Device::name().c_str());
  std::fflush(stdout);
  std::size_t equal = 0;
  for (const std::string& path : paths) equal += is_equal(path, worlds);
  std::printf("%zu of %zu episodes equal\n", equal, paths.size());
  return equal == paths.size() ? 0 : 1;
}

}  // namespace
}  // namespace gpu

int main(int count, char** words) {
  std::vector<std::string> paths(words + 1, words + count);
  int32_t worlds = 8;
  if (paths.size() >= 2 && paths[0] == "--worlds") {
    worlds = std::atoi(paths[1].c_str());
    paths.erase(paths.begin(), paths.begin() + 2);
  }
  if (paths.empty() || worlds < 1) {
    std::fprintf(stderr, "usage: check_episode [--worlds N] EPISODE ...\n");
    return 2;
  }
  try {
    return gpu::check(paths, worlds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "check_episode: %s\n", error.what());
    return 2;
  }
}
