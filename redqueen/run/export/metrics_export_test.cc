#include "redqueen/run/export/metrics_export.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "redqueen/base/testing/folder.h"
#include "redqueen/run/export/event_file.h"
#include "redqueen/run/export/metrics_follower.h"
#include "redqueen/run/run_directory.h"

namespace redqueen::run {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// Two steps, an evaluation before them and two after the second, of which the first counts.
void make_exported_run(const fs::path& path) {
  const RunDirectory run = RunDirectory::create(path, "").value();
  EventStore store = EventStore::open(run.database_path()).value();
  ASSERT_TRUE(store.append({.step = 1,
                            .time = 1'700'000'000.25,
                            .seconds = 0.25,
                            .metrics = {{"reward", -0.125},
                                        {"seconds", 7},
                                        {"a,\"b\"", 1e300},
                                        {"nothing", std::nan("")}},
                            .curriculum = {{"Sorting", 0, 3, 0, 0}, {"Bridge", 0, 0, 0, 0}}}));
  ASSERT_TRUE(store.append({.step = 2,
                            .time = 1'700'000'001.5,
                            .seconds = 1.25,
                            .metrics = {{"reward", 0.1}},
                            .curriculum = {{"Sorting", 0, 4, 0, 0}, {"Bridge", 0, 1, 0, 0}}}));
  const auto evaluation = [](const char* policy, int step, const char* environment, int solved) {
    return EvaluationRecord{.policy = policy,
                            .step = step,
                            .suite = "c4",
                            .environment = environment,
                            .problems = 10,
                            .solved = solved};
  };
  ASSERT_TRUE(
      store.append({evaluation("before", 0, "Sorting", 1), evaluation("before", 0, "Bridge", 0),
                    evaluation("after", 2, "Sorting", 9), evaluation("best", 2, "Sorting", 10)}));
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(parse_json(line).value());
  return lines;
}

// What a shell command prints; fails the test unless it ends with 0.
std::string shell_output(const std::string& command, const fs::path& folder) {
  EXPECT_EQ(std::system((command + " > " + (folder / "output").string()).c_str()), 0) << command;
  return read_file(folder / "output");
}

TEST(MetricsExport, GathersWhatAStepMeasured) {
  const TestFolder folder;
  make_exported_run(folder / "run");
  const auto rows = metrics_of(folder / "run").value();
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0], (MetricsRow{.step = 0,
                                 .time = 1'700'000'000,
                                 .values = {{"evaluation/c4", 0.05},
                                            {"evaluation/c4/Bridge", 0},
                                            {"evaluation/c4/Sorting", 0.1}}}));
  EXPECT_EQ(rows[1], (MetricsRow{.step = 1,
                                 .time = 1'700'000'000.25,
                                 .seconds = 0.25,
                                 .values = {{"a,\"b\"", 1e300},
                                            {"level/Bridge", 0},
                                            {"level/Sorting", 3},
                                            {"level/mean", 1.5},
                                            {"reward", -0.125},
                                            {"seconds", 7}}}));
  EXPECT_EQ(rows[2].values, (std::vector<MetricValue>{{"evaluation/c4", 0.9},
                                                      {"evaluation/c4/Sorting", 0.9},
                                                      {"level/Bridge", 1},
                                                      {"level/Sorting", 4},
                                                      {"level/mean", 2.5},
                                                      {"reward", 0.1}}));
}

TEST(MetricsExport, WritesTables) {
  const std::vector<MetricsRow> rows = {
      {.step = 0, .time = 5, .values = {{"a,\"b\"", 0.1}}},
      {.step = 7, .time = 6.5, .seconds = 1, .values = {{"seconds", 2}, {"z", -1e-9}}}};
  EXPECT_EQ(
      to_csv(rows),
      "step,time,seconds,\"a,\"\"b\"\"\",metric/seconds,z\r\n0,5,0,0.1,,\r\n7,6.5,1,,2,-1e-09\r\n");
  EXPECT_EQ(to_csv({}), "step,time,seconds\r\n");
  const std::vector<Json> lines = lines_of(to_jsonl(rows));
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[0], Json::parse(R"({"step":0,"time":5.0,"seconds":0.0,"a,\"b\"":0.1})"));
  EXPECT_EQ(lines[1],
            Json::parse(R"({"step":7,"time":6.5,"seconds":1.0,"metric/seconds":2.0,"z":-1e-9})"));
}

TEST(MetricsExport, ANameThatComesTwiceTakesNoOtherColumnsValue) {
  EXPECT_EQ(to_csv({{.step = 1, .values = {{"a", 1}, {"a", 2}, {"b", 3}}}}),
            "step,time,seconds,a,b\r\n1,0,0,1,3\r\n");
}

TEST(MetricsExport, WritesFilesAndReplacesThem) {
  const TestFolder folder;
  make_exported_run(folder / "run");
  for (const MetricsFormat format : {MetricsFormat::kCsv, MetricsFormat::kJsonl}) {
    const fs::path out = default_export_path(folder / "run", format);
    write_file(out, "old");
    ASSERT_TRUE(export_metrics(folder / "run", format, out));
    EXPECT_THAT(read_file(out), HasSubstr("evaluation/c4/Sorting"));
    EXPECT_EQ(read_file(out).find("old"), std::string::npos);
  }
  write_file(folder / "file", "");
  const Status status =
      export_metrics(folder / "run", MetricsFormat::kCsv, folder / "file/metrics.csv");
  EXPECT_THAT(status.error().message, HasSubstr("file"));
  EXPECT_FALSE(export_metrics(folder / "none", MetricsFormat::kCsv, folder / "x.csv"));
  EXPECT_FALSE(fs::exists(folder / "x.csv"));
}

// RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
// As root, a file put in the place of /dev/stdout would be there for every program.
TEST(MetricsExport, WritesThroughLinksAndPipes) {
  const TestFolder folder;
  make_exported_run(folder / "run");
  write_file(folder / "target", "before");
  fs::create_symlink(folder / "target", folder / "link");
  ASSERT_TRUE(export_metrics(folder / "run", MetricsFormat::kCsv, folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  const std::string table = read_file(folder / "target");
  EXPECT_TRUE(table.starts_with("step,time,seconds")) << table;

  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(export_metrics(folder / "run", MetricsFormat::kCsv, pipe));
  std::string read(2 * table.size(), '\0');
  const ssize_t bytes = ::read(reader, read.data(), read.size());
  ::close(reader);
  ASSERT_GT(bytes, 0);
  EXPECT_EQ(read.substr(0, static_cast<std::size_t>(bytes)), table);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(EventFile, SumsAsPublished) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AA);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43);
  EXPECT_EQ(crc32c(""), 0);
}

TEST(EventFile, IsReadByAReaderOfItsOwn) {
  const TestFolder folder;
  make_exported_run(folder / "run");
  ASSERT_TRUE(export_metrics(folder / "run", MetricsFormat::kTensorBoard, folder / "out/deep"));
  // A second export replaces the first: TensorBoard reads every event file of a folder.
  ASSERT_TRUE(export_metrics(folder / "run", MetricsFormat::kTensorBoard, folder / "out/deep"));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder / "out/deep")) files.push_back(entry);
  ASSERT_EQ(files.size(), 1);
  const std::vector<Json> events = lines_of(shell_output(
      "python3 redqueen/run/export/testdata/read_events.py " + files[0].string(), folder.path()));
  ASSERT_EQ(events.size(), 4);
  EXPECT_EQ(events[0]["version"], "brain.Event:2");
  EXPECT_EQ(events[0]["time"], 1'700'000'000.0);
  const auto rows = metrics_of(folder / "run").value();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& event = events[i + 1];
    EXPECT_EQ(event["step"], rows[i].step);
    EXPECT_EQ(event["time"], rows[i].time);
    ASSERT_EQ(event["values"].size(), rows[i].values.size());
    for (std::size_t j = 0; j < rows[i].values.size(); ++j) {
      EXPECT_EQ(event["values"][j][0], rows[i].values[j].name);
      const auto expected = static_cast<float>(rows[i].values[j].value);
      // What float32 has no room for is no number there.
      if (std::isfinite(expected)) {
        EXPECT_EQ(event["values"][j][1].get<float>(), expected);
      } else {
        EXPECT_TRUE(event["values"][j][1].is_null());
      }
    }
  }
}

// Readers of event files keep them open: what is new is appended, each value once.
TEST(MetricsFollower, AppendsToEventFiles) {
  const TestFolder folder;
  MetricsFollower follower(folder / "run", MetricsFormat::kTensorBoard, folder / "out");
  ASSERT_TRUE(follower.update());  // no run yet
  EXPECT_FALSE(fs::exists(folder / "out"));
  make_exported_run(folder / "run");
  ASSERT_TRUE(follower.update());
  const std::string before = read_file(event_file_path(folder / "out"));
  ASSERT_TRUE(follower.update());
  EXPECT_EQ(read_file(event_file_path(folder / "out")), before);
  EventStore store = EventStore::open(folder / "run/run.db").value();
  ASSERT_TRUE(store.append(StepRecord{.step = 3, .time = 7, .metrics = {{"reward", 0.75}}}));
  ASSERT_TRUE(store.append({EvaluationRecord{
      .policy = "x", .step = 1, .suite = "new", .environment = "e", .problems = 2, .solved = 1}}));
  ASSERT_TRUE(follower.update());
  const std::string after = read_file(event_file_path(folder / "out"));
  ASSERT_TRUE(after.starts_with(before));
  EXPECT_EQ(after.substr(before.size()),
            event_file_scalars(
                1'700'000'000.25, 1,
                std::vector<MetricValue>{{"evaluation/new", 0.5}, {"evaluation/new/e", 0.5}}) +
                event_file_scalars(7, 3, std::vector<MetricValue>{{"reward", 0.75}}));
}

TEST(MetricsFollower, WritesTablesAnew) {
  const TestFolder folder;
  make_exported_run(folder / "run");
  MetricsFollower follower(folder / "run", MetricsFormat::kJsonl, folder / "rows.jsonl");
  ASSERT_TRUE(follower.update());
  EXPECT_EQ(lines_of(read_file(folder / "rows.jsonl")).size(), 3);
  EventStore store = EventStore::open(folder / "run/run.db").value();
  ASSERT_TRUE(store.append(StepRecord{.step = 3, .metrics = {{"reward", 0.75}}}));
  ASSERT_TRUE(follower.update());
  EXPECT_EQ(lines_of(read_file(folder / "rows.jsonl")).size(), 4);
}

TEST(EventFile, KeepsLongNamesAndLargeSteps) {
  const TestFolder folder;
  const std::string name(300, 'n');
  const std::int64_t step = std::int64_t{1} << 40;
  write_file(folder / "events",
             event_file_start(1) +
                 event_file_scalars(2.5, step, std::vector<MetricValue>{{name, 0.5}, {"ü", -3}}));
  const std::vector<Json> events = lines_of(shell_output(
      "python3 redqueen/run/export/testdata/read_events.py " + (folder / "events").string(),
      folder.path()));
  EXPECT_EQ(events.at(1)["step"], step);
  EXPECT_EQ(events.at(1)["values"],
            Json::array({Json::array({name, 0.5}), Json::array({"ü", -3.0})}));
}

class Wandb : public testing::Test {
 protected:
  void TearDown() override { unsetenv("PYTHONPATH"); }
};

TEST_F(Wandb, RecordsWithThePackage) {
  const TestFolder folder;
  make_exported_run(folder / "run");
  setenv("PYTHONPATH", "redqueen/run/export/testdata", 1);
  ASSERT_TRUE(export_metrics(folder / "run/", MetricsFormat::kWandb, folder / "out"));
  const std::vector<Json> calls = lines_of(read_file(folder / "out/calls.jsonl"));
  ASSERT_EQ(calls.size(), 5);
  EXPECT_EQ(calls[0],
            Json::parse(R"(["init",{"project":"redqueen","name":"run","mode":"offline"}])"));
  EXPECT_EQ(calls[3][1], 2);
  EXPECT_EQ(calls[3][2]["reward"], 0.1);
  EXPECT_EQ(calls[3][2]["_timestamp"], 1'700'000'001.5);
  EXPECT_EQ(calls[4], Json::parse(R"(["finish"])"));
}

TEST_F(Wandb, SaysWhatIsMissing) {
  const TestFolder folder;
  make_exported_run(folder / "run");
  fs::create_directory(folder / "packages");
  write_file(folder / "packages/wandb.py", "raise ImportError\n");
  setenv("PYTHONPATH", (folder / "packages").c_str(), 1);
  const Status status = export_metrics(folder / "run", MetricsFormat::kWandb, folder / "out");
  EXPECT_THAT(status.error().message, HasSubstr("pip install wandb"));
}

}  // namespace
}  // namespace redqueen::run
