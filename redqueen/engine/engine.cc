#include "redqueen/engine/engine.h"

#include <algorithm>
#include <utility>

#include "redqueen/arena/agents/coding_environment.h"
#include "redqueen/code_tasks/heldout.h"
#include "redqueen/synth/writer/written_problems.h"

namespace redqueen {
namespace {

using SandboxServicePtr = std::shared_ptr<sandbox::SandboxService>;

Status add_arena(const sandbox::SandboxConfig& sandbox, Registry& registry) {
  const auto seats = std::make_shared<arena::SeatService>(sandbox);
  for (const std::string_view name : arena::coding_environment_names()) {
    ASSIGN_OR_RETURN(auto environment, arena::coding_environment(name, seats));
    RETURN_IF_ERROR(registry.add(std::move(environment)));
  }
  return {};
}

// The environments that an engine has of itself, besides the native ones.
std::vector<EnvironmentSource> own_sources(const EngineOptions& options) {
  return {
      {"azr",
       [prompts = options.resources.find("azr/prompts")](const SandboxServicePtr& sandbox,
                                                         Registry& registry) {
         return code_tasks::add_code_environments(sandbox, {.prompts = prompts, .solving = {}},
                                                  registry);
       }},
      {"evoenv", [](const SandboxServicePtr& sandbox,
                    Registry& registry) { return registry.add(synth::written_problems(sandbox)); }},
      {"arena",
       [config = options.sandbox](const SandboxServicePtr&, Registry& registry) {
         return add_arena(config, registry);
       }},
  };
}

}  // namespace

Expected<Engine> Engine::create(EngineOptions options) {
  std::vector<EnvironmentSource> sources = options.sources;
  for (EnvironmentSource& own : own_sources(options)) {
    if (std::ranges::find(options.sources, own.family, &EnvironmentSource::family) ==
        options.sources.end()) {
      sources.push_back(std::move(own));
    }
  }
  Engine engine;
  engine.resources_ = std::move(options.resources);
  engine.data_ = std::move(options.data);
  engine.sandbox_ = std::make_shared<sandbox::SandboxService>(std::move(options.sandbox));
  engine.native_ = std::make_shared<const Registry>(std::move(options.native));
  Registry registry = *engine.native_;
  for (const EnvironmentSource& source : sources)
    RETURN_IF_ERROR(source.add(engine.sandbox_, registry));
  engine.registry_ = std::make_shared<const Registry>(std::move(registry));
  return engine;
}

Expected<Suite> Engine::load_suite(std::string_view name) const {
  return redqueen::load_suite(name, {*registry_, resources_.find_all("suites"), sandbox_, data_});
}

}  // namespace redqueen
