// A data set as an environment: its rows are the problems, so that it is evaluated on, trained on
// and mixed like any other. Training on rows with verifiable answers is the RLVR baseline.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/base/error.h"
#include "redqueen/core/environment.h"
#include "redqueen/data_sets/rows.h"
#include "redqueen/sandbox/sandbox_service.h"

namespace redqueen::data_sets {

// The environment `name` of these rows, of which there must be one at least. Level l holds the rows
// of level l; if a level has none, problems come from the nearest level below that has some, or
// from the lowest. Seeds below a level's number of rows are its rows, in the order of the file;
// others stand for one drawn at random.
// Answers that only running Python can judge are judged in the sandbox, which starts when the first
// is; without one they are malformed.
std::shared_ptr<const Environment> data_set_environment(
    std::string name, std::vector<Row> rows,
    std::shared_ptr<sandbox::SandboxService> sandbox = nullptr);

// An environment whose problems are listed, not drawn.
class FixedProblems {
 public:
  virtual ~FixedProblems() = default;
  virtual int rows_at(int level) const = 0;
};

// The number of problems that such an environment, a data set's among them, has at a level. Nothing
// for any other environment.
std::optional<int> rows_at(const Environment& environment, int level);

// The name of the ground on which an answer to a problem of such an environment is decided:
// "exact", "modular", "interval", "text" or "tolerance" (work.h). Empty for other problems and for
// answers that Python judges.
std::optional<std::string_view> ground_name(const Problem& problem, std::string_view answer);

// The treatment of rows whose own answer earns nothing (audit.h).
enum class Unsound {
  kKeep,    // they stay, so that a score is one of the whole set
  kSkip,    // they are left out
  kRefuse,  // the file does not load
};
inline constexpr auto kUnsoundNames = enum_names<Unsound>(
    {{"keep", Unsound::kKeep}, {"skip", Unsound::kSkip}, {"refuse", Unsound::kRefuse}});

struct DataSetOptions {
  Unsound unsound = Unsound::kKeep;
  // Audits a file when it is loaded; if that is much work once, and later from `cache`.
  bool audited = false;
  std::filesystem::path cache = {};
  // Gets what there is to say about the file: a sentence, and lines that name rows.
  std::function<void(const std::string& text)> report = {};
};

// Files with more rows are audited at so many, evenly spread, when they are loaded.
inline constexpr std::size_t kMostRowsAtLoading = 20'000;

// The environment of a file, which has the file's name without ".jsonl". Fails where it has answers
// that only running Python can judge, and no sandbox starts.
struct LoadedDataSet {
  std::shared_ptr<const Environment> environment;
  std::vector<int> levels;  // that rows have
  int problems = 0;         // of the level that has most
};
Expected<LoadedDataSet> load_data_set(const std::filesystem::path& file,
                                      std::shared_ptr<sandbox::SandboxService> sandbox,
                                      const DataSetOptions& options = {});

}  // namespace redqueen::data_sets
