#include "redqueen/recipes/recipes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/recipes/azr/azr_settings.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/report/report.h"
#include "redqueen/run/run_directory.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

TEST(LearnersOf, IsOneForAllRolesUnlessTheRecipeSaysOtherwise) {
  TrainSettings settings;
  settings.policy.path = "my/policy";
  settings.trainer.epochs = 3;
  for (const RecipeEntry& entry : recipes()) {
    if (entry.learners != nullptr) continue;
    const auto learners = learners_of(entry, settings).value();
    ASSERT_EQ(learners.size(), 1U) << entry.name;
    EXPECT_EQ(learners[0].role, "");
    EXPECT_EQ(learners[0].policy.path, "my/policy");
    EXPECT_EQ(learners[0].trainer.epochs, 3);
  }
}

TEST(LearnersOf, RefusesRolesThatCannotNameFolders) {
  static std::vector<std::string> roles;
  const RecipeEntry entry{.name = "several", .learners = [](const TrainSettings&) {
                            std::vector<LearnerSettings> learners;
                            for (const std::string& role : roles) learners.push_back({role});
                            return learners;
                          }};
  roles = {"asker", "answerer"};
  EXPECT_EQ(learners_of(entry, {}).value().size(), 2U);
  for (const auto& bad : std::vector<std::vector<std::string>>{
           {"asker", "asker"}, {"asker", ""}, {"asker", "a/b"}, {}}) {
    roles = bad;
    const auto refused = learners_of(entry, {});
    ASSERT_FALSE(refused) << testing::PrintToString(bad);
    EXPECT_THAT(refused.error().message, HasSubstr("several"));
  }
}

// What a recipe's table says of environments holds for every engine, whoever trains.
TEST(EngineOptions, BringTheEnvironmentsOfRecipes) {
  TrainSettings settings;
  std::vector<std::string> prompts;
  Json parameter;
  for (const char* folder : {"prompts", "prompts-terse"}) {
    settings.table<azr::AzrSettings>().prompts = folder;
    const auto engine = Engine::create(engine_options(settings, source_resources()));
    ASSERT_TRUE(engine) << engine.error().message;
    const Environment* deduction = engine->registry().find("azr/deduction");
    ASSERT_NE(deduction, nullptr);
    if (parameter.is_null()) parameter = deduction->generate(0, 0).value()->parameter();
    prompts.push_back(deduction->restore(parameter).value()->prompt());
  }
  EXPECT_NE(prompts[0], prompts[1]);
}

// --- a recipe that is in no list ----------------------------------------------------------------

struct SketchSettings {
  int strokes = 3;
  std::string critic = "critic/policy";
};

RecipeEntry sketch_recipe() {
  return {
      .name = "sketch",
      .summary = "Draws, and has it looked at.",
      .declare =
          [](TrainSettings& train, run::Settings& settings) {
            SketchSettings& sketch = train.table<SketchSettings>();
            run::Section section = settings.section("sketch", "Of the recipe sketch.");
            section.field("strokes", sketch.strokes, {.help = "A picture's.", .min = 1});
            section.field("critic", sketch.critic, {.help = "The second policy."});
          },
      .learners =
          [](const TrainSettings& settings) {
            std::vector<LearnerSettings> learners{{"painter", settings.policy, settings.trainer},
                                                  {"critic", settings.policy, settings.trainer}};
            learners[1].policy.path = settings.table<SketchSettings>().critic;
            return learners;
          },
      .charts =
          [] {
            return std::vector<run::ChartRecord>{
                {.id = "likeness", .title = "Likeness", .series = {{"likeness", "mean"}}},
                {.id = "pictures",
                 .title = "What became of pictures",
                 .kind = std::string(run::chart_kind::kFates),
                 .items = "picture",
                 .series = {{"kept", ""}, {"*", ""}}}};
          },
      .preludes = [] { return std::vector<std::string>{"def stroke(): pass\n"}; },
      .environments =
          [](const TrainSettings& settings, const Resources&) {
            return std::vector<EnvironmentSource>{
                {"sketch",
                 [strokes = settings.table<SketchSettings>().strokes](
                     const std::shared_ptr<sandbox::SandboxService>&, Registry&) -> Status {
                   return failure("{} strokes", strokes);
                 }}};
          },
      .corpus = {.summary = "pictures",
                 .make = [](const CorpusRequest&) { return Expected<std::vector<TextPair>>(); }}};
}

TEST(RecipeEntry, BringsAllThatTheProgramKnowsOfARecipe) {
  std::vector<RecipeEntry> entries(recipes().begin(), recipes().end());
  entries.push_back(sketch_recipe());
  const RecipeEntry& sketch = entries.back();

  const std::string toml =
      "[run]\nrecipe = \"sketch\"\n[policy]\npath = \"mine\"\n[sketch]\nstrokes = 7\n"
      "[warm_start]\ncorpus = \"sketch\"\n[azr]\nreject_known = true\n";
  run::Settings declared(run::Config::parse(toml, "sketch.toml").value());
  TrainSettings settings;
  settings.declare(declared, entries);
  const Status read = declared.finish();
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(settings.table<SketchSettings>().strokes, 7);
  EXPECT_THAT(declared.to_toml(), HasSubstr("[sketch]"));
  run::Settings without(run::Config::parse(toml, "sketch.toml").value());
  TrainSettings others;
  others.declare(without);
  EXPECT_THAT(without.finish().error().message, HasSubstr("sketch"));

  const auto learners = learners_of(sketch, settings).value();
  ASSERT_EQ(learners.size(), 2U);
  EXPECT_EQ(learners[0].policy.path, "mine");
  EXPECT_EQ(learners[1].policy.path, "critic/policy");

  EXPECT_THAT(sandbox_config(settings, entries).preludes,
              testing::Contains("def stroke(): pass\n"));
  const auto engine = Engine::create(engine_options(settings, source_resources(), entries));
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().message, HasSubstr("7 strokes"));
}

// Reports and pages read the charts from the run.
TEST(RecipeEntry, HasItsChartsDrawnByReadersThatDoNotKnowIt) {
  const TestFolder folder;
  const auto directory = run::RunDirectory::create(folder / "run", "").value();
  auto store = run::EventStore::open(directory.database_path()).value();
  const std::vector<run::ChartRecord> own = sketch_recipe().charts();
  ASSERT_TRUE(store.describe(run::charts_of_run(own, {"painter", "critic"})));
  for (std::int64_t step = 1; step <= 3; ++step) {
    run::StepRecord record;
    record.step = step;
    record.metrics = {{"likeness", 0.25 * static_cast<double>(step)}};
    record.items = {{.kind = "picture", .name = "p", .fate = "kept", .data = {}}};
    ASSERT_TRUE(store.append(record));
  }
  EXPECT_THAT(store.charts().value(), testing::IsSupersetOf(own));
  const auto files = run::write_report(directory.path(), folder / "report");
  ASSERT_TRUE(files) << files.error().message;
  const std::string page = read_file(files->page);
  for (const run::ChartRecord& chart : own) EXPECT_THAT(page, HasSubstr(chart.title));
}

std::string fault_of(const std::string& toml) {
  const run::Config config = run::Config::parse(toml, "old.toml").value();
  run::Settings declared(config);
  TrainSettings settings;
  settings.declare(declared);
  const Status done = declared.finish();
  return done ? "" : done.error().message;
}

TEST(Settings, NamesWhatOldOnesAreCalledNow) {
  EXPECT_THAT(fault_of("[train]\ntoken_budget = 9\n"),
              HasSubstr("train.token_budget is called train.micro_batch_tokens now"));
  EXPECT_THAT(fault_of("[batch]\ndrop_equal_rewards = true\n"),
              HasSubstr("batch.drop_equal_rewards is called batch.dynamic_sampling now"));
  EXPECT_THAT(fault_of("[model]\npieces = \"lines\"\n"),
              HasSubstr("model.pieces is called model.pretokenizer now"));
  EXPECT_THAT(fault_of("[evoenv]\nprototype_threshold = 0.5\n"),
              HasSubstr("evoenv.prototype_threshold is called evoenv.cluster_threshold now"));
  EXPECT_EQ(fault_of("[train]\nmicro_batch_tokens = 9\n"), "");
}

}  // namespace
}  // namespace redqueen
