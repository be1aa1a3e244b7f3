#include <deque>
#include <functional>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

struct State {
  std::deque<int> queue;
  std::deque<int> first;
  std::deque<int> second;
  std::vector<int> output;

  static bool move(std::deque<int>& from, bool front, int& number) {
    if (from.empty()) return false;
    number = front ? from.front() : from.back();
    front ? from.pop_front() : from.pop_back();
    return true;
  }

  bool play(char operation) {
    int number = 0;
    if (!move(operation == 'b'   ? first
              : operation == 'd' ? second
                                 : queue,
              operation == 'a' || operation == 'c', number)) {
      return false;
    }
    if (operation == 'a') first.push_back(number);
    if (operation == 'c') second.push_back(number);
    if (operation == 'b' || operation == 'd') output.push_back(number);
    return true;
  }
};

// All runs on queues of 4 and 5.
TEST(DoubleStackSorting, SolvesRunsThatMakeTheOrder) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto problem = make_problem("DoubleStackSorting", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    const int n = parameter["N"].get<int>();
    State start;
    for (int i = 0; i < n; ++i) start.queue.push_back(i);
    std::string run;
    const std::function<void(const State&)> go_on = [&](const State& state) {
      if (std::ssize(run) == 2 * n) {
        const bool right = parameter["output_sequence"] == state.output;
        EXPECT_EQ(problem->score(run).solved, right) << run;
        solved += right;
        return;
      }
      for (const char operation : {'a', 'b', 'c', 'd'}) {
        State next = state;
        run += operation;
        if (next.play(operation)) {
          go_on(next);
        } else {
          EXPECT_EQ(problem->score(run).reward, kInvalidReward) << run;
        }
        run.pop_back();
      }
    };
    go_on(start);
  }
  EXPECT_GE(solved, 24) << "the stacks can always be exchanged";
}

TEST(DoubleStackSorting, TellsWhatIsWrong) {
  const auto problem = restore_problem("DoubleStackSorting", R"({
      "N": 5, "output_sequence": [0, 3, 4, 2, 1], "reference_answer": "cdaaacbdbb"})");
  EXPECT_EQ(problem->score("cdaaacbdbb").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("ababababab").reward, std::pow(1.0 / 5.0, 10));
  EXPECT_EQ(problem->score("cdaaacbdb").reward, kInvalidReward);
  EXPECT_EQ(problem->score("ba").reward, kInvalidReward);
  EXPECT_EQ(problem->score("").reward, kInvalidReward);
  EXPECT_EQ(problem->score("bx").reward, kInvalidReward);
  EXPECT_EQ(problem->score("xb").reward, kMalformedReward);
  EXPECT_EQ(problem->score("cd aaacbdbb").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
