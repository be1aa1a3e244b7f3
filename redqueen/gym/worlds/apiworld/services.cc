#include "redqueen/gym/worlds/apiworld/services.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "redqueen/base/format.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/tool.h"
#include "redqueen/gym/common/worlds/dates.h"

namespace redqueen::apiworld {
namespace {

// ------------------------------------------------------------------------------------------------
// Arguments.

struct NoArguments {
  REDQUEEN_FIELDS()
};
struct OnDate {
  std::string date;
  REDQUEEN_FIELDS(date)
};
struct NewEvent {
  std::string title, date, start, end;
  REDQUEEN_FIELDS(title, date, start, end)
};
struct EventMove {
  int event_id = 0;
  std::string date, start;
  REDQUEEN_FIELDS(event_id, date, start)
};
struct EventId {
  int event_id = 0;
  REDQUEEN_FIELDS(event_id)
};
struct MoneyTransfer {
  std::string from_account, to_account;
  double amount = 0;
  REDQUEEN_FIELDS(from_account, to_account, amount)
};
struct Pay {
  std::string account, payee;
  double amount = 0;
  REDQUEEN_FIELDS(account, payee, amount)
};
struct InCategory {
  std::string category;
  REDQUEEN_FIELDS(category)
};
struct NewOrder {
  std::string product;
  int quantity = 0;
  REDQUEEN_FIELDS(product, quantity)
};
struct OrderId {
  int order_id = 0;
  REDQUEEN_FIELDS(order_id)
};
struct NewMessage {
  std::string to, text;
  REDQUEEN_FIELDS(to, text)
};
struct MessageId {
  int message_id = 0;
  REDQUEEN_FIELDS(message_id)
};
struct InFolder {
  std::string folder;
  REDQUEEN_FIELDS(folder)
};
struct OneFile {
  std::string folder, name;
  REDQUEEN_FIELDS(folder, name)
};
struct FileMove {
  std::string folder, name, to_folder;
  REDQUEEN_FIELDS(folder, name, to_folder)
};

// As from_json, but nothing unknown, and no text beyond what a service stores.
template <typename Arguments>
Expected<Arguments> read_arguments(const Json& given) {
  ASSIGN_OR_RETURN(Arguments arguments, from_json<Arguments>(given));
  std::set<std::string_view> known;
  Arguments::visit_fields(arguments, [&](std::string_view key, auto&) { known.insert(key); });
  for (const auto& [key, value] : given.items()) {
    if (!known.contains(key)) {
      return failure("there is no argument \"{}\"; the arguments are: {}",
                     std::string_view(key).substr(0, 80), fmt::join(known, ", "));
    }
    if (value.is_string() && value.template get_ref<const std::string&>().size() > kLongestText)
      return failure("\"{}\" is longer than {} bytes", key, kLongestText);
  }
  return arguments;
}

Expected<std::string> checked_date(const std::string& date) {
  if (worlds::parse_day(date)) return date;
  return failure("\"{}\" is no date as YYYY-MM-DD", date);
}

Expected<int> checked_time(const std::string& text) {
  const auto time = worlds::parse_time(text);
  if (!time) return failure("\"{}\" is no time of day as HH:MM", text);
  return *time;
}

// Cents of a positive amount in euros.
Expected<std::int64_t> checked_amount(double amount) {
  constexpr double kMost = 1e9;
  if (!(amount > 0 && amount <= kMost)) return failure("the amount must be positive");
  const double cents = std::round(amount * 100);
  if (std::abs(cents - amount * 100) > 1e-6)
    return failure("the amount may have two decimals at most");
  return static_cast<std::int64_t>(cents);
}

Status has_room(std::size_t entries) {
  if (entries < kMostEntries) return {};
  return failure("the service is full: it stores {} entries", kMostEntries);
}

// ------------------------------------------------------------------------------------------------
// Calendar.

Json event_json(const Event& event) {
  return {{"event_id", event.id},
          {"title", event.title},
          {"date", event.date},
          {"start", worlds::format_time(event.start)},
          {"end", worlds::format_time(event.end)},
          {"organizer", event.organizer}};
}

// Why nothing can be in the calendar at that time; nothing: it can.
Status check_slot(const World& world, const std::string& date, int start, int end, int except) {
  if (start < kDayStart || end > kDayEnd || start >= end) {
    return failure("events lie between {} and {} and end after they start",
                   worlds::format_time(kDayStart), worlds::format_time(kDayEnd));
  }
  for (const Event& event : world.events) {
    if (event.id != except && event.date == date && event.start < end && start < event.end)
      return failure("it overlaps with event {}, \"{}\"", event.id, event.title);
  }
  return {};
}

// The event, if the user may change it.
Expected<Event*> own_event(World& world, int id) {
  const auto found = std::ranges::find(world.events, id, &Event::id);
  if (found == world.events.end()) return failure("there is no event {}", id);
  if (found->organizer != world.user) {
    return failure("permission denied: event {} is organized by {}", id, found->organizer);
  }
  return &*found;
}

Expected<Json> list_events(World& world, const OnDate& arguments) {
  ASSIGN_OR_RETURN(const std::string date, checked_date(arguments.date));
  std::vector<const Event*> found;
  for (const Event& event : world.events) {
    if (event.date == date) found.push_back(&event);
  }
  std::ranges::sort(found, {}, [](const Event* event) { return event->start; });
  Json list = Json::array();
  for (const Event* event : found) list.push_back(event_json(*event));
  return list;
}

Expected<Json> create_event(World& world, const NewEvent& arguments) {
  RETURN_IF_ERROR(has_room(world.events.size()));
  ASSIGN_OR_RETURN(const std::string date, checked_date(arguments.date));
  ASSIGN_OR_RETURN(const int start, checked_time(arguments.start));
  ASSIGN_OR_RETURN(const int end, checked_time(arguments.end));
  RETURN_IF_ERROR(check_slot(world, date, start, end, 0));
  world.events.push_back({world.next_id++, arguments.title, date, start, end, world.user});
  return event_json(world.events.back());
}

Expected<Json> move_event(World& world, const EventMove& arguments) {
  ASSIGN_OR_RETURN(Event * event, own_event(world, arguments.event_id));
  ASSIGN_OR_RETURN(const std::string date, checked_date(arguments.date));
  ASSIGN_OR_RETURN(const int start, checked_time(arguments.start));
  const int end = start + event->end - event->start;
  RETURN_IF_ERROR(check_slot(world, date, start, end, event->id));
  event->date = date;
  event->start = start;
  event->end = end;
  return event_json(*event);
}

Expected<Json> delete_event(World& world, const EventId& arguments) {
  RETURN_IF_ERROR(own_event(world, arguments.event_id));
  std::erase_if(world.events, [&](const Event& event) { return event.id == arguments.event_id; });
  return Json{{"status", "deleted"}};
}

// ------------------------------------------------------------------------------------------------
// Bank.

// The account, if it can pay so much.
Expected<Account*> paying_account(World& world, const std::string& name, std::int64_t amount) {
  const auto found = std::ranges::find(world.accounts, name, &Account::name);
  if (found == world.accounts.end()) return failure("there is no account \"{}\"", name);
  if (found->locked)
    return failure("permission denied: the account \"{}\" needs a second signature", name);
  if (found->balance < amount) {
    return failure("the account \"{}\" has only {} euros", name, euros(found->balance));
  }
  return &*found;
}

Expected<Json> list_accounts(World& world, const NoArguments&) {
  Json list = Json::array();
  for (const Account& account : world.accounts) {
    list.push_back({{"account", account.name},
                    {"balance", euros(account.balance)},
                    {"locked", account.locked}});
  }
  return list;
}

Expected<Json> transfer_money(World& world, const MoneyTransfer& arguments) {
  ASSIGN_OR_RETURN(const std::int64_t amount, checked_amount(arguments.amount));
  const auto to = std::ranges::find(world.accounts, arguments.to_account, &Account::name);
  if (to == world.accounts.end())
    return failure("there is no account \"{}\"", arguments.to_account);
  if (arguments.from_account == arguments.to_account)
    return failure("the two accounts are the same");
  ASSIGN_OR_RETURN(Account * from, paying_account(world, arguments.from_account, amount));
  from->balance -= amount;
  to->balance += amount;
  return Json{{"status", "done"}, {"balance", euros(from->balance)}};
}

Expected<Json> pay(World& world, const Pay& arguments) {
  RETURN_IF_ERROR(has_room(world.payments.size()));
  ASSIGN_OR_RETURN(const std::int64_t amount, checked_amount(arguments.amount));
  ASSIGN_OR_RETURN(Account * from, paying_account(world, arguments.account, amount));
  from->balance -= amount;
  world.payments.push_back({arguments.account, arguments.payee, amount});
  return Json{{"status", "done"}, {"balance", euros(from->balance)}};
}

// ------------------------------------------------------------------------------------------------
// Shop.

Expected<Json> search_products(World& world, const InCategory& arguments) {
  Json list = Json::array();
  for (const Product& product : world.products) {
    if (product.category != arguments.category) continue;
    list.push_back(
        {{"product", product.name}, {"price", euros(product.price)}, {"stock", product.stock}});
  }
  return list;
}

Expected<Json> place_order(World& world, const NewOrder& arguments) {
  RETURN_IF_ERROR(has_room(world.orders.size()));
  const auto product = std::ranges::find(world.products, arguments.product, &Product::name);
  if (product == world.products.end())
    return failure("there is no product \"{}\"", arguments.product);
  if (arguments.quantity < 1) return failure("the quantity must be 1 or more");
  if (arguments.quantity > product->stock)
    return failure("only {} of \"{}\" are in stock", product->stock, product->name);
  const std::int64_t price = product->price * arguments.quantity;
  ASSIGN_OR_RETURN(Account * from, paying_account(world, std::string(kPayingAccount), price));
  from->balance -= price;
  product->stock -= arguments.quantity;
  world.orders.push_back({world.next_id++, product->name, arguments.quantity, price});
  return Json{{"order_id", world.orders.back().id}, {"paid", euros(price)}};
}

Expected<Json> list_orders(World& world, const NoArguments&) {
  Json list = Json::array();
  for (const Order& order : world.orders) {
    list.push_back({{"order_id", order.id},
                    {"product", order.product},
                    {"quantity", order.quantity},
                    {"paid", euros(order.paid)}});
  }
  return list;
}

Expected<Json> cancel_order(World& world, const OrderId& arguments) {
  const auto order = std::ranges::find(world.orders, arguments.order_id, &Order::id);
  if (order == world.orders.end()) return failure("there is no order {}", arguments.order_id);
  const auto account = std::ranges::find(world.accounts, kPayingAccount, &Account::name);
  const auto product = std::ranges::find(world.products, order->product, &Product::name);
  if (account != world.accounts.end()) account->balance += order->paid;
  if (product != world.products.end()) product->stock += order->quantity;
  const Json reply{{"status", "canceled"}, {"refunded", euros(order->paid)}};
  world.orders.erase(order);
  return reply;
}

// ------------------------------------------------------------------------------------------------
// Messages.

Expected<Json> list_messages(World& world, const NoArguments&) {
  Json list = Json::array();
  for (const Mail& mail : world.messages) {
    list.push_back(
        {{"message_id", mail.id}, {"from", mail.from}, {"to", mail.to}, {"text", mail.text}});
  }
  return list;
}

Expected<Json> send_message(World& world, const NewMessage& arguments) {
  RETURN_IF_ERROR(has_room(world.messages.size()));
  if (trim(arguments.to).empty()) return failure("nobody to send it to");
  world.messages.push_back({world.next_id++, world.user, arguments.to, arguments.text});
  return Json{{"status", "sent"}, {"message_id", world.messages.back().id}};
}

Expected<Json> delete_message(World& world, const MessageId& arguments) {
  const auto mail = std::ranges::find(world.messages, arguments.message_id, &Mail::id);
  if (mail == world.messages.end()) return failure("there is no message {}", arguments.message_id);
  // What was sent stays on record, so that no call undoes it.
  if (mail->from == world.user)
    return failure("permission denied: a message that you sent cannot be deleted");
  world.messages.erase(mail);
  return Json{{"status", "deleted"}};
}

// ------------------------------------------------------------------------------------------------
// Files.

std::vector<File>::iterator file_at(World& world, std::string_view folder, std::string_view name) {
  return std::ranges::find_if(
      world.files, [&](const File& file) { return file.folder == folder && file.name == name; });
}

// The file, if it may be changed.
Expected<File*> unlocked_file(World& world, const std::string& folder, const std::string& name) {
  const auto file = file_at(world, folder, name);
  if (file == world.files.end())
    return failure("there is no file \"{}\" in the folder \"{}\"", name, folder);
  if (file->locked) return failure("permission denied: the file \"{}\" is locked", name);
  return &*file;
}

Expected<Json> list_files(World& world, const InFolder& arguments) {
  Json list = Json::array();
  for (const File& file : world.files) {
    if (file.folder == arguments.folder)
      list.push_back({{"name", file.name}, {"locked", file.locked}});
  }
  return list;
}

Expected<Json> read_file(World& world, const OneFile& arguments) {
  const auto file = file_at(world, arguments.folder, arguments.name);
  if (file == world.files.end()) {
    return failure("there is no file \"{}\" in the folder \"{}\"", arguments.name,
                   arguments.folder);
  }
  return Json{{"text", file->text}};
}

Expected<Json> move_file(World& world, const FileMove& arguments) {
  ASSIGN_OR_RETURN(File * file, unlocked_file(world, arguments.folder, arguments.name));
  if (arguments.to_folder.empty() ||
      std::ranges::any_of(arguments.to_folder, [](char c) { return c < ' ' || c > '~'; })) {
    return failure("the name of a folder has printable characters alone");
  }
  if (file_at(world, arguments.to_folder, arguments.name) != world.files.end()) {
    return failure("the folder \"{}\" has a file \"{}\" already", arguments.to_folder,
                   arguments.name);
  }
  file->folder = arguments.to_folder;
  return Json{{"status", "moved"}};
}

Expected<Json> delete_file(World& world, const OneFile& arguments) {
  RETURN_IF_ERROR(unlocked_file(world, arguments.folder, arguments.name));
  world.files.erase(file_at(world, arguments.folder, arguments.name));
  return Json{{"status", "deleted"}};
}

// ------------------------------------------------------------------------------------------------
// The table of tools.

struct Entry {
  std::string_view service;
  ToolSpec spec;
  Expected<Json> (*run)(World& world, const Json& arguments);
};

template <typename Arguments, Expected<Json> (*kRun)(World&, const Arguments&)>
Entry entry(std::string_view service, std::string name, std::string description,
            const std::map<std::string, std::string>& meanings = {}) {
  return {service, tool<Arguments>(std::move(name), std::move(description), meanings),
          [](World& world, const Json& given) -> Expected<Json> {
            ASSIGN_OR_RETURN(const Arguments arguments, read_arguments<Arguments>(given));
            return kRun(world, arguments);
          }};
}

std::vector<Entry> make_entries() {
  const std::map<std::string, std::string> date{{"date", "as YYYY-MM-DD"}};
  const std::map<std::string, std::string> money{{"amount", "in euros"}};
  return {
      entry<NoArguments, list_messages>("messages", "list_messages",
                                        "Lists all messages, received and sent."),
      entry<NewMessage, send_message>("messages", "send_message", "Sends a message to a person.",
                                      {{"to", "full name"}}),
      entry<MessageId, delete_message>("messages", "delete_message",
                                       "Deletes a message that was received."),
      entry<OnDate, list_events>("calendar", "list_events",
                                 "Lists the events of a day, earliest first.", date),
      entry<NewEvent, create_event>(
          "calendar", "create_event", "Enters an event; it must not overlap with another.",
          {{"date", "as YYYY-MM-DD"}, {"start", "as HH:MM"}, {"end", "as HH:MM"}}),
      entry<EventMove, move_event>(
          "calendar", "move_event",
          "Moves an event that you organize to another time; it keeps its length.",
          {{"date", "as YYYY-MM-DD"}, {"start", "as HH:MM"}}),
      entry<EventId, delete_event>("calendar", "delete_event",
                                   "Deletes an event that you organize."),
      entry<NoArguments, list_accounts>("bank", "list_accounts",
                                        "Lists your accounts with their balances in euros."),
      entry<MoneyTransfer, transfer_money>(
          "bank", "transfer_money", "Moves money from one of your accounts to another.", money),
      entry<Pay, pay>("bank", "pay", "Pays a person from one of your accounts.",
                      {{"amount", "in euros"}, {"payee", "full name"}}),
      entry<InCategory, search_products>("shop", "search_products",
                                         "Lists the products of a category with price and stock."),
      entry<NewOrder, place_order>("shop", "place_order",
                                   "Orders a product; the checking account pays."),
      entry<NoArguments, list_orders>("shop", "list_orders", "Lists your orders."),
      entry<OrderId, cancel_order>("shop", "cancel_order",
                                   "Cancels an order; the checking account is refunded."),
      entry<InFolder, list_files>("files", "list_files", "Lists the files of a folder."),
      entry<OneFile, read_file>("files", "read_file", "Reads a file."),
      entry<FileMove, move_file>("files", "move_file",
                                 "Moves a file that is not locked to another folder."),
      entry<OneFile, delete_file>("files", "delete_file", "Deletes a file that is not locked.")};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries = make_entries();
  return kEntries;
}

bool offered(const Entry& entry, std::span<const std::string> services) {
  return std::ranges::find(services, entry.service) != services.end();
}

// Words in lower case with one space between them, without a last full stop.
std::string folded(std::string_view text) {
  std::string plain;
  for (const std::string_view word : split_words(text)) {
    if (!plain.empty()) plain += ' ';
    for (const char c : word) plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (plain.ends_with('.')) plain.pop_back();
  return plain;
}

}  // namespace

std::vector<ToolSpec> tools_of(std::span<const std::string> services) {
  std::vector<ToolSpec> tools;
  for (const Entry& entry : entries()) {
    if (offered(entry, services)) tools.push_back(entry.spec);
  }
  return tools;
}

Expected<Json> execute(World& world, std::span<const std::string> services, const ToolCall& call) {
  for (const Entry& entry : entries()) {
    if (entry.spec.name == call.name && offered(entry, services))
      return entry.run(world, call.arguments);
  }
  std::vector<std::string_view> names;
  for (const Entry& entry : entries()) {
    if (offered(entry, services)) names.push_back(entry.spec.name);
  }
  return failure("there is no tool \"{}\"; the tools are: {}",
                 std::string_view(call.name).substr(0, 80), fmt::join(names, ", "));
}

std::string essence(const World& world) {
  // Fields stand apart by a character that is white space, as lines do. What a call may set freely
  // is folded or printable, so that no text passes for two fields.
  std::vector<std::string> lines;
  const auto add = [&](const auto&... fields) {
    std::string line;
    (append_format(line, "{}\x1f", fields), ...);
    lines.push_back(std::move(line));
  };
  for (const Event& e : world.events)
    add("event", folded(e.title), e.date, e.start, e.end, e.organizer);
  for (const Account& a : world.accounts) add("account", a.name, a.balance);
  for (const Payment& p : world.payments) add("payment", p.account, folded(p.payee), p.amount);
  for (const Product& p : world.products) add("product", p.name, p.stock);
  for (const Order& o : world.orders) add("order", o.product, o.quantity, o.paid);
  for (const Mail& m : world.messages) add("message", folded(m.from), folded(m.to), folded(m.text));
  for (const File& f : world.files) add("file", f.folder, f.name, f.text);
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

const Event* find_event(const World& world, std::string_view title, std::string_view date) {
  const auto found = std::ranges::find_if(
      world.events, [&](const Event& event) { return event.title == title && event.date == date; });
  return found == world.events.end() ? nullptr : &*found;
}

const Account* find_account(const World& world, std::string_view name) {
  const auto found = std::ranges::find(world.accounts, name, &Account::name);
  return found == world.accounts.end() ? nullptr : &*found;
}

bool is_free(const World& world, std::string_view date, int start, int end, int except) {
  return check_slot(world, std::string(date), start, end, except).has_value();
}

std::string euros(std::int64_t cents) { return fmt::format("{}.{:02}", cents / 100, cents % 100); }

}  // namespace redqueen::apiworld
