#include <algorithm>
#include <span>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct HungryRabbit {
  static constexpr Card card{
      .name = "HungryRabbit",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task =
          "Choose sets of one size such that each avoids its forbidden numbers and differs little "
          "from the one before.",
      .levels =
          "The bound on the numbers and on the sets starts at 4 and grows by one a level; both are "
          "in its upper half.",
      .rewards =
          "-1 malformed, -0.5 not so many sets of so many different numbers in range, -0.2 a "
          "forbidden number, else (changes within the limit / all)^10.",
      .differences =
          "Sets are of about half of the numbers and change by at most a third of their size, and "
          "from a third to all of the others are forbidden. A problem that a greedy or a random "
          "choice solves is drawn again where that helps.",
      .slow_reason = SlowReason::kStricter,
  };

  using Sets = std::vector<std::vector<std::int64_t>>;

  static constexpr double kForbiddenReward = -0.2;
  static constexpr int kMaxNumbers = 300;
  static constexpr int kDraws = 200;
  static constexpr int kRandomWays = 4;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;       // numbers 1 … N
    int M = 0;       // sets
    int K = 0;       // size of each
    int L = 0;       // numbers that may be new in a set
    Sets forbidden;  // by set
    std::string reference_answer;
    REDQUEEN_FIELDS(N, M, K, L, forbidden, reference_answer)
  };
  using Answer = Sets;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    auto drawn = draw_preferred(
        kDraws, [&] { return draw(config, rng); },
        [&](const std::pair<Problem, Sets>& draw_and_sets) {
          const Problem& draft = draw_and_sets.first;
          return !some_rule_is_best<HungryRabbit>(draft, [&](const Answer& sets) {
            return is_right(draft, sets);
          }) && !chance_solves<HungryRabbit>(draft, kRandomWays, rng);
        });
    drawn.first.reference_answer = format_answer(drawn.second);
    return std::move(drawn.first);
  }

  // All sizes are uniform; a set has up to L new numbers, and one to all of the others are
  // forbidden.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem;
    problem.N = static_cast<int>(rng.integer(4, config.MAX_N_M));
    problem.M = static_cast<int>(rng.integer(3, config.MAX_N_M));
    problem.K = static_cast<int>(rng.integer(2, problem.N - 2));
    problem.L = static_cast<int>(rng.integer(1, problem.K - 1));
    const std::int64_t others = problem.N - problem.K;
    // The first K numbers are the set.
    std::vector<std::int64_t> order = rng.sample(1, problem.N, static_cast<std::size_t>(problem.N));
    Sets sets;
    for (int i = 0; i < problem.M; ++i) {
      const std::int64_t changes =
          i == 0 ? 0 : rng.integer(0, std::min<std::int64_t>(problem.L, others));
      std::span in(order.begin(), static_cast<std::size_t>(problem.K));
      std::span out(order.begin() + problem.K, order.end());
      rng.shuffle(in);
      rng.shuffle(out);
      std::swap_ranges(in.begin(), in.begin() + changes, out.begin());
      sets.emplace_back(in.begin(), in.end());
      std::ranges::sort(sets.back());
      rng.shuffle(out);
      auto& forbidden =
          problem.forbidden.emplace_back(out.begin(), out.begin() + rng.integer(1, others));
      std::ranges::sort(forbidden);
    }
    problem.reference_answer = format_answer(sets);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxNumbers));
    RETURN_IF_ERROR(within("M", problem.M, 2, kMaxNumbers));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    RETURN_IF_ERROR(within("L", problem.L, 0, problem.K));
    if (std::ssize(problem.forbidden) != problem.M) {
      return failure("\"forbidden\": expected \"M\" sets, found {}", problem.forbidden.size());
    }
    for (const auto& set : problem.forbidden) {
      if (std::ssize(set) > problem.N) return failure("\"forbidden\": a set has too many numbers");
      for (const std::int64_t number : set) {
        RETURN_IF_ERROR(within("forbidden", number, 1, problem.N));
      }
    }
    const auto sets = parse_int_matrix(problem.reference_answer);
    if (!sets || score(problem, *sets) != 1.0) {
      return failure("\"reference_answer\" does not solve the problem");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string forbidden;
    for (std::size_t i = 0; i < problem.forbidden.size(); ++i) {
      append_format(forbidden, "set {}: {}\n", i + 1,
                    problem.forbidden[i].empty() ? "none" : format_answer(problem.forbidden[i]));
    }
    return fmt::format(
        "Choose {0} sets, one after the other. Each consists of exactly {1} different integers "
        "from 1 to {2}. From the second on, at most {3} of the numbers of a set may be missing "
        "in the set just before it. For each set some numbers are forbidden, which it must not "
        "contain:\n"
        "{4}"
        "Any choice that keeps these conditions will do.\n"
        "Answer with {0} lines, one for each set in order: its {1} numbers, in any order, "
        "separated "
        "by spaces.",
        problem.M, problem.K, problem.N, problem.L, forbidden);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.M) return kInvalidReward;
    std::vector<char> before;
    std::vector<char> members;
    bool has_forbidden = false;
    std::int64_t within_limit = 0;
    for (int i = 0; i < problem.M; ++i) {
      if (std::ssize(answer[i]) != problem.K) return kInvalidReward;
      members.assign(static_cast<std::size_t>(problem.N) + 1, 0);
      int fresh = 0;
      for (const std::int64_t number : answer[i]) {
        if (number < 1 || number > problem.N) return kInvalidReward;
        if (std::exchange(members[number], 1) != 0) return kInvalidReward;
        fresh += i > 0 && before[number] == 0;
      }
      has_forbidden |= std::ranges::any_of(
          problem.forbidden[i], [&](std::int64_t number) { return members[number] != 0; });
      within_limit += i > 0 && fresh <= problem.L;
      members.swap(before);
    }
    if (has_forbidden) return kForbiddenReward;
    return share_reward(within_limit, problem.M - 1);
  }

  static Answer solve(const Problem& problem) {
    return *parse_int_matrix(problem.reference_answer);
  }

  // Allowed numbers at random; where there are enough of them, as in every problem that can be
  // solved.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.M; ++i) {
      std::vector<std::int64_t> allowed = allowed_numbers(problem, i);
      rng.shuffle(allowed);
      allowed.resize(static_cast<std::size_t>(problem.K));
      answer.push_back(std::move(allowed));
    }
    return answer;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    if (visit("keep what is allowed, fill up with what stays allowed longest",
              keeping(problem, true)) ||
        visit("keep what is allowed, fill up with the smallest allowed numbers",
              keeping(problem, false))) {
      return true;
    }
    Answer smallest;
    Answer largest;
    for (int i = 0; i < problem.M; ++i) {
      const std::vector<std::int64_t> allowed = allowed_numbers(problem, i);
      smallest.emplace_back(allowed.begin(), allowed.begin() + problem.K);
      largest.emplace_back(allowed.end() - problem.K, allowed.end());
    }
    return visit("the smallest allowed numbers", smallest) ||
           visit("the largest allowed numbers", largest);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<HungryRabbit>(problem));
  }

 private:
  static std::vector<char> forbidden_flags(const Problem& problem, int set) {
    std::vector<char> flags(static_cast<std::size_t>(problem.N) + 1, 0);
    for (const std::int64_t number : problem.forbidden[set]) flags[number] = 1;
    return flags;
  }

  static std::vector<std::int64_t> allowed_numbers(const Problem& problem, int set) {
    const std::vector<char> forbidden = forbidden_flags(problem, set);
    std::vector<std::int64_t> allowed;
    for (std::int64_t number = 1; number <= problem.N; ++number) {
      if (forbidden[number] == 0) allowed.push_back(number);
    }
    return allowed;
  }

  static Answer keeping(const Problem& problem, bool look_ahead) {
    Answer answer;
    // allowed_until[number]: the first set from here on that forbids it
    std::vector<std::vector<int>> allowed_until(
        static_cast<std::size_t>(problem.M) + 1,
        std::vector<int>(static_cast<std::size_t>(problem.N) + 1, problem.M));
    for (int i = problem.M - 1; i >= 0; --i) {
      allowed_until[i] = allowed_until[i + 1];
      for (const std::int64_t number : problem.forbidden[i]) allowed_until[i][number] = i;
    }
    std::vector<std::int64_t> kept;
    for (int i = 0; i < problem.M; ++i) {
      std::erase_if(kept, [&](std::int64_t number) { return allowed_until[i][number] == i; });
      std::vector<std::int64_t> others = allowed_numbers(problem, i);
      std::erase_if(others, [&](std::int64_t number) {
        return std::ranges::find(kept, number) != kept.end();
      });
      if (look_ahead) {
        std::ranges::stable_sort(others, std::ranges::greater(),
                                 [&](std::int64_t number) { return allowed_until[i][number]; });
      }
      kept.insert(kept.end(), others.begin(), others.begin() + (problem.K - std::ssize(kept)));
      answer.push_back(kept);
    }
    return answer;
  }

  // Whether no set has more new numbers than it may have. They are of allowed numbers only.
  static bool is_right(const Problem& problem, const Answer& sets) {
    std::vector<int> last(static_cast<std::size_t>(problem.N) + 1, -1);  // set that has the number
    for (int i = 0; i < problem.M; ++i) {
      int fresh = 0;
      for (const std::int64_t number : sets[i]) {
        fresh += i > 0 && last[number] != i - 1;
        last[number] = i;
      }
      if (fresh > problem.L) return false;
    }
    return true;
  }

  // A problem without its reference, and that.
  static std::pair<Problem, Sets> draw(const Config& config, Rng& rng) {
    Problem problem;
    problem.N = static_cast<int>(rng.integer(std::max(4, config.MAX_N_M / 2), config.MAX_N_M));
    problem.M = static_cast<int>(rng.integer(std::max(3, config.MAX_N_M / 2), config.MAX_N_M));
    problem.K = static_cast<int>(
        rng.integer(std::max(2, problem.N / 3), std::max(2, problem.N * 2 / 3 - 1)));
    problem.L = static_cast<int>(rng.integer(1, std::max(1, problem.K / 3)));
    const int others = problem.N - problem.K;
    std::vector<std::int64_t> order = rng.sample(1, problem.N, static_cast<std::size_t>(problem.N));
    Sets sets;
    for (int i = 0; i < problem.M; ++i) {
      // The first K of the order are the set; some of them are exchanged for others.
      const std::int64_t changes = i == 0 ? 0 : std::min(problem.L, others);
      for (std::int64_t change = 0; change < changes; ++change) {
        std::swap(order[rng.below(static_cast<std::uint64_t>(problem.K))],
                  order[rng.integer(problem.K, problem.N - 1)]);
      }
      sets.emplace_back(order.begin(), order.begin() + problem.K);
      std::vector<std::int64_t> out(order.begin() + problem.K, order.end());
      rng.shuffle(out);
      out.resize(static_cast<std::size_t>(rng.integer(std::max(1, others / 3), others)));
      std::ranges::sort(out);
      problem.forbidden.push_back(std::move(out));
    }
    for (auto& set : sets) std::ranges::sort(set);
    return {std::move(problem), std::move(sets)};
  }
};
REDQUEEN_ENVIRONMENT(HungryRabbit);

}  // namespace
}  // namespace redqueen
