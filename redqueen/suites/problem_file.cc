#include "redqueen/suites/problem_file.h"

#include <map>
#include <string>
#include <utility>

#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/data_sets/data_set.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// A problem of a row: its parameter, and the statement that the file has for it.
struct RecordedRow {
  std::string prompt;
  Json parameter;
};

// The problem of an environment under another statement.
class RecordedProblem final : public Problem {
 public:
  RecordedProblem(std::string prompt, ProblemPtr problem)
      : prompt_(std::move(prompt)), problem_(std::move(problem)) {}

  std::string prompt() const override { return prompt_; }
  Json parameter() const override { return problem_->parameter(); }
  std::string reference() const override { return problem_->reference(); }
  Verdict score(std::string_view answer) const override { return problem_->score(answer); }
  AnswerKind answer_kind() const override { return problem_->answer_kind(); }
  std::string random_answer(Rng& rng) const override { return problem_->random_answer(rng); }
  std::string example() const override { return problem_->example(); }
  std::vector<NamedAnswer> shortcuts() const override { return problem_->shortcuts(); }

 private:
  std::string prompt_;
  ProblemPtr problem_;
};

class RecordedProblems final : public Environment, public data_sets::FixedProblems {
 public:
  RecordedProblems(std::string name, const Environment& base)
      : name_(std::move(name)), base_(base), card_(base.card()) {
    card_.name = name_;
    card_.published = false;
    card_.max_level = 0;
    card_.levels = "There is one level: the rows of the file.";
    card_.small_answer_space = "The answers are those of the file.";
  }

  void add(RecordedRow row) { rows_.push_back(std::move(row)); }

  const Card& card() const override { return card_; }

  Generated generate(int level, std::uint64_t seed, std::uint64_t,
                     const GenerationLimits&) const override {
    if (level != 0) {
      return tl::make_unexpected(GenerationFailure{GenerationFault::kLevel, "the only level is 0"});
    }
    const RecordedRow& row = rows_[seed % rows_.size()];
    auto problem = base_.restore(row.parameter);
    if (!problem) {
      return tl::make_unexpected(
          GenerationFailure{GenerationFault::kInternal, problem.error().message});
    }
    return std::make_unique<const RecordedProblem>(row.prompt, std::move(*problem));
  }

  Expected<ProblemPtr> restore(const Json& parameter) const override {
    return base_.restore(parameter);
  }
  Json level_parameter(int, Rng&) const override { return Json::object(); }
  int rows_at(int level) const override { return level == 0 ? static_cast<int>(rows_.size()) : 0; }

 private:
  std::string name_;
  const Environment& base_;
  Card card_;
  std::vector<RecordedRow> rows_;
};

// The environment and the problem of a row.
Expected<std::pair<const Environment*, RecordedRow>> read(const Json& row,
                                                          const Registry& registry) {
  const auto text = [&](const Json& json, const char* key) -> Expected<std::string> {
    if (!json.is_object() || !json.contains(key) || !json[key].is_string())
      return usage_error("there is no text \"{}\"", key);
    return json[key].get<std::string>();
  };
  ASSIGN_OR_RETURN(std::string prompt, text(row, "user_prompt"));
  if (!row.contains("metadata")) return usage_error("there is no \"metadata\"");
  Json metadata = row["metadata"];
  if (metadata.is_string()) {
    ASSIGN_OR_RETURN(metadata, parse_json(row["metadata"].get_ref<const std::string&>()));
  }
  ASSIGN_OR_RETURN(const std::string name, text(metadata, "environment"));
  ASSIGN_OR_RETURN(const Environment* environment, registry.get(name));
  const auto config = metadata.find("config");
  if (config == metadata.end() || !config->is_object() || !config->contains("parameter"))
    return usage_error("\"metadata\" has no \"config\" with a \"parameter\"");
  const Json& parameter = (*config)["parameter"];
  ASSIGN_OR_RETURN(const ProblemPtr problem, environment->restore(parameter));
  if (problem->max_turns() != 1)
    return usage_error("{} takes turns, which a statement alone does not ask for", name);
  return std::pair{environment, RecordedRow{std::move(prompt), parameter}};
}

}  // namespace

Expected<std::vector<std::shared_ptr<const Environment>>> load_problem_file(
    const fs::path& file, const Registry& registry) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file, ErrorKind::kUsage));
  auto json = parse_json(text);
  if (!json) return usage_error("{}: {}", file.string(), json.error().message);
  if (!json->is_array() || json->empty())
    return usage_error("{}: this is no list of problems (docs/gym.md)", file.string());
  std::vector<std::shared_ptr<RecordedProblems>> sets;
  std::map<const Environment*, std::size_t> places;
  for (std::size_t i = 0; i < json->size(); ++i) {
    auto row = read((*json)[i], registry);
    if (!row) return usage_error("{}: problem {}: {}", file.string(), i, row.error().message);
    auto& [environment, problem] = *row;
    const auto [place, is_new] = places.emplace(environment, sets.size());
    if (is_new) {
      sets.push_back(std::make_shared<RecordedProblems>(
          fmt::format("{}/{}", file.stem().string(), environment->name()), *environment));
    }
    sets[place->second]->add(std::move(problem));
  }
  return std::vector<std::shared_ptr<const Environment>>(sets.begin(), sets.end());
}

}  // namespace redqueen
