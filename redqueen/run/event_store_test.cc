#include "redqueen/run/event_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <limits>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/valid_utf8.h"

namespace redqueen::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

StepRecord step_record(std::int64_t step) {
  StepRecord record{.step = step, .time = 1e9 + static_cast<double>(step), .seconds = 0.5};
  record.metrics = {{"reward", static_cast<double>(step) / 10}, {"solved", 0.25}};
  record.curriculum = {{"Sorting", 0, static_cast<int>(step / 2), 12, 7}, {"Bridge", 0, 1, 3, 0}};
  for (int i = 0; i < 2; ++i) {
    record.rollouts.push_back({.group = i,
                               .environment = "Sorting",
                               .level = 3,
                               .problem_address = "Sorting@1/3/42",
                               .prompt = "sort",
                               .response = "r" + std::to_string(step),
                               .reward = -0.5,
                               .solved = false,
                               .well_formed = true,
                               .tokens = 17});
  }
  return record;
}

EvaluationRecord evaluation(std::string policy, std::int64_t step, std::string environment,
                            int level, int solved) {
  return {.policy = std::move(policy),
          .step = step,
          .suite = "held-out",
          .environment = std::move(environment),
          .level = level,
          .problems = 50,
          .solved = solved,
          .mean_reward = 0.125};
}

TEST(EventStore, GivesBackWhatItWasGiven) {
  const TestFolder folder;
  EventStore store = EventStore::open(folder / "run.db").value();
  for (const std::int64_t step : {1, 2, 3}) ASSERT_TRUE(store.append(step_record(step)));
  EventStore reader = EventStore::open_to_read(folder / "run.db").value();
  EXPECT_EQ(reader.last_step().value(), 3);
  EXPECT_EQ(reader.total_seconds().value(), 1.5);
  EXPECT_THAT(reader.metric_names().value(), ElementsAre("reward", "solved"));
  EXPECT_THAT(reader.metric("reward").value(),
              ElementsAre(MetricPoint{1, 0.1}, MetricPoint{2, 0.2}, MetricPoint{3, 0.3}));
  const auto curriculum = reader.curriculum().value();
  ASSERT_THAT(curriculum, SizeIs(6));
  EXPECT_EQ(curriculum[0], (CurriculumPoint{1, {"Bridge", 0, 1, 3, 0}}));
  EXPECT_EQ(curriculum[4], (CurriculumPoint{2, {"Sorting", 0, 1, 12, 7}}));
  EXPECT_THAT(reader.rollout_steps().value(), ElementsAre(1, 2, 3));
  EXPECT_EQ(reader.rollouts(2).value(), step_record(2).rollouts);
  EXPECT_THAT(reader.rollouts(4).value(), IsEmpty());
}

TEST(EventStore, KeepsTurnsAndCharts) {
  const TestFolder folder;
  EventStore store = EventStore::open(folder / "run.db").value();
  EXPECT_EQ(store.charts().value(), charts_of_run()) << "nobody has described the run";
  StepRecord record = step_record(1);
  record.rollouts[1].turns = {{{"role", "assistant"}, {"text", "\xff"}, {"tokens", 3}}};
  ASSERT_TRUE(store.append(record));
  EXPECT_EQ(store.rollouts(1).value()[0].turns, Json());
  EXPECT_EQ(store.rollouts(1).value()[1].turns[0]["tokens"], 3);
  const std::vector<ChartRecord> charts = {
      {.id = "b", .section = "S", .title = "T", .unit = "share", .series = {{"m/x", "x"}}},
      {.id = "a", .note = "n", .kind = "fates", .items = "task", .overview = true}};
  for (int resumed = 0; resumed < 2; ++resumed) ASSERT_TRUE(store.describe(charts));
  EXPECT_EQ(EventStore::open_to_read(folder / "run.db").value().charts().value(), charts);
}

// A run of the program before charts and turns: read as it is, and gone on with.
TEST(EventStore, OpensRunsOfVersion2) {
  const TestFolder folder;
  {
    EventStore store = EventStore::open(folder / "run.db").value();
    ASSERT_TRUE(store.append(step_record(1)));
    Database old = Database::open(folder / "run.db", Database::Mode::kReadWrite).value();
    ASSERT_TRUE(
        old.execute("DROP TABLE charts; ALTER TABLE rollouts DROP COLUMN turns;"
                    "ALTER TABLE evaluations DROP COLUMN samples;"
                    "ALTER TABLE evaluations DROP COLUMN passed;"
                    "ALTER TABLE evaluations DROP COLUMN solved_squares;"
                    "ALTER TABLE evaluations DROP COLUMN cut;"
                    "ALTER TABLE evaluations DROP COLUMN by_solved;"
                    "PRAGMA user_version = 2"));
  }
  {
    EventStore reader = EventStore::open_to_read(folder / "run.db").value();
    EXPECT_EQ(reader.rollouts(1).value(), step_record(1).rollouts);
    EXPECT_EQ(reader.charts().value(), charts_of_run());
  }
  EventStore store = EventStore::open(folder / "run.db").value();
  ASSERT_TRUE(store.append(step_record(2)));
  ASSERT_TRUE(store.describe({{.id = "own"}}));
  EXPECT_EQ(store.rollouts(1).value(), step_record(1).rollouts);
  EXPECT_EQ(store.rollouts(2).value(), step_record(2).rollouts);
  EXPECT_EQ(store.charts().value().size(), 1u);
}

// A run of the program before evaluations had several responses to a problem.
TEST(EventStore, OpensRunsOfVersion3) {
  const TestFolder folder;
  EvaluationRecord before{.policy = "before", .suite = "s", .problems = 5, .solved = 2};
  const EvaluationRecord after{.policy = "after",
                               .suite = "s",
                               .problems = 20,
                               .solved = 8,
                               .samples = 4,
                               .passed = 3,
                               .solved_squares = 22,
                               .cut = 7};
  {
    EventStore store = EventStore::open(folder / "run.db").value();
    ASSERT_TRUE(store.append(std::vector{before}));
    Database old = Database::open(folder / "run.db", Database::Mode::kReadWrite).value();
    ASSERT_TRUE(
        old.execute("ALTER TABLE evaluations DROP COLUMN samples;"
                    "ALTER TABLE evaluations DROP COLUMN passed;"
                    "ALTER TABLE evaluations DROP COLUMN solved_squares;"
                    "ALTER TABLE evaluations DROP COLUMN cut;"
                    "ALTER TABLE evaluations DROP COLUMN by_solved;"
                    "PRAGMA user_version = 3"));
  }
  before.cut = -1;  // nobody counted
  EXPECT_EQ(EventStore::open_to_read(folder / "run.db").value().evaluations().value(),
            std::vector{before});
  EventStore store = EventStore::open(folder / "run.db").value();
  ASSERT_TRUE(store.append(std::vector{after}));
  EXPECT_EQ(store.evaluations().value(), (std::vector{before, after}));
}

// A run of the program before evaluations counted the responses that were cut.
TEST(EventStore, OpensRunsOfVersion4) {
  const TestFolder folder;
  EvaluationRecord before{.policy = "before", .suite = "s", .problems = 5, .solved = 2, .cut = 4};
  {
    EventStore store = EventStore::open(folder / "run.db").value();
    ASSERT_TRUE(store.append(std::vector{before}));
    Database old = Database::open(folder / "run.db", Database::Mode::kReadWrite).value();
    ASSERT_TRUE(
        old.execute("ALTER TABLE evaluations DROP COLUMN cut;"
                    "ALTER TABLE evaluations DROP COLUMN by_solved; PRAGMA user_version = 4"));
  }
  before.cut = -1;
  EXPECT_EQ(EventStore::open_to_read(folder / "run.db").value().evaluations().value(),
            std::vector{before});
  EventStore store = EventStore::open(folder / "run.db").value();
  const EvaluationRecord after{.policy = "after", .suite = "s", .problems = 5, .cut = 3};
  ASSERT_TRUE(store.append(std::vector{after}));
  EXPECT_EQ(store.evaluations().value(), (std::vector{before, after}));
}

TEST(EventStore, KeepsItemsByKindNameAndFate) {
  const TestFolder folder;
  EventStore store = EventStore::open(folder / "run.db").value();
  const auto item = [](std::string name, std::string fate) {
    return ItemRecord{.kind = "task",
                      .name = std::move(name),
                      .fate = std::move(fate),
                      .data = {{"program", "def f(x):\n    return x \xff"}}};
  };
  ASSERT_TRUE(store.append(0, {item("a", "valid"), item("b", "timeout")}));
  ASSERT_TRUE(store.append(0, {item("c", "valid")}));
  StepRecord step = step_record(1);
  step.items = {item("d", "valid"), {.kind = "other", .name = "a", .data = Json::object()}};
  ASSERT_TRUE(store.append(step));
  ASSERT_TRUE(store.append(step)) << "a step that is there already is replaced";

  const auto tasks = store.items("task").value();
  ASSERT_THAT(tasks, SizeIs(4));
  EXPECT_EQ(tasks[2].item.name, "c");
  EXPECT_EQ(tasks[3].step, 1);
  EXPECT_THAT(tasks[3].item.data["program"].get<std::string>(), HasSubstr("return x"));
  EXPECT_THAT(store.items("task", "b").value(), SizeIs(1));
  EXPECT_THAT(
      store.item_counts("task").value(),
      ElementsAre(ItemCount{0, "timeout", 1}, ItemCount{0, "valid", 2}, ItemCount{1, "valid", 1}));
  ASSERT_TRUE(store.trim_after(0));
  EXPECT_THAT(store.items("task").value(), SizeIs(3));
  EXPECT_THAT(store.items("other").value(), IsEmpty());
}

TEST(EventStore, EmptyStoresAreReadable) {
  const TestFolder folder;
  EventStore store = EventStore::open(folder / "run.db").value();
  EXPECT_EQ(store.last_step().value(), 0);
  EXPECT_EQ(store.total_seconds().value(), 0);
  EXPECT_THAT(store.metric("reward").value(), IsEmpty());
  EXPECT_THAT(store.rollout_steps().value(), IsEmpty());
  EXPECT_THAT(store.evaluations().value(), IsEmpty());
}

TEST(EventStore, NumbersThatAreNoneSurvive) {
  const TestFolder folder;
  EventStore store = EventStore::open(folder / "run.db").value();
  StepRecord record{.step = 1};
  record.metrics = {{"nan", std::numeric_limits<double>::quiet_NaN()},
                    {"inf", std::numeric_limits<double>::infinity()}};
  ASSERT_TRUE(store.append(record));
  EXPECT_TRUE(std::isnan(store.metric("nan").value()[0].value));
  EXPECT_EQ(store.metric("inf").value()[0].value, std::numeric_limits<double>::infinity());
}

// Python's sqlite3, for one, reads no text that is not UTF-8.
TEST(EventStore, TextsMayHoldAnyBytesAndAreKeptAsUtf8) {
  const TestFolder folder;
  EventStore store = EventStore::open(folder / "run.db").value();
  StepRecord record{.step = 1};
  for (std::uint64_t i = 0; i < 200; ++i) {
    Rng rng({.seed = 4, .index = i});
    std::string bytes;
    for (std::int64_t left = rng.integer(0, 80); left > 0; --left)
      bytes += static_cast<char>(rng.below(256));
    record.rollouts.push_back(
        {.prompt = std::string(1, '\0') + bytes, .response = bytes + "'; DROP TABLE steps; --"});
  }
  ASSERT_TRUE(store.append(record));
  for (RolloutRecord& rollout : record.rollouts) {
    rollout.prompt = valid_utf8(rollout.prompt);
    rollout.response = valid_utf8(rollout.response);
  }
  EXPECT_EQ(store.rollouts(1).value(), record.rollouts);
}

TEST(EventStore, ReplacesAStepAndAnEvaluationDoneAgain) {
  const TestFolder folder;
  EventStore store = EventStore::open(folder / "run.db").value();
  ASSERT_TRUE(store.append(step_record(1)));
  StepRecord again = step_record(1);
  again.metrics = {{"reward", 9.0}};
  ASSERT_TRUE(store.append(again));
  EXPECT_THAT(store.metric_names().value(), ElementsAre("reward"));
  EXPECT_THAT(store.rollouts(1).value(), SizeIs(2));

  ASSERT_TRUE(store.append({evaluation("before", 0, "Sorting", 0, 5)}));
  ASSERT_TRUE(store.append(
      {evaluation("after", 9, "Sorting", 0, 40), evaluation("after", 9, "Bridge", 1, 2)}));
  ASSERT_TRUE(store.append({evaluation("after", 9, "Sorting", 0, 41)}));
  EXPECT_THAT(store.evaluations().value(), ElementsAre(evaluation("before", 0, "Sorting", 0, 5),
                                                       evaluation("after", 9, "Bridge", 1, 2),
                                                       evaluation("after", 9, "Sorting", 0, 41)));
}

// The levels that were asked at the end of a run may be others than those at the end of its
// continuation: rows of two policies would add up to one share.
TEST(EventStore, ALabelMeansThePolicyOfOneStep) {
  const TestFolder folder;
  EventStore store = EventStore::open(folder / "run.db").value();
  EvaluationRecord other_suite = evaluation("after", 5, "Sorting", 0, 3);
  other_suite.suite = "c4";
  ASSERT_TRUE(store.append({evaluation("before", 0, "Sorting", 0, 5)}));
  ASSERT_TRUE(store.append({other_suite}));
  ASSERT_TRUE(store.append(
      {evaluation("after", 5, "Sorting", 0, 40), evaluation("after", 5, "Sorting", 1, 20)}));
  ASSERT_TRUE(store.append({evaluation("after", 9, "Sorting", 0, 41)}));
  EXPECT_THAT(store.evaluations().value(),
              ElementsAre(evaluation("before", 0, "Sorting", 0, 5), other_suite,
                          evaluation("after", 9, "Sorting", 0, 41)));
}

TEST(EventStore, TrimForgetsWhatCameAfterTheCheckpoint) {
  const TestFolder folder;
  EventStore store = EventStore::open(folder / "run.db").value();
  for (std::int64_t step = 1; step <= 5; ++step) ASSERT_TRUE(store.append(step_record(step)));
  ASSERT_TRUE(store.append(
      {evaluation("before", 0, "Sorting", 0, 5), evaluation("after", 5, "Sorting", 0, 6)}));
  ASSERT_TRUE(store.trim_after(3));
  EXPECT_EQ(store.last_step().value(), 3);
  EXPECT_THAT(store.metric("reward").value(), SizeIs(3));
  EXPECT_THAT(store.curriculum().value(), SizeIs(6));
  EXPECT_THAT(store.rollout_steps().value(), ElementsAre(1, 2, 3));
  EXPECT_THAT(store.evaluations().value(), ElementsAre(evaluation("before", 0, "Sorting", 0, 5)));
}

TEST(EventStore, AProcessThatDiesWithinATransactionLeavesNothingOfIt) {
  const TestFolder folder;
  {
    EventStore store = EventStore::open(folder / "run.db").value();
    ASSERT_TRUE(store.append(step_record(1)));
  }
  const pid_t child = fork();
  if (child == 0) {
    Database database = Database::open(folder / "run.db", Database::Mode::kReadWrite).value();
    // So little memory for pages that they are written to the disk before the commit.
    (void)database.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1");
    (void)database.transaction([&]() -> Status {
      auto insert = database.prepare("INSERT INTO metrics VALUES (2, ?, 0)").value();
      for (int i = 0; i < 20'000; ++i) (void)insert.bind("metric" + std::to_string(i)).run();
      _exit(9);
    });
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 9);
  EventStore store = EventStore::open(folder / "run.db").value();
  EXPECT_THAT(store.metric_names().value(), ElementsAre("reward", "solved"));
  EXPECT_TRUE(store.append(step_record(2)));
}

TEST(EventStore, AKilledWriterLeavesWholeSteps) {
  const TestFolder folder;
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      EventStore store = EventStore::open(folder / "run.db").value();
      for (std::int64_t step = store.last_step().value() + 1;; ++step)
        (void)store.append(step_record(step));
    }
    usleep(30'000 + round * 7'000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EventStore store = EventStore::open(folder / "run.db").value();
    const auto last = static_cast<std::size_t>(store.last_step().value());
    EXPECT_THAT(store.metric("reward").value(), SizeIs(last));
    EXPECT_THAT(store.metric("solved").value(), SizeIs(last));
    EXPECT_THAT(store.curriculum().value(), SizeIs(2 * last));
    EXPECT_THAT(store.rollout_steps().value(), SizeIs(last));
    if (last > 0) {
      EXPECT_THAT(store.rollouts(store.last_step().value()).value(), SizeIs(2));
    }
  }
}

TEST(EventStore, NamesFilesThatAreNoStore) {
  const TestFolder folder;
  EXPECT_THAT(EventStore::open_to_read(folder / "none.db").error().message, HasSubstr("none.db"));
  write_file(folder / "text.db", std::string(5000, 'x'));
  EXPECT_THAT(EventStore::open(folder / "text.db").error().message, HasSubstr("text.db"));
  EXPECT_THAT(EventStore::open_to_read(folder / "text.db").error().message, HasSubstr("text.db"));
  Database newer = Database::open(folder / "newer.db", Database::Mode::kReadWrite).value();
  ASSERT_TRUE(newer.execute("PRAGMA user_version = 99"));
  EXPECT_THAT(EventStore::open(folder / "newer.db").error().message, HasSubstr("99"));
}

}  // namespace
}  // namespace redqueen::run
