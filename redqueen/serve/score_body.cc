#include "redqueen/serve/score_body.h"

#include <optional>
#include <utility>

#include "redqueen/serve/json_body.h"
#include "redqueen/serve/json_string.h"
#include "redqueen/serve/ondemand_json.h"

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

// A row as it is written.
struct WrittenRow {
  std::optional<std::string_view> address;
  std::optional<std::string_view> environment;
  std::optional<Json> parameter;
  std::optional<std::string_view> response;
};

// Reads a body in one pass of simdjson, and copies no text that has no escapes.
class QuickReader {
 public:
  QuickReader(std::string_view text, const Service& service) : text_(text), service_(service) {
    body_.options = options_of(service);
  }

  // Nothing where the text is no JSON, or has a form that this reader does not know.
  std::optional<ScoreBody> read() {
    thread_local simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    simdjson::ondemand::object root;
    const std::size_t readable = text_.size() + net::Request::kBodyPadding;
    if (parser.iterate(text_.data(), text_.size(), readable).get(document) ||
        document.get_object().get(root))
      return std::nullopt;
    WrittenRow only;
    const auto take = [&](auto field) { return take_member(field, only); };
    if (!take_fields(root, take) || !is_all_read(document)) return std::nullopt;
    if (!body_.is_batch && !add_row(std::move(only))) return std::nullopt;
    if (!options_.is_null() && !read_options(options_, body_.options)) return std::nullopt;
    return std::move(body_);
  }

 private:
  using Field = simdjson::ondemand::field;
  using Value = simdjson::ondemand::value;

  // Calls take(field) for the fields of an object; false as soon as it says so, or at a fault.
  template <typename Take>
  static bool take_fields(simdjson::ondemand::object object, Take take) {
    for (auto found : object) {
      Field field;
      if (std::move(found).get(field) || !take(field)) return false;
    }
    return true;
  }

  bool take_member(Field field, WrittenRow& only) {
    const auto key = field.key();
    if (key == "items") {
      const bool is_alone = !only.address && !only.environment && !only.parameter && !only.response;
      return !body_.is_batch && is_alone && take_items(field.value());
    }
    for (const char* const name : {"raw", "marker", "reading"})
      if (key == name) return take_option(name, field.value());
    return !body_.is_batch && take_row_field(field, 1, only);
  }

  bool take_option(const char* name, Value value) {
    const auto [place, is_new] = options_.emplace(name, nullptr);
    return is_new && !may_have_surrogates() && copy_value(value, 1, *place);
  }

  bool take_items(Value value) {
    constexpr int kDepth = 3;  // the body, its items, one of them
    body_.is_batch = true;
    simdjson::ondemand::array items;
    if (value.get_array().get(items)) return false;
    for (auto item : items) {
      WrittenRow row;
      simdjson::ondemand::object object;
      if (item.get_object().get(object)) return false;
      const auto take = [&](auto field) { return take_row_field(field, kDepth, row); };
      if (!take_fields(object, take) || !add_row(std::move(row))) return false;
    }
    return true;
  }

  bool take_row_field(Field field, int depth, WrittenRow& row) {
    const auto key = field.key();
    if (key == "address") return take_text(field.value(), row.address);
    if (key == "response") return take_text(field.value(), row.response);
    if (key == "environment") return take_text(field.value(), row.environment);
    if (key != "parameter" || row.parameter) return false;
    // So long a text might have more values than there may be.
    if (text_.size() > kMostJsonValues || may_have_surrogates()) return false;
    return copy_value(field.value(), depth, row.parameter.emplace());
  }

  // False where the value is no string, or there is a text already. Steps over it.
  bool take_text(Value value, std::optional<std::string_view>& place) {
    if (place) return false;
    std::string_view token = value.raw_json_token();  // with the white space behind it
    token = token.substr(0, token.find_last_not_of(" \t\n\r") + 1);
    simdjson::ondemand::raw_json_string begin;
    if (value.get_raw_json_string().get(begin)) return false;
    if (token.size() < 2 || !token.ends_with('"')) return false;
    const std::string_view inner = token.substr(1, token.size() - 2);
    place = inner.find('\\') == std::string_view::npos ? inner : unescaped(inner, room());
    return place.has_value();
  }

  // Where texts with escapes go, with room for all there can be.
  std::string& room() {
    if (!body_.texts) {
      body_.texts = std::make_unique<std::string>();
      body_.texts->reserve(text_.size());
    }
    return *body_.texts;
  }

  bool may_have_surrogates() {
    if (!surrogates_) surrogates_ = serve::may_have_surrogates(text_);
    return *surrogates_;
  }

  bool add_row(WrittenRow row) {
    if (!row.response) return false;
    if (row.address) {
      if (row.environment || row.parameter) return false;
      // The address of the row before mostly is the same.
      auto problem =
          row.address == before_ ? body_.rows.back().problem : row_of(*row.address, service_);
      body_.rows.push_back({.problem = std::move(problem), .response = *row.response});
    } else {
      Json json = Json::object();
      if (row.environment) json["environment"] = *row.environment;
      if (row.parameter) json["parameter"] = std::move(*row.parameter);
      body_.rows.push_back({.problem = usage(read_row(json, service_.row_environments())),
                            .response = *row.response});
    }
    before_ = row.address;
    return true;
  }

  const std::string_view text_;
  const Service& service_;
  ScoreBody body_;
  Json options_;  // "raw", "marker", "reading"; null where none is given
  std::optional<std::string_view> before_;
  std::optional<bool> surrogates_;
};

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

}  // namespace

Expected<ScoreBody> read_score_body(std::string_view text, const Service& service) {
  std::optional<ScoreBody> body;
  if (text.size() <= kMostScoreBytes) body = QuickReader(text, service).read();
  if (!body) {
    // This reader says what is wrong, and where; and it reads what simdjson would read otherwise
    // than parse_json(): real numbers, integers beyond 64 bits, halves of surrogates.
    ASSIGN_OR_RETURN(Json json, read_json_exactly(text));
    return score_body_of(std::move(json), service);
  }
  if (body->rows.size() > service.limits().batch)
    return usage_error("\"items\": at most {} at once", service.limits().batch);
  return std::move(*body);
}

Expected<ScoreBody> score_body_of(Json json, const Service& service) {
  if (!json.is_object()) return usage_error("expected a JSON object, found {}", json.type_name());
  ScoreBody body{.options = options_of(service), .json = std::move(json)};
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
