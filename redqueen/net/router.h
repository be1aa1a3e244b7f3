// Finds the handler of a request: method and path pattern → handler, with a description for readers
// of the API.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/net/http.h"

namespace redqueen::net {

// The callers that a route admits.
enum class Access : std::uint8_t {
  kOpen,   // anybody: whether the server is alive
  kUser,   // who has the token, where there is one
  kAdmin,  // who has the administrator's token, where there is one
};

// For OpenAPI. Schemas are JSON schemas; null: nothing is said.
struct RouteNotes {
  Access access = Access::kUser;
  std::string summary;
  std::string group = "other";  // heading under which it stands
  Json request = nullptr;       // of the body
  Json response = nullptr;      // of the body of a 200
};

struct Route {
  Method method = Method::kGet;
  std::string pattern;
  RouteNotes notes;
  Handler handler;       // of a plain request
  SocketHandler socket;  // of an upgrade to a WebSocket; one of the two is set
};

// A pattern is a path whose parts may be {name}, which takes one part, or, as the last one,
// {name...}, which takes all that follow, also none. {name} takes what is percent-decoded, a "/"
// (%2F) included. {name...} never takes a part that climbs or hides: empty, ".", "..", or with a
// backslash, an encoded "/" or a NUL in it.
class Router {
 public:
  // A route that is there already is a broken promise.
  void add(Method method, std::string pattern, Handler handler, RouteNotes notes = {});
  void add_socket(std::string pattern, SocketHandler socket, RouteNotes notes = {});

  struct Match {
    const Route* route = nullptr;  // null: nothing for this path and method
    std::vector<PathPart> parts;   // what the pattern names
    std::vector<Method> allowed;   // where the path has routes, but none of this method
  };
  // Patterns without names come first, then those with more plain parts before their first name. A
  // HEAD finds the route of GET. `path` is percent-encoded.
  Match find(Method method, std::string_view path, bool is_upgrade = false) const;

  const std::vector<Route>& routes() const { return routes_; }
  // The place of a route of this router in routes().
  std::size_t index_of(const Route& route) const {
    return static_cast<std::size_t>(&route - routes_.data());
  }

 private:
  void add(Route route);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::vector<Route> routes_;
  std::unordered_map<std::string, std::vector<std::size_t>, Hash, std::equal_to<>> plain_;
  std::vector<std::size_t> named_;  // most plain parts first
};

// The OpenAPI 3.1 document of a router's routes.
Json openapi(const Router& router, std::string_view title, std::string_view version);

}  // namespace redqueen::net
