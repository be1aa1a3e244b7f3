// One function, compiled for several generations of processors; the right one is chosen when the
// program starts.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define REDQUEEN_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define REDQUEEN_VECTOR_CLONES
#endif

// Small functions that must become part of the clone that calls them.
#define REDQUEEN_INLINE static inline __attribute__((always_inline))

// Before a loop of a few turns whose values are to stay in registers.
#if defined(__clang__)
#define REDQUEEN_UNROLL _Pragma("unroll")
#else
#define REDQUEEN_UNROLL _Pragma("GCC unroll 16")
#endif
