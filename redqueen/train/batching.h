// Cuts a batch into pieces: mini-batches (one optimizer update each) and micro-batches (what fits
// into memory).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace redqueen {

// Sizes of one group, in tokens.
struct GroupLengths {
  std::size_t prompt = 0;
  std::vector<std::size_t> responses;
};

// Some responses of one group.
struct GroupSlice {
  std::size_t group = 0;               // position in the input
  std::vector<std::size_t> responses;  // positions in the group, ascending
  bool operator==(const GroupSlice&) const = default;
};

using MicroBatch = std::vector<GroupSlice>;

// Tokens that go through the network for these responses of a group: the prompt once, or once a
// response.
std::size_t slice_tokens(const GroupLengths& lengths, std::span<const std::size_t> responses,
                         bool share_prefix);

// Packs all responses into micro-batches of at most `micro_batch_tokens` each. Groups stay whole
// where they fit, so that their prompt is computed once; a larger group is cut into slices, and a
// single response beyond the budget makes a micro-batch alone. First fit by falling size: close to
// the fewest micro-batches, with groups of like size together, and the same result for the same
// input. Empty responses are left out.
std::vector<MicroBatch> micro_batches(std::span<const GroupLengths> groups,
                                      std::size_t micro_batch_tokens, bool share_prefix);

// Deals items of these sizes out to `parts` workers, so that none has much more than another:
// largest first, each to who has least. An item with a home goes there as long as that worker has
// no more than an equal share. The items of every worker, ascending.
// homes: by item, the worker that would do it with less effort, or -1; empty: no item has one.
std::vector<std::vector<std::size_t>> deal(std::span<const std::size_t> sizes, std::size_t parts,
                                           std::span<const int> homes = {});

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;  // one past the last
};

// `count` items in at most `parts` contiguous ranges whose sizes differ by one at most; none is
// empty.
std::vector<Range> mini_batches(std::size_t count, std::size_t parts);

}  // namespace redqueen
