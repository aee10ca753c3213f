// Preloaded by test_allocations.py: counts what asks for memory while Python calls the engine, on any thread.
// glibc only: its allocator can be called under other names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
// Python's own, found in the process.
extern void* PyObject_CallNoArgs(void*);
extern void Py_DecRef(void*);

static atomic_int counting;
static atomic_llong calls;
static _Atomic(void*) first_caller;

static void note(void* caller) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
  if (atomic_fetch_add(&calls, 1) == 0) atomic_store(&first_caller, caller);
}
#define NOTE note(__builtin_return_address(0))

void* malloc(size_t size) {
  NOTE;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  NOTE;
  return __libc_calloc(count, size);
}
void* realloc(void* block, size_t size) {
  NOTE;
  return __libc_realloc(block, size);
}
void* memalign(size_t alignment, size_t size) {
  NOTE;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  NOTE;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, size_t alignment, size_t size) {
  NOTE;
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

// operator new and new[]: plain, without exceptions, aligned. Running out of memory is not handled.
void* _Znwm(size_t size) {
  NOTE;
  return __libc_malloc(size);
}
void* _Znam(size_t size) {
  NOTE;
  return __libc_malloc(size);
}
void* _ZnwmRKSt9nothrow_t(size_t size, const void* tag) {
  NOTE;
  (void)tag;
  return __libc_malloc(size);
}
void* _ZnamRKSt9nothrow_t(size_t size, const void* tag) {
  NOTE;
  (void)tag;
  return __libc_malloc(size);
}
void* _ZnwmSt11align_val_t(size_t size, size_t alignment) {
  NOTE;
  return __libc_memalign(alignment, size);
}
void* _ZnamSt11align_val_t(size_t size, size_t alignment) {
  NOTE;
  return __libc_memalign(alignment, size);
}

// Calls `callable` once per row of the plan, after copying the row to `actions` and `vibe_actions`. Returns the number of
// allocations during the calls, or -1 with Python's error set.
int64_t count_allocations(void* callable, int32_t* actions, int32_t* vibe_actions, const int32_t* plan, int64_t agents,
                          int64_t rows) {
  atomic_store(&calls, 0);
  for (int64_t row = 0; row < rows; ++row, plan += 2 * agents) {
    memcpy(actions, plan, sizeof(int32_t) * (size_t)agents);
    memcpy(vibe_actions, plan + agents, sizeof(int32_t) * (size_t)agents);
    atomic_store(&counting, 1);
    void* result = PyObject_CallNoArgs(callable);
    atomic_store(&counting, 0);
    if (!result) return -1;
    Py_DecRef(result);
  }
  return atomic_load(&calls);
}

// `library+offset` of the code that made the first allocation of the last count.
void describe_first_caller(char* text, size_t size) {
  Dl_info info;
  void* caller = atomic_load(&first_caller);
  if (!dladdr(caller, &info)) {
    snprintf(text, size, "%p", caller);
    return;
  }
  snprintf(text, size, "%s+0x%zx %s", info.dli_fname, (size_t)((char*)caller - (char*)info.dli_fbase),
           info.dli_sname ? info.dli_sname : "");
}
