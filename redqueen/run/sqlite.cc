#include "redqueen/run/sqlite.h"

#include <sqlite3.h>

#include <limits>

namespace redqueen::run {
namespace {

// How long to wait for another process (a report that reads, say).
constexpr int kBusyMilliseconds = 10'000;

tl::unexpected<Error> error_of(sqlite3* database) {
  const char* file = sqlite3_db_filename(database, "main");
  return failure("{}: {}", file == nullptr ? "database" : file, sqlite3_errmsg(database));
}

}  // namespace

void Statement::Finalise::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::reset() { sqlite3_reset(statement_.get()); }

// Binding fails only for want of memory or a wrong index, and then next() fails too.
void Statement::bind_one(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
}

void Statement::bind_one(int index, double value) {
  sqlite3_bind_double(statement_.get(), index, value);
}

void Statement::bind_one(int index, std::string_view value) {
  // An empty view may hold a null pointer, which SQLite takes for NULL.
  const char* data = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

Expected<bool> Statement::next() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return error_of(sqlite3_db_handle(statement_.get()));
}

Status Statement::run() {
  RETURN_IF_ERROR(next());
  reset();
  return {};
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (data == nullptr) return "";
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Expected<Database> Database::open(const std::filesystem::path& path, Mode mode) {
  const int flags =
      mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  Database database(handle);
  if (result != SQLITE_OK) {
    const bool is_usage = result == SQLITE_CANTOPEN || result == SQLITE_PERM;  // the path's fault
    return tl::make_unexpected(
        Error{is_usage ? ErrorKind::kUsage : ErrorKind::kFailure,
              fmt::format("{}: cannot be opened ({})", path.string(), sqlite3_errstr(result))});
  }
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  return database;
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return error_of(database_.get());
  }
  return {};
}

Expected<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement,
                         nullptr) != SQLITE_OK) {
    return error_of(database_.get());
  }
  return Statement(statement);
}

}  // namespace redqueen::run
