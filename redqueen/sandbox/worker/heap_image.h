// Moves the memory that the interpreter wrote during its start into a file in memory.
//
// A fork copies the page tables of ordinary memory, page by page, and the child's end takes them
// down again: for the heap of a warm interpreter that is half of what a trivial job costs, and the
// job uses a tenth of those pages. Page tables of a file are not copied, a child maps what it
// touches. So the heap and the interpreter's variables become private mappings of one sealed file,
// but for the pages that a rehearsal shows nearly every job to need: these the warm parent holds as
// its own, and each child has them from the start.
#pragma once

#include <functional>

namespace redqueen::sandbox::worker {

// The code that is rehearsed, in two parts: `every` runs what each job does, even the smallest;
// `many`, what most do. They run one after the other in a separate child, and must not pass memory
// of the heap to the kernel.
struct Rehearsal {
  std::function<void()> every;
  std::function<void()> many;
};

// In the warm parent, once, before the system-call filter. `maps`: /proc/self/maps, open. Where
// anything is amiss the memory stays as it is.
void share_heap(int maps, const Rehearsal& rehearsal);

// In a child that waits for its job: takes its own copies of the pages that every job writes to, so
// that the job need not.
void copy_written_pages();

}  // namespace redqueen::sandbox::worker
