// SQLite with errors as values: a database, and statements with bound values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "redqueen/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace redqueen::run {

class Database;

// A prepared statement. Not for sharing between threads; must not outlive its database.
class Statement {
 public:
  // Binds the values in order, from the first parameter on. Text may hold any bytes; a NaN is
  // stored as NULL.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }

  // The next row: true if there is one. Statements without rows give false.
  Expected<bool> next();
  // Runs a statement that gives no rows.
  Status run();

  // Columns of the current row, counted from 0.
  std::int64_t integer(int column) const;
  double real(int column) const;  // NaN if NULL
  std::string text(int column) const;

 private:
  friend class Database;
  struct Finalise {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  void reset();
  void bind_one(int index, std::int64_t value);
  void bind_one(int index, int value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, bool value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, double value);
  void bind_one(int index, std::string_view value);
  void bind_one(int index, const std::string& value) { bind_one(index, std::string_view(value)); }

  std::unique_ptr<sqlite3_stmt, Finalise> statement_;
};

class Database {
 public:
  enum class Mode { kReadWrite, kReadOnly };

  // Read-write: made if it is not there.
  static Expected<Database> open(const std::filesystem::path& path, Mode mode);

  // One or more statements without parameters.
  Status execute(const std::string& sql);
  // Fails if the SQL is wrong.
  Expected<Statement> prepare(std::string_view sql);

  // Runs `work` as one transaction: all of it is stored, or, if it fails or the process dies,
  // nothing.
  template <typename Work>
  Status transaction(Work work) {
    if (auto status = execute("BEGIN IMMEDIATE"); !status) return status;
    Status done = work();
    if (done) done = execute("COMMIT");
    if (!done) (void)execute("ROLLBACK");
    return done;
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace redqueen::run
