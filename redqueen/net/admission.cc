#include "redqueen/net/admission.h"

#include <algorithm>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "redqueen/base/ascii.h"
#include "redqueen/base/format.h"
#include "redqueen/net/secret.h"

namespace redqueen::net {
namespace {

std::string token_of(const Request& request) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view authorization = request.header("authorization");
  if (same_but_for_case(authorization.substr(0, kBearer.size()), kBearer))
    return std::string(authorization.substr(kBearer.size()));
  if (const std::string_view key = request.header("x-api-key"); !key.empty())
    return std::string(key);
  if (request.method == Method::kGet) return request.query_value("token").value_or("");
  return {};
}

// The name or address of a Host header, without the port; IPv6 with its brackets.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_address(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  boost::system::error_code error;
  boost::asio::ip::make_address(std::string(name), error);
  return !error;
}

std::size_t count_headers(const Request& request, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      request.headers, [&](const Header& header) { return same_but_for_case(header.name, name); }));
}

// Sets path and query. Refuses what two readers could read differently, for then a proxy before us
// and we might see two requests where the other sees one.
std::optional<Response> check_form(std::string_view target, int version, Request& request) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!same_but_for_case(target.substr(0, scheme.size()), scheme)) continue;
    const std::size_t slash = target.find('/', scheme.size());
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  if (!target.starts_with('/') || target.find('#') != std::string_view::npos)
    return error_response(400, "the target is no path");
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  const std::size_t hosts = count_headers(request, "host");
  if (hosts > 1 || (hosts == 0 && version == 11))
    return error_response(400, "one Host header is needed");
  const std::size_t encodings = count_headers(request, "transfer-encoding");
  if (encodings > 0 &&
      (encodings > 1 || version == 10 || count_headers(request, "content-length") > 0))
    return error_response(400, "the length of the body is ambiguous");
  if (encodings == 1 && !same_but_for_case(request.header("transfer-encoding"), "chunked"))
    return error_response(501, "the only transfer encoding is chunked");
  if (count_headers(request, "content-length") > 1)
    return error_response(400, "one Content-Length header is enough");
  return std::nullopt;
}

// Refuses names that are not this server's where it listens on this machine alone, and pages from
// elsewhere that would change something or open a WebSocket.
std::optional<Response> check_origin(const Request& request, int version, bool asks_upgrade,
                                     bool is_loopback, const ServerOptions& options) {
  const std::string_view host = request.header("host");
  const std::string_view name = host_name(host);
  // A page elsewhere can have its own name point to this machine: then the name tells.
  if (is_loopback && version == 11 && !is_address(name) && !same_but_for_case(name, "localhost") &&
      std::ranges::none_of(options.hosts,
                           [&](const auto& known) { return same_but_for_case(known, name); })) {
    return error_response(
        421, fmt::format("this server does not answer to the name \"{}\"", one_line(name)));
  }
  const bool changes = request.method != Method::kGet && request.method != Method::kHead;
  if (!changes && !asks_upgrade) return std::nullopt;
  const std::string_view origin = request.header("origin");
  if (count_headers(request, "origin") == 0) return std::nullopt;  // no browser
  const std::size_t scheme = origin.find("://");
  const bool is_own =
      scheme != std::string_view::npos && same_but_for_case(origin.substr(scheme + 3), host);
  if (is_own || std::ranges::find(options.origins, origin) != options.origins.end())
    return std::nullopt;
  return error_response(403, "pages from elsewhere may not do this");
}

// Sets is_admin, and refuses what the token does not admit.
std::optional<Response> check_token(Access access, const ServerOptions& options, Request& request) {
  if (options.token.empty() && options.admin_token.empty()) return std::nullopt;
  const std::string token = token_of(request);
  const bool is_admin = same_secret(token, options.admin_token);
  const bool is_user = same_secret(token, options.token) || options.token.empty();
  request.is_admin = is_admin || (options.admin_token.empty() && is_user);
  if (access == Access::kOpen || request.is_admin) return std::nullopt;
  if (access == Access::kUser && is_user) return std::nullopt;
  if (is_user && !token.empty()) return error_response(403, "this takes the administrator's token");
  Response response = error_response(401, "a token is needed: Authorization: Bearer …");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

// 404, 405, or whether there is a WebSocket where none was asked for, or the reverse.
Response not_found(const Router& router, const Router::Match& match, const Request& request,
                   bool is_upgrade) {
  if (match.allowed.empty()) {
    if (router.find(Method::kGet, request.path, !is_upgrade).route == nullptr)
      return error_response(404, "Not Found");
    if (is_upgrade) return error_response(400, "there is no WebSocket here");
    Response response = error_response(426, "this is a WebSocket");
    response.headers.emplace_back("Upgrade", "websocket");
    return response;
  }
  Response response = error_response(405, "Method Not Allowed");
  std::string allowed;
  for (const Method method : match.allowed) {
    if (!allowed.empty()) allowed += ", ";
    allowed += to_string(method);
    if (method == Method::kGet) allowed += ", HEAD";
  }
  response.headers.emplace_back("Allow", std::move(allowed));
  return response;
}

}  // namespace

Admission admit(std::string_view target, int version, bool asks_upgrade, bool is_loopback,
                const Router& router, const ServerOptions& options, Request& request) {
  if (auto fault = check_form(target, version, request))
    return {.refusal = std::move(fault), .is_malformed = true};
  if (auto fault = check_origin(request, version, asks_upgrade, is_loopback, options))
    return {.refusal = std::move(fault)};
  Admission admission{.is_upgrade = asks_upgrade &&
                                    same_but_for_case(request.header("upgrade"), "websocket")};
  auto found = router.find(request.method, request.path, admission.is_upgrade);
  admission.route = found.route;
  request.parts = std::move(found.parts);
  const Access access = found.route == nullptr ? Access::kUser : found.route->notes.access;
  admission.refusal = check_token(access, options, request);
  if (!admission.refusal && found.route == nullptr)
    admission.refusal = not_found(router, found, request, admission.is_upgrade);
  return admission;
}

std::optional<Response> check_upgrade(const Request& request) {
  if (count_headers(request, "sec-websocket-key") == 1 &&
      request.header("sec-websocket-version") == "13")
    return std::nullopt;
  Response response = error_response(426, "version 13 of WebSocket is needed");
  response.headers.emplace_back("Sec-WebSocket-Version", "13");
  return response;
}

std::string_view given_id(const Request& request) {
  constexpr std::size_t kMostBytes = 128;
  const std::string_view given = request.header("x-request-id");
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == ':';
  };
  if (given.size() > kMostBytes || !std::ranges::all_of(given, is_plain)) return {};
  return given;
}

std::string one_line(std::string_view value) {
  std::string line(value);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' && c != '\t') c = ' ';
  return line;
}

}  // namespace redqueen::net
