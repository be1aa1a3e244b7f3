#include "redqueen/decode/sampler.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "redqueen/model/cpu/multiversion.h"

namespace redqueen {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kLanes = 16;

REDQUEEN_VECTOR_CLONES float block_sum(const float* x) {
  float lanes[kLanes] = {};
  for (std::size_t j = 0; j < kBlock; j += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] += x[j + i];
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

double sum_range(std::span<const float> p, std::size_t begin, std::size_t end) {
  if (end - begin == kBlock) return block_sum(p.data() + begin);
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += p[i];
  return sum;
}

Token draw_uncut(std::span<const float> p, double uniform) {
  double all = 0;
  for (std::size_t i = 0; i < p.size(); i += kBlock) {
    all += sum_range(p, i, std::min(p.size(), i + kBlock));
  }
  const double target = uniform * all;
  double walked = 0;
  std::size_t begin = 0;
  for (std::size_t end; begin < p.size(); begin = end) {
    end = std::min(p.size(), begin + kBlock);
    const double sum = sum_range(p, begin, end);
    if (walked + sum > target) break;
    walked += sum;
  }
  for (std::size_t i = begin; i < p.size(); ++i) {
    walked += p[i];
    if (walked > target && p[i] > 0) return static_cast<Token>(i);
  }
  // Rounding carried the walk past the end.
  std::size_t last = p.size() - 1;
  while (last > 0 && p[last] <= 0) --last;
  return static_cast<Token>(last);
}

Token draw_cut(std::span<const float> p, const Cut& cut, double uniform) {
  double all = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (cut.allows(p[i], static_cast<Token>(i))) all += p[i];
  }
  const double target = uniform * all;
  double walked = 0;
  Token last = cut.last;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto token = static_cast<Token>(i);
    if (!cut.allows(p[i], token) || p[i] <= 0) continue;
    walked += p[i];
    last = token;
    if (walked > target) break;
  }
  return last;
}

}  // namespace

bool cuts(const SampleParameters& parameters) {
  return parameters.top_k > 0 || parameters.top_p < 1.0 || parameters.min_p > 0.0;
}

Cut find_cut(std::span<const float> p, const SampleParameters& parameters,
             std::vector<Token>& scratch) {
  const auto ranks_before = [&](Token a, Token b) {
    return p[a] > p[b] || (p[a] == p[b] && a < b);
  };
  const bool by_count = parameters.top_k > 0, by_mass = parameters.top_p < 1.0;
  const float floor = static_cast<float>(parameters.min_p) * *std::max_element(p.begin(), p.end());
  const Cut by_floor{floor, std::numeric_limits<Token>::max()};
  if (!by_count && !by_mass) return by_floor;

  double mass = std::accumulate(p.begin(), p.end(), 0.0);
  // All tokens below (1 − top_p) / vocabulary together hold less than 1 − top_p: no need to sort
  // them. Half of that, so that rounding does not matter.
  const double spare = by_count ? 0 : 0.5 * mass * (1.0 - parameters.top_p) / double(p.size());
  scratch.clear();
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] >= spare) scratch.push_back(static_cast<Token>(i));
  }
  if (by_count && static_cast<std::size_t>(parameters.top_k) < scratch.size()) {
    std::nth_element(scratch.begin(), scratch.begin() + parameters.top_k - 1, scratch.end(),
                     ranks_before);
    scratch.resize(parameters.top_k);
    mass = 0;
    for (const Token token : scratch) mass += p[token];
  }
  std::sort(scratch.begin(), scratch.end(), ranks_before);
  std::size_t kept = scratch.size();
  if (by_mass) {
    double walked = p[scratch[0]];
    for (kept = 1; kept < scratch.size() && walked < parameters.top_p * mass; ++kept) {
      walked += p[scratch[kept]];
    }
  }
  const Cut cut{p[scratch[kept - 1]], scratch[kept - 1]};
  return cut.probability < floor ? by_floor : cut;
}

Token draw_token(std::span<const float> p, const SampleParameters& parameters, double uniform,
                 std::vector<Token>& scratch) {
  if (!cuts(parameters)) return draw_uncut(p, uniform);
  return draw_cut(p, find_cut(p, parameters, scratch), uniform);
}

}  // namespace redqueen
