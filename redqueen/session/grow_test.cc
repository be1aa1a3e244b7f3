#include "redqueen/session/grow.h"
#include "redqueen/base/testing/source_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "redqueen/embedding/minilm.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/policy/chat_endpoint.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/recipes/evoenv/testing/server.h"
#include "redqueen/run/event_store.h"
#include "redqueen/suites/suite.h"
#include "redqueen/synth/environment_folder.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;

// Twelve responses are written, drawn by seed: with this many candidates each of them is.
constexpr int kCandidates = 36;

class GrowTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_minilm("", source_dir())) GTEST_SKIP() << "the weights of MiniLM are not here";
    folder_ = fs::path(testing::TempDir()) /
              fmt::format("grow-{}-{}", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_ / "seeds");
    fs::copy_file("configs/evoenv/seeds/sorting.py", folder_ / "seeds" / "sorting.py");
    settings_.policy.path = "openai:" + server_.url();
    settings_.endpoint.model = "scripted";
    settings_.endpoint.concurrency = 4;
    settings_.endpoint.price_prompt = 1;
    settings_.endpoint.price_completion = 2;
    evoenv::EvoEnvSettings& evoenv = settings_.table<evoenv::EvoEnvSettings>();
    evoenv.seeds = (folder_ / "seeds").string();
    evoenv.generator_prompts = 1;
    evoenv.candidates = 8;
    evoenv.examples = 1;
    evoenv.reviewing.samples = 2;
    evoenv.reward.calibration.instances = 6;
    evoenv.levels = {0, 1};
    evoenv.validation.levels = {0, 1, 2};
  }
  void TearDown() override { fs::remove_all(folder_); }

  Status run(const std::string& name, std::int64_t rounds, bool resume = false) {
    return grow(shared_engine(),
                {.settings = settings_,
                 .toml = "x = 1\n",
                 .run = folder_ / name,
                 .resume = resume,
                 .rounds = rounds},
                progress_, stop_);
  }

  std::vector<run::ItemPoint> candidates(const std::string& name) {
    auto store = run::EventStore::open_to_read(folder_ / name / "run.db");
    return store->items("candidate").value();
  }

  double last(const std::string& name, std::string_view metric) {
    auto store = run::EventStore::open_to_read(folder_ / name / "run.db");
    const auto points = store->metric(metric).value();
    return points.empty() ? -1 : points.back().value;
  }

  std::set<std::string> pool(const std::string& name) {
    std::set<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_ / name / "pool", error))
      names.insert(entry.path().filename().string());
    return names;
  }

  // What the server says that it answered.
  Json stats() {
    auto endpoint = ChatEndpoint::create({.url = server_.url(), .model = "scripted"});
    ChatRequest request;
    request.messages = {{.role = "user", .content = "stats"}};
    const auto replies = endpoint->complete({&request, 1});
    return parse_json(replies.front()->text).value();
  }

  evoenv::EnvironmentServer server_;
  fs::path folder_;
  TrainSettings settings_;
  std::ostringstream output_;
  run::Progress progress_{output_, run::ProgressMode::kLines};
  std::atomic<bool> stop_{false};
};

TEST_F(GrowTest, KeepsWhatIsSoundNewAndOfTheRightDifficulty) {
  settings_.table<evoenv::EvoEnvSettings>().candidates = kCandidates;
  const Status status = run("run", 1);
  ASSERT_TRUE(status) << status.error().message;

  std::map<std::string, int> fates;
  std::map<std::string, std::string> fate_of_class;
  std::set<std::string> admitted;
  for (const run::ItemPoint& point : candidates("run")) {
    ++fates[point.item.fate];
    const Json& data = point.item.data;
    if (point.item.fate == "admitted") {
      EXPECT_TRUE(admitted.insert(data["environment"].get<std::string>()).second);
      EXPECT_EQ(data["nearest"]["name"], "seed/sorting");
    }
    const std::string name = data["validation"]["class_name"];
    if (point.item.fate != "duplicate") fate_of_class[name] = point.item.fate;
  }
  for (const char* fate : {"admitted", "duplicate", "rejected", "too_hard", "L1 no_code",
                           "L1 syntax", "L4 answers_constant"}) {
    EXPECT_THAT(fates, Contains(Key(fate)));
  }
  EXPECT_EQ(fate_of_class["Houses"], "rejected");
  EXPECT_EQ(fate_of_class["Hash"], "too_hard");
  EXPECT_EQ(fate_of_class["Dice"], "admitted");
  EXPECT_EQ(pool("run"), admitted);

  // What one failed request costs is itself; what was answered is counted to the token.
  const Json answered = stats();
  EXPECT_GT(answered["refused"], 0);
  EXPECT_GT(answered["retried"], 0);
  EXPECT_EQ(candidates("run").size(), kCandidates - answered["refused"].get<std::size_t>());
  EXPECT_EQ(last("run", "lost_responses"), answered["refused"].get<double>());
  EXPECT_EQ(last("run", "endpoint/failures"), answered["refused"].get<double>());
  EXPECT_EQ(last("run", "endpoint/requests"), answered["answered"].get<double>());
  EXPECT_EQ(last("run", "endpoint/retries"), answered["retried"].get<double>());
  EXPECT_EQ(last("run", "endpoint/prompt_tokens"), answered["prompt_tokens"].get<double>());
  EXPECT_EQ(last("run", "endpoint/completion_tokens"), answered["completion_tokens"].get<double>());
  EXPECT_NEAR(last("run", "endpoint/cost"),
              1e-6 * answered["prompt_tokens"].get<double>() +
                  2e-6 * answered["completion_tokens"].get<double>(),
              1e-12);
  EXPECT_THAT(output_.str(), HasSubstr(fmt::format("{} accepted", admitted.size())));

  // The pool is a suite.
  const auto suite = shared_engine().load_suite((folder_ / "run").string());
  ASSERT_TRUE(suite) << suite.error().message;
  ASSERT_EQ(suite->environments.size(), admitted.size());
  const Suite copy = *suite;
  const auto problem = copy.environments.front()->generate(1, 5);
  ASSERT_TRUE(problem);
  EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
}

TEST_F(GrowTest, GoesOnAsIfItHadNeverStopped) {
  ASSERT_TRUE(run("straight", 3));
  ASSERT_TRUE(run("parts", 1));
  // A round that was killed before it was stored left a folder behind.
  const std::set<std::string> before = pool("parts");
  ASSERT_FALSE(before.empty());
  const fs::path lost = folder_ / "parts" / "pool" / "lost-000000";
  auto record = synth::read_environment_folder(folder_ / "parts" / "pool" / *before.begin());
  ASSERT_TRUE(record);
  record->provenance["step"] = 2;
  ASSERT_TRUE(synth::write_environment_folder(lost, *record));
  ASSERT_TRUE(run("parts", 3, true));
  EXPECT_FALSE(fs::exists(lost));

  const auto straight = candidates("straight");
  const auto parts = candidates("parts");
  ASSERT_EQ(straight.size(), parts.size());
  for (std::size_t i = 0; i < straight.size(); ++i) {
    EXPECT_EQ(straight[i].step, parts[i].step);
    EXPECT_EQ(straight[i].item.name, parts[i].item.name);
    EXPECT_EQ(straight[i].item.fate, parts[i].item.fate) << parts[i].item.name;
    for (const char* key : {"source", "similarity", "reward", "nearest", "calibration"}) {
      EXPECT_EQ(straight[i].item.data.value(key, Json()), parts[i].item.data.value(key, Json()))
          << parts[i].item.name << " " << key;
    }
  }
  EXPECT_EQ(pool("straight"), pool("parts"));
  for (const char* metric : {"similarity_average", "novelty_weight", "pool/all", "pool/clusters",
                             "pool/accepted", "endpoint/requests", "endpoint/prompt_tokens"}) {
    EXPECT_EQ(last("straight", metric), last("parts", metric)) << metric;
  }
}

// Nobody pays for what cannot be admitted: a second round writes what the first admitted.
TEST_F(GrowTest, CallsCopiesCopiesAndAsksNobodyAboutThem) {
  ASSERT_TRUE(run("run", 3));
  int copies = 0;
  for (const run::ItemPoint& point : candidates("run")) {
    const Json& data = point.item.data;
    if (point.item.fate == "copy") {
      ++copies;
      EXPECT_EQ(data["calibration"]["instances"], 0);
      EXPECT_THAT(data["reason"].get<std::string>(), HasSubstr("a copy of"));
    }
    if (point.item.fate != "admitted" && point.item.fate != "rejected") {
      EXPECT_FALSE(data.contains("review")) << point.item.fate;
    }
  }
  EXPECT_GT(copies, 0);
}

TEST_F(GrowTest, KeepsTheAnswersOfCalibration) {
  ASSERT_TRUE(run("run", 1));
  auto store = run::EventStore::open_to_read(folder_ / "run" / "run.db");
  const auto rollouts = store->rollouts(1).value();
  std::map<std::string, int> asked;
  std::map<std::string, int> solved;
  for (const run::RolloutRecord& rollout : rollouts) {
    ++asked[rollout.environment];
    solved[rollout.environment] += rollout.solved;
    EXPECT_FALSE(rollout.prompt.empty());
    EXPECT_THAT(rollout.response, HasSubstr("Let me see."));
  }
  int measured = 0;
  for (const run::ItemPoint& point : candidates("run")) {
    const Json calibration = point.item.data.value("calibration", Json::object());
    if (calibration.value("instances", 0) == 0) continue;
    ++measured;
    EXPECT_EQ(asked[point.item.name], calibration["instances"]);
    EXPECT_EQ(solved[point.item.name], calibration["solved"]);
  }
  EXPECT_GT(measured, 0);
}

TEST_F(GrowTest, SaysThatAnswersAndCandidatesWereCutShort) {
  settings_.table<evoenv::EvoEnvSettings>().candidates = kCandidates;
  settings_.sampling.max_new_tokens = 8;
  ASSERT_TRUE(run("solver", 1));
  std::map<std::string, int> fates;
  for (const run::ItemPoint& point : candidates("solver")) {
    ++fates[point.item.fate];
    if (point.item.fate == "cut_short") {
      EXPECT_THAT(point.item.data["reason"].get<std::string>(),
                  HasSubstr("sampling.max_new_tokens"));
    }
  }
  EXPECT_GT(fates["cut_short"], 0);
  EXPECT_EQ(fates["too_hard"], 0);
  EXPECT_EQ(fates["admitted"], 0);
  settings_.table<evoenv::EvoEnvSettings>().generator_tokens = 8;
  ASSERT_TRUE(run("generator", 1));
  for (const run::ItemPoint& point : candidates("generator")) {
    EXPECT_EQ(point.item.fate, "cut_short");
    EXPECT_THAT(point.item.data["reason"].get<std::string>(), HasSubstr("evoenv.generator_tokens"));
  }
  EXPECT_EQ(last("generator", "usage/generator/cut"),
            static_cast<double>(candidates("generator").size()));
}

// The review of this server rejects the houses; without it two second authors do.
TEST_F(GrowTest, SecondAuthorsRefuteWhatTheWordsDoNotSay) {
  evoenv::EvoEnvSettings& evoenv = settings_.table<evoenv::EvoEnvSettings>();
  evoenv.candidates = kCandidates;
  evoenv.review = false;
  evoenv.second_author = evoenv::kOwnSecondAuthor;
  evoenv.second.programs = 8;
  evoenv.second.instances = 12;
  ASSERT_TRUE(run("run", 1));
  std::map<std::string, std::string> fates;
  for (const run::ItemPoint& point : candidates("run")) {
    const Json& data = point.item.data;
    if (point.item.fate == "duplicate") continue;
    fates[data["validation"]["class_name"].get<std::string>()] = point.item.fate;
    if (point.item.fate != "refuted") continue;
    EXPECT_THAT(data["reason"].get<std::string>(), HasSubstr("against its reference"));
    EXPECT_GE(data["second_authors"]["against"], 2);
  }
  EXPECT_EQ(fates["Houses"], "refuted");
  EXPECT_EQ(fates["Dice"], "admitted");
  EXPECT_GT(last("run", "usage/second_author/responses"), 0);
}

// Another policy may be asked, and is found before anything is spent.
TEST_F(GrowTest, ASecondAuthorMayBeAnother) {
  evoenv::EvoEnvSettings& evoenv = settings_.table<evoenv::EvoEnvSettings>();
  evoenv.second_author = "openai:nonsense";
  const Status status = run("run", 1);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("evoenv.second_author"));
  const evoenv::EnvironmentServer other;
  evoenv.second_author = "openai:" + other.url();
  evoenv.second_author_model = "other";
  ASSERT_TRUE(run("run", 1));
  EXPECT_EQ(stats()["second_authors"], 0);
  EXPECT_GT(last("run", "usage/second_author/responses"), 0);
}

// What came before Ctrl-C is neither asked for nor paid for again.
TEST_F(GrowTest, GoesOnWithinARoundThatWasStopped) {
  ASSERT_TRUE(run("straight", 1));
  const auto once = stats()["answered"].get<int>();
  settings_.endpoint.concurrency = 1;
  std::thread stopper([&] {
    const fs::path file = folder_ / "parts" / "responses.jsonl";
    std::error_code ignored;
    for (int i = 0; i < 6000 && fs::file_size(file, ignored) + 1 < 8000; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop_ = true;
  });
  const Status stopped = run("parts", 1);
  stopper.join();
  ASSERT_TRUE(stopped) << stopped.error().message;
  if (candidates("parts").empty()) {
    EXPECT_THAT(output_.str(), HasSubstr("stopped in round 1, of which"));
    EXPECT_TRUE(pool("parts").empty());
  }
  stop_ = false;
  ASSERT_TRUE(run("parts", 1, true));
  EXPECT_FALSE(fs::exists(folder_ / "parts" / "responses.jsonl"));
  const auto straight = candidates("straight");
  const auto parts = candidates("parts");
  ASSERT_EQ(straight.size(), parts.size());
  for (std::size_t i = 0; i < straight.size(); ++i) {
    EXPECT_EQ(straight[i].item.fate, parts[i].item.fate);
    EXPECT_EQ(straight[i].item.data["source"], parts[i].item.data["source"]);
  }
  // One request may have been under way.
  EXPECT_LE(stats()["answered"].get<int>(), 2 * once + 1);
  EXPECT_EQ(last("parts", "usage/generator/responses"),
            last("straight", "usage/generator/responses"));
}

TEST_F(GrowTest, KeepsToABudgetOfTokensOfAnyPolicy) {
  settings_.table<evoenv::EvoEnvSettings>().most_tokens = 5000;
  ASSERT_TRUE(run("run", 9));
  EXPECT_THAT(output_.str(), HasSubstr("the budget is spent"));
  EXPECT_THAT(output_.str(), HasSubstr("of 5000 tokens"));
}

TEST_F(GrowTest, TellsOfEachCandidateAndOfTheCostByRole) {
  settings_.table<evoenv::EvoEnvSettings>().topic = "parrots";
  ASSERT_TRUE(run("run", 1));
  for (const run::ItemPoint& point : candidates("run")) {
    EXPECT_THAT(output_.str(), HasSubstr("  " + point.item.name)) << point.item.fate;
    EXPECT_THAT(output_.str(), HasSubstr(point.item.fate));
  }
  for (const char* part : {"generator 8 responses", "solver ", "reviewer ", "cost "})
    EXPECT_THAT(output_.str(), HasSubstr(part));
  EXPECT_GE(stats()["topics"], 8);  // some are asked again
  settings_.table<evoenv::EvoEnvSettings>().prompts = "evoenv/prompts-terse";
  const Status status = run("terse", 1);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("topic"));
}

TEST_F(GrowTest, EndsWithItsBudgetAndGoesOnWithMore) {
  settings_.endpoint.max_tokens = 5000;
  const Status status = run("run", 5);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_THAT(output_.str(), HasSubstr("the budget is spent"));
  const double used =
      last("run", "endpoint/prompt_tokens") + last("run", "endpoint/completion_tokens");
  EXPECT_GE(used, 5000);
  auto store = run::EventStore::open_to_read(folder_ / "run" / "run.db");
  const auto done = store->last_step();
  ASSERT_TRUE(done);
  ASSERT_LT(*done, 5);

  output_.str("");
  ASSERT_TRUE(run("run", 5, true));
  EXPECT_THAT(output_.str(), HasSubstr("the budget is spent"));
  EXPECT_EQ(store->last_step(), *done);

  settings_.endpoint.max_tokens = 0;
  ASSERT_TRUE(run("run", *done + 1, true));
  EXPECT_EQ(store->last_step(), *done + 1);
  EXPECT_GT(last("run", "endpoint/prompt_tokens") + last("run", "endpoint/completion_tokens"),
            used);
}

TEST_F(GrowTest, EndsWhenEnoughAreAcceptedOrWhenItIsTold) {
  const GrowRequest request{
      .settings = settings_, .toml = "", .run = folder_ / "few", .accepted = 1, .rounds = 9};
  const Status status = grow(shared_engine(), request, progress_, stop_);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_GE(pool("few").size(), 1u);
  EXPECT_THAT(output_.str(), HasSubstr("enough accepted"));

  stop_ = true;
  ASSERT_TRUE(run("told", 5));
  EXPECT_THAT(output_.str(), HasSubstr("stopped, saved"));
  EXPECT_TRUE(candidates("told").empty());
}

TEST_F(GrowTest, SaysWhyNothingComes) {
  settings_.policy.path = "openai:http://127.0.0.1:9/v1";
  settings_.endpoint.attempts = 1;
  const Status status = run("run", 1);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("none of 8 responses"));
  settings_.policy.path = "openai:nonsense";
  EXPECT_FALSE(run("other", 1));
}

}  // namespace
}  // namespace redqueen
