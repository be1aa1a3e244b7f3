#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct FBI_BinaryTree {
  static constexpr Card card{
      .name = "FBI_BinaryTree",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kElementWise,
      .task =
          "Label the nodes of a tree that halves a binary string by whether their part is all "
          "zeros, all ones or mixed; write the labels in postorder.",
      .levels =
          "The string has 4 bits, twice as many each level. Beyond level 10, the answer would have "
          "more than 8191 letters.",
      .rewards =
          "-1 malformed, -0.5 another length or a letter other than F, B and I, else (places that "
          "are right / places)^5.",
      .differences =
          "The string is never all zeros or all ones. From 16 bits on, some halves of different "
          "sizes are uniform, so that calling all but the smallest parts mixed is wrong, and so is "
          "judging a part by its first and its last bit.",
      .slow_reason = SlowReason::kStricter,
      .source = "NOIP 2004, junior group: FBI tree",
      .max_level = 10,
  };

  static constexpr double kBeta = 5.0;
  static constexpr double kRepeats = 0.7;  // chance that a bit is a copy of the one before
  static constexpr int kFewBits = 4;       // the exponent below which every draw is taken
  static constexpr int kDraws = 500;
  static constexpr int kMaxN = 17;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string string;
    REDQUEEN_FIELDS(N, string)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& draft) {
          if (draft.string.find('0') == std::string::npos) return false;
          if (draft.string.find('1') == std::string::npos) return false;
          return config.N < kFewBits || !some_rule_solves<FBI_BinaryTree>(draft);
        });
  }

  static Problem published(const Config& config, Rng& rng) { return drawn(config, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    if (problem.string.size() != std::size_t{1} << problem.N ||
        problem.string.find_first_not_of("01") != std::string::npos) {
      return failure("\"string\": expected 2^\"N\" characters 0 and 1");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a string of {} bits:\n"
        "{}\n"
        "It makes a binary tree. The root stands for the whole string. A node that stands for a "
        "single bit is a leaf; any other node has two children, the left one for the first half of "
        "its part of the string and the right one for the second half. A node is labelled B if all "
        "bits of its part are 0, I if all of them are 1, and F if there are both.\n"
        "Write the labels of all nodes in postorder: first those of the left subtree of the root, "
        "then those of the right subtree, both in postorder, and then that of the root.\n"
        "Answer with the {} letters as one word.",
        problem.string.size(), problem.string, 2 * problem.string.size() - 1);
  }

  static std::optional<Answer> parse(std::string_view text) { return std::string(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    const Answer right = solve(problem);
    if (answer.size() != right.size()) return kInvalidReward;
    if (answer.find_first_not_of("FBI") != std::string::npos) return kInvalidReward;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < right.size(); ++i) matches += answer[i] == right[i];
    return share_reward(matches, std::ssize(right), kBeta);
  }

  static Answer solve(const Problem& problem) {
    return in_postorder(problem, [](std::string_view, char left, char right) {
      return left == right ? left : 'F';
    });
  }

  // Any letters above the leaves.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return in_postorder(problem, [&](std::string_view, char, char) { return "FBI"[rng.below(3)]; });
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {
        {"F above the leaves",
         in_postorder(problem, [](std::string_view, char, char) { return 'F'; })},
        {"F above pairs", in_postorder(problem,
                                       [](std::string_view part, char left, char right) {
                                         return part.size() == 2 && left == right ? left : 'F';
                                       })},
        {"judging a part by its first and last bit",
         in_postorder(problem,
                      [](std::string_view part, char, char) {
                        return part.front() != part.back() ? 'F' : letter(part.front());
                      })},
        {"the letter of most bits", in_postorder(problem, [](std::string_view part, char, char) {
           const auto ones = static_cast<std::size_t>(std::ranges::count(part, '1'));
           return 2 * ones == part.size() ? 'F' : letter(2 * ones > part.size() ? '1' : '0');
         })}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static char letter(char bit) { return bit == '0' ? 'B' : 'I'; }

  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .string = {}};
    const std::size_t bits = std::size_t{1} << config.N;
    problem.string.reserve(bits);
    for (std::size_t i = 0; i < bits; ++i) {
      const char bit = i > 0 && rng.chance(kRepeats) ? problem.string.back() : "01"[rng.below(2)];
      problem.string += bit;
    }
    return problem;
  }

  // `label` gives the label of an inner node by its part of the string and its children's labels.
  template <typename Label>
  static Answer in_postorder(const Problem& problem, Label label) {
    Answer labels;
    labels.reserve(2 * problem.string.size());
    append(problem.string, label, labels);
    return labels;
  }

  // Recursion is no deeper than kMaxN.
  template <typename Label>
  static char append(std::string_view part, Label& label, Answer& labels) {
    if (part.size() == 1) {
      labels += letter(part[0]);
    } else {
      const char left = append(part.substr(0, part.size() / 2), label, labels);
      const char right = append(part.substr(part.size() / 2), label, labels);
      labels += label(part, left, right);
    }
    return labels.back();
  }
};
REDQUEEN_ENVIRONMENT(FBI_BinaryTree);

}  // namespace
}  // namespace redqueen
