#include "redqueen/synth/python_environment.h"

#include <gmock/gmock.h>

#include <thread>

#include "redqueen/core/batch.h"
#include "redqueen/core/testing/episode_checks.h"
#include "redqueen/synth/harness/harness.h"
#include "redqueen/synth/testing/sandbox.h"

namespace redqueen::synth {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kPythonEnvironmentSeeds{"bounded_interval_intersection",
                                                       "bridge",
                                                       "euclid_game",
                                                       "fibonacci",
                                                       "knapsack",
                                                       "monotonic_stack",
                                                       "recursive_function",
                                                       "sliding_window",
                                                       "sorting",
                                                       "subset_sum"};

std::string zoo_source(const std::string& name) {
  return read_source("redqueen/synth/zoo/" + name + ".py");
}

// An environment of this body of _generate, with an integer answer.
std::string with_body(const std::string& generate,
                      const std::string& scorer = "1.0 if parsed == self.ref_answer else 0.0") {
  return "class Tiny(VerifiableEnvironment):\n    def _generate(self, seed, difficulty):\n       "
         " " +
         generate +
         "\n    def _prompt_generate(self):\n        return 'Say a number.'\n"
         "    def _process(self, response):\n        return parse_int(response)\n"
         "    def scorer(self, parsed):\n        return " +
         scorer + "\n";
}

TEST(PythonEnvironment, ProblemsAreTheSameAtTheSameAddress) {
  for (const std::string& name : kPythonEnvironmentSeeds) {
    const PythonEnvironment one(seed_source(name), shared_sandbox());
    const PythonEnvironment other(seed_source(name), shared_sandbox());
    const auto left = one.generate(3, 11, 5);
    const auto right = other.generate(3, 11, 5);
    ASSERT_TRUE(left.has_value() && right.has_value()) << name;
    EXPECT_EQ((*left)->parameter(), (*right)->parameter());
    const auto salted = one.generate(3, 11, 6);
    EXPECT_NE((*left)->parameter(), (*salted)->parameter()) << name;
  }
}

TEST(PythonEnvironment, KeepsThePromisesOfEpisodes) {
  for (const char* name : {"sorting", "bridge", "recursive_function"}) {
    const PythonEnvironment environment(seed_source(name), shared_sandbox());
    for (const int level : {0, 3}) {
      for (const std::uint64_t seed : {1, 2})
        expect_sound_episodes(environment, environment.address(level, seed));
    }
  }
}

// A stored problem is made and scored in another process: another session, another hash seed's
// worth of state.
TEST(PythonEnvironment, RestoredProblemsScoreTheSame) {
  std::vector<std::string> sources;
  for (const std::string& name : kPythonEnvironmentSeeds) sources.push_back(seed_source(name));
  for (const char* name : {"sound_helper_classes", "sound_set_answer", "sound_own_answer_form",
                           "sound_passing_threshold", "sound_big_integer", "sound_word_count_dict",
                           "foreign/handed_on_sorting", "foreign/handed_on_two_coins"}) {
    sources.push_back(zoo_source(name));
  }
  for (const std::string& source : sources) {
    const PythonEnvironment maker(source, shared_sandbox());
    const PythonEnvironment scorer(source, shared_sandbox());
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const auto made = maker.generate(2, seed);
      ASSERT_TRUE(made.has_value()) << made.error().message;
      const auto text = dump_json((*made)->parameter());
      const auto restored = scorer.restore(*parse_json(text));
      ASSERT_TRUE(restored.has_value()) << restored.error().message;
      EXPECT_EQ((*restored)->prompt(), (*made)->prompt());
      EXPECT_EQ(dump_json((*restored)->parameter()), text);
      EXPECT_TRUE((*restored)->score((*restored)->reference()).solved);
      Rng rng({.seed = seed});
      for (int i = 0; i < 5; ++i) {
        const std::string answer = (*made)->random_answer(rng);
        EXPECT_EQ((*restored)->score(answer), (*made)->score(answer)) << answer;
      }
    }
  }
}

TEST(PythonEnvironment, BatchesEqualSingleCalls) {
  std::vector<std::unique_ptr<const PythonEnvironment>> environments;
  std::vector<ProblemRequest> requests;
  for (const std::string& name : kPythonEnvironmentSeeds) {
    environments.push_back(
        std::make_unique<const PythonEnvironment>(seed_source(name), shared_sandbox()));
  }
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    requests.push_back(
        {environments[seed % environments.size()].get(), static_cast<int>(seed % 4), seed, 9});
  }
  requests.push_back({environments[0].get(), -1, 0, 0});
  const auto problems = generate_all(requests);
  ASSERT_EQ(problems.size(), requests.size());
  EXPECT_EQ(problems.back().error().fault, GenerationFault::kLevel);
  std::vector<std::string> answers;
  Rng rng({.purpose = hash_name("batches")});
  for (std::size_t i = 0; i + 1 < problems.size(); ++i) {
    ASSERT_TRUE(problems[i].has_value()) << problems[i].error().message;
    const auto alone = requests[i].environment->generate(requests[i].level, requests[i].seed, 9);
    EXPECT_EQ((*problems[i])->parameter(), (*alone)->parameter());
    answers.push_back((*problems[i])->reference());
    answers.push_back((*problems[i])->random_answer(rng));
    answers.emplace_back("no answer");
  }
  std::vector<AnswerRequest> to_score;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    to_score.push_back({problems[i / 3]->get(), answers[i]});
  }
  const auto verdicts = score_all(to_score);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(verdicts[i], to_score[i].problem->score(answers[i])) << answers[i];
    if (i % 3 == 0) {
      EXPECT_TRUE(verdicts[i].solved);
    }
  }
}

TEST(PythonEnvironment, RewardsAreHeldWithinBounds) {
  const auto verdict = [](const std::string& scorer, std::string_view answer) {
    const PythonEnvironment environment(with_body("self.ref_answer = 7", scorer), shared_sandbox());
    const auto problem = environment.generate(0, 0);
    EXPECT_TRUE(problem.has_value()) << problem.error().message;
    return (*problem)->score(answer);
  };
  const std::string scale =
      "{7: 250, 1: -9, 2: 0.25, 3: float('nan'), 4: 'x', 5: True, 6: 10 ** 400}[parsed]";
  EXPECT_EQ(verdict(scale, "7"), (Verdict{1.0, true, true}));
  EXPECT_EQ(verdict(scale, "1"), (Verdict{-1.0, false, false}));
  EXPECT_EQ(verdict(scale, "2"), (Verdict{0.25, false, true}));
  EXPECT_EQ(verdict(scale, "3"), Verdict{});  // NaN
  EXPECT_EQ(verdict(scale, "4"), Verdict{});  // no number
  EXPECT_EQ(verdict(scale, "5"), (Verdict{1.0, true, true}));
  EXPECT_EQ(verdict(scale, "6"), Verdict{});  // infinite
  EXPECT_EQ(verdict(scale, "8"), Verdict{});  // raises
  EXPECT_EQ(verdict(scale, "x"), Verdict{});  // malformed
  EXPECT_EQ(verdict("1 - 5e-10", "7").solved, true);
}

TEST(PythonEnvironment, FaultsAreValues) {
  const auto fault = [](const std::string& body, double seconds = 10) {
    sandbox::Limits limits = default_environment_limits();
    limits.wall_seconds = seconds;
    const PythonEnvironment environment(with_body(body), shared_sandbox(), {}, limits);
    const auto problem = environment.generate(0, 0);
    EXPECT_FALSE(problem.has_value()) << body;
    return problem ? GenerationFailure{GenerationFault::kLevel, ""} : problem.error();
  };
  EXPECT_THAT(fault("raise ValueError('odd')").message, HasSubstr("odd"));
  EXPECT_THAT(fault("import os").message, HasSubstr("os"));
  EXPECT_THAT(fault("self.ref_answer = None").message, HasSubstr("ref_answer"));
  EXPECT_THAT(fault("self.ref_answer = 'seven'").message, HasSubstr("seven"));
  EXPECT_THAT(fault("pass\n  broken").message, HasSubstr("indent"));
  EXPECT_EQ(fault("while True: pass", 0.5).fault, GenerationFault::kTime);
  const PythonEnvironment sound(seed_source("sorting"), shared_sandbox());
  EXPECT_EQ(sound.generate(-1, 0).error().fault, GenerationFault::kLevel);
  EXPECT_EQ(sound.generate(101, 0).error().fault, GenerationFault::kLevel);
}

// A response that hangs the scorer costs its own verdict and nothing else.
TEST(PythonEnvironment, ASessionThatDiedIsOpenedAnew) {
  sandbox::Limits limits = default_environment_limits();
  limits.wall_seconds = 1;
  const PythonEnvironment environment(
      with_body("self.ref_answer = 7",
                "1.0 if parsed == 7 else (0.0 if parsed else [0 for _ in iter(int, 1)])"),
      shared_sandbox(), {}, limits);
  const auto problem = environment.generate(0, 0);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  EXPECT_EQ((*problem)->score("0"), Verdict{});
  EXPECT_TRUE((*problem)->score("7").solved);
  const AnswerRequest requests[] = {
      {problem->get(), "7"}, {problem->get(), "0"}, {problem->get(), "7"}};
  const auto verdicts = score_all(requests);
  EXPECT_TRUE(verdicts[0].solved);
  EXPECT_EQ(verdicts[1], Verdict{});
  EXPECT_TRUE(verdicts[2].solved);
}

TEST(PythonEnvironment, MayBeUsedFromManyThreads) {
  const PythonEnvironment environment(seed_source("sorting"), shared_sandbox());
  std::vector<std::string> prompts(16);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < prompts.size(); i += 4) {
        const auto problem = environment.generate(1, i / 8);
        if (problem && (*problem)->score((*problem)->reference()).solved) {
          prompts[i] = (*problem)->prompt();
        }
        if (i % 5 == 0) environment.close();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_FALSE(prompts[i].empty());
    EXPECT_EQ(prompts[i], prompts[i - i % 8]);
  }
}

TEST(PythonEnvironment, AProblemOutlivesItsEnvironment) {
  auto environment =
      std::make_unique<const PythonEnvironment>(seed_source("sorting"), shared_sandbox());
  auto problem = environment->generate(0, 1);
  ASSERT_TRUE(problem.has_value());
  environment.reset();
  EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
}

TEST(PythonEnvironment, RestoreNamesTheKey) {
  const PythonEnvironment environment(seed_source("sorting"), shared_sandbox());
  const auto message = [&](const char* text) {
    const auto restored = environment.restore(*parse_json(text));
    return restored ? std::string() : restored.error().message;
  };
  EXPECT_THAT(message("[]"), HasSubstr("\"prompt\""));
  EXPECT_THAT(message(R"({"prompt": 3})"), HasSubstr("\"prompt\""));
  EXPECT_THAT(message(R"({"prompt": "p"})"), HasSubstr("\"reference\""));
  EXPECT_THAT(message(R"({"prompt": "p", "reference": "r", "state": []})"), HasSubstr("\"state\""));
  // A state that belongs to something else: no crash, no reward.
  const auto odd = environment.restore(
      *parse_json(R"({"prompt": "p", "reference": "r", "state": {"$object": ["os", {}]}})"));
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ((*odd)->score("1"), Verdict{});
}

TEST(PythonEnvironment, NamesAndVersionsFollowTheSource) {
  EXPECT_EQ(snake_case("PrimePairs"), "prime_pairs");
  EXPECT_EQ(snake_case("LCMOfTwo"), "lcm_of_two");
  EXPECT_EQ(snake_case("SubsetCycleGCD_PrimeChain"), "subset_cycle_gcd_prime_chain");
  EXPECT_EQ(snake_case("Sort2D"), "sort2_d");
  EXPECT_EQ(snake_case("__"), "environment");
  const std::string source = seed_source("sorting");
  const PythonEnvironment one(source, shared_sandbox());
  const PythonEnvironment other(source + "\n", shared_sandbox());
  EXPECT_THAT(std::string(one.name()), testing::MatchesRegex("evo/sorting-[0-9a-f]{6}"));
  EXPECT_NE(one.card().version, other.card().version);
  EXPECT_GT(one.card().version, 0);
  const ProblemAddress address = one.address(2, 3, 4);
  EXPECT_EQ(ProblemAddress::parse(address.to_string()), address);
}

TEST(PythonEnvironment, LiteralsSurviveOddText) {
  std::string text = "a\"b\\c\n\r\t'\x01\x7f é 中 𝄞 ${} {x} \\u0041";
  text += '\0';
  text += "end";
  sandbox::Program program;
  program.source = "TEXT = " + python_literal(text) + "\n";
  const sandbox::Outcome outcome =
      shared_sandbox().run(sandbox::Job{program, {sandbox::Call::expression("TEXT")}});
  ASSERT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_EQ(parse_json(outcome.json)->get<std::string>(), text);
}

TEST(PythonEnvironment, MeetsRandomBytes) {
  Rng rng({.purpose = hash_name("python environment test")});
  std::vector<std::unique_ptr<const PythonEnvironment>> environments;
  std::vector<ProblemPtr> problems;
  for (const std::string& name : kPythonEnvironmentSeeds) {
    environments.push_back(
        std::make_unique<const PythonEnvironment>(seed_source(name), shared_sandbox()));
    problems.push_back(std::move(*environments.back()->generate(1, 1)));
  }
  std::vector<std::string> answers;
  for (int i = 0; i < 400; ++i) {
    std::string answer;
    for (std::uint64_t n = rng.below(40); n > 0; --n) answer += static_cast<char>(rng.below(256));
    answers.push_back(std::move(answer));
  }
  std::vector<AnswerRequest> requests;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    requests.push_back({problems[i % problems.size()].get(), answers[i]});
  }
  for (const Verdict& verdict : score_all(requests)) {
    EXPECT_FALSE(verdict.solved);
    EXPECT_GE(verdict.reward, -1.0);
    EXPECT_LE(verdict.reward, 0.5);
  }
}

// Scores 64 wrong answers in one batch, as training does.
std::string distrust_after_a_batch(const std::string& source) {
  const PythonEnvironment environment(source, shared_sandbox());
  const Generated problem = environment.generate(1, 7, 3);
  if (!problem.has_value()) return problem.error().message;
  std::vector<std::string> answers;
  for (int i = 0; i < 64; ++i) answers.push_back(std::to_string(5'000'000 + i));
  std::vector<AnswerRequest> requests;
  for (const std::string& answer : answers) requests.push_back({problem->get(), answer});
  for (int batch = 0; batch < 4; ++batch) {
    const auto verdicts = environment.batch_worker()->score(requests);
    EXPECT_EQ(verdicts.size(), requests.size());
  }
  return environment.distrust();
}

TEST(PythonEnvironment, CanariesShowAScorerThatDoesAsItLikes) {
  const std::string body = "self.ref_answer = 40 + seed % 3";
  EXPECT_EQ(distrust_after_a_batch(with_body(body)), "");
  EXPECT_EQ(distrust_after_a_batch(seed_source("sorting")), "");
  const std::string strict = "return parse_int(response)";
  const auto counting = [&](const std::string& scorer) {
    std::string source = "asked = []\n" + with_body(body, scorer);
    source.replace(source.find(strict), strict.size(),
                   "asked.append(0); return parse_int(response)");
    return source;
  };
  // Turns the right answer down, later.
  EXPECT_THAT(distrust_after_a_batch(
                  counting("1.0 if parsed == self.ref_answer and len(asked) < 5 else 0.0")),
              HasSubstr("a reference is not right"));
  // Takes what has no answer in it for right.
  std::string lenient = with_body(body, "1.0");
  lenient.replace(lenient.find(strict), strict.size(), "return response");
  EXPECT_THAT(distrust_after_a_batch(lenient), HasSubstr("that state no answer are right"));
  // Goes by how often it was asked: another process says otherwise.
  EXPECT_THAT(
      distrust_after_a_batch(counting("1.0 if parsed == self.ref_answer else len(asked) / 100.0")),
      HasSubstr("another score"));
}

TEST(HostProgram, IsOutOfReachByName) {
  const std::string source = with_body(
      "import typing; main = typing.sys.modules['__main__']; self.ref_answer = "
      "len([n for n in ('make', 'score', 'probe', 'run_all', 'boot') for m in "
      "typing.sys.modules.values() if n in getattr(m, '__dict__', {}) and "
      "getattr(m, '__name__', '') == '__main__']) + sum(n in main.__dict__ for n in ('make', "
      "'score', 'probe'))");
  const PythonEnvironment environment(source, shared_sandbox());
  const Generated problem = environment.generate(1, 7, 3);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  EXPECT_EQ((*problem)->reference(), "0");
}

}  // namespace
}  // namespace redqueen::synth
