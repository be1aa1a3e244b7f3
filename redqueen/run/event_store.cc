#include "redqueen/run/event_store.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "redqueen/base/valid_utf8.h"
#include "redqueen/run/event_schema.h"

namespace redqueen::run {
namespace {

constexpr std::array kStepTables = {"steps", "metrics", "curriculum", "rollouts", "items"};

// The list of EvaluationRecord::by_solved; empty of texts that are none.
std::vector<std::int64_t> counts_of(const std::string& text) {
  std::vector<std::int64_t> counts;
  const auto json = parse_json(text);
  if (!json || !json->is_array()) return counts;
  for (const Json& count : *json)
    counts.push_back(count.is_number_integer() ? count.get<std::int64_t>() : 0);
  return counts;
}

std::string series_text(const std::vector<ChartSeries>& series) {
  Json list = Json::array();
  for (const ChartSeries& one : series) list.push_back({one.metric, one.label});
  return dump_json(list);
}

// A text that is no list of pairs gives no series: a report is no place to fail.
std::vector<ChartSeries> read_series(const std::string& text) {
  std::vector<ChartSeries> series;
  const auto list = parse_json(text);
  if (!list || !list->is_array()) return series;
  for (const Json& one : *list) {
    if (one.is_array() && one.size() == 2 && one[0].is_string() && one[1].is_string())
      series.push_back({one[0].get<std::string>(), one[1].get<std::string>()});
  }
  return series;
}

std::string turns_text(const Json& turns) { return turns.is_null() ? "" : dump_json(turns); }

Json read_turns(const std::string& text) {
  return text.empty() ? Json() : parse_json(text).value_or(Json());
}

}  // namespace

Expected<EventStore> EventStore::open(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(Database database, Database::open(path, Database::Mode::kReadWrite));
  if (auto status = prepare_schema(database); !status)
    return failure("{}: {}", path.string(), status.error().message);
  return EventStore(std::move(database), kSchemaVersion);
}

Expected<EventStore> EventStore::open_to_read(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(Database database, Database::open(path, Database::Mode::kReadOnly));
  const auto version = readable_version(database);
  if (!version) return failure("{}: {}", path.string(), version.error().message);
  return EventStore(std::move(database), *version);
}

Status EventStore::append(const StepRecord& step) {
  return database_.transaction(
      [&] { return forget("step = ?", step.step).and_then([&] { return insert(step); }); });
}

Status EventStore::insert(const StepRecord& step) {
  auto steps = database_.prepare("INSERT INTO steps VALUES (?, ?, ?)");
  auto metrics = database_.prepare("INSERT OR REPLACE INTO metrics VALUES (?, ?, ?)");
  auto curriculum =
      database_.prepare("INSERT OR REPLACE INTO curriculum VALUES (?, ?, ?, ?, ?, ?)");
  auto rollouts =
      database_.prepare("INSERT INTO rollouts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const auto* statement : {&steps, &metrics, &curriculum, &rollouts}) {
    if (!*statement) return tl::make_unexpected(statement->error());
  }
  Status status = steps->bind(step.step, step.time, step.seconds).run();
  for (const MetricValue& row : step.metrics) {
    status = status.and_then([&] { return metrics->bind(step.step, row.name, row.value).run(); });
  }
  for (const CurriculumState& row : step.curriculum) {
    status = status.and_then([&] {
      return curriculum
          ->bind(step.step, row.environment, row.lower_level, row.upper_level, row.attempts,
                 row.solved)
          .run();
    });
  }
  for (const RolloutRecord& row : step.rollouts) {
    status = status.and_then([&] {
      return rollouts
          ->bind(step.step, row.group, row.environment, row.level, row.problem_address,
                 valid_utf8(row.prompt), valid_utf8(row.response), row.reward, row.solved,
                 row.well_formed, row.tokens, turns_text(row.turns))
          .run();
    });
  }
  return status.and_then([&] { return insert(step.step, step.items); });
}

Status EventStore::insert(std::int64_t step, const std::vector<ItemRecord>& items) {
  ASSIGN_OR_RETURN(auto statement,
                   database_.prepare("INSERT INTO items VALUES (NULL, ?, ?, ?, ?, ?)"));
  for (const ItemRecord& row : items) {
    Status status = statement.bind(step, row.kind, row.name, row.fate, dump_json(row.data)).run();
    if (!status) return status;
  }
  return {};
}

Status EventStore::append(std::int64_t step, const std::vector<ItemRecord>& items) {
  return database_.transaction([&] { return insert(step, items); });
}

Status EventStore::append(const std::vector<EvaluationRecord>& evaluation) {
  return database_.transaction([&]() -> Status {
    // A policy of another step that had this label, when the run was shorter, is another policy:
    // none of its rows may stay among the new ones.
    ASSIGN_OR_RETURN(
        auto forget_other,
        database_.prepare("DELETE FROM evaluations WHERE policy = ? AND suite = ? AND step <> ?"));
    ASSIGN_OR_RETURN(
        auto statement,
        database_.prepare(
            "INSERT INTO evaluations VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    for (const EvaluationRecord& row : evaluation) {
      RETURN_IF_ERROR(forget_other.bind(row.policy, row.suite, row.step).run());
      Status status =
          statement
              .bind(row.policy, row.step, row.suite, row.environment, row.level, row.problems,
                    row.solved, row.mean_reward, row.samples, row.passed, row.solved_squares,
                    row.cut, row.by_solved.empty() ? std::string() : dump_json(row.by_solved))
              .run();
      if (!status) return status;
    }
    return {};
  });
}

Status EventStore::forget(std::string_view condition, std::int64_t step) {
  for (const char* table : kStepTables) {
    ASSIGN_OR_RETURN(auto statement,
                     database_.prepare(fmt::format("DELETE FROM {} WHERE {}", table, condition)));
    if (auto status = statement.bind(step).run(); !status) return status;
  }
  return {};
}

Status EventStore::trim_after(std::int64_t step) {
  return database_.transaction([&] {
    return forget("step > ?", step).and_then([&]() -> Status {
      ASSIGN_OR_RETURN(auto statement, database_.prepare("DELETE FROM evaluations WHERE step > ?"));
      return statement.bind(step).run();
    });
  });
}

Expected<std::int64_t> EventStore::last_step() {
  return single_integer(database_, "SELECT max(step) FROM steps");
}

Expected<double> EventStore::total_seconds() {
  const auto rows = collect(database_, "SELECT total(seconds) FROM steps",
                            [](const Statement& row) { return row.real(0); });
  if (!rows) return tl::make_unexpected(rows.error());
  return rows->front();
}

Expected<std::vector<std::string>> EventStore::metric_names() {
  return collect(database_, "SELECT DISTINCT name FROM metrics ORDER BY name",
                 [](const Statement& row) { return row.text(0); });
}

Expected<std::vector<MetricPoint>> EventStore::metric(std::string_view name) {
  return collect(
      database_, "SELECT step, value FROM metrics WHERE name = ? ORDER BY step",
      [](const Statement& row) {
        return MetricPoint{row.integer(0), row.real(1)};
      },
      name);
}

Expected<std::vector<CurriculumPoint>> EventStore::curriculum() {
  return collect(
      database_,
      "SELECT step, environment, lower_level, upper_level, attempts, solved FROM curriculum"
      " ORDER BY environment, step",
      [](const Statement& row) {
        return CurriculumPoint{row.integer(0),
                               {.environment = row.text(1),
                                .lower_level = static_cast<int>(row.integer(2)),
                                .upper_level = static_cast<int>(row.integer(3)),
                                .attempts = row.integer(4),
                                .solved = row.integer(5)}};
      });
}

Expected<std::vector<std::int64_t>> EventStore::rollout_steps() {
  return collect(database_, "SELECT DISTINCT step FROM rollouts ORDER BY step",
                 [](const Statement& row) { return row.integer(0); });
}

Expected<std::vector<RolloutRecord>> EventStore::rollouts(std::int64_t step) {
  const std::string_view turns = version_ >= 3 ? "coalesce(turns, '')" : "''";
  return collect(
      database_,
      fmt::format(
          "SELECT \"group\", environment, level, address, prompt, response, reward, solved, "
          "well_formed, tokens, {} FROM rollouts WHERE step = ? ORDER BY id",
          turns),
      [](const Statement& row) {
        return RolloutRecord{.group = row.integer(0),
                             .environment = row.text(1),
                             .level = static_cast<int>(row.integer(2)),
                             .problem_address = row.text(3),
                             .prompt = row.text(4),
                             .response = row.text(5),
                             .reward = row.real(6),
                             .solved = row.integer(7) != 0,
                             .well_formed = row.integer(8) != 0,
                             .tokens = row.integer(9),
                             .turns = read_turns(row.text(10))};
      },
      step);
}

Expected<std::vector<ItemPoint>> EventStore::items(std::string_view kind, std::string_view name) {
  const auto rows = collect(
      database_,
      "SELECT step, kind, name, fate, data FROM items WHERE kind = ? AND (? = '' OR name = ?)"
      " ORDER BY step, id",
      [](const Statement& row) {
        return std::pair(ItemPoint{row.integer(0),
                                   {.kind = row.text(1), .name = row.text(2), .fate = row.text(3)}},
                         row.text(4));
      },
      kind, name, name);
  if (!rows) return tl::make_unexpected(rows.error());
  std::vector<ItemPoint> points;
  for (const auto& [point, text] : *rows) {
    auto data = parse_json(text);
    if (!data) {
      return failure("item {} of step {}: its data cannot be read: {}", point.item.name, point.step,
                     data.error().message);
    }
    points.push_back(point);
    points.back().item.data = std::move(*data);
  }
  return points;
}

Expected<std::vector<ItemCount>> EventStore::item_counts(std::string_view kind) {
  return collect(
      database_,
      "SELECT step, fate, count(*) FROM items WHERE kind = ? GROUP BY step, fate"
      " ORDER BY step, fate",
      [](const Statement& row) {
        return ItemCount{row.integer(0), row.text(1), row.integer(2)};
      },
      kind);
}

Expected<std::vector<ItemCount>> EventStore::tag_counts(std::string_view kind,
                                                        std::string_view fate) {
  return collect(
      database_,
      "SELECT step, tag.value, count(*) FROM items,"
      " json_each(CASE WHEN json_valid(data) THEN json_extract(data, '$.tags') END) AS tag"
      " WHERE items.kind = ? AND fate = ? AND tag.type = 'text'"
      " GROUP BY step, tag.value ORDER BY step, tag.value",
      [](const Statement& row) {
        return ItemCount{row.integer(0), row.text(1), row.integer(2)};
      },
      kind, fate);
}

Status EventStore::describe(const std::vector<ChartRecord>& charts) {
  return database_.transaction([&]() -> Status {
    RETURN_IF_ERROR(database_.execute("DELETE FROM charts"));
    ASSIGN_OR_RETURN(Statement insert,
                     database_.prepare("INSERT INTO charts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    std::int64_t position = 0;
    for (const ChartRecord& chart : charts) {
      RETURN_IF_ERROR(insert
                          .bind(++position, chart.id, chart.section, chart.title, chart.note,
                                chart.unit, chart.kind, chart.items, series_text(chart.series),
                                chart.overview)
                          .run());
    }
    return {};
  });
}

Expected<std::vector<ChartRecord>> EventStore::charts() {
  if (version_ < 3) return charts_of_run();
  auto charts =
      collect(database_,
              "SELECT id, section, title, note, unit, kind, items, series, overview FROM charts"
              " ORDER BY position",
              [](const Statement& row) {
                return ChartRecord{.id = row.text(0),
                                   .section = row.text(1),
                                   .title = row.text(2),
                                   .note = row.text(3),
                                   .unit = row.text(4),
                                   .kind = row.text(5),
                                   .items = row.text(6),
                                   .series = read_series(row.text(7)),
                                   .overview = row.integer(8) != 0};
              });
  if (charts && charts->empty()) return charts_of_run();
  return charts;
}

Expected<std::vector<EvaluationRecord>> EventStore::evaluations() {
  const std::string_view samples =
      version_ >= 4 ? "e.samples, e.passed, e.solved_squares" : "1, 0, 0";
  const std::string_view cut_column = version_ >= 5 ? "e.cut" : "-1";
  const std::string_view by_solved_column = version_ >= 6 ? "e.by_solved" : "''";
  return collect(
      database_,
      fmt::format("SELECT e.policy, e.step, e.suite, e.environment, e.level, e.problems, "
                  "e.solved, e.mean_reward, {}, {}, {}"
                  " FROM evaluations e JOIN (SELECT policy, suite, min(id) AS first FROM "
                  "evaluations GROUP BY policy, suite) o ON e.policy = o.policy AND e.suite = "
                  "o.suite ORDER BY o.first, e.environment, e.level",
                  samples, cut_column, by_solved_column),
      [](const Statement& row) {
        return EvaluationRecord{.policy = row.text(0),
                                .step = row.integer(1),
                                .suite = row.text(2),
                                .environment = row.text(3),
                                .level = static_cast<int>(row.integer(4)),
                                .problems = row.integer(5),
                                .solved = row.integer(6),
                                .mean_reward = row.real(7),
                                .samples = static_cast<int>(row.integer(8)),
                                .passed = row.integer(9),
                                .solved_squares = row.integer(10),
                                .cut = row.integer(11),
                                .by_solved = counts_of(row.text(12))};
      });
}

std::optional<double> value_of(std::span<const MetricValue> metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &MetricValue::name);
  if (found == metrics.end() || !std::isfinite(found->value)) return std::nullopt;
  return found->value;
}

}  // namespace redqueen::run
