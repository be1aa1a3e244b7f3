#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct PCPPermutation {
  static constexpr Card card{
      .name = "PCPPermutation",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Order the indices of two lists of strings so that both lists concatenate to the same "
          "string.",
      .levels = "From 3 strings, one more a level, of 1.2 to 10 letters on average.",
      .rewards =
          "-1 malformed, -0.5 not an order of the indices, else (positions that agree / "
          "length)^10.",
      .differences =
          "Both letters are about equally frequent, and lists that the given or the reverse "
          "order or one of several random orders solves are drawn again: most published problems "
          "had many solutions.",
      .slow_reason = SlowReason::kStricter,
      .source = "a bounded form of Post, A variant of a recursively unsolvable problem, 1946",
  };

  static constexpr double kBeta = 10.0;
  static constexpr std::array kAverageLengths{1.2, 1.5, 2.0, 2.5, 3.0, 3.5,
                                              4.0, 4.5, 5.0, 7.0, 10.0};
  static constexpr double kFewestBs = 0.4;
  static constexpr double kMostBs = 0.6;
  static constexpr int kGuesses = 4;
  static constexpr int kMaxStrings = 10'000;
  static constexpr std::size_t kMaxLength = 1'000'000;

  struct Config {
    int N = 0;
    double average_length = 0;
    REDQUEEN_FIELDS(N, average_length)
  };
  struct Problem {
    int N = 0;
    std::vector<std::string> A;
    std::vector<std::string> B;
    std::string reference_answer;  // an order, planted
    REDQUEEN_FIELDS(N, A, B, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    return {.N = 3 + level, .average_length = rng.choice(kAverageLengths)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw(config, kFewestBs, kMostBs, rng);
    if (is_easy(problem, rng)) throw Retry();
    return problem;
  }

  // The share of letters b is about uniform between the two.
  static Problem draw(const Config& config, double fewest_bs, double most_bs, Rng& rng) {
    const int n = config.N;
    const auto longest = static_cast<std::int64_t>(n * config.average_length);
    const std::int64_t length =
        std::max<std::int64_t>(n + 1, rng.integer(n, std::max<std::int64_t>(n, longest)));
    const double share = rng.real(fewest_bs, most_bs);
    std::string whole;
    for (std::int64_t i = 0; i < length; ++i) whole += rng.chance(share) ? 'b' : 'a';
    const std::vector<std::string> a = cut(whole, n, rng);
    const std::vector<std::string> b = cut(whole, n, rng);

    Problem problem{.N = n, .A = {}, .B = {}, .reference_answer = {}};
    const std::vector<int> places =
        rng.permutation(n);  // index i of the problem holds piece places[i]
    Answer planted(n);
    for (int i = 0; i < n; ++i) {
      problem.A.push_back(a[places[i]]);
      problem.B.push_back(b[places[i]]);
      planted[places[i]] = i;
    }
    problem.reference_answer = format_answer(planted);
    return problem;
  }

  // Letters in a proportion of any kind, however many orders are right.
  static Problem published(const Config& config, Rng& rng) { return draw(config, 0.0, 1.0, rng); }

  static Status check(const Problem& problem) {
    const auto count = static_cast<std::size_t>(problem.N);
    if (problem.N < 2 || problem.N > kMaxStrings || problem.A.size() != count ||
        problem.B.size() != count) {
      return failure("\"A\" and \"B\": expected \"N\" strings each, 2 to {}", kMaxStrings);
    }
    for (const auto* list : {&problem.A, &problem.B}) {
      for (const std::string& text : *list) {
        if (text.empty() || text.find_first_not_of("ab") != std::string::npos) {
          return failure("\"A\" and \"B\": expected strings of one or more letters a and b");
        }
      }
    }
    if (total_length(problem.A) > kMaxLength ||
        total_length(problem.A) != total_length(problem.B)) {
      return failure("\"A\" and \"B\": expected equal total lengths of at most {}", kMaxLength);
    }
    const auto planted = parse_int_list(problem.reference_answer);
    if (!planted || score(problem, *planted) != 1.0) {
      return failure("\"reference_answer\" does not make the concatenations equal");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string rows;
    for (int i = 0; i < problem.N; ++i) {
      rows += fmt::format("{} {} {}\n", i, problem.A[i], problem.B[i]);
    }
    return fmt::format(
        "Two lists A and B hold {0} strings each. Here is one line for each index i from 0 to {1}, "
        "with i, A[i] and B[i]:\n"
        "{2}Put the indices into an order p such that the strings A[p[0]] to A[p[{1}]], written "
        "one after the other without gaps, give the same string as B[p[0]] to B[p[{1}]]. There is "
        "at least one such order; any will do.\n"
        "Answer with the {0} indices in this order, each once, separated by spaces.",
        problem.N, problem.N - 1, rows);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    const std::string a = concatenate(problem.A, answer);
    const std::string b = concatenate(problem.B, answer);
    std::int64_t agreeing = 0;
    for (std::size_t i = 0; i < a.size(); ++i) agreeing += a[i] == b[i];
    return share_reward(agreeing, static_cast<std::int64_t>(a.size()), kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::vector<int> order = rng.permutation(problem.N);
    return {order.begin(), order.end()};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the order as given", format_answer(ascending_order(problem.N))},
            {"the reverse order", format_answer(descending_order(problem.N))}};
  }

 private:
  // n pieces, none empty, cut at uniformly drawn places.
  static std::vector<std::string> cut(const std::string& whole, int n, Rng& rng) {
    const auto length = static_cast<std::int64_t>(whole.size());
    std::vector<std::int64_t> ends = rng.sample(1, length - 1, n - 1);
    ends.push_back(length);
    std::ranges::sort(ends);
    std::vector<std::string> pieces;
    std::int64_t start = 0;
    for (const std::int64_t end : ends) {
      pieces.push_back(whole.substr(start, end - start));
      start = end;
    }
    return pieces;
  }

  static bool is_easy(const Problem& problem, Rng& rng) {
    Answer order = ascending_order(problem.N);
    if (score(problem, order) == 1.0 || score(problem, descending_order(problem.N)) == 1.0) {
      return true;
    }
    for (int guess = 0; guess < kGuesses; ++guess) {
      rng.shuffle(order);
      if (score(problem, order) == 1.0) return true;
    }
    return false;
  }

  static std::size_t total_length(const std::vector<std::string>& strings) {
    std::size_t length = 0;
    for (const std::string& text : strings) length += text.size();
    return length;
  }

  static std::string concatenate(const std::vector<std::string>& strings, const Answer& order) {
    std::string whole;
    for (const std::int64_t index : order) whole += strings[index];
    return whole;
  }
};
REDQUEEN_ENVIRONMENT(PCPPermutation);

}  // namespace
}  // namespace redqueen
