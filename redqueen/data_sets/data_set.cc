#include "redqueen/data_sets/data_set.h"

#include <algorithm>
#include <map>
#include <set>

#include "redqueen/base/rng.h"
#include "redqueen/base/text_file.h"
#include "redqueen/data_sets/audit.h"

namespace redqueen::data_sets {
namespace {

// The answer that most rows of a level share, as whoever knows only the data set would guess it.
std::string most_frequent_answer(const std::vector<Row>& rows) {
  std::map<std::string, int> counts;
  for (const Row& row : rows) ++counts[row.verifier.answer];
  return std::ranges::max_element(counts, {}, &std::pair<const std::string, int>::second)->first;
}

using SharedSandbox = std::shared_ptr<sandbox::SandboxService>;

class DataProblem final : public Problem {
 public:
  DataProblem(Row row, std::string guess, SharedSandbox sandbox)
      : row_(std::move(row)), guess_(std::move(guess)), sandbox_(std::move(sandbox)) {}

  const Verifier& verifier() const { return row_.verifier; }
  const SharedSandbox& sandbox() const { return sandbox_; }
  const BatchWorker* batch_worker() const override;

  std::string prompt() const override { return row_.prompt; }
  Json parameter() const override { return to_json(row_); }
  std::string reference() const override { return row_.verifier.answer; }
  Verdict score(std::string_view answer) const override {
    if (const BatchWorker* worker = batch_worker()) {
      const AnswerRequest request{this, answer};
      return worker->score({&request, 1}).front();
    }
    return verify(row_.verifier, answer);
  }

  std::string random_answer(Rng& rng) const override {
    const auto options = row_.verifier.options.size();
    if (options > 0) return std::string(1, static_cast<char>('A' + rng.below(options)));
    if (row_.verifier.kind == VerifierKind::kTests)
      return fmt::format("```python\nprint({})\n```", rng.integer(0, 100));
    return std::to_string(rng.integer(0, 100));
  }
  std::string example() const override { return {}; }
  std::vector<NamedAnswer> shortcuts() const override {
    if (guess_.empty()) return {};
    return {{"the most frequent answer of the set", guess_}};
  }

 private:
  Row row_;
  std::string guess_;  // empty of a problem that was restored
  SharedSandbox sandbox_;
};

// Answers that only running Python can judge, all at once. It holds nothing: one serves all sets.
class PythonWorker final : public BatchWorker {
 public:
  std::vector<Generated> generate(std::span<const ProblemRequest> requests,
                                  const GenerationLimits& limits) const override {
    std::vector<Generated> problems;
    for (const ProblemRequest& one : requests)
      problems.push_back(one.environment->generate(one.level, one.seed, one.salt, limits));
    return problems;
  }

  std::vector<Verdict> score(std::span<const AnswerRequest> requests) const override {
    std::map<sandbox::SandboxService*, std::vector<std::size_t>> by_sandbox;
    for (std::size_t i = 0; i < requests.size(); ++i)
      by_sandbox[problem(requests[i]).sandbox().get()].push_back(i);
    std::vector<Verdict> verdicts(requests.size(), verdict_of(kMalformedReward));
    for (const auto& [service, places] : by_sandbox) {
      const auto sandbox =
          service == nullptr ? Expected<sandbox::Sandbox*>(nullptr) : service->get();
      if (!sandbox || *sandbox == nullptr) continue;
      std::vector<VerifyRequest> asked;
      for (const std::size_t place : places)
        asked.push_back({&problem(requests[place]).verifier(), requests[place].answer});
      const std::vector<Verdict> own = verify_python(**sandbox, asked);
      for (std::size_t k = 0; k < places.size(); ++k) verdicts[places[k]] = own[k];
    }
    return verdicts;
  }

 private:
  static const DataProblem& problem(const AnswerRequest& request) {
    return static_cast<const DataProblem&>(*request.problem);
  }
};

const BatchWorker* DataProblem::batch_worker() const {
  static const PythonWorker worker;
  return runs_python(row_.verifier.kind) ? &worker : nullptr;
}

class DataSet final : public Environment, public FixedProblems {
 public:
  DataSet(std::string name, std::vector<Row> rows, SharedSandbox sandbox)
      : name_(std::move(name)), guess_(most_frequent_answer(rows)), sandbox_(std::move(sandbox)) {
    for (Row& row : rows) levels_[row.level].push_back(std::move(row));
    card_ = {.name = name_,
             .family = Family::kDataSets,
             .answer = AnswerKind::kOther,
             .scoring = Scoring::kExact,
             .task = "Answer the questions of a data set.",
             .levels = levels_.size() == 1 ? "There is one level: the rows of the file."
                                           : "Each row has the level that the file gives it.",
             .rewards = "−1 for an answer that cannot be read, 0 for a wrong one, 1 for the right.",
             .small_answer_space = "The answers are those of the data set.",
             .max_level = levels_.rbegin()->first};
  }

  const Card& card() const override { return card_; }

  Generated generate(int level, std::uint64_t seed, std::uint64_t salt,
                     const GenerationLimits&) const override {
    if (level < 0 || level > card_.max_level) {
      return tl::make_unexpected(GenerationFailure{
          GenerationFault::kLevel, fmt::format("the highest level is {}", card_.max_level)});
    }
    auto found = levels_.upper_bound(level);
    if (found != levels_.begin()) --found;
    const std::vector<Row>& rows = found->second;
    Rng rng({.seed = seed,
             .purpose = hash_name("data_set"),
             .step = static_cast<std::uint64_t>(level),
             .index = 0,
             .salt = salt});
    const std::size_t place = seed < rows.size() ? seed : rng.below(rows.size());
    return std::make_unique<DataProblem>(rows[place], guess_, sandbox_);
  }

  Expected<ProblemPtr> restore(const Json& parameter) const override {
    ASSIGN_OR_RETURN(Row row, read_row(parameter));
    return std::make_unique<DataProblem>(std::move(row), std::string(), sandbox_);
  }

  Json level_parameter(int level, Rng&) const override { return {{"level", level}}; }

  int rows_at(int level) const override {
    const auto found = levels_.find(level);
    return found == levels_.end() ? 0 : static_cast<int>(found->second.size());
  }

 private:
  std::string name_;
  std::string guess_;
  SharedSandbox sandbox_;
  std::map<int, std::vector<Row>> levels_;
  Card card_{};
};

}  // namespace

std::shared_ptr<const Environment> data_set_environment(std::string name, std::vector<Row> rows,
                                                        SharedSandbox sandbox) {
  return std::make_shared<DataSet>(std::move(name), std::move(rows), std::move(sandbox));
}

std::optional<std::string_view> ground_name(const Problem& problem, std::string_view answer) {
  const auto* own = dynamic_cast<const DataProblem*>(&problem);
  if (own == nullptr || runs_python(own->verifier().kind)) return std::nullopt;
  return kGroundNames.name(ground_of(own->verifier(), answer));
}

std::optional<int> rows_at(const Environment& environment, int level) {
  const auto* fixed = dynamic_cast<const FixedProblems*>(&environment);
  return fixed == nullptr ? std::nullopt : std::optional(fixed->rows_at(level));
}

namespace {

// "sums.jsonl: 2 of 3 rows …" and the first of the rows that are unsound.
std::string report_of(const std::filesystem::path& file, const Audit& audit, Unsound unsound) {
  constexpr std::size_t kShownRows = 5;
  std::string text = fmt::format("{}: {}", file.string(), summary(audit));
  std::size_t shown = 0;
  std::size_t all = 0;
  for (const RowFault& fault : audit.faults) {
    if (!is_unsound(fault.kind)) continue;
    ++all;
    if (shown == kShownRows) continue;
    ++shown;
    text += "\n  " + to_string(fault);
  }
  if (all > shown) text += fmt::format("\n  and {} more", all - shown);
  text += fmt::format("\n  {}; `redqueen data check {}` names every row, data.unsound chooses",
                      unsound == Unsound::kSkip ? "these rows are left out" : "these rows stay",
                      file.string());
  return text;
}

// The rows of a file that are kept.
Expected<std::vector<Row>> audited_rows(const std::filesystem::path& file, std::string_view text,
                                        const SharedSandbox& sandbox,
                                        const DataSetOptions& options) {
  std::vector<ReadRow> read = scan_rows(text);
  // Other files are audited faster than they are read.
  constexpr std::size_t kManyRows = 1000;
  const bool is_work =
      read.size() >= kManyRows || std::ranges::any_of(read, [](const ReadRow& one) {
        return one.row && runs_python(one.row->verifier.kind);
      });
  const std::filesystem::path cache = is_work ? options.cache : std::filesystem::path();
  const AuditOptions how{.most_rows = kMostRowsAtLoading};
  ASSIGN_OR_RETURN(const Audit audit, cached_audit(text, read, sandbox, how, cache));
  std::set<std::size_t> unsound;
  for (const RowFault& fault : audit.faults) {
    if (is_unsound(fault.kind)) unsound.insert(fault.line);
  }
  if (!unsound.empty() && options.unsound == Unsound::kRefuse)
    return failure("{}", report_of(file, audit, Unsound::kRefuse));
  if (!unsound.empty() && options.report) options.report(report_of(file, audit, options.unsound));
  if (options.unsound == Unsound::kKeep) return parse_rows(text, file.string());
  std::vector<Row> rows;
  for (ReadRow& one : read) {
    if (one.row && !unsound.contains(one.line)) rows.push_back(*std::move(one.row));
  }
  if (rows.empty()) return failure("{}: no row is left", file.string());
  return rows;
}

}  // namespace

Expected<LoadedDataSet> load_data_set(const std::filesystem::path& file, SharedSandbox sandbox,
                                      const DataSetOptions& options) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file, ErrorKind::kUsage));
  std::vector<Row> rows;
  if (options.audited) {
    ASSIGN_OR_RETURN(rows, audited_rows(file, text, sandbox, options));
  } else {
    ASSIGN_OR_RETURN(rows, parse_rows(text, file.string()));
  }
  const bool needs_sandbox =
      std::ranges::any_of(rows, [](const Row& row) { return runs_python(row.verifier.kind); });
  if (needs_sandbox) {
    if (!sandbox) return failure("{}: its answers are judged in a sandbox", file.string());
    RETURN_IF_ERROR(sandbox->get());
  }
  std::map<int, int> counts;
  for (const Row& row : rows) ++counts[row.level];
  LoadedDataSet loaded;
  for (const auto& [level, count] : counts) {
    loaded.levels.push_back(level);
    loaded.problems = std::max(loaded.problems, count);
  }
  loaded.environment =
      data_set_environment(file.stem().string(), std::move(rows), std::move(sandbox));
  return loaded;
}

}  // namespace redqueen::data_sets
