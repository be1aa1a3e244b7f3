#include "redqueen/run/event_browser.h"

#include <cmath>
#include <utility>

#include "redqueen/run/event_schema.h"

namespace redqueen::run {
namespace {

// A pattern of LIKE that finds `text` anywhere, whatever signs are in it.
std::string anywhere(std::string_view text) {
  std::string pattern = "%";
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + '%';
}

StepPoint step_point(const Statement& row) { return {row.integer(0), row.real(1), row.real(2)}; }

// Every condition has its parameter whether it is asked for or not, so that the statement's text
// never depends on what a user wrote.
constexpr std::string_view kRolloutCondition =
    " FROM rollouts WHERE (? < 0 OR step = ?) AND (? = '' OR environment = ?) AND (? < 0 OR solved "
    "= ?) AND (? = '%%' OR address LIKE ? ESCAPE '\\' OR prompt LIKE ? ESCAPE '\\' OR response "
    "LIKE ? ESCAPE '\\' OR {} LIKE ? ESCAPE '\\')";

void bind(Statement& statement, const RolloutQuery& query) {
  const std::int64_t step = query.step.value_or(-1);
  const std::int64_t solved = query.solved ? (*query.solved ? 1 : 0) : -1;
  const std::string text = anywhere(query.text);
  statement.bind(step, step, query.environment, query.environment, solved, solved, text, text, text,
                 text, text);
}

std::string_view order_of(RolloutOrder order) {
  switch (order) {
    case RolloutOrder::kBest:
      return "reward DESC, id DESC";
    case RolloutOrder::kWorst:
      return "reward ASC, id DESC";
    case RolloutOrder::kNewest:
      break;
  }
  return "step DESC, id DESC";
}

RolloutRow rollout_row(const Statement& row) {
  const std::string turns = row.text(12);
  return {.id = row.integer(0),
          .step = row.integer(1),
          .rollout = {.group = row.integer(2),
                      .environment = row.text(3),
                      .level = static_cast<int>(row.integer(4)),
                      .problem_address = row.text(5),
                      .prompt = row.text(6),
                      .response = row.text(7),
                      .reward = row.real(8),
                      .solved = row.integer(9) != 0,
                      .well_formed = row.integer(10) != 0,
                      .tokens = row.integer(11),
                      .turns = turns.empty() ? Json() : parse_json(turns).value_or(Json())}};
}

constexpr std::string_view kItemCondition =
    " FROM items WHERE (? = '' OR kind = ?) AND (? = '' OR fate = ?) AND (? = '%%' OR name LIKE ? "
    "ESCAPE '\\' OR fate LIKE ? ESCAPE '\\' OR data LIKE ? ESCAPE '\\')";

void bind(Statement& statement, const ItemQuery& query) {
  const std::string text = anywhere(query.text);
  statement.bind(query.kind, query.kind, query.fate, query.fate, text, text, text, text);
}

ItemRow item_row(const Statement& row) {
  return {.id = row.integer(0),
          .step = row.integer(1),
          .item = {.kind = row.text(2),
                   .name = row.text(3),
                   .fate = row.text(4),
                   .data = parse_json(row.text(5)).value_or(Json())}};
}

// A page's rows, and how many there are in all. `columns` and `order` belong to `condition`.
template <typename Query, typename Read>
auto page(Database& database, std::string_view columns, const std::string& condition,
          std::string_view order, const Query& query, Read read)
    -> Expected<std::pair<std::int64_t, std::vector<decltype(read(std::declval<Statement>()))>>> {
  ASSIGN_OR_RETURN(Statement count, database.prepare("SELECT count(*)" + condition));
  bind(count, query);
  ASSIGN_OR_RETURN(const bool counted, count.next());
  const std::int64_t total = counted ? count.integer(0) : 0;
  ASSIGN_OR_RETURN(
      Statement statement,
      database.prepare(fmt::format("SELECT {}{} ORDER BY {} LIMIT {} OFFSET {}", columns, condition,
                                   order, query.range.limit, query.range.offset)));
  bind(statement, query);
  ASSIGN_OR_RETURN(auto rows, collect_rows(statement, read));
  return std::pair(total, std::move(rows));
}

}  // namespace

Expected<EventBrowser> EventBrowser::open(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(Database database, Database::open(path, Database::Mode::kReadOnly));
  const auto version = readable_version(database);
  if (!version) return failure("{}: {}", path.string(), version.error().message);
  return EventBrowser(std::move(database), *version);
}

Expected<std::vector<StepPoint>> EventBrowser::steps() {
  return collect(database_, "SELECT step, time, seconds FROM steps ORDER BY step", step_point);
}

Expected<std::optional<StepPoint>> EventBrowser::last_step() {
  ASSIGN_OR_RETURN(
      const auto rows,
      collect(database_, "SELECT step, time, seconds FROM steps ORDER BY step DESC LIMIT 1",
              step_point));
  return rows.empty() ? std::nullopt : std::optional(rows.front());
}

Expected<std::optional<double>> EventBrowser::last_value(std::string_view metric) {
  ASSIGN_OR_RETURN(const auto rows, collect(
                                        database_,
                                        "SELECT value FROM metrics WHERE name = ? AND value IS NOT "
                                        "NULL ORDER BY step DESC LIMIT 1",
                                        [](const Statement& row) { return row.real(0); }, metric));
  return rows.empty() ? std::nullopt : std::optional(rows.front());
}

Expected<std::vector<std::string>> EventBrowser::rollout_environments() {
  return collect(database_, "SELECT DISTINCT environment FROM rollouts ORDER BY environment",
                 [](const Statement& row) { return row.text(0); });
}

Expected<RolloutPage> EventBrowser::rollouts(const RolloutQuery& query) {
  const std::string_view turns = version_ >= 3 ? "coalesce(turns, '')" : "''";
  const std::string columns = fmt::format(
      "id, step, \"group\", environment, level, address, prompt, response, reward, solved, "
      "well_formed, tokens, {}",
      turns);
  ASSIGN_OR_RETURN(auto found,
                   page(database_, columns, fmt::format(fmt::runtime(kRolloutCondition), turns),
                        order_of(query.order), query, rollout_row));
  return RolloutPage{found.first, std::move(found.second)};
}

Expected<std::vector<ItemTotal>> EventBrowser::item_totals() {
  return collect(database_,
                 "SELECT kind, fate, count(*) FROM items GROUP BY kind, fate ORDER BY kind, fate",
                 [](const Statement& row) {
                   return ItemTotal{row.text(0), row.text(1), row.integer(2)};
                 });
}

Expected<ItemPage> EventBrowser::items(const ItemQuery& query) {
  ASSIGN_OR_RETURN(auto found, page(database_, "id, step, kind, name, fate, data",
                                    std::string(kItemCondition), "id DESC", query, item_row));
  return ItemPage{found.first, std::move(found.second)};
}

}  // namespace redqueen::run
