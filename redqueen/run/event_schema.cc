#include "redqueen/run/event_schema.h"

#include <string>

namespace redqueen::run {
namespace {

constexpr int kOldestVersion = 2;

constexpr const char* kSchema = R"(
  CREATE TABLE steps (step INTEGER PRIMARY KEY, time REAL, seconds REAL);
  CREATE TABLE metrics (step INTEGER, name TEXT, value REAL, PRIMARY KEY (name, step)) WITHOUT ROWID;
  CREATE TABLE curriculum (
    step INTEGER, environment TEXT, lower_level INTEGER, upper_level INTEGER, attempts INTEGER, solved INTEGER,
    PRIMARY KEY (environment, step)) WITHOUT ROWID;
  CREATE TABLE rollouts (
    id INTEGER PRIMARY KEY, step INTEGER, "group" INTEGER, environment TEXT, level INTEGER, address TEXT,
    prompt TEXT, response TEXT, reward REAL, solved INTEGER, well_formed INTEGER, tokens INTEGER,
    turns TEXT);
  CREATE INDEX rollouts_by_step ON rollouts (step);
  CREATE TABLE items (id INTEGER PRIMARY KEY, step INTEGER, kind TEXT, name TEXT, fate TEXT, data TEXT);
  CREATE INDEX items_by_kind ON items (kind, name);
  CREATE INDEX items_by_step ON items (step);
  CREATE TABLE evaluations (
    id INTEGER PRIMARY KEY, policy TEXT, step INTEGER, suite TEXT, environment TEXT, level INTEGER,
    problems INTEGER, solved INTEGER, mean_reward REAL, samples INTEGER DEFAULT 1,
    passed INTEGER DEFAULT 0, solved_squares INTEGER DEFAULT 0, cut INTEGER DEFAULT -1,
    by_solved TEXT DEFAULT '',
    UNIQUE (policy, suite, environment, level) ON CONFLICT REPLACE);
)";

constexpr const char* kCharts = R"(
  CREATE TABLE charts (
    position INTEGER PRIMARY KEY, id TEXT UNIQUE, section TEXT, title TEXT, note TEXT, unit TEXT, kind TEXT,
    items TEXT, series TEXT, overview INTEGER);
)";

constexpr const char* kFromVersion2 = "ALTER TABLE rollouts ADD COLUMN turns TEXT;";

constexpr const char* kFromVersion3 = R"(
  ALTER TABLE evaluations ADD COLUMN samples INTEGER DEFAULT 1;
  ALTER TABLE evaluations ADD COLUMN passed INTEGER DEFAULT 0;
  ALTER TABLE evaluations ADD COLUMN solved_squares INTEGER DEFAULT 0;
)";

// Evaluations of earlier versions did not count responses that were cut.
constexpr const char* kFromVersion4 = "ALTER TABLE evaluations ADD COLUMN cut INTEGER DEFAULT -1;";

// Nor did they keep how many problems had how many responses that solved them.
constexpr const char* kFromVersion5 =
    "ALTER TABLE evaluations ADD COLUMN by_solved TEXT DEFAULT '';";

}  // namespace

Expected<std::int64_t> single_integer(Database& database, std::string_view sql) {
  ASSIGN_OR_RETURN(Statement statement, database.prepare(sql));
  ASSIGN_OR_RETURN(const bool row, statement.next());
  return row ? statement.integer(0) : 0;
}

Expected<std::int64_t> readable_version(Database& database) {
  ASSIGN_OR_RETURN(const std::int64_t version, single_integer(database, "PRAGMA user_version"));
  if (version < kOldestVersion || version > kSchemaVersion) {
    return failure("the run's database has version {}, this program knows version {}", version,
                   kSchemaVersion);
  }
  return version;
}

Status prepare_schema(Database& database) {
  // FULL: rows up to a checkpoint must be there whenever the checkpoint is, even after a loss of
  // power.
  RETURN_IF_ERROR(database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"));
  ASSIGN_OR_RETURN(std::int64_t version, single_integer(database, "PRAGMA user_version"));
  if (version != 0) {
    ASSIGN_OR_RETURN(version, readable_version(database));
  }
  if (version == kSchemaVersion) return {};
  return database.transaction([&] {
    std::string steps;
    if (version == 0) steps += kSchema;
    if (version == 2) steps += kFromVersion2;
    if (version == 0 || version == 2) steps += kCharts;
    if (version == 2 || version == 3) steps += kFromVersion3;
    if (version >= 2 && version <= 4) steps += kFromVersion4;
    if (version >= 2 && version <= 5) steps += kFromVersion5;
    return database.execute(fmt::format("{} PRAGMA user_version = {};", steps, kSchemaVersion));
  });
}

}  // namespace redqueen::run
