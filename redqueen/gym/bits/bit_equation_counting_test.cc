#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// A recursive reader: text from `at` on, with the variables in order as the
// bits of `assignment`.
class EquationEvaluator {
 public:
  EquationEvaluator(std::string_view text, std::uint32_t assignment)
      : text_(text), assignment_(assignment) {}

  bool whole() {
    bool value = operand();
    while (at_ < text_.size() && text_[at_] == ' ') value = apply(value);
    return value;
  }

 private:
  bool apply(bool left) {
    const char op = text_.at(at_ + 1);
    at_ += 3;
    const bool right = operand();
    return op == '&' ? left && right : op == '|' ? left || right : left != right;
  }

  bool operand() {
    const char c = text_.at(at_++);
    if (c == '!') return !operand();
    if (c == '_') return (assignment_ >> variable_++ & 1) != 0;
    const bool left = operand();
    const bool value = apply(left);
    ++at_;
    return value;
  }

  std::string_view text_;
  std::uint32_t assignment_;
  std::size_t at_ = 0;
  int variable_ = 0;
};

TEST(BitEquationCounting, AgreesWithAllAssignments) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("BitEquationCounting", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    const auto text = parameter["expression"].get<std::string>();
    int count = 0;
    for (std::uint32_t assignment = 0; assignment < (1u << parameter["N"].get<int>());
         ++assignment) {
      count += EquationEvaluator(text, assignment).whole();
    }
    EXPECT_EQ(problem->reference(), format_answer(count)) << text;
  }
}

TEST(BitEquationCounting, RefusesWhatIsNoExpression) {
  const Environment* environment = Registry::native().find("BitEquationCounting");
  ASSERT_NE(environment, nullptr);
  for (const char* text : {"_ _", "(_ & _", "_ & _)", "& _ _", "_ &", "(_) & _", "_ & _ & _", "!",
                           "", "_ + _", "()", "(_ & _) (", "! & _ _"}) {
    EXPECT_FALSE(environment->restore(Json{{"N", 2}, {"expression", text}}).has_value()) << text;
  }
  EXPECT_TRUE(environment->restore(Json{{"N", 2}, {"expression", "!(_ & !_)"}}).has_value());
}

TEST(BitEquationCounting, BoundsTheCount) {
  const auto problem =
      restore_problem("BitEquationCounting", R"json({"N": 2, "expression": "!(_ & !_)"})json");
  EXPECT_TRUE(problem->score("3").solved);
  EXPECT_NEAR(problem->score("4").reward, std::pow(0.75, 10), 1e-12);
  EXPECT_EQ(problem->score("5").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
