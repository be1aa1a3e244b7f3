// The built-in coding agent's tools, and the arena as something to train on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/arena/agents/coding_environment.h"
#include "redqueen/arena/agents/coding_episode.h"
#include "redqueen/arena/agents/judge_workbench.h"
#include "redqueen/base/parallel.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/core/testing/episode_checks.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::shared_ptr<SeatService> shared_seat_service() {
  static const auto seats = [] {
    sandbox::SandboxConfig config;
    config.workers = 2;
    return std::make_shared<SeatService>(config);
  }();
  return seats;
}

ProblemPtr problem_of(const char* name, int level = 3, std::uint64_t seed = 1) {
  return (*coding_environment(name, shared_seat_service()))->generate(level, seed).value();
}

Action call(const std::string& tool, Json arguments) {
  return {.text = {}, .tool_calls = {{.id = "1", .name = tool, .arguments = std::move(arguments)}}};
}

// What a tool answers.
std::string said(Episode& episode, const std::string& tool, Json arguments) {
  return episode.step(call(tool, std::move(arguments))).messages.at(0).content;
}

constexpr const char* kFall =
    "class Policy:\n    def __init__(self, *a): pass\n    def act(self, obs): return 0\n";

TEST(CodingEnvironment, ReferencesSolveAndSimpleRulesDoNot) {
  for (const std::string_view name : coding_environment_names()) {
    const auto problem = problem_of(std::string(name).c_str());
    EXPECT_TRUE(problem->score(problem->reference()).solved) << name;
    EXPECT_LT(problem->score(problem->shortcuts().at(0).answer).reward, 0.2) << name;
    EXPECT_FALSE(problem->score("I would push the cart.").well_formed) << name;
  }
}

TEST(CodingEnvironment, ProblemsAreValues) {
  const auto environment = *coding_environment("arena/cartpole", shared_seat_service());
  const auto problem = environment->generate(2, 5).value();
  const auto again = environment->restore(problem->parameter()).value();
  EXPECT_EQ(again->prompt(), problem->prompt());
  std::vector<Observation> first;
  std::vector<Observation> second;
  const std::vector<Action> turns = {call("write", {{"path", "system/policy.py"}, {"text", kFall}}),
                                     call("submit", {{"cases", {3, 3, 0}}}),
                                     call("read", {{"path", "feedback/submit_000/ep_002.jsonl"}}),
                                     call("finish", Json::object())};
  const Verdict one = replay(*problem, {}, turns, &first)->verdict();
  EXPECT_EQ(replay(*again, {}, turns, &second)->verdict(), one);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.back().reward, one.reward);
  EXPECT_TRUE(first.back().terminated);
  EXPECT_NE(environment->generate(2, 6).value()->parameter(), problem->parameter());
  EXPECT_FALSE(environment->generate(4, 0));
  for (const char* bad :
       {"{}", "[]", "{\"seed\": 1, \"budget\": 0}", "{\"seed\": -1, \"budget\": 4}",
        "{\"seed\": 1, \"budget\": 33}", "{\"seed\": \"1\", \"budget\": 4}"}) {
    EXPECT_FALSE(environment->restore(*parse_json(bad))) << bad;
  }
}

// A policy that raises anywhere is paid less than one that returns a constant.
TEST(CodingEnvironment, NoExceptionIsPaid) {
  const char* const raisers[] = {
      "class Policy:\n    def __init__(self, o, a, m): pass\n"
      "    def reset(self, i): raise RuntimeError\n    def act(self, obs): return 0\n",
      "class Policy:\n    def __init__(self, *a): pass\n    def act(self, obs): return [][0]\n",
      // Raises on some first observations only, so that its training episodes may hide the fault.
      "class Policy:\n    def __init__(self, *a): self.first = True\n    def act(self, obs):\n"
      "        if self.first and sum(map(ord, str(obs))) % 2: raise IndexError\n"
      "        self.first = False\n        return 0\n"};
  for (const std::string_view name : coding_environment_names()) {
    const auto problem = problem_of(std::string(name).c_str());
    const double constant = problem->score(problem->shortcuts().at(0).answer).reward;
    for (const char* raiser : raisers) {
      const std::vector<Action> turns = {
          call("write", {{"path", "system/policy.py"}, {"text", raiser}}),
          call("submit", {{"cases", {0}}}), call("finish", Json::object())};
      const Verdict verdict = replay(*problem, {}, turns)->verdict();
      EXPECT_FALSE(verdict.solved) << name << raiser;
      EXPECT_EQ(verdict.reward, kInvalidReward) << name << raiser;
      EXPECT_LT(verdict.reward, constant) << name << raiser;
    }
  }
}

// Nothing that a policy is told or can count says that a case is hidden.
TEST(CodingEnvironment, HiddenCasesArePlayedAsThoseOfASubmission) {
  const auto problem = problem_of("arena/cartpole");
  const auto reward = [&](const char* phase) {
    const std::string policy = fmt::format(
        "import random\nloaded = random.random()\nclass Policy:\n"
        "    def __init__(self, o, a, m):\n        self.n = 0\n"
        "        self.odd = m['n_episodes_this_submit'] != 2\n"
        "    def reset(self, index):\n        self.n += 1\n"
        "        self.odd = self.odd or self.n > 2 or index >= 2 or index != self.n - 1\n"
        "    def act(self, obs):\n        if self.odd: raise RuntimeError\n"
        "        {}\n        return int(obs[2] + obs[3] + 0.05 * obs[0] + 0.1 * obs[1] > 0)\n",
        phase);
    const std::vector<Action> turns = {
        call("write", {{"path", "system/policy.py"}, {"text", policy}}),
        call("submit", {{"cases", {0, 1}}}), call("finish", Json::object())};
    return replay(*problem, {}, turns)->verdict().reward;
  };
  EXPECT_EQ(reward("pass"), 1.0);
  EXPECT_EQ(reward("raise ValueError"), kInvalidReward);
}

// More episodes at a time than there are seats.
TEST(CodingEnvironment, EpisodesShareSeatsAndNothingElse) {
  constexpr std::size_t kEpisodes = 6;
  const auto environment = *coding_environment("arena/cartpole", shared_seat_service());
  const auto play = [&](std::size_t i) {
    const auto problem = environment->generate(3, i % 2).value();
    const std::string policy = fmt::format(
        "print({})\nclass Policy:\n    def __init__(self, *a): pass\n"
        "    def act(self, obs): return int(obs[{}] > 0)\n",
        i, i % 4);
    const std::vector<Action> turns = {
        call("write", {{"path", "system/policy.py"}, {"text", policy}}),
        call("run", {{"path", "system/policy.py"}}), call("submit", {{"cases", {0, i}}}),
        call("read", {{"path", "feedback/submit_000/ep_001.jsonl"}}),
        call("finish", Json::object())};
    std::vector<Observation> seen;
    replay(*problem, {}, turns, &seen);
    return seen;
  };
  std::vector<std::vector<Observation>> together(kEpisodes);
  parallel_chunks(kEpisodes, 1, kEpisodes,
                  [&](std::size_t i, std::size_t) { together[i] = play(i); });
  for (std::size_t i = 0; i < kEpisodes; ++i) {
    EXPECT_EQ(together[i], play(i)) << i;
    EXPECT_EQ(together[i].at(2).messages.at(0).content, fmt::format("{}\n", i));
    EXPECT_TRUE(together[i].back().terminated);
  }
}

TEST(CodingEnvironment, KeepsThePromisesOfEpisodes) {
  const auto environment = *coding_environment("arena/cartpole", shared_seat_service());
  for (const int level : {0, 3}) {
    for (const std::uint64_t seed : {1, 2})
      expect_sound_episodes(*environment, environment->address(level, seed));
  }
}

TEST(CodingEnvironment, TheBudgetIsSpentOnceAndEndsTheEpisode) {
  const auto problem = problem_of("arena/cartpole");  // 4 episodes
  const auto episode = problem->start({});
  EXPECT_EQ(episode->begin().tools.size(), 6U);
  EXPECT_FALSE(episode->verdict().well_formed);
  EXPECT_THAT(said(*episode, "submit", {{"cases", Json::array()}}), HasSubstr("1 to 4"));
  EXPECT_THAT(said(*episode, "submit", {{"cases", {64}}}), HasSubstr("no case 64"));
  EXPECT_THAT(said(*episode, "submit", {{"cases", {0}}}), HasSubstr("missing_policy"));
  EXPECT_EQ(episode->verdict().reward, kInvalidReward);
  said(*episode, "write", {{"path", "system/policy.py"}, {"text", "import nothing_there\n"}});
  EXPECT_THAT(said(*episode, "submit", {{"cases", {0}}}), HasSubstr("nothing_there"));
  said(*episode, "write", {{"path", "system/policy.py"}, {"text", kFall}});
  const Observation last = episode->step(call("submit", {{"cases", {1, 2}}}));
  EXPECT_THAT(last.messages.at(0).content, HasSubstr("\"remaining_budget\":0"));
  EXPECT_TRUE(last.terminated);
  EXPECT_GE(last.reward, 0);
  EXPECT_LT(last.reward, 0.1);
  EXPECT_EQ(last.reward, episode->verdict().reward);
  EXPECT_TRUE(episode->step(call("submit", {{"cases", {1}}})).messages.empty());
}

TEST(CodingEnvironment, ToolsAnswerWhateverTheyAreAsked) {
  const auto problem = problem_of("arena/cartpole");
  const auto episode = problem->start({});
  episode->begin();
  EXPECT_THAT(said(*episode, "write", {{"path", "/tmp/x"}, {"text", ""}}), HasSubstr("system/"));
  EXPECT_THAT(said(*episode, "write", {{"path", "system/../x"}, {"text", ""}}),
              HasSubstr("system/"));
  EXPECT_THAT(said(*episode, "write", {{"path", "feedback/x"}, {"text", ""}}),
              HasSubstr("system/"));
  EXPECT_THAT(said(*episode, "write", {{"path", "system/x"}, {"text", std::string(300'000, 'x')}}),
              HasSubstr("256 KiB"));
  EXPECT_THAT(said(*episode, "read", {{"path", "none"}}), HasSubstr("no file"));
  EXPECT_THAT(said(*episode, "read", {{"path", 3}}), HasSubstr("error"));
  EXPECT_THAT(said(*episode, "read", "text"), HasSubstr("error"));
  EXPECT_THAT(said(*episode, "destroy", Json::object()), HasSubstr("destroy"));
  said(*episode, "write", {{"path", "system/twice.py"}, {"text", "print(6 * 7); 1 / 0"}});
  EXPECT_THAT(said(*episode, "run", {{"path", "system/twice.py"}}), HasSubstr("42"));
  EXPECT_THAT(said(*episode, "run", {{"path", "system/twice.py"}}), HasSubstr("ZeroDivisionError"));
  EXPECT_THAT(
      said(*episode, "edit", {{"path", "system/twice.py"}, {"find", "; 1 / 0"}, {"replace", ""}}),
      HasSubstr("written"));
  EXPECT_EQ(said(*episode, "run", {{"path", "system/twice.py"}}), "42\n");
  EXPECT_THAT(said(*episode, "edit", {{"path", "system/twice.py"}, {"find", ""}, {"replace", ""}}),
              HasSubstr("error"));
  Observation seen;
  for (int i = 0; i < 24 && !seen.done(); ++i)
    seen = episode->step({.text = "hm", .tool_calls = {}});
  EXPECT_TRUE(seen.truncated);
}

// --- on a judge ---------------------------------------------------------------------------------

class JudgeWorkbenchTest : public testing::Test {
 protected:
  void SetUp() override {
    RunSettings settings;
    settings.budget = 3;
    settings.sizes = {.train = 10, .validation = 2, .heldout = 2};
    settings.seed = 1;
    seats_ = shared_seat_service()->get().value();
    judge_ = Judge::open(folder_ / "run", settings, {.seats = seats_, .workers = 1}).value();
    problem_ = judge_problem(*judge_, *seats_, false, 20);
    episode_ = problem_->start({});
    episode_->begin();
  }

  TestFolder folder_;
  PolicySeats* seats_ = nullptr;
  std::unique_ptr<Judge> judge_;
  std::unique_ptr<const Problem> problem_;
  std::unique_ptr<Episode> episode_;
};

TEST_F(JudgeWorkbenchTest, TheAgentWorksOnTheRunItself) {
  said(*episode_, "write", {{"path", "system/policy.py"}, {"text", kFall}});
  EXPECT_THAT(said(*episode_, "submit", {{"cases", {0, 10}}}), HasSubstr("invalid_env_instance"));
  const std::string told = said(*episode_, "submit", {{"cases", {0}}});
  EXPECT_THAT(told, HasSubstr("\"remaining_budget\":2"));
  EXPECT_THAT(said(*episode_, "read", {{"path", "."}}),
              HasSubstr("feedback/submit_000/episodes/ep_000/trajectory.jsonl"));
  EXPECT_THAT(said(*episode_, "read", {{"path", "feedback/submit_000/summary.json"}}),
              HasSubstr("mean_return"));
  const Observation last = episode_->step(call("submit", {{"cases", {1, 2}}}));
  EXPECT_TRUE(last.terminated);
  EXPECT_EQ(judge_->record()["status"], "ok");
}

TEST_F(JudgeWorkbenchTest, NothingButTheWorkspaceIsSeenOrWritten) {
  write_file(folder_ / "secret", "SECRET");
  fs::create_symlink(folder_ / "secret", judge_->program() / "link");
  fs::create_directory_symlink(folder_.path(), judge_->program() / "folder");
  for (const std::string& path :
       {std::string("../judge/ledger.jsonl"), std::string("system/../../judge/ledger.jsonl"),
        (folder_ / "secret").string(), std::string("system/link"),
        std::string("system/folder/secret"), std::string("system//link"), std::string("")}) {
    const std::string told = said(*episode_, "read", {{"path", path}});
    EXPECT_THAT(told, testing::Not(HasSubstr("SECRET"))) << path;
    EXPECT_THAT(told, testing::Not(HasSubstr("master_seed"))) << path;
  }
  for (const char* path : {"AGENTS.md", "feedback/x", "../judge/x", "system/../x"}) {
    EXPECT_THAT(said(*episode_, "write", {{"path", path}, {"text", "MINE"}}), HasSubstr("error"))
        << path;
  }
  // A link is replaced, not followed.
  for (const char* path : {"system/link", "system/folder/new"}) {
    EXPECT_THAT(said(*episode_, "write", {{"path", path}, {"text", "MINE"}}), HasSubstr("written"));
    EXPECT_EQ(read_file(judge_->workspace() / path), "MINE");
  }
  EXPECT_EQ(read_file(folder_ / "secret"), "SECRET");
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

}  // namespace
}  // namespace redqueen::arena
