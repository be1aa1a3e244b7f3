// Does work on the pieces of a range, on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace redqueen {

// Calls work(first, last) for the pieces of [0, count), `grain` elements each, on up to `threads`
// threads (0: one per core), of which the caller's is one. Any thread may get any piece, so each
// call of work() writes to places that no other call touches. Returns when all pieces are done. An
// exception of work() is thrown again here; pieces that have not begun are then left out.
void parallel_chunks(std::size_t count, std::size_t grain, int threads,
                     const std::function<void(std::size_t first, std::size_t last)>& work);

}  // namespace redqueen
