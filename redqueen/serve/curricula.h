// Curricula that any trainer draws from and that learn from its scores, kept in an SQLite file.
//
// Every operation is one transaction on that file: it reads the curriculum's state, changes it and
// writes it back. So a killed process loses nothing that it answered, and several processes on one
// machine share one file.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/run/sqlite.h"
#include "redqueen/serve/service.h"
#include "redqueen/suites/curriculum_settings.h"

namespace redqueen::serve {

// The client of a curriculum and the number of its message: a message that is sent again counts
// once and is answered as it was. So processes that call themselves by one name and count alike
// draw the same problems.
struct Receipt {
  std::string client;
  std::int64_t sequence = 0;
};

struct ScoredProblem {
  ProblemAddress address;
  bool solved = false;
};

// May be called from any thread and by several processes at once.
class CurriculumBook {
 public:
  // The file is made if it is not there; ":memory:" keeps nothing.
  static Expected<std::unique_ptr<CurriculumBook>> open(const std::filesystem::path& file,
                                                        const Service& service);

  // Making it again with the same settings changes nothing; with others it is a usage error.
  Status create(const std::string& id, const CurriculumSettings& settings);
  Expected<std::vector<std::string>> ids();

  // The next problems. They depend on the settings, on how many were drawn before, and on what was
  // learnt up to now.
  Expected<std::vector<ProblemAddress>> draw(const std::string& id, int count,
                                             const std::optional<Receipt>& receipt = {});

  // Learns from training problems of this curriculum; others (of evaluation, of other salts) count
  // for nothing. The end of a step judges the levels. Gives the answer to be sent, which for a
  // receipt that is known is the first one: `verdicts` with what was learnt.
  Expected<Json> learn(const std::string& id, std::span<const ScoredProblem> problems,
                       bool end_step, const std::optional<Receipt>& receipt, Json verdicts);

  // {"id", "settings", "drawn", "scored", "environments": [{"name", "low", "high", …}]}.
  Expected<Json> describe(const std::string& id);

 private:
  struct Open;

  CurriculumBook(run::Database database, const Service& service)
      : database_(std::move(database)), service_(service) {}
  Expected<Open> read(const std::string& id);
  Status write(const Open& open);
  // `table`: that of scores, or that of draws, which are numbered apart.
  Expected<std::optional<Json>> known_answer(std::string_view table, const std::string& id,
                                             const Receipt& receipt);
  Status keep_answer(std::string_view table, const std::string& id, const Receipt& receipt,
                     const Json& answer);

  std::mutex mutex_;
  run::Database database_;
  const Service& service_;
};

}  // namespace redqueen::serve
