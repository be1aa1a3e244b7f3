#include "redqueen/serve/score_body.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "redqueen/core/marker_names.h"
#include "redqueen/serve/json_body.h"
#include "redqueen/serve/json_string.h"

namespace redqueen::serve {
namespace {

static_assert(net::Request::kBodyPadding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t kMostScoreBytes = std::size_t{8} << 20;  // bounds a thread's parser

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

// What a thread reads bodies with; it holds their texts until the next one.
struct Reader {
  simdjson::ondemand::parser parser;
  std::string room;  // texts that had escapes
};

// Nothing where the value is no string. Steps over it.
std::optional<std::string_view> take_text(simdjson::ondemand::value value, std::string& room) {
  std::string_view token = value.raw_json_token();  // with the white space behind it
  token = token.substr(0, token.find_last_not_of(" \t\n\r") + 1);
  simdjson::ondemand::raw_json_string begin;
  if (value.get_raw_json_string().get(begin)) return std::nullopt;
  if (token.size() < 2 || !token.ends_with('"')) return std::nullopt;
  return unescaped(token.substr(1, token.size() - 2), room);
}

// {"address": text, "response": text}, in any order.
struct PlainRow {
  std::optional<std::string_view> address;
  std::optional<std::string_view> response;

  // False where it cannot be a field of such a row.
  bool take(simdjson::ondemand::field field, std::string& room) {
    auto& place = field.key() == "address" ? address : response;
    if (field.key() != "address" && field.key() != "response") return false;
    if (place) return false;
    place = take_text(field.value(), room);
    return place.has_value();
  }
};

// Calls take(field) for the fields of an object; false as soon as it says so, or at a fault.
template <typename Take>
bool take_fields(simdjson::ondemand::object object, Take take) {
  for (auto found : object) {
    simdjson::ondemand::field field;
    if (std::move(found).get(field) || !take(field)) return false;
  }
  return true;
}

// `before` is the address of the row before this one, which mostly is of the same problem.
bool add_row(const PlainRow& row, const Service& service, std::string_view& before,
             ScoreBody& body) {
  if (!row.address || !row.response) return false;
  const bool is_again = !body.rows.empty() && *row.address == before;
  auto problem = is_again ? body.rows.back().problem : row_of(*row.address, service);
  body.rows.push_back({.problem = std::move(problem), .response = *row.response});
  before = *row.address;
  return true;
}

bool take_rows(simdjson::ondemand::value value, const Service& service, Reader& reader,
               ScoreBody& body) {
  body.is_batch = true;
  simdjson::ondemand::array items;
  if (value.get_array().get(items)) return false;
  std::string_view before;
  for (auto item : items) {
    PlainRow row;
    simdjson::ondemand::object object;
    if (item.get_object().get(object)) return false;
    const auto take = [&](auto field) { return row.take(field, reader.room); };
    if (!take_fields(object, take) || !add_row(row, service, before, body)) return false;
  }
  return true;
}

// Nothing where the text is not of the plain form, or no JSON: simdjson looks at all of its bytes
// before the first field, and at its grammar while fields are taken, which here are all.
std::optional<ScoreBody> read_scores_quickly(std::string_view text, const Service& service) {
  thread_local Reader reader;
  if (text.size() > kMostScoreBytes) return std::nullopt;
  reader.room.clear();
  reader.room.reserve(text.size());
  simdjson::ondemand::document document;
  const std::size_t readable = text.size() + net::Request::kBodyPadding;
  if (reader.parser.iterate(text.data(), text.size(), readable).get(document)) return std::nullopt;
  simdjson::ondemand::object root;
  if (document.get_object().get(root)) return std::nullopt;
  ScoreBody body{.options = options_of(service)};
  PlainRow only;
  const bool is_plain = take_fields(root, [&](simdjson::ondemand::field field) {
    if (field.key() != "items") return !body.is_batch && only.take(field, reader.room);
    if (body.is_batch || only.address || only.response) return false;
    return take_rows(field.value(), service, reader, body);
  });
  const bool is_all = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  if (!is_plain || !is_all) return std::nullopt;
  std::string_view before;
  if (!body.is_batch && !add_row(only, service, before, body)) return std::nullopt;
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

// Whether a string in it, or a key, holds `text`.
bool holds_text(const Json& json, const std::string& text) {
  if (json.is_string()) return json.get_ref<const std::string&>().find(text) != std::string::npos;
  if (json.is_array())
    return std::ranges::any_of(json, [&](const Json& item) { return holds_text(item, text); });
  if (!json.is_object()) return false;
  return std::ranges::any_of(json.items(), [&](const auto& member) {
    return member.key().find(text) != std::string::npos || holds_text(member.value(), text);
  });
}

bool is_marked_outside_of_items(const Json& json, const std::string& mark) {
  return std::ranges::any_of(json.items(), [&](const auto& member) {
    return member.key().find(mark) != std::string::npos ||
           (member.key() != "items" && holds_text(member.value(), mark));
  });
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
  std::string marker(kMarkerNames.name(MarkerStyle::kAnswerTag));
  std::string reading(kAnswerReadingNames.name(AnswerReading::kStrict));
  RETURN_IF_ERROR(text("marker", marker));
  RETURN_IF_ERROR(text("reading", reading));
  const auto style = kMarkerNames.find(marker);
  if (!style) {
    return usage_error(R"("marker": there are {}, and no "{}")",
                       fmt::join(kMarkerNames.names(), " and "), marker);
  }
  options.marker = *style;
  const auto known = kAnswerReadingNames.find(reading);
  if (!known)
    return usage_error(R"("reading": there are strict and tolerant, and no "{}")", reading);
  options.reading = *known;
  std::string thoughts(kThoughtReadingNames.name(ThoughtReading::kWhole));
  RETURN_IF_ERROR(text("thoughts", thoughts));
  auto part = kThoughtReadingNames.get("\"thoughts\"", thoughts);
  if (!part) return usage_error("{}", part.error().message);
  options.thoughts = *part;
  return {};
}

}  // namespace

Expected<ScoreBody> read_score_body(std::string_view text, const Service& service) {
  auto body = read_scores_quickly(text, service);
  if (!body) return read_score_body_slowly(text, service);
  if (body->rows.size() > service.limits().batch)
    return usage_error("\"items\": at most {} at once", service.limits().batch);
  return std::move(*body);
}

Expected<ScoreBody> read_score_body_slowly(std::string_view text, const Service& service) {
  ScoreBody body{.options = options_of(service)};
  std::string mark;
  if (auto json = read_json_object(text)) {
    body.json = std::move(*json);
  } else if (auto marked = mark_lone_surrogates(text)) {
    // A fault of one string stays with its item.
    mark = marked->mark;
    auto mended = read_json_object(marked->text);
    if (!mended || !mended->contains("items") || is_marked_outside_of_items(*mended, mark))
      return tl::make_unexpected(std::move(json.error()));
    body.json = std::move(*mended);
  } else {
    return tl::make_unexpected(std::move(json.error()));
  }
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
  for (const Json& item : *items) {
    if (!mark.empty() && holds_text(item, mark)) {
      body.rows.push_back(
          {.problem = usage_error("invalid JSON: a string holds one half of a surrogate pair, "
                                  "which is no character"),
           .response = {}});
    } else {
      body.rows.push_back(slow_row(item, service));
    }
  }
  return body;
}

}  // namespace redqueen::serve
