#include "redqueen/serve/score_costs.h"

#include <algorithm>
#include <set>
#include <utility>

namespace redqueen::serve {
namespace {

const ProblemAddress* address_of(const RowResponse& row) {
  return row.problem ? std::get_if<ProblemAddress>(&row.problem->from) : nullptr;
}

// The environment and level of all rows; null where they differ, or where a row has no address.
const ProblemAddress* common_kind(const ScoreBody& body) {
  const ProblemAddress* first = body.rows.empty() ? nullptr : address_of(body.rows[0]);
  if (first == nullptr) return nullptr;
  const bool is_common = std::ranges::all_of(body.rows, [&](const RowResponse& row) {
    const ProblemAddress* address = address_of(row);
    return address != nullptr && address->level == first->level &&
           row.problem->environment == body.rows[0].problem->environment;
  });
  return is_common ? first : nullptr;
}

}  // namespace

bool is_quick(const Service& service, const ScoreBody& body) {
  double seconds = 0;
  double of_row = 0;
  const Environment* environment = nullptr;  // and level: what `of_row` is known of
  int level = 0;
  for (const RowResponse& row : body.rows) {
    if (!row.problem) continue;  // an error takes no time
    const ProblemAddress* address = address_of(row);
    if (address == nullptr) return false;
    if (row.problem->environment != environment || address->level != level) {
      environment = row.problem->environment;
      level = address->level;
      of_row = service.known_seconds(*environment, level);
    }
    seconds += of_row;
    if (seconds > Service::kQuickSeconds) return false;
  }
  return true;
}

void learn_costs(const Service& service, const ScoreBody& body) {
  std::set<std::pair<const Environment*, int>> seen;
  for (const RowResponse& row : body.rows) {
    const ProblemAddress* address = address_of(row);
    if (address == nullptr) continue;
    const Environment& environment = *row.problem->environment;
    if (service.known_seconds(environment, address->level) < 1e9) continue;
    if (!seen.insert({&environment, address->level}).second) continue;
    const auto begun = std::chrono::steady_clock::now();
    const auto made = environment.generate(address->level, address->seed, address->salt,
                                           {.seconds = service.limits().problem_seconds});
    if (made) (void)(*made)->score("");
    service.note(environment, address->level, std::chrono::steady_clock::now() - begun);
  }
}

void note_costs(const Service& service, const ScoreBody& body, std::chrono::nanoseconds duration) {
  const ProblemAddress* kind = common_kind(body);
  if (kind == nullptr) return;
  service.note(*body.rows[0].problem->environment, kind->level,
               duration / static_cast<std::int64_t>(body.rows.size()));
}

}  // namespace redqueen::serve
