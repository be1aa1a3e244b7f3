#include "redqueen/net/router.h"

#include <algorithm>
#include <cassert>

#include "redqueen/base/ascii.h"

namespace redqueen::net {
namespace {

bool is_name(std::string_view part) { return part.starts_with('{') && part.ends_with('}'); }
bool takes_rest(std::string_view part) { return is_name(part) && part.ends_with("...}"); }

// The name in {name} or {name...}.
std::string_view name_of(std::string_view part) {
  part.remove_prefix(1);
  part.remove_suffix(part.ends_with("...}") ? 4 : 1);
  return part;
}

// The next part of a path that begins with "/", which is removed with it.
std::string_view next_part(std::string_view& path) {
  path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(end);
  return part;
}

// Plain parts before the first name.
std::size_t plainness(std::string_view pattern) {
  std::size_t count = 0;
  while (!pattern.empty() && !is_name(next_part(pattern))) ++count;
  return count;
}

// What {name...} takes, decoded part by part.
std::optional<std::string> rest_of(std::string_view path) {
  constexpr std::string_view kHiding("/\\\0", 3);
  std::string rest;
  while (!path.empty()) {
    const auto part = percent_decode(next_part(path));
    if (!part || part->empty() || *part == "." || *part == "..") return std::nullopt;
    if (part->find_first_of(kHiding) != std::string::npos) return std::nullopt;
    if (!rest.empty()) rest += '/';
    rest += *part;
  }
  return rest;
}

bool matches(std::string_view pattern, std::string_view path, std::vector<PathPart>& parts) {
  parts.clear();
  while (!pattern.empty()) {
    const std::string_view wanted = next_part(pattern);
    if (takes_rest(wanted)) {
      auto rest = path == "/" ? std::string() : rest_of(path);
      if (!rest) return false;
      parts.push_back({name_of(wanted), std::move(*rest)});
      return true;
    }
    if (path.empty()) return false;
    const std::string_view given = next_part(path);
    if (is_name(wanted)) {
      auto value = percent_decode(given);
      if (!value || value->empty()) return false;
      parts.push_back({name_of(wanted), std::move(*value)});
    } else if (given != wanted) {
      return false;
    }
  }
  return path.empty();
}

}  // namespace

void Router::add(Method method, std::string pattern, Handler handler, RouteNotes notes) {
  add({.method = method,
       .pattern = std::move(pattern),
       .notes = std::move(notes),
       .handler = std::move(handler),
       .socket = nullptr});
}

void Router::add_socket(std::string pattern, SocketHandler socket, RouteNotes notes) {
  add({.method = Method::kGet,
       .pattern = std::move(pattern),
       .notes = std::move(notes),
       .handler = nullptr,
       .socket = std::move(socket)});
}

void Router::add(Route route) {
  assert(route.pattern.starts_with('/'));
  assert(std::ranges::none_of(routes_, [&](const Route& other) {
    return other.method == route.method && other.pattern == route.pattern &&
           (other.socket == nullptr) == (route.socket == nullptr);
  }));
  const std::size_t index = routes_.size();
  if (route.pattern.find('{') == std::string::npos) {
    plain_[route.pattern].push_back(index);
  } else {
    const auto place = std::ranges::find_if(named_, [&](std::size_t other) {
      return plainness(routes_[other].pattern) < plainness(route.pattern);
    });
    named_.insert(place, index);
  }
  routes_.push_back(std::move(route));
}

Router::Match Router::find(Method method, std::string_view path, bool is_upgrade) const {
  Match match;
  const Method wanted = method == Method::kHead ? Method::kGet : method;
  const auto try_route = [&](std::size_t index) {
    const Route& route = routes_[index];
    if ((route.socket != nullptr) == is_upgrade && route.method == wanted) {
      match.route = &route;
      return true;
    }
    if (route.socket == nullptr) match.allowed.push_back(route.method);
    return false;
  };
  if (const auto plain = plain_.find(path); plain != plain_.end()) {
    for (const std::size_t index : plain->second) {
      if (try_route(index)) return match;
    }
  }
  std::vector<PathPart> parts;
  for (const std::size_t index : named_) {
    if (matches(routes_[index].pattern, path, parts) && try_route(index)) {
      match.parts = std::move(parts);
      return match;
    }
  }
  return match;
}

// ------------------------------------------------------------------------------------------------

namespace {

// {name...} is written {name}: OpenAPI has one form of names.
std::string openapi_path(std::string_view pattern) {
  std::string path(pattern);
  if (const std::size_t dots = path.find("...}"); dots != std::string::npos) path.erase(dots, 3);
  return path;
}

Json parameters_of(std::string_view pattern) {
  Json parameters = Json::array();
  while (!pattern.empty()) {
    const std::string_view part = next_part(pattern);
    if (!is_name(part)) continue;
    parameters.push_back({{"name", name_of(part)},
                          {"in", "path"},
                          {"required", true},
                          {"schema", {{"type", "string"}}}});
  }
  return parameters;
}

Json json_content(const Json& schema) {
  Json content = Json::object();
  content["application/json"]["schema"] = schema.is_null() ? Json::object() : schema;
  return content;
}

Json operation_of(const Route& route) {
  Json operation{{"summary", route.notes.summary}, {"tags", Json::array({route.notes.group})}};
  if (Json parameters = parameters_of(route.pattern); !parameters.empty())
    operation["parameters"] = std::move(parameters);
  if (!route.notes.request.is_null()) {
    operation["requestBody"]["required"] = true;
    operation["requestBody"]["content"] = json_content(route.notes.request);
  }
  if (route.socket) {
    operation["responses"]["101"]["description"] = "The connection becomes a WebSocket.";
  } else {
    operation["responses"]["200"]["description"] = "Done.";
    operation["responses"]["200"]["content"] = json_content(route.notes.response);
  }
  if (route.notes.access == Access::kOpen) operation["security"] = Json::array();
  return operation;
}

}  // namespace

Json openapi(const Router& router, std::string_view title, std::string_view version) {
  Json paths = Json::object();
  for (const Route& route : router.routes()) {
    Json& path = paths[openapi_path(route.pattern)];
    const std::string method = ascii_lower(to_string(route.method));
    if (!path.contains(method)) path[method] = operation_of(route);
  }
  Json document = Json::object();
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", title}, {"version", version}};
  document["paths"] = std::move(paths);
  document["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  document["security"] = Json::array({Json::object({{"token", Json::array()}})});
  return document;
}

}  // namespace redqueen::net
