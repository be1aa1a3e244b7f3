// Internal to this folder: bodies of requests that come packed (Content-Encoding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace redqueen::net {

enum class BodyCoding : std::uint8_t { kNone, kGzip, kUnknown };

// The coding that a Content-Encoding header names; more than one at once is unknown.
BodyCoding coding_of(std::string_view header);

struct UnpackedBody {
  int status = 200;   // else that of the answer: 400 where it is no gzip, 413 where it is too large
  std::string fault;  // a sentence, where the status is another
  std::string body;   // with room for `padding` bytes behind it
};

// Unpacks gzip (RFC 1952), of one member or several. Stops at the first byte beyond `most`, so that
// a small body that unpacks to a large one costs no more than that.
UnpackedBody unpack_gzip(std::string_view packed, std::size_t most, std::size_t padding);

}  // namespace redqueen::net
