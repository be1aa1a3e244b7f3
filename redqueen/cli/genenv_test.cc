#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "redqueen/base/json.h"
#include "redqueen/cli/testing/fixture.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/run_directory.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class GenEnvCommands : public CliFixture {
 protected:
  // A run of two steps with one task of one turn, one of several, and two refused generations.
  GenEnvCommands() {
    const auto directory = run::RunDirectory::create(at("run"), "# test\n");
    auto store = run::EventStore::open(directory.value().database_path());
    const Json described = parse_json(R"({"environment":"Sorting","level":2})").value();
    const Json one = parse_json(R"({"task":"Sorting@1/2/7","description":{"environment":"Sorting",
        "level":2},"origin":"fresh","prompt":"Sort 3 1 2","solver_turns":1,"attempts":4,"successes":1,
        "traces":[{"reward":1.0,"solved":true,"tokens":5,"text":"1 2 3</answer>"},
                  {"reward":0.25,"solved":false,"tokens":4,"text":"1 3 2</answer>"}]})")
                         .value();
    const Json several = parse_json(R"({"task":"HiddenNumber@1/3/1","description":
        {"environment":"HiddenNumber","level":3},"origin":"old","prompt":"Find it","solver_turns":4,
        "attempts":2,"successes":2,"traces":[{"reward":1.0,"solved":true,"tokens":9,"turns":[
          {"role":"assistant","text":"guess 4"},{"role":"tool","text":"higher"}]}]})")
                             .value();
    const Json written = parse_json(R"({"context":"task like Sorting 1","response":"{…}",
        "explored":false,"n":4,"k":1,"success":0.25,"reward":0.28,"weight":1.1,"tokens":9})")
                             .value();
    Json valid = written;
    valid["description"] = described;
    const std::vector<run::ItemRecord> first = {
        {.kind = "generation", .name = "1/0/0", .fate = "valid", .data = valid},
        {.kind = "generation", .name = "1/0/1", .fate = "bad_level", .data = written},
        {.kind = "task", .name = "1/0", .fate = "sometimes", .data = one}};
    const std::vector<run::ItemRecord> second = {
        {.kind = "generation", .name = "2/0/0", .fate = "bad_level", .data = written},
        {.kind = "task", .name = "2/0", .fate = "always", .data = several}};
    EXPECT_TRUE(store->append(1, first));
    EXPECT_TRUE(store->append(2, second));
  }

  static std::vector<Json> lines_of(const std::string& text) {
    std::vector<Json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(parse_json(line).value());
    return lines;
  }
};

TEST_F(GenEnvCommands, ListTasksAndWhatBecameOfTheGenerations) {
  const Outcome all = run("genenv tasks " + at("run"));
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("3 generations: 2 bad_level 1 valid"));
  EXPECT_THAT(all.out, HasSubstr("2 tasks"));
  EXPECT_THAT(all.out, HasSubstr(R"({"environment":"Sorting","level":2})"));
  EXPECT_THAT(all.out, HasSubstr("1/4"));
  const Outcome old = run("genenv tasks " + at("run") + " --origin old");
  EXPECT_THAT(old.out, HasSubstr("1 tasks"));
  EXPECT_EQ(old.out.find("Sorting"), std::string::npos);
  const Outcome newest = run("genenv tasks " + at("run") + " --most 1");
  EXPECT_EQ(newest.out.find("Sorting"), std::string::npos);
  const auto lines = lines_of(run("genenv tasks " + at("run") + " --json").out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["name"], "1/0");
  EXPECT_EQ(lines[1]["step"], 2);
}

// Whoever looks on takes no lock: the run may be training, or somebody else's.
TEST_F(GenEnvCommands, ReadARunThatIsTraining) {
  const auto training = run::RunDirectory::open(at("run"));
  ASSERT_TRUE(training.has_value());
  for (const char* words : {"genenv tasks ", "genenv export ", "synth list "}) {
    const Outcome looked = run(words + at("run"));
    EXPECT_EQ(looked.code, 0) << words << looked.err;
  }
}

TEST_F(GenEnvCommands, ShowAttemptsAsConversations) {
  const Outcome one = run("genenv tasks " + at("run") + " --show 1/0");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("Sort 3 1 2"));
  EXPECT_THAT(one.out, HasSubstr("attempt 1: reward 1.00, solved, 5 tokens\n[assistant] 1 2 3"));
  EXPECT_THAT(one.out, HasSubstr("attempt 2: reward 0.25, 4 tokens"));
  const Outcome several = run("genenv tasks " + at("run") + " --show 2/0");
  EXPECT_THAT(several.out, HasSubstr("[assistant] guess 4\n[tool] higher\n"));
  const Outcome none = run("genenv tasks " + at("run") + " --show 9/9");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("this run has no task 9/9"));
}

TEST_F(GenEnvCommands, ExportThePools) {
  const auto train = lines_of(run("genenv export " + at("run")).out);
  ASSERT_EQ(train.size(), 3U) << "a line a trace";
  EXPECT_EQ(train[0]["task"], "Sorting@1/2/7");
  EXPECT_EQ(train[0]["reward"], 1.0);
  EXPECT_EQ(train[1]["text"], "1 3 2</answer>");
  EXPECT_EQ(train[2]["turns"].size(), 2U);
  const Outcome env = run("genenv export " + at("run") + " --pool env");
  const auto pairs = lines_of(env.out);
  ASSERT_EQ(pairs.size(), 1U) << "refused generations are no pairs";
  EXPECT_EQ(pairs[0]["context"], "task like Sorting 1");
  EXPECT_EQ(pairs[0]["weight"], 1.1);
  // What was exported can be trained on as an offline file.
  std::ofstream(at("env.jsonl")) << env.out;
  const Outcome trained =
      run("train --config genenv-quickstart --policy /no/such/policy "
          "--set genenv.tasks=file --set genenv.file=" +
          at("env.jsonl"));
  EXPECT_THAT(trained.err, HasSubstr("/no/such/policy")) << "the settings are in order";
  EXPECT_EQ(run("genenv export " + at("run") + " --pool other").code, 2);
  EXPECT_EQ(run("genenv tasks /no/such/run").code, run("azr tasks /no/such/run").code);
}

// From a description to trained episodes, with weights of chance and tasks of a file: such a policy
// describes none. The bonus for entropy makes gradients where all rewards are the same.
TEST_F(GenEnvCommands, TrainOnWorldsTurnByTurn) {
  const std::string sizes =
      "--quiet --set model.context=16384 --set model.hidden_size=16 "
      "--set model.intermediate_size=32 --set model.layers=1 --set model.heads=2 "
      "--set model.key_value_heads=1 --set model.head_dim=8 --set model.tokenizer_problems=8 "
      "--set curriculum.suite=household,toolcall --set run.threads=1 ";
  ASSERT_EQ(run("policy init " + sizes + "--out " + at("policy")).code, 0);
  const std::string tokenizer = at("policy/tokenizer_config.json");
  Json config = parse_json(read(tokenizer)).value();
  config["chat_template"] =
      "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
      "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
  std::ofstream(tokenizer) << dump_json(config);
  std::ofstream(at("tasks.jsonl")) << R"({"environment":"household","level":0})" << '\n'
                                   << R"({"environment":"toolcall","level":0})" << '\n';
  const Outcome trained =
      run("train --recipe genenv " + sizes + "--policy " + at("policy") + " --run " + at("worlds") +
          " --set policy.prompt_format=chat --set genenv.tasks=file --set genenv.file=" +
          at("tasks.jsonl") +
          " --set genenv.base_levels=[0] --set genenv.seeds=2 --set genenv.variations=1"
          " --set genenv.attempts=2 --set genenv.max_turns=12"
          " --set run.steps=2 --set run.checkpoint_every=2 --set run.record_rollouts=32"
          // A turn that its limit cuts ends the episode; these letters end a turn sooner.
          R"( --set sampling.max_new_tokens=60 --set 'sampling.stop=["a","e","i","o","u"]')"
          " --set batch.dynamic_sampling=false"
          " --set train.entropy_coefficient=0.01 --set train.learning_rate=1e-3"
          " --set evaluation.before=false --set evaluation.after=false");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("2 of 2 descriptions became tasks"));

  auto store = run::EventStore::open_to_read(at("worlds/run.db")).value();
  std::map<std::string, std::size_t> turns;  // the most that an episode had
  for (const std::int64_t step : {1, 2}) {
    const auto rollouts = store.rollouts(step);
    ASSERT_TRUE(rollouts) << rollouts.error().message;
    for (const run::RolloutRecord& rollout : *rollouts)
      turns[rollout.environment] = std::max(turns[rollout.environment], rollout.turns.size());
  }
  ASSERT_EQ(turns.size(), 2U) << "both worlds were asked";
  EXPECT_EQ(turns["household"], 24U) << "twelve turns of the agent, and what it saw after each";
  EXPECT_NE(read(at("worlds/agent/policy/model.safetensors")),
            read(at("policy/model.safetensors")));
}

TEST_F(GenEnvCommands, MeasureTheTheoremBesideItsBound) {
  const Outcome outcome =
      run("bench genenv --json --pairs 2000 --draws 2000 --seeds 1 --out " + at("theory.png"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  int rankings = 0;
  int rules = 0;
  for (const Json& line : lines_of(outcome.out)) {
    rules += line.contains("rule") ? 1 : 0;
    if (!line.contains("bound")) continue;
    ++rankings;
    EXPECT_LE(line["misranked"].get<double>(), line["bound"].get<double>());
  }
  EXPECT_EQ(rankings, 55);
  EXPECT_EQ(rules, 3);
  EXPECT_GT(fs::file_size(at("theory.png")), 10000U);
}

TEST_F(GenEnvCommands, SayWhatIsWrongWithSettings) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"train --config genenv-quickstart --policy /nowhere --set genenv.tasks=file",
       "name a file of descriptions as genenv.file"},
      {"train --config genenv-quickstart --policy /nowhere --set genenv.old_share=0.9",
       "leave 0 % for fresh tasks"},
      {"train --config genenv-quickstart --policy openai:http://127.0.0.1:1/v1",
       "genenv.environment.policy must name"},
      {"train --config genenv-quickstart --policy /nowhere --set genenv.prompts=/no/prompts",
       "/no/prompts"},
      {"train --config genenv-quickstart --policy /nowhere --set genenv.preset=best", "paper"}};
  for (const auto& [words, message] : cases) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code == 0, false) << words;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << words;
  }
}

}  // namespace
}  // namespace redqueen
