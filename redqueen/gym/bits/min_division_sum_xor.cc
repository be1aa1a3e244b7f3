#include <algorithm>
#include <bit>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinDivisionSumXor {
  static constexpr Card card{
      .name = "MinDivisionSumXor",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Cut a list into a limited number of consecutive batches so that "
          "the bitwise OR of the "
          "batch sums is smallest.",
      .levels =
          "The list grows from 3 numbers by a tenth and one a level, its "
          "values with the square of "
          "its length. Beyond level 40 the search takes too long.",
      .rewards =
          "-1 malformed or empty, -0.5 too many batches or ends that do "
          "not ascend to N, else "
          "(least cost / cost)^5.",
      .differences =
          "From 4 numbers on, neither one batch, nor a batch for "
          "every number, nor two halves are "
          "best.",
      .small_answer_space =
          "There are four cuts at level 0 and 16 at level 2, and the high bits "
          "of most costs agree, which the reward "
          "pays well.",
      .guess_until_level = 2,
      .max_level = 40,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxCount = 1000;  // the time is quadratic
  static constexpr std::int64_t kMaxValue = 1'000'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    int K = 0;
    REDQUEEN_FIELDS(N, A, K)
  };
  using Answer = std::vector<std::int64_t>;  // the last index of every batch, from 1

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const Problem problem = draw(config, rng);
    if (config.N >= 4) {
      const std::int64_t least = cost(problem, solve(problem));
      for (const Answer& cut : {Answer{config.N}, halves(problem), singles(problem)}) {
        if (static_cast<int>(cut.size()) <= problem.K && cost(problem, cut) == least) throw Retry();
      }
    }
    return problem;
  }

  static Problem draw(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .K = 0};
    for (int i = 0; i < config.N; ++i) {
      problem.A.push_back(rng.integer(0, std::int64_t{config.N} * config.N));
    }
    problem.K = static_cast<int>(rng.integer(2, config.N));
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) { return draw(config, rng); }

  static Status check(const Problem& problem) {
    if (problem.N < 2 || problem.N > kMaxCount ||
        problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" numbers, 2 to {}, found {}", kMaxCount,
                     problem.A.size());
    }
    for (const std::int64_t a : problem.A) {
      if (Status fits = within("A", a, 0, kMaxValue); !fits) return fits;
    }
    return within("K", problem.K, 1, problem.N);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array A[1] to A[{0}]:\n"
        "{1}\n"
        "Cut it, in order, into consecutive batches: at least 1 "
        "and at most {2} of them, none "
        "empty, every number in one of them. Take the sum of "
        "every batch; the cost is the bitwise "
        "OR of these sums. Make the cost as small as possible.\n"
        "Answer with the index of the last number of every "
        "batch on one line, in ascending order, "
        "separated by spaces; the last index is {0}.",
        problem.N, format_answer(problem.A), problem.K);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto ends = parse_int_list(answer);
    if (!ends || ends->empty()) return std::nullopt;
    return ends;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() > static_cast<std::size_t>(problem.K) || answer.back() != problem.N) {
      return kInvalidReward;
    }
    std::int64_t before = 0;
    for (const std::int64_t end : answer) {
      if (end <= before || end > problem.N) return kInvalidReward;
      before = end;
    }
    return minimise_reward(cost(problem, answer), cost(problem, solve(problem)), kBeta);
  }

  // Bits from high to low: one is kept out of all sums if that can be, whatever
  // it costs below.
  static Answer solve(const Problem& problem) {
    std::vector<std::int64_t> prefixes{0};
    for (const std::int64_t a : problem.A) prefixes.push_back(prefixes.back() + a);
    std::int64_t kept_out = 0;
    Answer best{problem.N};
    for (int bit =
             static_cast<int>(std::bit_width(static_cast<std::uint64_t>(prefixes.back()))) - 1;
         bit >= 0; --bit) {
      Answer cut = cut_without(prefixes, kept_out | std::int64_t{1} << bit);
      if (cut.empty() || static_cast<int>(cut.size()) > problem.K) continue;
      kept_out |= std::int64_t{1} << bit;
      best = std::move(cut);
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t batches = rng.integer(1, problem.K);
    Answer cut = rng.sample(1, problem.N - 1, static_cast<std::size_t>(batches - 1));
    cut.push_back(problem.N);
    std::ranges::sort(cut);
    return cut;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"one batch", format_answer(problem.N)},
            {"two halves", format_answer(halves(problem))},
            {"a batch for every number", format_answer(singles(problem))}};
  }

 private:
  static Answer halves(const Problem& problem) {
    if (problem.N < 2) return {problem.N};
    return {problem.N / 2, problem.N};
  }

  static Answer singles(const Problem& problem) {
    Answer cut;
    for (int end = 1; end <= problem.N; ++end) cut.push_back(end);
    return cut;
  }

  static std::int64_t cost(const Problem& problem, const Answer& cut) {
    std::int64_t all = 0;
    std::int64_t index = 0;
    for (const std::int64_t end : cut) {
      std::int64_t sum = 0;
      for (; index < end; ++index) sum += problem.A[index];
      all |= sum;
    }
    return all;
  }

  // The fewest batches in whose sums none of the bits occurs; empty if there are none.
  static Answer cut_without(const std::vector<std::int64_t>& prefixes, std::int64_t bits) {
    constexpr int kNever = std::numeric_limits<int>::max();
    std::vector<int> batches(prefixes.size(), kNever);
    std::vector<int> from(prefixes.size(), 0);
    batches[0] = 0;
    for (std::size_t end = 1; end < prefixes.size(); ++end) {
      for (std::size_t start = 0; start < end; ++start) {
        if (batches[start] == kNever || ((prefixes[end] - prefixes[start]) & bits) != 0) continue;
        if (batches[start] + 1 >= batches[end]) continue;
        batches[end] = batches[start] + 1;
        from[end] = static_cast<int>(start);
      }
    }
    Answer cut;
    if (batches.back() == kNever) return cut;
    for (auto end = static_cast<int>(prefixes.size()) - 1; end > 0; end = from[end]) {
      cut.push_back(end);
    }
    std::ranges::reverse(cut);
    return cut;
  }
};
REDQUEEN_ENVIRONMENT(MinDivisionSumXor);

}  // namespace
}  // namespace redqueen
