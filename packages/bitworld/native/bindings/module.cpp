// The extension module `bitworld._native`: each part of the package binds its own names.
#include <nanobind/nanobind.h>

#include "bindings/parts.hpp"

NB_MODULE(_native, module) {
  nanobind::set_leak_warnings(false);
  bitworld::bind_core(module);
  bitworld::bind_among_them(module);
  bitworld::bind_among_them_batch(module);
  bitworld::bind_among_them_picture(module);
  bitworld::bind_infinite_blocks(module);
  bitworld::bind_snappy(module);
}
