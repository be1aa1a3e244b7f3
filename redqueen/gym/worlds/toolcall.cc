// toolcall: requests in words that one or more calls of typed functions answer, or none.

#include <algorithm>
#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/core/tool.h"
#include "redqueen/core/turns_contract.h"
#include "redqueen/gym/common/worlds/words.h"
#include "redqueen/gym/worlds/toolcall/arguments.h"
#include "redqueen/gym/worlds/toolcall/wording.h"

namespace redqueen {

struct Toolcall {
  static constexpr Card card{
      .name = "toolcall",
      .family = Family::kWorlds,
      .answer = AnswerKind::kTurns,
      .scoring = Scoring::kExact,
      .task =
          "Answer requests in words with the calls of functions that they ask for: the right "
          "ones among those that are offered, with every argument as the request says it. Some "
          "requests need several calls, some lack a value and must be asked back, some refer to "
          "the one before, and some no function can answer.",
      .levels =
          "Level 0 offers 2 functions and makes one request of one call in plain values; the "
          "highest level offers 36 and makes 5 requests of up to 7 calls each. On the way more "
          "optional arguments are given, more signatures are written in other ways, and more "
          "values are said as people say them. From level 1 on values may be missing, and "
          "functions that a request needs.",
      .rewards =
          "-1 for a turn without a call and without a word, 0 once a request was not answered "
          "rightly, which ends the episode, 1 if every request was.",
      .source =
          "After the Berkeley Function Calling Leaderboard (Patil et al., 2025) and API-Bank "
          "(Li et al., EMNLP 2023); functions, requests and checks are our own.",
      .max_level = 20};

  struct Config {
    int tools = 0;
    int requests = 0;
    int calls = 0;       // of a request, at most
    int optional = 0;    // percent of the optional arguments that a request gives
    int indirect = 0;    // percent of the requests that say values as people do
    int exceptions = 0;  // percent of the requests that must not be answered by a call at once
    REDQUEEN_FIELDS(tools, requests, calls, optional, indirect, exceptions)
  };

  // A function as this problem offers it.
  struct Offer {
    std::string tool;
    std::string naming;
    std::vector<std::string> without;  // optional arguments that it lacks
    REDQUEEN_FIELDS(tool, naming, without)
  };

  // Arguments with the keys of the catalogue.
  struct Arguments {
    Json values = Json::object();
    static Expected<Arguments> read_json(const Json& json) { return Arguments{json}; }
    Json write_json() const { return values; }
  };

  struct Call {
    std::string tool;
    Arguments arguments;
    REDQUEEN_FIELDS(tool, arguments)
  };

  // What the user asks for.
  struct Request {
    // "call": the calls. "again": the call before, with other values. "missing": the call, once the
    // user was asked for the argument `missing`. "none": a call of a function that is not offered.
    std::string kind;
    std::vector<Call> calls;
    std::string missing;
    bool indirect = false;
    std::uint64_t wording = 0;  // chooses among ways to say it
    REDQUEEN_FIELDS(kind, calls, missing, indirect, wording)
  };

  struct Problem {
    std::string today;
    std::vector<Offer> tools;
    std::vector<Request> requests;
    REDQUEEN_FIELDS(today, tools, requests)
  };

  struct State {
    int request = 0;     // the one to answer now
    bool asked = false;  // the user was asked for the missing argument
    bool failed = false;
    bool malformed = false;
    REDQUEEN_FIELDS(request, asked, failed, malformed)
  };

  static Config at_level(int level, Rng&) {
    return {.tools = 2 + 17 * level / 10,
            .requests = 1 + level / 5,
            .calls = 1 + level / 3,
            .optional = std::min(90, 25 + 5 * level),
            .indirect = std::min(90, 8 * level),
            .exceptions = level == 0 ? 0 : std::min(40, 20 + 2 * level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem;
    const worlds::Day today =
        worlds::Day(std::chrono::year(2027) / 1 / 1) + std::chrono::days(rng.below(365));
    problem.today = worlds::format_day(today);
    const std::string missing_domain = draw_offers(config, problem, rng);
    for (int i = 0; i < config.requests; ++i) {
      problem.requests.push_back(draw_request(config, problem, missing_domain, rng));
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    const auto today = worlds::parse_day(problem.today);
    if (!today || problem.today < "2000" || problem.today > "2100")
      return failure("\"today\": expected a day from 2000 to 2099, found \"{}\"", problem.today);
    RETURN_IF_ERROR(check_offers(problem));
    if (problem.requests.empty() || problem.requests.size() > kMostRequests)
      return failure("\"requests\": expected 1 to {} of them", kMostRequests);
    for (std::size_t i = 0; i < problem.requests.size(); ++i) {
      if (auto sound = check_request(problem, i, *today); !sound)
        return failure("\"requests[{}]\": {}", i, sound.error().message);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    const auto today = worlds::parse_day(problem.today);
    return fmt::format(
        "You are an assistant who answers requests by calling functions.\n"
        "- Make all the calls that a request needs in one turn. Their order does not matter.\n"
        "- Give each argument the value that the request states. Leave out optional arguments that "
        "it does not mention.\n"
        "- If none of the functions can do what is asked, call none of them and say so.\n"
        "- If a value is missing that a function requires, do not make one up: call nothing and "
        "ask for it.\n"
        "Today is {}, {}.\n\n{}",
        worlds::weekday(*today), worlds::day_in_words(*today), request_in_words(problem, 0));
  }

  static std::vector<ToolSpec> tools(const Problem& problem) {
    std::vector<ToolSpec> specs;
    for (const Offer& offer : problem.tools)
      specs.push_back(toolcall::tool_spec(signature_of(offer)));
    return specs;
  }

  // One more than all requests need: an episode ends with its last request.
  static int max_turns(const Problem& problem) {
    int turns = 1;
    for (const Request& request : problem.requests) turns += request.kind == "missing" ? 2 : 1;
    return turns;
  }

  static State begin(const Problem&) { return {}; }

  static Observation step(const Problem& problem, State& state, const Action& action) {
    Observation seen;
    if (action.tool_calls.empty() && trim(action.text).empty()) {
      state.malformed = true;
      return fail(state, std::move(seen), "a turn without a call and without a word");
    }
    const Request& request = problem.requests[static_cast<std::size_t>(state.request)];
    const std::vector<std::string> meanings = answer_calls(problem, action, seen);
    const bool silent = request.kind == "none" || (request.kind == "missing" && !state.asked);
    if (silent && !action.tool_calls.empty())
      return fail(state, std::move(seen), "a call where none was asked for");
    if (silent && request.kind == "missing") {
      state.asked = true;
      seen.messages.push_back({.role = "user", .content = missing_in_words(problem, request)});
      return seen;
    }
    if (!silent && !asks_for(problem, request, meanings))
      return fail(state, std::move(seen), "not the calls that were asked for");
    return go_on(problem, state, std::move(seen));
  }

  static Verdict verdict(const Problem& problem, const State& state) {
    if (state.malformed) return {};
    const bool all = static_cast<std::size_t>(state.request) == problem.requests.size();
    return verdict_of(exact_reward(all && !state.failed));
  }

  static std::vector<Action> solve_turns(const Problem& problem) {
    std::vector<Action> turns;
    for (const Request& request : problem.requests) {
      if (request.kind == "none") {
        turns.push_back({.text = "None of my functions can do that."});
        continue;
      }
      if (request.kind == "missing") {
        turns.push_back({.text = fmt::format("Please tell me the missing value: {}.",
                                             missing_parameter(request).meaning)});
      }
      turns.push_back({});
      for (const Call& call : request.calls)
        turns.back().tool_calls.push_back(offered_call(problem, call.tool, call.arguments.values));
    }
    return turns;
  }

  static std::vector<Action> random_turns(const Problem& problem, Rng& rng) {
    std::vector<Action> turns;
    for (int i = 1; i < max_turns(problem); ++i)
      turns.push_back(made_up_turn(problem, rng.choice(problem.tools), rng));
    return turns;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto turns = static_cast<std::size_t>(max_turns(problem) - 1);
    Rng rng({.purpose = hash_name("toolcall shortcut")});
    const std::vector<Action> silent(turns, Action{.text = "I cannot do that."});
    std::vector<Action> first;
    std::vector<Action> ask_first{{.text = "Which value is missing?"}};
    for (std::size_t i = 0; i < turns; ++i)
      first.push_back(made_up_turn(problem, problem.tools.front(), rng));
    ask_first.insert(ask_first.end(), first.begin(), first.end());
    return {{"no call", transcript(silent)},
            {"the first function with values made up", transcript(first)},
            {"a question, then the first function", transcript(ask_first)}};
  }

 private:
  static constexpr std::size_t kMostRequests = 8;
  static constexpr std::size_t kMostCalls = 8;     // of a request
  static constexpr std::size_t kMostAnswers = 64;  // of a turn's calls, so many are looked at
  static constexpr auto kNamings =
      enum_names<toolcall::Naming>({{"snake", toolcall::Naming::kSnake},
                                    {"camel", toolcall::Naming::kCamel},
                                    {"domain", toolcall::Naming::kDomain}});

  // --- Making a problem.

  // Draws the functions that are offered; returns the domain of which none is.
  static std::string draw_offers(const Config& config, Problem& problem, Rng& rng) {
    const auto all = toolcall::catalogue();
    const std::string missing(all[rng.below(all.size())].domain);
    std::vector<const toolcall::Tool*> candidates;
    for (const toolcall::Tool& tool : all) {
      if (tool.domain != missing) candidates.push_back(&tool);
    }
    rng.shuffle(candidates);
    candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(config.tools)));
    const double others = config.indirect / 100.0;  // of namings, like of wordings
    for (const toolcall::Tool* tool : candidates) {
      Offer offer{.tool = std::string(tool->name), .naming = "snake", .without = {}};
      if (rng.chance(others)) offer.naming = kNamings.list[rng.below(3)].name;
      for (const toolcall::Parameter& parameter : tool->members()) {
        if (parameter.optional && rng.chance(0.3)) offer.without.emplace_back(parameter.key);
      }
      problem.tools.push_back(std::move(offer));
    }
    return missing;
  }

  static Request draw_request(const Config& config, const Problem& problem,
                              const std::string& missing_domain, Rng& rng) {
    Request request{.kind = draw_kind(config, problem, rng)};
    request.indirect = rng.chance(config.indirect / 100.0);
    request.wording = rng.below(1000);
    const worlds::Day today = *worlds::parse_day(problem.today);
    if (request.kind == "again") {
      request.calls.push_back(changed_call(problem, rng));
      return request;
    }
    if (request.kind == "none") {
      std::vector<const toolcall::Tool*> others;
      for (const toolcall::Tool& tool : toolcall::catalogue()) {
        if (tool.domain == missing_domain) others.push_back(&tool);
      }
      const toolcall::Tool& tool = *rng.choice(others);
      request.calls.push_back(
          {std::string(tool.name),
           {toolcall::draw_arguments(tool.members(), today, config.optional / 100.0, rng)}});
      return request;
    }
    const auto calls = request.kind == "call" ? rng.integer(1, config.calls) : 1;
    std::set<std::string> seen;
    for (std::int64_t i = 0; i < calls; ++i) {
      Call call = draw_call(problem, rng.choice(problem.tools), config.optional / 100.0, rng);
      if (seen.insert(plain_text(problem, call)).second) request.calls.push_back(std::move(call));
    }
    if (request.kind == "missing") {
      std::vector<std::string> required;
      for (const auto& parameter : toolcall::find_tool(request.calls[0].tool)->members()) {
        if (!parameter.optional) required.emplace_back(parameter.key);
      }
      request.missing = rng.choice(required);
    }
    return request;
  }

  static std::string draw_kind(const Config& config, const Problem& problem, Rng& rng) {
    const bool may_repeat = !problem.requests.empty() && repeatable(problem.requests.back());
    if (may_repeat && rng.chance(0.35)) return "again";
    if (!rng.chance(config.exceptions / 100.0)) return "call";
    return rng.chance(0.6) ? "missing" : "none";
  }

  // Whether the next request can ask for the same with another value.
  static bool repeatable(const Request& request) {
    return request.kind != "none" && request.calls.size() == 1 &&
           !changeable_parameters(request.calls[0]).empty();
  }

  // Those that "once more, but …" can speak of by itself.
  static std::vector<const toolcall::Parameter*> changeable_parameters(const Call& call) {
    std::vector<const toolcall::Parameter*> found;
    for (const toolcall::Parameter& parameter : toolcall::find_tool(call.tool)->members()) {
      if (changeable(parameter) && call.arguments.values.contains(std::string(parameter.key)))
        found.push_back(&parameter);
    }
    return found;
  }

  static Call draw_call(const Problem& problem, const Offer& offer, double optional, Rng& rng) {
    const toolcall::Tool& tool = *toolcall::find_tool(offer.tool);
    Json values =
        toolcall::draw_arguments(tool.members(), *worlds::parse_day(problem.today), optional, rng);
    for (const std::string& key : offer.without) values.erase(key);
    return {offer.tool, {std::move(values)}};
  }

  // The call of the last request, with one or two other values.
  static Call changed_call(const Problem& problem, Rng& rng) {
    Call call = problem.requests.back().calls[0];
    const auto today = *worlds::parse_day(problem.today);
    auto candidates = changeable_parameters(call);
    rng.shuffle(candidates);
    const auto most = std::min<std::size_t>(candidates.size(), 1 + rng.below(2));
    for (std::size_t i = 0; i < most; ++i) {
      // The value differs from the one before it, and a text from every other.
      Json value = toolcall::draw_value(*candidates[i], today, rng);
      Json& place = call.arguments.values[std::string(candidates[i]->key)];
      const auto taken = [&] {
        return value == place ||
               (value.is_string() &&
                std::ranges::find(call.arguments.values, value) != call.arguments.values.end());
      };
      while (taken()) value = toolcall::draw_value(*candidates[i], today, rng);
      place = std::move(value);
    }
    return call;
  }

  static bool changeable(const toolcall::Parameter& parameter) {
    using toolcall::Kind;
    return parameter.kind != Kind::kObject && parameter.kind != Kind::kRows &&
           parameter.kind != Kind::kTexts && parameter.kind != Kind::kFlag;
  }

  // --- Checking a problem from outside.

  static Status check_offers(const Problem& problem) {
    if (problem.tools.empty()) return failure("\"tools\": there are none");
    std::set<std::string> seen;
    for (const Offer& offer : problem.tools) {
      const toolcall::Tool* tool = toolcall::find_tool(offer.tool);
      if (tool == nullptr) return failure("\"tools\": there is no tool \"{}\"", offer.tool);
      if (!seen.insert(offer.tool).second)
        return failure("\"tools\": \"{}\" is there twice", offer.tool);
      if (!kNamings.find(offer.naming))
        return failure("\"tools\": there is no naming \"{}\"", offer.naming);
      std::set<std::string> left_out;
      for (const std::string& key : offer.without) {
        const auto* parameter = toolcall::find_parameter(tool->members(), key);
        if (parameter == nullptr || !parameter->optional || !left_out.insert(key).second)
          return failure("\"tools\": \"{}\" cannot do without \"{}\"", offer.tool, key);
      }
    }
    return {};
  }

  static Status check_request(const Problem& problem, std::size_t index, worlds::Day today) {
    const Request& request = problem.requests[index];
    const bool several = request.kind == "call";
    if (request.kind != "call" && request.kind != "again" && request.kind != "missing" &&
        request.kind != "none") {
      return failure("there is no kind \"{}\"", request.kind);
    }
    if (request.calls.empty() || request.calls.size() > (several ? kMostCalls : 1))
      return failure("it has {} calls", request.calls.size());
    std::set<std::string> seen;
    for (const Call& call : request.calls) {
      RETURN_IF_ERROR(check_call(problem, request, call, today));
      if (request.kind != "none" && !seen.insert(plain_text(problem, call)).second)
        return failure("a call is there twice");
    }
    if (request.kind == "again") return check_change(problem, index);
    const auto* missing = toolcall::find_parameter(
        toolcall::find_tool(request.calls[0].tool)->members(), request.missing);
    const bool lacks = missing != nullptr && !missing->optional;
    if (request.kind == "missing" ? !lacks : !request.missing.empty())
      return failure("\"missing\" names no required argument of a call that lacks one");
    return {};
  }

  static Status check_call(const Problem& problem, const Request& request, const Call& call,
                           worlds::Day today) {
    const toolcall::Tool* tool = toolcall::find_tool(call.tool);
    if (tool == nullptr) return failure("there is no tool \"{}\"", call.tool);
    RETURN_IF_ERROR(toolcall::check_arguments(tool->members(), call.arguments.values, today));
    const Offer* offer = find_offer(problem, call.tool);
    if (request.kind == "none") {
      const bool related = std::ranges::any_of(problem.tools, [&](const Offer& other) {
        return toolcall::find_tool(other.tool)->domain == tool->domain;
      });
      if (related) return failure("a tool like \"{}\" is offered", call.tool);
      return {};
    }
    if (offer == nullptr) return failure("the tool \"{}\" is not offered", call.tool);
    for (const std::string& key : offer->without) {
      if (call.arguments.values.contains(key))
        return failure("\"{}\" is offered without \"{}\"", call.tool, key);
    }
    return {};
  }

  // "again" keeps every argument, and changes one or more that it can speak of.
  static Status check_change(const Problem& problem, std::size_t index) {
    const Request& request = problem.requests[index];
    if (index == 0 || !repeatable(problem.requests[index - 1]))
      return failure("there is no single call before it");
    const Call& before = problem.requests[index - 1].calls[0];
    const Call& now = request.calls[0];
    if (now.tool != before.tool || now.arguments.values.size() != before.arguments.values.size())
      return failure("it is not like the call before it");
    if (!request.missing.empty()) return failure("\"missing\" must be empty");
    bool changed = false;
    for (const toolcall::Parameter& parameter : toolcall::find_tool(now.tool)->members()) {
      const std::string key(parameter.key);
      const bool given = before.arguments.values.contains(key);
      if (given != now.arguments.values.contains(key))
        return failure("it is not like the call before it");
      if (!given || before.arguments.values[key] == now.arguments.values[key]) continue;
      if (!changeable(parameter)) return failure("it cannot change \"{}\"", key);
      changed = true;
    }
    if (!changed) return failure("it changes nothing");
    return {};
  }

  // --- Words.

  static std::string request_in_words(const Problem& problem, std::size_t index) {
    const Request& request = problem.requests[index];
    toolcall::Speech speech = speech_of(problem, request);
    if (request.kind == "again") return change_in_words(problem, index, speech);
    constexpr std::array<std::string_view, 4> kFirst{"Please ", "Could you ", "I want you to ",
                                                     "I need you to "};
    constexpr std::array<std::string_view, 3> kNext{"Also, ", "Besides, ", "And please "};
    std::string text;
    for (std::size_t i = 0; i < request.calls.size(); ++i) {
      const std::string_view lead =
          i == 0 ? kFirst[speech.rng.below(kFirst.size())] : kNext[speech.rng.below(kNext.size())];
      const Call& call = request.calls[i];
      if (i > 0) text += ' ';
      text += lead;
      text += toolcall::call_in_words(*toolcall::find_tool(call.tool), call.arguments.values,
                                      request.missing, speech);
      text += lead == "Could you " ? '?' : '.';
    }
    return text;
  }

  // "Please do that once more, but on 2027-03-14."
  static std::string change_in_words(const Problem& problem, std::size_t index,
                                     toolcall::Speech& speech) {
    const Call& now = problem.requests[index].calls[0];
    const Json& before = problem.requests[index - 1].calls[0].arguments.values;
    std::vector<std::string> changes;
    for (const toolcall::Parameter& parameter : toolcall::find_tool(now.tool)->members()) {
      const auto found = now.arguments.values.find(std::string(parameter.key));
      if (found == now.arguments.values.end() || before[std::string(parameter.key)] == *found)
        continue;
      changes.push_back(toolcall::argument_in_words(parameter, *found, speech));
    }
    return fmt::format("Please do that once more, but {}. Everything else stays as it was.",
                       enumeration(changes));
  }

  static std::string missing_in_words(const Problem& problem, const Request& request) {
    toolcall::Speech speech = speech_of(problem, request);
    const auto& parameter = missing_parameter(request);
    return fmt::format(
        "Sorry, I left something out: {}.",
        toolcall::argument_in_words(
            parameter, request.calls[0].arguments.values[std::string(parameter.key)], speech));
  }

  static toolcall::Speech speech_of(const Problem& problem, const Request& request) {
    return {*worlds::parse_day(problem.today), request.indirect,
            Rng({.seed = request.wording, .purpose = hash_name("toolcall wording")})};
  }

  static const toolcall::Parameter& missing_parameter(const Request& request) {
    return *toolcall::find_parameter(toolcall::find_tool(request.calls[0].tool)->members(),
                                     request.missing);
  }

  // --- Playing.

  static const Offer* find_offer(const Problem& problem, std::string_view tool) {
    const auto found = std::ranges::find(problem.tools, tool, &Offer::tool);
    return found == problem.tools.end() ? nullptr : &*found;
  }

  static toolcall::Signature signature_of(const Offer& offer) {
    return {toolcall::find_tool(offer.tool), *kNamings.find(offer.naming), offer.without};
  }

  static ToolCall offered_call(const Problem& problem, std::string_view tool, const Json& values) {
    const toolcall::Signature signature = signature_of(*find_offer(problem, tool));
    return {.id = {},
            .name = toolcall::offered_name(*signature.tool, signature.naming),
            .arguments = toolcall::offered_arguments(signature, values)};
  }

  // One call of `offer`, right but for its values.
  static Action made_up_turn(const Problem& problem, const Offer& offer, Rng& rng) {
    const Call call = draw_call(problem, offer, 0.3, rng);
    return {.text = {}, .tool_calls = {offered_call(problem, call.tool, call.arguments.values)}};
  }

  // What a call means: equal for two calls that mean the same.
  static std::string plain_text(const toolcall::Signature& signature, const Json& plain) {
    return fmt::format("{} {}", signature.tool->name, dump_json(plain));
  }
  static std::string plain_text(const Problem& problem, const Call& call) {
    const toolcall::Signature signature = signature_of(*find_offer(problem, call.tool));
    const Json given = toolcall::offered_arguments(signature, call.arguments.values);
    const auto plain = toolcall::plain_arguments(signature, given);
    return plain ? plain_text(signature, *plain) : std::string();
  }

  // The functions by their names alone.
  static std::vector<ToolSpec> names_of(const Problem& problem) {
    std::vector<ToolSpec> names;
    for (const Offer& offer : problem.tools) {
      names.push_back(
          {toolcall::offered_name(*toolcall::find_tool(offer.tool), *kNamings.find(offer.naming)),
           {},
           {}});
    }
    return names;
  }

  static const Offer* find_offered(const Problem& problem, std::string_view name) {
    const auto found = std::ranges::find_if(problem.tools, [&](const Offer& offer) {
      return toolcall::offered_name(*toolcall::find_tool(offer.tool),
                                    *kNamings.find(offer.naming)) == name;
    });
    return found == problem.tools.end() ? nullptr : &*found;
  }

  // Answers as a service would that takes whatever keeps to its signature. Returns what the calls
  // mean; "" of one that means nothing.
  static std::vector<std::string> answer_calls(const Problem& problem, const Action& action,
                                               Observation& seen) {
    std::vector<std::string> meanings;
    const std::size_t count = std::min(action.tool_calls.size(), kMostAnswers);
    for (const ToolCall& call : std::span(action.tool_calls).first(count)) {
      std::string& meaning = meanings.emplace_back();
      const Offer* offer = find_offered(problem, call.name);
      if (offer == nullptr) {
        seen.messages.push_back(unknown_tool_message(call, names_of(problem)));
        continue;
      }
      const toolcall::Signature signature = signature_of(*offer);
      const auto plain = toolcall::plain_arguments(signature, call.arguments);
      if (plain) meaning = plain_text(signature, *plain);
      seen.messages.push_back(
          tool_message(call, plain ? R"({"status":"done"})" : "error: " + plain.error().message));
    }
    return meanings;
  }

  static bool asks_for(const Problem& problem, const Request& request,
                       std::vector<std::string> meanings) {
    std::vector<std::string> asked;
    for (const Call& call : request.calls) asked.push_back(plain_text(problem, call));
    std::ranges::sort(meanings);
    std::ranges::sort(asked);
    return meanings == asked;
  }

  static Observation go_on(const Problem& problem, State& state, Observation seen) {
    ++state.request;
    state.asked = false;
    const auto next = static_cast<std::size_t>(state.request);
    seen.terminated = next == problem.requests.size();
    if (!seen.terminated)
      seen.messages.push_back({.role = "user", .content = request_in_words(problem, next)});
    return seen;
  }

  static Observation fail(State& state, Observation seen, std::string_view fault) {
    state.failed = true;
    seen.terminated = true;
    seen.info = {{"fault", fault}};
    return seen;
  }
};

REDQUEEN_ENVIRONMENT(Toolcall);

}  // namespace redqueen
