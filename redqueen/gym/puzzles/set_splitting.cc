#include <algorithm>
#include <span>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct SetSplitting {
  static constexpr Card card{
      .name = "SetSplitting",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Divide elements into two parts such that each of some sets meets both.",
      .levels = "There are 3 elements, and one more each level, with up to 3 sets for each.",
      .rewards =
          "-1 malformed, -0.5 an element that does not exist or comes twice, else (sets that meet "
          "both parts / sets)^10.",
      .differences =
          "Sets have two or three elements, four at most, and there are at least 1.5 of them for "
          "each element where so many differ: larger and fewer ones are met by nearly any two "
          "halves. The sets differ. From 5 elements on, a problem is drawn again that is solved by "
          "even numbers, the first half, or placing one element after another.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "There are few ways to divide up to 5 elements, at levels 0 to 2.",
      .guess_until_level = 2,
      .source = "M. Garey and D. Johnson, Computers and Intractability, 1979: SP4",
  };

  static constexpr int kRulesFrom = 5;
  static constexpr int kDraws = 300;
  static constexpr int kMaxElements = 5000;
  static constexpr int kMaxSets = 20'000;
  static constexpr std::int64_t kMaxTotal = 100'000;  // elements of all sets

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  using Set = std::vector<int>;
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<Set> Sets;
    std::string reference_answer;  // one part, planted
    REDQUEEN_FIELDS(N, M, Sets, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 3 + level;
    const std::int64_t tenths = n == 3   ? 10
                                : n == 4 ? rng.integer(10, 15)
                                : n <= 6 ? rng.integer(22, 30)
                                         : rng.integer(15, 25);
    return {.N = n, .M = static_cast<int>(tenths * n / 10)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          return config.N < kRulesFrom ||
                 !some_rule_is_best<SetSplitting>(
                     problem, [&](const Answer& part) { return splits_all(problem, part); });
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 3 + level;
    const double multiple = static_cast<double>(rng.integer(10, 30)) / 10.0;
    return {.N = n, .M = static_cast<int>(multiple * n)};
  }

  // One part has any size; each set takes one to all elements of either part.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<int> order = rng.permutation(n);
    const auto middle = order.begin() + rng.integer(1, n - 1);
    Problem problem{.N = n,
                    .M = config.M,
                    .Sets = {},
                    .reference_answer = format_answer(Answer(order.begin(), middle))};
    const std::span first(order.begin(), middle);
    const std::span second(middle, order.end());
    for (int i = 0; i < config.M; ++i) {
      Set& set = problem.Sets.emplace_back();
      for (std::span part : {first, second}) {
        const std::int64_t size = rng.integer(1, std::ssize(part));
        rng.shuffle(part);
        set.insert(set.end(), part.begin(), part.begin() + size);
      }
      rng.shuffle(set);
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxElements));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxSets));
    if (std::ssize(problem.Sets) != problem.M) {
      return failure("\"Sets\": expected \"M\" = {} of them", problem.M);
    }
    std::int64_t total = 0;
    std::vector<int> last(problem.N, -1);  // the last set that an element was seen in
    for (int i = 0; i < problem.M; ++i) {
      for (const int element : problem.Sets[i]) {
        RETURN_IF_ERROR(within("Sets", element, 0, problem.N - 1));
        if (std::exchange(last[element], i) == i) {
          return failure("\"Sets\": one of them has {} twice", element);
        }
        ++total;
      }
    }
    RETURN_IF_ERROR(within("Sets", total, 1, kMaxTotal));
    const auto part = parse_int_list(problem.reference_answer);
    if (!part || score(problem, *part) < kSolvedReward) {
      return failure("\"reference_answer\": it does not split all sets");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string lines;
    for (const Set& set : problem.Sets) {
      append_format(lines, "{}\n", fmt::join(set, " "));
    }
    return fmt::format(
        "The integers 0 to {} are divided into two parts. Do so in such a way that each of these "
        "{} sets, one per line, has at least one element in the first part and at least one in the "
        "second:\n"
        "{}"
        "This is possible, and any way will do.\n"
        "Answer with the elements of the first part in any order on one line, separated by "
        "spaces; the second part is all the rest.",
        problem.N - 1, problem.M, lines);
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> first(problem.N);
    for (const std::int64_t element : answer) {
      if (element < 0 || element >= problem.N || first[element] != 0) return kInvalidReward;
      first[element] = 1;
    }
    const auto split = std::ranges::count_if(problem.Sets, [&](const Set& set) {
      const auto inside = std::ranges::count_if(set, [&](int e) { return first[e] != 0; });
      return inside > 0 && inside < std::ssize(set);
    });
    return share_reward(split, problem.M);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_indices(problem.N, rng);
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    Answer even;
    Answer half;
    for (int i = 0; i < problem.N; ++i) {
      if (i % 2 == 0) even.push_back(i);
      if (2 * i < problem.N) half.push_back(i);
    }
    return visit("even numbers", even) || visit("the first half", half) ||
           visit("each element where it splits more sets", one_after_another(problem));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<SetSplitting>(problem));
  }

 private:
  static Problem draw(const Config& config, Rng& rng) {
    const int n = config.N;
    constexpr int kAttempts = 40;  // for a set
    Problem problem{.N = n, .M = config.M};
    // Neither part has more than two thirds: a small one would be found by its frequency.
    const std::int64_t size = rng.integer((n + 2) / 3, n - (n + 2) / 3);
    Answer part = rng.sample(0, n - 1, static_cast<std::size_t>(size));
    std::vector<char> first(n);
    for (const std::int64_t element : part) first[element] = 1;
    std::vector<Set> sorted;
    for (int attempts = kAttempts * config.M; std::ssize(problem.Sets) < config.M;) {
      if (attempts-- == 0) throw Retry();
      constexpr double kSizes[] = {0.35, 0.55, 0.1};  // of 2, 3 and 4 elements
      const int wanted = std::min(2 + static_cast<int>(rng.weighted(kSizes)), n);
      Set set;
      while (std::ssize(set) < wanted) {
        const int element = static_cast<int>(rng.below(n));
        if (std::ranges::count(set, element) == 0) set.push_back(element);
      }
      const auto inside = std::ranges::count_if(set, [&](int e) { return first[e] != 0; });
      if (inside == 0 || inside == wanted) continue;
      Set key = set;
      std::ranges::sort(key);
      if (std::ranges::find(sorted, key) != sorted.end()) continue;
      sorted.push_back(std::move(key));
      problem.Sets.push_back(std::move(set));
    }
    problem.reference_answer = format_answer(part);
    return problem;
  }

  static bool splits_all(const Problem& problem, const Answer& part) {
    std::vector<char> first(problem.N);
    for (const std::int64_t element : part) first[element] = 1;
    return std::ranges::all_of(problem.Sets, [&](const Set& set) {
      const char side = first[set.front()];
      return std::ranges::any_of(set, [&](int element) { return first[element] != side; });
    });
  }

  static Answer one_after_another(const Problem& problem) {
    constexpr int kBoth = 3;
    std::vector<int> met(problem.Sets.size());  // 1: the first part, 2: the second
    std::vector<std::vector<int>> sets_of(problem.N);
    for (int i = 0; i < problem.M; ++i) {
      for (const int element : problem.Sets[i]) sets_of[element].push_back(i);
    }
    Answer part;
    for (int element = 0; element < problem.N; ++element) {
      int balance = 0;
      for (const int set : sets_of[element]) {
        if (met[set] != kBoth) balance += met[set] == 2 ? 1 : met[set] == 1 ? -1 : 0;
      }
      const bool first = balance > 0 || (balance == 0 && element % 2 == 0);
      if (first) part.push_back(element);
      for (const int set : sets_of[element]) met[set] |= first ? 1 : 2;
    }
    return part;
  }
};
REDQUEEN_ENVIRONMENT(SetSplitting);

}  // namespace
}  // namespace redqueen
