#include "redqueen/base/file_queries.h"

#include <algorithm>
#include <array>

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFaultsOfPaths = {std::errc::filename_too_long,
                                       std::errc::no_such_file_or_directory,
                                       std::errc::permission_denied,
                                       std::errc::operation_not_permitted,
                                       std::errc::not_a_directory,
                                       std::errc::is_a_directory,
                                       std::errc::file_exists,
                                       std::errc::directory_not_empty,
                                       std::errc::read_only_file_system,
                                       std::errc::too_many_symbolic_link_levels,
                                       std::errc::device_or_resource_busy};

// Returns the status of a path. A path with a NUL leads nowhere: the system would cut it there.
fs::file_status status_of(const fs::path& path) {
  std::error_code ignored;
  if (path.native().find('\0') != std::string::npos) return fs::file_status();
  return fs::status(path, ignored);
}

}  // namespace

bool is_there(const fs::path& path) { return fs::exists(status_of(path)); }

bool is_folder(const fs::path& path) { return fs::is_directory(status_of(path)); }

bool is_file(const fs::path& path) { return fs::is_regular_file(status_of(path)); }

std::optional<std::uint64_t> size_of_file(const fs::path& path) {
  if (!is_file(path)) return std::nullopt;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return error ? std::nullopt : std::optional<std::uint64_t>(size);
}

fs::path absolute_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole;
}

Expected<std::vector<fs::path>> list_folder(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) return path_error(folder, "the folder cannot be read", error);
  std::ranges::sort(entries);
  return entries;
}

Status make_folders(const fs::path& folder) {
  if (folder.empty()) return {};
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return path_error(folder, "the folder cannot be made", error);
  return {};
}

tl::unexpected<Error> path_error(const fs::path& path, std::string_view what,
                                 std::error_code reason) {
  const bool is_usage =
      std::ranges::any_of(kFaultsOfPaths, [&](std::errc fault) { return reason == fault; });
  return tl::make_unexpected(
      Error{is_usage ? ErrorKind::kUsage : ErrorKind::kFailure,
            fmt::format("{}: {} ({})", path.string(), what, reason.message())});
}

tl::unexpected<Error> path_error(const fs::path& path, std::string_view what, int reason) {
  return path_error(path, what, std::error_code(reason, std::generic_category()));
}

}  // namespace redqueen
