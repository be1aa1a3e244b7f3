// The services keep their rules, and the words of a request are enough to do what it asks for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>

#include "redqueen/base/rng.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/gym/testing/episode_steps.h"
#include "redqueen/gym/worlds/apiworld/goals.h"
#include "redqueen/gym/worlds/apiworld/services.h"

namespace redqueen::apiworld {
namespace {

using testing::HasSubstr;

const Environment& environment() { return *Registry::native().find("apiworld"); }

ProblemPtr problem_at(int level, std::uint64_t seed) {
  return std::move(*environment().generate(level, seed));
}

Action calling(std::string name, Json arguments) {
  return {.tool_calls = {{.name = std::move(name), .arguments = std::move(arguments)}}};
}

bool solves(const Problem& problem, const std::vector<Action>& turns) {
  return problem.score(transcript(turns)).solved;
}

const std::vector<std::string> kAll(std::begin(kServices), std::end(kServices));

// --- The services.

World small_world() {
  World world;
  world.user = "Ada Quist";
  world.events = {{1, "plan", "2027-03-14", 540, 600, "Ada Quist"},
                  {2, "review", "2027-03-14", 600, 660, "Leon Marsh"}};
  world.accounts = {{"checking", 5000, false}, {"savings", 10000, false}, {"joint", 90000, true}};
  world.products = {{"oak shelf", "garden", 1500, 3}, {"glass vase", "garden", 900, 0}};
  world.orders = {{3, "glass vase", 2, 1800}};
  world.messages = {{4, "Leon Marsh", "Ada Quist", "hello"}, {5, "Ada Quist", "Leon Marsh", "hi"}};
  world.files = {{"drafts", "a.txt", "text a", false},
                 {"drafts", "b.txt", "text b", true},
                 {"archive", "a.txt", "old", false}};
  world.next_id = 10;
  return world;
}

struct ServiceCase {
  std::string tool;
  std::string arguments;
  std::string says;  // part of the answer; of an error it begins with "error: "
};

TEST(ApiworldServices, KeepTheirRules) {
  const std::vector<ServiceCase> table{
      {"create_event", R"({"title":"x","date":"2027-03-14","start":"08:30","end":"09:00"})",
       R"("event_id":10)"},
      {"create_event", R"({"title":"x","date":"2027-03-14","start":"08:30","end":"09:01"})",
       "error: it overlaps with event 1"},
      {"create_event", R"({"title":"x","date":"2027-03-14","start":"07:30","end":"08:30"})",
       "error: events lie between"},
      {"create_event", R"({"title":"x","date":"2027-03-14","start":"12:00","end":"12:00"})",
       "error: events lie between"},
      {"create_event", R"({"title":"x","date":"14 March","start":"12:00","end":"13:00"})",
       "error: \"14 March\" is no date"},
      {"move_event", R"({"event_id":1,"date":"2027-03-15","start":"10:15"})", R"("end":"11:15")"},
      {"move_event", R"({"event_id":1,"date":"2027-03-14","start":"09:30"})", "error: it overlaps"},
      {"move_event", R"({"event_id":2,"date":"2027-03-15","start":"10:00"})",
       "error: permission denied"},
      {"delete_event", R"({"event_id":2})", "error: permission denied"},
      {"delete_event", R"({"event_id":7})", "error: there is no event 7"},
      {"delete_event", R"({"event_id":1})", "deleted"},
      {"transfer_money", R"({"from_account":"checking","to_account":"joint","amount":50})", "done"},
      {"transfer_money", R"({"from_account":"checking","to_account":"joint","amount":50.01})",
       "error: the account \"checking\" has only 50.00 euros"},
      {"transfer_money", R"({"from_account":"joint","to_account":"checking","amount":1})",
       "error: permission denied"},
      {"transfer_money", R"({"from_account":"savings","to_account":"savings","amount":1})",
       "error: the two accounts are the same"},
      {"pay", R"({"account":"checking","payee":"Leon Marsh","amount":-5})", "error: the amount"},
      {"pay", R"({"account":"checking","payee":"Leon Marsh","amount":0})", "error: the amount"},
      {"pay", R"({"account":"checking","payee":"Leon Marsh","amount":1.005})", "error: the amount"},
      {"pay", R"({"account":"checking","payee":"Leon Marsh","amount":1e300})", "error: the amount"},
      {"pay", R"({"account":"checking","payee":"Leon Marsh","amount":"5"})", "error: \"amount\""},
      {"pay", R"({"account":"checking","payee":"Leon Marsh","amount":5,"note":"x"})",
       "error: there is no argument \"note\""},
      {"place_order", R"({"product":"oak shelf","quantity":3})", R"("paid":"45.00")"},
      {"place_order", R"({"product":"oak shelf","quantity":4})", "error: only 3"},
      {"place_order", R"({"product":"glass vase","quantity":1})", "error: only 0"},
      {"place_order", R"({"product":"oak shelf","quantity":-1})", "error: the quantity"},
      {"place_order", R"({"product":"oak","quantity":1})", "error: there is no product"},
      {"cancel_order", R"({"order_id":3})", R"("refunded":"18.00")"},
      {"cancel_order", R"({"order_id":4})", "error: there is no order 4"},
      {"send_message", R"({"to":"","text":"x"})", "error: nobody"},
      {"delete_message", R"({"message_id":4})", "deleted"},
      {"delete_message", R"({"message_id":5})", "error: permission denied"},
      {"read_file", R"({"folder":"drafts","name":"b.txt"})", "text b"},
      {"delete_file", R"({"folder":"drafts","name":"b.txt"})", "error: permission denied"},
      {"move_file", R"({"folder":"drafts","name":"a.txt","to_folder":"archive"})",
       "error: the folder \"archive\" has a file"},
      {"move_file", R"({"folder":"drafts","name":"a.txt","to_folder":"photos"})", "moved"},
      {"move_file", R"({"folder":"drafts","name":"a.txt","to_folder":"x\u001fy"})",
       "error: the name of a folder"},
      {"delete_file", R"({"folder":"photos","name":"a.txt"})", "error: there is no file"},
      {"list_events", R"({"date":"2027-03-14"})", "review"},
      {"list_accounts", "{}", R"("balance":"50.00")"},
      {"list_accounts", "[]", "error: expected a JSON object"},
      {"search_products", R"({"category":"garden"})", R"("stock":0)"},
      {"list_nothing", "{}", "error: there is no tool"},
  };
  for (const ServiceCase& row : table) {
    World world = small_world();
    const auto answer = execute(world, kAll, {"", row.tool, *parse_json(row.arguments)});
    const std::string text = answer ? dump_json(*answer) : "error: " + answer.error().message;
    EXPECT_THAT(text, HasSubstr(row.says)) << row.tool << row.arguments;
    EXPECT_EQ(text.starts_with("error: "), row.says.starts_with("error: ")) << text;
    if (!answer || row.tool.starts_with("list_") || row.tool.starts_with("read_") ||
        row.tool.starts_with("search_")) {
      EXPECT_EQ(dump_json(to_json(world)), dump_json(to_json(small_world()))) << row.tool;
    } else {
      EXPECT_NE(essence(world), essence(small_world())) << row.tool;
    }
  }
}

TEST(ApiworldServices, OfferNothingOfOthers) {
  World world = small_world();
  const std::vector<std::string> files{"files"};
  EXPECT_FALSE(execute(world, files, {"", "list_accounts", Json::object()}).has_value());
  for (const ToolSpec& tool : tools_of(files)) EXPECT_THAT(tool.name, HasSubstr("file"));
}

TEST(ApiworldServices, MoneyIsNeitherMadeNorLost) {
  World world = small_world();
  const auto total = [&] {
    std::int64_t sum = 0;
    for (const Account& account : world.accounts) sum += account.balance;
    for (const Payment& payment : world.payments) sum += payment.amount;
    for (const Order& order : world.orders) sum += order.paid;
    return sum;
  };
  const std::int64_t before = total();
  Rng rng({.purpose = hash_name("apiworld money")});
  const std::vector<std::string> names{"checking", "savings", "joint", "none"};
  for (int i = 0; i < 3000; ++i) {
    const double amount = static_cast<double>(rng.integer(-100, 3000)) / 100;
    const int id = static_cast<int>(rng.integer(1, world.next_id));
    const std::vector<ToolCall> calls{
        {"",
         "transfer_money",
         {{"from_account", rng.choice(names)},
          {"to_account", rng.choice(names)},
          {"amount", amount}}},
        {"", "pay", {{"account", rng.choice(names)}, {"payee", "Leon"}, {"amount", amount}}},
        {"", "place_order", {{"product", "oak shelf"}, {"quantity", rng.integer(-1, 3)}}},
        {"", "cancel_order", {{"order_id", id}}}};
    (void)execute(world, kAll, rng.choice(calls));
    ASSERT_EQ(total(), before);
    for (const Account& account : world.accounts) ASSERT_GE(account.balance, 0);
    for (const Product& product : world.products) ASSERT_GE(product.stock, 0);
  }
}

TEST(ApiworldServices, EssenceLeavesOutWhatDoesNotMatter) {
  World other = small_world();
  other.events[0].id = 77;
  std::swap(other.messages[0], other.messages[1]);
  other.messages[1].text = " HELLO.";
  EXPECT_EQ(essence(other), essence(small_world()));
  other.files[0].text = "Text A";
  EXPECT_NE(essence(other), essence(small_world()));
}

// --- Words are enough.

// "Sunday, 14 March 2027" → "2027-03-14".
std::string iso(const std::string& words) {
  static const std::vector<std::string> kMonths{"January",   "February", "March",    "April",
                                                "May",       "June",     "July",     "August",
                                                "September", "October",  "November", "December"};
  std::smatch part;
  EXPECT_TRUE(std::regex_search(words, part, std::regex(R"((\d+) (\w+) (\d{4}))"))) << words;
  const auto month = std::ranges::find(kMonths, part[2].str()) - kMonths.begin() + 1;
  return fmt::format("{}-{:02}-{:02}", part[3].str(), month, std::stoi(part[1].str()));
}

int minutes(const std::string& time) {
  return 60 * std::stoi(time.substr(0, 2)) + std::stoi(time.substr(3));
}
std::string clock(int minutes) { return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60); }

// An assistant that knows nothing but the words and what the tools answer.
class Reader {
 public:
  explicit Reader(Episode& episode, std::string user) : episode_(episode), user_(std::move(user)) {}

  void fulfil(const std::string& text) {
    const std::string name = "([A-Z][a-z]+ [A-Z][a-z]+)", day = "(\\w+, \\d+ \\w+ \\d{4})",
                      money = "(\\d+\\.\\d\\d)", word = "\"([^\"]*)\"";
    std::smatch m;
    const auto is = [&](const std::string& form) {
      return std::regex_match(text, m, std::regex(form));
    };
    if (is("Enter the event " + word + " in my calendar on " + day + ", from (.*) to (.*)\\.")) {
      create(m[1], iso(m[2]), m[3], m[4]);
    } else if (is("Enter the event " + word + " of (\\d+) minutes in my calendar on " + day +
                  ", as early as it fits.*")) {
      const int length = std::stoi(m[2]);
      for (int start = 480;; start += 30) {
        if (free(iso(m[3]), start, start + length)) {
          create(m[1], iso(m[3]), clock(start), clock(start + length));
          break;
        }
      }
    } else if (is("Move my event " + word + " from " + day + " to " + day + ", at the same.*")) {
      for (const Json& e : ask("list_events", {{"date", iso(m[2])}})) {
        if (e["title"] == m[1].str())
          ask("move_event",
              {{"event_id", e["event_id"]}, {"date", iso(m[3])}, {"start", e["start"]}});
      }
    } else if (is("Delete all events on " + day + " that I organize, and no others\\.")) {
      for (const Json& e : ask("list_events", {{"date", iso(m[1])}})) {
        if (e["organizer"] == user_) ask("delete_event", {{"event_id", e["event_id"]}});
      }
    } else if (is("Move " + money + " euros from my (\\w+) account to my (\\w+) account\\.")) {
      transfer(m[2], m[3], std::stod(m[1]));
    } else if (is("Pay " + name + " " + money + " euros from my checking account\\.(.*)")) {
      if (m[3].length() > 0 && balance("checking") < std::stod(m[2]))
        transfer("savings", "checking", std::stod(m[2]) - balance("checking"));
      pay(m[1], std::stod(m[2]));
    } else if (is("Pay " + name + " from my checking account, as much as the message.*")) {
      std::smatch owed;
      for (const Json& mail : ask("list_messages", Json::object())) {
        const std::string body = mail["text"];
        if (mail["from"] == m[1].str() &&
            std::regex_search(body, owed, std::regex("Please pay me " + money)))
          pay(m[1], std::stod(owed[1]));
      }
    } else if (is("Order (\\d+) pieces? of the product " + word + "\\.")) {
      ask("place_order", {{"product", m[2].str()}, {"quantity", std::stoi(m[1])}});
    } else if (is("Order (\\d+) pieces? of the cheapest product in the category " + word + ".*")) {
      std::map<double, Json> by_price;
      for (const Json& p : ask("search_products", {{"category", m[2].str()}})) {
        if (p["stock"] >= std::stoi(m[1])) by_price[std::stod(p["price"].get<std::string>())] = p;
      }
      ask("place_order",
          {{"product", by_price.begin()->second["product"]}, {"quantity", std::stoi(m[1])}});
    } else if (is("Cancel my order of the product " + word + "\\.")) {
      for (const Json& order : ask("list_orders", Json::object())) {
        if (order["product"] == m[1].str()) ask("cancel_order", {{"order_id", order["order_id"]}});
      }
    } else if (is("Send " + name + " the message " + word + "\\.")) {
      send(m[1], m[2]);
    } else if (is("Delete all messages that I received from " + name + "\\.")) {
      for (const Json& mail : ask("list_messages", Json::object())) {
        if (mail["from"] == m[1].str()) ask("delete_message", {{"message_id", mail["message_id"]}});
      }
    } else if (is("Send " + name + " a message with nothing but the time at which the event " +
                  word + " on " + day + " begins, as HH:MM\\.")) {
      for (const Json& e : ask("list_events", {{"date", iso(m[3])}})) {
        if (e["title"] == m[2].str()) send(m[1], e["start"]);
      }
    } else if (is("Send " + name + " a message with nothing but the balance of my (\\w+) .*")) {
      send(m[1], fmt::format("{:.2f}", balance(m[2])));
    } else if (is("Move all files of the folder " + word + " whose names end in " + word +
                  " to the folder " + word + "; those that are locked stay\\.")) {
      for (const Json& file : ask("list_files", {{"folder", m[1].str()}})) {
        if (file["name"].get<std::string>().ends_with(m[2].str()) && !file["locked"].get<bool>())
          ask("move_file",
              {{"folder", m[1].str()}, {"name", file["name"]}, {"to_folder", m[3].str()}});
      }
    } else if (is("Delete the file " + word + " in the folder " + word + "\\.")) {
      ask("delete_file", {{"folder", m[2].str()}, {"name", m[1].str()}});
    } else if (is("Send " + name + " the text of the file " + word + " in the folder " + word +
                  " as a message, word for word\\.")) {
      send(m[1], ask("read_file", {{"folder", m[3].str()}, {"name", m[2].str()}})["text"]);
    } else {
      ADD_FAILURE() << "no assistant could read: " << text;
    }
  }

 private:
  Json ask(const std::string& tool, Json arguments) {
    const Observation seen = episode_.step(calling(tool, std::move(arguments)));
    EXPECT_FALSE(seen.done()) << "too many turns";
    if (seen.messages.empty()) return Json::array();
    const auto answer = parse_json(seen.messages[0].content);
    EXPECT_TRUE(answer.has_value()) << tool << ": " << seen.messages[0].content;
    return answer ? *answer : Json::array();
  }
  void create(const std::string& title, const std::string& date, const std::string& start,
              const std::string& end) {
    ask("create_event", {{"title", title}, {"date", date}, {"start", start}, {"end", end}});
  }
  bool free(const std::string& date, int start, int end) {
    if (!days_.contains(date)) days_[date] = ask("list_events", {{"date", date}});
    return std::ranges::all_of(days_[date], [&](const Json& e) {
      return minutes(e["end"]) <= start || end <= minutes(e["start"]);
    });
  }
  double balance(const std::string& account) {
    for (const Json& a : ask("list_accounts", Json::object())) {
      if (a["account"] == account) return std::stod(a["balance"].get<std::string>());
    }
    return -1;
  }
  void transfer(const std::string& from, const std::string& to, double amount) {
    ask("transfer_money",
        {{"from_account", from}, {"to_account", to}, {"amount", std::round(amount * 100) / 100}});
  }
  void pay(const std::string& payee, double amount) {
    ask("pay", {{"account", "checking"}, {"payee", payee}, {"amount", amount}});
  }
  void send(const std::string& to, const std::string& text) {
    ask("send_message", {{"to", to}, {"text", text}});
  }

  Episode& episode_;
  std::string user_;
  std::map<std::string, Json> days_;
};

// Tasks of one user's message.
std::vector<std::string> tasks_of(const std::string& message) {
  std::vector<std::string> tasks;
  const std::regex numbered(R"(\n\d+\. ([^\n]*))");
  for (std::sregex_iterator it(message.begin(), message.end(), numbered), end; it != end; ++it)
    tasks.push_back((*it)[1]);
  if (tasks.empty()) tasks.push_back(message.substr(message.rfind('\n') + 1));
  return tasks;
}

TEST(Apiworld, CanBeSolvedFromItsWordsAndToolsAlone) {
  std::map<std::string, int> kinds;
  std::map<bool, int> at_once;
  for (int level = 0; level <= environment().card().max_level; ++level) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(fmt::format("level {}, seed {}", level, seed));
      const ProblemPtr problem = problem_at(level, seed);
      const Json parameter = problem->parameter();
      ++at_once[parameter["at_once"].get<bool>()];
      for (const Json& goal : parameter["goals"]) ++kinds[goal["kind"].get<std::string>()];
      const auto episode = problem->start({});
      Observation seen = episode->begin();
      while (!seen.done()) {
        for (const std::string& task : tasks_of(seen.messages.back().content))
          Reader(*episode, parameter["world"]["user"].get<std::string>()).fulfil(task);
        seen = episode->step({.text = "Done."});
      }
      EXPECT_TRUE(episode->verdict().solved) << problem->prompt() << "\n" << seen.info;
    }
  }
  EXPECT_EQ(kinds.size(), goal_kinds().size());
  for (const auto& [kind, count] : kinds) EXPECT_GT(count, 3) << kind;
  EXPECT_GT(at_once[true], 50);
  EXPECT_GT(at_once[false], 50);
}

// --- What else happens.

TEST(Apiworld, WhatIsLeftOutOrAddedFails) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const int level = static_cast<int>(seed % 16);
    const ProblemPtr problem = problem_at(level, seed);
    const std::vector<Action> right = problem->reference_actions({});
    ASSERT_TRUE(solves(*problem, right));
    for (std::size_t t = 0; t < right.size(); ++t) {
      for (std::size_t c = 0; c < right[t].tool_calls.size(); ++c) {
        std::vector<Action> turns = right;
        turns[t].tool_calls.erase(turns[t].tool_calls.begin() + static_cast<std::ptrdiff_t>(c));
        if (turns[t].tool_calls.empty())
          turns.erase(turns.begin() + static_cast<std::ptrdiff_t>(t));
        EXPECT_FALSE(solves(*problem, turns)) << "without call " << c << " of turn " << t;
      }
      std::vector<Action> turns = right;
      turns[t] = {};
      EXPECT_FALSE(solves(*problem, turns));
    }
    // Looking around changes nothing; a side effect does.
    const Json parameter = problem->parameter();
    const auto with = [&](Action first) {
      std::vector<Action> turns = right;
      turns.insert(turns.begin(), std::move(first));
      return solves(*problem, turns);
    };
    for (const Json& service : parameter["services"]) {
      if (service == "messages") {
        EXPECT_TRUE(with(calling("list_messages", Json::object())));
        EXPECT_FALSE(with(calling("send_message", {{"to", "Leon Marsh"}, {"text", "by the way"}})));
      } else if (service == "bank") {
        EXPECT_TRUE(with(calling("list_accounts", Json::object())));
        EXPECT_FALSE(with(calling("pay", {{"account", "savings"}, {"payee", "A"}, {"amount", 1}})));
      } else if (service == "calendar") {
        EXPECT_TRUE(with(calling("list_events", {{"date", parameter["today"]}})));
        EXPECT_FALSE(with(calling("create_event", {{"title", "nap"},
                                                   {"date", parameter["today"]},
                                                   {"start", "08:00"},
                                                   {"end", "08:15"}})));
      }
    }
    EXPECT_TRUE(with(calling("no_such_tool", Json::object())));
  }
}

// What a goal says decides: another value that can be asked for is asked for in other words.
TEST(Apiworld, AnotherGoalReadsDifferently) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const ProblemPtr problem = problem_at(4, seed);
    const Json parameter = problem->parameter();
    const Json other = problem_at(4, seed + 1000)->parameter();
    for (const auto& [key, value] : parameter["goals"][0].items()) {
      Json changed = parameter;
      changed["goals"][0][key] =
          value.is_number() ? Json(value.get<std::int64_t>() + 30) : other["goals"][0][key];
      const auto near = environment().restore(changed);
      if (!near || changed == parameter) continue;
      if (solves(*problem, (*near)->reference_actions({}))) continue;  // the key is not used
      EXPECT_NE((*near)->prompt(), problem->prompt()) << key;
      ++compared;
    }
  }
  EXPECT_GT(compared, 30);
}

TEST(Apiworld, RefusesWorldsThatBreakTheRules) {
  const ProblemPtr problem = problem_at(3, 1);
  const Json parameter = problem->parameter();
  const auto refused = [&](const std::string& pointer, const Json& value) {
    Json changed = parameter;
    changed[Json::json_pointer(pointer)] = value;
    const auto restored = environment().restore(changed);
    EXPECT_FALSE(restored.has_value()) << pointer << dump_json(value);
  };
  refused("/today", "soon");
  refused("/services/0", "weather");
  refused("/world/accounts/0/balance", -1);
  refused("/world/products/0/stock", -1);
  refused("/world/products/0/name", "a \"b\"");
  refused("/world/events/0/end", 2000);
  refused("/world/messages/0/id", parameter["world"]["events"][0]["id"]);
  refused("/world/next_id", 1);
  refused("/goals", Json::array());
  refused("/goals/0/kind", "nothing");
}

// CPU time, so that a busy machine does not count.
TEST(Apiworld, AnswersThousandsOfTurnsASecond) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "only in release builds";
#endif
  for (const int level : {0, 5, environment().card().max_level}) {
    const double rate = steps_per_second(environment(), level, 100);
    RecordProperty(fmt::format("level_{}", level), fmt::format("{:.0f} steps/s", rate));
    EXPECT_GT(rate, 5000.0) << "level " << level;
  }
}

TEST(Apiworld, AnswersHostileTurns) {
  const ProblemPtr problem = problem_at(6, 2);
  const EpisodeOptions wide{.max_response_bytes = std::size_t{1} << 24};
  {
    const auto episode = problem->start(wide);
    const auto tools = episode->begin().tools;
    for (const ToolSpec& tool : tools) {
      Json huge = Json::object();
      for (const auto& [key, schema] : tool.parameters["properties"].items())
        huge[key] = std::string(1'000'000, 'x');
      const Observation seen = episode->step(calling(tool.name, huge));
      if (seen.done()) break;
      if (huge.empty()) continue;
      EXPECT_THAT(seen.messages[0].content, testing::StartsWith("error: "));
      EXPECT_LT(seen.messages[0].content.size(), 1000u);
    }
  }
  {  // an endless loop of calls is cut
    const auto episode = problem->start({});
    episode->begin();
    int turns = 0;
    for (Observation seen; !seen.done(); ++turns)
      seen = episode->step(calling("list_nothing", Json::object()));
    EXPECT_EQ(turns, problem->max_turns());
    EXPECT_EQ(episode->verdict().reward, 0.0);
  }
  {  // and so is a turn of many
    const auto episode = problem->start(wide);
    episode->begin();
    const Observation seen =
        episode->step({.tool_calls = std::vector<ToolCall>(10'000, ToolCall{.name = "x"})});
    EXPECT_LE(seen.messages.size(), 17u);
  }
  EXPECT_EQ(problem->score(transcript(std::vector<Action>{{}})), Verdict{});
}

}  // namespace
}  // namespace redqueen::apiworld
