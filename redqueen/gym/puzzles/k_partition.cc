#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct KPartition {
  static constexpr Card card{
      .name = "KPartition",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task = "Divide numbers into groups of equal size and equal sum.",
      .levels = "There are 2 groups, and one more each level, of 3 to 5 numbers.",
      .rewards =
          "-1 malformed, -0.5 not the numbers given in groups of K, 0 unequal sums, 1 right.",
      .differences =
          "Groups of 2 are not drawn: each number then has one partner only. Sums are in the "
          "upper half of what is published, so that numbers differ. A problem is drawn again that "
          "is solved by cutting the list as it is or in order of size, or by giving the largest "
          "number to the smallest group.",
      .slow_reason = SlowReason::kStricter,
      .source = "M. Garey and D. Johnson, Computers and Intractability, 1979: SP15, for triples",
  };

  static constexpr int kDraws = 100;
  static constexpr int kMaxN = 5000;
  static constexpr std::int64_t kMaxNumber = 1'000'000'000;

  struct Config {
    int N = 0;
    int K = 0;
    REDQUEEN_FIELDS(N, K)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> Multiset_S;
    std::string reference_answer;  // groups, a line each; planted
    REDQUEEN_FIELDS(N, K, Multiset_S, reference_answer)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng& rng) {
    const int k = static_cast<int>(rng.integer(3, 5));
    return {.N = (2 + level) * k, .K = k};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] { return draw(config, static_cast<std::int64_t>(config.N) * config.K / 2, rng); },
        [](const Problem& problem) { return !some_rule_solves<KPartition>(problem); });
  }

  static Config published_level(int level, Rng& rng) {
    const int k = static_cast<int>(rng.integer(2, 5));
    return {.N = (2 + level) * k, .K = k};
  }

  // Groups of 2 as well, and sums from a tenth of the largest on.
  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t largest = static_cast<std::int64_t>(config.N) * config.K;
    return draw(config, std::max<std::int64_t>(config.K, largest / 10), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    if (problem.N % problem.K != 0) {
      return failure("\"N\": {} is no multiple of \"K\" = {}", problem.N, problem.K);
    }
    RETURN_IF_ERROR(check_numbers("Multiset_S", problem.Multiset_S, problem.N, 1, kMaxNumber));
    const auto groups = parse_int_matrix(problem.reference_answer);
    if (!groups || score(problem, *groups) < kSolvedReward) {
      return failure("\"reference_answer\": not groups of these numbers with equal sums");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "These are {} numbers:\n"
        "{}\n"
        "Divide them into {} groups of {} numbers each, such that every group has the sum {}. Each "
        "number of the list belongs to exactly one group; a number that is listed several times "
        "is used as often. This is possible, and any way will do.\n"
        "Answer with {} lines, one for each group in any order: its {} numbers in any order, "
        "separated by spaces.",
        problem.N, format_answer(problem.Multiset_S), groups(problem), problem.K,
        group_sum(problem), groups(problem), problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != groups(problem)) return kInvalidReward;
    std::vector<std::int64_t> all;
    all.reserve(problem.Multiset_S.size());
    for (const auto& group : answer) {
      if (std::ssize(group) != problem.K) return kInvalidReward;
      all.insert(all.end(), group.begin(), group.end());
    }
    std::vector<std::int64_t> given = problem.Multiset_S;
    std::ranges::sort(all);
    std::ranges::sort(given);
    if (all != given) return kInvalidReward;
    const std::int64_t total = std::reduce(given.begin(), given.end());
    return exact_reward(std::ranges::all_of(answer, [&](const auto& group) {
      return std::reduce(group.begin(), group.end()) * groups(problem) == total;
    }));
  }

  static Answer solve(const Problem& problem) {
    return *parse_int_matrix(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<std::int64_t> numbers = problem.Multiset_S;
    rng.shuffle(numbers);
    return pieces(problem, numbers);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<std::int64_t> sorted = problem.Multiset_S;
    std::ranges::sort(sorted, std::greater());
    const auto count = static_cast<std::size_t>(groups(problem));
    Answer dealt(count);  // to and fro, like cards
    Answer smallest(count);
    std::vector<std::int64_t> sums(count);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const std::size_t place = i % (2 * count);
      dealt[place < count ? place : 2 * count - 1 - place].push_back(sorted[i]);
      std::size_t chosen = count;
      for (std::size_t g = 0; g < count; ++g) {
        if (std::ssize(smallest[g]) == problem.K) continue;
        if (chosen == count || sums[g] < sums[chosen]) chosen = g;
      }
      smallest[chosen].push_back(sorted[i]);
      sums[chosen] += sorted[i];
    }
    return {{"the list as it is, in pieces", pieces(problem, problem.Multiset_S)},
            {"the numbers by size, dealt to and fro", std::move(dealt)},
            {"the largest number to the smallest sum", std::move(smallest)},
            {"each group the largest numbers that fit", fitted(problem, sorted)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static int groups(const Problem& problem) { return problem.N / problem.K; }

  static std::int64_t group_sum(const Problem& problem) {
    return std::reduce(problem.Multiset_S.begin(), problem.Multiset_S.end()) / groups(problem);
  }

  // The sum of a group is at least `least`.
  static Problem draw(const Config& config, std::int64_t least, Rng& rng) {
    Problem problem{.N = config.N, .K = config.K};
    const std::int64_t largest = static_cast<std::int64_t>(config.N) * config.K;
    const std::int64_t sum = rng.integer(least, largest);
    Answer planted(groups(problem));
    for (auto& group : planted) {
      std::vector<std::int64_t> cuts = rng.sample(1, sum - 1, config.K - 1);
      cuts.push_back(sum);
      std::ranges::sort(cuts);
      std::int64_t last = 0;
      for (const std::int64_t cut : cuts) group.push_back(cut - std::exchange(last, cut));
      problem.Multiset_S.insert(problem.Multiset_S.end(), group.begin(), group.end());
    }
    rng.shuffle(problem.Multiset_S);
    problem.reference_answer = format_answer(planted);
    return problem;
  }

  static Answer pieces(const Problem& problem, const std::vector<std::int64_t>& numbers) {
    Answer pieces;
    for (auto first = numbers.begin(); first != numbers.end(); first += problem.K) {
      pieces.emplace_back(first, first + problem.K);
    }
    return pieces;
  }

  // From the largest number on, the one that does not pass the sum.
  static Answer fitted(const Problem& problem, std::vector<std::int64_t> left) {
    const std::int64_t wanted = group_sum(problem);
    Answer answer(groups(problem));
    for (auto& group : answer) {
      std::int64_t sum = 0;
      while (std::ssize(group) < problem.K) {
        // Of the numbers that are left, those that still have to come are 1 or more each.
        const std::int64_t room = wanted - sum - (problem.K - 1 - std::ssize(group));
        auto place = std::ranges::find_if(left, [&](std::int64_t x) { return x <= room; });
        if (place == left.end()) place = std::prev(place);
        group.push_back(*place);
        sum += *place;
        left.erase(place);
      }
    }
    return answer;
  }
};
REDQUEEN_ENVIRONMENT(KPartition);

}  // namespace
}  // namespace redqueen
