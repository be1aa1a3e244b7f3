// What the interpreter has written by the end of its start, as a file in memory.
//
// A fork copies the page tables of ordinary memory, page by page, and the child's end takes them down again: for the heap
// of a warm interpreter that is half of what a trivial job costs, and the job uses a tenth of those pages. Page tables of
// a file are not copied, a child maps what it touches. So the heap and the interpreter's variables become private
// mappings of one sealed file, but for the pages that a rehearsal shows nearly every job to need: these the warm parent
// holds as its own, and each child has them from the start.
#pragma once

#include <functional>

namespace redqueen::worker {

// In the warm parent, once, before the system-call filter. `maps`: /proc/self/maps, open. `rehearsal` runs in a child of
// its own and does what jobs do; it must not pass memory of the heap to the kernel. Where anything is amiss the memory
// stays as it is.
void share_heap(int maps, const std::function<void()>& rehearsal);

}  // namespace redqueen::worker
