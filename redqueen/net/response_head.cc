#include "redqueen/net/response_head.h"

#include <array>
#include <ctime>

#include "redqueen/base/format.h"
#include "redqueen/net/admission.h"
#include "redqueen/net/http.h"

namespace redqueen::net {

void append_head(std::string& out, const ResponseHead& head) {
  append_format(out,
                "HTTP/1.1 {} {}\r\nDate: {}\r\nX-Request-Id: {}\r\n"
                "X-Content-Type-Options: nosniff\r\n",
                head.status, reason_of(head.status), head.date, head.id);
  if (!head.content_type.empty()) append_format(out, "Content-Type: {}\r\n", head.content_type);
  for (const auto& [name, value] : head.headers)
    append_format(out, "{}: {}\r\n", name, one_line(value));
  if (!head.keep_alive) {
    out += "Connection: close\r\n";
  } else if (head.version == 10) {
    out += "Connection: keep-alive\r\n";
  }
}

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  return {text.data(),
          std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace redqueen::net
