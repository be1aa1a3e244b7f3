// The services of the world apiworld: a calendar, a bank, a shop, messages and files, with the
// rules that real ones have, and the tools that work on them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/fields.h"
#include "redqueen/base/json.h"
#include "redqueen/core/episode.h"

namespace redqueen::apiworld {

// Times are minutes since midnight, amounts are cents.

struct Event {
  int id = 0;
  std::string title;
  std::string date;
  int start = 0;
  int end = 0;
  std::string organizer;  // only that person may move or delete it
  REDQUEEN_FIELDS(id, title, date, start, end, organizer)
};

struct Account {
  std::string name;
  std::int64_t balance = 0;  // never below 0
  bool locked = false;       // others must sign as well: it pays nothing out by a call
  REDQUEEN_FIELDS(name, balance, locked)
};

struct Payment {
  std::string account;
  std::string payee;
  std::int64_t amount = 0;
  REDQUEEN_FIELDS(account, payee, amount)
};

struct Product {
  std::string name;
  std::string category;
  std::int64_t price = 0;
  int stock = 0;
  REDQUEEN_FIELDS(name, category, price, stock)
};

struct Order {
  int id = 0;
  std::string product;
  int quantity = 0;
  std::int64_t paid = 0;
  REDQUEEN_FIELDS(id, product, quantity, paid)
};

struct Mail {
  int id = 0;
  std::string from;
  std::string to;
  std::string text;
  REDQUEEN_FIELDS(id, from, to, text)
};

struct File {
  std::string folder;
  std::string name;
  std::string text;
  bool locked = false;  // it can be read, and nothing else
  REDQUEEN_FIELDS(folder, name, text, locked)
};

struct World {
  std::string user;
  std::vector<Event> events;  // of the user's calendar; no two overlap
  std::vector<Account> accounts;
  std::vector<Payment> payments;
  std::vector<Product> products;
  std::vector<Order> orders;
  std::vector<Mail> messages;
  std::vector<File> files;
  int next_id = 1;
  REDQUEEN_FIELDS(user, events, accounts, payments, products, orders, messages, files, next_id)
};

inline constexpr std::string_view kServices[] = {"messages", "calendar", "bank", "shop", "files"};
inline constexpr std::string_view kPayingAccount = "checking";  // what orders are paid from
inline constexpr int kDayStart = 8 * 60;                        // the calendar's day
inline constexpr int kDayEnd = 20 * 60;
inline constexpr std::size_t kLongestText = 2000;  // of an argument
inline constexpr std::size_t kMostEntries = 200;   // of a list of the world

// The tools of these services, in a fixed order.
std::vector<ToolSpec> tools_of(std::span<const std::string> services);

// Does what a call asks for. The answer is JSON, or an error that says which rule was broken;
// nothing changes then. Tools that are not of `services` do not exist.
Expected<Json> execute(World& world, std::span<const std::string> services, const ToolCall& call);

// Equal for two worlds that are alike: identifiers, the order of entries, and letter case, white
// space and a last full stop in texts of messages do not count.
std::string essence(const World& world);

// The records that the tools look up, for plans and checks. nullptr: there is none.
const Event* find_event(const World& world, std::string_view title, std::string_view date);
const Account* find_account(const World& world, std::string_view name);
// True if the user's calendar is free in [start, end) but for the event `except`.
bool is_free(const World& world, std::string_view date, int start, int end, int except = 0);

// "12.50" of 1250 cents.
std::string euros(std::int64_t cents);

}  // namespace redqueen::apiworld
