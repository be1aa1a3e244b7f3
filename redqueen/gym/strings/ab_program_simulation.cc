#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct ABProgramSimulation {
  static constexpr Card card{
      .name = "ABProgramSimulation",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kExact,
      .task = "Rewrite a row of tokens by four rules until none applies.",
      .levels =
          "The row grows from 4 tokens by a tenth and one a level. Beyond level 75 it would be too "
          "long to read.",
      .rewards = "-1 other tokens, 0 wrong, 1 right.",
      .differences =
          "At least N/2 rewrites are needed and something is left, which is neither the row as "
          "given, nor the row sorted without a deletion, nor what deleting neighbours alone "
          "leaves. There is no bound on the number of rewrites: it made high levels easy.",
      .slow_reason = SlowReason::kStricter,
      .source = "V. Taelin's A::B problem, 2024.",
      .max_level = 75,
  };

  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    int max_steps = 0;
    REDQUEEN_FIELDS(N, max_steps)
  };
  struct Problem {
    int N = 0;  // of the level; the row itself says how long it is
    std::vector<std::string> program;
    REDQUEEN_FIELDS(N, program)
  };
  using Answer = std::vector<std::string>;

  static Config at_level(int level, Rng&) {
    return {.N = grow_by_tenth(4, level), .max_steps = grow_by_tenth(10, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .program = {}};
      for (int i = 0; i < config.N; ++i) {
        problem.program.emplace_back(kTokens[rng.below(kTokens.size())]);
      }
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      const Outcome outcome = run(problem.program);
      return outcome.rewrites >= config.N / 2 && !outcome.row.empty() &&
             !some_rule_solves<ABProgramSimulation>(problem);
    });
  }

  // Tokens in random proportions, drawn again until less than max_steps rewrites are needed.
  static Problem published(const Config& config, Rng& rng) {
    const auto draw = [&] {
      std::array<double, 4> weights;
      for (double& weight : weights) weight = static_cast<double>(rng.integer(1, config.N));
      Problem problem{.N = config.N, .program = {}};
      for (int i = 0; i < config.N; ++i) {
        problem.program.emplace_back(kTokens[rng.weighted(weights)]);
      }
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return run(problem.program).rewrites < config.max_steps;
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("program", std::ssize(problem.program), 1, 25'000));
    for (const std::string& token : problem.program) {
      if (std::ranges::find(kTokens, token) == kTokens.end()) {
        return failure("\"program\": \"{}\" is not a token", token);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A row of tokens, each of them A#, #A, B# or #B, is rewritten by four rules for two "
        "neighbouring tokens:\n"
        "A# #A: both are deleted.\n"
        "B# #B: both are deleted.\n"
        "A# #B: they become #B A#.\n"
        "B# #A: they become #A B#.\n"
        "As long as some neighbours match a rule, it is applied to them; in which order does not "
        "matter for the result. The row is:\n"
        "{}\n"
        "Which row is left when no rule applies any more?\n"
        "Answer with its tokens from left to right on one line, separated by spaces (and with an "
        "empty line if none is left).",
        joined_row(problem.program));
  }

  static std::optional<Answer> parse(std::string_view text) {
    Answer row;
    for (const std::string_view word : split_words(text)) {
      if (std::ranges::find(kTokens, word) == kTokens.end()) return std::nullopt;
      row.emplace_back(word);
    }
    return row;
  }

  static std::string format(const Answer& row) { return joined_row(row); }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) { return run(problem.program).row; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer row = problem.program;
    rng.shuffle(row);
    row.resize(rng.below(row.size()) + 1);
    return row;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer sorted = problem.program;
    std::ranges::stable_partition(sorted, [](const std::string& t) { return t[0] == '#'; });
    Answer deleted;
    for (const std::string& token : problem.program) {
      const bool meets = !deleted.empty() && token[0] == '#' && deleted.back()[1] == '#' &&
                         deleted.back()[0] == token[1];
      if (meets) {
        deleted.pop_back();
      } else {
        deleted.push_back(token);
      }
    }
    Answer deleted_and_sorted = deleted;
    std::ranges::stable_partition(deleted_and_sorted,
                                  [](const std::string& t) { return t[0] == '#'; });
    return {{"the row as given", problem.program},
            {"the row sorted without deletions", sorted},
            {"deletions of neighbours alone", deleted},
            {"deletions of neighbours, then sorted", deleted_and_sorted}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<NamedAnswer> named;
    for (const auto& rule : rules(problem)) {
      named.push_back({std::string(rule.rule), joined_row(rule.answer)});
    }
    return named;
  }

 private:
  static constexpr std::array<std::string_view, 4> kTokens{"A#", "#A", "B#", "#B"};

  struct Outcome {
    Answer row;
    std::int64_t rewrites;
  };

  // Every #X moves left past tokens of the other letter until it meets an X#, and both vanish; if
  // it meets none, it stands left of all X# and Y# for good.
  static Outcome run(const Answer& program) {
    Outcome outcome{.row = {}, .rewrites = 0};
    std::string waiting;  // the letters of the tokens A# and B#
    for (const std::string& token : program) {
      if (token[1] == '#') {
        waiting += token[0];
        continue;
      }
      const std::size_t partner = waiting.rfind(token[1]);
      if (partner == std::string::npos) {
        outcome.rewrites += std::ssize(waiting);
        outcome.row.push_back(token);
      } else {
        outcome.rewrites += std::ssize(waiting) - static_cast<std::int64_t>(partner);
        waiting.erase(partner, 1);
      }
    }
    for (const char letter : waiting) outcome.row.push_back({letter, '#'});
    return outcome;
  }

  static std::string joined_row(const Answer& row) {
    std::string text;
    for (const std::string& token : row) {
      if (!text.empty()) text += ' ';
      text += token;
    }
    return text;
  }
};
REDQUEEN_ENVIRONMENT(ABProgramSimulation);

}  // namespace
}  // namespace redqueen
