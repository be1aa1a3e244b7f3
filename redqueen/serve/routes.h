// The routes of this folder; each function adds those of one subject. The service outlives the
// router.
#pragma once

#include <filesystem>
#include <functional>

#include "redqueen/net/router.h"
#include "redqueen/serve/json_body.h"
#include "redqueen/serve/service.h"

namespace redqueen::serve {

void add_environment_routes(net::Router& router, const Service& service);
void add_problem_routes(net::Router& router, const Service& service);
void add_score_routes(net::Router& router, const Service& service);
void add_episode_routes(net::Router& router, const Service& service);

// Of curricula, which are kept in an SQLite file; ":memory:" keeps nothing.
Status add_curriculum_routes(net::Router& router, const Service& service,
                             const std::filesystem::path& file);

// /docs/: the OpenAPI document as a page on which calls can be tried.
void add_docs_page(net::Router& router);

// All of them, the protocols of others, the page, and the OpenAPI document of what the router has
// by then. Fails where the file of curricula
// cannot be had.
Status add_routes(net::Router& router, const Service& service,
                  const std::filesystem::path& curricula = ":memory:");

// ------------------------------------------------------------------------------------------------

// The handler of a POST whose body is a JSON object: 400 where it is none.
template <typename Handle>
net::Handler with_json(Handle handle) {
  return [handle](const net::Request& request) -> net::Answer {
    auto body = read_json_object(request.body);
    if (!body) return net::error_response(400, body.error().message);
    return handle(request, *body);
  };
}

// The same, of a body with the fields of a struct: 422 where they are not as they must be.
template <HasFields Body, typename Handle>
net::Handler with_fields(Handle handle) {
  return with_json([handle](const net::Request& request, const Json& json) -> net::Answer {
    auto body = read_fields<Body>(json);
    if (!body) return net::error_response(body.error());
    return handle(request, std::move(*body));
  });
}

// A response of an outcome that is JSON.
inline net::Response response_of(const Expected<Json>& outcome) {
  return outcome ? net::json_response(*outcome) : net::error_response(outcome.error());
}

}  // namespace redqueen::serve
