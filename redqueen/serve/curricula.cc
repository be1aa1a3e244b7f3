#include "redqueen/serve/curricula.h"

#include <fmt/format.h>

#include <algorithm>

namespace redqueen::serve {
namespace {

// A client that sends again does so soon: older answers are forgotten.
constexpr std::int64_t kKeptAnswers = 256;

constexpr const char* kTables = R"(
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS curricula (
    id TEXT PRIMARY KEY, settings TEXT NOT NULL, state TEXT NOT NULL,
    drawn INTEGER NOT NULL, scored INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS answers (
    curriculum TEXT NOT NULL, client TEXT NOT NULL, sequence INTEGER NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (curriculum, client, sequence));
  CREATE TABLE IF NOT EXISTS draws (
    curriculum TEXT NOT NULL, client TEXT NOT NULL, sequence INTEGER NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (curriculum, client, sequence));)";

Expected<Curriculum> curriculum_of(const CurriculumSettings& settings, const Service& service) {
  ASSIGN_OR_RETURN(auto suite, service.suite(settings.suite));
  return make_curriculum(settings, std::move(suite.environments), std::move(suite.weights));
}

Status read_addresses(const Json& list, std::vector<ProblemAddress>& addresses) {
  for (const Json& text : list) {
    ASSIGN_OR_RETURN(auto address, ProblemAddress::parse(text.get<std::string>()));
    addresses.push_back(std::move(address));
  }
  return {};
}

// Whether the verdicts of a message can be those of the same message when it came first. Equal
// answers to equal problems earn the same; what could not be had in time, now or then, tells
// nothing.
bool can_be_same(const Json& first, const Json& again) {
  return std::ranges::equal(first, again, [](const Json& one, const Json& other) {
    return one == other || one.contains("error") || other.contains("error");
  });
}

}  // namespace

struct CurriculumBook::Open {
  std::string id;
  CurriculumSettings settings;
  Curriculum curriculum;
  std::int64_t drawn = 0;
  std::int64_t scored = 0;
};

Expected<std::unique_ptr<CurriculumBook>> CurriculumBook::open(const std::filesystem::path& file,
                                                               const Service& service) {
  ASSIGN_OR_RETURN(auto database, run::Database::open(file, run::Database::Mode::kReadWrite));
  RETURN_IF_ERROR(database.execute(kTables));
  return std::unique_ptr<CurriculumBook>(new CurriculumBook(std::move(database), service));
}

Status CurriculumBook::create(const std::string& id, const CurriculumSettings& settings) {
  const bool is_plain = !id.empty() && id.size() <= 100 && std::ranges::all_of(id, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
  if (!is_plain)
    return usage_error("\"id\": letters, digits and \"-_.\", 100 at most, and not \"{}\"", id);
  ASSIGN_OR_RETURN(const Curriculum curriculum, curriculum_of(settings, service_));
  const std::scoped_lock lock(mutex_);
  return database_.transaction([&]() -> Status {
    const std::string text = dump_json(to_json(settings));
    ASSIGN_OR_RETURN(auto known, database_.prepare("SELECT settings FROM curricula WHERE id = ?"));
    ASSIGN_OR_RETURN(const bool is_known, known.bind(id).next());
    if (is_known && known.text(0) == text) return {};
    if (is_known) return usage_error("there is a curriculum \"{}\" with other settings", id);
    ASSIGN_OR_RETURN(auto insert,
                     database_.prepare("INSERT INTO curricula VALUES (?, ?, ?, 0, 0)"));
    return insert.bind(id, text, dump_json(curriculum.state())).run();
  });
}

Expected<std::vector<std::string>> CurriculumBook::ids() {
  const std::scoped_lock lock(mutex_);
  ASSIGN_OR_RETURN(auto rows, database_.prepare("SELECT id FROM curricula ORDER BY id"));
  std::vector<std::string> ids;
  while (true) {
    ASSIGN_OR_RETURN(const bool has_row, rows.next());
    if (!has_row) return ids;
    ids.push_back(rows.text(0));
  }
}

Expected<CurriculumBook::Open> CurriculumBook::read(const std::string& id) {
  ASSIGN_OR_RETURN(
      auto row,
      database_.prepare("SELECT settings, state, drawn, scored FROM curricula WHERE id = ?"));
  ASSIGN_OR_RETURN(const bool is_known, row.bind(id).next());
  if (!is_known) return usage_error("there is no curriculum \"{}\"", id);
  ASSIGN_OR_RETURN(const Json text, parse_json(row.text(0)));
  ASSIGN_OR_RETURN(auto settings, from_json<CurriculumSettings>(text));
  ASSIGN_OR_RETURN(auto curriculum, curriculum_of(settings, service_));
  ASSIGN_OR_RETURN(const Json state, parse_json(row.text(1)));
  RETURN_IF_ERROR(curriculum.restore(state));
  return Open{.id = id,
              .settings = std::move(settings),
              .curriculum = std::move(curriculum),
              .drawn = row.integer(2),
              .scored = row.integer(3)};
}

Status CurriculumBook::write(const Open& open) {
  ASSIGN_OR_RETURN(
      auto update,
      database_.prepare("UPDATE curricula SET state = ?, drawn = ?, scored = ? WHERE id = ?"));
  return update.bind(dump_json(open.curriculum.state()), open.drawn, open.scored, open.id).run();
}

Expected<std::vector<ProblemAddress>> CurriculumBook::draw(const std::string& id, int count,
                                                           const std::optional<Receipt>& receipt) {
  std::vector<ProblemAddress> addresses;
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(database_.transaction([&]() -> Status {
    if (receipt) {
      ASSIGN_OR_RETURN(const auto known, known_answer("draws", id, *receipt));
      if (known) return read_addresses(*known, addresses);
    }
    ASSIGN_OR_RETURN(Open open, read(id));
    for (int i = 0; i < count; ++i) {
      const DrawnProblem drawn =
          draw_problem(open.curriculum, open.settings, static_cast<std::uint64_t>(open.drawn++));
      const Environment& environment = *open.curriculum.environments()[drawn.environment];
      addresses.push_back(environment.address(drawn.level, drawn.seed, drawn.salt));
    }
    RETURN_IF_ERROR(write(open));
    if (!receipt) return {};
    Json answer = Json::array();
    for (const ProblemAddress& address : addresses) answer.push_back(address.to_string());
    return keep_answer("draws", id, *receipt, answer);
  }));
  return addresses;
}

Expected<std::optional<Json>> CurriculumBook::known_answer(std::string_view table,
                                                           const std::string& id,
                                                           const Receipt& receipt) {
  ASSIGN_OR_RETURN(
      auto row,
      database_.prepare(fmt::format(
          "SELECT answer FROM {} WHERE curriculum = ? AND client = ? AND sequence = ?", table)));
  ASSIGN_OR_RETURN(const bool is_known, row.bind(id, receipt.client, receipt.sequence).next());
  if (!is_known) return std::nullopt;
  ASSIGN_OR_RETURN(auto answer, parse_json(row.text(0)));
  return std::optional<Json>(std::move(answer));
}

Status CurriculumBook::keep_answer(std::string_view table, const std::string& id,
                                   const Receipt& receipt, const Json& answer) {
  ASSIGN_OR_RETURN(auto insert,
                   database_.prepare(fmt::format("INSERT INTO {} VALUES (?, ?, ?, ?)", table)));
  RETURN_IF_ERROR(insert.bind(id, receipt.client, receipt.sequence, dump_json(answer)).run());
  ASSIGN_OR_RETURN(
      auto forget,
      database_.prepare(fmt::format(
          "DELETE FROM {} WHERE curriculum = ? AND client = ? AND sequence <= ?", table)));
  return forget.bind(id, receipt.client, receipt.sequence - kKeptAnswers).run();
}

Expected<Json> CurriculumBook::learn(const std::string& id, std::span<const ScoredProblem> problems,
                                     bool end_step, const std::optional<Receipt>& receipt,
                                     Json verdicts) {
  Json answer;
  const std::scoped_lock lock(mutex_);
  RETURN_IF_ERROR(database_.transaction([&]() -> Status {
    if (receipt) {
      ASSIGN_OR_RETURN(auto known, known_answer("answers", id, *receipt));
      if (known) {
        answer = std::move(*known);
        if (can_be_same(answer["verdicts"], verdicts)) return {};
        // Another message under a number that was used: it teaches nothing, but its rewards are its
        // own.
        answer["verdicts"] = std::move(verdicts);
        answer["counted"] = 0;
        return {};
      }
    }
    ASSIGN_OR_RETURN(Open open, read(id));
    const auto& environments = open.curriculum.environments();
    std::int64_t counted = 0;
    for (const auto& [address, solved] : problems) {
      const auto environment = std::ranges::find_if(environments, [&](const Environment* known) {
        return known->name() == address.environment && known->card().version == address.version;
      });
      if (environment == environments.end() || address.salt != open.settings.problem_salt())
        continue;
      open.curriculum.record(
          {static_cast<std::size_t>(environment - environments.begin()), address.level}, solved);
      ++counted;
    }
    open.scored += counted;
    if (end_step) open.curriculum.end_step();
    RETURN_IF_ERROR(write(open));
    answer = {{"verdicts", std::move(verdicts)}, {"counted", counted}, {"scored", open.scored}};
    return receipt ? keep_answer("answers", id, *receipt, answer) : Status();
  }));
  return answer;
}

Expected<Json> CurriculumBook::describe(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  ASSIGN_OR_RETURN(const Open open, read(id));
  Json environments = Json::array();
  for (const run::CurriculumState& row : open.curriculum.rows()) {
    environments.push_back({{"name", row.environment},
                            {"low", row.lower_level},
                            {"high", row.upper_level},
                            {"attempts", row.attempts},
                            {"solved", row.solved}});
  }
  return Json{{"id", id},
              {"settings", to_json(open.settings)},
              {"drawn", open.drawn},
              {"scored", open.scored},
              {"environments", std::move(environments)}};
}

}  // namespace redqueen::serve
