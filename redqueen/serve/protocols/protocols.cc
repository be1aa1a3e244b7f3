#include "redqueen/serve/protocols/protocols.h"

#include "redqueen/serve/routes.h"

namespace redqueen::serve {

const PromptFormat& plain_format() {
  static const PromptFormat format = *PromptFormat::parse("plain");
  return format;
}

void add_protocol_routes(net::Router& router, const Service& service) {
  const auto is_nemo_gym = [](const Json& body) {
    return body.contains("responses_create_params");
  };
  const NemoGymnasium gymnasium(service);
  router.add(net::Method::kPost, "/reset",
             [&service, gymnasium, is_nemo_gym](const net::Request& request) -> net::Answer {
               const auto body = read_json_object(request.body.empty() ? "{}" : request.body);
               if (!body) return field_error({"body"}, body.error().message, "json_invalid");
               if (is_nemo_gym(*body)) return gymnasium.reset(request, *body);
               return openenv_reset(service, *body);
             },
             {.summary = "OpenEnv and NeMo Gym: a problem", .group = "protocols"});
  router.add(net::Method::kPost, "/step",
             [&service, gymnasium, is_nemo_gym](const net::Request& request) -> net::Answer {
               const auto body = read_json_object(request.body);
               if (!body) return field_error({"body"}, body.error().message, "json_invalid");
               if (is_nemo_gym(*body)) return gymnasium.step(request);
               return openenv_step(service, *body);
             },
             {.summary = "OpenEnv and NeMo Gym: a response", .group = "protocols"});
  add_openenv_routes(router, service);
  add_nemo_gym_routes(router, service, gymnasium);
  add_reward_routes(router, service);
  add_sandbox_fusion_routes(router, service);
  add_ors_routes(router, service);
  add_mcp_routes(router, service);
}

}  // namespace redqueen::serve
