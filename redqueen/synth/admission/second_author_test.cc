#include "redqueen/synth/admission/second_author.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <utility>

#include "redqueen/core/batch.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/testing/sandbox.h"

namespace redqueen::synth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kCases = "redqueen/synth/testdata/second_authors";
const std::string kPromptFile = "configs/evoenv/prompts/second_author.txt";

// A task: an environment, its faulty twin, and programs that somebody wrote from the statement.
struct Case {
  std::string name;
  std::string sound;
  std::string faulty;
  std::vector<std::string> programs;
};

Case read_case(const std::filesystem::path& file) {
  constexpr std::string_view kMark = "# ---- ";
  Case read{.name = file.stem().string()};
  std::string* section = nullptr;
  std::istringstream lines(read_source(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMark)) {
      const std::string kind = line.substr(kMark.size());
      section = kind == "sound"    ? &read.sound
                : kind == "faulty" ? &read.faulty
                                   : &read.programs.emplace_back();
    } else if (section != nullptr) {
      *section += line + "\n";
    }
  }
  return read;
}

// Problems of an environment at the levels of the settings' defaults.
class Problems {
 public:
  explicit Problems(const std::string& source, int count = 30)
      : environment_(source, shared_sandbox()) {
    std::vector<ProblemRequest> requests;
    for (int i = 0; i < count; ++i)
      requests.push_back({&environment_, i % 3, static_cast<std::uint64_t>(i), 1});
    for (auto& problem : generate_all(requests)) {
      EXPECT_TRUE(problem) << source;
      if (!problem) continue;
      instances_.push_back(
          {static_cast<int>(instances_.size()) % 3, (*problem)->prompt(), (*problem)->reference()});
      problems_.push_back(std::move(*problem));
    }
  }

  SecondOpinion weigh(const std::vector<std::string>& programs) const {
    return weigh_programs(instances_,
                          run_second_programs(shared_sandbox(), programs, problems_, 1));
  }

 private:
  PythonEnvironment environment_;
  std::vector<ProblemPtr> problems_;
  std::vector<SecondInstance> instances_;
};

TEST(SecondAuthorTest, RefutesFaultyTwinsAndNoSoundOne) {
  std::vector<std::string> missed;
  int cases = 0;
  for (const auto& file : python_files(kCases)) {
    const Case task = read_case(file);
    ++cases;
    ASSERT_GE(task.programs.size(), 2u) << task.name;
    const SecondOpinion sound = Problems(task.sound).weigh(task.programs);
    EXPECT_EQ(to_string(sound.verdict), "confirmed") << task.name << ": " << sound.sentence();
    const SecondOpinion faulty = Problems(task.faulty).weigh(task.programs);
    EXPECT_NE(faulty.verdict, SecondVerdict::kConfirmed) << task.name;
    if (faulty.verdict != SecondVerdict::kRefuted) {
      missed.push_back(task.name);
      continue;
    }
    ASSERT_TRUE(faulty.example) << task.name;
    EXPECT_NE(faulty.answer, faulty.example->reference) << task.name;
    EXPECT_THAT(faulty.sentence(), HasSubstr("against its reference")) << task.name;
  }
  EXPECT_EQ(cases, 14);
  // The first has several right answers and stores one: programs find others, and each another one.
  // The second differs rarely, and nearly always in one answer.
  EXPECT_THAT(missed, testing::IsSubsetOf({"any_path", "last_run"}));
}

// --- authors who are always wrong ---------------------------------------------------------------

class WrongAuthorTest : public testing::Test {
 protected:
  // Every one of the sound tasks against the same programs, whatever it asks for.
  static std::map<std::string, SecondVerdict> verdicts(const std::vector<std::string>& programs) {
    std::map<std::string, SecondVerdict> found;
    for (const auto& file : python_files(kCases)) {
      const Case task = read_case(file);
      found[task.name] = Problems(task.sound, 12).weigh(programs).verdict;
    }
    return found;
  }

  static void expect_none_refuted(const std::vector<std::string>& programs) {
    for (const auto& [name, verdict] : verdicts(programs))
      EXPECT_NE(verdict, SecondVerdict::kRefuted) << name;
  }
};

TEST_F(WrongAuthorTest, ConstantsSayNothing) {
  for (const auto& [name, verdict] : verdicts({"def solve(text):\n    return '7'\n",
                                               "def solve(problem):\n    x = 3 + 4\n    return x\n",
                                               "solve = lambda text: '7'\n"})) {
    EXPECT_EQ(verdict, SecondVerdict::kSilent) << name;
  }
}

TEST_F(WrongAuthorTest, EchoesOfTheProblemSayNothing) {
  expect_none_refuted({"import re\ndef solve(text):\n    return re.findall(r'\\d+', text)[0]\n",
                       "def solve(text):\n    for word in text.replace(',', ' ').split():\n"
                       "        if word.isdigit():\n            return word\n",
                       "import re\ndef solve(text):\n    found = re.search(r'\\d+', text)\n"
                       "    return found.group() if found else None\n"});
}

// Two sums of everything that stands in the text, in different shapes, and never right.
TEST_F(WrongAuthorTest, TwoThatAreNeverRightAreTooFew) {
  expect_none_refuted(
      {"import re\ndef solve(text):\n    return sum(map(int, re.findall(r'\\d+', text))) * 1000\n",
       "import re\ndef solve(text):\n    total = 0\n    for n in re.findall(r'\\d+', text):\n"
       "        total += int(n)\n    return total * 1000\n"});
}

TEST_F(WrongAuthorTest, CopiesAreOneVoice) {
  const std::string sum =
      "import re\ndef solve(text):\n    return sum(map(int, re.findall(r'\\d+', text))) * 1000\n";
  std::string renamed =
      "# Adds up.\nimport re\n\n\ndef solve(problem):\n"
      "    \"\"\"The sum.\"\"\"\n"
      "    return sum(map(int, re.findall(r\"\\d+\", problem))) * 1000\n";
  EXPECT_EQ(program_shape(sum), program_shape(renamed));
  expect_none_refuted({sum, renamed, sum + "\n\n", "# v2\n" + sum});
}

// One that reads the statement as the reference does is enough: the others may be wrong alike.
TEST(WeighTest, OneThatAgreesWithTheReferenceProtectsIt) {
  const Case task = read_case(kCases + "/once_each.py");
  std::vector<std::string> programs = task.programs;
  const Problems faulty(task.faulty);
  EXPECT_EQ(faulty.weigh(programs).verdict, SecondVerdict::kRefuted);
  programs.push_back(
      "def solve(text):\n    lines = text.splitlines()\n    limit = int(lines[0].split()[3])\n"
      "    best = [0] * (limit + 1)\n    for room in range(1, limit + 1):\n"
      "        best[room] = best[room - 1]\n        for line in lines[1:-1]:\n"
      "            w, p = map(int, line.split())\n            if w <= room:\n"
      "                best[room] = max(best[room], best[room - w] + p)\n"
      "    return best[limit]\n");
  const SecondOpinion opinion = faulty.weigh(programs);
  EXPECT_EQ(opinion.verdict, SecondVerdict::kAmbiguous);
  EXPECT_EQ(opinion.agreeing, 1);
  EXPECT_THAT(opinion.sentence(), HasSubstr("disagree"));
}

TEST(WeighTest, OneAloneRefutesNothing) {
  const Case task = read_case(kCases + "/coins.py");
  EXPECT_EQ(Problems(task.faulty).weigh({task.programs[0]}).verdict, SecondVerdict::kSilent);
  EXPECT_EQ(Problems(task.sound).weigh({task.programs[0]}).verdict, SecondVerdict::kConfirmed);
}

TEST(WeighTest, ProgramsThatFailAreSilent) {
  const Case task = read_case(kCases + "/coins.py");
  const SecondOpinion opinion =
      Problems(task.faulty, 8)
          .weigh({"", "def solve(text):\n    while True:\n        pass\n",
                  "def solve(text):\n    return 1 / 0\n",
                  "import os\ndef solve(text):\n"
                  "    return os.getcwd()\n",
                  "def other(text):\n    return '1'\n", "def solve(text):\n    return None\n",
                  "def solve(:\n"});
  EXPECT_EQ(opinion.verdict, SecondVerdict::kSilent);
  EXPECT_EQ(opinion.speaking, 0);
  EXPECT_EQ(opinion.silences.size(), 7u);
}

SecondProgram answers(const std::string& source, const std::vector<std::string>& texts,
                      std::vector<bool> right) {
  SecondProgram program{.source = source, .answers = {}, .right = std::move(right)};
  for (const std::string& text : texts)
    program.answers.push_back(text.empty() ? std::nullopt : std::optional(text));
  return program;
}

std::vector<SecondInstance> instances(std::size_t count) {
  std::vector<SecondInstance> made;
  for (std::size_t i = 0; i < count; ++i)
    made.push_back({0, std::string(i + 1, 'x'), std::to_string(100 + i)});
  return made;
}

// Two that understand the problems and slip on the same ones, with one fallback for an answer.
TEST(WeighTest, OneAnswerToAllThatIsOpposedIsASlip) {
  const auto problems = instances(8);
  const std::vector<bool> right{true, true, true, true, true, true, false, false};
  const std::vector<std::string> fallback{"100", "101", "102", "103", "104", "105", "0", "0"};
  EXPECT_EQ(weigh_programs(problems, std::vector{answers("a", fallback, right),
                                                 answers("a+a", fallback, right)})
                .verdict,
            SecondVerdict::kAmbiguous);
  // "Yes" and "No" are no fallbacks.
  const std::vector<std::string> known{"yes", "yes", "yes", "no", "no", "no", "yes", "yes"};
  EXPECT_EQ(weigh_programs(problems,
                           std::vector{answers("a", known, right), answers("a+a", known, right)})
                .verdict,
            SecondVerdict::kRefuted);
  const std::vector<std::string> others{"100", "101", "102", "103", "104", "105", "7", "9"};
  const SecondOpinion opinion = weigh_programs(
      problems, std::vector{answers("a", others, right), answers("a+a", others, right)});
  EXPECT_EQ(opinion.verdict, SecondVerdict::kRefuted);
  EXPECT_EQ(opinion.opposed, 2);
  EXPECT_EQ(opinion.against, 2);
  EXPECT_EQ(opinion.example->prompt, "xxxxxxx");
  EXPECT_EQ(opinion.answer, "7");
  const Json json = opinion.to_json();
  EXPECT_EQ(json["verdict"], "refuted");
  EXPECT_EQ(json["example"]["reference"], "106");
}

TEST(WeighTest, ProgramsThatAnswerTooLittleAreSilent) {
  const SecondOpinion opinion = weigh_programs(
      instances(8),
      std::vector{answers("a", {"1", "2", "3", "", "", "", "", ""}, std::vector<bool>(8)),
                  answers("a+a", {"1", "2", "3", "", "", "", "", ""}, std::vector<bool>(8))});
  EXPECT_EQ(opinion.verdict, SecondVerdict::kSilent);
  EXPECT_THAT(opinion.silences, ElementsAre(HasSubstr("3 of 8"), HasSubstr("3 of 8")));
  EXPECT_EQ(weigh_programs({}, {}).verdict, SecondVerdict::kSilent);
}

TEST(ProgramShapeTest, SeesCodeAndNotNames) {
  EXPECT_EQ(program_shape("a = b + 1"), program_shape("x  =  y + 1  # more"));
  EXPECT_NE(program_shape("a = b + 1"), program_shape("a = b + 2"));
  EXPECT_NE(program_shape("a = b + 1"), program_shape("a = a + 1"));
  EXPECT_NE(program_shape("f('x')"), program_shape("f('y')"));
  EXPECT_EQ(program_shape(""), "");
}

// --- asking -------------------------------------------------------------------------------------

// Answers with the programs of a task in turn; every fourth response fails.
class ProgramsPolicy final : public Policy {
 public:
  explicit ProgramsPolicy(std::vector<std::string> programs) : programs_(std::move(programs)) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      prompts.push_back(request.prompt);
      tokens = parameters.max_new_tokens;
      CompletionGroup& group = groups.emplace_back();
      for (std::size_t k = 0; k < request.addresses.size(); ++k) {
        Completion& completion = group.completions.emplace_back();
        if (k == 3) {
          completion.finish = FinishReason::kFailed;
          completion.failure = "lost";
          continue;
        }
        completion.text = "So:\n```python\n" + programs_[k % programs_.size()] + "```\n";
      }
    }
    return groups;
  }
  std::string_view name() const override { return "programs"; }

  std::vector<std::string> prompts;
  int tokens = 0;

 private:
  std::vector<std::string> programs_;
};

TEST(AskSecondAuthorTest, ShowsProblemsAloneAndWeighsWhatComes) {
  const Case task = read_case(kCases + "/inversions.py");
  ProgramsPolicy policy(task.programs);
  const PromptTemplate prompt = PromptTemplate::load(kPromptFile).value();
  const PromptFormat format = PromptFormat::parse("bare").value();
  const SecondAuthorSettings settings{.programs = 4, .max_new_tokens = 77};
  const std::vector<std::string> sources{task.sound, task.faulty};
  const std::vector<std::size_t> places{3, 5};
  MissingResponses missing;
  const auto opinions = ask_second_author(shared_sandbox(), policy,
                                          {.sources = sources,
                                           .places = places,
                                           .prompt = prompt,
                                           .format = format,
                                           .settings = settings,
                                           .address = {.seed = 1}},
                                          &missing);
  ASSERT_TRUE(opinions) << opinions.error().message;
  ASSERT_EQ(opinions->size(), 2u);
  EXPECT_EQ((*opinions)[0].verdict, SecondVerdict::kConfirmed);
  EXPECT_EQ((*opinions)[1].verdict, SecondVerdict::kRefuted);
  EXPECT_EQ((*opinions)[0].lost, 1);
  EXPECT_EQ((*opinions)[0].instances, 30);
  EXPECT_EQ(missing.asked, 8);
  EXPECT_EQ(missing.failed, 2);
  EXPECT_EQ(policy.tokens, 77);
  ASSERT_EQ(policy.prompts.size(), 2u);
  for (const std::string& text : policy.prompts) {
    EXPECT_THAT(text, HasSubstr("Problem 4:"));
    EXPECT_THAT(text, Not(HasSubstr("Problem 5:")));
    EXPECT_THAT(text, HasSubstr("wrong pairs"));
    EXPECT_THAT(text, Not(HasSubstr("VerifiableEnvironment")));
    EXPECT_THAT(text, Not(HasSubstr("ref_answer")));
  }
}

TEST(AskSecondAuthorTest, IsSilentAboutWhatMakesNoProblem) {
  ProgramsPolicy policy({"def solve(text):\n    return '1'\n"});
  const PromptTemplate prompt = PromptTemplate::load(kPromptFile).value();
  const PromptFormat format = PromptFormat::parse("bare").value();
  const SecondAuthorSettings settings;
  const std::vector<std::string> sources{"class A(VerifiableEnvironment):\n    pass\n"};
  const std::vector<std::size_t> places{0};
  const auto opinions = ask_second_author(shared_sandbox(), policy,
                                          {.sources = sources,
                                           .places = places,
                                           .prompt = prompt,
                                           .format = format,
                                           .settings = settings,
                                           .address = {}});
  ASSERT_TRUE(opinions);
  EXPECT_EQ(opinions->front().verdict, SecondVerdict::kSilent);
  EXPECT_TRUE(policy.prompts.empty());
}

}  // namespace
}  // namespace redqueen::synth
