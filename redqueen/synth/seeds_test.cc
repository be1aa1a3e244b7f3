// The ten seeds of EvoEnv's Table 6 against the native environments of the same names: the same
// task, the same scores, the same distribution.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "redqueen/core/batch.h"
#include "redqueen/core/registry.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/testing/sandbox.h"

namespace redqueen::synth {
namespace {

class Seeds : public testing::TestWithParam<const char*> {
 protected:
  Seeds()
      : native_(Registry::native().find(GetParam())),
        python_(seed_source(snake_case(GetParam())), shared_sandbox(),
                {.name = std::string("evo/") + GetParam()}) {}

  void SetUp() override { ASSERT_NE(native_, nullptr); }

  // The parameter of a Python problem, as the native environment takes it.
  static Json parameter_of(const Problem& problem) {
    return problem.parameter().at("state").at("parameter");
  }

  // A native problem as a Python one.
  ProblemPtr in_python(const Problem& problem) const {
    const Json parameter{
        {"prompt", problem.prompt()},
        {"reference", problem.reference()},
        {"state",
         {{"parameter", problem.parameter()}, {"ref_answer", value_of(problem.reference())}}}};
    auto restored = python_.restore(parameter);
    EXPECT_TRUE(restored.has_value());
    return restored ? std::move(*restored) : nullptr;
  }

  const Environment* native_;
  PythonEnvironment python_;

 private:
  // What self.ref_answer holds for the text of a reference.
  static Json value_of(const std::string& text) {
    const std::string name = GetParam();
    if (name == "EuclidGame") return text;
    const bool one_integer = name == "MonotonicStack" || name == "Fibonacci" ||
                             name == "RecursiveFunction" || name == "BoundedIntervalIntersection";
    if (one_integer) return *parse_json(text);
    Json list = Json::array();
    const auto values = parse_int_list(text);
    for (const std::int64_t value : values.value()) list.push_back(value);
    return list;
  }
};

// Right, nearly right, wrong and malformed answers. Not 1_0, which is a number in Python alone.
std::vector<std::string> answers_to(const Problem& problem, Rng& rng) {
  const std::string reference = problem.reference();
  std::vector<std::string> answers{reference,        " " + reference + "\n", reference + " 0",
                                   "0 " + reference, "-" + reference,        "+" + reference};
  for (int i = 0; i < 4; ++i) answers.push_back(problem.random_answer(rng));
  for (const NamedAnswer& shortcut : problem.shortcuts()) answers.push_back(shortcut.answer);
  for (int i = 0; i < 8; ++i) {  // a byte of the reference changed
    std::string changed = reference;
    changed[rng.below(changed.size())] = "0123456789 -x"[rng.below(13)];
    answers.push_back(std::move(changed));
  }
  for (int i = 0; i < 3; ++i) {  // its words in another order
    std::vector<std::string_view> words = split_words(reference);
    rng.shuffle(words);
    std::string shuffled;
    for (const std::string_view word : words) shuffled += std::string(word) + " ";
    answers.push_back(std::move(shuffled));
  }
  for (const char* text : {"",
                           " ",
                           "0",
                           "1",
                           "-1",
                           "7 7",
                           "1.5",
                           "nan",
                           "inf",
                           "1__0",
                           "--1",
                           "Stan",
                           "stan",
                           "Ollie",
                           "Stan Ollie",
                           "[1, 2]",
                           "1,2",
                           "0x10",
                           "\x1c"
                           "3",
                           "３",
                           "é",
                           "1e3",
                           "0 1 2 3"}) {
    answers.emplace_back(text);
  }
  answers.push_back(std::string(5000, '9'));
  answers.push_back(std::string(25, '9'));
  return answers;
}

void expect_same_verdicts(const Problem& left, const Problem& right,
                          const std::vector<std::string>& answers) {
  std::vector<AnswerRequest> requests;
  for (const std::string& answer : answers) requests.push_back({&right, answer});
  const auto verdicts = score_all(requests);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Verdict expected = left.score(answers[i]);
    EXPECT_NEAR(verdicts[i].reward, expected.reward, 1e-12)
        << left.prompt() << "\nanswer: " << answers[i];
    EXPECT_EQ(verdicts[i].solved, expected.solved) << answers[i];
    EXPECT_EQ(verdicts[i].well_formed, expected.well_formed) << answers[i];
  }
}

// The data of a prompt; its words may differ.
std::set<std::string> numbers_of(const std::string& prompt) {
  std::set<std::string> numbers;
  std::string number;
  for (const char c : prompt + " ") {
    if (c >= '0' && c <= '9') {
      number += c;
    } else if (!number.empty()) {
      numbers.insert(std::exchange(number, ""));
    }
  }
  return numbers;
}

TEST_P(Seeds, PythonProblemsAreNativeProblems) {
  Rng rng({.purpose = hash_name(GetParam())});
  for (const int level : {0, 1, 4, 7}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto made = python_.generate(level, seed);
      ASSERT_TRUE(made.has_value()) << made.error().message;
      const auto twin = native_->restore(parameter_of(**made));
      ASSERT_TRUE(twin.has_value()) << twin.error().message;
      EXPECT_EQ(numbers_of((*twin)->prompt()), numbers_of((*made)->prompt()));
      EXPECT_TRUE((*twin)->score((*made)->reference()).solved);
      EXPECT_TRUE((*made)->score((*twin)->reference()).solved);
      if (seed < 2) expect_same_verdicts(**twin, **made, answers_to(**twin, rng));
    }
  }
}

TEST_P(Seeds, NativeProblemsScoreTheSameInPython) {
  Rng rng({.purpose = hash_name(GetParam()), .index = 1});
  for (const int level : {0, 2, 6}) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      const auto made = native_->generate(level, seed);
      ASSERT_TRUE(made.has_value()) << made.error().message;
      const ProblemPtr twin = in_python(**made);
      ASSERT_NE(twin, nullptr);
      expect_same_verdicts(**made, *twin, answers_to(**made, rng));
    }
  }
}

// Numbers of a parameter, and lengths and sums of its lists.
void add_features(const Json& value, const std::string& path,
                  std::map<std::string, std::vector<double>>& features) {
  if (value.is_number()) {
    features[path].push_back(value.get<double>());
  } else if (value.is_array()) {
    features[path + " length"].push_back(static_cast<double>(value.size()));
    double sum = 0;
    for (const Json& item : value.flatten()) sum += item.is_number() ? item.get<double>() : 0;
    features[path + " sum"].push_back(sum);
    if (!value.empty()) add_features(value.front(), path + " first", features);
  } else if (value.is_object()) {
    for (const auto& [key, item] : value.items()) add_features(item, path + "." + key, features);
  }
}

struct Moments {
  double mean = 0;
  double variance_of_mean = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments result;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / n;
  for (const double value : values) {
    result.variance_of_mean += (value - result.mean) * (value - result.mean) / (n - 1) / n;
  }
  return result;
}

// Means of all features agree to within what chance does: 4.5 deviations, with seeds that never
// change.
TEST_P(Seeds, DistributionsAgree) {
  constexpr std::uint64_t kProblems = 250;
  for (const int level : {0, 4}) {
    std::map<std::string, std::vector<double>> native;
    std::map<std::string, std::vector<double>> python;
    std::vector<ProblemRequest> requests;
    for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
      const auto problem = native_->generate(level, seed);
      ASSERT_TRUE(problem.has_value());
      add_features((*problem)->parameter(), "", native);
      requests.push_back({&python_, level, seed, 0});
    }
    for (const auto& problem : generate_all(requests)) {
      ASSERT_TRUE(problem.has_value()) << problem.error().message;
      add_features(parameter_of(**problem), "", python);
    }
    for (const auto& [name, values] : native) {
      ASSERT_TRUE(python.contains(name)) << name;
      const Moments left = moments(values);
      const Moments right = moments(python[name]);
      const double deviation = std::sqrt(left.variance_of_mean + right.variance_of_mean);
      EXPECT_NEAR(left.mean, right.mean, 4.5 * deviation + 1e-9 * std::abs(left.mean))
          << GetParam() << name << " at level " << level;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(TableSix, Seeds,
                         testing::Values("Sorting", "SlidingWindow", "MonotonicStack", "Knapsack",
                                         "SubsetSum", "BoundedIntervalIntersection", "Bridge",
                                         "EuclidGame", "Fibonacci", "RecursiveFunction"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace redqueen::synth
