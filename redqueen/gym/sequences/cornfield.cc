#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/chain.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct Cornfield {
  static constexpr Card card{
      .name = "Cornfield",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kMaximise,
      .task =
          "Raise intervals of an array by one, at most K times, so that its longest non-decreasing "
          "subsequence becomes as long as possible.",
      .levels =
          "The array grows from 3 numbers by a tenth and one a level, up to twice as high. Beyond "
          "level 50 the reference solution would take too long.",
      .rewards =
          "-1 malformed, -0.5 more than K intervals or bad ones, else (length / greatest "
          "length)^5.",
      .differences =
          "K is at most half of the sum of all descents and at most 24, and raising nothing is "
          "never best. From 4 numbers on, a "
          "problem is drawn again that is solved by raising the last element or all from "
          "the deepest descent on.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 there are at most two operations on three numbers.",
      .guess_until_level = 0,
      .source = "SCOI 2014, Uncle Fang's Cornfield.",
      .max_level = 50,
  };

  static constexpr int kFewNumbers = 4;
  static constexpr int kDraws = 300;
  static constexpr int kMostRaises = 24;
  static constexpr std::int64_t kMaxHeight = 1'000'000'000;
  static constexpr std::int64_t kMaxWork = 60'000'000;  // elements² times operations

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> H;
    int K = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, H, K, gold_answer)
  };
  using Answer = std::vector<std::pair<std::int64_t, std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .H = {}, .K = 0, .gold_answer = 0};
      problem.H = draw_numbers(config.N, 1, 2 * config.N, rng);
      const std::int64_t most =
          std::min<std::int64_t>({config.N, descents_of(problem.H) / 2, kMostRaises});
      problem.K = static_cast<int>(rng.integer(1, std::max<std::int64_t>(1, most)));
      problem.gold_answer = length_after(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.gold_answer == length_after(problem, {})) return false;
      return config.N < kFewNumbers || !some_rule_solves<Cornfield>(problem);
    });
  }

  // The heights are uniform, and K is uniform up to the sum of all descents or N, whichever is
  // less. Of some hundred numbers, check() allows fewer raises.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .H = {}, .K = 0, .gold_answer = 0};
    problem.H = draw_numbers(config.N, 1, 2 * config.N, rng);
    const std::int64_t most =
        std::min<std::int64_t>({config.N, descents_of(problem.H), kMaxWork / config.N / config.N});
    problem.K = static_cast<int>(rng.integer(1, std::max<std::int64_t>(1, most)));
    problem.gold_answer = length_after(problem, solve(problem));
    return problem;
  }

  static std::int64_t descents_of(const std::vector<std::int64_t>& heights) {
    std::int64_t descents = 0;
    for (std::size_t i = 1; i < heights.size(); ++i) {
      descents += std::max<std::int64_t>(heights[i - 1] - heights[i], 0);
    }
    return descents;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, 10'000));
    RETURN_IF_ERROR(check_numbers("H", problem.H, problem.N, -kMaxHeight, kMaxHeight));
    RETURN_IF_ERROR(within("K", problem.K, 0, kMaxWork / problem.N / problem.N));
    return reference_is("gold_answer", problem.gold_answer, length_after(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} integers, with places from 0:\n"
        "{}\n"
        "One operation chooses two places L and R with 0 ≤ L ≤ R ≤ {} and adds 1 to every element "
        "from place L to place R, both included. You may use at most {} operations (none is "
        "allowed, and so is the same one several times).\n"
        "Choose them such that afterwards the longest non-decreasing subsequence of the array is "
        "as long as possible; a subsequence keeps the order and may leave out any elements.\n"
        "Answer with one operation a line, as the two integers L and R separated by a space.",
        problem.N, with_indices("H", problem.H), problem.N - 1, problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) > problem.K) return kInvalidReward;
    for (const auto& [first, last] : answer) {
      if (first < 0 || last < first || last >= problem.N) return kInvalidReward;
    }
    return maximise_reward(length_after(problem, answer), problem.gold_answer);
  }

  // Raising up to the last place is never worse. So the elements kept are raised by numbers of
  // operations that do not fall from left to right. An element raised by j prolongs one before it
  // that is raised by no more and not higher then.
  static Answer solve(const Problem& problem) {
    struct Link {
      int length = 1;
      int element = -1;  // what it prolongs
      int raised = 0;
    };
    const int n = problem.N;
    const int raises = problem.K + 1;
    std::vector<Link> links(static_cast<std::size_t>(n) * raises);  // n × raises
    std::vector<int> best(links.size());  // of the raises up to each, the one that reaches furthest
    Link last{.length = 0};
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < raises; ++j) {
        Link& here = links[i * raises + j];
        for (int before = 0; before < i; ++before) {
          const std::int64_t room = problem.H[i] + j - problem.H[before];
          if (room < 0) continue;
          const int raised = best[before * raises + std::min<std::int64_t>(j, room)];
          const int length = links[before * raises + raised].length + 1;
          if (length > here.length) here = {.length = length, .element = before, .raised = raised};
        }
        const int lower = j > 0 ? best[i * raises + j - 1] : 0;
        best[i * raises + j] = links[i * raises + lower].length >= here.length ? lower : j;
        if (here.length > last.length) last = {.length = here.length, .element = i, .raised = j};
      }
    }
    Answer answer;
    for (Link link = last; link.element >= 0;) {
      const Link before = links[link.element * raises + link.raised];
      const int fewer = before.element < 0 ? 0 : before.raised;
      answer.insert(answer.end(), link.raised - fewer, {link.element, n - 1});
      link = before;
    }
    std::ranges::reverse(answer);
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (std::int64_t count = rng.integer(1, problem.K); count > 0; --count) {
      const std::int64_t first = rng.integer(0, problem.N - 1);
      answer.emplace_back(first, rng.integer(first, problem.N - 1));
    }
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::int64_t deepest = problem.N - 1;
    for (std::int64_t i = problem.N - 1; i > 0; --i) {
      const auto depth = [&](std::int64_t at) { return problem.H[at - 1] - problem.H[at]; };
      if (depth(i) > depth(deepest)) deepest = i;
    }
    const auto from = [&](std::int64_t first) { return Answer(problem.K, {first, problem.N - 1}); };
    return {{"no operation", {}},
            {"the last element", from(problem.N - 1)},
            {"all from the deepest descent on", from(deepest)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::int64_t length_after(const Problem& problem, const Answer& operations) {
    std::vector<std::int64_t> change(problem.H.size() + 1);
    for (const auto& [first, last] : operations) {
      ++change[first];
      --change[last + 1];
    }
    std::vector<std::int64_t> heights = problem.H;
    std::int64_t raised = 0;
    for (int i = 0; i < problem.N; ++i) heights[i] += raised += change[i];
    return longest_chain_length(heights, Equal::kKeeps);
  }
};
REDQUEEN_ENVIRONMENT(Cornfield);

}  // namespace
}  // namespace redqueen
