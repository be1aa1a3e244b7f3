// Memory of a child: small blocks, packed into one region.
//
// After a fork the first write to each page costs a copy, about a microsecond with all that hangs
// on it. Python's allocator and the C library's keep a page or more per size of block and would
// write to a hundred shared pages for a trivial program; a private region, untouched until the
// fork, needs a handful. When it is full, the usual allocators take over.
#pragma once

#include <cstdint>

namespace redqueen::sandbox::worker {

// Reserves the region, in the warm parent, before its address space is measured.
bool reserve_heaps();

// True if `address` lies in what was reserved.
bool is_reserved(std::uintptr_t address);

// Once, in the child: from here on small blocks of Python and of C++ come from its region. What
// Python has allocated before stays what it was, and may be freed or resized. `threads`: only what
// Python guards with its lock.
void open_child_heap(bool threads = false);

}  // namespace redqueen::sandbox::worker
