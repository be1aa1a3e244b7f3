#include "redqueen/gym/worlds/apiworld/goals.h"

#include <algorithm>
#include <set>

#include "redqueen/core/answer.h"
#include "redqueen/gym/common/worlds/lexicon.h"

namespace redqueen::apiworld {
namespace {

using Calls = std::vector<ToolCall>;
using View = std::string_view;

constexpr int kHalfHour = 30;
constexpr int kLatestEnd = 18 * 60;  // of events that are entered where they fit
constexpr View kSavings = "savings";
constexpr View kOwed = "Please pay me ";  // a message that asks for money begins so

ToolCall call(std::string name, Json arguments) {
  return {.id = {}, .name = std::move(name), .arguments = std::move(arguments)};
}

std::string day_words(const std::string& date) {
  return fmt::format("{}, {}", worlds::weekday(*worlds::parse_day(date)),
                     worlds::day_in_words(*worlds::parse_day(date)));
}

std::string draw_date(worlds::Day today, Rng& rng) {
  return worlds::format_day(today + std::chrono::days(rng.integer(1, 5)));
}

std::string draw_title(const World& world, Rng& rng) {
  while (true) {
    std::string title = worlds::kTitles.draw(rng);
    if (std::ranges::find(world.events, title, &Event::title) == world.events.end()) return title;
  }
}

// Somebody else than the user.
std::string draw_person(const World& world, Rng& rng) {
  while (true) {
    std::string name = worlds::kPeople.draw(rng);
    if (name != world.user) return name;
  }
}

// A random entry that `fits`; nullptr: none does.
template <typename Entry, typename Fits>
const Entry* draw_entry(const std::vector<Entry>& entries, Fits fits, Rng& rng) {
  std::vector<const Entry*> found;
  for (const Entry& entry : entries) {
    if (fits(entry)) found.push_back(&entry);
  }
  return found.empty() ? nullptr : found[rng.below(found.size())];
}

ToolCall transfer_call(View from, View to, std::int64_t amount) {
  return call("transfer_money", {{"from_account", from},
                                 {"to_account", to},
                                 {"amount", static_cast<double>(amount) / 100.0}});
}

ToolCall pay_call(View payee, std::int64_t amount) {
  return call("pay", {{"account", kPayingAccount},
                      {"payee", payee},
                      {"amount", static_cast<double>(amount) / 100.0}});
}

ToolCall message_call(View to, View text) {
  return call("send_message", {{"to", to}, {"text", text}});
}

// What the kinds' check() of their members need.
Status need_date(const std::string& date) {
  if (worlds::parse_day(date)) return {};
  return failure("\"{}\" is no date", date);
}

Status need_quotable(View text) {
  if (is_quotable(text)) return {};
  return failure("a text that no request can quote");
}

Status need_positive(std::int64_t number) {
  constexpr std::int64_t kMost = 100'000'000;
  if (number >= 1 && number <= kMost) return {};
  return failure("{} is not in 1..{}", number, kMost);
}

// --- Calendar.

struct AddEvent {
  static std::optional<Goal> draw(const World& world, worlds::Day today, Rng& rng) {
    const int start = kHalfHour * static_cast<int>(rng.integer(16, 34));
    const int end = start + kHalfHour * static_cast<int>(rng.integer(1, 4));
    return Goal{
        .what = draw_title(world, rng), .date = draw_date(today, rng), .start = start, .end = end};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Enter the event \"{}\" in my calendar on {}, from {} to {}.", goal.what,
                       day_words(goal.date), worlds::format_time(goal.start),
                       worlds::format_time(goal.end));
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    RETURN_IF_ERROR(need_quotable(goal.what));
    RETURN_IF_ERROR(need_date(goal.date));
    if (!is_free(world, goal.date, goal.start, goal.end)) return failure("that time is not free");
    return Calls{call("create_event", {{"title", goal.what},
                                       {"date", goal.date},
                                       {"start", worlds::format_time(goal.start)},
                                       {"end", worlds::format_time(goal.end)}})};
  }
};

struct AddWhereItFits {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    // On a day with events: otherwise every time is free.
    const Event* event = draw_entry(
        world.events, [](const Event&) { return true; }, rng);
    if (event == nullptr) return std::nullopt;
    return Goal{.what = draw_title(world, rng),
                .date = event->date,
                .number = kHalfHour * static_cast<int>(rng.integer(1, 5))};
  }
  static std::string words(const Goal& goal) {
    return fmt::format(
        "Enter the event \"{}\" of {} minutes in my calendar on {}, as early as it fits: it must "
        "begin on the hour or half past, not before {}, end by {}, and overlap with no other "
        "event.",
        goal.what, goal.number, day_words(goal.date), worlds::format_time(kDayStart),
        worlds::format_time(kLatestEnd));
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    RETURN_IF_ERROR(need_positive(goal.number));
    for (int start = kDayStart; start + goal.number <= kLatestEnd; start += kHalfHour) {
      if (!is_free(world, goal.date, start, start + goal.number)) continue;
      Goal there = goal;
      there.start = start;
      there.end = start + goal.number;
      return AddEvent::plan(world, there);
    }
    return failure("no time of that day is free");
  }
};

struct MoveEvent {
  static std::optional<Goal> draw(const World& world, worlds::Day today, Rng& rng) {
    const Event* event = draw_entry(
        world.events, [&](const Event& e) { return e.organizer == world.user; }, rng);
    if (event == nullptr) return std::nullopt;
    return Goal{.what = event->title, .date = event->date, .to_date = draw_date(today, rng)};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Move my event \"{}\" from {} to {}, at the same time of day.", goal.what,
                       day_words(goal.date), day_words(goal.to_date));
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    RETURN_IF_ERROR(need_date(goal.date));
    RETURN_IF_ERROR(need_date(goal.to_date));
    const Event* event = find_event(world, goal.what, goal.date);
    if (event == nullptr || event->organizer != world.user || goal.date == goal.to_date ||
        !is_free(world, goal.to_date, event->start, event->end)) {
      return failure("there is no such event that can move");
    }
    return Calls{call("move_event", {{"event_id", event->id},
                                     {"date", goal.to_date},
                                     {"start", worlds::format_time(event->start)}})};
  }
};

struct ClearDay {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Event* event = draw_entry(
        world.events, [&](const Event& e) { return e.organizer == world.user; }, rng);
    if (event == nullptr) return std::nullopt;
    return Goal{.date = event->date};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Delete all events on {} that I organize, and no others.",
                       day_words(goal.date));
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    RETURN_IF_ERROR(need_date(goal.date));
    Calls calls;
    for (const Event& event : world.events) {
      if (event.date == goal.date && event.organizer == world.user)
        calls.push_back(call("delete_event", {{"event_id", event.id}}));
    }
    return calls;
  }
};

// --- Bank.

struct Transfer {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Account* from = draw_entry(
        world.accounts, [](const Account& a) { return !a.locked && a.balance > 1000; }, rng);
    if (from == nullptr) return std::nullopt;
    const Account* to = draw_entry(
        world.accounts, [&](const Account& a) { return a.name != from->name; }, rng);
    return Goal{
        .where = from->name, .to = to->name, .amount = 10 * rng.integer(10, from->balance / 20)};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Move {} euros from my {} account to my {} account.", euros(goal.amount),
                       goal.where, goal.to);
  }
  static Expected<Calls> plan(const World&, const Goal& goal) {
    RETURN_IF_ERROR(need_positive(goal.amount));
    return Calls{transfer_call(goal.where, goal.to, goal.amount)};
  }
};

struct PayPerson {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    return Goal{.who = draw_person(world, rng), .amount = 10 * rng.integer(50, 2000)};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Pay {} {} euros from my checking account.", goal.who, euros(goal.amount));
  }
  static Expected<Calls> plan(const World&, const Goal& goal) {
    RETURN_IF_ERROR(need_quotable(goal.who));
    RETURN_IF_ERROR(need_positive(goal.amount));
    return Calls{pay_call(goal.who, goal.amount)};
  }
};

// Moves what is missing first.
struct PayWithSavings {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Account* checking = find_account(world, kPayingAccount);
    if (checking == nullptr) return std::nullopt;
    return Goal{
        .who = draw_person(world, rng),
        .amount = 10 * rng.integer(100, std::max<std::int64_t>(checking->balance / 6, 101))};
  }
  static std::string words(const Goal& goal) {
    return fmt::format(
        "Pay {} {} euros from my checking account. If that account holds less, first move exactly "
        "what is missing to it from my savings account.",
        goal.who, euros(goal.amount));
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    ASSIGN_OR_RETURN(const Calls payment, PayPerson::plan(world, goal));
    const Account* checking = find_account(world, kPayingAccount);
    if (checking == nullptr) return failure("there is no checking account");
    Calls calls;
    if (checking->balance < goal.amount)
      calls.push_back(transfer_call(kSavings, kPayingAccount, goal.amount - checking->balance));
    calls.push_back(payment[0]);
    return calls;
  }
};

// The amount stands in a message.
struct PayWhatIsAsked {
  // Cents of "Please pay me 12.50 euros for …"; nullopt: the text is no such message.
  static std::optional<std::int64_t> owed(View text) {
    if (!text.starts_with(kOwed)) return std::nullopt;
    text.remove_prefix(kOwed.size());
    const std::size_t end = text.find(" euros for ");
    if (end == View::npos || end < 4 || text[end - 3] != '.') return std::nullopt;
    const auto whole = parse_int64(text.substr(0, end - 3));
    const auto cents = parse_int64(text.substr(end - 2, 2));
    if (!whole || !cents || *whole < 0 || *whole > 1'000'000 || *cents < 0) return std::nullopt;
    const std::int64_t amount = 100 * *whole + *cents;
    return text.substr(0, end) == euros(amount) ? std::optional(amount) : std::nullopt;
  }
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Mail* mail = draw_entry(
        world.messages, [](const Mail& m) { return owed(m.text).has_value(); }, rng);
    if (mail == nullptr) return std::nullopt;
    return Goal{.who = mail->from};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Pay {} from my checking account, as much as the message from {} asks for.",
                       goal.who, goal.who);
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    std::optional<std::int64_t> amount;
    for (const Mail& mail : world.messages) {
      const auto asked = owed(mail.text);
      if (mail.from != goal.who || mail.from == world.user || !asked) continue;
      if (amount) return failure("two messages of {} ask for money", goal.who);
      amount = asked;
    }
    if (!amount) return failure("no message of {} asks for money", goal.who);
    Goal there = goal;
    there.amount = *amount;
    return PayPerson::plan(world, there);
  }
};

// --- Shop.

struct OrderProduct {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Product* product = draw_entry(
        world.products, [](const Product& p) { return p.stock > 0; }, rng);
    if (product == nullptr) return std::nullopt;
    return Goal{.what = product->name,
                .number = static_cast<int>(rng.integer(1, std::min(product->stock, 6)))};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Order {} of the product \"{}\".", pieces(goal.number), goal.what);
  }
  static Expected<Calls> plan(const World&, const Goal& goal) {
    RETURN_IF_ERROR(need_positive(goal.number));
    return Calls{call("place_order", {{"product", goal.what}, {"quantity", goal.number}})};
  }
  static std::string pieces(int number) {
    return fmt::format("{} piece{}", number, number == 1 ? "" : "s");
  }
};

struct OrderCheapest {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Product* product = draw_entry(
        world.products, [](const Product& p) { return p.stock > 0; }, rng);
    if (product == nullptr) return std::nullopt;
    return Goal{.where = product->category,
                .number = static_cast<int>(rng.integer(1, std::min(product->stock, 8)))};
  }
  static std::string words(const Goal& goal) {
    return fmt::format(
        "Order {} of the cheapest product in the category \"{}\" of which as many are in stock.",
        OrderProduct::pieces(goal.number), goal.where);
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    const Product* best = nullptr;
    bool tied = false;
    for (const Product& product : world.products) {
      if (product.category != goal.where || product.stock < goal.number) continue;
      tied = best != nullptr && product.price == best->price;
      if (best == nullptr || product.price < best->price)
        best = &product;
      else if (tied)
        return failure("two products cost the same");
    }
    if (best == nullptr) return failure("no product has that many in stock");
    Goal there = goal;
    there.what = best->name;
    return OrderProduct::plan(world, there);
  }
};

struct CancelOrder {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Order* order = draw_entry(
        world.orders, [](const Order&) { return true; }, rng);
    if (order == nullptr) return std::nullopt;
    return Goal{.what = order->product};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Cancel my order of the product \"{}\".", goal.what);
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    if (std::ranges::count(world.orders, goal.what, &Order::product) != 1)
      return failure("there is not one order of \"{}\"", goal.what);
    const auto order = std::ranges::find(world.orders, goal.what, &Order::product);
    return Calls{call("cancel_order", {{"order_id", order->id}})};
  }
};

// --- Messages.

struct SendMessage {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    return Goal{.what = worlds::kSentences.draw(rng), .who = draw_person(world, rng)};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Send {} the message \"{}\".", goal.who, goal.what);
  }
  static Expected<Calls> plan(const World&, const Goal& goal) {
    RETURN_IF_ERROR(need_quotable(goal.what));
    RETURN_IF_ERROR(need_quotable(goal.who));
    return Calls{message_call(goal.who, goal.what)};
  }
};

struct DeleteMessages {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Mail* mail = draw_entry(
        world.messages, [&](const Mail& m) { return m.from != world.user; }, rng);
    if (mail == nullptr) return std::nullopt;
    return Goal{.who = mail->from};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Delete all messages that I received from {}.", goal.who);
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    if (goal.who == world.user) return failure("what the user sent cannot be deleted");
    Calls calls;
    for (const Mail& mail : world.messages) {
      if (mail.from == goal.who) calls.push_back(call("delete_message", {{"message_id", mail.id}}));
    }
    return calls;
  }
};

struct TellTime {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Event* event = draw_entry(
        world.events, [](const Event&) { return true; }, rng);
    if (event == nullptr) return std::nullopt;
    return Goal{.what = event->title, .who = draw_person(world, rng), .date = event->date};
  }
  static std::string words(const Goal& goal) {
    return fmt::format(
        "Send {} a message with nothing but the time at which the event \"{}\" on {} begins, as "
        "HH:MM.",
        goal.who, goal.what, day_words(goal.date));
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    RETURN_IF_ERROR(need_date(goal.date));
    RETURN_IF_ERROR(need_quotable(goal.who));
    const Event* event = find_event(world, goal.what, goal.date);
    if (event == nullptr) return failure("there is no such event");
    return Calls{message_call(goal.who, worlds::format_time(event->start))};
  }
};

struct TellBalance {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const Account* account = draw_entry(
        world.accounts, [](const Account&) { return true; }, rng);
    if (account == nullptr) return std::nullopt;
    return Goal{.who = draw_person(world, rng), .where = account->name};
  }
  static std::string words(const Goal& goal) {
    return fmt::format(
        "Send {} a message with nothing but the balance of my {} account in euros, as a number "
        "with two decimals.",
        goal.who, goal.where);
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    RETURN_IF_ERROR(need_quotable(goal.who));
    const Account* account = find_account(world, goal.where);
    if (account == nullptr) return failure("there is no account \"{}\"", goal.where);
    return Calls{message_call(goal.who, euros(account->balance))};
  }
};

// --- Files.

struct MoveFiles {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const File* file = draw_entry(
        world.files, [](const File& f) { return !f.locked; }, rng);
    if (file == nullptr) return std::nullopt;
    const File* other = draw_entry(
        world.files, [&](const File& f) { return f.folder != file->folder; }, rng);
    const std::size_t dot = file->name.rfind('.');
    if (other == nullptr || dot == std::string::npos) return std::nullopt;
    return Goal{.what = file->name.substr(dot), .where = file->folder, .to = other->folder};
  }
  static std::string words(const Goal& goal) {
    return fmt::format(
        "Move all files of the folder \"{}\" whose names end in \"{}\" to the folder \"{}\"; those "
        "that are locked stay.",
        goal.where, goal.what, goal.to);
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    RETURN_IF_ERROR(need_quotable(goal.what));
    RETURN_IF_ERROR(need_quotable(goal.to));
    if (goal.where == goal.to) return failure("the folders are the same");
    Calls calls;
    for (const File& file : world.files) {
      if (file.folder != goal.where || !file.name.ends_with(goal.what) || file.locked) continue;
      calls.push_back(call("move_file",
                           {{"folder", file.folder}, {"name", file.name}, {"to_folder", goal.to}}));
    }
    return calls;
  }
};

struct DeleteFile {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const File* file = draw_entry(
        world.files, [](const File& f) { return !f.locked; }, rng);
    if (file == nullptr) return std::nullopt;
    return Goal{.what = file->name, .where = file->folder};
  }
  static std::string words(const Goal& goal) {
    return fmt::format("Delete the file \"{}\" in the folder \"{}\".", goal.what, goal.where);
  }
  static Expected<Calls> plan(const World&, const Goal& goal) {
    return Calls{call("delete_file", {{"folder", goal.where}, {"name", goal.what}})};
  }
};

struct ForwardFile {
  static std::optional<Goal> draw(const World& world, worlds::Day, Rng& rng) {
    const File* file = draw_entry(
        world.files, [](const File&) { return true; }, rng);
    if (file == nullptr) return std::nullopt;
    return Goal{.what = file->name, .who = draw_person(world, rng), .where = file->folder};
  }
  static std::string words(const Goal& goal) {
    return fmt::format(
        "Send {} the text of the file \"{}\" in the folder \"{}\" as a message, word for word.",
        goal.who, goal.what, goal.where);
  }
  static Expected<Calls> plan(const World& world, const Goal& goal) {
    RETURN_IF_ERROR(need_quotable(goal.who));
    for (const File& file : world.files) {
      if (file.folder == goal.where && file.name == goal.what)
        return Calls{message_call(goal.who, file.text)};
    }
    return failure("there is no such file");
  }
};

constexpr View kCalendar[] = {"calendar"};
constexpr View kBank[] = {"bank"};
constexpr View kShop[] = {"shop"};
constexpr View kMessages[] = {"messages"};
constexpr View kFiles[] = {"files"};
constexpr View kBankAndMessages[] = {"bank", "messages"};
constexpr View kCalendarAndMessages[] = {"calendar", "messages"};
constexpr View kFilesAndMessages[] = {"files", "messages"};

template <typename Kind>
constexpr GoalKind kind(View name, int level, std::span<const View> services) {
  return {name, level, services, Kind::draw, Kind::words, Kind::plan};
}

const GoalKind kKinds[] = {
    kind<AddEvent>("add_event", 0, kCalendar),
    kind<Transfer>("transfer", 0, kBank),
    kind<PayPerson>("pay", 0, kBank),
    kind<OrderProduct>("order", 0, kShop),
    kind<SendMessage>("send", 0, kMessages),
    kind<MoveEvent>("move_event", 1, kCalendar),
    kind<CancelOrder>("cancel_order", 1, kShop),
    kind<DeleteMessages>("delete_messages", 1, kMessages),
    kind<DeleteFile>("delete_file", 1, kFiles),
    kind<OrderCheapest>("order_cheapest", 2, kShop),
    kind<MoveFiles>("move_files", 2, kFiles),
    kind<ClearDay>("clear_day", 2, kCalendar),
    kind<PayWithSavings>("pay_with_savings", 3, kBank),
    kind<AddWhereItFits>("add_where_it_fits", 3, kCalendar),
    kind<TellBalance>("tell_balance", 3, kBankAndMessages),
    kind<TellTime>("tell_time", 4, kCalendarAndMessages),
    kind<ForwardFile>("forward_file", 4, kFilesAndMessages),
    kind<PayWhatIsAsked>("pay_what_is_asked", 4, kBankAndMessages),
};

// ------------------------------------------------------------------------------------------------
// Worlds.

constexpr View kFolders[] = {"drafts", "reports", "photos", "archive"};
constexpr View kEndings[] = {".txt", ".csv", ".jpg"};
constexpr View kCategories[] = {"kitchen", "garden", "office"};

void draw_events(World& world, int count, worlds::Day today, Rng& rng) {
  for (int i = 0; i < count; ++i) {
    const std::string date = draw_date(today, rng);
    const int start = kHalfHour * static_cast<int>(rng.integer(16, 36));
    const int end = start + kHalfHour * static_cast<int>(rng.integer(1, 4));
    if (!is_free(world, date, start, end)) continue;
    world.events.push_back({world.next_id++, draw_title(world, rng), date, start, end,
                            rng.chance(0.6) ? world.user : draw_person(world, rng)});
  }
}

void draw_shop(World& world, int count, Rng& rng) {
  const auto names = rng.sample(0, static_cast<std::int64_t>(worlds::kProducts.size()) - 1,
                                static_cast<std::size_t>(count));
  const auto prices = rng.sample(3, 400, static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < names.size(); ++i) {
    world.products.push_back({worlds::kProducts.text(static_cast<std::size_t>(names[i])),
                              std::string(kCategories[rng.below(std::size(kCategories))]),
                              10 * prices[i], static_cast<int>(rng.integer(0, 12))});
  }
  for (std::size_t i = 0; i < 2 && i < world.products.size(); ++i) {
    const Product& product = world.products[i];
    const auto quantity = rng.integer(1, 5);
    world.orders.push_back(
        {world.next_id++, product.name, static_cast<int>(quantity), quantity * product.price});
  }
}

void draw_messages(World& world, int count, Rng& rng) {
  // Different senders, so that a message can be spoken of by its sender; some wrote twice.
  const auto people = rng.sample(0, static_cast<std::int64_t>(worlds::kPeople.size()) - 1,
                                 static_cast<std::size_t>(count));
  for (const std::int64_t index : people) {
    const std::string from = worlds::kPeople.text(static_cast<std::size_t>(index));
    if (from == world.user) continue;
    std::string text = worlds::kSentences.draw(rng);
    if (rng.chance(0.5)) {
      text = fmt::format("{}{} euros for the {}.", kOwed, euros(10 * rng.integer(50, 1500)),
                         worlds::kTitles.draw(rng));
    }
    world.messages.push_back({world.next_id++, from, world.user, text});
    if (rng.chance(0.3))
      world.messages.push_back({world.next_id++, from, world.user, worlds::kSentences.draw(rng)});
  }
  rng.shuffle(world.messages);
}

void draw_files(World& world, int count, Rng& rng) {
  const auto titles = rng.sample(0, static_cast<std::int64_t>(worlds::kTitles.size()) - 1,
                                 static_cast<std::size_t>(count));
  for (const std::int64_t index : titles) {
    std::string name = worlds::kTitles.text(static_cast<std::size_t>(index));
    std::ranges::replace(name, ' ', '_');
    name += kEndings[rng.below(std::size(kEndings))];
    world.files.push_back({std::string(kFolders[rng.below(std::size(kFolders))]), std::move(name),
                           worlds::kSentences.draw(rng), rng.chance(0.25)});
  }
}

// --- Checks of a world from outside.

constexpr std::size_t kMostDrawn = 100;  // entries of each kind

template <typename Entries, typename Key>
bool all_different(const Entries& entries, Key key) {
  std::set<std::string> seen;
  return std::ranges::all_of(entries,
                             [&](const auto& entry) { return seen.insert(key(entry)).second; });
}

Status check_identifiers(const World& world) {
  std::set<int> seen;
  const auto fresh = [&](const auto& entry) {
    return entry.id >= 1 && entry.id < world.next_id && seen.insert(entry.id).second;
  };
  constexpr int kMostId = 1'000'000;
  if (world.next_id >= 1 && world.next_id <= kMostId && std::ranges::all_of(world.events, fresh) &&
      std::ranges::all_of(world.orders, fresh) && std::ranges::all_of(world.messages, fresh)) {
    return {};
  }
  return failure("identifiers must differ and lie in 1..next_id - 1");
}

Status check_texts(const World& world) {
  const auto good = [](const auto&... texts) { return (is_quotable(texts) && ...); };
  bool all = good(world.user);
  for (const Event& e : world.events) all = all && good(e.title, e.organizer);
  for (const Account& a : world.accounts) all = all && good(a.name);
  for (const Payment& p : world.payments) all = all && good(p.account, p.payee);
  for (const Product& p : world.products) all = all && good(p.name, p.category);
  for (const Order& o : world.orders) all = all && good(o.product);
  for (const Mail& m : world.messages) all = all && good(m.from, m.to, m.text);
  for (const File& f : world.files) all = all && good(f.folder, f.name, f.text);
  if (all) return {};
  return failure("texts must have 1 to 80 printable characters and no quotation marks");
}

Status check_calendar(const World& world) {
  for (const Event& event : world.events) {
    if (!worlds::parse_day(event.date) ||
        !is_free(world, event.date, event.start, event.end, event.id)) {
      return failure("\"events\": event {} lies at no time that is free", event.id);
    }
  }
  return {};
}

Status check_amounts(const World& world) {
  constexpr std::int64_t kMost = 1'000'000'000;  // cents
  constexpr int kMostPieces = 100'000;
  const auto amount = [](std::int64_t cents) { return cents >= 0 && cents <= kMost; };
  const auto pieces = [](int count) { return count >= 0 && count <= kMostPieces; };
  bool all = true;
  for (const Account& a : world.accounts) all = all && amount(a.balance);
  for (const Payment& p : world.payments) all = all && amount(p.amount);
  for (const Product& p : world.products) all = all && amount(p.price) && pieces(p.stock);
  for (const Order& o : world.orders) all = all && amount(o.paid) && pieces(o.quantity);
  if (all) return {};
  return failure("amounts lie in 0..{} cents, numbers of pieces in 0..{}", kMost, kMostPieces);
}

}  // namespace

std::span<const GoalKind> goal_kinds() { return kKinds; }

const GoalKind* find_goal_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &GoalKind::name);
  return found == std::end(kKinds) ? nullptr : &*found;
}

Expected<std::vector<ToolCall>> carry_out(World& world, const Goal& goal) {
  const GoalKind* kind = find_goal_kind(goal.kind);
  if (kind == nullptr) return failure("there is no kind \"{}\"", goal.kind);
  ASSIGN_OR_RETURN(Calls calls, kind->plan(world, goal));
  const std::vector<std::string> services(kind->services.begin(), kind->services.end());
  for (const ToolCall& call : calls) RETURN_IF_ERROR(execute(world, services, call));
  return calls;
}

Expected<std::vector<ToolCall>> carry_out_new(World& world, const Goal& goal) {
  const std::string before = essence(world);
  ASSIGN_OR_RETURN(Calls calls, carry_out(world, goal));
  if (essence(world) == before) return failure("it changes nothing");
  return calls;
}

World draw_world(int size, worlds::Day today, Rng& rng) {
  World world{.user = worlds::kPeople.draw(rng), .next_id = 100};
  draw_events(world, 2 * size, today, rng);
  world.accounts = {{std::string(kPayingAccount), 10 * rng.integer(10'000, 60'000), false},
                    {std::string(kSavings), 10 * rng.integer(100'000, 600'000), false},
                    {"joint", 10 * rng.integer(20'000, 200'000), true}};
  draw_shop(world, 2 * size, rng);
  draw_messages(world, size, rng);
  draw_files(world, 2 * size, rng);
  return world;
}

Status check_world(const World& world) {
  const std::size_t most = std::max(
      {world.events.size(), world.accounts.size(), world.payments.size(), world.products.size(),
       world.orders.size(), world.messages.size(), world.files.size()});
  if (most > kMostDrawn) return failure("a list has more than {} entries", kMostDrawn);
  RETURN_IF_ERROR(check_identifiers(world));
  RETURN_IF_ERROR(check_texts(world));
  RETURN_IF_ERROR(check_calendar(world));
  RETURN_IF_ERROR(check_amounts(world));
  if (!all_different(world.events, [](const Event& e) { return e.date + " " + e.title; }) ||
      !all_different(world.accounts, [](const Account& a) { return a.name; }) ||
      !all_different(world.products, [](const Product& p) { return p.name; }) ||
      !all_different(world.files, [](const File& f) { return f.folder + "\"" + f.name; })) {
    return failure("two entries of one kind have the same name");
  }
  return {};
}

bool is_quotable(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  return !trim(text).empty() && text.size() <= kLongest && trim(text) == text &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"'; });
}

}  // namespace redqueen::apiworld
