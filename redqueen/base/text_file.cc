#include "redqueen/base/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "redqueen/base/file_queries.h"

namespace redqueen {

Expected<std::string> read_text_file(const std::filesystem::path& path, ErrorKind kind) {
  if (path.native().find('\0') != std::string::npos)
    return tl::make_unexpected(
        Error{kind, fmt::format("{}: cannot be read (there is a NUL in the name)", path.string())});
  if (is_folder(path))
    return tl::make_unexpected(
        Error{kind, fmt::format("{}: this is a folder, a file is expected", path.string())});
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad()) {
    return tl::make_unexpected(Error{kind, fmt::format("{}: cannot be read ({})", path.string(),
                                                       std::strerror(errno == 0 ? EIO : errno))});
  }
  return std::move(text).str();
}

}  // namespace redqueen
