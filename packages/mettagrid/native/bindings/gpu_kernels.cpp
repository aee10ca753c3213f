// What Python needs to know about the kernels for GPUs, and the kernels themselves, run by the CPU.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <utility>

#include "gpu/emulate.hpp"

namespace bindings {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Numbers = nb::ndarray<const int64_t, nb::numpy, nb::c_contig, nb::device::cpu, nb::ndim<1>>;

nb::list batch_fields() {
  nb::list names;
#define MG_NUMBER_NAME(name) names.append(#name);
#define MG_POINTER_NAME(Type, name) names.append(#name);
  MG_BATCH(MG_NUMBER_NAME, MG_POINTER_NAME)
#undef MG_NUMBER_NAME
#undef MG_POINTER_NAME
  return names;
}

void emulate(const std::string& kernel, const Numbers& fields, uint64_t number) {
  gpu::DeviceBatch batch;
  if (fields.size() * sizeof(int64_t) != sizeof batch) throw std::runtime_error("The batch has the wrong number of fields");
  std::memcpy(&batch, fields.data(), sizeof batch);
  nb::gil_scoped_release unlocked;
  gpu::emulate(kernel, batch, number);
}

}  // namespace

void add_gpu_kernels(nb::module_& module) {
  static_assert(sizeof(gpu::DeviceBatch) % sizeof(int64_t) == 0, "fields of 64 bits");
  module.def("gpu_batch_fields", &batch_fields, "Names of the 64-bit fields of a batch on a GPU, in order");
  module.def(
      "gpu_due", [] { return std::make_pair(int32_t{gpu::kNext}, int32_t{gpu::kStartsOver}); },
      "Codes of worlds that must begin: the next episode, the first one");
  module.def("gpu_view_bytes", [] { return std::make_pair(sizeof(mg::Program), sizeof(mg::World)); }, "Views: program, world");
  module.def("gpu_scratch_bytes", [] { return sizeof(mg::Scratch); }, "Working memory of a world, without its arena");
  module.def("gpu_arena_words", &mg::arena_needed, "slots"_a, "32-bit words for query results of a world");
  module.def("gpu_emulate", &emulate, "kernel"_a, "fields"_a, "number"_a = 0, "Run a kernel on the CPU, in memory of the host");
}

}  // namespace bindings
