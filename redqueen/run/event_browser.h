// Pages through the long lists of a run, searched and sorted, for people who look around in it.
// EventStore gives what programs need as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/sqlite.h"

namespace redqueen::run {

struct StepPoint {
  std::int64_t step = 0;
  double time = 0;     // end of the step, seconds since 1970
  double seconds = 0;  // what the step took
  bool operator==(const StepPoint&) const = default;
};

// A part of a list: `limit` rows after the first `offset`. Both ≥ 0.
struct PageRange {
  std::int64_t offset = 0;
  std::int64_t limit = 50;
};

enum class RolloutOrder {
  kNewest,  // by step, the last first
  kBest,    // by reward, the highest first; of equals the newest
  kWorst,   // by reward, the lowest first; of equals the newest
};

// Rollouts that meet all that is said; an empty text and no value ask for nothing.
struct RolloutQuery {
  std::optional<std::int64_t> step = {};
  std::string environment = "";
  std::optional<bool> solved = {};
  std::string text = "";  // somewhere in address, prompt, response or turns;
                          // ASCII case is ignored
  RolloutOrder order = RolloutOrder::kNewest;
  PageRange range = {};
};

struct RolloutRow {
  std::int64_t id = 0;  // stays the same while the run goes on
  std::int64_t step = 0;
  RolloutRecord rollout = {};
};

struct RolloutPage {
  std::int64_t total = 0;  // that meet the query
  std::vector<RolloutRow> rows = {};
};

// Items that meet all that is said. The newest come first.
struct ItemQuery {
  std::string kind = "";
  std::string fate = "";
  std::string text = "";  // somewhere in name, fate or data; ASCII case is ignored
  PageRange range = {};
};

struct ItemRow {
  std::int64_t id = 0;
  std::int64_t step = 0;
  ItemRecord item = {};  // data that cannot be read is null
};

struct ItemPage {
  std::int64_t total = 0;
  std::vector<ItemRow> rows = {};
};

// The number of items of a kind that had a fate in the whole run.
struct ItemTotal {
  std::string kind = "";
  std::string fate = "";
  std::int64_t count = 0;
  bool operator==(const ItemTotal&) const = default;
};

// Reads only; the run may go on meanwhile. Not for sharing between threads.
class EventBrowser {
 public:
  // Fails if there is no database, or one of a newer version.
  static Expected<EventBrowser> open(const std::filesystem::path& database);

  // By step.
  Expected<std::vector<StepPoint>> steps();
  // Nothing before the first step.
  Expected<std::optional<StepPoint>> last_step();
  // The newest value of a metric that is a number; nothing if there is none.
  Expected<std::optional<double>> last_value(std::string_view metric);
  // Environments of the stored rollouts, in alphabetical order.
  Expected<std::vector<std::string>> rollout_environments();
  Expected<RolloutPage> rollouts(const RolloutQuery& query);
  // By kind, then fate.
  Expected<std::vector<ItemTotal>> item_totals();
  Expected<ItemPage> items(const ItemQuery& query);

 private:
  EventBrowser(Database database, std::int64_t version)
      : database_(std::move(database)), version_(version) {}

  Database database_;
  std::int64_t version_;  // of the schema
};

}  // namespace redqueen::run
