#include "redqueen/serve/routes.h"

#include "redqueen/serve/protocols/protocols.h"
#include "redqueen/suites/split.h"

namespace redqueen::serve {
namespace {

// Bodies that are answered as they stand, for those who try the calls.
Json examples(const Environment& environment) {
  const std::string name(environment.name());
  const std::string address = environment.address(0, 0, kTestSalt + 1).to_string();
  return {{"/v1/problems", {{"environment", name}, {"level", 0}, {"count", 3}}},
          {"/v1/score", {{"address", address}, {"response", "<answer>1</answer>"}}},
          {"/v1/episodes", {{"environment", name}, {"level", 0}}},
          {"/v1/curricula", {{"id", "mine"}, {"suite", name}, {"rollouts", 8}}},
          {"/v1/curricula/{id}/problems", {{"count", 8}}},
          {"/v1/chat/completions",
           {{"messages", Json::array({Json{{"role", "user"}, {"content", "What is 2 + 2?"}}})}}},
          {"/v1/completions", {{"prompt", "2 + 2 ="}, {"max_tokens", 16}}},
          {"/tokenize", {{"prompt", "2 + 2 ="}}},
          {"/reset", {{"address", address}}},
          {"/run_code", {{"language", "python"}, {"code", "print(6 * 7)"}}},
          {"/slime/reward", {{"response", "<answer>1</answer>"}, {"label", address}}},
          {"/mcp", {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/list"}}}};
}

Json described(const net::Router& router, const Engine& engine) {
  Json document = net::openapi(router, "RedQueen", "1");
  const auto native = engine.native().all();
  if (native.empty()) return document;
  const Json bodies = examples(*native.front());
  for (const auto& [path, body] : bodies.items()) {
    const auto found = document["paths"].find(path);
    if (found != document["paths"].end())
      (*found)["post"]["requestBody"]["content"]["application/json"]["example"] = body;
  }
  return document;
}

}  // namespace

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
  *document = dump_json(described(router, service.engine()));
  return {};
}

}  // namespace redqueen::serve
