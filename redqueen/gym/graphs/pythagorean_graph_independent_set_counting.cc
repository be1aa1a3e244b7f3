#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct PythagoreanGraph_IndependentSetCounting : StoredResidue {
  static constexpr Card card{
      .name = "PythagoreanGraph_IndependentSetCounting",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a number, the non-empty sets of places of a list in which no two values "
          "are the legs of a primitive Pythagorean triangle.",
      .levels =
          "From 3 values, a tenth and one more a level; values grow with their number. Beyond "
          "level 54 they would pass 6000, up to where the graph is known to have no cycle.",
      .rewards = "-1 malformed, -0.5 not in 0..MOD-1, 0 wrong, 1 right.",
      .differences =
          "Most values are legs of triangles that fit below the bound, which is about twice "
          "the published one: of evenly drawn values, mostly just a 3 and a 4 were joined. The "
          "modulus "
          "is large while the count is small, and not above the count later. In short lists, all "
          "counts that come up are equally likely.",
      .small_answer_space =
          "Three values, at level 0, have 4 or 5 such sets, and up to level 3 there are few "
          "counts.",
      .guess_until_level = 3,
      .max_level = 54,
  };

  static constexpr std::int64_t kLeastModulus = 1000;
  static constexpr std::int64_t kMostModulus = 1'000'000;
  static constexpr std::int64_t kMaxH = 6000;
  static constexpr int kShort = 12;  // values: up to here counts are spread
  static constexpr int kDraws = 6;
  static constexpr int kPublishedDraws = 1000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::int64_t MOD = 0;
    std::vector<std::int64_t> H;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, MOD, H, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t most = 4 * config.N + 8;
    const std::vector<std::pair<int, int>> legs = primitive_legs(most);
    const std::int64_t modulus =
        draw_modulus(std::pow(1.8, config.N), kLeastModulus, kMostModulus, rng);
    return draw_spread(config.N <= kShort ? kDraws : 1, rng, [&] {
      Problem problem{.N = config.N, .MOD = modulus, .H = {}, .reference_answer = 0};
      const double share = rng.real(0.6, 1.0);  // of values that are legs
      const std::uint64_t kinds = 1 + rng.below(1 + static_cast<std::uint64_t>(config.N) / 2);
      const std::uint64_t first = rng.below(legs.size());
      for (int i = 0; i < config.N; ++i) {
        const auto& [a, b] = legs[(first + rng.below(kinds)) % legs.size()];
        const std::int64_t leg = rng.chance(0.5) ? a : b;
        problem.H.push_back(rng.chance(share) ? leg : rng.integer(1, most));
      }
      problem.reference_answer = *count(problem);
      if (problem.reference_answer == all_sets(problem)) {
        return std::optional<std::pair<std::int64_t, Problem>>();  // nothing is joined
      }
      return std::optional(std::pair(problem.reference_answer, std::move(problem)));
    });
  }

  // Uniform lengths, of which two at least are joined.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{
        .N = config.N, .MOD = rng.integer(2, kMostModulus), .H = {}, .reference_answer = 0};
    return draw_accepted(
        kPublishedDraws,
        [&] {
          problem.H = draw_numbers(config.N, 1, 2 * config.N, rng);
          problem.reference_answer = *count(problem);
          return problem;
        },
        [](const Problem& drawn) { return drawn.reference_answer != all_sets(drawn); });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxH));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 2, kMostModulus));
    RETURN_IF_ERROR(check_numbers("H", problem.H, problem.N, 1, kMaxH));
    const auto right = count(problem);
    if (!right) return failure("\"H\": the values make a cycle");
    return reference_is("reference_answer", problem.reference_answer, *right);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a list of {} numbers:\n"
        "{}\n"
        "Two places i and j are joined if H[i]² + H[j]² is the square of an integer and the "
        "greatest common divisor of H[i] and H[j] is 1. Count the non-empty sets of places in "
        "which no two places are joined. Places with equal numbers are different places.\n"
        "{}",
        problem.N, with_indices("H", problem.H), ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t rest = pow_mod(2, std::max(problem.N - 2, 0), problem.MOD);
    return {{"all sets", format_answer(all_sets(problem))},
            {"one joined pair", format_answer(residue(3 * rest - 1, problem.MOD))}};
  }

 private:
  static std::int64_t all_sets(const Problem& problem) {
    return residue(pow_mod(2, problem.N, problem.MOD) - 1, problem.MOD);
  }

  // The legs ≤ `most` of primitive Pythagorean triangles: j² − i² and 2ij for coprime i < j, one of
  // them even.
  static std::vector<std::pair<int, int>> primitive_legs(std::int64_t most) {
    std::vector<std::pair<int, int>> legs;
    for (std::int64_t j = 2; 2 * j <= most; ++j) {
      for (std::int64_t i = j - 1; i > 0 && j * j - i * i <= most; i -= 2) {
        if (2 * i * j > most || std::gcd(i, j) != 1) continue;
        legs.emplace_back(static_cast<int>(j * j - i * i), static_cast<int>(2 * i * j));
      }
    }
    return legs;
  }

  // Equal values have the same neighbours, so what matters of m of them is whether any is chosen,
  // which can be in 2^m − 1 ways. The values make a forest, from which leaves are taken one after
  // another. nullopt where a cycle remains.
  static std::optional<std::int64_t> count(const Problem& problem) {
    struct Value {
      std::int64_t without = 1;  // sets of the part taken off so far, this value not chosen
      std::int64_t with = 0;     // and chosen
      int degree = 0;
      int neighbours = 0;  // their XOR
    };
    const std::int64_t modulus = problem.MOD;
    const std::int64_t most = *std::ranges::max_element(problem.H);
    std::vector<Value> values(static_cast<std::size_t>(most) + 1);
    for (const std::int64_t h : problem.H) {
      values[h].with = residue(2 * values[h].with + 1, modulus);
      values[h].degree = -1;
    }
    std::vector<int> present;
    for (std::int64_t h = 1; h <= most; ++h) {
      if (values[h].degree == 0) continue;
      values[h].degree = 0;
      present.push_back(static_cast<int>(h));
    }
    const auto is_present = [&](int h) { return std::ranges::binary_search(present, h); };
    for (const auto& [a, b] : primitive_legs(most)) {
      if (!is_present(a) || !is_present(b)) continue;
      ++values[a].degree;
      ++values[b].degree;
      values[a].neighbours ^= b;
      values[b].neighbours ^= a;
    }
    std::int64_t total = 1 % modulus;
    std::size_t taken = 0;
    std::vector<int> leaves;
    for (const int h : present) {
      if (values[h].degree <= 1) leaves.push_back(h);
    }
    for (; taken < leaves.size(); ++taken) {
      const Value& leaf = values[leaves[taken]];
      const std::int64_t either = leaf.without + leaf.with;
      if (leaf.degree == 0) {
        total = mul_mod(total, either, modulus);
        continue;
      }
      Value& other = values[leaf.neighbours];
      other.without = mul_mod(other.without, either, modulus);
      other.with = mul_mod(other.with, leaf.without, modulus);
      other.neighbours ^= leaves[taken];
      if (--other.degree == 1) leaves.push_back(leaf.neighbours);
    }
    if (taken < present.size()) return std::nullopt;
    return residue(total - 1, modulus);
  }
};
REDQUEEN_ENVIRONMENT(PythagoreanGraph_IndependentSetCounting);

}  // namespace
}  // namespace redqueen
