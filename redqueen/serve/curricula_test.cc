#include "redqueen/serve/curricula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"
#include "redqueen/serve/testing/fixture.h"

namespace redqueen::serve {
namespace {

const Json kSettings{{"id", "c"},
                     {"suite", "Echo,RepeatNumber"},
                     {"minimum_groups", 2},
                     {"rollouts", 4},
                     {"seed", 3}};

// A trainer that solves everything up to a level, over one server after another.
class Trainer {
 public:
  explicit Trainer(int skill) : skill_(skill) {}

  // The items of one step, from what was drawn.
  Json items(const Json& problems) const {
    Json items = Json::array();
    for (const Json& problem : problems) {
      const auto address = ProblemAddress::parse(problem["address"].get<std::string>());
      const std::string reference = test_service().make(*address)->problem->reference();
      for (int i = 0; i < 4; ++i) {
        items.push_back(
            {{"address", problem["address"]},
             {"response", address->level <= skill_ ? "<answer>" + reference + "</answer>" : "no"}});
      }
    }
    return items;
  }

 private:
  int skill_;
};

int highest(const Json& state) {
  int high = 0;
  for (const Json& environment : state["environments"])
    high = std::max(high, environment["high"].get<int>());
  return high;
}

TEST(Curricula, ClimbWithTheTrainerAndSurviveARestart) {
  const TestFolder folder;
  const auto file = folder / "curricula.db";
  const Trainer trainer(2);
  std::optional<ServedTest> served(std::in_place, net::ServerOptions{}, file);
  EXPECT_EQ(served->post("/v1/curricula", kSettings)["drawn"], 0);
  std::vector<std::string> drawn;
  for (int step = 0; step < 30; ++step) {
    if (step == 10) {
      served.reset();
      served.emplace(net::ServerOptions{}, file);
    }
    const Json problems = served->post("/v1/curricula/c/problems", {{"count", 8}})["problems"];
    ASSERT_EQ(problems.size(), 8);
    for (const Json& problem : problems) drawn.push_back(problem["address"]);
    const Json learnt =
        served->post("/v1/curricula/c/scores",
                     {{"client", "t"}, {"sequence", step}, {"items", trainer.items(problems)}});
    ASSERT_EQ(learnt["counted"], 32) << learnt;
    EXPECT_EQ(learnt["verdicts"].size(), 32);
  }
  const Json state = served->get("/v1/curricula/c");
  EXPECT_EQ(highest(state), 3);  // the first level that it does not solve
  EXPECT_EQ(state["drawn"], 240);
  EXPECT_EQ(state["scored"], 960);
  std::ranges::sort(drawn);
  EXPECT_EQ(std::ranges::adjacent_find(drawn), drawn.end());  // no problem twice
  EXPECT_EQ(served->get("/v1/curricula")["curricula"], Json::array({"c"}));
}

TEST(Curricula, CountAMessageThatIsSentAgainOnce) {
  const ServedTest served;
  served.post("/v1/curricula", kSettings);
  const Json problems = served.post("/v1/curricula/c/problems", {{"count", 8}})["problems"];
  const Json message{{"client", "t"}, {"sequence", 1}, {"items", Trainer(9).items(problems)}};
  const Json first = served.post("/v1/curricula/c/scores", message);
  const Json state = served.get("/v1/curricula/c");
  EXPECT_EQ(served.post("/v1/curricula/c/scores", message), first);
  EXPECT_EQ(served.get("/v1/curricula/c"), state);
  // Whoever begins to count anew gets the rewards of what was sent, and teaches nothing.
  Json other = message;
  other["items"] = Trainer(-1).items(problems);
  const Json answer = served.post("/v1/curricula/c/scores", other);
  EXPECT_EQ(answer["counted"], 0);
  ASSERT_EQ(answer["verdicts"].size(), first["verdicts"].size());
  for (std::size_t i = 0; i < answer["verdicts"].size(); ++i) {
    EXPECT_EQ(first["verdicts"][i]["solved"], true);
    EXPECT_EQ(answer["verdicts"][i]["solved"], false);
  }
  other["items"].erase(0);
  EXPECT_EQ(served.post("/v1/curricula/c/scores", other)["verdicts"].size(), 31U);
  EXPECT_EQ(served.get("/v1/curricula/c"), state);
  Json next = message;
  next["sequence"] = 2;
  EXPECT_EQ(served.post("/v1/curricula/c/scores", next)["scored"], 64);
  next["client"] = "other";
  EXPECT_EQ(served.post("/v1/curricula/c/scores", next)["scored"], 96);
}

TEST(Curricula, LearnFromOutcomesAsFromScores) {
  const ServedTest scored;
  const ServedTest told;
  const Trainer trainer(1);
  for (const ServedTest* served : {&scored, &told}) served->post("/v1/curricula", kSettings);
  for (int step = 0; step < 12; ++step) {
    const Json problems = scored.post("/v1/curricula/c/problems", {{"count", 8}})["problems"];
    ASSERT_EQ(told.post("/v1/curricula/c/problems", {{"count", 8}})["problems"], problems);
    const Json items = trainer.items(problems);
    const Json learnt = scored.post("/v1/curricula/c/scores", {{"items", items}});
    Json outcomes = Json::array();
    for (std::size_t i = 0; i < items.size(); ++i) {
      outcomes.push_back(
          {{"address", items[i]["address"]}, {"solved", learnt["verdicts"][i]["solved"]}});
    }
    const Json message{{"client", "t"}, {"sequence", step}, {"items", outcomes}};
    const Json counted = told.post("/v1/curricula/c/outcomes", message);
    EXPECT_EQ(counted["counted"], 32);
    EXPECT_EQ(told.post("/v1/curricula/c/outcomes", message), counted);  // sent again
    ASSERT_EQ(told.get("/v1/curricula/c"), scored.get("/v1/curricula/c"));
  }
  EXPECT_GT(highest(told.get("/v1/curricula/c")), 0);
  const auto status = [&](const Json& body) {
    return told.post("/v1/curricula/c/outcomes", body)["status"];
  };
  EXPECT_EQ(status({{"items", {{{"address", "no address"}, {"solved", true}}}}}), 422);
  EXPECT_EQ(status({{"items", Json::array()}, {"client", "t"}}), 422);
}

TEST(Curricula, DrawTheSameForAMessageThatIsSentAgain) {
  const ServedTest served;
  served.post("/v1/curricula", kSettings);
  const auto draw = [&](const Json& message) {
    return served.post("/v1/curricula/c/problems", message)["problems"];
  };
  Json message{{"count", 5}, {"client", "t"}, {"sequence", 1}};
  const Json first = draw(message);
  ASSERT_EQ(first.size(), 5);
  EXPECT_EQ(draw(message), first);
  message["sequence"] = 2;
  EXPECT_NE(draw(message), first);
  EXPECT_EQ(served.get("/v1/curricula/c")["drawn"], 10);
  // Draws and scores are numbered apart.
  const Json scores{{"client", "t"}, {"sequence", 1}, {"items", Trainer(9).items(first)}};
  EXPECT_EQ(served.post("/v1/curricula/c/scores", scores)["counted"], 20);
}

TEST(Curricula, LearnFromTheirOwnTrainingProblemsAlone) {
  const ServedTest served;
  served.post("/v1/curricula", kSettings);
  const Json problems = Json::array({{{"address", "Echo@1/0/3"}},
                                     {{"address", "Echo@1/0/3/s2"}},
                                     {{"address", "HiddenNumber@1/0/3/s1"}}});
  const Json learnt =
      served.post("/v1/curricula/c/scores", {{"items", Trainer(9).items(problems)}});
  EXPECT_EQ(learnt["counted"], 0);
  EXPECT_EQ(learnt["verdicts"][0]["solved"], true);
}

TEST(Curricula, TwoServersShareOne) {
  const TestFolder folder;
  const ServedTest first({}, folder / "shared.db");
  const ServedTest second({}, folder / "shared.db");
  first.post("/v1/curricula", kSettings);
  std::set<std::string> addresses;
  std::mutex mutex;
  const auto draw = [&](const ServedTest& served) {
    for (int i = 0; i < 20; ++i) {
      const Json drawn = served.post("/v1/curricula/c/problems", {{"count", 5}});
      for (const Json& problem : drawn["problems"]) {
        const std::scoped_lock lock(mutex);
        addresses.insert(problem["address"]);
      }
    }
  };
  std::thread other([&] { draw(second); });
  draw(first);
  other.join();
  EXPECT_EQ(addresses.size(), 200u);
  EXPECT_EQ(second.get("/v1/curricula/c")["drawn"], 200);
}

TEST(Curricula, RefuseWhatCannotBe) {
  const ServedTest served({.token = "user", .admin_token = "admin"});
  const auto make = [&](const Json& changes, const char* token = "admin") {
    Json body = kSettings;
    body.update(changes);
    return served.post("/v1/curricula", body, fmt::format("Authorization: Bearer {}\r\n", token));
  };
  EXPECT_EQ(make(Json::object(), "user")["status"], 403);
  for (const Json& wrong : std::vector<Json>{{{"id", "a/b"}},
                                             {{"id", 3}},
                                             {{"suite", "None"}},
                                             {{"width", 0}},
                                             {{"difficulty", "hard"}},
                                             {{"minimum_grups", 1}},
                                             {{"salt", 0}},
                                             {{"low", 5}, {"high", 4}}}) {
    EXPECT_EQ(make(wrong)["status"], 422) << wrong;
  }
  EXPECT_EQ(make(Json::object())["id"], "c");
  EXPECT_EQ(make(Json::object())["id"], "c");  // the same again
  EXPECT_EQ(make({{"seed", 4}})["status"], 422);
  const Json twice = make({{"id", "twice"}, {"suite", "Echo,RepeatNumber,Echo"}});
  EXPECT_EQ(twice["environments"].size(), 2U) << "a second Echo would never learn";
}

TEST(Curricula, AreShownLive) {
  const ServedTest served;
  served.post("/v1/curricula", kSettings);
  net::RawClient watcher(served.port());
  watcher.send("GET /v1/curricula/c/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::string seen;
  const auto until = [&](std::string_view text) {
    while (seen.find(text) == std::string::npos) {
      const std::string more = watcher.read_some();
      if (more.empty()) return false;
      seen += more;
    }
    return true;
  };
  EXPECT_TRUE(until("\"drawn\":0"));
  served.post("/v1/curricula/c/problems", {{"count", 7}});
  EXPECT_TRUE(until("\"drawn\":7"));
}

struct Again : Echo {
  static constexpr Card card = [] {
    Card card = Echo::card;
    card.name = "Again";
    return card;
  }();
};

std::ptrdiff_t count_again(const std::vector<std::string>& addresses) {
  return std::ranges::count_if(
      addresses, [](const std::string& address) { return address.starts_with("Again@"); });
}

// One of ten problems is of Again; the bounds are four standard deviations wide.
TEST(Curricula, AndListsOfProblemsAreDrawnByTheWeightsOfTheirSuite) {
  static const bool registered = register_native(std::make_unique<NativeEnvironment<Again>>());
  ASSERT_TRUE(registered);
  const TestFolder folder;
  std::filesystem::create_directory(folder / "suites");
  write_file(folder / "suites/mixture.toml", "parts = [\"Echo\", \"Again\"]\nweights = [9, 1]\n");
  const auto engine = Engine::create(
      {.resources = Resources({folder.path(), source_dir() / "configs"}, source_dir())});
  ASSERT_TRUE(engine) << engine.error().message;
  const Service service(*engine, {});

  const auto book = CurriculumBook::open(":memory:", service);
  ASSERT_TRUE(book);
  ASSERT_TRUE((*book)->create("m", {.suite = "mixture"}));
  const auto drawn = (*book)->draw("m", 1000);
  ASSERT_TRUE(drawn);
  std::vector<std::string> addresses;
  for (const ProblemAddress& address : *drawn) addresses.push_back(address.to_string());
  EXPECT_NEAR(static_cast<double>(count_again(addresses)), 100, 38);

  const ServedTest served({}, ":memory:", service);
  const auto list = [&](const Json& query) {
    const Json answer = served.post("/v1/problems", query);
    std::vector<std::string> listed;
    for (const Json& problem : answer["problems"]) listed.push_back(problem["address"]);
    return listed;
  };
  const auto all = list({{"suite", "mixture"}, {"levels", {0, 2}}, {"count", 400}});
  ASSERT_EQ(all.size(), 400u);
  EXPECT_NEAR(static_cast<double>(count_again(all)), 40, 24);
  EXPECT_THAT(all, ::testing::Contains("Echo@1/2/1/s1"));  // levels go round, seeds go on
  EXPECT_EQ(list({{"suite", "mixture"}, {"levels", {0, 2}}, {"first", 100}, {"count", 50}}),
            std::vector(all.begin() + 100, all.begin() + 150));
  EXPECT_EQ(count_again(list({{"suite", "Echo,Again"}, {"count", 100}})), 50);  // no weights
}

}  // namespace
}  // namespace redqueen::serve
