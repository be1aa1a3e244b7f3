#include "redqueen/recipes/evoenv/evoenv.h"
#include "redqueen/base/testing/source_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "redqueen/embedding/minilm.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/recipes/evoenv/evoenv_charts.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/sandbox/testing/sandbox.h"
#include "redqueen/synth/environment_folder.h"

namespace redqueen::evoenv {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

std::string environment_source(std::string_view name, std::string_view words,
                               std::string_view reference) {
  return fmt::format(
      "class {}(VerifiableEnvironment):\n"
      "    prompt_template = \"{} {{a}} {{b}}\"\n"
      "    def _generate(self, seed, difficulty):\n"
      "        r = Random(seed)\n"
      "        self.a = r.randint(1, 9 + 30 * difficulty)\n"
      "        self.b = r.randint(1, 9 + 30 * difficulty)\n"
      "        self.ref_answer = {}\n"
      "    def _prompt_generate(self):\n"
      "        return self.prompt_template.format(a=self.a, b=self.b)\n"
      "    def _process(self, response):\n"
      "        return parse_int(response)\n"
      "    def scorer(self, parsed):\n"
      "        return 1.0 if parsed == self.ref_answer else 0.0\n",
      name, words, reference);
}

std::string add_source() {
  return environment_source("Add", "Add the two numbers", "self.a + self.b");
}
std::string multiply_source() {
  return environment_source("Multiply", "Give the product of the dice", "self.a * self.b");
}
// Its words ask for something else than its code computes.
std::string wrong_source() {
  return environment_source("Distance", "How far apart are the houses", "self.a * 2 + self.b");
}

// Writes given environments, rejects those that speak of houses, and adds, multiplies and
// subtracts: right with every second response.
class ScriptedPolicy final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      CompletionGroup group{.prompt_tokens = {1, 2, 3}, .completions = {}};
      for (std::size_t k = 0; k < request.addresses.size(); ++k) {
        std::string text = respond(request.prompt, k, request.addresses[k]);
        group.completions.push_back({std::move(text), {4, 5}, {-0.5F, -0.5F}, FinishReason::kStop});
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }
  std::string_view name() const override { return "scripted"; }

  std::vector<std::string> written{"```python\n" + multiply_source() + "```", "no code at all",
                                   "```python\n" + multiply_source() + "```",
                                   "```python\n" + wrong_source() + "```"};
  std::string mended;  // the response to a refusal

 private:
  std::string respond(const std::string& prompt, std::size_t k, const RandomAddress& address) {
    if (prompt.find("A test refused it") != std::string::npos) return mended;
    if (prompt.find("VERDICT") != std::string::npos) {
      return prompt.find("houses") != std::string::npos
                 ? "The code multiplies.\nVERDICT: REJECT it computes something else"
                 : "Fine.\nVERDICT: ACCEPT";
    }
    if (prompt.find("VerifiableEnvironment") != std::string::npos) {
      return written[k % written.size()];
    }
    return solve(prompt, address.salt % 2 == 0) + "</answer>";
  }

  static std::string solve(const std::string& prompt, bool right) {
    std::int64_t a = 0;
    std::int64_t b = 0;
    const std::size_t digits = prompt.find_first_of("0123456789");
    std::istringstream(prompt.substr(digits)) >> a >> b;
    if (!right) return "-1";
    if (prompt.starts_with("Add")) return std::to_string(a + b);
    if (prompt.starts_with("Give")) return std::to_string(a * b);
    return std::to_string(a * 2 + b);
  }
};

class EvoEnvTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_minilm("", source_dir())) GTEST_SKIP() << "the weights of MiniLM are not here";
    folder_ = fs::path(testing::TempDir()) /
              fmt::format("evoenv-{}-{}", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_ / "seeds");
    std::ofstream(folder_ / "seeds" / "add.py") << add_source();
    settings_.run.recipe = "evoenv";
    settings_.policy.prompt_format = "terse";
    settings_.batch.prompts = 6;
    settings_.batch.rollouts = 4;
    settings_.batch.dynamic_sampling = false;
    EvoEnvSettings& evoenv = settings_.table<EvoEnvSettings>();
    evoenv.seeds = (folder_ / "seeds").string();
    evoenv.generator_prompts = 1;
    evoenv.candidates = 4;
    evoenv.levels = {0, 1};
    evoenv.validation.levels = {0, 1, 2};
    evoenv.review_audit = 0;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<Recipe> make(const std::string& run) {
    return make_evoenv({settings_, policy_, shared_engine(), folder_ / run, progress_}).value();
  }

  fs::path folder_;
  TrainSettings settings_;
  ScriptedPolicy policy_;
  std::ostringstream output_;
  run::Progress progress_{output_, run::ProgressMode::kQuiet};
};

std::map<std::string, double> by_name(const std::vector<run::MetricValue>& metrics) {
  std::map<std::string, double> values;
  for (const run::MetricValue& metric : metrics) values[metric.name] = metric.value;
  return values;
}

TEST_F(EvoEnvTest, AStepJudgesCandidatesAdmitsTheNewAndTrainsOnBoth) {
  settings_.table<EvoEnvSettings>().review_audit = 2;
  settings_.table<EvoEnvSettings>().review_guard = false;  // this reviewer knows about houses alone
  const auto recipe = make("run");
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;

  std::map<std::string, std::string> fates;
  for (const run::ItemRecord& item : batch->items) fates[item.name] = item.fate;
  EXPECT_EQ(fates["s1-0-0"], "admitted");
  EXPECT_EQ(fates["s1-0-1"], "L1 no_code");
  EXPECT_EQ(fates["s1-0-2"], "duplicate");
  EXPECT_EQ(fates["s1-0-3"], "rejected");

  ASSERT_EQ(batch->groups.size(), 7u);
  const ScoredGroup& generator = batch->groups[0];
  EXPECT_EQ(generator.role, "generator");
  EXPECT_EQ(generator.loss_weight, 0.3);
  ASSERT_EQ(generator.rollouts.size(), 4u);
  // Q_val and γ N: the first is new, the second has no code, the third is a copy, the review does
  // not touch the fourth.
  EXPECT_GT(generator.rollouts[0].reward, 1.0);
  EXPECT_EQ(generator.rollouts[1].reward, -1.0);
  EXPECT_LT(generator.rollouts[2].reward, generator.rollouts[0].reward);
  EXPECT_GT(generator.rollouts[3].reward, 1.0);
  for (std::size_t i = 1; i < batch->groups.size(); ++i) {
    EXPECT_EQ(batch->groups[i].role, "solver");
    EXPECT_EQ(batch->groups[i].loss_weight, 1.0);
    int solved = 0;
    for (const ScoredRollout& rollout : batch->groups[i].rollouts) solved += rollout.solved;
    EXPECT_EQ(solved, 2) << batch->groups[i].task;
  }
  const auto values = by_name(batch->metrics);
  EXPECT_EQ(values.at("pool/all"), 2);
  EXPECT_EQ(values.at("funnel/admitted"), 0.25);
  EXPECT_EQ(values.at("funnel/layer_5"), 0.75);
  EXPECT_EQ(values.at("review/recall"), 0);
  EXPECT_EQ(values.at(std::string(run::metric::kSolved)), 0.5);

  // A chart of a metric that nobody records would be empty for ever.
  for (const run::ChartRecord& chart : evoenv_charts()) {
    if (chart.kind != run::chart_kind::kLines) continue;
    const auto draws = [&](const run::ChartSeries& series) {
      return values.contains(series.metric);
    };
    EXPECT_TRUE(std::ranges::any_of(chart.series, draws)) << chart.id;
  }

  const auto admitted =
      synth::load_python_environments(folder_ / "run" / "pool", sandbox::shared_sandbox());
  ASSERT_TRUE(admitted) << admitted.error().message;
  ASSERT_EQ(admitted->size(), 1u);
  EXPECT_THAT(std::string(admitted->front()->name()), HasSubstr("multiply"));
}

// This one accepts every written environment: the user is told, and what it would have rejected is
// admitted or not as if there were no review, after a restart as well.
TEST_F(EvoEnvTest, DoesWithoutAReviewThatIsNoBetterThanChance) {
  settings_.table<EvoEnvSettings>().review_audit = 2;
  const auto recipe = make("guarded");
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_THAT(output_.str(),
              HasSubstr("0 of 1 faulty environments rejected, and 0 of 1 sound ones"));
  EXPECT_THAT(output_.str(), HasSubstr("without a review"));
  for (const run::ItemRecord& item : batch->items) EXPECT_NE(item.fate, "rejected") << item.name;
  EXPECT_EQ(recipe->state().at("reviews"), false);
  const auto again = make("guarded");
  ASSERT_TRUE(again->restore(recipe->state()));
  EXPECT_EQ(again->state().at("reviews"), false);
}

// The seed takes every text for right: the checks beside the policy's answers find that out.
TEST_F(EvoEnvTest, TrainsOnNoAnswersToAnEnvironmentThatIsExpelled) {
  std::string lenient = environment_source("Lenient", "Say a number like", "self.a");
  const auto replace = [&](const std::string& old, const std::string& now) {
    lenient.replace(lenient.find(old), old.size(), now);
  };
  replace("parse_int(response)", "response");
  replace("1.0 if parsed == self.ref_answer else 0.0", "1.0");
  std::ofstream(folder_ / "seeds" / "lenient.py") << lenient;
  settings_.batch.prompts = 400;  // such checks are rare
  const auto recipe = make("expels");
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_THAT(dump_json(recipe->state()["pool"]), HasSubstr("that state no answer are right"));
  std::map<std::string, int> groups;
  for (const ScoredGroup& group : batch->groups) ++groups[group.task];
  EXPECT_GT(groups["add"], 0);
  EXPECT_EQ(groups["lenient"], 0);
}

// Pays more than half for any integer.
std::string lenient_source() {
  std::string source = multiply_source();
  const std::string strict = "self.ref_answer else 0.0";
  source.replace(source.find(strict), strict.size(), "self.ref_answer else 0.6");
  return source;
}

std::map<std::string, run::ItemRecord> by_candidate(const std::vector<run::ItemRecord>& items) {
  std::map<std::string, run::ItemRecord> found;
  for (const run::ItemRecord& item : items) found[item.name] = item;
  return found;
}

// Learning from this batch leads to the twin that pays for right answers alone.
TEST_F(EvoEnvTest, ARepairedTwinEarnsMoreThanTheBrokenOneBeforeIt) {
  policy_.written = {"```python\n" + lenient_source() + "```",
                     "```python\n" + multiply_source() + "```"};
  const auto recipe = make("twins");
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  const auto items = by_candidate(batch->items);
  EXPECT_THAT(items.at("s1-0-0").fate, testing::StartsWith("L5 "));
  EXPECT_EQ(items.at("s1-0-1").fate, "admitted");
  EXPECT_EQ(items.at("s1-0-0").data["duplicate_of"], 1);
  const auto& rollouts = batch->groups[0].rollouts;
  EXPECT_GT(rollouts[1].reward, rollouts[0].reward + 0.5);
  EXPECT_LT(rollouts[0].reward, 0.5);
}

// The pool gains by a repair, and the response that needed it nothing.
TEST_F(EvoEnvTest, ARepairIsAdmittedAndEarnsNothing) {
  const std::string broken = "```python\n" + lenient_source() + "```";
  policy_.written = {broken};
  policy_.mended = "Mended:\n```python\n" + multiply_source() + "```";
  settings_.table<EvoEnvSettings>().candidates = 1;
  const auto plain = make("plain")->step(1);
  ASSERT_TRUE(plain);
  EXPECT_THAT(plain->items.front().fate, testing::StartsWith("L5 "));
  settings_.table<EvoEnvSettings>().repair = true;
  const auto mended = make("mended")->step(1);
  ASSERT_TRUE(mended) << mended.error().message;
  const run::ItemRecord& item = mended->items.front();
  EXPECT_EQ(item.fate, "admitted");
  EXPECT_EQ(item.data["first_try"]["layer"], 4);
  EXPECT_THAT(item.data["first_try"]["source"].get<std::string>(), HasSubstr("0.6"));
  EXPECT_NEAR(mended->groups[0].rollouts[0].reward, plain->groups[0].rollouts[0].reward, 1e-9);
  EXPECT_LE(item.data["certificate"]["shortcuts"][0]["solved"].get<int>(), 8);
  EXPECT_EQ(item.data["certificate"]["pass_rates"][0]["model"], "scripted");
}

TEST_F(EvoEnvTest, TrainingTakesNoOtherSecondAuthor) {
  settings_.table<EvoEnvSettings>().second_author = "openai:http://127.0.0.1:9/v1";
  EXPECT_THAT(check_evoenv(settings_, shared_engine()).error().message,
              HasSubstr("in training it is the policy itself"));
  settings_.table<EvoEnvSettings>().second_author = kOwnSecondAuthor;
  EXPECT_TRUE(check_evoenv(settings_, shared_engine()));
}

TEST_F(EvoEnvTest, GoesOnFromItsStateToTheSameBits) {
  const auto first = make("one");
  ASSERT_TRUE(first->step(1));
  first->end_step();
  const Json state = parse_json(dump_json(first->state())).value();
  const auto there = first->step(2);
  ASSERT_TRUE(there);

  fs::copy(folder_ / "one", folder_ / "other", fs::copy_options::recursive);
  fs::create_directories(folder_ / "other" / "pool" / "of-a-lost-step");
  const auto second = make("other");
  const auto restored = second->restore(state);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_FALSE(fs::exists(folder_ / "other" / "pool" / "of-a-lost-step"));
  const auto again = second->step(2);
  ASSERT_TRUE(again);
  ASSERT_EQ(there->groups.size(), again->groups.size());
  for (std::size_t i = 0; i < there->groups.size(); ++i) {
    EXPECT_EQ(there->groups[i].task, again->groups[i].task);
    for (std::size_t k = 0; k < there->groups[i].rollouts.size(); ++k) {
      EXPECT_EQ(there->groups[i].rollouts[k].reward, again->groups[i].rollouts[k].reward);
      EXPECT_EQ(there->groups[i].rollouts[k].completion.text,
                again->groups[i].rollouts[k].completion.text);
    }
  }
  EXPECT_EQ(dump_json(first->state()), dump_json(second->state()));
  EXPECT_FALSE(second->restore(Json{{"pool", 3}}));
}

TEST_F(EvoEnvTest, SaysWhatIsMissingBeforeAPolicyIsLoaded) {
  ASSERT_TRUE(check_evoenv(settings_, shared_engine()));
  settings_.table<EvoEnvSettings>().seeds = (folder_ / "nothing").string();
  EXPECT_THAT(check_evoenv(settings_, shared_engine()).error().message,
              HasSubstr("no environments"));
  settings_.table<EvoEnvSettings>().seeds = (folder_ / "seeds").string();
  settings_.table<EvoEnvSettings>().prompts = "nowhere";
  EXPECT_THAT(check_evoenv(settings_, shared_engine()).error().message, HasSubstr("generator.txt"));
}

}  // namespace
}  // namespace redqueen::evoenv
