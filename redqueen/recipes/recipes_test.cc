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

// A recipe that overrides no more than it must.
class MinimalRecipe : public RecipeType {
 public:
  std::string_view name() const override { return "minimal"; }
  Expected<std::unique_ptr<Recipe>> make(const RecipeContext&) const override {
    return failure("nobody trains in these tests");
  }
};

TEST(RecipeType, HasDefaultsForAllButItsNameAndItsMaking) {
  TrainSettings settings;
  settings.policy.path = "my/policy";
  settings.trainer.epochs = 3;
  settings.batch.sampled_prompts = 5;
  settings.batch.rollouts = 7;
  const MinimalRecipe minimal;
  const std::vector<const RecipeType*> types{&minimal};

  run::Settings declared(run::Config::parse("[run]\nrecipe = \"minimal\"\n", "a.toml").value());
  TrainSettings read;
  read.declare(declared, types);
  ASSERT_TRUE(declared.finish());
  EXPECT_EQ(read.run.recipe, "minimal");

  const auto learners = learners_of(minimal, settings).value();
  ASSERT_EQ(learners.size(), 1U);
  EXPECT_EQ(learners[0].role, "");
  EXPECT_EQ(learners[0].policy.path, "my/policy");
  EXPECT_EQ(learners[0].trainer.epochs, 3);
  ASSERT_EQ(learners[0].calls.size(), 1U);
  EXPECT_EQ(learners[0].calls[0].prompts, 5);
  EXPECT_EQ(learners[0].calls[0].responses, 35);

  EXPECT_TRUE(minimal.check(settings, shared_engine()));
  EXPECT_TRUE(minimal.charts().empty());
  EXPECT_FALSE(minimal.corpus());
  EXPECT_EQ(sandbox_config(settings, types).preludes, settings.sandbox.config().preludes);
  EXPECT_TRUE(engine_options(settings, source_resources(), types).sources.empty());
}

TEST(LearnersOf, RefusesRolesThatCannotNameFolders) {
  class Several final : public MinimalRecipe {
   public:
    std::string_view name() const override { return "several"; }
    std::vector<LearnerSettings> learners(const TrainSettings&) const override {
      std::vector<LearnerSettings> learners;
      for (const std::string& role : roles) learners.push_back({role});
      return learners;
    }
    std::vector<std::string> roles;
  };
  Several several;
  several.roles = {"asker", "answerer"};
  EXPECT_EQ(learners_of(several, {}).value().size(), 2U);
  for (const auto& bad : std::vector<std::vector<std::string>>{
           {"asker", "asker"}, {"asker", ""}, {"asker", "a/b"}, {}}) {
    several.roles = bad;
    const auto refused = learners_of(several, {});
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

// Draws, and has it looked at.
class SketchRecipe final : public RecipeType {
 public:
  std::string_view name() const override { return "sketch"; }

  void declare(TrainSettings& train, run::Settings& settings) const override {
    SketchSettings& sketch = train.table<SketchSettings>();
    run::Section section = settings.section("sketch", "Of the recipe sketch.");
    section.field("strokes", sketch.strokes, {.help = "A picture's.", .min = 1});
    section.field("critic", sketch.critic, {.help = "The second policy."});
  }

  std::vector<LearnerSettings> learners(const TrainSettings& settings) const override {
    std::vector<LearnerSettings> learners{{"painter", settings.policy, settings.trainer},
                                          {"critic", settings.policy, settings.trainer}};
    learners[1].policy.path = settings.table<SketchSettings>().critic;
    return learners;
  }

  Expected<std::unique_ptr<Recipe>> make(const RecipeContext&) const override {
    return failure("nobody draws in these tests");
  }

  std::vector<run::ChartRecord> charts() const override {
    return {{.id = "likeness", .title = "Likeness", .series = {{"likeness", "mean"}}},
            {.id = "pictures",
             .title = "What became of pictures",
             .kind = std::string(run::chart_kind::kFates),
             .items = "picture",
             .series = {{"kept", ""}, {"*", ""}}}};
  }

  std::vector<std::string> preludes() const override { return {"def stroke(): pass\n"}; }

  std::vector<EnvironmentSource> environments(const TrainSettings& settings,
                                              const Resources&) const override {
    return {{"sketch",
             [strokes = settings.table<SketchSettings>().strokes](
                 const std::shared_ptr<sandbox::SandboxService>&, Registry&) -> Status {
               return failure("{} strokes", strokes);
             }}};
  }

  std::optional<RecipeCorpus> corpus() const override {
    return RecipeCorpus{.summary = "pictures", .make = [](const CorpusRequest&) {
                          return Expected<std::vector<TextPair>>();
                        }};
  }
};

TEST(RecipeType, BringsAllThatTheProgramKnowsOfARecipe) {
  const SketchRecipe sketch;
  std::vector<const RecipeType*> types(recipes().begin(), recipes().end());
  types.push_back(&sketch);

  const std::string toml =
      "[run]\nrecipe = \"sketch\"\n[policy]\npath = \"mine\"\n[sketch]\nstrokes = 7\n"
      "[warm_start]\ncorpus = \"sketch\"\n[azr]\nreject_known = true\n";
  run::Settings declared(run::Config::parse(toml, "sketch.toml").value());
  TrainSettings settings;
  settings.declare(declared, types);
  const Status read = declared.finish();
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(settings.table<SketchSettings>().strokes, 7);
  EXPECT_THAT(declared.to_toml(), HasSubstr("[sketch]"));
  run::Settings without(run::Config::parse(toml, "sketch.toml").value());
  TrainSettings others;
  others.declare(without, recipes());
  EXPECT_THAT(without.finish().error().message, HasSubstr("sketch"));

  const auto learners = learners_of(sketch, settings).value();
  ASSERT_EQ(learners.size(), 2U);
  EXPECT_EQ(learners[0].policy.path, "mine");
  EXPECT_EQ(learners[1].policy.path, "critic/policy");

  EXPECT_THAT(sandbox_config(settings, types).preludes, testing::Contains("def stroke(): pass\n"));
  const auto engine = Engine::create(engine_options(settings, source_resources(), types));
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().message, HasSubstr("7 strokes"));
}

// Reports and pages read the charts from the run.
TEST(RecipeType, HasItsChartsDrawnByReadersThatDoNotKnowIt) {
  const TestFolder folder;
  const auto directory = run::RunDirectory::create(folder / "run", "").value();
  auto store = run::EventStore::open(directory.database_path()).value();
  const std::vector<run::ChartRecord> own = SketchRecipe().charts();
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
  settings.declare(declared, recipes());
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
