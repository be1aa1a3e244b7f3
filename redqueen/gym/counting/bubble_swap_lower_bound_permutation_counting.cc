#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"

namespace redqueen {
namespace {

struct BubbleSwapLowerBound_PermutationCounting {
  static constexpr Card card{
      .name = "BubbleSwapLowerBound_PermutationCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the permutations after a given one for which bubble sort needs as few exchanges "
          "as the distances of the elements to their places allow.",
      .levels = "The permutation grows from 3 elements by one a level.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "A random prefix of the permutation can be continued to one that is counted, and a "
          "permutation after which none is left is drawn again: often the count was 0, and two or "
          "three elements decided it.",
      .source = "Bubble sort (冒泡排序), NOI 2018",
  };

  static constexpr int kMaxLength = 2000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<int> P;
    REDQUEEN_FIELDS(N, P)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .P = {}};
    problem.P.reserve(config.N);
    std::vector<char> used(static_cast<std::size_t>(config.N) + 1);
    const auto place = [&](int value) {
      used[value] = 1;
      problem.P.push_back(value);
    };
    int largest = 0;
    int least_unused = 1;
    for (std::int64_t prefix = rng.integer(0, config.N - 2); prefix > 0; --prefix) {
      while (used[least_unused] == 1) ++least_unused;
      // What may follow: the least unused value, or one above all before. Small steps leave more to
      // come.
      if (least_unused < largest && (largest == config.N || rng.chance(0.5))) {
        place(least_unused);
      } else {
        largest =
            static_cast<int>(rng.integer(largest + 1, largest + 1 + (config.N - largest - 1) / 2));
        place(largest);
      }
    }
    append_shuffled_rest(problem, used, rng);
    if (solve(problem) == 0) throw Retry();
    return problem;
  }

  // A random permutation.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .P = rng.permutation(config.N)};
    for (int& value : problem.P) ++value;
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxLength ||
        problem.P.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"P\": expected \"N\" numbers, 1 to {}, found {}", kMaxLength,
                     problem.P.size());
    }
    std::vector<char> used(problem.P.size());
    for (const int value : problem.P) {
      if (value < 1 || value > problem.N ||
          std::exchange(used[static_cast<std::size_t>(value) - 1], 1) == 1) {
        return failure("\"P\": not a permutation of 1..{}, because of {}", problem.N, value);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Bubble sort puts a permutation p[1], …, p[n] of 1, …, n into ascending order by "
        "exchanging neighbours that are in the wrong order. The number of exchanges is the number "
        "of inversions of p, and it is never below half of the sum of |i - p[i]| over all i. How "
        "many permutations of the numbers 1 to {} need exactly that lowest number of exchanges and "
        "come "
        "strictly after the following permutation in lexicographic order?\n"
        "{}\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.P));
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // The bound is reached exactly by permutations without a descending subsequence of three: each
  // element is larger than all before it or the least unused one. With i elements placed, the
  // largest of them being m, they are completed in as many ways as there are lattice paths of N − i
  // steps right and N − m steps up that never have more up than right left. A counted permutation
  // leaves P at some place i for an element above max(m, P[i]): paths from (i, max(m, P[i]) + 1).
  static Answer solve(const Problem& problem) {
    Answer sum = 0;
    Paths paths(problem.N);
    std::vector<char> used(problem.P.size() + 2);
    int largest = 0;
    int least_unused = 1;
    for (const int value : problem.P) {
      const int before = largest;
      largest = std::max(largest, value);
      if (largest == problem.N) break;  // none above it
      paths.set_up(problem.N - largest - 1);
      sum += paths.count();
      if (value < before && value > least_unused) break;
      used[value] = 1;
      while (used[least_unused] == 1) ++least_unused;
      paths.step_right();
    }
    return sum;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

 private:
  // Ballot numbers along a walk: paths of `right` and `up` steps that never have more up than right
  // left are (right − up + 1) / (right + 1) · C(right + up, up).
  class Paths {
   public:
    explicit Paths(int size) : right_(size) {}

    void set_up(int up) {
      for (; up_ < up; ++up_) binomial_ = binomial_ * (right_ + up_ + 1) / (up_ + 1);
      for (; up_ > up; --up_) binomial_ = binomial_ * up_ / (right_ + up_);
    }
    void step_right() {
      binomial_ = binomial_ * right_ / (right_ + up_);
      --right_;
    }
    BigInt count() const { return binomial_ * (right_ - up_ + 1) / (right_ + 1); }

   private:
    int right_;
    int up_ = 0;
    BigInt binomial_ = 1;  // C(right + up, up)
  };

  static void append_shuffled_rest(Problem& problem, const std::vector<char>& used, Rng& rng) {
    std::vector<int> rest;
    for (int value = 1; value <= problem.N; ++value) {
      if (used[value] == 0) rest.push_back(value);
    }
    rng.shuffle(rest);
    problem.P.insert(problem.P.end(), rest.begin(), rest.end());
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(BubbleSwapLowerBound_PermutationCounting);

}  // namespace
}  // namespace redqueen
