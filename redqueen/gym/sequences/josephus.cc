#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/sequence/fenwick.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct Josephus {
  static constexpr Card card{
      .name = "Josephus",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Persons stand in a circle and every M-th leaves it until nobody is left; give the order "
          "in which they leave.",
      .levels =
          "The bound on the number of persons starts at 3 and grows by a tenth and one a level. "
          "Beyond level 80 an answer would be too long to write.",
      .rewards =
          "-1 malformed, -0.5 not each label once, else (labels at the right place / labels)^10.",
      .differences =
          "The number of persons N lies in the upper half of its range, and M goes up to 6 N + 1 "
          "instead of N: so there are thousands of problems instead of some ten. Nobody leaves in "
          "ascending order.",
      .source = "The Josephus problem; Graham, Knuth, Patashnik, Concrete Mathematics, 1.3.",
      .max_level = 80,
  };

  static constexpr std::int64_t kMaxCount = 1'000'000'000;

  struct Config {
    int MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    int N = 0;
    std::int64_t M = 0;
    std::vector<std::int64_t> gold_answer;  // the labels as they leave
    REDQUEEN_FIELDS(N, M, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{
        .N = static_cast<int>(draw_upper_half(3, config.MAX_N, rng)), .M = 0, .gold_answer = {}};
    do {
      problem.M = rng.integer(2, 6 * std::int64_t{problem.N} + 1);
      problem.gold_answer = leaving_order(problem);
    } while (std::ranges::is_sorted(problem.gold_answer));
    return problem;
  }

  // N is uniform up to the bound, and M is uniform in 2 … N.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = static_cast<int>(rng.integer(3, config.MAX_N)), .M = 0, .gold_answer = {}};
    problem.M = rng.integer(2, problem.N);
    problem.gold_answer = leaving_order(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxCount));
    return reference_is("gold_answer", problem.gold_answer, leaving_order(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} persons with the labels 1 to {0} stand in a circle in the order of their labels, and "
        "after {0} comes 1 again. They count: person 1 says 1, the next person says 2, and so on "
        "round the circle, several times if need be. Whoever says {1} leaves the circle at once, "
        "and the next person still standing in it begins again with 1. This goes on until the last "
        "person has left.\n"
        "In which order do the persons leave?\n"
        "Answer with all {0} labels in this order on one line, separated by spaces.",
        problem.N, problem.M);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer, 1)) return kInvalidReward;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) matches += answer[i] == problem.gold_answer[i];
    return share_reward(matches, problem.N);
  }

  static Answer solve(const Problem& problem) { return problem.gold_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = ascending_order(problem.N, 1);
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"ascending", format_answer(ascending_order(problem.N, 1))},
            {"descending", format_answer(descending_order(problem.N, 1))}};
  }

 private:
  static Answer leaving_order(const Problem& problem) {
    FenwickTree<int> standing(problem.N);
    for (int i = 0; i < problem.N; ++i) standing.join(i, 1);
    Answer order;
    order.reserve(problem.N);
    std::int64_t first = 0;  // how many stand before the one who says 1
    for (int left = problem.N; left > 0; --left) {
      first = (first + problem.M - 1) % left;
      const std::int64_t person = standing.first_beyond(static_cast<int>(first));
      standing.join(person, -1);
      order.push_back(person + 1);
    }
    return order;
  }
};
REDQUEEN_ENVIRONMENT(Josephus);

}  // namespace
}  // namespace redqueen
