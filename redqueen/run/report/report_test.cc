#include "redqueen/run/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/report/report_charts.h"
#include "redqueen/run/report/run_data.h"
#include "redqueen/run/run_directory.h"

namespace redqueen::run {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using namespace std::string_literals;

const std::string kHostile =
    "</pre><script>alert(1)</script><img src=http://evil/x onerror=a>\xFF\xC3\0\x1b[31m\r\n"s;

StepRecord random_record(std::int64_t step, const std::vector<std::string>& environments) {
  Rng rng({.seed = 3, .index = static_cast<std::uint64_t>(step)});
  StepRecord record{.step = step, .seconds = 2};
  record.metrics = {{"reward", rng.real(-1, 1)},
                    {"solved", rng.real()},
                    {"effective_prompt_ratio", rng.real()},
                    {"response_tokens", 20},
                    {"tokens_per_second", 1000},
                    {"gradient_norm", rng.real()},
                    {"sampler_mismatch_mean", 1e-6},
                    {"sampler_mismatch_max", 1e-4},
                    {"sampler_kl", 1e-9},
                    {"own<metric>", 3},
                    {"bad", std::numeric_limits<double>::quiet_NaN()}};
  for (const std::string& environment : environments) {
    record.curriculum.push_back({environment, 0, static_cast<int>(step / 10), 4, 3});
    record.rollouts.push_back({.environment = environment,
                               .problem_address = kHostile,
                               .prompt = "prompt " + kHostile,
                               .response = kHostile + std::string(20'000, 'x'),
                               .reward = 1,
                               .solved = true});
  }
  return record;
}

void make_run(const fs::path& path, int steps, const std::vector<std::string>& environments) {
  const RunDirectory run = RunDirectory::create(path, "# " + kHostile + "\n").value();
  EventStore store = EventStore::open(run.database_path()).value();
  for (std::int64_t step = 1; step <= steps; ++step)
    ASSERT_TRUE(store.append(random_record(step, environments)));
  std::vector<EvaluationRecord> evaluations;
  for (const std::string& environment : environments) {
    for (const int level : {0, 1}) {
      for (const bool after : {false, true}) {
        evaluations.push_back({.policy = after ? "after" : "before",
                               .step = after ? steps : 0,
                               .suite = "held-out",
                               .environment = environment,
                               .level = level,
                               .problems = 50,
                               .solved = after ? 40 : 10});
      }
    }
  }
  std::ranges::stable_sort(evaluations, {}, &EvaluationRecord::step);
  ASSERT_TRUE(store.append(evaluations));
}

// The checks of testdata/check_page.py; false if a check fails.
testing::AssertionResult page_is_whole(const fs::path& page,
                                       const std::vector<std::string>& texts) {
  std::string command =
      ".venv/bin/python redqueen/run/report/testdata/check_page.py " + page.string();
  for (const std::string& text : texts) command += " '" + text + "'";
  if (std::system(command.c_str()) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << command;
}

bool has_python() { return fs::exists(".venv/bin/python"); }

TEST(Report, IsOnePageAndPictures) {
  const TestFolder folder;
  make_run(folder / "run", 40, {"Sorting", "Bridge"});
  const auto files = write_report(folder / "run", folder / "out/deep");
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_FALSE(files->pictures.empty());
  EXPECT_EQ(files->pictures[0].filename(), "overview.png");
  for (const fs::path& picture : files->pictures) {
    EXPECT_THAT(read_file(picture).substr(0, 4), HasSubstr("PNG")) << picture;
  }
  const std::string page = read_file(files->page);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  // 20 of 100 and 80 of 100 solved, with their Wilson intervals.
  for (const char* text :
       {"20.0 % <small>[13.3, 28.9] of 100", "80.0 % <small>[71.1, 86.7] of 100", "+60.0 ▲",
        "Bridge, level 1", "own&lt;metric&gt;", "Sampler against trainer", "more characters"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  if (!has_python()) GTEST_SKIP() << "no .venv to check the page with";
  EXPECT_TRUE(page_is_whole(files->page, {"Sorting", "Effective prompt ratio",
                                          "<script>alert(1)</script>", "40 steps in 1m20s"}));
}

TEST(Report, BearsRunsThatHaveHardlyBegun) {
  const TestFolder folder;
  const RunDirectory run = RunDirectory::create(folder / "run", "").value();
  EventStore store = EventStore::open(run.database_path()).value();
  for (int steps = 0; steps <= 2; ++steps) {
    if (steps > 0) {
      ASSERT_TRUE(store.append(random_record(steps, {"Sorting"})));
    }
    const auto files = write_report(folder / "run", folder / "out");
    ASSERT_TRUE(files) << files.error().message;
    if (has_python()) {
      EXPECT_TRUE(page_is_whole(files->page, {fmt::format("{} steps", steps)}));
    }
  }
}

TEST(Report, LeavesThePageThatSomebodyReadsAsItWas) {
  const TestFolder folder;
  const RunDirectory run = RunDirectory::create(folder / "run", "").value();
  EventStore store = EventStore::open(run.database_path()).value();
  const auto before = write_report(folder / "run", folder / "out");
  ASSERT_TRUE(before) << before.error().message;
  const std::string old_page = read_file(before->page);
  fs::create_hard_link(before->page, folder / "opened");
  ASSERT_TRUE(store.append(random_record(1, {"Sorting"})));
  ASSERT_TRUE(write_report(folder / "run", folder / "out"));
  EXPECT_NE(read_file(before->page), old_page);
  EXPECT_EQ(read_file(folder / "opened"), old_page);
}

TEST(Report, ComparesRunsOnTheSameAxes) {
  const TestFolder folder;
  make_run(folder / "a", 40, {"Sorting", "Bridge"});
  make_run(folder / "b", 25, {"Sorting"});
  const std::vector<LabelledRun> runs = {{folder / "a", "adaptive <b>"}, {folder / "b"}};
  const auto files = compare_report(runs, folder / "out");
  ASSERT_TRUE(files) << files.error().message;
  if (!has_python()) GTEST_SKIP() << "no .venv to check the page with";
  EXPECT_TRUE(
      page_is_whole(files->page, {"adaptive <b> · b", "2 runs on the same axes", "held-out"}));
}

TEST(Report, PutsTheVariantsOfASweepIntoOneTable) {
  const TestFolder folder;
  std::vector<LabelledRun> runs;
  for (const char* label : {"low-seed-1", "low-seed-2", "high-seed-1", "high-seed-2"}) {
    make_run(folder / label, 3, {"Sorting"});
    const std::string name = label;
    runs.push_back({folder / label, name, name.substr(0, name.find("-seed"))});
  }
  const auto text = compare_variants(runs);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("difference to the first"));
  EXPECT_THAT(*text, HasSubstr("\nhigh"));
  const auto files = compare_report(runs, folder / "out");
  ASSERT_TRUE(files) << files.error().message;
  if (!has_python()) GTEST_SKIP() << "no .venv to check the page with";
  EXPECT_TRUE(page_is_whole(files->page,
                            {"4 runs on the same axes", "Variants on", "difference to the first"}));
}

TEST(Report, NamesWhatIsMissing) {
  const TestFolder folder;
  EXPECT_THAT(write_report(folder / "none", folder / "out").error().message, HasSubstr("none"));
  const std::vector<LabelledRun> one = {{folder / "none"}};
  EXPECT_EQ(compare_report(one, folder / "out").error().kind, ErrorKind::kUsage);
  make_run(folder / "run", 1, {"Sorting"});
  write_file(folder / "file", "");
  EXPECT_THAT(write_report(folder / "run", folder / "file/out").error().message,
              HasSubstr("file/out"));
}

// A run that stopped early was evaluated before training only; its untrained policy is not compared
// with a trained one, and no sum runs over problems that only one run was asked.
TEST(RunData, ComparesEqualProblemsOfTrainedPolicies) {
  const auto row = [](std::string policy, int level, int problems) {
    return EvaluationRecord{.policy = std::move(policy),
                            .suite = "s",
                            .environment = "Sorting",
                            .level = level,
                            .problems = problems};
  };
  const std::vector<EvaluationRecord> whole{row("before", 0, 10), row("after", 0, 10),
                                            row("after", 1, 10), row("after", 2, 10)};
  const std::vector<EvaluationRecord> short_one{row("after", 0, 10), row("after", 1, 20)};
  const std::vector<EvaluationRecord> stopped{row("before", 0, 10)};
  const std::vector<const std::vector<EvaluationRecord>*> runs{&whole, &short_one, &stopped};
  const auto compared = comparable_evaluations(runs, "s");
  EXPECT_THAT(compared[0], ElementsAre(row("after", 0, 10)));
  EXPECT_THAT(compared[1], ElementsAre(row("after", 0, 10)));
  EXPECT_THAT(compared[2], testing::IsEmpty());
  const std::vector<const std::vector<EvaluationRecord>*> untrained{&stopped, &stopped};
  EXPECT_EQ(comparable_evaluations(untrained, "s")[1], stopped);
}

TEST(Report, DrawsAccuracyDuringTraining) {
  RunData run;
  for (int step = 0; step <= 100; step += 20) {
    run.evaluations.push_back({.policy = step == 0 ? "before" : fmt::format("step {}", step),
                               .step = step,
                               .suite = "s",
                               .environment = "Sorting",
                               .problems = 50,
                               .solved = step / 4});
  }
  run.evaluations.push_back(run.evaluations.back());
  run.evaluations.back().policy = "after";  // of the same step: no second point
  const std::vector<NamedRun> runs = {{"run", &run}};
  const LineChart chart = evaluation_curve(runs, "s");
  ASSERT_EQ(chart.series.size(), 1u);
  ASSERT_EQ(chart.series[0].points.size(), 6u);
  EXPECT_EQ(chart.series[0].points[5].x, 100);
  EXPECT_DOUBLE_EQ(chart.series[0].points[5].y, 0.5);
  EXPECT_EQ(chart.series[0].band[5], wilson_interval(25, 50));
  EXPECT_THAT(shown_policies(run.evaluations, "s"), ElementsAre("before", "after"));
  run.evaluations.resize(2);
  EXPECT_TRUE(evaluation_curve(runs, "s").series.empty()) << "two points are no curve";
}

TEST(RunData, SumsUpEvaluationsAndKeepsTheirOrder) {
  const TestFolder folder;
  make_run(folder / "run", 1, {"Sorting", "Bridge"});
  const RunData run = load_run(folder / "run").value();
  EXPECT_EQ(run.name, "run");
  EXPECT_EQ(load_run(folder / "run/").value().name, "run");
  EXPECT_THAT(policies_of(run.evaluations, "held-out"), ElementsAre("before", "after"));
  const auto totals = total(run.evaluations);
  EXPECT_EQ(totals.at("held-out").at("Bridge").at("after").solved, 80);
  EXPECT_EQ(totals.at("held-out").at("").at("before").problems, 200);
}

TEST(RunData, KeepsTheFirstAndLastSampledSteps) {
  const TestFolder folder;
  make_run(folder / "run", 30, {"Sorting"});
  std::vector<std::int64_t> steps;
  const RunData run = load_run(folder / "run").value();
  for (const SampledStep& sample : run.samples) steps.push_back(sample.step);
  EXPECT_THAT(steps, ElementsAre(1, 2, 29, 30));
}

TEST(ReportCharts, LevelsAreTheMeanAndRangeOverEnvironments) {
  RunData run;
  for (const auto& [name, level] : {std::pair("A", 2), std::pair("B", 3), std::pair("C", 7)}) {
    run.curriculum[name].push_back({5, {name, 0, level, 0, 0}});
  }
  const std::vector<NamedRun> runs = {{"run", &run}};
  const LineChart chart = level_chart(runs);
  ASSERT_EQ(chart.series.size(), 1u);
  EXPECT_EQ(chart.series[0].points, (std::vector<Point>{{5, 4}}));
  EXPECT_EQ(chart.series[0].band, (std::vector<Interval>{{2, 7}}));
  EXPECT_THAT(reached_levels(run).counts, ElementsAre(0, 0, 1, 1, 0, 0, 0, 1));
  const SmallMultiples cells = environment_levels(run, 2);
  ASSERT_EQ(cells.cells.size(), 2u);
  EXPECT_EQ(cells.cells[0].title, "C");
  EXPECT_THAT(cells.subtitle, HasSubstr("2 highest of 3"));
}

// A recipe that this folder has never heard of: it describes its charts, and they are drawn.
const ChartRecord kFates{.id = "parts",
                         .section = "Brewing",
                         .title = "What became of the brews",
                         .kind = "fates",
                         .items = "brew",
                         .series = {{"L*", ""}, {"*", ""}, {"drunk", ""}}};
const ChartRecord kTags{.id = "tags",
                        .section = "Brewing",
                        .title = "What the brews are of",
                        .kind = "tags",
                        .items = "brew",
                        .series = {{"drunk", ""}}};
const ChartRecord kLines{
    .id = "bitter/../ness",
    .section = "Brewing",
    .title = "Bitterness <b>",
    .note = "by hop",
    .unit = "share",
    .series = {
        {"bitter/cascade", "cascade"}, {"bitter/citra", "citra"}, {"bitter/none", "never grown"}}};

void make_brewing_run(const fs::path& path) {
  const RunDirectory run = RunDirectory::create(path, "").value();
  EventStore store = EventStore::open(run.database_path()).value();
  ChartRecord unknown = kLines;
  unknown.id = "from a newer program";
  unknown.kind = "sankey";
  ASSERT_TRUE(store.describe(charts_of_run({kFates, kTags, kLines, unknown})));
  for (std::int64_t step = 1; step <= 40; ++step) {
    const auto x = static_cast<double>(step);
    StepRecord record{.step = step,
                      .metrics = {{"reward", x},
                                  {"bitter/cascade", x / 40},
                                  {"bitter/citra", std::nan("")},
                                  {"own<metric>", 1}}};
    for (const char* fate : {"L2 sour", "drunk", "spilt"})
      record.items.push_back({.kind = "brew", .name = "b", .fate = fate, .data = {}});
    if (step > 30) record.items.push_back({.kind = "brew", .fate = kHostile, .data = {}});
    if (step == 3) record.items[1].data = {{"tags", {"malt", "hops", 7}}};
    if (step == 31) record.items[1].data = {{"tags", {"malt"}}};
    if (step == 32) record.items[0].data = {{"tags", {"of another fate"}}};
    record.items.push_back({.kind = "task", .fate = "valid", .data = {}});
    ASSERT_TRUE(store.append(record));
  }
}

TEST(Report, DrawsWhatARunDescribes) {
  const TestFolder folder;
  make_brewing_run(folder / "run");
  const RunData data = load_run(folder / "run").value();
  const HeatMap fates = fate_chart(kFates, data);
  EXPECT_THAT(fates.columns, ElementsAre("1–10", "11–20", "21–30", "31–40"));
  EXPECT_THAT(fates.totals, ElementsAre(30, 30, 30, 40));
  ASSERT_EQ(fates.rows.size(), 4u);
  EXPECT_EQ(fates.rows.front().label, "L2 sour");
  EXPECT_EQ(fates.rows.back().label, "drunk");
  EXPECT_THAT(fates.rows.back().counts, ElementsAre(10, 10, 10, 10));
  const HeatMap tags = tag_chart(kTags, data);
  ASSERT_EQ(tags.rows.size(), 2u);
  EXPECT_EQ(tags.rows[0].label, "malt");
  EXPECT_THAT(tags.rows[0].counts, ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(tags.totals, ElementsAre(10, 10, 10, 10));
  EXPECT_EQ(tags.rows[1].label, "hops");

  const std::vector<NamedRun> runs = {{"run", &data}};
  const LineChart lines = lines_chart(kLines, runs);
  ASSERT_EQ(lines.series.size(), 2u) << "what has no values is left out";
  EXPECT_EQ(lines.series[0].name, "cascade");
  EXPECT_EQ(lines.series[0].points.back(), (Point{40, 1}));
  EXPECT_EQ(lines.y_min, 0.0) << "a share begins at zero";

  const auto files = write_report(folder / "run", folder / "report");
  ASSERT_TRUE(files) << files.error().message;
  const std::string page = read_file(files->page);
  for (const char* text : {"<h2>Brewing</h2>", "What became of the brews", "31–40",
                           "Bitterness &lt;b&gt;", "own&lt;metric&gt;"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("Numerics"))) << "a section without values has no heading";
  EXPECT_TRUE(fs::exists(folder / "report" / "bitter____ness.png"));
  for (const fs::path& picture : files->pictures)
    EXPECT_EQ(picture.parent_path(), folder / "report");
}

TEST(Report, ComparesWhatEitherRunDescribes) {
  const TestFolder folder;
  make_run(folder / "plain", 3, {"Sorting"});
  make_brewing_run(folder / "a");
  make_brewing_run(folder / "b");
  const RunData a = load_run(folder / "a").value();
  const RunData b = load_run(folder / "b").value();
  const std::vector<NamedRun> two = {{"a", &a}, {"b", &b}};
  std::vector<std::string> names;
  for (const Series& series : lines_chart(kLines, two).series) names.push_back(series.name);
  EXPECT_THAT(names, ElementsAre("cascade, a", "citra, a", "cascade, b", "citra, b"));
  const std::vector<LabelledRun> runs = {{folder / "plain"}, {folder / "a"}, {folder / "b"}};
  const auto files = compare_report(runs, folder / "out");
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_THAT(read_file(files->page), HasSubstr("<h2>Brewing</h2>"));
}

}  // namespace
}  // namespace redqueen::run
