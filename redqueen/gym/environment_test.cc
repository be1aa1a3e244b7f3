// The same promises, tested of every registered environment.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "redqueen/core/contract.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = REDQUEEN_SOURCE_DIR;
const fs::path kShared = kSource.parent_path() / "shared";
constexpr std::array kLevels{0, 1, 2, 3, 5, 8, 12};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Rng test_rng(std::string_view purpose, std::uint64_t index = 0) {
  return Rng({.seed = 1, .purpose = hash_name(purpose), .step = 0, .index = index, .salt = 0});
}

class EveryEnvironment : public testing::TestWithParam<std::string> {
 protected:
  const Environment& environment() const { return *Registry::instance().find(GetParam()); }
  const Card& card() const { return environment().card(); }

  // nullptr beyond the card's highest level; a failure of generation fails the test.
  ProblemPtr make(int level, std::uint64_t seed) const {
    if (level > card().max_level) return nullptr;
    auto problem = environment().generate(level, seed);
    if (problem) return std::move(*problem);
    ADD_FAILURE() << environment().address(level, seed).to_string() << ": "
                  << problem.error().message;
    return nullptr;
  }

  template <typename Visit>
  void for_each_problem(int seeds, Visit visit) const {
    for (const int level : kLevels) {
      for (int seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(fmt::format("level {}, seed {}", level, seed));
        if (const ProblemPtr problem = make(level, static_cast<std::uint64_t>(seed))) {
          visit(*problem);
        }
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
};

std::string fingerprint(const Problem& problem) {
  return dump_json(problem.parameter()) + "\n" + problem.prompt() + "\n" + problem.reference();
}

TEST_P(EveryEnvironment, HasACard) {
  EXPECT_FALSE(card().task.empty());
  EXPECT_FALSE(card().levels.empty());
  EXPECT_FALSE(card().rewards.empty());
  EXPECT_GE(card().version, 1);
}

TEST_P(EveryEnvironment, MakesTheSameProblemOfTheSameAddressInAnyThread) {
  std::vector<std::string> here;
  for_each_problem(2, [&](const Problem& problem) { here.push_back(fingerprint(problem)); });
  std::vector<std::string> there;
  std::thread([&] {
    for_each_problem(2, [&](const Problem& problem) { there.push_back(fingerprint(problem)); });
  }).join();
  EXPECT_EQ(here, there);
}

TEST_P(EveryEnvironment, SolvesItsOwnProblems) {
  for_each_problem(5, [&](const Problem& problem) {
    const std::string reference = problem.reference();
    const Verdict verdict = problem.score(reference);
    EXPECT_TRUE(verdict.solved && verdict.well_formed)
        << "reward " << verdict.reward << " for " << reference << "\nof\n"
        << problem.prompt();
    EXPECT_TRUE(problem.score("\n " + reference + " \n").solved) << "white space around matters";
    for (const auto& style :
         {std::pair{MarkerStyle::kAnswerTag, "so <answer>" + reference + "</answer>."},
          std::pair{MarkerStyle::kBoxed, "so \\boxed{" + reference + "}."}}) {
      EXPECT_TRUE(score_response(problem, style.second, style.first).solved) << style.second;
    }
  });
}

TEST_P(EveryEnvironment, RestoresAProblemFromItsParameter) {
  for_each_problem(3, [&](const Problem& problem) {
    const std::string text = dump_json(problem.parameter());
    const auto json = parse_json(text);
    ASSERT_TRUE(json.has_value()) << text;
    Json with_stranger = *json;
    with_stranger["a key nobody knows"] = "ignored";
    const auto restored = environment().restore(with_stranger);
    ASSERT_TRUE(restored.has_value()) << restored.error().message;
    EXPECT_EQ((*restored)->prompt(), problem.prompt());
    EXPECT_EQ(dump_json((*restored)->parameter()), text);
    EXPECT_TRUE((*restored)->score(problem.reference()).solved);
    Rng rng = test_rng("restore");
    const std::string guess = problem.random_answer(rng);
    EXPECT_EQ((*restored)->score(guess), problem.score(guess)) << guess;
  });
}

TEST_P(EveryEnvironment, NamesWhatAParameterLacks) {
  const ProblemPtr problem = make(0, 0);
  ASSERT_NE(problem, nullptr);
  const Json whole = problem->parameter();
  for (const auto& [key, value] : whole.items()) {
    Json without = whole;
    without.erase(key);
    if (const auto restored = environment().restore(without); !restored) {
      EXPECT_THAT(restored.error().message, testing::HasSubstr(key));
    }
    Json ill_typed = whole;
    ill_typed[key] = Json{{"not", "this"}};
    const auto restored = environment().restore(ill_typed);
    if (!value.is_object()) {
      ASSERT_FALSE(restored.has_value()) << key;
      EXPECT_THAT(restored.error().message, testing::HasSubstr(key));
    }
  }
}

// Parameters from outside may hold anything: whatever is accepted must be safe to use.
TEST_P(EveryEnvironment, SurvivesMutilatedParameters) {
  Rng rng = test_rng("mutilate", hash_name(GetParam()));
  constexpr std::array<std::int64_t, 8> kNasty{
      0, -1, 1, 2, 7, 1000, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::min()};
  const std::function<void(Json&)> mutilate = [&](Json& value) {
    if (value.is_structured() && !value.empty() && rng.chance(0.8)) {
      auto place = value.begin();
      std::advance(place, rng.integer(0, static_cast<std::int64_t>(value.size()) - 1));
      mutilate(*place);
    } else if (value.is_array() && rng.chance(0.5)) {
      if (value.empty() || rng.chance(0.3)) {
        value.push_back(value.empty() ? Json(0) : value[0]);
      } else {
        value.erase(value.size() - 1);
      }
    } else if (value.is_string()) {
      std::string text = value.get<std::string>();
      if (text.empty() || rng.chance(0.2)) text += 'z';
      rng.choice(text) = static_cast<char>(rng.integer(32, 126));
      value = text;
    } else if (!value.is_structured()) {
      value = kNasty[static_cast<std::size_t>(rng.below(kNasty.size()))];
    }
  };
  for (std::uint64_t round = 0; round < 60; ++round) {
    const ProblemPtr problem = make(static_cast<int>(round % 3), round);
    ASSERT_NE(problem, nullptr);
    Json parameter = problem->parameter();
    mutilate(parameter);
    const auto restored = environment().restore(parameter);
    if (!restored) continue;
    EXPECT_FALSE((*restored)->prompt().empty());
    for (const std::string& answer : {problem->reference(), std::string("0"), std::string()}) {
      const Verdict verdict = (*restored)->score(answer);
      EXPECT_TRUE(verdict.reward >= -1.0 && verdict.reward <= 1.0) << verdict.reward;
    }
  }
}

// If a number of the parameter can be changed without the prompt showing it, the right answer must
// not care.
TEST_P(EveryEnvironment, ShowsEverythingThatTheAnswerDependsOn) {
  const auto is_reference = [](const std::string& key) {
    return key.starts_with("reference") || key.starts_with("gold");
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const ProblemPtr problem = make(2, seed);
    if (problem == nullptr) continue;
    const Json parameter = problem->parameter();
    const Json flat = parameter.flatten();
    int checked = 0;
    for (const auto& [pointer, value] : flat.items()) {
      if (!value.is_number_integer() || is_reference(pointer.substr(1)) || ++checked > 40) continue;
      Json changed = parameter;
      changed[Json::json_pointer(pointer)] = value.get<std::int64_t>() + 1;
      const auto other = environment().restore(changed);
      if (!other || (*other)->prompt() != problem->prompt()) continue;
      EXPECT_TRUE(problem->score((*other)->reference()).solved)
          << pointer << " changes the answer but not the prompt:\n"
          << problem->prompt();
    }
  }
}

TEST_P(EveryEnvironment, VariesOverSeeds) {
  for (const int level : {0, 3, 8}) {
    std::set<std::string> prompts;
    std::set<std::string> references;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      if (const ProblemPtr problem = make(level, seed)) {
        prompts.insert(problem->prompt());
        references.insert(problem->reference());
      }
    }
    if (level > card().max_level) continue;
    EXPECT_GE(prompts.size(), level == 0 ? 4u : 10u) << "level " << level;
    // The smallest problems may all have one answer, if the card says that there are few.
    const bool may_be_one = level == 0 && !card().small_answer_space.empty();
    EXPECT_GE(references.size(), may_be_one ? 1u : 2u) << "level " << level;
  }
}

TEST_P(EveryEnvironment, NeverSolvesNorBreaksOnGarbage) {
  std::vector<std::string> hostile{"",
                                   " ",
                                   std::string(1, '\0'),
                                   std::string(1000, '\0'),
                                   "inf",
                                   "-inf",
                                   "nan",
                                   "NaN",
                                   "1e400",
                                   std::string(400, '9'),
                                   "-" + std::string(400, '9'),
                                   std::string(5000, '9'),
                                   "0x10",
                                   "1_",
                                   "_1",
                                   "1e5",
                                   "--1",
                                   "+-1",
                                   "()",
                                   "[]",
                                   "{}",
                                   "import os",
                                   "__import__('os')",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "18446744073709551616",
                                   "\xff\xfe",
                                   "\xc0\x80",
                                   "é ñ",
                                   "<answer>",
                                   std::string(100000, '('),
                                   std::string(100000, ' '),
                                   "1\n2 3\n",
                                   "None",
                                   "True"};
  std::string many;
  for (int i = 0; i < 20000; ++i) many += "9223372036854775807 -9223372036854775808\n";
  hostile.push_back(many);
  Rng rng = test_rng("garbage", hash_name(GetParam()));
  for (int i = 0; i < 100; ++i) {
    std::string bytes(static_cast<std::size_t>(rng.integer(1, 60)), ' ');
    for (char& c : bytes) c = static_cast<char>(rng.below(256));
    hostile.push_back(bytes);
  }
  for (const int level : {0, 3}) {
    const ProblemPtr problem = make(level, 1);
    if (problem == nullptr) continue;
    for (const std::string& answer : hostile) {
      const Verdict verdict = problem->score(answer);
      EXPECT_TRUE(verdict.reward >= -1.0 && verdict.reward <= 1.0) << verdict.reward;
      EXPECT_FALSE(verdict.solved) << testing::PrintToString(answer.substr(0, 100)) << " solves\n"
                                   << problem->prompt();
    }
  }
}

TEST_P(EveryEnvironment, SurvivesMutilatedAnswers) {
  Rng rng = test_rng("mutilated answers", hash_name(GetParam()));
  for_each_problem(2, [&](const Problem& problem) {
    const std::string reference = problem.reference();
    for (int i = 0; i < 30; ++i) {
      std::string answer = rng.chance(0.5) ? reference : problem.random_answer(rng);
      for (std::int64_t edit = rng.integer(1, 3); edit > 0 && !answer.empty(); --edit) {
        const auto place = static_cast<std::size_t>(rng.below(answer.size()));
        switch (rng.below(4)) {
          case 0:
            answer.erase(place, 1);
            break;
          case 1:
            answer.insert(place, 1, static_cast<char>(rng.below(256)));
            break;
          case 2:
            answer[place] = "0123456789 -\n,"[rng.below(14)];
            break;
          default:
            answer += answer.substr(place);
            break;
        }
      }
      const Verdict verdict = problem.score(answer);
      EXPECT_TRUE(verdict.reward >= -1.0 && verdict.reward <= 1.0) << verdict.reward;
    }
  });
}

TEST_P(EveryEnvironment, GivesRandomAnswersOfTheAskedForm) {
  Rng rng = test_rng("random answers");
  int well_formed = 0;
  int asked = 0;
  for_each_problem(3, [&](const Problem& problem) {
    for (int i = 0; i < 5; ++i, ++asked) {
      well_formed += problem.score(problem.random_answer(rng)).well_formed;
    }
  });
  EXPECT_GT(well_formed, asked / 2);
}

TEST_P(EveryEnvironment, DoesNotPayForAConstant) {
  if (!card().small_answer_space.empty()) GTEST_SKIP() << card().small_answer_space;
  constexpr int kProblems = 200;
  constexpr double kBound = 0.35;
  for (const int level : {0, 3, 8}) {
    if (level > card().max_level) continue;
    std::vector<ProblemPtr> problems;
    std::map<std::string, int> frequency;
    for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
      problems.push_back(make(level, seed));
      ASSERT_NE(problems.back(), nullptr);
      ++frequency[problems.back()->reference()];
    }
    const std::string most_frequent =
        std::ranges::max_element(frequency, {}, [](const auto& entry) {
          return entry.second;
        })->first;
    for (const std::string& constant :
         {std::string("0"), std::string("1"), std::string(), most_frequent}) {
      double sum = 0.0;
      for (const ProblemPtr& problem : problems) sum += problem->score(constant).reward;
      EXPECT_LE(sum / kProblems, kBound) << "level " << level << ": \"" << constant << "\"";
    }
  }
}

// CPU time, so that a busy machine does not count; sanitizers and debug builds are slower by
// design.
TEST_P(EveryEnvironment, GeneratesInTime) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "only in release builds";
#endif
  const int level = std::min(12, card().max_level);
  std::vector<double> milliseconds;
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    const std::clock_t start = std::clock();
    make(level, seed);
    milliseconds.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::ranges::sort(milliseconds);
  EXPECT_LT(milliseconds[4], 50.0);
}

TEST_P(EveryEnvironment, FollowsThePublishedLadder) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the published ladders are not at hand";
  static const Json ladders = *parse_json(read_file(kShared / "environments" / "ladders.json"));
  if (!ladders.contains(GetParam())) GTEST_SKIP() << "the published ladders do not list it";
  Rng rng = test_rng("ladder");
  for (int level = 0; level <= std::min(20, card().max_level); ++level) {
    const Json& published = ladders[GetParam()][static_cast<std::size_t>(level)];
    for (int draw = 0; draw < 20; ++draw) {
      const Json ours = environment().level_parameter(level, rng);
      const bool found = std::ranges::any_of(published, [&](const Json& set) {
        return std::ranges::all_of(set.items(), [&](const auto& entry) {
          const auto mine = ours.find(entry.key());
          if (mine == ours.end()) return false;
          if (!entry.value().is_number_float()) return *mine == entry.value();
          return mine->is_number() && std::abs(mine->template get<double>() -
                                               entry.value().template get<double>()) < 1e-12;
        });
      });
      ASSERT_TRUE(found) << "level " << level << ": " << ours.dump() << " is not among "
                         << published.dump().substr(0, 500);
    }
  }
}

// Recorded rewards that we hold to be wrong: environment → list of {"line", "response", "ours",
// "why"}; line 0: any.
const std::map<std::string, Json>& vector_exceptions() {
  static const std::map<std::string, Json> exceptions = [] {
    std::map<std::string, Json> found;
    for (const auto& entry : fs::recursive_directory_iterator(kSource / "redqueen" / "gym")) {
      if (!entry.path().string().ends_with(".vectors.json")) continue;
      const auto json = parse_json(read_file(entry.path()));
      EXPECT_TRUE(json.has_value()) << entry.path() << ": " << json.error().message;
      if (json) found[(*json)["environment"].get<std::string>()] = (*json)["exceptions"];
    }
    return found;
  }();
  return exceptions;
}

double expected_reward(const std::string& environment, int line, const Json& test_case) {
  const auto list = vector_exceptions().find(environment);
  if (list != vector_exceptions().end()) {
    for (const Json& exception : list->second) {
      EXPECT_FALSE(exception.value("why", "").empty()) << exception.dump();
      const int where = exception.value("line", 0);
      if ((where == 0 || where == line) && exception["response"] == test_case["response"]) {
        return exception["ours"].get<double>();
      }
    }
  }
  return test_case["reward"].get<double>();
}

TEST_P(EveryEnvironment, AgreesWithTheRecordedRewards) {
  const fs::path path = kShared / "vectors" / (GetParam() + ".jsonl");
  if (!fs::exists(path)) GTEST_SKIP() << "no recorded rewards at hand";
  std::ifstream in(path);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    SCOPED_TRACE(fmt::format("line {}", line));
    const auto vector = parse_json(text);
    ASSERT_TRUE(vector.has_value()) << vector.error().message;
    const auto problem = environment().restore((*vector)["parameter"]);
    ASSERT_TRUE(problem.has_value()) << problem.error().message;
    for (const Json& test_case : (*vector)["cases"]) {
      const Verdict verdict =
          (*problem)->score(trim(test_case["response"].get_ref<const std::string&>()));
      const double expected = expected_reward(GetParam(), line, test_case);
      EXPECT_NEAR(verdict.reward, expected, 1e-9) << test_case.dump();
      EXPECT_EQ(verdict.solved, expected >= (*vector)["passing"].get<double>() - 1e-12)
          << test_case.dump();
    }
  }
}

// Five responses to a problem, from right to hopeless.
std::vector<std::string> golden_responses(const Problem& problem, std::uint64_t index) {
  Rng rng = test_rng("golden", index);
  const std::string example = problem.example();
  return {problem.reference(), problem.random_answer(rng), problem.random_answer(rng),
          example.empty() ? "0" : example, "no idea"};
}

std::string golden_text(const Environment& environment) {
  std::string text = fmt::format("{} version {}\n", environment.name(), environment.card().version);
  for (const int level : {0, 3, 8}) {
    if (level > environment.card().max_level) continue;
    const auto problem = environment.generate(level, 1);
    if (!problem) return problem.error().message;
    text += fmt::format("\n==== {}\n---- prompt\n{}\n---- parameter\n{}\n---- reference\n{}\n",
                        environment.address(level, 1).to_string(), (*problem)->prompt(),
                        dump_json((*problem)->parameter()), (*problem)->reference());
    for (const std::string& response :
         golden_responses(**problem, static_cast<std::uint64_t>(level))) {
      const Verdict verdict = (*problem)->score(response);
      text += fmt::format("---- response: reward {:.9g}, {}\n{}\n", verdict.reward,
                          verdict.solved        ? "solved"
                          : verdict.well_formed ? "not solved"
                                                : "malformed",
                          response);
    }
  }
  return text;
}

TEST_P(EveryEnvironment, BehavesAsItsGoldenRecording) {
  const fs::path path = kSource / "redqueen" / "gym" / "golden" / (GetParam() + ".txt");
  const std::string text = golden_text(environment());
  if (std::getenv("REDQUEEN_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(fs::exists(path)) << "run with REDQUEEN_UPDATE_GOLDEN=1, and review " << path;
  EXPECT_EQ(text, read_file(path))
      << "if this change is meant, raise the card's version and run with "
         "REDQUEEN_UPDATE_GOLDEN=1";
}

std::vector<std::string> registered_names() {
  std::vector<std::string> names;
  for (const Environment* environment : Registry::instance().all()) {
    names.emplace_back(environment->name());
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Gym, EveryEnvironment, testing::ValuesIn(registered_names()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace redqueen
