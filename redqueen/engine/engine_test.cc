#include "redqueen/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "redqueen/base/testing/folder.h"
#include "redqueen/code_tasks/heldout.h"
#include "redqueen/core/batch.h"
#include "redqueen/core/testing/hidden_number.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/gym/audit.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Engine, HasNativeEnvironmentsCodeTasksWrittenOnesAndTheArenas) {
  const Registry& registry = shared_engine().registry();
  for (const char* name : {"Sorting", "azr/deduction", "azr/abduction", "azr/induction",
                           "azr/error", "evoenv/written", "arena/cartpole"}) {
    EXPECT_NE(registry.find(name), nullptr) << name;
  }
  EXPECT_EQ(registry.all().size(), Registry::native().all().size() + 9);
  EXPECT_EQ(Registry::native().find("azr/error"), nullptr);
}

TEST(Engine, DerivesSuitesFromCards) {
  std::vector<std::string_view> published;
  std::vector<std::string_view> worlds;
  for (const Environment* environment : shared_engine().registry().all()) {
    const Card& card = environment->card();
    if (card.family == Family::kWorlds) worlds.push_back(card.name);
  }
  for (const Environment* environment : shared_engine().registry().published_forms())
    published.push_back(environment->name());
  for (const auto& [name, expected] : {std::pair{"all", published}, std::pair{"worlds", worlds}}) {
    const auto suite = shared_engine().load_suite(name);
    ASSERT_TRUE(suite) << suite.error().message;
    std::vector<std::string_view> names;
    for (const Environment* environment : suite->environments) names.push_back(environment->name());
    EXPECT_EQ(names, expected) << name;
    EXPECT_FALSE(names.empty()) << name;
  }
}

// The bound that gym/environment_test.cc holds native environments to. Those of the arena take
// turns with a judge, and have no answer to guess.
TEST(Engine, HasOtherEnvironmentsThatFallToNoSimpleRuleBeyondTheirBound) {
  constexpr double kRoom = 0.14;  // for the chance of few problems
  int held = 0;
  for (const Environment* environment : shared_engine().registry().all()) {
    const bool native = Registry::native().find(environment->name()) != nullptr;
    if (native || environment->card().answer == AnswerKind::kTurns) continue;
    ++held;
    const auto levels = audit(*environment, {.levels = {2, 5}, .problems = 40, .seconds = 120.0});
    for (const LevelAudit& level : levels) {
      EXPECT_GT(level.problems, 0);
      EXPECT_LE(level.worst().solved, allowed_share(environment->card(), level.level) + kRoom)
          << environment->name() << " level " << level.level << ": " << level.worst().rule;
    }
  }
  EXPECT_EQ(held, 5);
}

// Two engines side by side share nothing, and the sandbox that an engine was given is the one that
// its environments run in.
TEST(Engine, RunsCodeInItsOwnSandbox) {
  sandbox::SandboxConfig broken;
  broken.worker_path = "/no/such/worker";
  const auto without = Engine::create({.resources = source_resources(), .sandbox = broken});
  ASSERT_TRUE(without);
  for (const char* name : {"azr/deduction", "evoenv/written"}) {
    const auto failed = without->registry().find(name)->generate(0, 0);
    ASSERT_FALSE(failed) << name;
    EXPECT_THAT(failed.error().message, HasSubstr("/no/such/worker"));
    EXPECT_TRUE(shared_engine().registry().find(name)->generate(0, 0)) << name;
  }
  EXPECT_TRUE(without->registry().find("Sorting")->generate(0, 0));
}

// A new family belongs here once a test holds its environments to the promises of episodes
// (expect_sound_episodes): gym/environment_test.cc, code_tasks/code_environment_test.cc,
// synth/writer/written_problems_test.cc, arena/agents/coding_environment_test.cc.
TEST(Engine, HasOnlyFamiliesWhoseEpisodesAreTested) {
  std::set<std::string> families;
  for (const Environment* environment : shared_engine().registry().all()) {
    const std::string name(environment->name());
    const bool native = Registry::native().find(name) != nullptr;
    families.insert(native ? "native" : name.substr(0, name.find('/')));
  }
  EXPECT_THAT(families, ElementsAre("arena", "azr", "evoenv", "native"));
}

TEST(Engine, TakesEnvironmentsInPlaceOfItsOwn) {
  const fs::path terse = source_resources().find("azr/prompts-terse");
  const EnvironmentSource short_prompts{
      "azr", [&](const std::shared_ptr<sandbox::SandboxService>& sandbox, Registry& registry) {
        return code_tasks::add_code_environments(sandbox, {.prompts = terse, .solving = {}},
                                                 registry);
      }};
  const auto other =
      Engine::create({.resources = source_resources(), .sandbox = {}, .sources = {short_prompts}});
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->registry().all().size(), shared_engine().registry().all().size());
  const Json parameter =
      (*shared_engine().registry().find("azr/error")->generate(0, 0))->parameter();
  const auto usual = shared_engine().registry().find("azr/error")->restore(parameter);
  const auto short_one = other->registry().find("azr/error")->restore(parameter);
  ASSERT_TRUE(short_one) << short_one.error().message;
  EXPECT_NE((*usual)->prompt(), (*short_one)->prompt());
}

TEST(Engine, TakesEnvironmentsBesideItsOwn) {
  const EnvironmentSource more{
      "mine", [](const std::shared_ptr<sandbox::SandboxService>&, Registry& registry) {
        return registry.add(std::make_unique<NativeEnvironment<HiddenNumber>>());
      }};
  const auto engine =
      Engine::create({.resources = source_resources(), .sandbox = {}, .sources = {more}});
  ASSERT_TRUE(engine) << engine.error().message;
  EXPECT_NE(engine->registry().find("HiddenNumber"), nullptr);
  EXPECT_NE(engine->registry().find("azr/error"), nullptr);
  const auto twice =
      Engine::create({.resources = source_resources(), .sandbox = {}, .sources = {more, more}});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("HiddenNumber"));
}

// One problem of everything that there is, made and scored at once.
TEST(Engine, MakesAndScoresTheSameForAnyNumberOfThreads) {
  auto environments = shared_engine().registry().all();
  // A reference of the arena's plays thousands of steps; coding_environment_test.cc does that.
  std::erase_if(environments, [](const Environment* environment) {
    return environment->name().starts_with("arena/");
  });
  std::vector<ProblemRequest> requests;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (const Environment* environment : environments)
      requests.push_back({environment, static_cast<int>(seed), seed, 11});
  }
  std::vector<std::string> expected;
  for (const int threads : {1, 2, 7}) {
    const auto made = generate_all(requests, {.threads = threads});
    std::vector<std::string> references;
    std::vector<AnswerRequest> asked;
    for (const Generated& problem : made)
      references.push_back(problem ? (*problem)->reference() : "");
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!made[i]) continue;
      asked.push_back({made[i]->get(), references[i]});
      asked.push_back({made[i]->get(), references[(i + 1) % made.size()]});
    }
    ASSERT_GT(asked.size(), environments.size() * 4);
    const auto verdicts = score_all(asked, {.threads = threads});
    std::vector<std::string> lines;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      lines.push_back(fmt::format("{} {} {} {}", dump_json(asked[k].problem->parameter()),
                                  verdicts[k].reward, verdicts[k].solved, verdicts[k].well_formed));
      if (k % 2 == 0) {
        EXPECT_TRUE(verdicts[k].solved) << lines.back();
      }
    }
    if (expected.empty()) expected = lines;
    EXPECT_EQ(lines, expected) << threads;
  }
}

TEST(Engine, LoadsSuitesOfItsResources) {
  const TestFolder folder;
  fs::create_directories(folder / "suites");
  std::ofstream(folder / "suites" / "mine.toml") << "environments = [\"azr/error\"]\n";
  std::ofstream(folder / "suites" / "c16.toml") << "environments = [\"azr/error\"]\n";
  const auto engine = Engine::create(
      {.resources = Resources({folder.path(), source_resources().folders().front()})});
  ASSERT_TRUE(engine);
  const auto mine = engine->load_suite("mine");
  ASSERT_TRUE(mine) << mine.error().message;
  EXPECT_EQ(mine->environments, std::vector{engine->registry().find("azr/error")});
  EXPECT_EQ(engine->load_suite("c16")->environments.size(), 1u);  // the user's comes first
  EXPECT_GT(engine->load_suite("c256")->environments.size(), 1u);
  const auto none = engine->load_suite("c5");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(none.error().message, HasSubstr("c16, c256"));
  EXPECT_THAT(none.error().message, HasSubstr("mine"));
}

TEST(Resources, LieInTheUsersFolderThenBesideTheProgram) {
  const TestFolder folder;
  for (const char* name : {"own", "prefix/share/redqueen/configs", "tree/configs", "prefix/bin"})
    fs::create_directories(folder / name);
  for (const char* name : {"own/a", "prefix/share/redqueen/configs/a",
                           "prefix/share/redqueen/configs/b", "tree/configs/b", "tree/configs/c"}) {
    std::ofstream(folder / name) << "x";
  }
  const fs::path program = folder / "prefix/bin/redqueen";
  const auto installed = *Resources::locate(program, folder / "own");
  EXPECT_EQ(installed.find("a"), folder / "own/a");
  EXPECT_EQ(installed.find("b"), folder / "prefix/share/redqueen/configs/b");
  EXPECT_EQ(installed.find("c"), folder / "prefix/share/redqueen/configs/c");  // is not there
  EXPECT_EQ(installed.find_all("a").size(), 2u);
  EXPECT_EQ(installed.source_tree(), fs::path());

  fs::create_directory(folder / "package");
  const fs::path packaged = folder / "package/redqueen";
  EXPECT_EQ(Resources::locate(packaged)->find("a"), fs::path("a"));
  fs::copy(folder / "own", folder / "package/configs");
  EXPECT_EQ(Resources::locate(packaged)->find("a"), folder / "package/configs/a");

  std::ofstream(folder / "prefix/bin/redqueen.source") << (folder / "tree").string() << "\n";
  const auto developed = *Resources::locate(program);
  EXPECT_EQ(developed.find("a"), folder / "prefix/share/redqueen/configs/a");
  EXPECT_EQ(developed.find("c"), folder / "tree/configs/c");
  EXPECT_EQ(developed.source_tree(), folder / "tree");
  EXPECT_EQ(developed.given_or_found((folder / "own/a").string()), folder / "own/a");
  EXPECT_EQ(developed.given_or_found("c"), folder / "tree/configs/c");
  EXPECT_EQ(Resources().find("azr/prompts"), fs::path("azr/prompts"));

  const auto absent = Resources::locate(program, folder / "none");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(absent.error().message, HasSubstr("none: there is no such folder"));
}

}  // namespace
}  // namespace redqueen
