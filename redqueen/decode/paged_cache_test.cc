#include "redqueen/decode/paged_cache.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "redqueen/model/testing/tiny_models.h"

namespace redqueen {
namespace {

TEST(PagePoolTest, GivesEveryPageToOneOwner) {
  Rng rng(RandomAddress{.seed = 5});
  PagePool pool;
  std::vector<std::vector<std::int64_t>> owners(6);
  std::set<std::int64_t> taken;
  std::int64_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    auto& pages = owners[rng.below(owners.size())];
    if (rng.below(5) == 0) {
      for (const std::int64_t page : pages) taken.erase(page);
      pool.give_back(pages);
      EXPECT_TRUE(pages.empty());
    } else {
      pages.push_back(pool.take());
      EXPECT_GE(pages.back(), 1);
      EXPECT_TRUE(taken.insert(pages.back()).second) << "page " << pages.back();
    }
    most = std::max(most, static_cast<std::int64_t>(taken.size()));
    ASSERT_EQ(pool.in_use(), static_cast<std::int64_t>(taken.size()));
    ASSERT_EQ(pool.touched(), most + 1);  // a free page is used before a new one
  }
}

TEST(PagedCacheTest, KeepsWhatIsCachedWhenItGrows) {
  PagedCache cache(small_config(), at::TensorOptions().dtype(at::kFloat), /*clear=*/true);
  const std::int64_t prompt = cache.add_prompt(kPageTokens + 1);
  ASSERT_EQ(cache.prompt(prompt).pages.size(), 2u);
  cache.layer(2).keys.select(0, cache.prompt(prompt).pages[1]).fill_(3);
  cache.add_rows(prompt, 2);
  cache.close_prompt(prompt);
  const std::int64_t before = cache.layer(2).keys.size(0);
  for (int i = 0; i < 20; ++i) {
    cache.reserve(kPageTokens);
    cache.advance(kPageTokens);
  }
  EXPECT_GT(cache.layer(2).keys.size(0), before);
  EXPECT_TRUE(
      cache.layer(2).keys.select(0, cache.prompt(prompt).pages[1]).eq(3).all().item<bool>());
  EXPECT_EQ(cache.layer(2).values.sum().item<float>(), 0);
  EXPECT_EQ(cache.pages_in_use(), 2 + 2 * 20);
}

TEST(PagedCacheTest, APromptLivesAsLongAsItsRows) {
  PagedCache cache(small_config(), at::TensorOptions().dtype(at::kFloat), /*clear=*/false);
  const std::int64_t first = cache.add_prompt(5), second = cache.add_prompt(200);
  cache.add_rows(first, 2);
  cache.add_rows(second, 1);
  cache.close_prompt(second);
  cache.reserve(1);
  EXPECT_EQ(cache.pages_in_use(), 1 + 4 + 3);
  cache.keep({1});
  EXPECT_EQ(cache.pages_in_use(), 1 + 1);
  EXPECT_EQ(cache.rows()[0].prompt, first);
  cache.keep({});
  EXPECT_EQ(cache.pages_in_use(), 1);  // more rows may still continue the first
  cache.add_rows(first, 1);
  cache.close_prompt(first);
  cache.keep({});
  EXPECT_EQ(cache.pages_in_use(), 0);
}

}  // namespace
}  // namespace redqueen
