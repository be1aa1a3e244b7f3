#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct DoubleStackSorting {
  static constexpr Card card{
      .name = "DoubleStackSorting",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kElementWise,
      .task = "Bring the numbers of a queue into a given order with two stacks.",
      .levels =
          "The length of the queue starts at 4 and grows by a tenth and one a level. Beyond level "
          "60 it has thousands of numbers.",
      .rewards =
          "-1 a letter that is no operation, -0.5 an operation that is impossible, or numbers left "
          "over, else (places that are right / N)^10.",
      .differences =
          "Pushes are a little more likely than pops in the hidden run. An order that one stack "
          "makes is drawn again. From 18 numbers on, which is level 10, so is one that falls to "
          "choosing for each number a stack where it blocks nothing; nearly all shorter ones do.",
      .max_level = 60,
  };

  static constexpr int kMaxLength = 20'000;
  static constexpr int kDraws = 100;
  static constexpr double kPushes = 0.6;
  static constexpr int kGreedyFails = 18;  // at least so many numbers, often enough

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> output_sequence;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, output_sequence, reference_answer)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws,
        [&] {
          Machine machine(config.N);
          const std::string run = random_run(machine, rng);
          return Problem{.N = config.N, .output_sequence = machine.output, .reference_answer = run};
        },
        [](const Problem& problem) { return !some_rule_solves<DoubleStackSorting>(problem); });
  }

  // The four operations have random weights in the hidden run; those that are not possible are
  // passed over.
  static Problem published(const Config& config, Rng& rng) {
    constexpr std::string_view kOperations = "abcd";
    std::array<double, 4> weights{};
    for (double& weight : weights) weight = static_cast<double>(rng.integer(1, config.N));
    Machine machine(config.N);
    std::string run;
    while (std::ssize(machine.output) < machine.numbers) {
      std::array<double, 4> possible{};
      for (std::size_t i = 0; i < possible.size(); ++i) {
        if (machine.can(kOperations[i])) possible[i] = weights[i];
      }
      run += kOperations[rng.weighted(possible)];
      machine.apply(run.back());
    }
    return {.N = config.N, .output_sequence = machine.output, .reference_answer = run};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(
        check_numbers("output_sequence", problem.output_sequence, problem.N, 0, problem.N - 1));
    if (score(problem, problem.reference_answer) != 1.0) {
      return failure("\"reference_answer\" does not make \"output_sequence\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A queue holds the numbers from 0 to {} in ascending order, 0 at its front. There are two "
        "stacks, S1 and S2, both empty, and an output list, also empty. There are four "
        "operations:\n"
        "a: take the number at the front of the queue and push it onto S1\n"
        "b: pop the top number of S1 and append it to the output\n"
        "c: take the number at the front of the queue and push it onto S2\n"
        "d: pop the top number of S2 and append it to the output\n"
        "Nothing can be taken from an empty queue or stack. Find a sequence of operations after "
        "which the output is\n"
        "{}\n"
        "Any such sequence will do.\n"
        "Answer with the {} letters of the operations in order, without spaces.",
        problem.N - 1, format_answer(problem.output_sequence), 2 * problem.N);
  }

  static std::optional<Answer> parse(std::string_view text) { return std::string(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    Machine machine(problem.N);
    for (const char operation : answer) {
      if (operation < 'a' || operation > 'd') return kMalformedReward;
      if (!machine.can(operation)) return kInvalidReward;
      machine.apply(operation);
    }
    if (std::ssize(machine.output) != problem.N) return kInvalidReward;
    std::int64_t matches = 0;
    for (int i = 0; i < problem.N; ++i) {
      matches += machine.output[i] == problem.output_sequence[i];
    }
    return share_reward(matches, problem.N);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Machine machine(problem.N);
    return random_run(machine, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer in_order;
    for (int i = 0; i < problem.N; ++i) in_order += "ab";
    std::vector<SimpleRule<Answer>> rules{
        {"abab...", in_order},
        {"one stack", greedy_run(problem, [](const Tops&, std::int64_t) { return 0; })}};
    if (problem.N >= kGreedyFails) {
      const auto first = [](const Tops& tops, std::int64_t time) {
        return tops[0] >= time ? 0 : 1;
      };
      const auto tightest = [](const Tops& tops, std::int64_t time) {
        if ((tops[0] >= time) != (tops[1] >= time)) return tops[0] >= time ? 0 : 1;
        return tops[0] <= tops[1] ? 0 : 1;
      };
      rules.push_back({"the first stack if that blocks nothing", greedy_run(problem, first)});
      rules.push_back(
          {"the stack that is blocked for the shortest time", greedy_run(problem, tightest)});
    }
    return rules;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  using Tops = std::array<std::int64_t, 2>;  // when the top of each stack is to leave

  struct Machine {
    explicit Machine(int n) : numbers(n) {}

    bool can(char operation) const {
      if (operation == 'a' || operation == 'c') return next < numbers;
      return !stacks[operation == 'b' ? 0 : 1].empty();
    }

    // The operation is possible.
    void apply(char operation) {
      std::vector<std::int64_t>& stack = stacks[operation <= 'b' ? 0 : 1];
      if (operation == 'a' || operation == 'c') {
        stack.push_back(next++);
      } else {
        output.push_back(stack.back());
        stack.pop_back();
      }
    }

    std::int64_t numbers;
    std::int64_t next = 0;  // at the front of the queue
    std::array<std::vector<std::int64_t>, 2> stacks;
    std::vector<std::int64_t> output;
  };

  // Random operations to the end; those that are not possible are passed over.
  static std::string random_run(Machine& machine, Rng& rng) {
    std::string run;
    while (std::ssize(machine.output) < machine.numbers) {
      const bool push = rng.chance(kPushes);
      const char operation = rng.chance(0.5) ? (push ? 'a' : 'b') : (push ? 'c' : 'd');
      if (!machine.can(operation)) continue;
      machine.apply(operation);
      run += operation;
    }
    return run;
  }

  // Pops what is due; else pushes the next number onto the stack that `choose` names. An empty
  // stack blocks nothing: its top leaves never. At the end pops whatever is left.
  template <typename Choose>
  static std::string greedy_run(const Problem& problem, Choose choose) {
    std::vector<std::int64_t> time(problem.output_sequence.size());
    for (int i = 0; i < problem.N; ++i) time[problem.output_sequence[i]] = i;
    Machine machine(problem.N);
    std::string run;
    const auto apply = [&](char operation) {
      machine.apply(operation);
      run += operation;
    };
    while (std::ssize(machine.output) < problem.N) {
      const auto due = [&](int stack) {
        return !machine.stacks[stack].empty() &&
               machine.stacks[stack].back() == problem.output_sequence[machine.output.size()];
      };
      if (due(0) || due(1)) {
        apply(due(0) ? 'b' : 'd');
      } else if (machine.next < machine.numbers) {
        Tops tops{};
        for (const int stack : {0, 1}) {
          const auto& numbers = machine.stacks[stack];
          tops[stack] = numbers.empty() ? problem.N : time[numbers.back()];
        }
        apply(choose(tops, time[machine.next]) == 0 ? 'a' : 'c');
      } else {
        apply(machine.stacks[0].empty() ? 'd' : 'b');
      }
    }
    return run;
  }
};
REDQUEEN_ENVIRONMENT(DoubleStackSorting);

}  // namespace
}  // namespace redqueen
