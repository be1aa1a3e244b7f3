// Memory of a child: small blocks, packed into one region that is untouched until the fork.
//
// After a fork the first write to each page costs a copy, about a microsecond with all that hangs on it. Python's allocator
// and the C library's keep a page or more per size of block and would write to a hundred shared pages for a trivial
// program; a region of the child's own needs a handful. When it is full, the usual allocators take over.
#pragma once

namespace redqueen::worker {

// Reserves the region, in the warm parent, before its address space is measured.
bool reserve_child_heap();

// Once, in the child: from here on small blocks of Python and of C++ come from the region. What the parent has
// allocated stays what it was, and may be freed or resized.
void open_child_heap();

}  // namespace redqueen::worker
