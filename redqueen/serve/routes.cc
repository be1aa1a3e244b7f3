#include "redqueen/serve/routes.h"

#include "redqueen/serve/protocols/protocols.h"

namespace redqueen::serve {

Status add_routes(net::Router& router, const Service& service,
                  const std::filesystem::path& curricula) {
  add_environment_routes(router, service);
  add_problem_routes(router, service);
  add_score_routes(router, service);
  add_episode_routes(router, service);
  RETURN_IF_ERROR(add_curriculum_routes(router, service, curricula));
  add_protocol_routes(router, service);
  add_docs_page(router);
  const auto document = std::make_shared<std::string>();
  router.add(
      net::Method::kGet, "/openapi.json",
      [document](const net::Request&) -> net::Answer { return net::Response{.body = *document}; },
      {.summary = "This document", .group = "about"});
  *document = dump_json(net::openapi(router, "RedQueen", "1"));
  return {};
}

}  // namespace redqueen::serve
