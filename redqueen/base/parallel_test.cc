#include "redqueen/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace redqueen {
namespace {

TEST(ParallelChunks, CoverARangeOnceWithPiecesOfTheGrain) {
  for (const int threads : {0, 1, 3, 9}) {
    for (const std::size_t count : {0, 1, 7, 8, 1000}) {
      std::vector<int> hits(count, 0);
      parallel_chunks(count, 8, threads, [&](std::size_t first, std::size_t last) {
        EXPECT_EQ(first % 8, 0u);
        EXPECT_LE(last - first, 8u);
        ASSERT_LE(last, count);
        for (std::size_t i = first; i < last; ++i) ++hits[i];
      });
      EXPECT_EQ(hits, std::vector<int>(count, 1));
    }
  }
}

TEST(ParallelChunks, ThrowsWhatTheWorkThrows) {
  for (const int threads : {1, 4}) {
    const auto work = [](std::size_t first, std::size_t) {
      if (first == 3) throw std::runtime_error("three");
    };
    EXPECT_THROW(parallel_chunks(100, 1, threads, work), std::runtime_error);
  }
}

TEST(ParallelChunks, BeginsNoChunkAfterAnException) {
  for (const int threads : {1, 4}) {
    std::atomic<int> begun = 0;
    const auto work = [&](std::size_t, std::size_t) {
      ++begun;
      throw std::runtime_error("at once");
    };
    EXPECT_THROW(parallel_chunks(100, 1, threads, work), std::runtime_error);
    EXPECT_LE(begun, threads) << "each thread had one chunk at most";
  }
}

}  // namespace
}  // namespace redqueen
