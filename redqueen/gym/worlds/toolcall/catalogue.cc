#include "redqueen/gym/worlds/toolcall/catalogue.h"

#include <algorithm>

namespace redqueen::toolcall {
namespace {

using worlds::Lexicon;
using View = std::string_view;

// The kinds of parameters, required unless optional() says otherwise.

constexpr Parameter text(View key, const Lexicon& lexicon, View meaning, View phrase) {
  return {
      .key = key, .kind = Kind::kText, .meaning = meaning, .phrase = phrase, .lexicon = &lexicon};
}

constexpr Parameter sentence(View key, const Lexicon& lexicon, View meaning, View phrase) {
  return {.key = key,
          .kind = Kind::kSentence,
          .meaning = meaning,
          .phrase = phrase,
          .lexicon = &lexicon};
}

constexpr Parameter texts(View key, const Lexicon& lexicon, View meaning, View phrase) {
  return {
      .key = key, .kind = Kind::kTexts, .meaning = meaning, .phrase = phrase, .lexicon = &lexicon};
}

constexpr Parameter numeric(Kind kind, View key, std::int64_t low, std::int64_t high, View meaning,
                            View phrase) {
  return {.key = key, .kind = kind, .meaning = meaning, .phrase = phrase, .low = low, .high = high};
}
constexpr Parameter integer(View key, std::int64_t low, std::int64_t high, View meaning,
                            View phrase) {
  return numeric(Kind::kInteger, key, low, high, meaning, phrase);
}
constexpr Parameter number(View key, std::int64_t low, std::int64_t high, View meaning,
                           View phrase) {
  return numeric(Kind::kNumber, key, low, high, meaning, phrase);
}
constexpr Parameter minutes(View key, std::int64_t low, std::int64_t high, View meaning,
                            View phrase) {
  return numeric(Kind::kMinutes, key, low, high, meaning, phrase);
}

constexpr Parameter flag(View key, View meaning, View yes, View no) {
  return {.key = key, .kind = Kind::kFlag, .meaning = meaning, .phrase = yes, .denial = no};
}

constexpr Parameter date(View key, View meaning, View phrase) {
  return numeric(Kind::kDate, key, 1, kFarthestDay, meaning, phrase);
}
constexpr Parameter past_date(View key, View meaning, View phrase) {
  return numeric(Kind::kDate, key, -kFarthestDay, -1, meaning, phrase);
}
constexpr Parameter time(View key, View meaning, View phrase, int first = 6, int last = 22) {
  return numeric(Kind::kTime, key, 60 * first, 60 * last, meaning, phrase);
}

template <std::size_t N>
constexpr Parameter choice(View key, const Choice (&choices)[N], View meaning, View phrase) {
  return {.key = key,
          .kind = Kind::kChoice,
          .meaning = meaning,
          .phrase = phrase,
          .choices = choices,
          .choice_count = N};
}

template <std::size_t N>
constexpr Parameter object(View key, const Parameter (&parts)[N], View meaning, View phrase) {
  return {.key = key,
          .kind = Kind::kObject,
          .meaning = meaning,
          .phrase = phrase,
          .parts = parts,
          .part_count = N};
}
template <std::size_t N>
constexpr Parameter rows(View key, const Parameter (&parts)[N], View meaning, View phrase) {
  return {.key = key,
          .kind = Kind::kRows,
          .meaning = meaning,
          .phrase = phrase,
          .parts = parts,
          .part_count = N};
}

// An argument that may be left out; it then is `fallback`, where there is one.
constexpr Parameter optional(Parameter parameter, View fallback = {}) {
  parameter.optional = true;
  parameter.fallback = fallback;
  return parameter;
}

// What single arguments may be.

constexpr View kTagNames[] = {"urgent",   "internal", "billing",  "mobile",
                              "printing", "network",  "security", "training"};
constexpr Lexicon kTags{kTagNames};
constexpr View kAmenityNames[] = {"parking", "sauna", "gym", "laundry", "terrace", "playground"};
constexpr Lexicon kAmenities{kAmenityNames};
constexpr View kMeasureNames[] = {"rain", "wind", "humidity", "pressure", "visibility"};
constexpr Lexicon kMeasures{kMeasureNames};
constexpr View kHazardNames[] = {"hills", "motorways", "stairs", "gravel", "tunnels"};
constexpr Lexicon kHazards{kHazardNames};
constexpr View kLanguageNames[] = {"English", "German",  "Spanish", "Polish",
                                   "Turkish", "Swedish", "Korean",  "Greek"};
constexpr Lexicon kLanguages{kLanguageNames};

constexpr Choice kCuisines[] = {{"italian", "Italian"},
                                {"thai", "Thai"},
                                {"greek", "Greek"},
                                {"ethiopian", "Ethiopian"},
                                {"vegan", "vegan"}};
constexpr Choice kAreas[] = {{"indoors", "indoors"},
                             {"terrace", "on the terrace"},
                             {"garden", "in the garden"},
                             {"bar", "at the bar"}};
constexpr Choice kRoomTypes[] = {{"single", "single room"},
                                 {"double", "double room"},
                                 {"family", "family room"},
                                 {"suite", "suite"}};
constexpr Choice kCabins[] = {{"economy", "economy"},
                              {"premium_economy", "premium economy"},
                              {"business", "business"},
                              {"first", "first"}};
constexpr Choice kClasses[] = {{"first", "first"}, {"second", "second"}};
constexpr Choice kPriorities[] = {
    {"low", "low"}, {"normal", "normal"}, {"high", "high"}, {"critical", "critical"}};
constexpr Choice kAccounts[] = {
    {"checking", "checking"}, {"savings", "savings"}, {"joint", "joint"}};
constexpr Choice kCurrencies[] = {
    {"EUR", "euros"}, {"USD", "US dollars"}, {"GBP", "British pounds"}, {"JPY", "Japanese yen"}};
constexpr Choice kUnits[] = {{"metric", "metric"}, {"imperial", "imperial"}};
constexpr Choice kModes[] = {{"heat", "heating"}, {"cool", "cooling"}, {"eco", "energy-saving"}};
constexpr Choice kColours[] = {
    {"warm_white", "warm white"}, {"cold_white", "cold white"}, {"red", "red"}, {"blue", "blue"}};
constexpr Choice kSuction[] = {{"quiet", "quiet"}, {"standard", "standard"}, {"turbo", "turbo"}};
constexpr Choice kCategories[] = {{"kitchen", "kitchenware"},
                                  {"garden", "garden tools"},
                                  {"office", "office supplies"},
                                  {"toys", "toys"}};
constexpr Choice kOrders[] = {{"price_ascending", "cheapest first"},
                              {"price_descending", "most expensive first"},
                              {"rating", "best rated first"}};
constexpr Choice kReasons[] = {{"damaged", "it is damaged"},
                               {"wrong_item", "it is the wrong item"},
                               {"not_needed", "it is no longer needed"}};
constexpr Choice kActivities[] = {
    {"running", "running"}, {"cycling", "cycling"}, {"swimming", "swimming"}, {"rowing", "rowing"}};
constexpr Choice kIntensities[] = {{"easy", "easy"}, {"moderate", "moderate"}, {"hard", "hard"}};
constexpr Choice kSurfaces[] = {
    {"road", "paved roads"}, {"trail", "forest trails"}, {"track", "a running track"}};
constexpr Choice kSpeeds[] = {
    {"standard", "standard"}, {"express", "express"}, {"overnight", "overnight"}};
constexpr Choice kLengthUnits[] = {
    {"kilometers", "kilometers"}, {"miles", "miles"}, {"meters", "meters"}, {"feet", "feet"}};
constexpr Choice kTones[] = {{"formal", "formal"}, {"informal", "informal"}};
constexpr Choice kOutcomes[] = {
    {"fixed", "fixed"}, {"duplicate", "a duplicate"}, {"wont_fix", "not going to be fixed"}};

constexpr Parameter kContact[] = {
    text("name", worlds::kPeople, "full name", " {}"),
    optional(text("phone", worlds::kPhones, "phone number", " (phone {})"))};
constexpr Parameter kAddress[] = {
    text("street", worlds::kStreets, "house number and street", " {}"),
    text("city", worlds::kCities, "name of the city", " in {}"),
    optional(integer("postal_code", 10000, 99999, "five digits", ", postal code {}"))};
constexpr Parameter kRecipient[] = {
    text("name", worlds::kPeople, "full name", " {}"),
    object("address", kAddress, "where the recipient lives", ",{}")};
constexpr Parameter kTravellers[] = {
    integer("adults", 2, 6, "number of adults", " {} adults"),
    optional(integer("children", 2, 5, "number of children", " and {} children"), "0")};
constexpr Parameter kWindow[] = {time("from", "start of the window", " {}", 6, 12),
                                 time("to", "end of the window", " and {}", 13, 22)};
constexpr Parameter kOrderRow[] = {
    integer("quantity", 2, 40, "how many", "{} pieces of"),
    text("product", worlds::kProducts, "name of the product", " \"{}\"")};
constexpr Parameter kPriceRange[] = {integer("min", 5, 60, "lowest price", " {}"),
                                     integer("max", 70, 500, "highest price", " and {}")};
constexpr Parameter kYears[] = {integer("after", 1900, 1960, "first year", " {}"),
                                integer("before", 1970, 2020, "last year", " and {}")};

// The tools. Arguments stand in the order in which a request gives them.

constexpr Parameter kFindRestaurants[] = {
    choice("cuisine", kCuisines, "kind of kitchen", " with {} food"),
    text("city", worlds::kCities, "name of the city", " in {}"),
    optional(integer("max_price", 15, 90, "highest price of a main course, in euros",
                     ", with main courses of at most {} euros")),
    optional(flag("open_now", "only those that are open at this moment", ", open right now",
                  ", whether open right now or not"),
             "false"),
    optional(integer("limit", 2, 9, "how many results at most", ", at most {} of them"), "10")};
constexpr Parameter kBookTable[] = {
    text("restaurant", worlds::kPlaces, "name of the restaurant", " at the {}"),
    date("date", "day of the visit", " on {}"),
    time("time", "when the guests arrive", " at {}"),
    integer("guests", 2, 12, "number of guests", " for {} people"),
    optional(choice("area", kAreas, "where to sit", " {}"), "\"indoors\""),
    optional(object("contact", kContact, "who is coming", ", under the name of{}")),
    optional(sentence("note", worlds::kSentences, "a note to the staff", ", with the note {}"))};
constexpr Parameter kCancelTable[] = {
    text("booking_code", worlds::kCodes, "code of the booking", " {}"),
    optional(flag("notify", "whether the restaurant gets a message",
                  ", and let the restaurant know", ", without telling the restaurant"),
             "true")};

constexpr Parameter kFindHotels[] = {
    text("city", worlds::kCities, "name of the city", " in {}"),
    date("check_in", "day of arrival", " for an arrival on {}"),
    integer("nights", 2, 14, "number of nights", " and a stay of {} nights"),
    optional(integer("min_stars", 2, 5, "fewest stars", ", with at least {} stars")),
    optional(texts("amenities", kAmenities, "what the hotel must have", ", which must have {}"))};
constexpr Parameter kBookRoom[] = {
    choice("room_type", kRoomTypes, "kind of room", ", namely a {},"),
    text("hotel", worlds::kPlaces, "name of the hotel", " at the {} hotel"),
    date("check_in", "day of arrival", " from {}"),
    integer("nights", 2, 14, "number of nights", " for {} nights"),
    object("guest", kContact, "who stays there", " for{}"),
    optional(flag("breakfast", "whether breakfast is included", ", with breakfast",
                  ", without breakfast"),
             "false")};
constexpr Parameter kExtendStay[] = {
    text("booking_code", worlds::kCodes, "code of the booking", " {}"),
    integer("extra_nights", 2, 7, "nights to add", " by {} nights"),
    optional(flag("keep_room", "whether the room stays the same", " in the same room",
                  " in whichever room is free"),
             "true")};

constexpr Parameter kSearchFlights[] = {
    text("origin", worlds::kCities, "city of departure", " from {}"),
    text("destination", worlds::kCities, "city of arrival", " to {}"),
    date("date", "day of departure", " on {}"),
    object("passengers", kTravellers, "who flies", " for{}"),
    optional(choice("cabin", kCabins, "class of travel", " in {} class"), "\"economy\""),
    optional(flag("direct_only", "no flights with a stop", ", direct flights only",
                  ", direct or with a stop"),
             "false")};
constexpr Parameter kFlightStatus[] = {text("flight", worlds::kCodes, "code of the flight", " {}"),
                                       date("date", "day of departure", " on {}")};
constexpr Parameter kSearchTrains[] = {
    text("origin", worlds::kCities, "station of departure", " from {}"),
    text("destination", worlds::kCities, "station of arrival", " to {}"),
    date("date", "day of departure", " on {}"),
    optional(time("depart_after", "earliest departure", ", leaving no earlier than {}")),
    optional(choice("travel_class", kClasses, "class of travel", ", {} class"), "\"second\""),
    optional(integer("max_changes", 2, 4, "most changes of train", ", with at most {} changes"))};

constexpr Parameter kCreateEvent[] = {
    sentence("title", worlds::kTitles, "title of the event", " called {}"),
    date("date", "day of the event", " on {}"),
    time("start", "when it begins", " at {}"),
    minutes("duration_minutes", 15, 180, "length in minutes", " that lasts {}"),
    optional(texts("attendees", worlds::kPeople, "full names of those to invite", " with {}")),
    optional(text("location", worlds::kPlaces, "where it takes place", ", at the {}")),
    optional(minutes("reminder_minutes", 15, 60, "minutes before the start",
                     ", with a reminder {} before the start"),
             "10")};
constexpr Parameter kDeleteEvent[] = {
    sentence("title", worlds::kTitles, "title of the event", " called {}"),
    date("date", "day of the event", " on {}"),
    optional(flag("notify_attendees", "whether those invited get a message",
                  ", and tell everybody who was invited", ", without telling those invited"),
             "true")};
constexpr Parameter kFindSlot[] = {
    minutes("duration_minutes", 15, 180, "length in minutes", " of {}"),
    date("date", "day to look at", " on {}"),
    optional(object("window", kWindow, "the hours to look at", ", between{}")),
    optional(texts("attendees", worlds::kPeople, "full names of those who must have time",
                   ", when these people have time: {}"))};

constexpr Parameter kSendEmail[] = {
    texts("to", worlds::kAddresses, "mail addresses of the recipients", " to {}"),
    sentence("subject", worlds::kTitles, "subject line", " with the subject {}"),
    sentence("body", worlds::kSentences, "the text of the mail", " and the text {}"),
    optional(choice("priority", kPriorities, "how urgent it is", ", with {} priority"),
             "\"normal\""),
    optional(time("send_at", "time of the day at which it leaves", ", to leave at {}"))};
constexpr Parameter kSearchMail[] = {
    text("sender", worlds::kAddresses, "mail address of the sender", " from {}"),
    optional(past_date("since", "first day", " that arrived on or after {}")),
    optional(flag("unread_only", "only mails that were not read", ", unread ones only",
                  ", read ones as well"),
             "false"),
    optional(integer("limit", 2, 50, "how many results at most", ", at most {} results"), "20")};

constexpr Parameter kTransferMoney[] = {
    number("amount", 500, 250000, "how much", " of {}"),
    choice("currency", kCurrencies, "currency of the amount", " {}"),
    choice("from_account", kAccounts, "account that pays", " from my {} account"),
    text("to_account", worlds::kCodes, "code of the account that is paid", " to the account {}"),
    optional(date("on", "day of the transfer; today if left out", " on {}")),
    optional(sentence("reference", worlds::kTitles, "text for the recipient",
                      ", with the reference {}"))};
constexpr Parameter kExchangeRate[] = {
    choice("from_currency", kCurrencies, "currency to change", " from {}"),
    choice("to_currency", kCurrencies, "currency to get", " to {}"),
    optional(date("date", "day of the rate; today if left out", " on {}"))};
constexpr Parameter kAccountHistory[] = {
    choice("account", kAccounts, "the account", " of my {} account"),
    past_date("since", "first day", " since {}"),
    optional(
        number("min_amount", 1000, 90000, "smallest amount", ", leaving out amounts below {}"))};

constexpr Parameter kForecast[] = {
    text("city", worlds::kCities, "name of the city", " for {}"),
    integer("days", 2, 10, "number of days", " for the next {} days"),
    optional(choice("units", kUnits, "system of units", " in {} units"), "\"metric\""),
    optional(
        texts("include", kMeasures, "what to report besides the temperature", ", including {}"))};
constexpr Parameter kAirQuality[] = {
    text("city", worlds::kCities, "name of the city", " in {}"),
    optional(date("date", "day; today if left out", " on {}")),
    optional(flag("hourly", "a value for each hour", ", hour by hour", ", as one daily value"),
             "false")};

constexpr Parameter kThermostat[] = {
    text("room", worlds::kRooms, "name of the room", " in the {}"),
    number("temperature", 1500, 2600, "degrees Celsius", " to {} degrees Celsius"),
    optional(time("until", "when it goes back to its schedule", " until {}")),
    optional(choice("mode", kModes, "way of working", ", in {} mode"), "\"heat\"")};
constexpr Parameter kSetLight[] = {
    text("room", worlds::kRooms, "name of the room", " in the {}"),
    integer("brightness", 5, 100, "percent", " to a brightness of {} percent"),
    optional(choice("color", kColours, "color of the light", " in {}"), "\"warm_white\""),
    optional(minutes("fade_minutes", 15, 45, "how long the change takes", ", changing over {}"),
             "0")};
constexpr Parameter kVacuum[] = {
    texts("rooms", worlds::kRooms, "names of the rooms", " in these rooms: {}"),
    optional(choice("suction", kSuction, "power", ", in {} mode"), "\"standard\""),
    optional(time("start", "when it begins; at once if left out", ", starting at {}"))};

constexpr Parameter kOrderItems[] = {
    rows("items", kOrderRow, "what to order", ": {}"),
    object("address", kAddress, "where to deliver", ", delivered to{}"),
    optional(flag("gift_wrap", "whether everything is wrapped as a gift", ", wrapped as a gift",
                  ", not wrapped as a gift"),
             "false"),
    optional(text("coupon", worlds::kCodes, "code of a coupon", ", using the coupon {}"))};
constexpr Parameter kSearchProducts[] = {
    choice("category", kCategories, "department of the shop", ", department {}"),
    optional(object("price", kPriceRange, "range of prices in euros", ", costing between{} euros")),
    optional(choice("sort_by", kOrders, "order of the results", ", {}"), "\"rating\""),
    optional(flag("in_stock_only", "only what is in stock", ", only what is in stock",
                  ", in stock or not"),
             "true")};
constexpr Parameter kReturnItem[] = {
    sentence("product", worlds::kProducts, "name of the product", " {}"),
    text("order_code", worlds::kCodes, "code of the order", " from the order {}"),
    choice("reason", kReasons, "why it goes back", ", because {}")};

constexpr Parameter kLogWorkout[] = {
    choice("activity", kActivities, "kind of sport", ": {}"),
    minutes("duration_minutes", 15, 180, "length in minutes", " for {}"),
    past_date("date", "day of the workout", " on {}"),
    optional(number("distance_km", 150, 4200, "distance in kilometers", ", {} kilometers")),
    optional(choice("intensity", kIntensities, "how hard it was", ", at {} intensity"),
             "\"moderate\"")};
constexpr Parameter kPlanRoute[] = {
    text("start", worlds::kStreets, "address of the start", " that starts at {}"),
    number("distance_km", 200, 3000, "length in kilometers", " and is {} kilometers long"),
    optional(choice("surface", kSurfaces, "what to run on", ", on {}"), "\"road\""),
    optional(texts("avoid", kHazards, "what the route must not have", ", avoiding {}"))};

constexpr Parameter kSearchBooks[] = {
    sentence("topic", worlds::kTitles, "words to look for", " about {}"),
    optional(text("author", worlds::kPeople, "full name of the author", " by {}")),
    optional(object("published", kYears, "range of years", ", published between{}")),
    optional(text("language", kLanguages, "name of the language in English", ", written in {}"))};
constexpr Parameter kReserveBook[] = {
    sentence("title", worlds::kTitles, "title of the book", " {}"),
    text("card", worlds::kCodes, "code of the library card", " on my library card {}"),
    date("pickup_date", "day on which it is fetched", " to pick up on {}"),
    optional(text("branch", worlds::kCities, "city of the branch", " at the branch in {}"))};
constexpr Parameter kRenewLoan[] = {text("loan_code", worlds::kCodes, "code of the loan", " {}"),
                                    integer("weeks", 2, 8, "weeks to add", " by {} weeks")};

constexpr Parameter kSendParcel[] = {
    object("recipient", kRecipient, "who gets it", " to{}"),
    number("weight_kg", 25, 3000, "weight in kilograms", ", weighing {} kilograms"),
    optional(choice("speed", kSpeeds, "kind of delivery", ", by {} delivery"), "\"standard\""),
    optional(flag("insured", "whether it is insured", ", insured", ", not insured"), "false")};
constexpr Parameter kTrackParcel[] = {
    text("parcel_code", worlds::kCodes, "code of the parcel", " {}"),
    optional(flag("full_history", "all stations instead of the last", " with its full history",
                  " with its last station alone"),
             "false")};
constexpr Parameter kSchedulePickup[] = {
    integer("parcels", 2, 30, "number of parcels", " of {} parcels"),
    object("address", kAddress, "where they are", " at{}"),
    date("date", "day of the pickup", ", on {}"),
    optional(object("window", kWindow, "hours in which somebody is there", ", between{}"))};

constexpr Parameter kConvertLength[] = {
    number("value", 120, 99000, "the length", " of {}"),
    choice("from_unit", kLengthUnits, "unit of the value", " {}"),
    choice("to_unit", kLengthUnits, "unit to convert to", " to {}"),
    optional(integer("decimals", 3, 6, "digits behind the point", ", with {} decimals"), "2")};
constexpr Parameter kLoanPayment[] = {
    integer("principal", 2000, 300000, "amount in euros", " of {} euros"),
    number("annual_rate_percent", 110, 950, "yearly interest in percent",
           " at {} percent interest a year"),
    integer("years", 3, 30, "years until it is paid back", " over {} years"),
    optional(number("fee", 1000, 50000, "fee in euros, paid at once", ", with a fee of {} euros"),
             "0")};
constexpr Parameter kSplitBill[] = {
    number("total", 1250, 40000, "amount of the bill", " of {} euros"),
    integer("people", 2, 12, "number of people", " among {} people"),
    optional(integer("tip_percent", 5, 25, "tip in percent", ", with a tip of {} percent"), "0")};

constexpr Parameter kTranslate[] = {
    sentence("text", worlds::kSentences, "what to translate", " {}"),
    text("target", kLanguages, "name of the language in English", " into {}"),
    optional(choice("tone", kTones, "form of address", ", in {} language"), "\"formal\"")};
constexpr Parameter kCreateTicket[] = {
    sentence("title", worlds::kTitles, "what it is about", " called {}"),
    choice("priority", kPriorities, "how urgent it is", " with {} priority"),
    optional(
        text("assignee", worlds::kPeople, "full name of who takes care of it", ", assigned to {}")),
    optional(texts("labels", kTags, "words to find it by", ", labeled {}")),
    optional(date("due", "last day", ", due on {}"))};
constexpr Parameter kCloseTicket[] = {
    text("ticket_code", worlds::kCodes, "code of the ticket", " {}"),
    choice("resolution", kOutcomes, "what became of it", " as {}"),
    optional(sentence("comment", worlds::kSentences, "a last comment", ", with the comment {}"))};

template <std::size_t N>
constexpr Tool make(View name, View domain, View meaning, View request,
                    const Parameter (&parameters)[N]) {
  return {name, domain, meaning, request, parameters, N};
}

constexpr Tool kTools[] = {
    make("find_restaurants", "restaurant", "Lists restaurants of a city.", "find restaurants",
         kFindRestaurants),
    make("book_table", "restaurant", "Books a table in a restaurant.", "book a table", kBookTable),
    make("cancel_table", "restaurant", "Cancels the booking of a table.", "cancel my table booking",
         kCancelTable),
    make("find_hotels", "hotel", "Lists hotels with free rooms.", "find hotels", kFindHotels),
    make("book_room", "hotel", "Books a room in a hotel.", "book a hotel room", kBookRoom),
    make("extend_stay", "hotel", "Adds nights to the booking of a room.", "extend my hotel booking",
         kExtendStay),
    make("search_flights", "travel", "Searches flights between two cities.", "search flights",
         kSearchFlights),
    make("get_flight_status", "travel", "Tells whether a flight is on time.",
         "check whether a flight is on time, namely flight", kFlightStatus),
    make("search_trains", "travel", "Searches trains between two cities.", "search trains",
         kSearchTrains),
    make("create_event", "calendar", "Enters an event in the calendar.",
         "enter an event in my calendar,", kCreateEvent),
    make("delete_event", "calendar", "Removes an event from the calendar.",
         "remove the event from my calendar that is", kDeleteEvent),
    make("find_free_slot", "calendar", "Looks for free time in the calendar.",
         "look for free time in my calendar, a slot", kFindSlot),
    make("send_email", "mail", "Sends a mail.", "send a mail", kSendEmail),
    make("search_mail", "mail", "Searches the mails that were received.", "search my mails",
         kSearchMail),
    make("transfer_money", "bank", "Transfers money to another account.", "transfer an amount",
         kTransferMoney),
    make("get_exchange_rate", "bank", "Tells what a currency is worth in another.",
         "tell me the exchange rate", kExchangeRate),
    make("get_account_history", "bank", "Lists the payments of an account.", "list the payments",
         kAccountHistory),
    make("get_forecast", "weather", "Forecasts the weather of a city.", "get the weather forecast",
         kForecast),
    make("get_air_quality", "weather", "Tells how clean the air of a city is.",
         "get the air quality", kAirQuality),
    make("set_thermostat", "home", "Sets the temperature of a room.", "set the thermostat",
         kThermostat),
    make("set_light", "home", "Sets the light of a room.", "set the light", kSetLight),
    make("start_vacuum", "home", "Has the robot vacuum clean.", "have the robot vacuum clean",
         kVacuum),
    make("order_items", "shop", "Orders products.", "order some products", kOrderItems),
    make("search_products", "shop", "Lists products of the shop.", "list products of the shop",
         kSearchProducts),
    make("return_item", "shop", "Sends a product of an order back.", "return the product",
         kReturnItem),
    make("log_workout", "fitness", "Records a workout.", "record a workout", kLogWorkout),
    make("plan_route", "fitness", "Plans a route for running.", "plan a running route", kPlanRoute),
    make("search_books", "library", "Searches the books of the library.", "search for books",
         kSearchBooks),
    make("reserve_book", "library", "Reserves a book of the library.", "reserve the book",
         kReserveBook),
    make("renew_loan", "library", "Extends the loan of a book.", "extend the book loan",
         kRenewLoan),
    make("send_parcel", "parcel", "Sends a parcel.", "send a parcel", kSendParcel),
    make("track_parcel", "parcel", "Tells where a parcel is.", "track the parcel", kTrackParcel),
    make("schedule_pickup", "parcel", "Has parcels fetched.", "schedule the pickup",
         kSchedulePickup),
    make("convert_length", "numbers", "Converts a length to another unit.", "convert a length",
         kConvertLength),
    make("get_loan_payment", "numbers", "Works out the monthly payment of a loan.",
         "work out the monthly payment of a loan", kLoanPayment),
    make("split_bill", "numbers", "Splits a bill evenly.", "split a bill", kSplitBill),
    make("translate_text", "language", "Translates a text.", "translate the text", kTranslate),
    make("create_ticket", "support", "Opens a support ticket.", "open a support ticket",
         kCreateTicket),
    make("close_ticket", "support", "Closes a support ticket.", "close the support ticket",
         kCloseTicket),
};

}  // namespace

std::span<const Tool> catalogue() { return kTools; }

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(kTools, name, &Tool::name);
  return found == std::end(kTools) ? nullptr : &*found;
}

const Parameter* find_parameter(std::span<const Parameter> members, std::string_view key) {
  const auto found = std::ranges::find(members, key, &Parameter::key);
  return found == members.end() ? nullptr : &*found;
}

}  // namespace redqueen::toolcall
