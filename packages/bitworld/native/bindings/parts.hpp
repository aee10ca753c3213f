#pragma once

#include <nanobind/nanobind.h>

namespace bitworld {

void bind_among_them(nanobind::module_& module);
void bind_among_them_batch(nanobind::module_& module);
void bind_among_them_picture(nanobind::module_& module);
void bind_infinite_blocks(nanobind::module_& module);
void bind_core(nanobind::module_& module);
void bind_snappy(nanobind::module_& module);

}  // namespace bitworld
