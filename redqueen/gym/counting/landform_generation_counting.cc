#include <algorithm>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct LandformGenerationCounting {
  static constexpr Card card{
      .name = "LandformGenerationCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Mountains have heights and limits on how many taller ones may stand before them. Count "
          "the sequences of heights that permitted orders give, modulo a given number.",
      .levels =
          "The number of mountains starts at 3 and grows by a tenth and one a level. Beyond level "
          "60 the reference solution would take too long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "From four mountains on, the count is neither 1 nor the product that would be right if "
          "equal heights could be told apart. The modulus is at least a million.",
      .small_answer_space = "Three mountains, at level 0, have at most six orders.",
      .guess_until_level = 0,
      .max_level = 60,
  };

  static constexpr int kMaxMountains = 3000;
  static constexpr std::int64_t kMaxModulus = 1'000'000'000;
  static constexpr int kDraws = 50;

  using Mountain = std::pair<std::int64_t, std::int64_t>;  // height, limit

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Mountain> A;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, A, MOD, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config.N, 1'000'000, rng); },
        [&](const Problem& problem) {
          return config.N < 4 || !some_rule_solves<LandformGenerationCounting>(problem);
        });
  }

  // Every problem that generate() draws, with any modulus.
  static Problem published(const Config& config, Rng& rng) { return draw(config.N, 2, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxMountains));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    if (std::ssize(problem.A) != problem.N) {
      return failure(R"("A": expected "N" = {} pairs, found {})", problem.N, problem.A.size());
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (const auto& [height, limit] : problem.A) {
      append_format(list, "{} {}\n", height, limit);
    }
    return fmt::format(
        "{} mountains are to be put in a row. Here are a height H and a limit C for each of them, "
        "a mountain a line:\n"
        "{}"
        "An order is permitted if for every mountain the number of mountains of strictly greater "
        "height that come before it in the row is less than its own C. An order is seen only as "
        "the sequence of its heights from first to last: orders with the same sequence of heights "
        "count once. How many different sequences of heights do the permitted orders have? Give "
        "the remainder of this number when divided by {}.\n"
        "Answer with one integer from 0 to {}.",
        problem.N, list, problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, problem.reference_answer, problem.MOD);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer apart = 1 % problem.MOD;
    Answer of_limits = apart;
    for_each_height(problem, [&](std::int64_t taller, const Mountain* begin, const Mountain* end) {
      for (; begin != end; ++begin) {
        apart = apart * places(taller, begin->second) % problem.MOD;
        of_limits = of_limits * (begin->second % problem.MOD) % problem.MOD;
      }
    });
    return {{"1", 1 % problem.MOD},
            {"as if equal heights could be told apart", apart},
            {"the product of the limits", of_limits}};
  }

 private:
  // Heights and limits of a random order that is then permitted.
  static Problem draw(int n, std::int64_t least_modulus, Rng& rng) {
    Problem problem{.N = n};
    problem.A.reserve(n);
    for (int i = 0; i < n; ++i) problem.A.emplace_back(rng.integer(1, n), 0);
    for (std::size_t i = 0; i < problem.A.size(); ++i) {
      std::int64_t before = 0;
      std::int64_t taller = 0;
      for (std::size_t j = 0; j < problem.A.size(); ++j) {
        if (problem.A[j].first <= problem.A[i].first) continue;
        ++taller;
        before += j < i;
      }
      problem.A[i].second = rng.integer(before + 1, taller + 1);
    }
    rng.shuffle(problem.A);
    problem.MOD = rng.integer(least_modulus, kMaxModulus);
    problem.reference_answer = count(problem);
    return problem;
  }

  // How many of 0 … taller can stand before a mountain with this limit.
  static std::int64_t places(std::int64_t taller, std::int64_t limit) {
    return std::clamp<std::int64_t>(limit, 0, taller + 1);
  }

  // visit(number of taller mountains, begin, end) of the mountains of a height, limits ascending,
  // from tall to low.
  template <typename Visit>
  static void for_each_height(const Problem& problem, Visit visit) {
    std::vector<Mountain> by_height = problem.A;
    std::ranges::sort(by_height, [](const Mountain& a, const Mountain& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    const Mountain* first = by_height.data();
    const Mountain* last = first + by_height.size();
    for (const Mountain* begin = first; begin != last;) {
      const Mountain* end = begin;
      while (end != last && end->first == begin->first) ++end;
      visit(begin - first, begin, end);
      begin = end;
    }
  }

  // Lower mountains do not bear on taller ones, so the heights multiply. Those of one height take
  // places between the taller ones; as a sequence of heights they are a multiset of places. Put in
  // ascending order, the i-th place must fit the i-th smallest limit.
  static std::int64_t count(const Problem& problem) {
    std::int64_t product = 1 % problem.MOD;
    std::vector<std::int64_t> ways;  // by the last place taken
    for_each_height(problem, [&](std::int64_t taller, const Mountain* begin, const Mountain* end) {
      const std::int64_t most = std::max<std::int64_t>(1, places(taller, end[-1].second));
      ways.assign(most, 0);
      ways[0] = 1 % problem.MOD;
      for (; begin != end; ++begin) {
        const std::int64_t open = places(taller, begin->second);
        std::int64_t sum = 0;
        for (std::int64_t place = 0; place < most; ++place) {
          sum += ways[place];
          if (sum >= problem.MOD) sum -= problem.MOD;
          ways[place] = place < open ? sum : 0;
        }
      }
      std::int64_t sum = 0;
      for (const std::int64_t way : ways) sum += way;
      product = product * (sum % problem.MOD) % problem.MOD;
    });
    return product;
  }
};
REDQUEEN_ENVIRONMENT(LandformGenerationCounting);

}  // namespace
}  // namespace redqueen
