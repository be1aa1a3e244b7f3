// The tables of run.db and the upgrades of their versions, for the classes that read or write it;
// everybody else asks EventStore or EventBrowser.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/run/sqlite.h"

namespace redqueen::run {

// Versions of the schema, in user_version. The second knew neither charts nor turns, the third one
// response to a problem only.
inline constexpr int kSchemaVersion = 6;

// Makes the tables of a new database, or brings those of an older version up to date.
Status prepare_schema(Database& database);

// The version of the schema; fails for one that this program cannot read.
Expected<std::int64_t> readable_version(Database& database);

// The first column of the first row; 0 without rows.
Expected<std::int64_t> single_integer(Database& database, std::string_view sql);

// All rows of a statement whose values are bound, each as read(statement) gives it.
template <typename Read>
auto collect_rows(Statement& statement, Read read)
    -> Expected<std::vector<decltype(read(std::declval<const Statement&>()))>> {
  std::vector<decltype(read(std::declval<const Statement&>()))> rows;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, statement.next());
    if (!row) return rows;
    rows.push_back(read(statement));
  }
}

// The same of a query and its values.
template <typename Read, typename... Values>
auto collect(Database& database, std::string_view sql, Read read, const Values&... values)
    -> Expected<std::vector<decltype(read(std::declval<const Statement&>()))>> {
  ASSIGN_OR_RETURN(Statement statement, database.prepare(sql));
  statement.bind(values...);
  return collect_rows(statement, read);
}

}  // namespace redqueen::run
