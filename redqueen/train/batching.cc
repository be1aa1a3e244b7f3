#include "redqueen/train/batching.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace redqueen {
namespace {

struct SizedSlice {
  GroupSlice slice;
  std::size_t tokens = 0;
};

// The group whole, or cut into slices that fit.
void append_slices(std::size_t index, const GroupLengths& group, std::size_t micro_batch_tokens,
                   bool share_prefix, std::vector<SizedSlice>& slices) {
  SizedSlice current{{index, {}}, 0};
  for (std::size_t i = 0; i < group.responses.size(); ++i) {
    if (group.responses[i] == 0) continue;
    const bool first = current.slice.responses.empty();
    const std::size_t added = group.responses[i] + (first || !share_prefix ? group.prompt : 0);
    if (!first && current.tokens + added > micro_batch_tokens) {
      slices.push_back(std::exchange(current, {{index, {}}, 0}));
      current.tokens = group.prompt;
      current.tokens += group.responses[i];
    } else {
      current.tokens += added;
    }
    current.slice.responses.push_back(i);
  }
  if (!current.slice.responses.empty()) slices.push_back(std::move(current));
}

}  // namespace

std::size_t slice_tokens(const GroupLengths& lengths, std::span<const std::size_t> responses,
                         bool share_prefix) {
  std::size_t total = lengths.prompt * (share_prefix ? 1 : responses.size());
  for (const std::size_t response : responses) total += lengths.responses[response];
  return total;
}

std::vector<MicroBatch> micro_batches(std::span<const GroupLengths> groups,
                                      std::size_t micro_batch_tokens, bool share_prefix) {
  std::vector<SizedSlice> slices;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    append_slices(i, groups[i], micro_batch_tokens, share_prefix, slices);
  }
  std::ranges::stable_sort(slices, std::greater<>(), &SizedSlice::tokens);

  std::vector<MicroBatch> batches;
  std::vector<std::size_t> used;  // tokens in each of them
  for (SizedSlice& piece : slices) {
    std::size_t place = 0;
    while (place < used.size() && used[place] + piece.tokens > micro_batch_tokens) ++place;
    if (place == used.size()) {
      used.push_back(0);
      batches.emplace_back();
    }
    used[place] += piece.tokens;
    batches[place].push_back(std::move(piece.slice));
  }
  return batches;
}

std::vector<std::vector<std::size_t>> deal(std::span<const std::size_t> sizes, std::size_t parts,
                                           std::span<const int> homes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return sizes[i]; });
  std::vector<std::vector<std::size_t>> shares(parts);
  std::vector<std::size_t> loads(parts, 0);
  const std::size_t equal_share =
      (std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) + parts - 1) / parts;
  for (const std::size_t item : order) {
    std::size_t worker = std::ranges::min_element(loads) - loads.begin();
    if (!homes.empty() && homes[item] >= 0) {
      const auto home = static_cast<std::size_t>(homes[item]);
      if (loads[home] < equal_share) worker = home;
    }
    shares[worker].push_back(item);
    loads[worker] += sizes[item];
  }
  for (std::vector<std::size_t>& share : shares) std::ranges::sort(share);
  return shares;
}

std::vector<Range> mini_batches(std::size_t count, std::size_t parts) {
  const std::size_t pieces = std::min(std::max<std::size_t>(parts, 1), count);
  std::vector<Range> ranges;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t end = begin + count / pieces + (i < count % pieces ? 1 : 0);
    ranges.push_back({begin, end});
    begin = end;
  }
  return ranges;
}

}  // namespace redqueen
