#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/sequence/ballot.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct SingleStackSorting {
  static constexpr Card card{
      .name = "SingleStackSorting",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kElementWise,
      .task = "Find the operations that turn a queue by a stack into a given order.",
      .levels =
          "The queue grows from 3 numbers by a tenth and one a level. Beyond level 80 the "
          "operations would be too many to write.",
      .rewards =
          "Up to the first fault: -1 another letter than a and b, -0.5 an operation on nothing. "
          "-0.5 not all numbers put out, else (numbers at their place / N)^10.",
      .differences =
          "All sequences of operations are equally likely. Under drawn weights of the two "
          "operations, a third of the orders were ascending or descending ones.",
      .small_answer_space =
          "At level 0 there are five sequences of operations, at level 1 there are 14.",
      .guess_until_level = 1,
      .source = "Knuth, The Art of Computer Programming, volume 1, 2.2.1.",
      .max_level = 80,
  };

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;  // of the level; the output itself says how long it is
    std::vector<std::int64_t> output_sequence;
    REDQUEEN_FIELDS(N, output_sequence)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return {.N = config.N, .output_sequence = run(draw_ballot(config.N, 'a', 'b', rng)).output};
  }

  // Operations are drawn by two weights, themselves uniform in 1 … N; those that cannot be done are
  // drawn again.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .output_sequence = {}};
    const double push = static_cast<double>(rng.integer(1, config.N));
    const double pop = static_cast<double>(rng.integer(1, config.N));
    std::vector<std::int64_t> stack;
    std::int64_t pushed = 0;
    while (std::ssize(problem.output_sequence) < config.N) {
      if (rng.chance(push / (push + pop))) {
        if (pushed < config.N) stack.push_back(pushed++);
      } else if (!stack.empty()) {
        problem.output_sequence.push_back(stack.back());
        stack.pop_back();
      }
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("output_sequence", size_of(problem), 1, kMaxShownNumbers));
    if (!is_order(size_of(problem), problem.output_sequence)) {
      return failure("\"output_sequence\": expected each of 0, 1, … once");
    }
    if (run(solve(problem)).output != problem.output_sequence) {
      return failure("\"output_sequence\": no stack can make this order");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A queue holds the numbers 0, 1, …, {0}, in this order with 0 at the front. There are also "
        "a stack and an output list, both empty at first. There are two operations:\n"
        "a: take the number at the front of the queue away and put it on top of the stack.\n"
        "b: take the number on top of the stack away and write it at the end of the output list.\n"
        "Find the operations after which the output list is\n"
        "{1}\n"
        "Neither operation may be done where there is nothing to take.\n"
        "Answer with the {2} operations in their order, as one word of the letters a and b without "
        "spaces.",
        size_of(problem) - 1, format_answer(problem.output_sequence), 2 * size_of(problem));
  }

  static std::optional<Answer> parse(std::string_view text) { return Answer(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    const auto [output, fault] = run(answer, size_of(problem));
    if (fault) return *fault;
    if (std::ssize(output) != size_of(problem)) return kInvalidReward;
    std::int64_t matches = 0;
    for (int i = 0; i < size_of(problem); ++i) matches += output[i] == problem.output_sequence[i];
    return share_reward(matches, size_of(problem));
  }

  // Take from the stack as soon as the number wanted next is on top.
  static Answer solve(const Problem& problem) {
    Answer operations;
    std::vector<std::int64_t> stack;
    std::int64_t pushed = 0;
    for (const std::int64_t wanted : problem.output_sequence) {
      while (pushed <= wanted) {
        stack.push_back(pushed++);
        operations += 'a';
      }
      stack.pop_back();
      operations += 'b';
    }
    return operations;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_ballot(size_of(problem), 'a', 'b', rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto n = problem.output_sequence.size();
    std::string in_turn;
    for (std::size_t i = 0; i < n; ++i) in_turn += "ab";
    return {{"abab…", in_turn}, {"a…ab…b", std::string(n, 'a') + std::string(n, 'b')}};
  }

 private:
  static int size_of(const Problem& problem) {
    return static_cast<int>(problem.output_sequence.size());
  }

  struct Outcome {
    std::vector<std::int64_t> output;
    std::optional<double> fault;  // what the first one costs
  };

  static Outcome run(std::string_view operations, std::int64_t n) {
    Outcome outcome;
    std::vector<std::int64_t> stack;
    std::int64_t pushed = 0;
    for (const char operation : operations) {
      if (operation == 'a' && pushed < n) {
        stack.push_back(pushed++);
      } else if (operation == 'b' && !stack.empty()) {
        outcome.output.push_back(stack.back());
        stack.pop_back();
      } else {
        const bool known = operation == 'a' || operation == 'b';
        outcome.fault = known ? kInvalidReward : kMalformedReward;
        return outcome;
      }
    }
    return outcome;
  }

  static Outcome run(std::string_view operations) {
    return run(operations, std::ssize(operations) / 2);
  }
};
REDQUEEN_ENVIRONMENT(SingleStackSorting);

}  // namespace
}  // namespace redqueen
