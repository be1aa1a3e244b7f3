// Growing, looking at and moving pools as a user meets it: exit codes and words, against a real
// endpoint.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

#include "redqueen/base/json.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/cli/testing/fixture.h"
#include "redqueen/recipes/evoenv/testing/server.h"
#include "redqueen/run/event_store.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SynthPoolCli : public CliFixture {
 protected:
  // Names of the folders of a pool.
  std::set<std::string> names(const std::string& pool) const {
    std::set<std::string> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_ / pool, error))
      found.insert(entry.path().filename().string());
    return found;
  }

  std::string import_seeds() const {
    for (const char* seed : {"sorting", "fibonacci"}) {
      const Outcome outcome =
          run(fmt::format("synth import configs/evoenv/seeds/{}.py --pool {}", seed, at("pool")));
      EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    }
    return at("pool");
  }
};

TEST_F(SynthPoolCli, ImportsShowsAndExportsWhatIsSound) {
  const std::string pool = import_seeds();
  const auto imported = names("pool");
  ASSERT_EQ(imported.size(), 2u);
  const std::string sorting = *imported.rbegin();
  EXPECT_THAT(sorting, HasSubstr("sorting-"));

  const Outcome list = run("synth list " + pool);
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, AllOf(HasSubstr(sorting), HasSubstr("fibonacci-"), HasSubstr("2 environ")));
  const Outcome json = run("synth list --json " + pool);
  std::istringstream lines(json.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_TRUE(imported.contains(
        fs::path(parse_json(line).value()["folder"].get<std::string>()).filename().string()));
  EXPECT_EQ(count, 2);

  const Outcome show = run(fmt::format("synth show {} --pool {}", sorting, pool));
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_THAT(show.out, AllOf(HasSubstr("class Sorting"), HasSubstr("imported"),
                              HasSubstr("a problem of difficulty 0"), HasSubstr("its reference")));
  EXPECT_EQ(run("synth show " + pool + "/" + sorting).out, show.out);

  const Outcome gone =
      run(fmt::format("synth export {} --pool {} --out {}", sorting, pool, at("other")));
  EXPECT_EQ(gone.code, 0) << gone.err;
  EXPECT_EQ(names("other"), std::set<std::string>{sorting});
  EXPECT_EQ(read(folder_ / "other" / sorting / "card.json"),
            read(folder_ / "pool" / sorting / "card.json"));
  // Names clash: nothing is written.
  EXPECT_EQ(run(fmt::format("synth export --pool {} --out {}", pool, at("other"))).code, 1);
  EXPECT_EQ(names("other").size(), 1u);
}

// What leaves for other trainers works where RedQueen is not.
TEST_F(SynthPoolCli, ExportsPackagesThatScoreByThemselves) {
  const std::string pool = import_seeds();
  const std::string words = "synth export --pool " + pool + " --levels 0,2 --problems 3 --form ";
  const Outcome data = run(words + "dataset --out " + at("problems.jsonl"));
  ASSERT_EQ(data.code, 0) << data.err;
  std::istringstream lines(read(folder_ / "problems.jsonl"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const Json problem = parse_json(line).value();
    EXPECT_FALSE(problem["prompt"].get<std::string>().empty());
    EXPECT_FALSE(problem["answer"].get<std::string>().empty());
  }
  EXPECT_EQ(count, 12);
  EXPECT_EQ(run(words + "dataset --out " + at("problems.jsonl")).code, 1);  // there is one
  EXPECT_EQ(run(words + "tarball --out " + at("x")).code, 2);
  for (const char* form : {"verifiers", "reasoning-gym"}) {
    const std::string place = at(std::string("out-") + form);
    const Outcome made = run(words + form + " --out " + place);
    ASSERT_EQ(made.code, 0) << made.err;
    for (const char* file : {"pyproject.toml", "README.md"})
      EXPECT_TRUE(fs::exists(fs::path(place) / file)) << file;
    const std::string module =
        std::string(form) == "verifiers" ? "out_verifiers" : "out_reasoning_gym";
    EXPECT_TRUE(fs::exists(fs::path(place) / module / "__init__.py"));
    const std::string runtime = place + "/" + module + "/runtime.py";
    std::ofstream(at("try.py"))
        << "import importlib.util\n"
           "spec = importlib.util.spec_from_file_location('runtime', '" +
               runtime +
               "')\n"
               "runtime = importlib.util.module_from_spec(spec)\n"
               "spec.loader.exec_module(runtime)\n"
               "rows = runtime.problems()\n"
               "for row in rows:\n"
               "    at = row['environment'], row['level'], row['seed']\n"
               "    assert runtime.new_problem(*at) == row['prompt']\n"
               "    assert runtime.score(*at, row['answer']) == 1.0, row\n"
               "    assert runtime.score(*at, 'cheese') == -1.0\n"
               "assert runtime.marked_answer('a <answer> 7 </answer>') == '7'\n"
               "assert runtime.marked_answer('7') is None\n"
               "print(len(rows), len(runtime.environments()))\n";
    FILE* python = popen(("python3 " + at("try.py") + " 2>&1").c_str(), "r");
    ASSERT_NE(python, nullptr);
    std::string said(2000, '\0');
    said.resize(fread(said.data(), 1, said.size(), python));
    EXPECT_EQ(pclose(python), 0) << said;
    EXPECT_EQ(said, "12 2\n");
  }
  const Outcome page = run("synth page " + pool + " --out " + at("pool.html"));
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(read(folder_ / "pool.html"), HasSubstr("Sort these"));
}

TEST_F(SynthPoolCli, RefusesWhatIsUnsoundOrThereAlready) {
  const std::string pool = import_seeds();
  const Outcome again = run("synth import " + pool + " --pool " + pool);
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.out, HasSubstr("the pool has one of this name"));
  const Outcome unsound =
      run("synth import redqueen/synth/zoo/hash_seed_dependent.py --pool " + pool);
  EXPECT_EQ(unsound.code, 1);
  EXPECT_THAT(unsound.out, HasSubstr("L3 hash_seed_dependent"));
  EXPECT_EQ(names("pool").size(), 2u);
  // A card that was made for another source.
  const fs::path folder = folder_ / "pool" / *names("pool").begin();
  std::ofstream(folder / "environment.py", std::ios::app) << "# edited\n";
  EXPECT_EQ(run("synth list " + pool).code, 1);
  EXPECT_EQ(run("synth import " + folder.string() + " --pool " + at("new")).code, 1);
  EXPECT_TRUE(names("new").empty());
}

TEST_F(SynthPoolCli, SaysWhatIsWrongWithAQuestion) {
  fs::create_directories(folder_ / "empty");
  EXPECT_EQ(run("synth list " + at("empty")).code, 0);
  for (const std::string& words : std::vector<std::string>{
           "synth list " + at("nowhere"),
           "synth list --candidates " + at("empty"),
           "synth show nothing",
           "synth show nothing --pool " + at("empty"),
           "synth why s1-0-0 --run " + at("empty"),
           std::string("synth why s1-0-0"),
           "synth export nothing --pool " + at("empty") + " --out " + at("x"),
           "synth import " + at("nowhere") + " --pool " + at("x"),
           "synth import " + at("empty") + " --pool " + at("x"),
           "synth grow --rounds 1 --run " + at("x"),
           "synth grow --policy openai:http://127.0.0.1:9/v1 --rounds 1 --run " + at("x"),
           "synth grow --policy openai:nonsense --model m --rounds 1 --run " + at("x"),
           "synth grow --resume " + at("nowhere"),
           "synth grow --policy openai:http://127.0.0.1:9/v1 --model m --budget-usd 1 --run " +
               at("x"),
           "synth grow --policy " + at("empty") + " --budget-usd 1 --run " + at("x"),
           "synth grow --policy openai:http://127.0.0.1:9/v1 --model m --budget-tokens 0 --run " +
               at("x"),
           "synth grow --policy openai:http://127.0.0.1:9/v1 --model m --topic x --set "
           "evoenv.prompts=evoenv/prompts-terse --run " +
               at("x"),
           "synth audit-review " + at("nowhere") +
               " --policy openai:http://127.0.0.1:9/v1 --model m",
           "synth audit-review " + at("empty") + " --policy openai:http://127.0.0.1:9/v1 --model m",
           "gym show " + at("empty"),
           "eval --suite " + at("empty")}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words << "\n" << outcome.out << outcome.err;
    EXPECT_FALSE(outcome.err.empty()) << words;
  }
  EXPECT_FALSE(fs::exists(folder_ / "x"));
}

TEST_F(SynthPoolCli, PlaysEnvironmentsByTheirPath) {
  const std::string pool = import_seeds();
  const std::string sorting = pool + "/" + *names("pool").rbegin();
  for (const std::string& path : {sorting, std::string("configs/evoenv/seeds/sorting.py")}) {
    const Outcome show = run("gym show --environment " + path);
    EXPECT_EQ(show.code, 0) << show.err;
    EXPECT_THAT(show.out, HasSubstr("Sort these"));
  }
  const Outcome check = run("gym check --problems 2 " + pool);
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_THAT(check.out, HasSubstr("sound"));
  EXPECT_EQ(run("gym show " + pool).code, 2);  // which one?

  const Outcome made = run("gym generate --level 1 --seed 3 " + sorting);
  ASSERT_EQ(made.code, 0) << made.err;
  Json line = parse_json(made.out).value();
  const std::string reference = line["reference"];
  std::ofstream input(at("in"));
  for (const std::string& answer : {reference, reference + " 1", std::string("cheese")}) {
    line["response"] = "<answer>" + answer + "</answer>";
    input << dump_json(line) << '\n';
  }
  line.erase("address");
  line["response"] = "<answer>" + reference + "</answer>";
  input << dump_json(line) << '\n';
  input.close();
  const Outcome score = run("gym score --environment " + pool + " < " + at("in"));
  EXPECT_EQ(score.code, 0) << score.err;
  std::istringstream lines(score.out);
  std::vector<bool> solved;
  for (std::string text; std::getline(lines, text);)
    solved.push_back(parse_json(text).value().value("solved", false));
  EXPECT_EQ(solved, (std::vector<bool>{true, false, false, true}));
}

class SynthGrowCli : public SynthPoolCli {
 protected:
  void SetUp() override {
    SynthPoolCli::SetUp();
    if (!fs::exists(source_dir() / ".venv") && getenv("REDQUEEN_MINILM") == nullptr)
      GTEST_SKIP() << "the weights of MiniLM are not here";
    fs::create_directories(folder_ / "seeds");
    fs::copy_file("configs/evoenv/seeds/sorting.py", folder_ / "seeds" / "sorting.py");
  }

  static std::string policy(const evoenv::EnvironmentServer& server) {
    return "--policy openai:" + server.url() + " --model scripted";
  }

  std::string grow(const evoenv::EnvironmentServer& server, const std::string& name) const {
    std::string words = fmt::format("synth grow {} --run {} --quiet", policy(server), at(name));
    for (const char* setting :
         {"generator_prompts=1", "candidates=12", "examples=1", "review_samples=1",
          "calibration_instances=6", "levels=[0,1]", "validation_levels=[0,1,2]"}) {
      words += fmt::format(" --set 'evoenv.{}'", setting);
    }
    return words + fmt::format(" --set 'evoenv.seeds=\"{}\"'", at("seeds"));
  }

  std::vector<run::ItemPoint> candidates(const std::string& name) const {
    auto store = run::EventStore::open_to_read(folder_ / name / "run.db");
    if (!store) return {};
    return store->items("candidate").value_or(std::vector<run::ItemPoint>{});
  }
};

TEST_F(SynthGrowCli, GrowsAPoolAndExplainsEveryFate) {
  const evoenv::EnvironmentServer server;
  const Outcome grown = run(grow(server, "run") + " --rounds 2");
  ASSERT_EQ(grown.code, 0) << grown.err;
  EXPECT_THAT(grown.out, AllOf(HasSubstr("round 2 done"), HasSubstr("accepted")));
  const auto all = candidates("run");
  ASSERT_FALSE(all.empty());
  std::size_t admitted = 0;
  for (const run::ItemPoint& point : all) {
    const Outcome why = run(fmt::format("synth why {} --run {}", point.item.name, at("run")));
    EXPECT_EQ(why.code, 0) << why.err;
    EXPECT_THAT(why.out, AllOf(HasSubstr(point.item.fate), HasSubstr("layers passed"),
                               HasSubstr(point.item.data["reason"].get<std::string>())));
    if (point.item.fate != "admitted") continue;
    ++admitted;
    EXPECT_THAT(why.out, AllOf(HasSubstr("review 1: accept"), HasSubstr("calibration: "),
                               HasSubstr("nearest: "), HasSubstr("probes of the scorer"),
                               HasSubstr("in the pool as "), HasSubstr("level 0: ")));
    const Outcome answers =
        run(fmt::format("synth why {} --run {} --answers", point.item.name, at("run")));
    EXPECT_THAT(answers.out, AllOf(HasSubstr("---- answer 6, level 1"), HasSubstr("Let me see.")));
  }
  ASSERT_GT(admitted, 0u);
  EXPECT_EQ(names("run/pool").size(), admitted);
  const Outcome shown = run(fmt::format(
      "synth show {}", (folder_ / "run" / "pool" / *names("run/pool").begin()).string()));
  EXPECT_THAT(shown.out, AllOf(HasSubstr("certificate:"), HasSubstr("best shortcut"),
                               HasSubstr("second authors  silent"), HasSubstr("(scripted)")));
  // What nobody set is as the paper has it, in the endpoint's own layout.
  const std::string config = read(folder_ / "run" / "config.toml");
  EXPECT_THAT(config, AllOf(HasSubstr("\nmax_new_tokens = 16384\n"),
                            HasSubstr("\ntext_format = \"chat:bare\"\n"),
                            HasSubstr("\nsecond_author = \"policy\"\n")));
  EXPECT_THAT(run("synth why s9-9-9 --run " + at("run")).err, HasSubstr("no candidate"));
  EXPECT_EQ(run("synth why s9-9-9 --run " + at("run")).code, 2);
  const Outcome list = run("synth list " + at("run"));
  EXPECT_THAT(list.out, AllOf(HasSubstr("1 of 1 accept"), HasSubstr(" of 6"),
                              HasSubstr(fmt::format("{} environments", admitted))));
  EXPECT_THAT(run("synth list --candidates " + at("run")).out,
              HasSubstr(fmt::format("{} candidates", all.size())));

  const Outcome eval = run(
      fmt::format("eval --suite {} --policy openai:{} --set endpoint.model=scripted --problems 8 "
                  "--levels 0 --json",
                  at("run"), server.url()));
  ASSERT_EQ(eval.code, 0) << eval.err;
  std::istringstream lines(eval.out);
  std::size_t records = 0;
  int solved = 0;
  for (std::string line; std::getline(lines, line); ++records)
    solved += parse_json(line).value()["solved"].get<int>();
  EXPECT_EQ(records, admitted);
  EXPECT_GT(solved, 0);

  const Outcome page = run("report " + at("run"));
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(read(folder_ / "run" / "report" / "index.html"),
              HasSubstr("What became of the candidates"));
}

TEST_F(SynthGrowCli, IsKilledAndGoesOn) {
  const evoenv::EnvironmentServer server("0.3");
  const std::string words = grow(server, "run");
  const pid_t child = fork();
  if (child == 0) {
    const std::string command = fmt::format("exec {} {} >/dev/null 2>&1", redqueen_binary(), words);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  // No end was given: it is killed somewhere in a round after the first.
  for (int i = 0; i < 2400 && candidates("run").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const auto before = candidates("run");
  ASSERT_FALSE(before.empty());
  const Json used = parse_json(read(folder_ / "run" / "usage.json")).value();

  const auto rounds = before.back().step + 1;
  const Outcome on =
      run(fmt::format("synth grow --resume {} --rounds {} --quiet", at("run"), rounds));
  ASSERT_EQ(on.code, 0) << on.out << on.err;
  const auto after = candidates("run");
  ASSERT_GT(after.size(), before.size());
  std::set<std::string> once;
  std::size_t admitted = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i < before.size()) {
      EXPECT_EQ(after[i], before[i]);
    }
    EXPECT_TRUE(once.insert(after[i].item.name).second);
    admitted += after[i].item.fate == "admitted";
  }
  EXPECT_EQ(after.back().step, rounds);
  EXPECT_EQ(names("run/pool").size(), admitted);
  const Json total = parse_json(read(folder_ / "run" / "usage.json")).value();
  EXPECT_GT(total["requests"], used["requests"]);
}

TEST_F(SynthGrowCli, AuditsSecondAuthors) {
  const evoenv::EnvironmentServer server;
  fs::create_directories(folder_ / "labelled" / "sound");
  fs::copy_file("configs/evoenv/seeds/sorting.py", folder_ / "labelled" / "sound" / "sorting.py");
  std::ofstream(folder_ / "labelled" / "houses.py")
      << "# label: faulty\n"
         "class Houses(VerifiableEnvironment):\n"
         "    prompt_template = 'One house has number {a}, another one number {b}. How far apart "
         "'\\\n"
         "        'are the houses?'\n"
         "    def _generate(self, seed, difficulty):\n"
         "        r = Random(seed)\n"
         "        self.a, self.b = r.randint(1, 60), r.randint(1, 60)\n"
         "        self.ref_answer = self.a * 2 + self.b\n"
         "    def _prompt_generate(self):\n"
         "        return self.prompt_template.format(a=self.a, b=self.b)\n"
         "    def _process(self, response):\n"
         "        return parse_int(response)\n"
         "    def scorer(self, parsed):\n"
         "        return 1.0 if parsed == self.ref_answer else 0.0\n";
  const std::string words =
      fmt::format("synth audit-second-author {} {} --set evoenv.second_author_programs=8",
                  at("labelled"), policy(server));
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("refuted: 1"), HasSubstr("silent: 1"),
                                 HasSubstr("against its reference"), HasSubstr("requests")));
  const Json json = parse_json(run(words + " --json").out).value();
  EXPECT_EQ(json["recall"], 1.0);
  EXPECT_EQ(json["false_positives"], 0);
  EXPECT_EQ(run("synth audit-second-author " + at("nowhere") + " " + policy(server)).code, 2);
}

TEST_F(SynthGrowCli, AuditsReviews) {
  const evoenv::EnvironmentServer server;
  fs::create_directories(folder_ / "labelled" / "sound");
  fs::copy_file("configs/evoenv/seeds/sorting.py", folder_ / "labelled" / "sound" / "sorting.py");
  const std::string sound = read("configs/evoenv/seeds/fibonacci.py");
  std::ofstream(folder_ / "labelled" / "missed.py") << "# label: faulty\n" << sound;
  std::ofstream(folder_ / "labelled" / "found.py")
      << "# label: faulty\n# How far apart is it from what it says?\n"
      << sound;
  const std::string words = fmt::format("synth audit-review {} {} --set evoenv.review_samples=2",
                                        at("labelled"), policy(server));
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("any_reject"), HasSubstr("all_reject"), HasSubstr("majority"),
                    HasSubstr("single"), HasSubstr("does not subtract")));
  const Outcome json = run(words + " --json");
  std::istringstream lines(json.out);
  int rules = 0;
  for (std::string text; std::getline(lines, text); ++rules) {
    const Json line = parse_json(text).value();
    EXPECT_EQ(line["precision"], 1.0);
    EXPECT_EQ(line["recall"], 0.5);
    EXPECT_EQ(line["true_negatives"], 1);
  }
  EXPECT_EQ(rules, 4);
  std::ofstream(folder_ / "labelled" / "unlabelled.py") << sound;
  EXPECT_EQ(run(words).code, 2);
}

}  // namespace
}  // namespace redqueen
