#include "redqueen/core/tool.h"
#include "redqueen/core/tool_calls.h"
#include "redqueen/serve/episode_book.h"
#include "redqueen/serve/known_fields.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {
namespace {

struct TokenFields {
  std::string episode;
  REDQUEEN_FIELDS(episode)
};

// What the policy's side may see of an observation.
Json observation_json(const Observation& observation, bool is_first, bool is_admin) {
  Json json = to_json(observation);
  if (!is_admin) json.erase("info");
  if (is_first) json.erase("reward");
  return json;
}

// The answer to an opening or a step; the episode goes back into the book.
net::Response told(EpisodeBook& book, LiveEpisode live, bool is_admin) {
  const bool is_first = live.record.actions.empty();
  std::string token = token_of(live.record);
  Json json{{"episode", token},
            {"address", live.record.problem.to_string()},
            {"turns", live.record.actions.size()},
            {"done", live.last.done()},
            {"observation", observation_json(live.last, is_first, is_admin)}};
  if (live.last.done()) {
    json["verdict"] = verdict_json(live.episode->verdict());
  } else {
    book.keep(std::move(token), std::move(live));
  }
  return net::json_response(json);
}

struct ReadingFields {
  std::optional<std::string> reading;
  std::optional<std::string> thoughts;
  REDQUEEN_FIELDS(reading, thoughts)
};

Expected<PromptFormat> format_of(const ProblemName& name, const ReadingFields& given) {
  auto format = PromptFormat::parse(name.prompt.value_or("plain"));
  if (!format) return usage_error("{}", format.error().message);
  if (given.reading) {
    ASSIGN_OR_RETURN(format->reading, kAnswerReadingNames.get("\"reading\"", *given.reading));
  }
  if (given.thoughts) {
    ASSIGN_OR_RETURN(format->thoughts, kThoughtReadingNames.get("\"thoughts\"", *given.thoughts));
  }
  return format;
}

net::Answer open(const Service& service, const std::shared_ptr<EpisodeBook>& book,
                 const ProblemName& name, const ReadingFields& given, bool is_admin) {
  const auto address = service.locate(name);
  if (!address) return net::error_response(address.error());
  auto format = format_of(name, given);
  if (!format) return net::error_response(422, format.error().message);
  EpisodeOptions options{.format = std::move(*format),
                         .max_response_bytes = service.limits().response_bytes};
  return service.run(*address, [book, address = *address, options = std::move(options), is_admin] {
    auto live = book->open(address, options);
    return live ? told(*book, std::move(*live), is_admin) : net::error_response(live.error());
  });
}

// An observation names tools only where they change, and no environment changes them on the way.
std::vector<ToolSpec> live_tools(const LiveEpisode& live) {
  if (!live.last.tools.empty()) return live.last.tools;
  return live.made.problem->start(live.record.options)->begin().tools;
}

// An episode of elsewhere goes on here; its observation names the tools anew.
net::Answer resume(const std::shared_ptr<EpisodeBook>& book, const Json& body, bool is_admin) {
  if (body.size() > 1)
    return net::error_response(422, "\"record\": names the problem, so it stands alone");
  auto record = episode_record_from_json(body["record"]);
  if (!record) return net::error_response(422, "\"record\": " + record.error().message);
  return net::Later([book, record = std::move(*record), is_admin] {
    auto live = book->replay(record);
    if (!live) return net::error_response(live.error());
    live->last.tools = live_tools(*live);
    return told(*book, std::move(*live), is_admin);
  });
}

net::Response step(EpisodeBook& book, const Json& body, bool is_admin) {
  const auto given = read_fields<TokenFields>(body);
  if (!given) return net::error_response(given.error());
  if (!body.contains("action")) return net::error_response(422, "\"action\": missing");
  auto action = action_from_json(body["action"]);
  if (!action) return net::error_response(422, action.error().message);
  auto live = book.take(given->episode);
  if (!live) return net::error_response(live.error());
  if (live->last.done()) return net::error_response(409, "this episode has ended");
  // A text is what the policy wrote, and calls of tools may stand in it; a message names its own.
  if (body["action"].is_string()) action = parse_action(action->text, live_tools(*live));
  live->last = live->episode->step(*action);
  live->record.actions.push_back(std::move(*action));
  return told(book, std::move(*live), is_admin);
}

net::Response state(EpisodeBook& book, const TokenFields& given, bool is_admin) {
  auto live = book.take(given.episode);
  if (!live) return net::error_response(live.error());
  Json json{{"address", live->record.problem.to_string()},
            {"turns", live->record.actions.size()},
            {"done", live->last.done()},
            {"max_turns", live->made.problem->max_turns()},
            {"record", to_json(live->record)}};
  // Before the end it tells how well the episode goes, which the policy's side does not see.
  if (live->last.done() || is_admin) json["verdict"] = verdict_json(live->episode->verdict());
  if (is_admin) json["hidden"] = live->episode->state();
  book.keep(given.episode, std::move(*live));
  return net::json_response(json);
}

Json opening_schema() {
  Json schema = json_schema<ProblemName>();
  schema["properties"]["reading"] = {{"type", "string"}};
  schema["properties"]["thoughts"] = {{"type", "string"}};
  schema["properties"]["record"] = {{"type", "object"}};
  return schema;
}

}  // namespace

void add_episode_routes(net::Router& router, const Service& service) {
  const auto book = std::make_shared<EpisodeBook>(service);
  router.add(
      net::Method::kPost, "/v1/episodes",
      with_json([&service, book](const net::Request& request, const Json& body) -> net::Answer {
        if (body.contains("record")) return resume(book, body, request.is_admin);
        const auto name = read_known_fields<ProblemName>(body, {"reading", "thoughts"});
        if (!name) return net::error_response(name.error());
        const auto given = read_fields<ReadingFields>(body);
        if (!given) return net::error_response(given.error());
        return open(service, book, *name, *given, request.is_admin);
      }),
      {.summary = "Opens an episode, or goes on with that of a record; its token is all "
                  "that there is to it",
       .group = "episodes",
       .request = opening_schema()});
  router.add(net::Method::kPost, "/v1/episodes/step",
             with_json([book](const net::Request& request, Json body) -> net::Answer {
               return net::Later([book, body = std::move(body), admin = request.is_admin] {
                 return step(*book, body, admin);
               });
             }),
             {.summary = R"(Takes a turn: {"episode", "action"}; answers with the next token)",
              .group = "episodes",
              .request = json_schema<TokenFields>()});
  router.add(net::Method::kPost, "/v1/episodes/state",
             with_fields<TokenFields>(
                 [book](const net::Request& request, TokenFields given) -> net::Answer {
                   return net::Later([book, given = std::move(given), admin = request.is_admin] {
                     return state(*book, given, admin);
                   });
                 }),
             {.summary = "Where an episode stands",
              .group = "episodes",
              .request = json_schema<TokenFields>()});
  router.add(net::Method::kPost, "/v1/episodes/close",
             with_fields<TokenFields>(
                 [book](const net::Request&, const TokenFields& given) -> net::Answer {
                   return net::Later([book, given] {
                     const auto live = book->take(given.episode);
                     return live ? net::json_response(Json{{"closed", true}})
                                 : net::error_response(live.error());
                   });
                 }),
             {.summary = "Forgets an episode; its token stays valid",
              .group = "episodes",
              .request = json_schema<TokenFields>()});
}

}  // namespace redqueen::serve
