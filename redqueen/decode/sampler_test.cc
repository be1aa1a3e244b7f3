#include "redqueen/decode/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

std::vector<float> random_distribution(Rng& rng, int size) {
  std::vector<float> p;
  double total = 0;
  for (int i = 0; i < size; ++i) {
    // Some ties, some zeros, some far apart.
    const double weight = rng.chance(0.2) ? 0.0 : std::exp(std::floor(4 * rng.normal()) / 2);
    p.push_back(static_cast<float>(weight));
    total += weight;
  }
  if (total == 0) p[0] = 1, total = 1;
  for (float& value : p) value = static_cast<float>(value / total);
  return p;
}

// What may be drawn, by the definitions: sort everything, cut, and cut again.
std::vector<Token> allowed_directly(const std::vector<float>& p,
                                    const SampleParameters& parameters) {
  std::vector<Token> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Token a, Token b) { return p[a] > p[b]; });
  if (parameters.top_k > 0 && parameters.top_k < static_cast<int>(order.size())) {
    order.resize(parameters.top_k);
  }
  if (parameters.top_p < 1) {
    double mass = 0, walked = 0;
    for (const Token token : order) mass += p[token];
    std::size_t kept = 0;
    while (kept < order.size() && (kept == 0 || walked < parameters.top_p * mass)) {
      walked += p[order[kept++]];
    }
    order.resize(kept);
  }
  const float floor = static_cast<float>(parameters.min_p) * p[order[0]];
  std::erase_if(order, [&](Token token) { return p[token] < floor; });
  std::sort(order.begin(), order.end());
  return order;
}

SampleParameters random_parameters(Rng& rng, int size) {
  SampleParameters parameters;
  if (rng.chance(0.5)) parameters.top_k = static_cast<int>(rng.integer(1, size + 3));
  if (rng.chance(0.5)) parameters.top_p = rng.real(0.01, 1.0);
  if (rng.chance(0.5)) parameters.min_p = rng.chance(0.1) ? 1.0 : rng.real(0, 0.5);
  return parameters;
}

TEST(FindCut, AllowsWhatTheDefinitionsAllow) {
  Rng rng(RandomAddress{.seed = 5});
  std::vector<Token> scratch;
  for (int trial = 0; trial < 3000; ++trial) {
    const int size = static_cast<int>(rng.integer(1, 200));
    const std::vector<float> p = random_distribution(rng, size);
    const SampleParameters parameters = random_parameters(rng, size);
    if (!cuts(parameters)) continue;
    const Cut cut = find_cut(p, parameters, scratch);
    std::vector<Token> allowed;
    for (Token token = 0; token < size; ++token) {
      if (cut.allows(p[token], token)) allowed.push_back(token);
    }
    EXPECT_EQ(allowed, allowed_directly(p, parameters))
        << "trial " << trial << " k " << parameters.top_k << " p " << parameters.top_p << " min "
        << parameters.min_p;
  }
}

TEST(DrawToken, InvertsTheCumulativeDistribution) {
  Rng rng(RandomAddress{.seed = 6});
  std::vector<Token> scratch;
  for (int trial = 0; trial < 2000; ++trial) {
    const int size = static_cast<int>(rng.integer(1, 300));
    const std::vector<float> p = random_distribution(rng, size);
    const SampleParameters parameters = random_parameters(rng, size);
    const double uniform = rng.real();
    const Token drawn = draw_token(p, parameters, uniform, scratch);
    ASSERT_GE(drawn, 0);
    ASSERT_LT(drawn, size);
    EXPECT_GT(p[drawn], 0);
    const std::vector<Token> allowed = allowed_directly(p, parameters);
    double mass = 0, before = 0;
    for (const Token token : allowed) mass += p[token];
    for (const Token token : allowed) {
      if (token < drawn) before += p[token];
    }
    EXPECT_TRUE(std::binary_search(allowed.begin(), allowed.end(), drawn));
    EXPECT_LE(before, uniform * mass + 1e-5);
    EXPECT_GE(before + p[drawn], uniform * mass - 1e-5);
  }
}

TEST(DrawToken, StaysInsideAtTheEnds) {
  std::vector<Token> scratch;
  const double almost_one = std::nextafter(1.0, 0.0);
  for (const int zeros : {0, 1, 63, 64, 65, 200}) {
    std::vector<float> p(static_cast<std::size_t>(zeros), 0.0f);
    p.insert(p.end(), {0.3f, 0.7f});
    p.insert(p.end(), static_cast<std::size_t>(zeros), 0.0f);
    for (const double top_p : {1.0, 0.999}) {
      EXPECT_EQ(draw_token(p, {.top_p = top_p}, 0.0, scratch), zeros);
      EXPECT_EQ(draw_token(p, {.top_p = top_p}, almost_one, scratch), zeros + 1);
    }
  }
}

}  // namespace
}  // namespace redqueen
