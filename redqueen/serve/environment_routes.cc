#include "redqueen/serve/routes.h"

namespace redqueen::serve {
namespace {

Json card_json(const Environment& environment) {
  const Card& card = environment.card();
  return {{"name", card.name},
          {"version", card.version},
          {"family", to_string(card.family)},
          {"answer", to_string(card.answer)},
          {"scoring", to_string(card.scoring)},
          {"max_level", card.max_level},
          {"task", card.task}};
}

Json whole_card_json(const Environment& environment) {
  const Card& card = environment.card();
  Json json = card_json(environment);
  json["levels"] = card.levels;
  json["rewards"] = card.rewards;
  json["differences"] = card.differences;
  json["small_answer_space"] = card.small_answer_space;
  json["source"] = card.source;
  return json;
}

Json suite_json(const std::string& name, const WeightedEnvironments& suite) {
  Json environments = Json::array();
  for (const Environment* environment : suite.environments)
    environments.push_back(environment->name());
  return {{"name", name},
          {"environments", std::move(environments)},
          {"weights", suite.weights},
          {"missing", suite.missing},
          {"levels", suite.levels},
          {"problems", suite.problems}};
}

}  // namespace

void add_environment_routes(net::Router& router, const Service& service) {
  router.add(net::Method::kGet, "/v1/environments",
             [&service](const net::Request&) -> net::Answer {
               Json list = Json::array();
               for (const Environment* environment : service.environments())
                 list.push_back(card_json(*environment));
               return net::json_response(Json{{"environments", std::move(list)}});
             },
             {.summary = "All environments", .group = "environments"});
  router.add(net::Method::kGet, "/v1/environments/{name}",
             [&service](const net::Request& request) -> net::Answer {
               const auto environment = service.find(request.part("name"));
               if (!environment) return net::error_response(404, environment.error().message);
               return net::json_response(whole_card_json(**environment));
             },
             {.summary = "What an environment asks, and how its answers are rewarded",
              .group = "environments"});
  router.add(net::Method::kGet, "/v1/suites/{name}",
             [&service](const net::Request& request) -> net::Answer {
               const std::string name(request.part("name"));
               const auto suite = service.suite(name);
               if (!suite) return net::error_response(404, suite.error().message);
               return net::json_response(suite_json(name, *suite));
             },
             {.summary = "The environments of a suite, or of names with commas between",
              .group = "environments"});
}

}  // namespace redqueen::serve
