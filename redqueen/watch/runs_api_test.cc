#include "redqueen/watch/runs_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/run/report/statistics.h"
#include "redqueen/run/run_directory.h"
#include "redqueen/watch/testing/example_run.h"
#include "redqueen/watch/thinning.h"

namespace redqueen::watch {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Runs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder();
    make_example_run(*folder_ / "first", 20);
    make_example_run(*folder_ / "group/inner", 7, "0.002");
    fs::create_directory(*folder_ / "no run");
    fs::create_directory(*folder_ / "first/inside");
    write_file(*folder_ / "first/inside/run.db", "");
    fs::create_directory_symlink("..", *folder_ / "loop");
    write_file(*folder_ / "secret", "secret");
  }
  static void TearDownTestSuite() { delete folder_; }

  static Json ok(std::string_view view, const Parameters& parameters = {}) {
    const Answer answer = RunsApi(folder_->path()).answer(view, parameters);
    EXPECT_EQ(answer.status, 200) << dump_json(answer.body);
    return answer.body;
  }
  static Answer ask(std::string_view view, const Parameters& parameters = {}) {
    return RunsApi(folder_->path()).answer(view, parameters);
  }

  static TestFolder* folder_;
};
TestFolder* Runs::folder_ = nullptr;

TEST_F(Runs, ListsRunsBelowAFolder) {
  const Json list = ok("");
  ASSERT_EQ(list["runs"].size(), 2);
  EXPECT_EQ(list["runs"][0]["name"], "first");
  EXPECT_EQ(list["runs"][0]["recipe"], "evoenv");
  EXPECT_EQ(list["runs"][0]["state"], "finished");
  EXPECT_EQ(list["runs"][0]["reward"], 2);
  EXPECT_EQ(list["runs"][0]["seconds"], 40);
  EXPECT_EQ(list["runs"][1]["name"], "group/inner");
  EXPECT_EQ(list["runs"][1]["state"], "stopped");
  EXPECT_EQ(list["runs"][1]["step"], 7);
  // The folder itself may be a run.
  const Answer one = RunsApi(*folder_ / "first/").answer("", {});
  ASSERT_EQ(one.body["runs"].size(), 1);
  EXPECT_EQ(one.body["runs"][0]["name"], "first");
  EXPECT_EQ(RunsApi(*folder_ / "none").answer("", {}).body["runs"].size(), 0);
}

TEST_F(Runs, SeesARunThatIsWorkedOn) {
  const TestFolder folder;
  make_example_run(folder / "run", 20);
  const auto state = [&] {
    return RunsApi(folder.path()).answer("", {}).body["runs"][0]["state"].get<std::string>();
  };
  EXPECT_EQ(state(), "finished");
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto run = run::RunDirectory::open(folder / "run");
    (void)!::write(pipes[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(pipes[0], &byte, 1), 1);
  EXPECT_EQ(state(), "running");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(state(), "finished");
  close(pipes[0]);
  close(pipes[1]);
}

TEST_F(Runs, TellOfARunWhatThereIs) {
  const Json overview = ok("overview", {{"run", "first"}});
  EXPECT_EQ(overview["environments"], Json::array({"Bridge", "Sorting"}));
  EXPECT_EQ(overview["metrics"], Json::array({"own<metric>", "reward", "solved"}));
  EXPECT_EQ(overview["items"][0]["kind"], "candidate");
  EXPECT_EQ(overview["items"][0]["fates"][1], (Json{{"fate", "admitted"}, {"count", 10}}));
  EXPECT_THAT(overview["config"].get<std::string>(), HasSubstr("learning_rate = 0.001"));
  EXPECT_EQ(overview["charts"][0]["id"], "reward");
  EXPECT_EQ(overview["charts"][0]["series"][0]["metric"], "reward");
}

TEST_F(Runs, GiveMetricsAndLevels) {
  const Json all = ok("metrics", {{"run", "first"}})["metrics"];
  EXPECT_EQ(all.size(), 3);
  EXPECT_EQ(all["reward"]["steps"].size(), 20);
  EXPECT_EQ(all["reward"]["values"][19], 2);
  const Json some = ok("metrics", {{"run", "first"}, {"name", "solved"}, {"name", "none"}});
  EXPECT_EQ(some["metrics"].size(), 1);
  const Json levels = ok("levels", {{"run", "first"}});
  ASSERT_EQ(levels["environments"].size(), 2);
  // Bridge never moved: its ends. Sorting climbed every third step.
  EXPECT_EQ(levels["environments"][0]["steps"], Json::array({1, 20}));
  EXPECT_EQ(levels["environments"][1]["steps"], Json::array({1, 3, 6, 9, 12, 15, 18, 20}));
  EXPECT_EQ(levels["environments"][1]["upper"], Json::array({0, 1, 2, 3, 4, 5, 6, 6}));
  EXPECT_EQ(levels["mean"]["values"][19], 3);
  EXPECT_EQ(levels["mean"]["high"][19], 6);
}

TEST_F(Runs, GiveRolloutsAndItemsByPages) {
  const Json worst = ok("rollouts", {{"run", "first"}, {"order", "worst"}, {"limit", "3"}});
  EXPECT_EQ(worst["total"], 40);
  ASSERT_EQ(worst["rollouts"].size(), 3);
  EXPECT_EQ(worst["rollouts"][0]["reward"], -20);
  EXPECT_EQ(worst["rollouts"][0]["turns"][1]["tokens"], 5);
  const Json solved = ok("rollouts", {{"run", "first"}, {"solved", "true"}, {"step", "4"}});
  EXPECT_EQ(solved["total"], 1);
  const std::string response = solved["rollouts"][0]["response"].get<std::string>();
  EXPECT_THAT(response, HasSubstr("more characters"));
  EXPECT_LT(response.size(), 21'000);
  EXPECT_EQ(response.find('\x1b'), std::string::npos);
  EXPECT_EQ(response.find('\x01'), std::string::npos);
  const Json items = ok("items", {{"run", "first"}, {"kind", "candidate"}, {"fate", "admitted"}});
  EXPECT_EQ(items["total"], 10);
  EXPECT_THAT(items["items"][0]["data"]["source"].get<std::string>(), HasSubstr("class A"));
  EXPECT_EQ(items["items"][0]["data"]["source"].get<std::string>().find('\x1b'), std::string::npos);
  const Json fates = ok("fates", {{"run", "first"}});
  EXPECT_EQ(fates["fates"]["totals"][0], 1);
  EXPECT_EQ(fates["tags"]["rows"][0]["label"], "graph");
}

TEST_F(Runs, GiveEvaluationsWithIntervals) {
  const Json suite = ok("evaluations", {{"run", "first"}})["suites"][0];
  EXPECT_EQ(suite["name"], "held-out");
  EXPECT_EQ(suite["policies"], Json::array({"before", "after"}));
  const Json& after = suite["rows"][0]["estimates"][1];
  const run::Interval interval = run::wilson_interval(40, 50);
  EXPECT_EQ(after["share"], 0.8);
  EXPECT_EQ(after["low"], interval.low);
  EXPECT_EQ(after["high"], interval.high);
}

TEST_F(Runs, AreComparedBySettingsAndEvaluations) {
  const Json comparison = ok("comparison", {{"run", "first"}, {"run", "group/inner"}});
  ASSERT_EQ(comparison["settings"].size(), 1);
  EXPECT_EQ(comparison["settings"][0],
            (Json{{"setting", "train.learning_rate"}, {"values", {"0.001", "0.002"}}}));
  EXPECT_EQ(comparison["suites"][0]["rows"][0]["estimates"].size(), 2);
}

TEST_F(Runs, RefuseWhatIsWrong) {
  const std::vector<std::tuple<std::string, Parameters, int, std::string>> cases = {
      {"nothing", {{"run", "first"}}, 404, "there is no view"},
      {"overview", {{"run", "none"}}, 404, "there is no run"},
      {"overview", {{"run", "../secret"}}, 404, "there is no run"},
      {"overview", {{"run", "/etc"}}, 404, "there is no run"},
      {"overview", {{"run", "first/inside"}}, 404, "there is no run"},
      {"overview", {{"run", "loop/first"}}, 404, "there is no run"},
      {"overview", {}, 404, "there is no run"},
      {"rollouts", {{"run", "first"}, {"limit", "1000000"}}, 400, "limit must be"},
      {"rollouts", {{"run", "first"}, {"offset", "-1"}}, 400, "offset must be"},
      {"rollouts", {{"run", "first"}, {"offset", "1x"}}, 400, "offset must be"},
      {"rollouts", {{"run", "first"}, {"solved", "maybe"}}, 400, "solved must be"},
      {"rollouts", {{"run", "first"}, {"order", "random"}}, 400, "order"},
      {"rollouts", {{"run", "first"}, {"sort", "x"}}, 400, "there is no parameter \"sort\""},
      {"metrics", {{"run", "first"}, {"points", "1"}}, 400, "points must be"},
      {"comparison", {{"run", "first"}}, 400, "a comparison needs"},
      {"comparison", {{"run", "first"}, {"run", "x"}}, 404, "there is no run"},
  };
  for (const auto& [view, parameters, status, text] : cases) {
    const Answer answer = ask(view, parameters);
    EXPECT_EQ(answer.status, status) << view;
    EXPECT_THAT(answer.body["error"].get<std::string>(), HasSubstr(text)) << view;
  }
}

TEST_F(Runs, BearUnreadableOnes) {
  const TestFolder folder;
  fs::create_directory(folder / "broken");
  write_file(folder / "broken/run.db", "this is no database");
  write_file(folder / "broken/config.toml", "this is = = no configuration");
  make_example_run(folder / "empty", 0);
  const RunsApi api(folder.path());
  const Json runs = api.answer("", {}).body["runs"];
  ASSERT_EQ(runs.size(), 2);
  EXPECT_TRUE(runs[0].contains("error"));
  EXPECT_EQ(runs[1]["step"], 0);
  for (const char* view :
       {"overview", "metrics", "levels", "rollouts", "items", "fates", "evaluations"}) {
    EXPECT_EQ(api.answer(view, {{"run", "broken"}}).status, 500) << view;
    EXPECT_EQ(api.answer(view, {{"run", "empty"}}).status, 200) << view;
  }
}

TEST_F(Runs, HaveARevisionThatChangesWithThem) {
  const TestFolder folder;
  make_example_run(folder / "a", 3);
  const RunsApi api(folder.path());
  const std::string first = api.revision();
  EXPECT_EQ(api.revision(), first);
  run::EventStore store = run::EventStore::open(folder / "a/run.db").value();
  ASSERT_TRUE(store.append(run::StepRecord{.step = 4}));
  const std::string second = api.revision();
  EXPECT_NE(second, first);
  make_example_run(folder / "b", 1);
  EXPECT_NE(api.revision(), second);
}

TEST(Parameters, AreDecoded) {
  EXPECT_EQ(
      parse_parameters("a=1&b=x%20y+z&a=%2F&c&&=&d=%G1%2"),
      (Parameters{{"a", "1"}, {"b", "x y z"}, {"a", "/"}, {"c", ""}, {"", ""}, {"d", "%G1%2"}}));
  EXPECT_TRUE(parse_parameters("").empty());
  Rng rng({.seed = 9});
  for (int round = 0; round < 2000; ++round) {
    std::string query;
    for (int i = 0; i < 12; ++i)
      query += "%&=+aF0\xFF"[static_cast<std::size_t>(rng.integer(0, 7))];
    std::size_t size = 0;
    for (const auto& [name, value] : parse_parameters(query)) size += name.size() + value.size();
    EXPECT_LE(size, query.size());
  }
}

// What a screen of `columns` columns shows of a line: in each the lowest and the highest value, and
// where it comes in and goes out.
TEST(Thinning, KeepsWhatAScreenShows) {
  Rng rng({.seed = 3});
  for (const std::size_t budget : {4U, 40U, 400U}) {
    std::vector<run::MetricPoint> points;
    for (std::int64_t step = 1; step <= 3000; ++step) {
      if (rng.integer(0, 3) == 0) continue;
      points.push_back({step, rng.integer(0, 50) == 0 ? std::nan("") : rng.real(-1, 1)});
    }
    const auto kept = thinned(points, budget);
    EXPECT_LE(kept.size(), budget);
    EXPECT_TRUE(std::ranges::is_sorted(kept, std::ranges::less(), &run::MetricPoint::step));
    std::erase_if(points, [](const auto& point) { return std::isnan(point.value); });
    const auto columns = static_cast<std::int64_t>(budget / 4);
    const std::int64_t first = points.front().step;
    const std::int64_t length = points.back().step - first + 1;
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto of_column = [&](const std::vector<run::MetricPoint>& all) {
        std::vector<double> values;
        for (const auto& point : all) {
          if ((point.step - first) * columns / length == column) values.push_back(point.value);
        }
        return values;
      };
      const std::vector<double> before = of_column(points);
      const std::vector<double> after = of_column(kept);
      ASSERT_EQ(before.empty(), after.empty());
      if (before.empty()) continue;
      EXPECT_EQ(std::ranges::min(before), std::ranges::min(after));
      EXPECT_EQ(std::ranges::max(before), std::ranges::max(after));
      EXPECT_EQ(before.front(), after.front());
      EXPECT_EQ(before.back(), after.back());
    }
  }
  EXPECT_TRUE(thinned({{1, std::nan("")}}, 4).empty());
}

// A file's time tells whether it is read again; one that was written just now is read each time.
TEST(ListOfRuns, ReadsARunAgainWhenItsFilesChange) {
  const TestFolder folder;
  const fs::path file = folder / "run/run.json";
  fs::create_directories(folder / "run/checkpoints");
  const auto write = [&](std::string_view environment, std::chrono::seconds ago) {
    write_file(file, fmt::format(R"({{"env": "{}", "status": "ok", "score": 1, "settings":
        {{"budget": 20}}, "submissions": []}})",
                                 environment));
    fs::last_write_time(file, fs::file_time_type::clock::now() - ago);
  };
  const RunsApi api(folder.path());
  const auto recipe = [&] {
    return api.answer("", {}).body["runs"][0]["recipe"].get<std::string>();
  };
  write("first", std::chrono::seconds(100));
  const auto time = fs::last_write_time(file);
  EXPECT_EQ(recipe(), "arena first");
  write("other", {});
  fs::last_write_time(file, time);
  EXPECT_EQ(recipe(), "arena first");  // as long and as old as before: not read
  fs::last_write_time(file, time + std::chrono::milliseconds(1));
  EXPECT_EQ(recipe(), "arena other");
  write("young", {});
  const auto now = fs::last_write_time(file);
  EXPECT_EQ(recipe(), "arena young");
  write("again", {});
  fs::last_write_time(file, now);
  EXPECT_EQ(recipe(), "arena again");
  write("long ago", std::chrono::seconds(50));
  EXPECT_EQ(recipe(), "arena long ago");
  fs::remove_all(folder / "run");
  EXPECT_TRUE(api.answer("", {}).body["runs"].empty());
}

}  // namespace
}  // namespace redqueen::watch
