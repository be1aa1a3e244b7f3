#include "redqueen/serve/score_body.h"

#include <simdjson.h>

#include "redqueen/serve/json_body.h"

namespace redqueen::serve {
namespace {

static_assert(net::Request::kBodyPadding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t kMostQuickBytes = std::size_t{8} << 20;  // bounds a thread's parser

RowOptions options_of(const Service& service) {
  return {.max_bytes = service.limits().response_bytes,
          .limits = {.seconds = service.limits().problem_seconds}};
}

Expected<ProblemRow> usage(Expected<ProblemRow> row) {
  if (!row) row.error().kind = ErrorKind::kUsage;
  return row;
}

// The problem of an address that is a view.
Expected<ProblemRow> row_of(std::string_view text, const Service& service) {
  auto address = ProblemAddress::parse(text);
  if (!address) return usage_error("{}", address.error().message);
  const auto environment = service.row_environments().get(address->environment);
  if (!environment) return usage_error("{}", environment.error().message);
  const int version = (*environment)->card().version;
  if (version != address->version) {
    return usage_error("{} is of version {}, this is version {}: its problems may differ",
                       address->to_string(), address->version, version);
  }
  return ProblemRow{*environment, std::move(*address)};
}

// False where the object is anything but {"address": text, "response": text}. `before` is the
// address of the row before this one, which mostly is of the same problem.
bool take_plain_row(simdjson::dom::element element, const Service& service,
                    std::string_view& before, ScoreBody& body) {
  simdjson::dom::object object;
  if (element.get(object)) return false;
  std::string_view address;
  std::string_view response;
  int seen = 0;
  for (const auto [key, value] : object) {
    std::string_view& place = key == "address" ? address : response;
    if (key != "address" && key != "response") return false;
    if (place.data() != nullptr || value.get(place)) return false;
    ++seen;
  }
  if (seen != 2) return false;
  const bool is_again = !body.rows.empty() && address == before;
  auto problem = is_again ? body.rows.back().problem : row_of(address, service);
  body.rows.push_back({.problem = std::move(problem), .response = response});
  before = address;
  return true;
}

// Nothing where the text is not of the plain form, or no JSON.
std::optional<ScoreBody> read_quickly(std::string_view text, const Service& service) {
  thread_local simdjson::dom::parser kept;
  if (text.size() > kMostQuickBytes) return std::nullopt;
  simdjson::dom::element root;
  if (kept.parse(text.data(), text.size(), false).get(root)) return std::nullopt;
  ScoreBody body{.options = options_of(service)};
  simdjson::dom::object object;
  if (root.get(object)) return std::nullopt;
  simdjson::dom::array items;
  std::string_view before;
  if (object.size() == 1 && object["items"].get(items) == simdjson::SUCCESS) {
    body.is_batch = true;
    body.rows.reserve(items.size());
    for (const simdjson::dom::element item : items)
      if (!take_plain_row(item, service, before, body)) return std::nullopt;
    return body;
  }
  if (!take_plain_row(root, service, before, body)) return std::nullopt;
  return body;
}

RowResponse slow_row(const Json& row, const Service& service) {
  if (!row.is_object())
    return {.problem = usage_error("expected a JSON object, found {}", row.type_name()),
            .response = {}};
  RowResponse read{.problem = usage(read_row(row, service.row_environments())), .response = {}};
  const auto response = row.find("response");
  if (response != row.end() && response->is_string()) {
    read.response = response->get_ref<const std::string&>();
  } else if (read.problem) {
    read.problem = usage_error("\"response\": missing, or not a string");
  }
  return read;
}

Status read_options(const Json& json, RowOptions& options) {
  const auto text = [&](const char* key, std::string& value) -> Status {
    const auto found = json.find(key);
    if (found == json.end()) return {};
    if (!found->is_string()) return usage_error("\"{}\": expected a string", key);
    value = found->get<std::string>();
    return {};
  };
  if (const auto raw = json.find("raw"); raw != json.end()) {
    if (!raw->is_boolean()) return usage_error("\"raw\": expected true or false");
    options.raw = raw->get<bool>();
  }
  std::string marker = "answer";
  std::string reading = "strict";
  RETURN_IF_ERROR(text("marker", marker));
  RETURN_IF_ERROR(text("reading", reading));
  if (marker != "answer" && marker != "boxed")
    return usage_error(R"("marker": there are answer and boxed, and no "{}")", marker);
  if (marker == "boxed") options.marker = MarkerStyle::kBoxed;
  const auto known = kAnswerReadingNames.find(reading);
  if (!known)
    return usage_error(R"("reading": there are strict and tolerant, and no "{}")", reading);
  options.reading = *known;
  return {};
}

}  // namespace

Expected<ScoreBody> read_score_body(std::string_view text, const Service& service) {
  auto body = read_quickly(text, service);
  if (!body) return read_score_body_slowly(text, service);
  if (body->rows.size() > service.limits().batch)
    return usage_error("\"items\": at most {} at once", service.limits().batch);
  return std::move(*body);
}

Expected<ScoreBody> read_score_body_slowly(std::string_view text, const Service& service) {
  ScoreBody body{.options = options_of(service)};
  ASSIGN_OR_RETURN(body.json, read_json_object(text));
  RETURN_IF_ERROR(read_options(body.json, body.options));
  const auto items = body.json.find("items");
  if (items == body.json.end()) {
    body.rows.push_back(slow_row(body.json, service));
    return body;
  }
  body.is_batch = true;
  if (!items->is_array())
    return usage_error("\"items\": expected a list, found {}", items->type_name());
  if (items->size() > service.limits().batch)
    return usage_error("\"items\": at most {} at once", service.limits().batch);
  for (const Json& item : *items) body.rows.push_back(slow_row(item, service));
  return body;
}

}  // namespace redqueen::serve
