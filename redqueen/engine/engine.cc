#include "redqueen/engine/engine.h"

#include <utility>

#include "redqueen/arena/coding_environment.h"
#include "redqueen/code_tasks/code_environment.h"
#include "redqueen/code_tasks/heldout.h"
#include "redqueen/synth/writer/written_problems.h"

namespace redqueen {

Expected<Engine> Engine::create(EngineOptions options) {
  Engine engine;
  engine.resources_ = std::move(options.resources);
  const auto seats = std::make_shared<arena::SeatService>(options.sandbox);
  engine.sandbox_ = std::make_shared<sandbox::SandboxService>(std::move(options.sandbox));
  Registry registry = Registry::native();
  const code_tasks::CodeEnvironments code(
      engine.sandbox_, code_tasks::random_program_tasks(engine.sandbox_),
      {.prompts = options.code_prompts.empty() ? engine.resources_.find("azr/prompts")
                                               : std::move(options.code_prompts),
       .solving = options.code_solving});
  for (const code_tasks::TaskType type : code_tasks::kTaskTypes)
    RETURN_IF_ERROR(registry.add(code.environment(type)));
  RETURN_IF_ERROR(registry.add(synth::written_problems(engine.sandbox_)));
  for (const std::string_view name : arena::coding_environment_names()) {
    ASSIGN_OR_RETURN(auto environment, arena::coding_environment(name, seats));
    RETURN_IF_ERROR(registry.add(std::move(environment)));
  }
  engine.registry_ = std::make_shared<const Registry>(std::move(registry));
  return engine;
}

Expected<Suite> Engine::load_suite(std::string_view name) const {
  return redqueen::load_suite(name, {*registry_, resources_.find_all("suites"), sandbox_});
}

}  // namespace redqueen
