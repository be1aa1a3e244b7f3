#include "redqueen/watch/runs_api.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <optional>

#include "redqueen/base/ascii.h"
#include "redqueen/base/text.h"
#include "redqueen/run/event_browser.h"
#include "redqueen/run/report/html.h"
#include "redqueen/watch/arena_views.h"
#include "redqueen/watch/run_views.h"

namespace redqueen::watch {
namespace {

constexpr std::size_t kPoints = 2000;
constexpr std::int64_t kMostPoints = 100'000;
constexpr std::int64_t kMostRows = 200;  // a page
constexpr std::size_t kMostCompared = 16;

constexpr auto kOrders = enum_names<run::RolloutOrder>({{"newest", run::RolloutOrder::kNewest},
                                                        {"best", run::RolloutOrder::kBest},
                                                        {"worst", run::RolloutOrder::kWorst}});

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? ascii_hex_digit(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : ascii_hex_digit(text[i + 2]);
    if (low >= 0) {
      out += static_cast<char>(16 * high + low);
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

// What a request asks, checked as it is read; the first fault is kept.
class Request {
 public:
  explicit Request(const Parameters& parameters) : parameters_(parameters) {}

  std::string text(std::string_view name) {
    const std::vector<std::string> values = texts(name);
    return values.empty() ? "" : values.back();
  }

  std::vector<std::string> texts(std::string_view name) {
    known_.push_back(name);
    std::vector<std::string> values;
    for (const auto& [key, value] : parameters_) {
      if (key == name) values.push_back(value);
    }
    return values;
  }

  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most,
                       std::int64_t otherwise) {
    const std::string value = text(name);
    if (value.empty()) return otherwise;
    std::int64_t number = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || stop != end || number < least || number > most)
      fail(fmt::format("{} must be a whole number from {} to {}", name, least, most));
    return number;
  }

  std::optional<bool> boolean(std::string_view name) {
    const std::string value = text(name);
    if (value.empty()) return std::nullopt;
    if (value != "true" && value != "false") fail(fmt::format("{} must be true or false", name));
    return value == "true";
  }

  template <typename Enum, std::size_t N>
  Enum choice(std::string_view name, const EnumNames<Enum, N>& names, Enum otherwise) {
    const std::string value = text(name);
    if (value.empty()) return otherwise;
    const auto found = names.get(name, value);
    if (!found) fail(found.error().message);
    return found.value_or(otherwise);
  }

  run::PageRange range() {
    return {.offset = integer("offset", 0, std::numeric_limits<std::int32_t>::max(), 0),
            .limit = integer("limit", 0, kMostRows, 50)};
  }

  // The first fault; a parameter that nothing asked for is one, too.
  Status finish() {
    for (const auto& [name, value] : parameters_) {
      if (std::ranges::count(known_, name) == 0)
        fail(fmt::format("there is no parameter \"{}\"{}", name, did_you_mean(name, known_)));
    }
    if (fault_.empty()) return {};
    return usage_error("{}", fault_);
  }

 private:
  void fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }

  const Parameters& parameters_;
  std::vector<std::string_view> known_;
  std::string fault_;
};

// A view of one run: reads its parameters, then answers.
using View = std::function<Expected<Json>(const RunPlace&)>;

View overview(Request&) { return overview_of; }

View metrics(Request& request) {
  const auto points = static_cast<std::size_t>(
      request.integer("points", 4, kMostPoints, static_cast<std::int64_t>(kPoints)));
  return [names = request.texts("name"), points](const RunPlace& run) {
    return metrics_view(run, names, points);
  };
}

View levels(Request&) { return levels_view; }

View rollouts(Request& request) {
  run::RolloutQuery query{.environment = request.text("environment"),
                          .solved = request.boolean("solved"),
                          .text = request.text("text"),
                          .order = request.choice("order", kOrders, run::RolloutOrder::kNewest),
                          .range = request.range()};
  constexpr std::int64_t kAny = -1;
  const std::int64_t step =
      request.integer("step", 0, std::numeric_limits<std::int64_t>::max(), kAny);
  if (step != kAny) query.step = step;
  return [query](const RunPlace& run) { return rollouts_view(run, query); };
}

View items(Request& request) {
  return [query = run::ItemQuery{.kind = request.text("kind"),
                                 .fate = request.text("fate"),
                                 .text = request.text("text"),
                                 .range = request.range()}](const RunPlace& run) {
    return items_view(run, query);
  };
}

View fates(Request&) { return fates_view; }

View evaluations(Request&) { return evaluations_view; }

View arena(Request&) { return arena_view; }

View submission(Request& request) {
  const std::int64_t submit =
      request.integer("submit", 0, std::numeric_limits<std::int32_t>::max(), 0);
  return [submit](const RunPlace& run) { return submission_view(run, submit); };
}

struct NamedView {
  std::string_view name;
  View (*read)(Request& request);
  RunKind kind = RunKind::kTraining;
};
constexpr std::array kViews = {
    NamedView{"overview", overview},
    NamedView{"metrics", metrics},
    NamedView{"levels", levels},
    NamedView{"rollouts", rollouts},
    NamedView{"items", items},
    NamedView{"fates", fates},
    NamedView{"evaluations", evaluations},
    NamedView{"arena", arena, RunKind::kArena},
    NamedView{"submission", submission, RunKind::kArena},
};

Answer fault(int status, std::string_view message) {
  return {status, Json{{"error", run::readable_utf8(message)}}};
}

Answer answer_of(const Expected<Json>& json) {
  if (json) return {200, *json};
  return fault(json.error().kind == ErrorKind::kUsage ? 404 : 500, json.error().message);
}

Answer list(const RunLibrary& library, SummaryCache& summaries, Request& request) {
  if (const Status status = request.finish(); !status) return fault(400, status.error().message);
  return {200, Json{{"runs", summaries.of(library.list())}}};
}

Answer comparison(const RunLibrary& library, Request& request) {
  const std::vector<std::string> names = request.texts("run");
  if (const Status status = request.finish(); !status) return fault(400, status.error().message);
  if (names.size() < 2 || names.size() > kMostCompared)
    return fault(400, fmt::format("a comparison needs 2 to {} runs", kMostCompared));
  std::vector<RunPlace> runs;
  for (const std::string& name : names) {
    const auto run = library.find(name);
    if (!run) return fault(404, run.error().message);
    if (run->kind != RunKind::kTraining)
      return fault(400, fmt::format("{} is a run of the arena, which has no comparison", name));
    runs.push_back(*run);
  }
  return answer_of(comparison_view(runs));
}

}  // namespace

Parameters parse_parameters(std::string_view query) {
  Parameters parameters;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    parameters.emplace_back(decoded(part.substr(0, equals)), decoded(value));
  }
  return parameters;
}

Answer RunsApi::answer(std::string_view view, const Parameters& parameters) const {
  Request request(parameters);
  if (view.empty()) return list(library_, *summaries_, request);
  if (view == "comparison") return comparison(library_, request);
  const auto found = std::ranges::find(kViews, view, &NamedView::name);
  if (found == kViews.end()) return fault(404, fmt::format("there is no view \"{}\"", view));
  const std::string name = request.text("run");
  const View work = found->read(request);
  if (const Status status = request.finish(); !status) return fault(400, status.error().message);
  const auto run = library_.find(name);
  if (!run) return fault(404, run.error().message);
  if (run->kind != found->kind) {
    return fault(404, fmt::format(R"(a run of the kind "{}" has no view "{}")",
                                  kRunKinds.name(run->kind), view));
  }
  return answer_of(work(*run));
}

std::string RunsApi::revision() const {
  Json runs = Json::array();
  for (const Json& summary : summaries_->of(library_.list())) {
    runs.push_back({{"name", summary.value("name", "")},
                    {"state", summary.value("state", "")},
                    {"step", summary.value("step", std::int64_t{0})}});
  }
  return dump_json(Json{{"runs", std::move(runs)}});
}

}  // namespace redqueen::watch
