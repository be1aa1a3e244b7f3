// Memory of the worker after its start: small blocks, packed into one region for the warm parent and one for each child.
//
// After a fork the first write to each page costs a copy, about a microsecond with all that hangs on it. Python's allocator
// and the C library's keep a page or more per size of block and would write to a hundred shared pages for a trivial
// program; a region of the child's own, untouched until the fork, needs a handful. The parent's region is not forked at
// all: its writes cost nothing, and what it holds of other jobs is not in a child's memory. When a region is full, the
// usual allocators take over.
#pragma once

#include <cstdint>

namespace redqueen::worker {

// Reserves both regions, in the warm parent, before its address space is measured.
bool reserve_heaps();

// Whether `address` lies in what was reserved.
bool is_reserved(std::uintptr_t address);

// From here on, small blocks of C++ in the warm parent come from its region. No child may touch them.
void open_parent_heap();

// Once, in the child: from here on small blocks of Python and of C++ come from its region. What Python has allocated
// before stays what it was, and may be freed or resized.
void open_child_heap();

}  // namespace redqueen::worker
