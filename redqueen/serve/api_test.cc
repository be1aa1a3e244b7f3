// Our own API as a client meets it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "redqueen/serve/testing/fixture.h"

namespace redqueen::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Api, ListsAndDescribesEnvironments) {
  const ServedTest served;
  const Json list = served.get("/v1/environments")["environments"];
  EXPECT_EQ(list.size(), test_service().environments().size());
  EXPECT_EQ(list[0]["name"], "HiddenNumber");
  const Json card = served.get("/v1/environments/echo");
  EXPECT_EQ(card["name"], "Echo");
  EXPECT_EQ(card["rewards"], "-1 malformed, 0 wrong, 1 right.");
  EXPECT_EQ(served.get("/v1/environments/azr%2Fdeduction")["name"], "azr/deduction");
  EXPECT_EQ(served.get("/v1/environments/None")["status"], 404);
}

TEST(Api, MakesProblemsThatTellNoAnswer) {
  const ServedTest served({.token = "user", .admin_token = "admin"});
  const auto ask = [&](const Json& body, const char* token = "user") {
    return served.post("/v1/problems", body, fmt::format("Authorization: Bearer {}\r\n", token));
  };
  const Json query{{"environment", "Echo"}, {"level", 1}, {"seed", 7}, {"count", 3}};
  const Json shown = ask(query);
  ASSERT_EQ(shown["problems"].size(), 3);
  EXPECT_EQ(shown["problems"][2]["address"], "Echo@1/1/9/s1");
  EXPECT_EQ(shown["problems"][2]["split"], "train");
  EXPECT_THAT(shown["problems"][2]["prompt"].get<std::string>(), HasSubstr("<answer>"));
  EXPECT_FALSE(shown["problems"][2].contains("reference"));
  EXPECT_FALSE(shown["problems"][2].contains("parameter"));
  Json with = query;
  with["references"] = true;
  EXPECT_EQ(ask(with)["status"], 422);
  const Json all = ask(with, "admin")["problems"];
  const std::string reference = all[2]["reference"];
  EXPECT_EQ(all[2]["prompt"], shown["problems"][2]["prompt"]);
  EXPECT_EQ(all[2]["parameter"]["x"], std::stoi(reference));
  const Json mixed =
      ask({{"suite", "Echo,RepeatNumber"}, {"levels", {0, 2}}, {"count", 5}, {"split", "test"}});
  std::vector<std::string> addresses;
  for (const Json& problem : mixed["problems"]) addresses.push_back(problem["address"]);
  EXPECT_THAT(addresses, ::testing::ElementsAre("Echo@1/0/0", "RepeatNumber@1/0/0", "Echo@1/2/0",
                                                "RepeatNumber@1/2/0", "Echo@1/0/1"));
  EXPECT_EQ(ask({{"addresses", {"Echo@1/0/3", "Echo@1/0/4"}}})["problems"].size(), 2);
  for (const Json& wrong : std::vector<Json>{Json::object(),
                                             {{"environment", "None"}},
                                             {{"suite", "/etc/passwd"}},
                                             {{"environment", "Echo"}, {"level", 99}},
                                             {{"environment", "Echo"}, {"count", 5000}},
                                             {{"environment", "Echo"}, {"count", -1}},
                                             {{"environment", 3}},
                                             {{"environment", "Echo"}, {"prompt", "no place"}}}) {
    EXPECT_EQ(ask(wrong)["status"], 422) << wrong;
  }
}

TEST(Api, TellsWhatAnEpisodeBeginsWith) {
  const ServedTest served;
  const auto ask = [&](Json body) {
    body["details"] = true;
    return served.post("/v1/problems", body)["problems"][0];
  };
  const Json world = ask({{"environment", "HiddenNumber"}, {"level", 2}});
  const Json begun = served.post("/v1/episodes", {{"address", world["address"]}})["observation"];
  EXPECT_EQ(world["messages"], begun["messages"]);
  EXPECT_EQ(world["tools"], begun["tools"]);
  EXPECT_EQ(world["tools"][0]["name"], "guess");
  EXPECT_GT(world["max_turns"], 1);
  const Json question = ask({{"environment", "Echo"}, {"prompt", "boxed"}});
  EXPECT_EQ(question["messages"][0]["content"], question["prompt"]);
  EXPECT_EQ(question["tools"], Json::array());
  EXPECT_EQ(question["max_turns"], 1);
  const std::string statement = question["statement"];
  EXPECT_TRUE(question["prompt"].get<std::string>().starts_with(statement));
  EXPECT_THAT(statement, Not(HasSubstr("boxed")));
}

TEST(Api, RestoresAProblemFromItsParameter) {
  const ServedTest served;
  const Json made = served.post(
      "/v1/problems", {{"environment", "Echo"}, {"seed", 4}, {"references", true}})["problems"][0];
  Json query{{"environment", "Echo"}, {"parameter", made["parameter"]}, {"references", true}};
  const Json again = served.post("/v1/problems", query)["problems"][0];
  EXPECT_EQ(again["prompt"], made["prompt"]);
  EXPECT_EQ(again["reference"], made["reference"]);
  EXPECT_FALSE(again.contains("address"));
  EXPECT_EQ(served.post("/v1/problems", {{"parameter", made["parameter"]}})["status"], 422);
  query["suite"] = "Echo";
  EXPECT_EQ(served.post("/v1/problems", query)["status"], 422);
  EXPECT_EQ(
      served.post("/v1/problems", {{"environment", "Echo"}, {"parameter", {{"x", "y"}}}})["status"],
      422);
}

TEST(Api, TakesANumberForASplit) {
  const ServedTest served;
  const auto split = [&](const char* name) {
    return served.post("/v1/problems", {{"environment", "Echo"}, {"split", name}});
  };
  EXPECT_EQ(split("300")["problems"][0]["address"], "Echo@1/0/0/s12c");
  EXPECT_EQ(split("1")["problems"], split("train")["problems"]);
  for (const char* wrong : {"0", "-1", "1.5", "18446744073709551616", "dev", ""})
    EXPECT_THAT(split(wrong)["detail"].get<std::string>(), HasSubstr("numbers above 0")) << wrong;
}

TEST(Api, ListsASuite) {
  const ServedTest served;
  const Json suite = served.get("/v1/suites/Echo%2CRepeatNumber");
  EXPECT_EQ(suite["name"], "Echo,RepeatNumber");
  EXPECT_EQ(suite["environments"], Json({"Echo", "RepeatNumber"}));
  EXPECT_EQ(suite["weights"], Json::array());
  EXPECT_EQ(served.get("/v1/suites/None")["status"], 404);
  EXPECT_EQ(served.get("/v1/suites/%2Fetc%2Fpasswd")["status"], 404);
}

TEST(Api, StreamsADataSet) {
  const ServedTest served;
  const auto reply = net::get(
      served.port(), "/v1/environments/Echo/problems?level=1&seed=5&count=200&references=true");
  EXPECT_EQ(reply.headers.at("content-type"), "application/x-ndjson");
  EXPECT_EQ(std::ranges::count(reply.body, '\n'), 200);
  const auto first = parse_json(reply.body.substr(0, reply.body.find('\n')));
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)["address"], "Echo@1/1/5/s1");
  EXPECT_EQ(net::get(served.port(), "/v1/environments/Echo/problems?count=x").status, 422);
}

// Level 0 of the training split in place of level 3 of the test split would go unseen.
TEST(Api, RefusesKeysThatNobodyReads) {
  const ServedTest served;
  const Json wrong = served.post("/v1/problems", {{"environment", "Echo"}, {"levle", 3}});
  EXPECT_EQ(wrong["status"], 422);
  EXPECT_THAT(wrong["detail"].get<std::string>(), HasSubstr("did you mean level?"));
  EXPECT_EQ(net::get(served.port(), "/v1/environments/Echo/problems?splt=test").status, 422);
  EXPECT_EQ(net::get(served.port(), "/v1/environments/Echo/problems?split=test&&level=1").status,
            200);
  EXPECT_EQ(served.post("/v1/episodes", {{"environment", "Echo"}, {"lvl", 2}})["status"], 422);
}

TEST(Api, ScoresOneAndMany) {
  const ServedTest served;
  const Json problems = served.post(
      "/v1/problems",
      {{"suite", "Echo,RepeatNumber"}, {"count", 40}, {"references", true}})["problems"];
  Json items = Json::array();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::string reference = problems[i]["reference"];
    const std::string response = i % 3 == 2 ? "no idea"
                                            : fmt::format("So <answer>{}</answer>",
                                                          i % 3 == 0 ? reference : reference + "0");
    Json item{{"response", response}};
    if (i % 2 == 0) {
      item["address"] = problems[i]["address"];
    } else {
      item["environment"] = problems[i]["environment"];
      item["parameter"] = problems[i]["parameter"];
    }
    const Json verdict = served.post("/v1/score", item);
    EXPECT_EQ(verdict["reward"], i % 3 == 0 ? 1.0 : i % 3 == 1 ? 0.0 : -1.0) << item;
    EXPECT_EQ(verdict["solved"], i % 3 == 0);
    EXPECT_EQ(verdict["well_formed"], i % 3 != 2);
    items.push_back(item);
  }
  items.push_back({{"address", "None@1/0/0"}, {"response", ""}});
  items.push_back({{"address", "Echo@1/0/0"}});
  items.push_back(3);
  for (int round = 0; round < 3; ++round) {
    const Json verdicts = served.post("/v1/score", {{"items", items}})["verdicts"];
    ASSERT_EQ(verdicts.size(), items.size());
    for (std::size_t i = 0; i < problems.size(); ++i) EXPECT_EQ(verdicts[i]["solved"], i % 3 == 0);
    for (std::size_t i = problems.size(); i < items.size(); ++i)
      EXPECT_TRUE(verdicts[i].contains("error"));
  }
  EXPECT_EQ(served.post("/v1/score", {{"address", "Echo@1/0/0/s1"},
                                      {"response", problems[0]["reference"]},
                                      {"raw", true}})["reward"],
            1.0);
  // A reward is a real number to every reader.
  const std::string body = net::post(served.port(), "/v1/score", dump_json(items[0])).body;
  EXPECT_EQ(body, R"({"reward":1.0,"solved":true,"well_formed":true})");
}

TEST(Api, SaysWhatIsWrongWithARequest) {
  const ServedTest served;
  EXPECT_EQ(net::post(served.port(), "/v1/problems", "{").status, 400);
  EXPECT_EQ(net::post(served.port(), "/v1/problems", "[1]").status, 400);
  EXPECT_EQ(net::post(served.port(), "/v1/problems", R"({"count":1,"count":2})").status, 400);
  EXPECT_EQ(net::post(served.port(), "/v1/episodes/step", "\"\xff\"").status, 400);
  EXPECT_EQ(net::post(served.port(), "/v1/score", "{").status, 422);
  EXPECT_EQ(net::post(served.port(), "/v1/score", std::string(10'000, '[')).status, 422);
  const Json wrong = served.post("/v1/score", {{"address", "Echo@9/0/0"}, {"response", ""}});
  EXPECT_EQ(wrong["status"], 422);
  EXPECT_THAT(wrong["detail"].get<std::string>(), HasSubstr("version 9"));
}

// Finds a hidden number by halving, one server after another: a token is all that there is.
TEST(Api, EpisodesSurviveARestart) {
  std::optional<ServedTest> served(std::in_place);
  Json state =
      served->post("/v1/episodes", {{"environment", "HiddenNumber"}, {"level", 3}, {"seed", 5}});
  EXPECT_EQ(state["observation"]["tools"][0]["name"], "guess");
  EXPECT_FALSE(state["observation"].contains("reward"));
  const std::string first_token = state["episode"];
  int low = 1;
  int high = 32;
  while (!state["done"].get<bool>()) {
    const int guess = (low + high) / 2;
    const Json action{
        {"tool_calls", {{{"id", "c"}, {"name", "guess"}, {"arguments", {{"number", guess}}}}}}};
    if (state["turns"] == 2) served.emplace();
    state = served->post("/v1/episodes/step", {{"episode", state["episode"]}, {"action", action}});
    ASSERT_FALSE(state.contains("status")) << state;
    const std::string told = dump_json(state["observation"]["messages"]);
    if (told.find("higher") != std::string::npos) low = guess + 1;
    if (told.find("lower") != std::string::npos) high = guess - 1;
  }
  EXPECT_EQ(state["verdict"]["solved"], true);
  EXPECT_EQ(
      served->post("/v1/episodes/step", {{"episode", state["episode"]}, {"action", "x"}})["status"],
      409);
  // An old token is an old state: the same turn again gives the same answer.
  const Json action{
      {"tool_calls", {{{"id", "c"}, {"name", "guess"}, {"arguments", {{"number", 1}}}}}}};
  const Json once =
      served->post("/v1/episodes/step", {{"episode", first_token}, {"action", action}});
  EXPECT_EQ(served->post("/v1/episodes/step", {{"episode", first_token}, {"action", action}}),
            once);
  const Json where = served->post("/v1/episodes/state", {{"episode", first_token}});
  EXPECT_EQ(where["turns"], 0);
  EXPECT_EQ(served->post("/v1/episodes/close", {{"episode", first_token}})["closed"], true);
  EXPECT_EQ(served->post("/v1/episodes/state", {{"episode", "e30"}})["status"], 422);
  EXPECT_EQ(served->post("/v1/episodes/state", {{"episode", "~"}})["status"], 422);
}

TEST(Api, EpisodesGoOnFromTheirRecord) {
  const ServedTest served({.token = "user", .admin_token = "admin"});
  const auto ask = [&](const char* path, const Json& body, const char* token = "user") {
    return served.post(path, body, fmt::format("Authorization: Bearer {}\r\n", token));
  };
  const Json action{{"tool_calls", {{{"name", "guess"}, {"arguments", {{"number", 33}}}}}}};
  const Json opened = ask("/v1/episodes", {{"environment", "HiddenNumber"}, {"level", 3}});
  const Json stepped =
      ask("/v1/episodes/step", {{"episode", opened["episode"]}, {"action", action}});
  const Json state = ask("/v1/episodes/state", {{"episode", stepped["episode"]}});
  EXPECT_FALSE(state.contains("verdict"));
  const Json resumed = ask("/v1/episodes", {{"record", state["record"]}});
  EXPECT_EQ(resumed["episode"], stepped["episode"]);
  EXPECT_EQ(resumed["turns"], 1);
  EXPECT_EQ(resumed["observation"]["messages"], stepped["observation"]["messages"]);
  EXPECT_EQ(resumed["observation"]["tools"], opened["observation"]["tools"]);
  // How an episode goes is told to the administrator before its end.
  const Json seen = ask("/v1/episodes/state", {{"episode", stepped["episode"]}}, "admin");
  EXPECT_EQ(seen["verdict"]["solved"], false);
  Json long_record = state["record"];
  for (int i = 0; i < 15; ++i)
    long_record["actions"].insert(long_record["actions"].end(), {"", ""});
  const Json ended = ask("/v1/episodes", {{"record", long_record}});
  EXPECT_EQ(ended["done"], true);
  EXPECT_LT(ended["turns"], 31);
  for (const Json& wrong : std::vector<Json>{{{"record", 3}},
                                             {{"record", Json::object()}},
                                             {{"record", state["record"]}, {"environment", "Echo"}},
                                             {{"environment", "Echo"}, {"reading", "loose"}}})
    EXPECT_EQ(ask("/v1/episodes", wrong)["status"], 422) << wrong;
}

TEST(Api, ReadsAnEpisodesAnswerAsItIsTold) {
  const ServedTest served;
  for (const char* reading : {"strict", "tolerant"}) {
    const Json opened =
        served.post("/v1/episodes", {{"address", "Echo@1/0/0"}, {"reading", reading}});
    const Json state = served.post("/v1/episodes/state", {{"episode", opened["episode"]}});
    const std::string reference = state["hidden"]["reference"];
    const Json ended = served.post(
        "/v1/episodes/step",
        {{"episode", opened["episode"]}, {"action", "<answer>**" + reference + "**</answer>"}});
    EXPECT_EQ(ended["verdict"]["solved"], reading == std::string_view("tolerant"));
  }
}

TEST(Api, ReadsNoThoughtsWhereItIsTold) {
  const ServedTest served;
  const Json opened =
      served.post("/v1/episodes", {{"address", "Echo@1/0/0"}, {"thoughts", "closed"}});
  const Json state = served.post("/v1/episodes/state", {{"episode", opened["episode"]}});
  EXPECT_EQ(state["record"]["thoughts"], "closed");
  const std::string reference = state["hidden"]["reference"];
  const std::string open = "<think><answer>" + reference + "</answer>";
  const Json ended =
      served.post("/v1/episodes/step", {{"episode", opened["episode"]}, {"action", open}});
  EXPECT_EQ(ended["verdict"]["well_formed"], false);
  const auto scored = [&](const Json& thoughts, const std::string& response) {
    return served.post(
        "/v1/score",
        {{"address", "Echo@1/0/0"}, {"response", response}, {"thoughts", thoughts}})["solved"];
  };
  EXPECT_EQ(scored("whole", open), true);
  EXPECT_EQ(scored("closed", open), false);
  EXPECT_EQ(scored("behind", "<answer>" + reference + "</answer>"), false);
  EXPECT_EQ(scored("closed", "<answer>" + reference + "</answer>"), true);
  EXPECT_EQ(scored("behind", open + "</think><answer>" + reference + "</answer>"), true);
  const Json wrong = served.post("/v1/episodes", {{"address", "Echo@1/0/0"}, {"thoughts", "no"}});
  EXPECT_TRUE(wrong.contains("detail")) << wrong;
}

// In a text, in the turn that opened the episode and in later ones, which name no tools again.
TEST(Api, ReadsTheCallsThatAPolicyWrites) {
  std::optional<ServedTest> served(std::in_place);
  Json state =
      served->post("/v1/episodes", {{"environment", "HiddenNumber"}, {"level", 3}, {"seed", 5}});
  for (int turn = 0; turn < 2; ++turn) {
    const std::string text =
        R"(<tool_call>{"name": "guess", "arguments": {"number": 33}}</tool_call>)";
    const Json called{
        {"tool_calls", {{{"id", "call_0"}, {"name", "guess"}, {"arguments", {{"number", 33}}}}}}};
    const Json& token = state["episode"];
    const Json by_message =
        served->post("/v1/episodes/step", {{"episode", token}, {"action", called}});
    const Json by_text = served->post("/v1/episodes/step", {{"episode", token}, {"action", text}});
    ASSERT_TRUE(by_text.contains("observation")) << by_text;
    EXPECT_EQ(by_text["observation"], by_message["observation"]);
    EXPECT_THAT(dump_json(by_text["observation"]), HasSubstr("lower"));
    served.emplace();  // a process that has only the token
    state = by_text;
  }
}

TEST(Api, AQuestionIsAnEpisodeOfOneTurn) {
  const ServedTest served({.token = "user", .admin_token = "admin"});
  const char* const user = "X-API-Key: user\r\n";
  const Json opened = served.post("/v1/episodes", {{"address", "Echo@1/0/0"}}, user);
  EXPECT_FALSE(opened["observation"].contains("info"));
  EXPECT_FALSE(
      served.post("/v1/episodes/state", {{"episode", opened["episode"]}}, user).contains("hidden"));
  const Json hidden =
      served.post("/v1/episodes/state", {{"episode", opened["episode"]}}, "X-API-Key: admin\r\n");
  const std::string reference = hidden["hidden"]["reference"];
  const Json ended = served.post(
      "/v1/episodes/step",
      {{"episode", opened["episode"]}, {"action", "<answer>" + reference + "</answer>"}}, user);
  EXPECT_EQ(ended["done"], true);
  EXPECT_EQ(ended["verdict"]["reward"], 1.0);
  EXPECT_EQ(ended["observation"]["reward"], 1.0);
}

TEST(Api, DescribesItself) {
  const ServedTest served;
  const Json document = served.get("/openapi.json");
  EXPECT_TRUE(document["paths"]["/v1/score"].contains("post"));
  EXPECT_EQ(document["paths"]["/v1/episodes"]["post"]["requestBody"]["content"]["application/json"]
                    ["schema"]["properties"]["seed"]["type"],
            "integer");
  for (const auto& [path, methods] : document["paths"].items())
    for (const auto& [method, operation] : methods.items())
      EXPECT_THAT(operation["summary"].get<std::string>(), Not("")) << path;
}

TEST(Api, GivesExamplesThatAreAnswered) {
  const ServedTest served;
  const Json document = served.get("/openapi.json");
  int tried = 0;
  for (const auto& [path, methods] : document["paths"].items()) {
    const Json post = methods.value("post", Json::object());
    const auto place = Json::json_pointer("/requestBody/content/application~1json/example");
    if (!post.contains(place)) continue;
    const std::string to =
        path == "/v1/curricula/{id}/problems" ? "/v1/curricula/mine/problems" : path;
    const auto reply = net::post(served.port(), to, dump_json(post[place]));
    EXPECT_EQ(reply.status, 200) << path << ": " << reply.body;
    ++tried;
  }
  EXPECT_GE(tried, 8);
}

// The page loads nothing from elsewhere, and makes no markup of what the server says.
TEST(Api, HasAPageOfItself) {
  const ServedTest served({.token = "secret"});
  EXPECT_EQ(net::get(served.port(), "/docs").headers.at("location"), "/docs/");
  const auto index = net::get(served.port(), "/docs/");
  EXPECT_EQ(index.status, 200);
  EXPECT_THAT(index.headers.at("content-security-policy"), HasSubstr("default-src 'none'"));
  for (const char* name : {"docs.css", "docs.js"}) {
    EXPECT_THAT(index.body, HasSubstr(fmt::format("\"{}\"", name)));
    const auto file = net::get(served.port(), fmt::format("/docs/{}", name));
    EXPECT_EQ(file.status, 200);
    for (const char* way :
         {"://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"})
      EXPECT_THAT(file.body, Not(HasSubstr(way))) << name;
  }
  EXPECT_EQ(net::get(served.port(), "/docs/other").status, 404);
  EXPECT_EQ(net::get(served.port(), "/openapi.json").status, 401);
  EXPECT_EQ(std::system(".venv/bin/python redqueen/serve/testdata/check_docs_page.py"), 0);
}

}  // namespace
}  // namespace redqueen::serve
