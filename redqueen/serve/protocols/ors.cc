// ORS, as the SDK openreward 0.1 speaks it: environments with splits of tasks, and sessions in
// which a task's tools are called.
#include "redqueen/base/ascii.h"
#include "redqueen/core/tool.h"
#include "redqueen/serve/protocols/protocols.h"
#include "redqueen/serve/routes.h"
#include "redqueen/serve/session_book.h"

namespace redqueen::serve {
namespace {

constexpr std::uint64_t kTasks = 1'000'000;  // of a split; there is no end to them
constexpr std::uint64_t kMostTasksAtOnce = 10'000;
constexpr std::uint64_t kLevels = 3;  // a split goes round the first levels

net::Response events(std::initializer_list<std::pair<const char*, std::string>> list) {
  net::Response response{.content_type = "text/event-stream"};
  for (const auto& [event, data] : list)
    response.body += fmt::format("event: {}\r\ndata: {}\r\n\r\n", event, data);
  return response;
}

// A longer outcome comes in pieces.
net::Response outcome_events(const std::string& id, const Json& outcome) {
  constexpr std::size_t kMostBytes = 4096;
  const std::string text = dump_json(outcome);
  if (text.size() <= kMostBytes) return events({{"task_id", id}, {"end", text}});
  net::Response response = events({{"task_id", id}});
  std::size_t at = 0;
  while (text.size() - at > kMostBytes) {
    std::size_t size = kMostBytes;
    while ((static_cast<unsigned char>(text[at + size]) & 0xC0U) == 0x80U) --size;  // whole letters
    response.body += fmt::format("event: chunk\r\ndata: {}\r\n\r\n", text.substr(at, size));
    at += size;
  }
  response.body += fmt::format("event: end\r\ndata: {}\r\n\r\n", text.substr(at));
  return response;
}

Json block(const std::string& text) {
  return {{"text", text}, {"detail", nullptr}, {"type", "text"}};
}

Json failed(const char* reason, const std::string& message) {
  return {{"ok", false}, {"error", message}, {"reason", reason}};
}

Json ors_tool(const ToolSpec& tool) {
  return {
      {"name", tool.name}, {"description", tool.description}, {"input_schema", tool.parameters}};
}

struct SubmitArguments {
  std::string response;
  REDQUEEN_FIELDS(response)
};

// Those of the session's world; or of a question, which is answered with one.
Json ors_tools(const std::vector<ToolSpec>& own) {
  Json list = Json::array();
  for (const ToolSpec& tool : own) list.push_back(ors_tool(tool));
  list.push_back(ors_tool(tool<SubmitArguments>("submit", "Submits the whole response for grading.",
                                                {{"response", "All that you want graded"}})));
  return {{"tools", std::move(list)},
          {"terminal_tool",
           {{"name", "answer"}, {"arg", "response"}, {"description", "Grades the last message."}}},
          {"supports_score_group", false},
          {"message_block_types", Json::array({"text"})}};
}

// What a tool's call comes to.
Json called(LiveEpisode& live, const Json& body) {
  const auto name = body.find("name");
  const Json input = body.contains("input") ? body["input"] : Json::object();
  if (name == body.end() || !name->is_string())
    return failed("input_validation", "name: a string is required");
  if (live.last.done()) return failed("episode_finished", "the episode has finished");
  Action action;
  if (*name == "submit" || *name == "answer") {
    if (!input.is_object() || !input.contains("response") || !input["response"].is_string())
      return failed("input_validation", "response: a string is required");
    action.text = input["response"].get<std::string>();
  } else {
    const auto& tools = live.last.tools;
    const std::string wanted = name->get<std::string>();
    if (std::ranges::find(tools, wanted, &ToolSpec::name) == tools.end())
      return failed("not_found", fmt::format("'{}' is not a valid tool", wanted));
    action.tool_calls.push_back({.id = "call", .name = wanted, .arguments = input});
  }
  auto tools = std::move(live.last.tools);
  live.last = live.episode->step(action);
  if (live.last.tools.empty()) live.last.tools = std::move(tools);  // said where they change alone
  live.record.actions.push_back(std::move(action));
  Json blocks = Json::array();
  for (const Message& message : live.last.messages) blocks.push_back(block(message.content));
  Json metadata{{"address", live.record.problem.to_string()}};
  if (live.last.done()) {
    const bool solved = live.episode->verdict().solved;
    metadata["solved"] = solved;
    if (blocks.empty()) blocks.push_back(block(solved ? "right" : "not right"));
  }
  return {{"ok", true},
          {"output",
           {{"blocks", std::move(blocks)},
            {"metadata", std::move(metadata)},
            {"reward", live.last.reward},
            {"finished", live.last.done()}}}};
}

class Ors {
 public:
  explicit Ors(const Service& service) : service_(service), sessions_(service.limits()) {}

  // The environment that the path names, else the one of X-Deployment, else the first.
  Expected<const Environment*> environment(const net::Request& request) const {
    if (!request.part("env").empty()) return service_.find(request.part("env"));
    std::string_view wanted = request.header("x-deployment");
    if (const std::size_t slash = wanted.rfind('/'); slash != std::string_view::npos)
      wanted = wanted.substr(slash + 1);
    if (auto found = service_.find(wanted)) return found;
    return service_.environments().front();
  }

  net::Answer redirect(const net::Request& request) const {
    const auto found = environment(request);
    net::Response response{.status = 308, .body = "{}"};
    std::string name;  // "/" in a name stands encoded in a path
    for (const char c : ascii_lower((*found)->name())) name += c == '/' ? "%2F" : std::string(1, c);
    response.headers.emplace_back("Location", fmt::format("/{}{}", name, request.path));
    return response;
  }

  // The task at a place of a split, as a client sends it back with /create.
  static Json spec(const Environment& environment, const std::string& split, std::uint64_t index) {
    const auto levels = std::min<std::uint64_t>(
        kLevels, static_cast<std::uint64_t>(environment.card().max_level) + 1);
    return {{"environment", environment.name()},
            {"level", index % levels},
            {"split", split},
            {"index", index}};
  }

  net::Answer tasks(const net::Request& request, const Json& body, std::string_view what) const {
    const auto found = environment(request);
    if (!found) return net::error_response(404, found.error().message);
    const std::string split = body.contains("split") && body["split"].is_string()
                                  ? body["split"].get<std::string>()
                                  : "train";
    if (split != "train" && split != "test")
      return net::error_response(400, fmt::format("there is no split \"{}\"", split));
    const auto number = [&](const char* key, std::uint64_t otherwise) {
      const auto value = body.find(key);
      return value != body.end() && value->is_number_unsigned() ? value->get<std::uint64_t>()
                                                                : otherwise;
    };
    const std::string name = ascii_lower((*found)->name());
    if (what == "num_tasks")
      return net::json_response(Json{{"num_tasks", kTasks}, {"env_name", name}});
    if (what == "task") {
      const std::uint64_t index = number("index", kTasks);
      if (index >= kTasks) return net::error_response(400, "Invalid index");
      return net::json_response(Json{{"task", spec(**found, split, index)}, {"env_name", name}});
    }
    const std::uint64_t start = std::min(number("start", 0), kTasks);
    const std::uint64_t stop =
        std::min({number("stop", start + 100), start + kMostTasksAtOnce, kTasks});
    Json list = Json::array();
    for (std::uint64_t i = start; i < stop; ++i) list.push_back(spec(**found, split, i));
    return net::json_response(Json{{"tasks", std::move(list)}, {"env_name", name}});
  }

  net::Response create(const net::Request& request, const Json& body) {
    const std::string_view id = request.header("x-session-id");
    if (id.empty() || id.size() > 128)
      return net::error_response(400, "X-Session-ID header is required");
    const auto address = located(request, body);
    if (!address) return net::error_response(400, address.error().message);
    auto live = EpisodeBook(service_).open(
        *address,
        {.format = plain_format(), .max_response_bytes = service_.limits().response_bytes});
    if (!live) return net::error_response(live.error());
    if (!sessions_.open(id, std::move(*live))) {
      net::Response full = net::error_response(503, "too many sessions");
      full.headers.emplace_back("Retry-After", "5");
      return full;
    }
    return net::json_response(Json{{"sid", id}});
  }

  net::Response prompt(const net::Request& request, bool as_messages) {
    const auto session = sessions_.find(request.header("x-session-id"));
    if (!session) return no_session();
    const std::scoped_lock lock(session->mutex);
    Json blocks = Json::array();
    // The first observation, whatever came after it.
    const auto episode = session->live.made.problem->start(session->live.record.options);
    for (const Message& message : episode->begin().messages)
      blocks.push_back(block(message.content));
    if (!as_messages) return net::json_response(blocks);
    return net::json_response(
        Json::array({Json{{"role", "user"}, {"blocks", std::move(blocks)}, {"detail", nullptr}}}));
  }

  net::Response tools(const net::Request& request) {
    const auto session = sessions_.find(request.header("x-session-id"));
    if (!session) return net::json_response(ors_tools({}));
    const std::scoped_lock lock(session->mutex);
    return net::json_response(ors_tools(session->live.last.tools));
  }

  net::Response call(const net::Request& request, const Json& body) {
    const auto session = sessions_.find(request.header("x-session-id"));
    if (!session) return no_session();
    const auto given = body.find("task_id");
    const std::string id =
        given != body.end() && given->is_string() ? given->get<std::string>() : random_id();
    const std::scoped_lock lock(session->mutex);
    if (const Json* known = session->known_outcome(id)) return outcome_events(id, *known);
    const Json outcome = called(session->live, body);
    session->remember(id, outcome);
    return outcome_events(id, outcome);
  }

  net::Response ping(const net::Request& request) {
    return sessions_.find(request.header("x-session-id"))
               ? net::json_response(Json{{"status", "ok"}})
               : no_session();
  }
  net::Response close(const net::Request& request) {
    sessions_.close(request.header("x-session-id"));
    return net::json_response(Json{{"sid", request.header("x-session-id")}});
  }

 private:
  static net::Response no_session() {
    return net::error_response(404, "Active environment not found");
  }

  Expected<ProblemAddress> located(const net::Request& request, const Json& body) const {
    const auto given = body.find("task_spec");
    Json wanted = given != body.end() && given->is_object() ? *given : Json();
    if (wanted.is_null()) {
      const Json named = body.value("env_name", Json());
      ASSIGN_OR_RETURN(const Environment* found, named.is_string()
                                                     ? service_.find(named.get<std::string>())
                                                     : environment(request));
      if (!body.contains("index") || !body["index"].is_number_unsigned())
        return usage_error(R"("task_spec", or "split" and "index" are needed)");
      const Json split = body.value("split", Json("train"));
      if (!split.is_string()) return usage_error("\"split\": expected a string");
      wanted = spec(*found, split.get<std::string>(), body["index"].get<std::uint64_t>());
    }
    ASSIGN_OR_RETURN(const auto name, read_fields<ProblemName>(wanted));
    return service_.locate(name);
  }

  const Service& service_;
  SessionBook sessions_;
};

Json environment_names(const Service& service) {
  Json names = Json::array();
  for (const Environment* environment : service.environments())
    names.push_back(ascii_lower(environment->name()));
  return names;
}

}  // namespace

void add_ors_routes(net::Router& router, const Service& service) {
  const auto ors = std::make_shared<Ors>(service);
  const auto get = [&router](const std::string& path, const char* summary, net::Handler handler) {
    router.add(net::Method::kGet, path, std::move(handler), {.summary = summary, .group = "ORS"});
  };
  const auto post = [&router](const std::string& path, const char* summary, net::Handler handler) {
    router.add(net::Method::kPost, path, std::move(handler), {.summary = summary, .group = "ORS"});
  };
  const auto redirect = [ors](const net::Request& request) { return ors->redirect(request); };
  get("/list_environments", "Names of environments",
      [&service](const net::Request&) -> net::Answer {
        return net::json_response(environment_names(service));
      });
  get("/version", "The server's version", [](const net::Request&) -> net::Answer {
    return net::json_response(Json{{"version", "0.1.0"}, {"build_sha", nullptr}});
  });
  for (const char* what : {"splits", "tools", "task_tools", "prompt", "messages"})
    get(fmt::format("/{}", what), "To the environment's own path", redirect);
  for (const char* what : {"tasks", "num_tasks", "task", "task_range", "call"})
    post(fmt::format("/{}", what), "To the environment's own path", redirect);
  get("/{env}/splits", "Splits of tasks", [ors](const net::Request& request) -> net::Answer {
    if (const auto found = ors->environment(request); !found)
      return net::error_response(404, found.error().message);
    return net::json_response(Json::array(
        {Json{{"name", "train"}, {"type", "train"}}, Json{{"name", "test"}, {"type", "test"}}}));
  });
  for (const char* what : {"tools", "task_tools"})
    get(fmt::format("/{{env}}/{}", what), "Tools of a session",
        net::on_worker([ors](const net::Request& request) { return ors->tools(request); }));
  get("/{env}/prompt", "A session's prompt",
      net::on_worker([ors](const net::Request& request) { return ors->prompt(request, false); }));
  get("/{env}/messages", "The same as a message",
      net::on_worker([ors](const net::Request& request) { return ors->prompt(request, true); }));
  for (const char* what : {"tasks", "num_tasks", "task", "task_range"})
    post(fmt::format("/{{env}}/{}", what), "Tasks of a split",
         with_json([ors, what](const net::Request& request, const Json& body) {
           return ors->tasks(request, body, what);
         }));
  const auto on_json = [](auto handle) {
    return with_json([handle](const net::Request& request, Json body) -> net::Answer {
      return net::Later(
          [handle, &request, body = std::move(body)] { return handle(request, body); });
    });
  };
  post("/{env}/call", "Calls a tool", on_json([ors](const net::Request& request, const Json& body) {
         return ors->call(request, body);
       }));
  post("/create_session", "A name for a session", [](const net::Request&) -> net::Answer {
    return events({{"task_id", random_id()}, {"end", ""}});
  });
  post("/create", "Begins a session", on_json([ors](const net::Request& request, const Json& body) {
         return ors->create(request, body);
       }));
  post("/ping", "Keeps a session",
       [ors](const net::Request& request) -> net::Answer { return ors->ping(request); });
  for (const char* path : {"/delete", "/delete_session"})
    post(path, "Ends a session",
         [ors](const net::Request& request) -> net::Answer { return ors->close(request); });
}

}  // namespace redqueen::serve
