// A language model as agent, from the command line to the closed run: a policy of this program
// behind its own server, one in the same process, and a chat endpoint that plays a model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "redqueen/base/json.h"
#include "redqueen/cli/testing/fixture.h"
#include "redqueen/policy/testing/server.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A policy that costs nothing and has a context for the task's text.
constexpr const char* kSmall =
    " --quiet --set curriculum.suite=Sorting --set model.hidden_size=16"
    " --set model.intermediate_size=32 --set model.layers=1 --set model.heads=2"
    " --set model.key_value_heads=1 --set model.head_dim=8 --set model.vocabulary=300"
    " --set model.context=16384 --set run.threads=1 ";
constexpr const char* kSampling = " --set sampling.max_new_tokens=8 --set run.threads=1";

class ModelAgentCli : public CliFixture {
 protected:
  std::string terms(const std::string& env) const {
    return "arena run --env " + env + " --run " + at(env) +
           " --budget 3 --validation 2 --heldout 2 --seed 3 --workers 1 --finish-early";
  }
  Json record(const std::string& env) const { return *parse_json(read(at(env + "/run.json"))); }
};

TEST_F(ModelAgentCli, APolicyOfThisProgramPlaysByItselfAndThroughItsServer) {
  ASSERT_EQ(run("policy init" + std::string(kSmall) + "--out " + at("policy")).code, 0)
      << read(at("err"));
  // Tools are told in the model's own form, which a policy made from nothing does not have.
  write_file(folder_ / "policy/chat_template.jinja",
             "{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}"
             "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n"
             "{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}");
  const Outcome direct =
      run(terms("CartPole-v1") + " --agent model --turns 2 --policy " + at("policy") + kSampling);
  EXPECT_EQ(direct.code, 0) << direct.err;
  const pid_t server = fork();
  if (server == 0) {
    const std::string command =
        fmt::format("exec {} serve --port 0 --announce {} --policy {} --set run.threads=1 >{} 2>&1",
                    redqueen_binary(), at("url"), at("policy"), at("serve.log"));
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  for (int i = 0; i < 600 && !fs::exists(at("url")); ++i) usleep(100'000);
  std::string url = read(at("url"));
  url.resize(url.find_last_not_of(" \n/") + 1);
  const Outcome served =
      run(terms("MountainCar-v0") + " --agent model --model tiny --turns 2 --policy openai:" + url +
          "/v1 --set sampling.max_new_tokens=8");
  kill(server, SIGTERM);
  waitpid(server, nullptr, 0);
  EXPECT_EQ(served.code, 0) << served.err << read(at("serve.log"));
  // It knows nothing and writes no policy: the run says so, and what it said is kept.
  for (const std::string env : {"CartPole-v1", "MountainCar-v0"}) {
    EXPECT_EQ(record(env)["status"], "no_ok_submit") << env;
    EXPECT_EQ(record(env)["isolated"], true) << env;
    const std::string log = read(at(env + "/logs/agent.jsonl"));
    EXPECT_THAT(log, HasSubstr("You improve a program that acts in an environment")) << env;
    EXPECT_GE(std::count(log.begin(), log.end(), '\n'), 2) << log;
  }
}

TEST_F(ModelAgentCli, AnEndpointPlaysTwoEnvironments) {
  const TestServer server("redqueen/arena/testdata/model_server.py", at("last.json"));
  for (const std::string env : {"CartPole-v1", "Acrobot-v1"}) {
    const Outcome done =
        run(terms(env) + " --agent model --policy openai:" + server.url() + " --model scripted");
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(record(env)["status"], "ok") << env;
    EXPECT_EQ(record(env)["isolated"], true) << env;
    EXPECT_EQ(record(env)["submissions"].size(), 2U) << env;
  }
  EXPECT_EQ(record("CartPole-v1")["score"], 500.0);
}

}  // namespace
}  // namespace redqueen
