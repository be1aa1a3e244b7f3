#include <algorithm>
#include <array>
#include <bit>

#include "redqueen/base/json.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

constexpr int kMaxCircuitLeaves = 2000;

// An expression in postfix order: a variable's index, or an operator as the negative of its
// character. In JSON it is [left, "&", right], or a number for a variable.
struct CircuitTree {
  std::vector<int> postfix;

  static bool is_operator(int item) { return item < 0; }

  static Expected<CircuitTree> read_json(const Json& json) {
    CircuitTree tree;
    std::vector<const Json*> left_to_read{&json};
    while (!left_to_read.empty()) {
      const Json& node = *left_to_read.back();
      left_to_read.pop_back();
      if (tree.postfix.size() >= 2 * kMaxCircuitLeaves) return failure("expected a smaller tree");
      if (node.is_number_integer()) {
        const auto variable = node.get<std::int64_t>();
        if (variable < 0 || variable >= kMaxCircuitLeaves) {
          return failure("{} is not the index of a variable", node.dump());
        }
        tree.postfix.push_back(static_cast<int>(variable));
        continue;
      }
      const bool triple = node.is_array() && node.size() == 3 && node[1].is_string();
      const std::string op = triple ? node[1].get<std::string>() : "";
      if (op != "&" && op != "|" && op != "^") return failure("expected [left, operator, right]");
      tree.postfix.push_back(-op[0]);
      left_to_read.push_back(&node[0]);
      left_to_read.push_back(&node[2]);
    }
    std::ranges::reverse(tree.postfix);
    return tree;
  }

  Json write_json() const {
    std::vector<Json> stack;
    for (const int item : postfix) {
      if (!is_operator(item)) {
        stack.emplace_back(item);
        continue;
      }
      Json right = std::move(stack.back());
      stack.pop_back();
      Json node = Json::array();
      node.push_back(std::move(stack.back()));
      node.push_back(std::string(1, static_cast<char>(-item)));
      node.push_back(std::move(right));
      stack.back() = std::move(node);
    }
    return std::move(stack.back());
  }

  // 64 assignments at once: bit k of values[i] is variable i in assignment k.
  std::uint64_t evaluate(const std::vector<std::uint64_t>& values) const {
    std::vector<std::uint64_t> stack;
    for (const int item : postfix) {
      if (!is_operator(item)) {
        stack.push_back(values[item]);
        continue;
      }
      const std::uint64_t right = stack.back();
      stack.pop_back();
      std::uint64_t& left = stack.back();
      left = item == -'&' ? left & right : item == -'|' ? left | right : left ^ right;
    }
    return stack.back();
  }

  // Operands in parentheses, the whole not.
  std::string text() const {
    struct Operand {
      std::string text;
      bool compound;
    };
    std::vector<Operand> stack;
    for (const int item : postfix) {
      if (!is_operator(item)) {
        stack.push_back({fmt::format("x[{}]", item), false});
        continue;
      }
      const Operand right = std::move(stack.back());
      stack.pop_back();
      const Operand left = std::move(stack.back());
      const auto shown = [](const Operand& operand) {
        return operand.compound ? '(' + operand.text + ')' : operand.text;
      };
      stack.back() = {fmt::format("{} {} {}", shown(left), static_cast<char>(-item), shown(right)),
                      true};
    }
    return stack.back().text;
  }
};

struct Circuit {
  static constexpr Card card{
      .name = "Circuit",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Find values of Boolean variables that make an expression true.",
      .levels =
          "The number of variables starts at 2 and grows by one a level; "
          "they occur 2 to 5 times "
          "as often altogether.",
      .rewards =
          "-1 malformed, -0.5 not N values 0 or 1, 0 the expression is "
          "0, 1 it is 1.",
      .differences =
          "At most about a sixth of all assignments make the expression true "
          "(one of four with two "
          "variables), and all ones never do; that solved most problems.",
      .small_answer_space = "Two variables, at level 0, have four assignments.",
      .guess_until_level = 0,
  };

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    CircuitTree tree;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, M, tree, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 2 + level;
    return {.N = n, .M = static_cast<int>(rng.integer(20, 50) * n / 10)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Answer planted;
    for (int i = 0; i < config.N; ++i) planted.push_back(rng.integer(0, 1));
    std::array<std::vector<int>, 2> variables;  // by their planted values
    for (int i = 0; i < config.N; ++i) variables[planted[i]].push_back(i);
    if (variables[0].empty() || variables[1].empty()) throw Retry();
    Problem problem{
        .N = config.N, .M = config.M, .tree = {}, .reference_answer = format_answer(planted)};
    write(config.M, true, 0, variables, problem.tree.postfix, rng);
    if (is_satisfied(problem, Answer(config.N, 1)) || is_easy(problem, rng)) throw Retry();
    return problem;
  }

  // A random tree over uniform variables, of which every second operator is an xor, and a random
  // assignment: both are drawn again until the one satisfies the other.
  static Problem published(const Config& config, Rng& rng) {
    Answer values(static_cast<std::size_t>(config.N));
    Problem problem{.N = config.N, .M = config.M, .tree = {}, .reference_answer = {}};
    do {
      for (std::int64_t& value : values) value = rng.integer(0, 1);
      problem.tree.postfix.clear();
      write_random(config.M, config.N, problem.tree.postfix, rng);
    } while (!is_satisfied(problem, values));
    problem.reference_answer = format_answer(values);
    return problem;
  }

  static void write_random(int leaves, int variables, std::vector<int>& postfix, Rng& rng) {
    if (leaves == 1) {
      postfix.push_back(static_cast<int>(rng.integer(0, variables - 1)));
      return;
    }
    const auto left = static_cast<int>(rng.integer(1, leaves - 1));
    write_random(left, variables, postfix, rng);
    write_random(leaves - left, variables, postfix, rng);
    const double choice = rng.real();
    postfix.push_back(choice < 0.25 ? -'&' : choice < 0.5 ? -'|' : -'^');
  }

  static Status check(const Problem& problem) {
    if (Status fits = within("N", problem.N, 1, kMaxCircuitLeaves); !fits) return fits;
    std::int64_t leaves = 0;
    for (const int item : problem.tree.postfix) {
      if (item >= problem.N) return failure("\"tree\": there is no variable {}", item);
      leaves += !CircuitTree::is_operator(item);
    }
    if (leaves != problem.M) {
      return failure("\"M\": the tree has {} leaves, not {}", leaves, problem.M);
    }
    const auto planted = parse_int_list(problem.reference_answer);
    if (!planted || !is_assignment(problem, *planted) || !is_satisfied(problem, *planted)) {
      return failure("\"reference_answer\": expected \"N\" values that satisfy the tree");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "The Boolean variables x[0] to x[{}] may each be 0 or "
        "1; & is and, | is or, ^ is exclusive "
        "or. Find values that make this expression 1:\n"
        "{}\n"
        "Several assignments may do so; any of them is right. A "
        "variable that does not occur needs "
        "a value too.\n"
        "Answer with the {} values from x[0] to x[{}] on one line, "
        "separated by spaces.",
        problem.N - 1, problem.tree.text(), problem.N, problem.N - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_assignment(problem, answer)) return kInvalidReward;
    return exact_reward(is_satisfied(problem, answer));
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer(static_cast<std::size_t>(problem.N));
    for (std::int64_t& value : answer) value = rng.integer(0, 1);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer alternating(static_cast<std::size_t>(problem.N), 0);
    for (std::size_t i = 0; i < alternating.size(); i += 2) alternating[i] = 1;
    return {{"all ones", format_answer(Answer(problem.N, 1))},
            {"ones and zeros in turn", format_answer(alternating)}};
  }

 private:
  static bool is_assignment(const Problem& problem, const Answer& answer) {
    return answer.size() == static_cast<std::size_t>(problem.N) &&
           std::ranges::all_of(answer, [](std::int64_t value) { return value == 0 || value == 1; });
  }

  static bool is_satisfied(const Problem& problem, const Answer& answer) {
    std::vector<std::uint64_t> values;
    for (const std::int64_t value : answer) values.push_back(value == 1 ? ~std::uint64_t{0} : 0);
    return problem.tree.evaluate(values) != 0;
  }

  // Whether more than a sixth of all assignments, or with many variables of 256
  // random ones, satisfy the expression.
  static bool is_easy(const Problem& problem, Rng& rng) {
    constexpr std::array<std::uint64_t, 6> kAllAssignments{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                                           0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                                           0xffff0000ffff0000, 0xffffffff00000000};
    constexpr int kRounds = 4;
    const int limit = kRounds * 64 / (problem.N <= 2 ? 4 : 6);
    int satisfied = 0;
    std::vector<std::uint64_t> values(static_cast<std::size_t>(problem.N));
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = problem.N <= 6 ? kAllAssignments[i] : rng.bits();
      }
      satisfied += std::popcount(problem.tree.evaluate(values));
    }
    return satisfied > limit;
  }

  // A random tree that the planted values give the value `wanted`. Near the
  // root all operators are
  // &: every part then has to hold.
  static void write(int leaves, bool wanted, int depth,
                    const std::array<std::vector<int>, 2>& variables, std::vector<int>& postfix,
                    Rng& rng) {
    if (leaves == 1) {
      postfix.push_back(rng.choice(variables[wanted]));
      return;
    }
    const bool near_root = depth < 2;
    const int least = near_root ? std::max(1, leaves / 4) : 1;
    const auto left = static_cast<int>(rng.integer(least, leaves - least));
    const double draw = rng.real();
    const char op = near_root || draw < 0.35 ? '&' : draw < 0.5 ? '|' : '^';
    const auto [wanted_left, wanted_right] = draw_operands(op, wanted, rng);
    write(left, wanted_left, depth + 1, variables, postfix, rng);
    write(leaves - left, wanted_right, depth + 1, variables, postfix, rng);
    postfix.push_back(-op);
  }

  // Uniform over the operands that give `wanted`.
  static std::pair<bool, bool> draw_operands(char op, bool wanted, Rng& rng) {
    for (;;) {
      const std::uint64_t bits = rng.below(4);
      const bool left = (bits & 1) != 0;
      const bool right = (bits & 2) != 0;
      const bool value = op == '&' ? left && right : op == '|' ? left || right : left != right;
      if (value == wanted) return {left, right};
    }
  }
};
REDQUEEN_ENVIRONMENT(Circuit);

}  // namespace
}  // namespace redqueen
