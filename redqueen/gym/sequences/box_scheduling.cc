#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct BoxScheduling {
  static constexpr Card card{
      .name = "BoxScheduling",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Put N - 1 boxes on different places of a circle by steps of two sizes, with the "
          "lexicographically least numbers of steps.",
      .levels =
          "The bound on the number of places starts at 3 and grows by a tenth and one a level. "
          "Beyond level 80 an answer would be too long to write.",
      .rewards =
          "-1 malformed, -0.5 not every place but the taken one once, else (boxes at their place / "
          "boxes)^10.",
      .differences =
          "The number of places lies in the upper half of its range, from 5 on where that goes so "
          "far, and shares, where it can, a "
          "divisor with the step D. From 5 places on, a problem is drawn again that the ascending "
          "places solve, or the next free place for every box.",
      .max_level = 80,
  };

  static constexpr int kFewPlaces = 5;
  static constexpr int kDraws = 200;

  struct Config {
    int MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    int N = 0;
    int D = 0;
    int S = 0;
    std::vector<std::int64_t> C;
    std::vector<std::int64_t> gold_answer;
    REDQUEEN_FIELDS(N, D, S, C, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem;
      problem.N =
          static_cast<int>(draw_upper_half(std::min(config.MAX_N, kFewPlaces), config.MAX_N, rng));
      problem.D = step_with_divisor(problem.N, rng);
      problem.S = static_cast<int>(rng.integer(0, problem.N - 1));
      problem.C = draw_numbers(problem.N - 1, 0, problem.N - 1, rng);
      problem.gold_answer = places(problem, problem.D);
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return problem.N < kFewPlaces || !some_rule_solves<BoxScheduling>(problem);
    });
  }

  // The number of places is uniform up to the bound. A step is drawn until it shares a divisor with
  // N, but at most sqrt(N) times.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem;
    problem.N = static_cast<int>(rng.integer(3, config.MAX_N));
    problem.C = draw_numbers(problem.N - 1, 0, problem.N - 1, rng);
    for (int tries = 1; tries * tries <= problem.N; ++tries) {
      problem.D = static_cast<int>(rng.integer(1, problem.N - 1));
      if (std::gcd(problem.D, problem.N) > 1) break;
    }
    problem.S = static_cast<int>(rng.integer(0, problem.N - 1));
    problem.gold_answer = places(problem, problem.D);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxShownNumbers));
    RETURN_IF_ERROR(within("D", problem.D, 0, problem.N - 1));
    RETURN_IF_ERROR(within("S", problem.S, 0, problem.N - 1));
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.N - 1, 0, problem.N - 1));
    return reference_is("gold_answer", problem.gold_answer, places(problem, problem.D));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A circle has {0} places, numbered 0 to {1}. Place {2} is taken. {1} boxes, numbered 1 to "
        "{1}, are to stand on the other places, one on each. For box i two integers X[i] ≥ 0 and "
        "Y[i] ≥ 0 are chosen; it then stands at place (C[i] + {3}·X[i] + Y[i]) mod {0}. C[1] to "
        "C[{1}] are:\n"
        "{4}\n"
        "Among all choices that put the boxes on different places, none of them {2}, take those "
        "whose sequence (Y[1], Y[2], …, Y[{1}]) is lexicographically least; among these take the "
        "one whose sequence (X[1], X[2], …, X[{1}]) is lexicographically least.\n"
        "At which places do the boxes stand?\n"
        "Answer with the places of box 1 to box {1} on one line, separated by spaces.",
        problem.N, problem.N - 1, problem.S, problem.D, format_answer(problem.C));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.gold_answer.size()) return kInvalidReward;
    std::vector<char> taken(static_cast<std::size_t>(problem.N));
    taken[problem.S] = 1;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      if (answer[i] < 0 || answer[i] >= problem.N || taken[answer[i]]) return kInvalidReward;
      taken[answer[i]] = 1;
      matches += answer[i] == problem.gold_answer[i];
    }
    return share_reward(matches, problem.N - 1);
  }

  static Answer solve(const Problem& problem) { return problem.gold_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = ascending(problem);
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"ascending", ascending(problem)}, {"the next free place", places(problem, 1)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // The next free element from a given one on, on circles in which each element has one successor.
  class NextFree {
   public:
    NextFree(int n, int step) : next_(static_cast<std::size_t>(n)), n_(n), step_(step) {
      std::iota(next_.begin(), next_.end(), 0);
    }
    // Must exist.
    int from(int place) {
      while (next_[place] != place) {
        next_[place] = next_[next_[place]];
        place = next_[place];
      }
      return place;
    }
    void take(int place) { next_[place] = (place + step_) % n_; }

   private:
    std::vector<int> next_;
    int n_;
    int step_;
  };

  // Places with equal residues modulo gcd(N, D) are reached from each other by steps of D. The
  // boxes in turn: a least Y leads to the next residue that has a free place, and a least X to the
  // next free place in steps of D.
  static Answer places(const Problem& problem, int step) {
    const int residues = step == 0 ? problem.N : std::gcd(problem.N, step);
    std::vector<int> free(static_cast<std::size_t>(residues), problem.N / residues);
    NextFree residue(residues, 1);
    NextFree place(problem.N, step);
    const auto take = [&](int taken) {
      // The last place of a residue has no free one after it; the residue is passed over then.
      if (--free[taken % residues] == 0) {
        residue.take(taken % residues);
      } else {
        place.take(taken);
      }
    };
    take(problem.S);
    Answer answer;
    for (const std::int64_t start : problem.C) {
      const int from = static_cast<int>(start % residues);
      const int shift = (residue.from(from) - from + residues) % residues;
      const int found = place.from(static_cast<int>((start + shift) % problem.N));
      answer.push_back(found);
      if (std::ssize(answer) < problem.N - 1) take(found);
    }
    return answer;
  }

  static Answer ascending(const Problem& problem) {
    Answer answer;
    for (int place = 0; place < problem.N; ++place) {
      if (place != problem.S) answer.push_back(place);
    }
    return answer;
  }

  // A multiple of a divisor of n, if n is no prime.
  static int step_with_divisor(int n, Rng& rng) {
    std::vector<int> steps;
    for (int step = 2; step < n; ++step) {
      if (std::gcd(step, n) > 1) steps.push_back(step);
    }
    if (steps.empty()) return static_cast<int>(rng.integer(1, n - 1));
    return rng.choice(steps);
  }
};
REDQUEEN_ENVIRONMENT(BoxScheduling);

}  // namespace
}  // namespace redqueen
