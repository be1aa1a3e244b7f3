#include "redqueen/train/batching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

std::vector<GroupLengths> random_lengths(Rng& rng) {
  std::vector<GroupLengths> groups(static_cast<std::size_t>(rng.integer(0, 20)));
  for (GroupLengths& group : groups) {
    group.prompt = rng.integer(1, 60);
    group.responses.resize(rng.integer(0, 9));
    for (auto& length : group.responses) length = static_cast<std::size_t>(rng.integer(0, 50));
  }
  return groups;
}

std::size_t tokens_of(const MicroBatch& batch, const std::vector<GroupLengths>& groups,
                      bool share_prefix) {
  std::size_t total = 0;
  for (const GroupSlice& slice : batch) {
    total += slice_tokens(groups[slice.group], slice.responses, share_prefix);
  }
  return total;
}

TEST(Batching, EveryResponseOnceWithinTheBudgetAndGroupsWholeWhereTheyFit) {
  Rng rng({.seed = 4, .purpose = hash_name("batching_test")});
  for (int trial = 0; trial < 300; ++trial) {
    const auto groups = random_lengths(rng);
    const std::size_t budget = rng.integer(1, 400);
    const bool share = rng.chance(0.5);
    const auto batches = micro_batches(groups, budget, share);
    EXPECT_EQ(batches, micro_batches(groups, budget, share));

    std::set<std::pair<std::size_t, std::size_t>> seen;
    std::map<std::size_t, int> slices;
    for (const MicroBatch& batch : batches) {
      ASSERT_FALSE(batch.empty());
      const bool single = batch.size() == 1 && batch.front().responses.size() == 1;
      ASSERT_TRUE(single || tokens_of(batch, groups, share) <= budget);
      for (const GroupSlice& slice : batch) {
        ++slices[slice.group];
        ASSERT_TRUE(std::ranges::is_sorted(slice.responses));
        for (const std::size_t response : slice.responses) {
          ASSERT_GT(groups[slice.group].responses.at(response), 0U);
          ASSERT_TRUE(seen.insert({slice.group, response}).second);
        }
      }
    }
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::vector<std::size_t> all;
      for (std::size_t k = 0; k < groups[i].responses.size(); ++k) {
        if (groups[i].responses[k] > 0) all.push_back(k);
      }
      wanted += all.size();
      if (!all.empty() && slice_tokens(groups[i], all, share) <= budget) {
        EXPECT_EQ(slices[i], 1) << "a group that fits was cut";
      }
    }
    EXPECT_EQ(seen.size(), wanted);
  }
}

// First fit opens a new batch only when the piece fits nowhere: two batches together always exceed
// the budget.
TEST(Batching, WastesLittle) {
  Rng rng({.seed = 5, .purpose = hash_name("batching_test")});
  for (int trial = 0; trial < 100; ++trial) {
    const auto groups = random_lengths(rng);
    const auto batches = micro_batches(groups, 600, true);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      for (std::size_t j = i + 1; j < batches.size(); ++j) {
        EXPECT_GT(tokens_of(batches[i], groups, true) + tokens_of(batches[j], groups, true), 600U);
      }
    }
  }
}

TEST(Batching, MiniBatchesAreEvenAndCoverEverything) {
  for (std::size_t count = 0; count < 30; ++count) {
    for (std::size_t parts = 0; parts < 12; ++parts) {
      const auto ranges = mini_batches(count, parts);
      EXPECT_EQ(ranges.size(), std::min(count, std::max<std::size_t>(parts, 1)));
      std::size_t next = 0;
      for (const Range& range : ranges) {
        EXPECT_EQ(range.begin, next);
        const std::size_t size = range.end - range.begin;
        EXPECT_GE(size, count / ranges.size());
        EXPECT_LE(size, count / ranges.size() + 1);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Deal, GivesEveryItemToOneWorkerAndIsFair) {
  Rng rng({.seed = 5, .purpose = hash_name("batching_test")});
  for (int round = 0; round < 200; ++round) {
    std::vector<std::size_t> sizes(static_cast<std::size_t>(rng.integer(0, 12)));
    std::size_t largest = 0;
    for (std::size_t& size : sizes) {
      size = rng.integer(1, 50);
      largest = std::max(largest, size);
    }
    const std::size_t parts = rng.integer(1, 5);
    const auto shares = deal(sizes, parts);
    ASSERT_EQ(shares.size(), parts);
    std::vector<int> times(sizes.size(), 0);
    std::vector<std::size_t> loads;
    for (const auto& share : shares) {
      EXPECT_TRUE(std::ranges::is_sorted(share));
      loads.push_back(0);
      for (const std::size_t item : share) {
        ++times[item];
        loads.back() += sizes[item];
      }
    }
    EXPECT_EQ(std::ranges::count(times, 1), static_cast<std::ptrdiff_t>(sizes.size()));
    EXPECT_LE(std::ranges::max(loads) - std::ranges::min(loads), largest);
  }
}

TEST(Deal, SendsItemsHomeUnlessThatWorkerHasItsShare) {
  // What was dealt once goes to the same workers again.
  const std::vector<std::size_t> sizes{5, 9, 2, 7, 4, 4};
  const auto first = deal(sizes, 3);
  std::vector<int> homes(sizes.size());
  for (std::size_t worker = 0; worker < 3; ++worker) {
    for (const std::size_t item : first[worker]) homes[item] = static_cast<int>(worker);
  }
  std::vector<int> turned = homes;
  for (int& home : turned) home = (home + 1) % 3;
  const auto again = deal(sizes, 3, turned);
  for (std::size_t worker = 0; worker < 3; ++worker)
    EXPECT_EQ(again[(worker + 1) % 3], first[worker]);
  // One home for all: it keeps a share, the others get the rest.
  const std::vector<std::size_t> ones(12, 1);
  for (const auto& share : deal(ones, 3, std::vector<int>(12, 1))) EXPECT_EQ(share.size(), 4U);
  // Items without one are dealt as ever.
  EXPECT_EQ(deal(sizes, 3, std::vector<int>(6, -1)), first);
}

}  // namespace
}  // namespace redqueen
