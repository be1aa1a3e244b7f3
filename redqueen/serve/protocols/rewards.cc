// Trainers that ask for one reward at a time: slime's remote_rm, and what a veRL reward function
// sends on.
#include "redqueen/core/batch.h"
#include "redqueen/serve/protocols/protocols.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {
namespace {

struct SlimeFields {
  std::string response;
  std::string label;  // the problem's address
  REDQUEEN_FIELDS(response, label)
};

struct VerlExtra {
  std::optional<std::string> address;
  REDQUEEN_FIELDS(address)
};

struct VerlFields {
  std::string solution_str;
  std::optional<std::string> ground_truth;  // the problem's address, unless extra_info has it
  std::optional<VerlExtra> extra_info;
  REDQUEEN_FIELDS(solution_str, ground_truth, extra_info)
};

template <typename Tell>
net::Answer judged(const Service& service, const ProblemName& name, std::string text, Tell tell) {
  const auto address = service.locate(name);
  if (!address) return net::error_response(address.error());
  return service.run(*address, [&service, address = *address, text = std::move(text), tell] {
    const auto made = service.make(address);
    if (!made) return net::error_response(made.error());
    return net::json_response(tell(
        score_completion(*made->problem, text, plain_format(), service.limits().response_bytes)));
  });
}

}  // namespace

void add_reward_routes(net::Router& router, const Service& service) {
  // A bare number. slime asks ten times again after anything but a 200, and then gives up its run:
  // only a label that is no address is an error.
  router.add(net::Method::kPost, "/slime/reward",
             with_fields<SlimeFields>([&service](const net::Request&, SlimeFields fields) {
               return judged(service, {.address = fields.label}, std::move(fields.response),
                             [](const Verdict& verdict) { return Json(verdict.reward); });
             }),
             {.summary = "slime's remote_rm: the reward as a number", .group = "trainers"});
  router.add(
      net::Method::kPost, "/verl/reward",
      with_fields<VerlFields>([&service](const net::Request&, VerlFields fields) -> net::Answer {
        ProblemName name{.address = fields.ground_truth};
        if (fields.extra_info && fields.extra_info->address)
          name.address = fields.extra_info->address;
        if (!name.address)
          return net::error_response(
              422,
              "\"ground_truth\" or \"extra_info.address\": one must hold the problem's address");
        return judged(service, name, std::move(fields.solution_str), [](const Verdict& verdict) {
          Json json = verdict_json(verdict);
          json["score"] = verdict.reward;
          return json;
        });
      }),
      {.summary = "A veRL reward function's call: {\"score\", …}", .group = "trainers"});
}

}  // namespace redqueen::serve
