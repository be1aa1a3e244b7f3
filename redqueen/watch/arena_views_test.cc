#include "redqueen/watch/arena_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "redqueen/arena/judge/ledger.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/watch/runs_api.h"
#include "redqueen/watch/testing/example_run.h"

namespace redqueen::watch {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_file(file, text);
}

// A closed run of two submissions, of which the second is selected.
void make_closed_run(const fs::path& run) {
  Json record = Json::parse(R"({"env": "CartPole-v1", "status": "ok", "score": 3.5,
      "cases": "drawn", "selected_submit": 1, "settings": {"budget": 20}, "submissions": [
      {"submit": 0, "at": "2026-01-01", "episodes": 2, "budget_used": 2, "status": "import_error",
       "mean_return": null, "best_so_far": null},
      {"submit": 1, "at": "2026-01-01", "episodes": 4, "budget_used": 6, "status": "ok",
       "mean_return": 2, "validation_mean": 3, "best_so_far": 3}]})");
  record["submissions"][0]["reason"] = kHostile;
  write(run / "run.json", dump_json(record));
  write(run / "judge/ledger.jsonl", "");
  write(run / "checkpoints/submit_000/policy.py", "import nothing\nA = 1\n");
  write(run / "checkpoints/submit_001/policy.py", "A = 1\n# " + kHostile + "\n");
  write(run / "workspace/feedback/submit_001/episodes/ep_000/trajectory.jsonl",
        "{\"t\": 0, \"obs\": [0.5, \"NaN\"], \"reward\": 1}\nbroken\n"
        "{\"t\": 1, \"obs\": [0.25, 2], \"reward\": \"Inf\"}\n{\"t\": 2, \"reward\": 1}\n");
}

constexpr const char* kOpenLedger =
    R"({"event":"begin","at":"2026-01-01","master_seed":77,"secret":88,"settings":{"env":"Acrobot-v1","budget":8,"paper_cases":false}}
{"event":"charge","submit":0,"at":"2026-01-01","cases":[0,1],"digest":"d","remaining":6}
{"event":"finish","submit":0,"episodes":2,"summary":{"status":"ok","mean_return":-50.5,"returns":[1]}}
{"event":"charge","submit":1,"at":"2026-01-01","cases":[0,1,2],"digest":"d","remaining":3}
{"event":"validated","submit":0,"mean":-123.25,"returns":[-123.25],"fault":""}
{"event":"fini)";

class ArenaRuns : public testing::Test {
 protected:
  void SetUp() override {
    make_closed_run(folder_ / "agent/CartPole-v1/1");
    write(folder_ / "open/judge/ledger.jsonl", kOpenLedger);
    write(folder_ / "damaged/run.json", "{\"submissions\": 3}");
    write(folder_ / "damaged/judge/ledger.jsonl", "");
    make_example_run(folder_ / "training", 2);
  }
  Answer ask(std::string_view view, const Parameters& parameters = {}) const {
    return RunsApi(folder_.path()).answer(view, parameters);
  }
  Json submission(int number) const {
    const Answer answer =
        ask("submission", {{"run", "agent/CartPole-v1/1"}, {"submit", std::to_string(number)}});
    EXPECT_EQ(answer.status, 200) << dump_json(answer.body);
    return answer.body;
  }

  TestFolder folder_;
};

TEST_F(ArenaRuns, AreListedBesideTrainingRuns) {
  const Json runs = ask("").body["runs"];
  ASSERT_EQ(runs.size(), 4);
  EXPECT_EQ(runs[0]["name"], "agent/CartPole-v1/1");
  EXPECT_EQ(runs[0]["kind"], "arena");
  EXPECT_EQ(runs[0]["recipe"], "arena CartPole-v1");
  EXPECT_EQ(runs[0]["state"], "finished");
  EXPECT_EQ(runs[0]["step"], 6);
  EXPECT_EQ(runs[0]["steps"], 20);
  EXPECT_EQ(runs[0]["reward"], 3.5);
  EXPECT_GT(runs[0]["updated"].get<double>(), 1.7e9);
  EXPECT_THAT(runs[1]["error"].get<std::string>(), HasSubstr("no record of a run"));
  EXPECT_EQ(runs[2]["state"], "stopped");
  EXPECT_EQ(runs[2]["step"], 5);
  EXPECT_EQ(runs[3]["kind"], "training");
  EXPECT_THAT(RunsApi(folder_.path()).revision(), HasSubstr("CartPole"));
}

TEST_F(ArenaRuns, ShowSubmissionsWhatTheyChangedAndTheirEpisodes) {
  const Json run = ask("arena", {{"run", "agent/CartPole-v1/1"}}).body;
  EXPECT_EQ(run["score"], 3.5);
  EXPECT_EQ(run["selected"], 1);
  EXPECT_EQ(run["used"], 6);
  EXPECT_EQ(run["diagnosis"], nullptr);
  ASSERT_EQ(run["submissions"].size(), 2);
  EXPECT_THAT(dump_json(run), Not(HasSubstr("\x1b")));

  const Json first = submission(0);
  EXPECT_EQ(first["changes"][0]["added"], 2);
  EXPECT_EQ(first["episodes"].size(), 0);
  const Json second = submission(1);
  EXPECT_THAT(second["changes"][0]["lines"].get<std::vector<std::string>>(),
              ElementsAre("-import nothing", " A = 1", HasSubstr("+# </script>")));
  ASSERT_EQ(second["episodes"].size(), 1);
  const Json& episode = second["episodes"][0];
  EXPECT_EQ(episode["steps"], Json::parse("[0, 1, 2]"));
  EXPECT_EQ(episode["rewards"], Json::parse("[1, 1, 2]"));
  EXPECT_EQ(episode["observations"], Json::parse("[[0.5, 0.25, null], [null, 2, null]]"));

  write(folder_ / "agent/CartPole-v1/1/report/diagnosis.json",
        R"({"edits": [{"submit": 1, "kind": "first", "hit": true}]})");
  EXPECT_EQ(ask("arena", {{"run", "agent/CartPole-v1/1"}}).body["diagnosis"]["edits"][0]["kind"],
            "first");
}

// What its agent does not know yet: secrets, and scores on hidden cases.
TEST_F(ArenaRuns, ThatAreOpenShowNothingHidden) {
  const Answer answer = ask("arena", {{"run", "open"}});
  ASSERT_EQ(answer.status, 200) << dump_json(answer.body);
  const std::string text = dump_json(answer.body);
  for (const char* hidden : {"77", "88", "123.25", "validation"})
    EXPECT_THAT(text, Not(HasSubstr(hidden)));
  EXPECT_EQ(answer.body["status"], "open");
  EXPECT_EQ(answer.body["submissions"][0]["mean_return"], -50.5);
  EXPECT_EQ(answer.body["submissions"][1]["status"], "playing");
  EXPECT_EQ(answer.body["submissions"][1]["budget_used"], 5);
}

TEST_F(ArenaRuns, AnswerFaultsWithTheirStatus) {
  const std::string run = "agent/CartPole-v1/1";
  EXPECT_EQ(ask("arena", {{"run", "damaged"}}).status, 500);
  EXPECT_EQ(ask("arena", {{"run", "training"}}).status, 404);
  EXPECT_EQ(ask("overview", {{"run", run}}).status, 404);
  EXPECT_EQ(ask("submission", {{"run", run}, {"submit", "2"}}).status, 404);
  EXPECT_EQ(ask("submission", {{"run", run}, {"submit", "-1"}}).status, 400);
  EXPECT_EQ(ask("comparison", {{"run", run}, {"run", "training"}}).status, 400);
}

// The agent may write where its feedback lies: nothing there leads out of the run or holds up
// whoever reads it.
TEST_F(ArenaRuns, FollowNoLinksOfTheAgent) {
  const fs::path run = folder_ / "agent/CartPole-v1/1";
  const fs::path episodes = run / "workspace/feedback/submit_001/episodes";
  write(folder_ / "elsewhere/trajectory.jsonl", "{\"t\": 7, \"reward\": 7}\n");
  fs::create_directory_symlink(folder_ / "elsewhere", episodes / "ep_001");
  fs::create_directories(episodes / "ep_002");
  fs::create_symlink(folder_ / "elsewhere/trajectory.jsonl", episodes / "ep_002/trajectory.jsonl");
  fs::create_directories(episodes / "ep_003");
  ASSERT_EQ(mkfifo((episodes / "ep_003/trajectory.jsonl").c_str(), 0600), 0);
  EXPECT_EQ(submission(1)["episodes"].size(), 1);
  fs::rename(run / "workspace/feedback", folder_ / "moved");
  fs::create_directory_symlink(folder_ / "moved", run / "workspace/feedback");
  EXPECT_EQ(submission(1)["episodes"].size(), 0);
}

TEST_F(ArenaRuns, AreRunningWhileAJudgeHoldsTheLedger) {
  // Another process: a lock is no obstacle to its own holder.
  const auto ledger = folder_ / "open/judge/ledger.jsonl";
  int ready[2];
  int done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t judge = fork();
  if (judge == 0) {
    char byte = 'x';
    const auto held = arena::Ledger::open(ledger);
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(done[0], &byte, 1);
    _exit(held ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(ask("arena", {{"run", "open"}}).body["state"], "running");
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(judge, &status, 0), judge);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ask("arena", {{"run", "open"}}).body["state"], "stopped");
  for (const int end : {ready[0], ready[1], done[0], done[1]}) close(end);
}

}  // namespace
}  // namespace redqueen::watch
