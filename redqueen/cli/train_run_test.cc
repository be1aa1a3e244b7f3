// Training runs of the binary that go wrong, or are made by several processes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "redqueen/base/json.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/run_directory.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::NanSensitiveDoubleNear;
using testing::Not;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// A policy and steps that take a fraction of a second. Rewards of random weights are all the same:
// the bonus for entropy makes the gradients.
const char* const kSmall =
    " --quiet --set curriculum.suite=Sorting --set policy.prompt_format=terse"
    " --set model.hidden_size=16 --set model.intermediate_size=32 --set model.layers=1"
    " --set model.heads=2 --set model.key_value_heads=1 --set model.head_dim=8"
    " --set model.vocabulary=300 --set batch.prompts=2 --set batch.sampled_prompts=2"
    " --set batch.rollouts=4 --set batch.dynamic_sampling=false --set sampling.max_new_tokens=8"
    " --set run.threads=1 --set train.learning_rate=1e-3 --set evaluation.before=false"
    " --set evaluation.after=false --set train.entropy_coefficient=0.01 ";

class TrainRun : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "redqueen_train_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // The exit code; what was said is in said().
  int run(const std::string& words) const {
    const std::string command =
        fmt::format("{} {} >{} 2>&1", redqueen_binary(), words, path("said"));
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said() const { return bytes_of(folder_ / "said"); }

  void make_policy() const {
    ASSERT_EQ(run("policy init" + std::string(kSmall) + "--out " + path("policy")), 0) << said();
  }
  std::string train(const std::string& name, const std::string& more) const {
    return "train" + std::string(kSmall) + "--policy " + path("policy") + " --run " + path(name) +
           " " + more;
  }

  // Starts the binary and does not wait.
  pid_t start(const std::string& words) const {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("TMPDIR", folder_.c_str(), 1);  // for what a killed process leaves
      const std::string command =
          fmt::format("exec {} {} >{} 2>&1", redqueen_binary(), words, path("said"));
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    return child;
  }

  bool wait_for_steps(const std::string& name, std::int64_t steps) const {
    for (int i = 0; i < 6000; ++i) {
      auto store = run::EventStore::open_to_read(folder_ / name / "run.db");
      if (store && store->last_step().value_or(0) >= steps) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  fs::path folder_;
};

// Processes whose parent is `parent`.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = bytes_of(entry.path() / "stat");
    std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    char state = 0;
    pid_t of = 0;
    if (rest >> state >> of && of == parent) children.push_back(std::stoi(name));
  }
  return children;
}

bool soon(const std::function<bool()>& holds) {
  for (int i = 0; i < 1000 && !holds(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

TEST_F(TrainRun, AnExplodingGradientStopsItAndTheBatchIsKept) {
  make_policy();
  ASSERT_EQ(run(train("run", "--set run.steps=3 --set run.checkpoint_every=1")), 0) << said();
  const std::string go_on = "train --quiet --resume " + path("run") + " --set run.steps=5";
  EXPECT_EQ(run(go_on + " --set train.gradient_norm_limit=1e-12"), 1) << said();
  const fs::path batch = folder_ / "run" / "failed-batch-step-00000004.jsonl";
  EXPECT_THAT(said(), HasSubstr("above the limit"));
  EXPECT_THAT(said(), HasSubstr(batch.string()));
  EXPECT_THAT(said(), HasSubstr("Saved is step 3; go on with: redqueen train --resume"));
  std::ifstream in(batch);
  std::size_t groups = 0;
  for (std::string line; std::getline(in, line); ++groups) {
    const Json group = parse_json(line).value();
    ASSERT_EQ(group["rollouts"].size(), 4u);
    for (const Json& rollout : group["rollouts"])
      EXPECT_EQ(rollout["tokens"].size(), rollout["log_probs"].size());
  }
  EXPECT_EQ(groups, 2u);
  EXPECT_EQ(run(go_on), 1) << "what --set said at the last resume stays";
  EXPECT_EQ(run(go_on + " --set train.gradient_norm_limit=0"), 0) << said();
  ASSERT_EQ(run(train("whole", "--set run.steps=5")), 0) << said();
  EXPECT_EQ(bytes_of(folder_ / "run" / "policy" / "model.safetensors"),
            bytes_of(folder_ / "whole" / "policy" / "model.safetensors"))
      << "the failure left no trace";
}

TEST_F(TrainRun, AWarmStartThatExplodesKeepsItsBatchAndWritesNoPolicy) {
  make_policy();
  const std::string warm_start =
      "policy warmstart" + std::string(kSmall) + "--policy " + path("policy");
  EXPECT_EQ(run(warm_start + " --out " + path("warm") + " --set train.gradient_norm_limit=1e-12"),
            1)
      << said();
  const fs::path batch = folder_ / "warm" / "failed-batch-update-00000001.jsonl";
  EXPECT_THAT(said(), HasSubstr("above the limit"));
  EXPECT_THAT(said(), HasSubstr(batch.string()));
  std::ifstream in(batch);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_FALSE(parse_json(line).value()["targets"].empty());
  EXPECT_FALSE(fs::exists(folder_ / "warm" / "model.safetensors"));
}

TEST_F(TrainRun, NumbersThatAreNotFiniteStopIt) {
  make_policy();
  EXPECT_EQ(run(train("run", "--set run.steps=5 --set train.learning_rate=1e38")), 1) << said();
  EXPECT_THAT(said(), HasSubstr("not finite"));
  EXPECT_THAT(said(), HasSubstr("failed-batch-step-"));
  EXPECT_THAT(said(), HasSubstr("redqueen train --resume"));
}

TEST_F(TrainRun, GoesOnWhenPromptsOutgrowTheContext) {
  const std::string rising =
      "--set curriculum.difficulty=static --set curriculum.high=20 --set batch.prompts=8 "
      "--set run.steps=4";
  for (const char* context : {"60", "100"}) {
    const std::string policy = path(std::string("policy") + context);
    ASSERT_EQ(run("policy init" + std::string(kSmall) + "--set model.context=" + context +
                  " --out " + policy),
              0)
        << said();
    const int code = run("train" + std::string(kSmall) + "--policy " + policy + " --run " +
                         path(std::string("run") + context) + " " + rising);
    if (std::string(context) == "60") {  // too short for any problem
      EXPECT_EQ(code, 2);
      EXPECT_THAT(said(), HasSubstr("use a model with a longer context"));
    } else {
      EXPECT_EQ(code, 0) << said();
      EXPECT_THAT(said(), HasSubstr("policy100 can hold 100, prompt and response together"));
      EXPECT_THAT(said(), HasSubstr("they count as wrong"));
    }
  }
}

TEST_F(TrainRun, MeasuresWhatSamplerAndTrainerDisagreeBy) {
  make_policy();
  ASSERT_EQ(run(train("run", "--set run.steps=2")), 0) << said();
  auto store = run::EventStore::open_to_read(folder_ / "run" / "run.db").value();
  for (const char* name : {"sampler_mismatch_mean", "sampler_mismatch_max", "sampler_kl"}) {
    const auto points = store.metric(name).value();
    ASSERT_EQ(points.size(), 2u) << name;
    for (const run::MetricPoint& point : points) EXPECT_LT(std::abs(point.value), 1e-3) << name;
  }
  ASSERT_EQ(run("report " + path("run")), 0) << said();
  EXPECT_TRUE(fs::exists(folder_ / "run" / "report" / "mismatch.png"));
}

TEST_F(TrainRun, ExportsItsMetricsWhileItTrains) {
  make_policy();
  ASSERT_EQ(run(train("run", "--set run.steps=2 --log jsonl,csv")), 0) << said();
  const std::string lines = bytes_of(folder_ / "run" / "metrics.jsonl");
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2) << lines;
  EXPECT_NE(lines.find("\"reward\""), std::string::npos);
  EXPECT_EQ(std::ranges::count(bytes_of(folder_ / "run" / "metrics.csv"), '\n'), 3);
  EXPECT_EQ(run(train("other", "--log nowhere")), 2);
  EXPECT_FALSE(fs::exists(folder_ / "other" / "run.db"));
}

TEST_F(TrainRun, WhatCannotFitIsRefusedBeforeItIsRead) {
  fs::create_directories(folder_ / "huge");
  std::ofstream(folder_ / "huge" / "config.json")
      << R"({"model_type":"qwen3","vocab_size":152064,"hidden_size":65536,"intermediate_size":262144,)"
         R"("num_hidden_layers":200,"num_attention_heads":512,"num_key_value_heads":8,"head_dim":128,)"
         R"("max_position_embeddings":32768,"rms_norm_eps":1e-6,"rope_theta":1000000,)"
         R"("tie_word_embeddings":false})";
  for (const std::string& command :
       {"train --run " + path("run"), "policy warmstart --out " + path("out")}) {
    const std::string words = command + kSmall + "--policy " + path("huge");
    EXPECT_EQ(run(words), 1) << said();
    EXPECT_THAT(said(), HasSubstr("This needs about"));
    EXPECT_THAT(said(), HasSubstr("moments"));
    EXPECT_THAT(said(), HasSubstr("smaller model"));
    EXPECT_EQ(run(words + " --set run.check_memory=false"), 1);
    EXPECT_THAT(said(), Not(HasSubstr("This needs about")));
  }
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST_F(TrainRun, InspectionTellsWhatTrainingTakes) {
  make_policy();
  EXPECT_EQ(run("policy inspect " + path("policy")), 0);
  EXPECT_THAT(said(), HasSubstr("bfloat16: about"));
  EXPECT_THAT(said(), HasSubstr("float32 masters"));
  EXPECT_EQ(run("policy inspect --json " + path("policy")), 0);
  const Json told = parse_json(said()).value();
  EXPECT_GT(told["training_plan"]["float32"]["bytes"].get<std::int64_t>(), 0);
}

TEST_F(TrainRun, RefusesNumbersOfProcessesThatCannotBe) {
  for (const char* number : {"0", "-1", "65", "two", ""}) {
    EXPECT_EQ(run(fmt::format("train --nproc '{}'", number)), 2) << number;
    EXPECT_THAT(said(), HasSubstr("--nproc"));
  }
}

// A sum of two gradients knows no order: two processes make the same bits as one. What they
// evaluate is more than a rank hands over at once (rank_service.cc).
TEST_F(TrainRun, TwoProcessesTrainAsOneDoes) {
  make_policy();
  const std::string more =
      "--set run.steps=4 --set train.old_log_probs=recomputed --set train.micro_batch_tokens=150 "
      "--set evaluation.after=true --set evaluation.problems=350 --set evaluation.levels=[0,1] "
      "--set 'evaluation.suites=[\"Sorting\",\"Division\"]' --set evaluation.samples=2 "
      "--set evaluation.temperature=1 ";
  ASSERT_EQ(run(train("alone", more)), 0) << said();
  ASSERT_EQ(run(train("one", more + "--nproc 1")), 0) << said();
  ASSERT_EQ(run(train("two", more + "--nproc 2")), 0) << said();
  const std::string expected = bytes_of(folder_ / "alone" / "policy" / "model.safetensors");
  ASSERT_FALSE(expected.empty());
  EXPECT_NE(expected, bytes_of(folder_ / "policy" / "model.safetensors")) << "nothing was learnt";
  for (const char* name : {"one", "two"}) {
    EXPECT_EQ(bytes_of(folder_ / name / "policy" / "model.safetensors"), expected) << name;
    auto store = run::EventStore::open_to_read(folder_ / name / "run.db").value();
    auto alone = run::EventStore::open_to_read(folder_ / "alone" / "run.db").value();
    for (const char* metric : {"reward", "trained_tokens", "gradient_norm"})
      EXPECT_EQ(*store.metric(metric), *alone.metric(metric)) << name << " " << metric;
    const auto records = store.evaluations().value();
    EXPECT_EQ(records, alone.evaluations().value());
    std::int64_t responses = 0;
    for (const run::EvaluationRecord& record : records) responses += record.problems;
    EXPECT_EQ(responses, 2800);
  }
}

// Everything they measure but time is the same, up to rounding.
TEST_F(TrainRun, OtherRecipesTrainOnTwoProcessesAsOnOne) {
  ASSERT_EQ(
      run("policy init" + std::string(kSmall) + "--set model.context=8192 --out " + path("policy")),
      0)
      << said();
  for (const std::string& recipe :
       {std::string("azr --set azr.seed_rounds=1 --set train.advantage=trr++"),
        std::string("evoenv --set evoenv.generator_prompts=1 --set evoenv.candidates=2 "
                    "--set evoenv.review_audit=0")}) {
    const std::string name = recipe.substr(0, recipe.find(' '));
    const std::string more = "--set run.steps=2 --recipe " + recipe;
    for (const char* processes : {"1", "2"}) {
      ASSERT_EQ(run(train(name + processes, more + " --nproc " + processes)), 0) << said();
    }
    auto one = run::EventStore::open_to_read(folder_ / (name + "1") / "run.db").value();
    auto two = run::EventStore::open_to_read(folder_ / (name + "2") / "run.db").value();
    const std::vector<std::string> names = one.metric_names().value();
    ASSERT_EQ(names, two.metric_names().value());
    for (const std::string& metric : names) {
      if (metric.find("second") != std::string::npos) continue;
      const auto expected = *one.metric(metric), found = *two.metric(metric);
      ASSERT_EQ(expected.size(), found.size()) << name << " " << metric;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found[i].step, expected[i].step);
        EXPECT_THAT(found[i].value, NanSensitiveDoubleNear(expected[i].value, 1e-5))
            << name << " " << metric;
      }
    }
  }
}

TEST_F(TrainRun, GoesOnAfterAKilledProcess) {
  make_policy();
  const std::string endless = "--nproc 2 --set run.steps=100000 --set run.checkpoint_every=100000";
  const pid_t first = start(train("run", endless));
  ASSERT_TRUE(wait_for_steps("run", 2));
  const auto ranks = children_of(first);
  ASSERT_EQ(ranks.size(), 1u);
  ::kill(ranks[0], SIGKILL);
  int status = 0;
  ::waitpid(first, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  EXPECT_THAT(said(), HasSubstr("rank 1 of 2"));
  EXPECT_THAT(said(), HasSubstr("was killed by signal 9"));
  EXPECT_THAT(said(), HasSubstr("redqueen train --resume"));
  const auto saved = run::checkpoints_of(folder_ / "run");
  ASSERT_EQ(saved.size(), 1u) << "the last complete step";
  const std::string go_on = fmt::format("train --quiet --nproc 2 --resume {} --set run.steps={}",
                                        path("run"), saved[0].step + 2);
  EXPECT_EQ(run(go_on), 0) << said();
  EXPECT_EQ(run::checkpoints_of(folder_ / "run").back().step, saved[0].step + 2);
}

// The largest difference between the numbers of two files of float32 tensors; infinite if they do
// not have the same tensors.
double largest_difference(const fs::path& a, const fs::path& b) {
  const auto one = SafetensorsFile::open(a), other = SafetensorsFile::open(b);
  if (!one || !other || one->tensors().empty()) return INFINITY;
  double worst = 0;
  for (const auto& [name, tensor] : one->tensors()) {
    const auto found = other->tensors().find(name);
    if (found == other->tensors().end() || found->second.bytes.size() != tensor.bytes.size())
      return INFINITY;
    for (std::size_t at = 0; at < tensor.bytes.size(); at += sizeof(float)) {
      float x = 0, y = 0;
      std::memcpy(&x, tensor.bytes.data() + at, sizeof x);
      std::memcpy(&y, found->second.bytes.data() + at, sizeof y);
      worst = std::max(worst, std::abs(static_cast<double>(x) - y));
    }
  }
  return worst;
}

const char* const kComparable =
    "--set train.old_log_probs=recomputed --set train.micro_batch_tokens=150 ";

// What waits for its next part is in the checkpoint and knows nothing of processes.
TEST_F(TrainRun, ResponsesInPartsTrainTheSameOnTwoProcessesAndAfterResuming) {
  make_policy();
  const std::string more =
      std::string(kComparable) + "--set rlve.tokens_per_round=2 --set batch.max_rounds=20 ";
  ASSERT_EQ(run(train("one", more + "--set run.steps=6")), 0) << said();
  ASSERT_EQ(run(train("two", more + "--set run.steps=6 --nproc 2")), 0) << said();
  ASSERT_EQ(run(train("resumed", more + "--set run.steps=3 --nproc 2")), 0) << said();
  auto store = run::EventStore::open_to_read(folder_ / "resumed" / "run.db").value();
  EXPECT_GT(store.metric("unfinished_groups").value().back().value, 0) << "nothing waited";
  ASSERT_EQ(run("train --quiet --resume " + path("resumed") + " --set run.steps=6"), 0) << said();
  const fs::path weights = fs::path("policy") / "model.safetensors";
  EXPECT_GT(largest_difference(folder_ / weights, folder_ / "one" / weights), 1e-4)
      << "nothing was learnt";
  for (const char* name : {"two", "resumed"})
    EXPECT_LT(largest_difference(folder_ / name / weights, folder_ / "one" / weights), 1e-6)
        << name;
}

TEST_F(TrainRun, ProcessesThatShareTheStateTrainAsOneDoes) {
  make_policy();
  const std::string more = std::string(kComparable) + "--set run.steps=3 ";
  const fs::path file = fs::path("policy") / "model.safetensors";
  ASSERT_EQ(run(train("one", more)), 0) << said();
  EXPECT_GT(largest_difference(folder_ / "one" / file, folder_ / "policy" / "model.safetensors"),
            1e-4);
  for (const auto& [sharding, processes] :
       {std::pair("optimizer", 2), std::pair("gradients", 2), std::pair("gradients", 4)}) {
    const std::string name = fmt::format("{}-{}", sharding, processes);
    ASSERT_EQ(run(train(name, fmt::format("{} --nproc {} --set train.sharding={}", more, processes,
                                          sharding))),
              0)
        << said();
    EXPECT_LT(largest_difference(folder_ / "one" / file, folder_ / name / file), 1e-6) << name;
  }
  const std::string lora = more + "--set train.lora.rank=3 ";
  const fs::path adapters = fs::path("policy") / "adapter_model.safetensors";
  ASSERT_EQ(run(train("lora-one", lora)), 0) << said();
  ASSERT_EQ(run(train("lora-two", lora + "--nproc 2 --set train.sharding=gradients")), 0) << said();
  EXPECT_LT(largest_difference(folder_ / "lora-one" / adapters, folder_ / "lora-two" / adapters),
            1e-6);
}

// A slice of the optimizer's state dies with its process: the run goes on from its last checkpoint,
// which four processes wrote, with two, and then with one that shares nothing.
TEST_F(TrainRun, GoesOnAfterAKilledProcessThatHeldASlice) {
  make_policy();
  ASSERT_EQ(run(train("whole", std::string(kComparable) + "--set run.steps=4")), 0) << said();
  const std::string shared = std::string(kComparable) + "--set train.sharding=gradients --nproc 4 ";
  ASSERT_EQ(run(train("run", shared + "--set run.steps=2")), 0) << said();
  const auto go_on = [&](const std::string& more) {
    return fmt::format("train --quiet --resume {} {}", path("run"), more);
  };
  const pid_t first =
      start(go_on("--nproc 4 --set run.steps=100000 --set run.checkpoint_every=100000"));
  ASSERT_TRUE(wait_for_steps("run", 4));
  const auto ranks = children_of(first);
  ASSERT_EQ(ranks.size(), 3u);
  ::kill(ranks.back(), SIGKILL);
  int status = 0;
  ::waitpid(first, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  EXPECT_THAT(said(), HasSubstr(fmt::format("(process {}) was killed by signal 9", ranks.back())));
  EXPECT_THAT(said(), HasSubstr("What was learnt since the last checkpoint is lost"));
  EXPECT_THAT(said(), HasSubstr("Saved is step 2; go on with: redqueen train --resume"));

  EXPECT_EQ(run(go_on("--nproc 2 --set run.steps=3")), 0) << said();
  const fs::path trainer = run::checkpoints_of(folder_ / "run").back().folder / "trainer";
  EXPECT_TRUE(fs::exists(trainer / "trainer-00001-of-00002.safetensors"));
  EXPECT_EQ(run(go_on("--set run.steps=4 --set train.sharding=none")), 0) << said();
  const fs::path file = fs::path("policy") / "model.safetensors";
  EXPECT_LT(largest_difference(folder_ / "run" / file, folder_ / "whole" / file), 1e-5);
}

TEST_F(TrainRun, TrainsAdaptersThatOthersCanUse) {
  make_policy();
  const std::string lora =
      "--set train.lora.rank=4 --set train.kl_coefficient=0.01 --set run.checkpoint_every=1 ";
  const auto adapters_of = [&](const std::string& name) {
    return bytes_of(folder_ / name / "policy" / "adapter_model.safetensors");
  };
  ASSERT_EQ(run(train("run", lora + "--set run.steps=2")), 0) << said();
  EXPECT_FALSE(fs::exists(folder_ / "run" / "policy" / "model.safetensors"));
  const std::string two = adapters_of("run");
  ASSERT_FALSE(two.empty());
  ASSERT_EQ(run(train("whole", lora + "--set run.steps=3")), 0) << said();
  ASSERT_EQ(run("train --quiet --resume " + path("run") + " --set run.steps=3"), 0) << said();
  EXPECT_NE(adapters_of("run"), two);
  EXPECT_EQ(adapters_of("run"), adapters_of("whole")) << "a resumed run is one that went through";

  ASSERT_EQ(run("policy inspect " + path("run/policy")), 0) << said();
  EXPECT_THAT(said(), HasSubstr("rank 4"));
  EXPECT_THAT(said(), HasSubstr("by default: weights")) << "and the plan of training them";
  ASSERT_EQ(run("policy merge " + path("run/policy") + " --out " + path("merged")), 0) << said();
  for (const char* policy : {"run/policy", "merged"}) {
    EXPECT_EQ(run("policy sample --set policy.path=" + path(policy) + " --prompt 1"), 0) << said();
  }
  // Its adapters go on being trained, but are not exchanged for others.
  const std::string more = std::string("train") + kSmall + "--policy " + path("run/policy") +
                           " --set run.steps=1 --run ";
  EXPECT_EQ(run(more + path("more")), 0) << said();
  EXPECT_NE(adapters_of("more"), adapters_of("run"));
  EXPECT_EQ(run(more + path("other") + " --set train.lora.rank=2"), 2);
  EXPECT_THAT(said(), HasSubstr("holds adapters of rank 4"));
  EXPECT_EQ(run(train("other", "--set train.lora.rank=2 --set 'train.lora.targets=[\"x\"]'")), 2);
  EXPECT_THAT(said(), HasSubstr("q_proj"));
}

// Every process draws the same adapters, and they stay together.
TEST_F(TrainRun, TwoProcessesTrainTheAdaptersThatOneDoes) {
  make_policy();
  const std::string more =
      "--set train.lora.rank=4 --set run.steps=3 --set train.old_log_probs=recomputed "
      "--set train.micro_batch_tokens=150 ";
  ASSERT_EQ(run(train("one", more)), 0) << said();
  ASSERT_EQ(run(train("two", more + "--nproc 2")), 0) << said();
  const fs::path file = fs::path("policy") / "adapter_model.safetensors";
  ASSERT_FALSE(bytes_of(folder_ / "one" / file).empty());
  EXPECT_EQ(bytes_of(folder_ / "two" / file), bytes_of(folder_ / "one" / file));
}

// Its rollouts come from `redqueen serve` in another process.
class TrainElsewhere : public TrainRun {
 protected:
  void SetUp() override {
    TrainRun::SetUp();
    make_policy();
    start_engine();
  }
  void TearDown() override {
    stop_engine(SIGKILL);
    TrainRun::TearDown();
  }

  void start_engine() {
    fs::remove(path("url"));
    engine_ = start("serve --port 0 --take-weights " + folder_.string() + " --policy " +
                    path("policy") + " --announce " + path("url"));
    for (int i = 0; i < 6000 && !fs::exists(path("url")); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(fs::exists(path("url"))) << said();
    const std::string url = bytes_of(path("url"));
    elsewhere_ = "--set sampling.engine=openai:" + url.substr(0, url.size() - 1) +
                 "/v1 --set endpoint.attempts=2 ";
  }
  void stop_engine(int signal) {
    if (engine_ <= 0) return;
    ::kill(engine_, signal);
    ::waitpid(engine_, nullptr, 0);
    engine_ = 0;
  }

  pid_t engine_ = 0;
  std::string elsewhere_;
  const std::string weighed_ =
      "--set train.importance_cap=2 --set train.old_log_probs=recomputed "
      "--set train.learning_rate=1e-2 ";
};

// What the engine says of its tokens is what the trainer's own pass says, in every step: it has the
// weights of that step, which are far from those of the step before.
TEST_F(TrainElsewhere, TheEngineHasTheWeightsOfEveryStep) {
  for (const std::string& lora : {std::string(), std::string("--set train.lora.rank=4 ")}) {
    const std::string name = lora.empty() ? "run" : "lora";
    EXPECT_EQ(run(train(name, elsewhere_ + weighed_ + lora + "--set run.steps=3")), 0) << said();
    auto store = run::EventStore::open_to_read(folder_ / name / "run.db").value();
    const auto mismatch = store.metric("sampler_mismatch_max").value();
    const auto versions = store.metric("engine/weights_step").value();
    ASSERT_EQ(mismatch.size(), 3U);
    ASSERT_EQ(versions.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT(std::abs(mismatch[i].value), 1e-4);
      EXPECT_EQ(versions[i].value, static_cast<double>(i));
    }
    if (!lora.empty()) continue;  // its folder has adapters, the engine's a whole model
    const auto weights = [](const fs::path& folder) {
      return bytes_of(folder / "model.safetensors");
    };
    EXPECT_NE(weights(folder_ / name / "policy"), weights(folder_ / "policy"));
    EXPECT_NE(weights(folder_ / name / "engine"), weights(folder_ / "policy"));
  }
}

TEST_F(TrainElsewhere, ADeadEngineEndsTheRunAndAnotherGoesOn) {
  const pid_t running = start(
      train("run", elsewhere_ + weighed_ + "--set run.steps=100000 --set run.checkpoint_every=1"));
  ASSERT_TRUE(wait_for_steps("run", 2)) << said();
  stop_engine(SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(running, &status, 0), running);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1) << said();
  EXPECT_THAT(said(), HasSubstr("(2 attempts)"));
  EXPECT_THAT(said(), HasSubstr("go on with: redqueen train --resume"));
  const auto steps = [&] {
    return run::EventStore::open_to_read(folder_ / "run" / "run.db").value().last_step().value();
  };
  const std::int64_t done = steps();
  EXPECT_GE(done, 2);

  const std::string go_on =
      fmt::format("train --quiet --resume {} --set run.steps={} ", path("run"), done + 2);
  EXPECT_EQ(run(go_on), 1) << "nobody is there";
  EXPECT_THAT(said(), HasSubstr("update_weights_from_disk"));
  start_engine();
  EXPECT_EQ(run(go_on + elsewhere_), 0) << said();
  EXPECT_EQ(steps(), done + 2);
  auto store = run::EventStore::open_to_read(folder_ / "run" / "run.db").value();
  const auto versions = store.metric("engine/weights_step").value();
  ASSERT_EQ(versions.size(), static_cast<std::size_t>(done + 2));
  for (std::size_t i = 0; i < versions.size(); ++i)
    EXPECT_EQ(versions[i].value, static_cast<double>(i)) << "a new engine begins with old weights";
}

// The engine draws a step's responses while the step before is learnt, whatever ends the run
// meanwhile.
TEST_F(TrainElsewhere, SamplingAheadIsTheSameRunHoweverOftenItEnds) {
  const std::string ahead = elsewhere_ + weighed_ +
                            "--set sampling.ahead=true --set endpoint.concurrency=1 "
                            "--set run.checkpoint_every=2 --set train.micro_batch_tokens=150 ";
  const auto weights = [&](const std::string& name) {
    return bytes_of(folder_ / name / "policy" / "model.safetensors");
  };
  for (const int signal : {SIGINT, SIGKILL}) {
    const std::string name = fmt::format("signal-{}", signal);
    const pid_t running = start(train(name, ahead + "--set run.steps=100000"));
    ASSERT_TRUE(wait_for_steps(name, 3)) << said();
    ::kill(running, signal);
    int status = 0;
    ASSERT_EQ(::waitpid(running, &status, 0), running);
    EXPECT_TRUE(signal == SIGKILL ? WIFSIGNALED(status) : WEXITSTATUS(status) == 130) << said();
    const std::int64_t done =
        run::EventStore::open_to_read(folder_ / name / "run.db").value().last_step().value();
    const std::int64_t steps = done + 2;
    // Evaluations between the steps have the engine load newer weights, and change nothing.
    const std::string evaluated =
        "--set evaluation.every=1 --set evaluation.problems=2 --set evaluation.levels=[0] ";
    ASSERT_EQ(run(fmt::format("train --quiet --resume {} --set run.steps={} {}", path(name), steps,
                              evaluated)),
              0)
        << said();
    const std::string whole = fmt::format("whole-{}", steps);
    ASSERT_EQ(run(train(whole, ahead + fmt::format("--set run.steps={} --nproc {}", steps,
                                                   signal == SIGKILL ? 2 : 1))),
              0)
        << said();
    EXPECT_NE(weights(name), bytes_of(folder_ / "policy" / "model.safetensors"));
    EXPECT_EQ(weights(name), weights(whole));
    for (const std::string& of : {name, whole}) {
      auto store = run::EventStore::open_to_read(folder_ / of / "run.db").value();
      const auto versions = store.metric("engine/weights_step").value();
      const auto mismatch = store.metric("sampler_mismatch_max").value();
      ASSERT_EQ(versions.size(), static_cast<std::size_t>(steps));
      ASSERT_EQ(mismatch.size(), static_cast<std::size_t>(steps));
      EXPECT_EQ(store.metric("sampling_wait_seconds")->size(), static_cast<std::size_t>(steps));
      for (std::int64_t i = 0; i < steps; ++i) {
        EXPECT_EQ(versions[i].value, static_cast<double>(std::max<std::int64_t>(0, i - 1)));
        const bool is_other = std::abs(mismatch[i].value) > 1e-4;
        EXPECT_EQ(is_other, i > 0) << "the first step is drawn by the policy that learns from it";
      }
    }
  }
}

TEST_F(TrainElsewhere, RefusesWhatCannotBeRight) {
  EXPECT_EQ(run(train("run", elsewhere_)), 2);
  EXPECT_THAT(said(), HasSubstr("train.importance_cap"));
  EXPECT_EQ(run(train("run", weighed_ + "--set sampling.engine=http://127.0.0.1:9/v1")), 2);
  EXPECT_THAT(said(), HasSubstr("openai:URL"));
  EXPECT_EQ(run(train("run", weighed_ + "--set sampling.ahead=true")), 2);
  EXPECT_THAT(said(), HasSubstr("name an engine elsewhere in sampling.engine"));
  EXPECT_EQ(run(train("run", elsewhere_ + "--set sampling.ahead=true")), 2);
  EXPECT_THAT(said(), HasSubstr("train.importance_cap"));
  EXPECT_EQ(run(train("run", elsewhere_ + weighed_ + "--set sampling.reload=vllm")), 1);
  EXPECT_THAT(said(), HasSubstr("/collective_rpc: status 404"));
  EXPECT_EQ(run("serve --port 0 --take-weights " + path("policy")), 2);
  EXPECT_THAT(said(), HasSubstr("--policy DIR"));
  stop_engine(SIGTERM);
}

TEST_F(TrainRun, LeavesNoProcessBehind) {
  make_policy();
  const pid_t first = start(train("run", "--nproc 3 --set run.steps=100000"));
  ASSERT_TRUE(wait_for_steps("run", 1));
  const auto ranks = children_of(first);
  ASSERT_EQ(ranks.size(), 2u);
  ::kill(first, SIGKILL);
  ::waitpid(first, nullptr, 0);
  for (const pid_t rank : ranks) {
    EXPECT_TRUE(soon([&] { return !fs::exists(fmt::format("/proc/{}/exe", rank)); })) << rank;
  }
}

TEST_F(TrainRun, SavesWhenSeveralProcessesAreInterrupted) {
  make_policy();
  const pid_t first = start(train("run", "--nproc 2 --set run.steps=100000"));
  ASSERT_TRUE(wait_for_steps("run", 1));
  for (const pid_t rank : children_of(first)) ::kill(rank, SIGINT);  // as Ctrl-C does
  ::kill(first, SIGINT);
  int status = 0;
  ::waitpid(first, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130) << said();
  EXPECT_THAT(said(), HasSubstr("go on with: redqueen train --resume"));
}

}  // namespace
}  // namespace redqueen
