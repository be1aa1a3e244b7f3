#include "redqueen/recipes/genenv/task_builder.h"

#include <algorithm>
#include <array>
#include <utility>

namespace redqueen::genenv {
namespace {

// Shorter answers stand in a statement by chance.
constexpr std::size_t kTellingBytes = 12;

}  // namespace

Json Task::write_json() const {
  Json json = description.to_json();
  if (!description.parameter) json["address"] = address.to_string();
  return json;
}

std::string Task::name() const {
  if (!description.parameter) return address.to_string();
  return fmt::format("{}/{:016x}", description.environment, key);
}

std::uint64_t key_of(const Environment& environment, const Json& parameter) {
  return hash_name(fmt::format("{} {}", environment.name(), dump_json(parameter)));
}

TaskBuilder::TaskBuilder(std::vector<const Environment*> environments, const TaskRules& rules,
                         PromptFormat format)
    : environments_(std::move(environments)), rules_(rules), format_(std::move(format)) {}

int TaskBuilder::highest_level(const Environment& environment) const {
  return std::min(rules_.max_level, environment.card().max_level);
}

const Environment* TaskBuilder::find(std::string_view name) const {
  const auto found = std::ranges::find(environments_, name, &Environment::name);
  return found == environments_.end() ? nullptr : *found;
}

Judged<Task> TaskBuilder::build(const TaskDescription& description, const RandomAddress& address,
                                const std::function<bool(std::uint64_t)>& known) const {
  const Environment* environment = find(description.environment);
  if (environment == nullptr) return refuse(Refusal::kUnknown, description.environment);
  if (!description.parameter) return drawn(description, *environment, address, known);
  auto problem = environment->restore(*description.parameter);
  if (!problem) return refuse(Refusal::kImpossible, problem.error().message);
  ProblemAddress where;
  where.environment = environment->name();
  where.version = environment->card().version;
  auto task = task_of(description, *environment, std::move(where), std::move(*problem));
  if (task && known && known(task->key)) return refuse(Refusal::kKnown);
  return task;
}

// The first problem of the level that keeps the constraints and is new. A refusal is that of the
// last draw that came farthest.
Judged<Task> TaskBuilder::drawn(const TaskDescription& description, const Environment& environment,
                                const RandomAddress& address,
                                const std::function<bool(std::uint64_t)>& known) const {
  const int level = *description.level;
  if (level > highest_level(environment)) {
    return refuse(Refusal::kBadLevel,
                  fmt::format("level {} is not in 0..{}", level, highest_level(environment)));
  }
  Refused farthest{Refusal::kImpossible, ""};
  const auto came = [&](Refused refused) {
    if (refused.reason >= farthest.reason) farthest = std::move(refused);
  };
  for (int draw = 0; draw < rules_.draws; ++draw) {
    RandomAddress own = address;
    own.salt += static_cast<std::uint64_t>(draw);
    const std::uint64_t seed = Rng(own).bits();
    Generated problem = environment.generate(level, seed, rules_.salt);
    if (!problem) {
      came({Refusal::kImpossible, problem.error().message});
      continue;
    }
    if (!keeps((*problem)->parameter(), description.where)) {
      came({Refusal::kUnsatisfied, dump_json(description.where)});
      continue;
    }
    auto task = task_of(description, environment, environment.address(level, seed, rules_.salt),
                        std::move(*problem));
    if (!task) {
      came(std::move(task.error()));
      continue;
    }
    if (!known || !known(task->key)) return task;
    came({Refusal::kKnown, ""});
  }
  return tl::make_unexpected(std::move(farthest));
}

Judged<Task> TaskBuilder::task_of(const TaskDescription& description,
                                  const Environment& environment, ProblemAddress address,
                                  ProblemPtr problem) const {
  Task task{.description = description,
            .environment = &environment,
            .address = std::move(address),
            .problem = std::move(problem)};
  if (auto sound = examine(task); !sound) return tl::make_unexpected(std::move(sound.error()));
  return task;
}

Judged<void> TaskBuilder::examine(Task& task) const {
  const Problem& problem = *task.problem;
  const std::string statement = problem.prompt();
  if (statement.size() > rules_.max_prompt_bytes)
    return refuse(Refusal::kTooLarge, fmt::format("{} bytes", statement.size()));

  const Json parameter = problem.parameter();
  task.key = key_of(*task.environment, parameter);
  const auto again = task.environment->restore(parameter);
  if (!again || (*again)->parameter() != parameter || (*again)->prompt() != statement)
    return refuse(Refusal::kUnstable, again ? "" : again.error().message);

  const std::string reference = problem.reference();
  if (!problem.score(reference).solved) return refuse(Refusal::kUnsolvable);
  task.reference_bytes = reference.size();
  task.solver_turns = static_cast<int>(problem.reference_actions(format_).size());
  const int most =
      rules_.max_turns > 0 ? std::min(rules_.max_turns, problem.max_turns()) : problem.max_turns();
  if (task.solver_turns > most)
    return refuse(Refusal::kUnsolvable, fmt::format("{} turns of {}", task.solver_turns, most));

  if (rules_.refuse_trivial && is_trivial(problem)) return refuse(Refusal::kTrivial);
  const bool own_words = task.description.parameter.has_value();
  if (own_words && reference.size() >= kTellingBytes &&
      statement.find(reference) != std::string::npos)
    return refuse(Refusal::kLeak);
  return {};
}

bool TaskBuilder::is_trivial(const Problem& problem) const {
  const std::array<Action, 1> silence{};
  if (problem.score("").solved || problem.score(transcript(silence)).solved) return true;
  const std::string example = problem.example();
  if (!example.empty() && problem.score(example).solved) return true;
  return std::ranges::any_of(problem.shortcuts(), [&](const NamedAnswer& rule) {
    return problem.score(rule.answer).solved;
  });
}

Expected<Task> TaskBuilder::restore(const Json& json) const {
  if (!json.is_object()) return failure("a task: expected an object");
  Json fields = json;
  fields.erase("address");
  const auto description = read_description(dump_json(fields), std::string::npos);
  if (!description) return failure("a task: {}", description.error().detail);
  const Environment* environment = find(description->environment);
  if (environment == nullptr)
    return failure("the environment {} is not among those of this run", description->environment);
  Task task{.description = *description, .environment = environment};
  if (description->parameter) {
    ASSIGN_OR_RETURN(ProblemPtr problem, environment->restore(*description->parameter));
    task.problem = std::move(problem);
    task.address.environment = environment->name();
    task.address.version = environment->card().version;
  } else {
    const auto text = json.find("address");
    if (text == json.end() || !text->is_string()) return failure("a task: expected an address");
    ASSIGN_OR_RETURN(task.address, ProblemAddress::parse(text->get<std::string>()));
    Generated problem =
        environment->generate(task.address.level, task.address.seed, task.address.salt);
    if (!problem) return failure("{}: {}", task.address.to_string(), problem.error().message);
    task.problem = std::move(*problem);
  }
  task.key = key_of(*environment, task.problem->parameter());
  task.solver_turns = static_cast<int>(task.problem->reference_actions(format_).size());
  task.reference_bytes = task.problem->reference().size();
  return task;
}

}  // namespace redqueen::genenv
