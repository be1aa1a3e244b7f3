// The wire protocols of others, each as its released clients speak it, all on one port. Where two
// of them want one path, the body tells whose request it is.
#pragma once

#include "redqueen/net/router.h"
#include "redqueen/serve/episode_book.h"
#include "redqueen/serve/service.h"
#include "redqueen/serve/session_book.h"

namespace redqueen::serve {

// OpenEnv (0.4 and 0.10): /ws, /state, /schema, /metadata, /health, and its halves of /reset and
// /step.
void add_openenv_routes(net::Router& router, const Service& service);
net::Answer openenv_reset(const Service& service, const Json& body);
net::Answer openenv_step(const Service& service, const Json& body);

// NeMo Gym's halves of /reset and /step (gymnasium style). Episodes of several turns are remembered
// under the client's cookie; copies share them.
class NemoGymnasium {
 public:
  explicit NemoGymnasium(const Service& service)
      : service_(service), sessions_(std::make_shared<SessionBook>(service.limits())) {}

  net::Answer reset(const net::Request& request, const Json& body) const;
  net::Answer step(const net::Request& request) const;
  net::Response close(const net::Request& request) const;

 private:
  const Service& service_;
  std::shared_ptr<SessionBook> sessions_;
};

// NeMo Gym (0.7): /seed_session, /verify, /close_session, /aggregate_metrics, /reverify_mode, and
// /close of its gymnasium style.
void add_nemo_gym_routes(net::Router& router, const Service& service,
                         const NemoGymnasium& gymnasium);

// slime's remote_rm and the call of a veRL reward function.
void add_reward_routes(net::Router& router, const Service& service);

// SandboxFusion: /run_code, /submit.
void add_sandbox_fusion_routes(net::Router& router, const Service& service);

// ORS (openreward 0.1): /list_environments, /create, /{env}/prompt, /{env}/call and so on.
void add_ors_routes(net::Router& router, const Service& service);

// Model Context Protocol: /mcp.
void add_mcp_routes(net::Router& router, const Service& service);

// All of them.
void add_protocol_routes(net::Router& router, const Service& service);

// ------------------------------------------------------------------------------------------------

// Clients that read a reply as JSON where it can be read so send 42 for "42".
inline std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

// An error in the form of FastAPI, which the clients know: {"detail": [{"type", "loc", "msg"}]}.
inline net::Response field_error(std::vector<std::string> place, const std::string& message,
                                 const std::string& type = "value_error") {
  return net::json_response(
      Json{{"detail", Json::array({Json{{"type", type}, {"loc", place}, {"msg", message}}})}}, 422);
}

// The prompt format that these protocols send, and how a response to it is read.
const PromptFormat& plain_format();

}  // namespace redqueen::serve
