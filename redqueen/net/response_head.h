// Internal to this folder: writes what precedes the body of an answer.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redqueen::net {

struct ResponseHead {
  int status = 200;
  std::string_view content_type;  // "": none
  const std::vector<std::pair<std::string, std::string>>& headers;
  std::string_view date;
  std::string_view id;
  bool keep_alive = true;
  int version = 11;  // of the request's HTTP: 10 or 11
};

// Appends the status line and the headers, without those that describe the body's length, and
// without the blank line at the end.
void append_head(std::string& out, const ResponseHead& head);

// The time now for the header Date.
std::string http_date();

}  // namespace redqueen::net
