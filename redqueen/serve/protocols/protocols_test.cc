// The exchanges of released clients, as recorded from them: OpenEnv 0.4 and 0.10, NeMo Gym 0.7,
// slime, veRL 0.9 and sandbox-fusion 0.3.
#include "redqueen/serve/protocols/protocols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/base64.h"
#include "redqueen/serve/testing/fixture.h"

namespace redqueen::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string reference_of(const std::string& address) {
  return test_service().make(*ProblemAddress::parse(address))->problem->reference();
}

std::string marked(const std::string& address) {
  return fmt::format("I think so.\n<answer>{}</answer>", reference_of(address));
}

// What OpenEnv's client does on one connection.
class OpenEnvClient {
 public:
  explicit OpenEnvClient(const ServedTest& served) : client_(served.port()) {
    EXPECT_EQ(
        client_.upgrade("/ws",
                        "Sec-WebSocket-Extensions: permessage-deflate; "
                        "client_max_window_bits\r\nUser-Agent: Python/3.11 websockets/15.0\r\n"),
        101);
  }
  Json ask(std::string_view frame) {
    client_.send_frame(1, frame);
    return read();
  }
  Json read() {
    const auto json = parse_json(client_.read_frame().payload);
    return json ? *json : Json("no JSON");
  }
  net::RawClient& raw() { return client_; }

 private:
  net::RawClient client_;
};

TEST(OpenEnv, PlaysEpisodes) {
  const ServedTest served;
  OpenEnvClient client(served);
  for (int round = 0; round < 3; ++round) {
    Json shown = client.ask(
        R"({"type": "reset", "data": {"address": "Echo@1/1/7/s1", "episode_id": "e1"}})");
    EXPECT_EQ(shown["type"], "observation");
    EXPECT_EQ(shown["data"]["reward"], nullptr);
    EXPECT_EQ(shown["data"]["done"], false);
    EXPECT_THAT(shown["data"]["observation"]["prompt"].get<std::string>(), StartsWith("Repeat "));
    EXPECT_EQ(shown["data"]["observation"]["address"], "Echo@1/1/7/s1");
    const Json step{{"type", "step"}, {"data", {{"response", marked("Echo@1/1/7/s1")}}}};
    const Json judged = client.ask(dump_json(step));
    EXPECT_EQ(judged["data"]["reward"], 1.0);
    EXPECT_EQ(judged["data"]["done"], true);
    EXPECT_EQ(judged["data"]["observation"]["solved"], true);
    EXPECT_EQ(client.ask(R"({"type": "state"})")["data"],
              (Json{{"episode_id", "e1"}, {"step_count", 1}, {"address", "Echo@1/1/7/s1"}}));
  }
  EXPECT_EQ(
      client.ask(dump_json(Json{{"type", "step"}, {"data", {{"response", "x"}}}}))["data"]["code"],
      "EXECUTION_ERROR");
  const Json named =
      client.ask(R"({"type": "reset", "data": {"environment": "Echo", "level": 1, "seed": 7}})");
  EXPECT_EQ(named["data"]["observation"]["address"], "Echo@1/1/7/s1");
  // What verifiers sends for a reply that is JSON.
  EXPECT_EQ(client.ask(R"({"type": "step", "data": {"response": 42}})")["data"]["reward"], -1.0);
  client.raw().send_frame(1, R"({"type": "close"})");
  EXPECT_EQ(client.raw().read_frame().close_code(), 1000);
}

TEST(OpenEnv, SaysWhatIsWrongAndGoesOn) {
  const ServedTest served;
  OpenEnvClient client(served);
  const auto code = [&](std::string_view frame) { return client.ask(frame)["data"]["code"]; };
  EXPECT_EQ(code("{"), "INVALID_JSON");
  EXPECT_EQ(code(R"({"type":"dance"})"), "UNKNOWN_TYPE");
  EXPECT_EQ(code(R"({"type":"step","data":{}})"), "VALIDATION_ERROR");
  EXPECT_EQ(code(R"({"type":"step","data":{"response":"x"}})"), "EXECUTION_ERROR");
  EXPECT_EQ(code(R"({"type":"state","data":{}})"), "VALIDATION_ERROR");
  EXPECT_EQ(code(R"({"type":"reset","data":{"environment":"NoSuchEnvironment"}})"),
            "EXECUTION_ERROR");
  EXPECT_EQ(code(R"({"type":"reset","data":{"seed":-1}})"), "VALIDATION_ERROR");
  EXPECT_EQ(client.ask(R"({"type":"reset","data":{"address":"Echo@1/0/0"}})")["type"],
            "observation");
  EXPECT_EQ(client.ask("[1]")["data"]["code"], "SESSION_ERROR");
  EXPECT_EQ(client.raw().read_frame().close_code(), 1000);
}

TEST(OpenEnv, TakesManyTurnsWithTools) {
  const ServedTest served;
  OpenEnvClient client(served);
  const Json shown =
      client.ask(R"({"type":"reset","data":{"environment":"HiddenNumber","level":0}})");
  EXPECT_EQ(shown["data"]["observation"]["tools"][0]["name"], "guess");
  Json last;
  for (int number = 1; number <= 4 && !(last.contains("data") && last["data"]["done"] == true);
       ++number) {
    const Json call{{"id", "c"}, {"name", "guess"}, {"arguments", {{"number", number}}}};
    last = client.ask(dump_json(
        Json{{"type", "step"}, {"data", {{"response", ""}, {"tool_calls", Json::array({call})}}}}));
    ASSERT_EQ(last["type"], "observation") << last;
  }
  EXPECT_EQ(last["data"]["done"], true);
}

TEST(OpenEnv, OverHttp) {
  const ServedTest served;
  const Json shown = served.post("/reset", {{"address", "Echo@1/0/3"}});
  EXPECT_EQ(shown["done"], false);
  EXPECT_TRUE(shown.contains("metadata"));
  EXPECT_EQ(net::post(served.port(), "/reset", "").status, 200);
  EXPECT_EQ(net::post(served.port(), "/reset", R"({"seed":-1})").status, 422);
  EXPECT_EQ(served.post("/reset", {{"episode_id", std::string(256, 'x')}})["detail"][0]["loc"][1],
            "episode_id");
  const Json action{{"response", marked("Echo@1/0/3")}, {"metadata", {{"address", "Echo@1/0/3"}}}};
  EXPECT_EQ(served.post("/step", {{"action", action}})["reward"], 1.0);
  EXPECT_EQ(served.post("/step", {{"action", {{"response", "x"}}}})["status"], 422);
  EXPECT_EQ(served.get("/health")["status"], "healthy");
  const Json schema = served.get("/schema");
  EXPECT_EQ(schema["action"]["required"], Json::array({"response"}));
  EXPECT_NE(schema["action"]["title"], "Action");
  EXPECT_TRUE(schema.contains("reset_observation"));
  EXPECT_EQ(served.get("/state")["step_count"], 0);
  EXPECT_EQ(served.get("/metadata")["name"], "redqueen");
}

// ------------------------------------------------------------------------------------------------

Json nemo_row(const std::string& address, const std::string& text) {
  Json row{
      {"responses_create_params", {{"input", Json::array({{{"role", "user"}, {"content", "…"}}})}}},
      {"address", address},
      {"_ng_task_index", 0},
      {"_ng_rollout_index", 0}};
  row["response"] = {{"id", "resp_1"}, {"object", "response"}, {"output", Json::array()}};
  row["response"]["output"].push_back({{"type", "reasoning"}, {"summary", Json::array()}});
  row["response"]["output"].push_back({{"type", "message"}, {"role", "assistant"}});
  Json pieces = Json::array();
  pieces.push_back({{"type", "output_text"},
                    {"text", text.substr(0, text.size() / 2)},
                    {"annotations", Json::array()}});
  pieces.push_back({{"type", "output_text"},
                    {"text", text.substr(text.size() / 2)},
                    {"annotations", Json::array()}});
  row["response"]["output"][1]["content"] = pieces;
  return row;
}

TEST(NemoGym, VerifiesRowsAndEchoesThem) {
  const ServedTest served;
  for (const char* address : {"Echo@1/1/5", "RepeatNumber@1/1/5", "Echo@1/1/5"}) {
    const Json row = nemo_row(address, marked(address));
    const auto reply = net::post(served.port(), "/verify", dump_json(row));
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_THAT(reply.headers.at("set-cookie"), StartsWith("redqueen_session="));
    const auto read = parse_json(reply.body);
    ASSERT_TRUE(read) << reply.body;
    Json answer = *read;
    for (const auto& [key, value] : row.items()) EXPECT_EQ(answer[key], value);
    EXPECT_EQ(answer["reward"], 1.0);
    EXPECT_EQ(answer["solved"], 1.0);
    EXPECT_EQ(answer["mask_sample"], false);
    EXPECT_EQ(served.post("/verify", nemo_row(address, "no idea"))["reward"], -1.0);
  }
  Json without = nemo_row("Echo@1/0/0", "x");
  without.erase("response");
  EXPECT_EQ(served.post("/verify", without)["status"], 422);
  EXPECT_EQ(served.post("/verify", nemo_row("None@1/0/0", "x"))["status"], 422);
  EXPECT_EQ(net::post(served.port(), "/verify", "{").status, 422);
}

TEST(NemoGym, KeepsItsSessionsCookie) {
  const ServedTest served;
  const auto first =
      net::post(served.port(), "/seed_session", dump_json(nemo_row("Echo@1/0/0", "")));
  EXPECT_EQ(first.body, "{}");
  const std::string cookie =
      first.headers.at("set-cookie").substr(0, first.headers.at("set-cookie").find(';'));
  const Json typed{{"resources_session_id", "s-1"},
                   {"episode_id", {{"rollout_id", "r"}, {"attempt", 0}}},
                   {"task_id", {{"taskset", "redqueen"}, {"task_id", "t"}}},
                   {"task_data", {{"address", "Echo@1/0/0"}}}};
  const auto again = net::post(served.port(), "/seed_session", dump_json(typed),
                               fmt::format("Cookie: {}\r\n", cookie));
  EXPECT_THAT(again.headers.at("set-cookie"), StartsWith(cookie + ";"));
  EXPECT_EQ(again.body,
            R"({"resources_session_id":"s-1","resources_tools":null,"sandbox_access":null})");
  EXPECT_EQ(net::post(served.port(), "/close_session", R"({"resources_session_id":"s-1"})").body,
            R"({"resources_session_id":"s-1"})");
  EXPECT_EQ(net::get(served.port(), "/reverify_mode").body, "\"stateless\"");
  const Json means = served.post(
      "/aggregate_metrics",
      {{"verify_responses", {{{"reward", 1.0}, {"x", true}}, {{"reward", 0.5}, {"n", 3}}}}});
  EXPECT_EQ(means["key_metrics"]["mean/reward"], 0.75);
  EXPECT_EQ(means["agent_metrics"]["mean/n"], 1.5);
}

TEST(NemoGym, AsAGymnasium) {
  const ServedTest served;
  const Json row = nemo_row("Echo@1/2/5", marked("Echo@1/2/5"));
  Json first = row;
  first.erase("response");
  const Json shown = served.post("/reset", first);
  EXPECT_THAT(shown["observation"].get<std::string>(), StartsWith("Repeat"));
  EXPECT_EQ(shown["info"]["address"], "Echo@1/2/5");
  const Json judged = served.post("/step", row);
  EXPECT_EQ(judged["reward"], 1.0);
  EXPECT_EQ(judged["terminated"], true);
  EXPECT_EQ(judged["truncated"], false);
}

// Of an episode whose only tool is called with each of the numbers in turn.
TEST(NemoGym, RemembersAnEpisodeOfSeveralTurnsUnderItsCookie) {
  const ServedTest served;
  const Json row{{"responses_create_params", {{"input", Json::array()}}},
                 {"address", "HiddenNumber@1/0/3"}};
  const auto first = net::post(served.port(), "/reset", dump_json(row));
  const Json shown = *parse_json(first.body);
  EXPECT_EQ(shown["info"]["supports_step_idempotency"], true);
  EXPECT_EQ(shown["info"]["tools"][0]["name"], "guess");
  const std::string cookie =
      first.headers.at("set-cookie").substr(0, first.headers.at("set-cookie").find(';'));
  const std::string header = fmt::format("Cookie: {}\r\n", cookie);
  const auto guess = [&](int number, const std::string& id) {
    Json body = row;
    body["_ng_step_request_id"] = id;
    const Json call{{"type", "function_call"},
                    {"call_id", "c7"},
                    {"name", "guess"},
                    {"arguments", fmt::format("{{\"number\": {}}}", number)}};
    body["response"] = {{"output", Json::array({call})}};
    return served.post("/step", body, header);
  };
  Json last = Json::object();
  int turns = 0;
  for (int number = 1; last.value("terminated", false) == false; ++number) {
    last = guess(number, std::to_string(number));
    ++turns;
    ASSERT_TRUE(last.contains("terminated")) << last;
    if (last["terminated"] == false) {
      EXPECT_EQ(last["info"]["tool_outputs"][0]["call_id"], "c7") << last;
      EXPECT_EQ(guess(number, std::to_string(number)), last);  // sent again, it counts once
    }
  }
  EXPECT_TRUE(last["info"].contains("solved"));
  EXPECT_EQ(guess(99, std::to_string(turns)), last);
  EXPECT_EQ(guess(99, "new")["status"], 409);
  EXPECT_EQ(net::post(served.port(), "/close", "{}", header).status, 200);
  EXPECT_EQ(guess(1, "after")["status"], 404);
}

// ------------------------------------------------------------------------------------------------

TEST(Rewards, OfSlimeAndVerl) {
  const ServedTest served;
  const Json sample{{"prompt", "…"}, {"response", marked("Echo@1/0/4")}, {"label", "Echo@1/0/4"}};
  const auto reply = net::post(served.port(), "/slime/reward", dump_json(sample));
  EXPECT_EQ(reply.body, "1.0");
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  EXPECT_EQ(net::post(served.port(), "/slime/reward",
                      R"({"prompt":"","response":"no","label":"Echo@1/0/4"})")
                .body,
            "-1.0");
  EXPECT_EQ(net::post(served.port(), "/slime/reward", R"({"prompt":"","response":"","label":"x"})")
                .status,
            422);
  const Json verl{{"data_source", "redqueen"},
                  {"solution_str", marked("Echo@1/0/4")},
                  {"ground_truth", "Echo@1/0/4"},
                  {"extra_info", {{"num_turns", 1}}}};
  EXPECT_EQ(served.post("/verl/reward", verl)["score"], 1.0);
  EXPECT_EQ(served.post("/verl/reward", {{"solution_str", ""}})["status"], 422);
}

TEST(SandboxFusion, RunsPrograms) {
  const ServedTest served;
  const auto run = [&](const char* code, Json more = Json::object()) {
    Json body{{"compile_timeout", 5},
              {"run_timeout", 10},
              {"code", code},
              {"language", "python"},
              {"stdin", nullptr},
              {"memory_limit_MB", 512},
              {"files", Json::object()},
              {"fetch_files", Json::array()}};
    body.update(more);
    return served.post("/run_code", body);
  };
  Json answer = run("print('hello')");
  EXPECT_EQ(answer["status"], "Success") << answer;
  EXPECT_EQ(answer["compile_result"], nullptr);
  EXPECT_EQ(answer["run_result"]["stdout"], "hello\n");
  EXPECT_EQ(answer["run_result"]["return_code"], 0);
  answer = run("import sys\nprint(sum(map(int, sys.stdin.read().split())))\nsys.exit(3)",
               {{"stdin", "1 2 3\n"}});
  EXPECT_EQ(answer["status"], "Failed");
  EXPECT_EQ(answer["run_result"]["status"], "Finished");
  EXPECT_EQ(answer["run_result"]["return_code"], 3);
  EXPECT_EQ(answer["run_result"]["stdout"], "6\n");
  answer = run("raise ValueError('no')");
  EXPECT_EQ(answer["run_result"]["return_code"], 1);
  EXPECT_THAT(answer["run_result"]["stderr"].get<std::string>(), HasSubstr("ValueError: no"));
  answer = run("while True: pass", {{"run_timeout", 0.3}});
  EXPECT_EQ(answer["status"], "Failed");
  EXPECT_EQ(answer["run_result"]["status"], "TimeLimitExceeded");
  EXPECT_EQ(answer["run_result"]["return_code"], nullptr);
  answer = run("print(open('in.txt').read())\nopen('out.txt', 'w').write('done')",
               {{"files", {{"in.txt", base64("given", Base64::kPadded)}}},
                {"fetch_files", {"out.txt", "none.txt"}}});
  EXPECT_EQ(answer["run_result"]["stdout"], "given\n") << answer;
  EXPECT_EQ(answer["files"], (Json{{"out.txt", base64("done", Base64::kPadded)}}));
  EXPECT_EQ(run("1", {{"language", "cobol"}})["status"], 422);
  EXPECT_EQ(run("1", {{"files", {{"../x", ""}}}})["status"], 422);
  EXPECT_EQ(run("1", {{"fetch_files", {"/etc/passwd"}}})["status"], 422);
}

TEST(SandboxFusion, JudgesSubmissions) {
  const ServedTest served;
  const auto submit = [&](const char* program, Json extra = Json::object()) {
    Json cases = Json::array();
    for (const auto& [in, out] : {std::pair("1 2", "Sum 3"), {"2 5", "sum 7"}, {"1 1", "SUM 2"}})
      cases.push_back({{"input", {{"stdin", in}}}, {"output", {{"stdout", out}}}});
    const Json row{{"id", 4}, {"content", "Add."}, {"test", dump_json(cases)}};
    return served.post("/submit",
                       {{"dataset", "mine"},
                        {"id", 4},
                        {"completion", fmt::format("Here:\n```python\n{}```\n", program)},
                        {"config",
                         {{"dataset_type", "CommonOJDataset"},
                          {"language", "python"},
                          {"provided_data", Json::array({row})},
                          {"extra", std::move(extra)}}}});
  };
  const char* const right = "print('Sum', sum(map(int, input().split())), '\\n')\n";
  Json answer = submit(right);
  EXPECT_EQ(answer["accepted"], true) << answer;
  EXPECT_EQ(answer["id"], 4);
  EXPECT_EQ(answer["extracted_code"], right);
  EXPECT_EQ(answer["tests"].size(), 3);
  EXPECT_EQ(answer["tests"][1]["exec_info"]["run_result"]["stdout"], "Sum 7 \n\n");
  const char* const wrong = "print('Sum', 3)\n";
  answer = submit(wrong);
  EXPECT_EQ(answer["accepted"], false);
  EXPECT_EQ(answer["tests"].size(), 2);  // the first that fails is the last one
  EXPECT_EQ(submit(wrong, {{"run_all_cases", true}})["tests"].size(), 3);
  EXPECT_EQ(submit("print('Sum 3')\nraise SystemExit(1)\n")["tests"][0]["passed"], false);
}

TEST(SandboxFusion, ComparesNumbersAsNumbers) {
  const ServedTest served;
  const auto accepted = [&](const char* printed, const char* expected) {
    Json test = Json::array();
    test.push_back({{"input", {{"stdin", ""}}}, {"output", {{"stdout", expected}}}});
    return served.post(
        "/submit",
        {{"dataset", "mine"},
         {"id", "a"},
         {"completion", fmt::format("print({})", printed)},
         {"config", {{"language", "python"}, {"provided_data", {{"test", test}}}}}})["accepted"];
  };
  EXPECT_EQ(accepted("1 / 3", "0.333333"), true);
  EXPECT_EQ(accepted("1 / 3", "0.3333"), false);
  EXPECT_EQ(accepted("1, 2", "1 2\n"), true);
  EXPECT_EQ(accepted("1, 2", "1  2"), false);
  EXPECT_EQ(accepted("'1\\n2'", "1"), false);
  for (const Json& config :
       std::vector<Json>{Json::object(),
                         {{"language", "cobol"}},
                         {{"language", "python"}},
                         {{"language", "python"}, {"provided_data", {{"test", Json::array()}}}},
                         {{"language", "python"}, {"provided_data", {{"test", "["}}}},
                         {{"language", "python"}, {"dataset_type", "MBPPDataset"}}}) {
    const Json body{{"dataset", "mine"}, {"id", 1}, {"completion", "1"}, {"config", config}};
    EXPECT_EQ(served.post("/submit", body)["status"], 422) << config;
  }
}

// ------------------------------------------------------------------------------------------------

// The last event of a list of server-sent ones.
Json end_of(const net::Reply& reply) {
  const std::size_t at = reply.body.rfind("event: end\r\ndata: ");
  if (at == std::string::npos) return reply.body;
  const std::string text = reply.body.substr(at + 18);
  const auto json = parse_json(text.substr(0, text.find("\r\n")));
  return json ? *json : Json(text);
}

TEST(Ors, PlaysSessions) {
  const ServedTest served;
  const auto names = served.get("/list_environments");
  EXPECT_EQ(names[0], "hiddennumber");
  EXPECT_EQ(served.get("/echo/splits")[0]["name"], "train");
  EXPECT_GT(served.post("/echo/num_tasks", {{"split", "train"}})["num_tasks"], 0);
  const Json task = served.post("/echo/task", {{"split", "train"}, {"index", 4}});
  EXPECT_EQ(task["env_name"], "echo");
  EXPECT_EQ(
      served.post("/echo/task_range", {{"split", "train"}, {"start", 4}, {"stop", 6}})["tasks"][0],
      task["task"]);
  EXPECT_EQ(served.post("/echo/task", {{"split", "train"}, {"index", -1}})["status"], 400);
  const auto moved = net::get(served.port(), "/prompt", "X-Deployment: me/Echo\r\n");
  EXPECT_EQ(moved.status, 308);
  EXPECT_EQ(moved.headers.at("location"), "/echo/prompt");
  EXPECT_THAT(net::post(served.port(), "/create_session", "{}").body,
              StartsWith("event: task_id\r\ndata: "));
  const char* const session = "X-Session-ID: s1\r\n";
  EXPECT_EQ(served.post("/create", {{"task_spec", {{"address", "Echo@1/1/4"}}}}, session)["sid"],
            "s1");
  EXPECT_EQ(served.post("/ping", Json::object(), session)["status"], "ok");
  EXPECT_EQ(served.post("/ping", Json::object(), "X-Session-ID: s2\r\n")["status"], 404);
  EXPECT_THAT(served.get("/echo/prompt", session)[0]["text"].get<std::string>(),
              StartsWith("Repeat"));
  const Json tools = served.get("/echo/task_tools", session);
  EXPECT_EQ(tools["tools"][0]["name"], "submit");
  EXPECT_EQ(tools["terminal_tool"]["arg"], "response");
  const auto call = [&](const Json& body) {
    return net::post(served.port(), "/echo/call", dump_json(body), session);
  };
  EXPECT_EQ(end_of(call({{"name", "dance"}, {"input", Json::object()}}))["reason"], "not_found");
  EXPECT_EQ(end_of(call({{"name", "submit"}, {"input", Json::object()}}))["reason"],
            "input_validation");
  const Json submit{
      {"name", "submit"}, {"input", {{"response", marked("Echo@1/1/4")}}}, {"task_id", "t1"}};
  const Json outcome = end_of(call(submit));
  EXPECT_EQ(outcome["output"]["reward"], 1.0);
  EXPECT_EQ(outcome["output"]["finished"], true);
  EXPECT_EQ(end_of(call(submit)), outcome);  // sent again
  EXPECT_EQ(end_of(call({{"name", "submit"}, {"input", {{"response", "x"}}}}))["reason"],
            "episode_finished");
  EXPECT_EQ(served.post("/delete", Json::object(), session)["sid"], "s1");
  EXPECT_EQ(served.post("/ping", Json::object(), session)["status"], 404);
}

TEST(Ors, CallsTheToolsOfAWorld) {
  const ServedTest served;
  const char* const session = "X-Session-ID: w\r\n";
  served.post("/create", {{"env_name", "hiddennumber"}, {"split", "train"}, {"index", 0}}, session);
  EXPECT_EQ(served.get("/hiddennumber/tools", session)["tools"][0]["name"], "guess");
  Json outcome;
  for (int number = 1; number <= 4; ++number) {
    outcome = end_of(net::post(served.port(), "/hiddennumber/call",
                               dump_json(Json{{"name", "guess"}, {"input", {{"number", number}}}}),
                               session));
    ASSERT_EQ(outcome["ok"], true) << outcome;
    EXPECT_FALSE(outcome["output"]["blocks"].empty());
    if (outcome["output"]["finished"] == true) break;
  }
  EXPECT_EQ(outcome["output"]["finished"], true);
}

TEST(Mcp, OffersTools) {
  const ServedTest served;
  const auto ask = [&](const char* method, const Json& params) {
    return served.post("/mcp",
                       {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}});
  };
  const Json hello =
      ask("initialize", {{"protocolVersion", "2025-03-26"}, {"capabilities", Json::object()}});
  EXPECT_EQ(hello["id"], 7);
  EXPECT_EQ(hello["result"]["protocolVersion"], "2025-03-26");
  EXPECT_EQ(
      net::post(served.port(), "/mcp", R"({"jsonrpc":"2.0","method":"notifications/initialized"})")
          .status,
      202);
  EXPECT_EQ(ask("tools/list", Json::object())["result"]["tools"].size(), 4);
  const auto call = [&](const char* name, const Json& arguments) {
    return ask("tools/call", {{"name", name}, {"arguments", arguments}})["result"];
  };
  const Json problem = call("get_problem", {{"environment", "Echo"}, {"level", 1}, {"seed", 4}});
  EXPECT_EQ(problem["isError"], false);
  EXPECT_EQ(problem["structuredContent"]["address"], "Echo@1/1/4/s1");
  const Json verdict =
      call("submit", {{"address", "Echo@1/1/4/s1"}, {"response", marked("Echo@1/1/4/s1")}});
  EXPECT_EQ(verdict["structuredContent"]["reward"], 1.0);
  const Json opened = call("open_episode", {{"address", "HiddenNumber@1/0/0"}});
  const Json guess{
      {"tool_calls",
       Json::array({Json{{"id", "c"}, {"name", "guess"}, {"arguments", {{"number", 1}}}}})}};
  const Json stepped = call(
      "step_episode", {{"episode", opened["structuredContent"]["episode"]}, {"action", guess}});
  EXPECT_EQ(stepped["isError"], false) << stepped;
  EXPECT_EQ(call("get_problem", {{"environment", "None"}})["isError"], true);
  EXPECT_EQ(ask("dance", Json::object())["error"]["code"], -32601);
  EXPECT_EQ(served.post("/mcp", Json::object())["error"]["code"], -32600);
  EXPECT_EQ(net::post(served.port(), "/mcp", "{").status, 200);
}

// Lifecycle and transports of versions 2024-11-05, 2025-03-26 and 2025-06-18.
TEST(Mcp, SpeaksTheVersionThatItAgreedOn) {
  const ServedTest served;
  const auto offered = [&](const Json& wanted) {
    const Json hello = served.post("/mcp", {{"jsonrpc", "2.0"},
                                            {"id", 1},
                                            {"method", "initialize"},
                                            {"params", {{"protocolVersion", wanted}}}});
    return hello["result"]["protocolVersion"];
  };
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18"})
    EXPECT_EQ(offered(version), version);
  EXPECT_EQ(offered("2099-01-01"), "2025-06-18");
  EXPECT_EQ(offered("2024-10-07"), "2025-06-18");
  EXPECT_EQ(offered(7), "2025-06-18");
  const auto ask = [&](std::string_view body, std::string_view version) {
    const std::string header =
        version.empty() ? "" : fmt::format("MCP-Protocol-Version: {}\r\n", version);
    return net::post(served.port(), "/mcp", body, header);
  };
  constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":3,"method":"ping"})";
  for (const char* version : {"", "2024-11-05", "2025-03-26", "2025-06-18"})
    EXPECT_EQ(ask(kPing, version).status, 200) << version;
  for (const char* version : {"2099-01-01", "1", "2025-06-18 "})
    EXPECT_EQ(ask(kPing, version).status == 200, std::string_view(version) == "2025-06-18 ");
  // What a client answers is taken.
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"result":{}})", "2025-06-18").status, 202);
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}})", "").status, 202);
  // Several messages in one list, until 2025-06-18 did away with them.
  const std::string batch =
      fmt::format(R"([{0},{{"jsonrpc":"2.0","method":"notifications/initialized"}},7,{0}])", kPing);
  const Json replies = *parse_json(ask(batch, "2025-03-26").body);
  ASSERT_EQ(replies.size(), 3);
  EXPECT_EQ(replies[0]["id"], 3);
  EXPECT_EQ(replies[1]["error"]["code"], -32600);
  EXPECT_EQ(parse_json(ask(batch, "2025-06-18").body)->at("error")["code"], -32600);
  EXPECT_EQ(ask(R"([{"jsonrpc":"2.0","method":"notifications/x"}])", "").status, 202);
  EXPECT_EQ(parse_json(ask("[]", "").body)->at("error")["code"], -32600);
}

}  // namespace
}  // namespace redqueen::serve
