#include "redqueen/net/http.h"

#include <algorithm>
#include <array>

#include "redqueen/base/ascii.h"

namespace redqueen::net {
namespace {

constexpr std::array<std::string_view, 8> kMethods{"GET",   "HEAD",   "POST",    "PUT",
                                                   "PATCH", "DELETE", "OPTIONS", "?"};

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Splits off what stands before `separator`, and the separator.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view first = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return first;
}

}  // namespace

std::string_view to_string(Method method) { return kMethods[static_cast<std::size_t>(method)]; }

std::string_view Request::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (same_but_for_case(header.name, name)) return header.value;
  }
  return {};
}

std::string_view Request::cookie(std::string_view name) const {
  for (const Header& header : headers) {
    if (!same_but_for_case(header.name, "cookie")) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      std::string_view value = without_spaces(take_until(rest, ';'));
      if (take_until(value, '=') == name) return value;
    }
  }
  return {};
}

std::string_view Request::part(std::string_view name) const {
  for (const PathPart& part : parts) {
    if (part.name == name) return part.value;
  }
  return {};
}

std::optional<std::string> Request::query_value(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    std::string_view value = take_until(rest, '&');
    if (percent_decode(take_until(value, '='), true) == name) return percent_decode(value, true);
  }
  return std::nullopt;
}

Response json_response(const Json& body, int status) {
  return {.status = status, .body = dump_json(body)};
}

Response error_response(int status, std::string_view detail) {
  return json_response(Json{{"detail", detail}}, status);
}

Response error_response(const Error& error) {
  return error_response(error.kind == ErrorKind::kUsage ? 422 : 500, error.message);
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

std::optional<std::string> percent_decode(std::string_view text, bool is_query) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_query && text[i] == '+') {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = ascii_hex_digit(text[i + 1]);
      const int low = ascii_hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return decoded;
}

}  // namespace redqueen::net
