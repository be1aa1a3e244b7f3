// Says whether a path leads to anything.
#pragma once

#include <filesystem>
#include <system_error>

namespace redqueen {

// A name that no file can have, being too long, say, is that of none.
inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace redqueen
