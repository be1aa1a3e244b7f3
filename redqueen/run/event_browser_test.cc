#include "redqueen/run/event_browser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/valid_utf8.h"

namespace redqueen::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kSteps = 12;
const std::vector<std::string> kTexts = {"plain",   "50% of it", "under_score", "back\\slash",
                                         "O'Brien", "\xFF\xC3",  "UPPER"};

const std::string& pick(Rng& rng, const std::vector<std::string>& texts) {
  return texts.at(
      static_cast<std::size_t>(rng.integer(0, static_cast<std::int64_t>(texts.size()) - 1)));
}

// Rollouts with few rewards, so that many are equal, and items of several kinds and fates.
std::vector<StepRecord> random_steps() {
  Rng rng({.seed = 11});
  std::vector<StepRecord> steps;
  for (int step = 1; step <= kSteps; ++step) {
    StepRecord record{.step = step, .time = 100.0 + step, .seconds = 0.5};
    record.metrics = {{"reward", step == kSteps ? std::nan("") : step}};
    const int count = static_cast<int>(rng.integer(0, 4));
    for (int i = 0; i < count; ++i) {
      RolloutRecord rollout{.environment = rng.integer(0, 1) == 0 ? "Sorting" : "Bridge",
                            .prompt = pick(rng, kTexts),
                            .response = pick(rng, kTexts),
                            .reward = static_cast<double>(rng.integer(0, 2)),
                            .solved = rng.integer(0, 1) == 0};
      if (i == 0) rollout.turns = Json::array({{{"role", "user"}, {"text", "only in a turn"}}});
      record.rollouts.push_back(rollout);
      record.items.push_back({.kind = rng.integer(0, 1) == 0 ? "task" : "proposal",
                              .name = pick(rng, kTexts),
                              .fate = rng.integer(0, 1) == 0 ? "valid" : "error",
                              .data = {{"source", "def f(x): return x"}}});
    }
    steps.push_back(record);
  }
  return steps;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct Expectation {
  std::int64_t step = 0;
  std::size_t place = 0;  // in the order of storing
  RolloutRecord rollout;
};

// The answer to a query, by going through all rollouts.
std::vector<Expectation> by_hand(const std::vector<StepRecord>& steps, const RolloutQuery& query) {
  std::vector<Expectation> found;
  std::size_t place = 0;
  for (const StepRecord& step : steps) {
    for (const RolloutRecord& rollout : step.rollouts) {
      ++place;
      if (query.step && *query.step != step.step) continue;
      if (!query.environment.empty() && rollout.environment != query.environment) continue;
      if (query.solved && rollout.solved != *query.solved) continue;
      const std::string turns = rollout.turns.is_null() ? "" : dump_json(rollout.turns);
      const bool has_text = contains(rollout.prompt, query.text) ||
                            contains(rollout.response, query.text) || contains(turns, query.text);
      if (!query.text.empty() && !has_text) continue;
      found.push_back({step.step, place, rollout});
      RolloutRecord& stored =
          found.back().rollout;  // texts that are no UTF-8 are mended on the way
      stored.prompt = valid_utf8(stored.prompt);
      stored.response = valid_utf8(stored.response);
    }
  }
  std::ranges::sort(found, [&](const Expectation& a, const Expectation& b) {
    if (query.order == RolloutOrder::kBest && a.rollout.reward != b.rollout.reward)
      return a.rollout.reward > b.rollout.reward;
    if (query.order == RolloutOrder::kWorst && a.rollout.reward != b.rollout.reward)
      return a.rollout.reward < b.rollout.reward;
    return a.place > b.place;
  });
  return found;
}

class Browser : public testing::Test {
 protected:
  void SetUp() override {
    EventStore store = EventStore::open(folder_ / "run.db").value();
    for (const StepRecord& step : steps_) ASSERT_TRUE(store.append(step));
  }

  EventBrowser open() { return EventBrowser::open(folder_ / "run.db").value(); }

  TestFolder folder_;
  std::vector<StepRecord> steps_ = random_steps();
};

TEST_F(Browser, FindsRolloutsAsGoingThroughAllOfThemDoes) {
  EventBrowser browser = open();
  std::vector<RolloutQuery> queries(1);
  for (const char* environment : {"Sorting", "None"})
    queries.push_back({.environment = environment});
  for (const bool solved : {false, true}) queries.push_back({.solved = solved});
  for (const std::int64_t step : {1, 5, 99}) queries.push_back({.step = step});
  // Signs that mean something to SQL are only signs.
  for (const char* text : {"50%", "5_", "%", "_", "\\", "O'Brien", "plain", "only in"})
    queries.push_back({.text = text});
  queries.push_back({.environment = "Bridge", .solved = true, .text = "a"});
  std::size_t matches = 0;
  for (RolloutQuery& query : queries) {
    for (const RolloutOrder order :
         {RolloutOrder::kNewest, RolloutOrder::kBest, RolloutOrder::kWorst}) {
      query.order = order;
      const auto expected = by_hand(steps_, query);
      query.range = {.offset = 0, .limit = 1000};
      const RolloutPage whole = browser.rollouts(query).value();
      ASSERT_EQ(whole.total, expected.size()) << query.text;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(whole.rows[i].step, expected[i].step);
        EXPECT_EQ(whole.rows[i].rollout, expected[i].rollout);
      }
      matches += expected.size();
      query.range = {.offset = 2, .limit = 3};
      const RolloutPage part = browser.rollouts(query).value();
      EXPECT_EQ(part.total, whole.total);
      for (std::size_t i = 0; i < part.rows.size(); ++i)
        EXPECT_EQ(part.rows[i].id, whole.rows[i + 2].id);
      EXPECT_EQ(part.rows.size(), std::clamp<std::size_t>(expected.size(), 2, 5) - 2);
    }
  }
  EXPECT_GT(matches, 100);
}

TEST_F(Browser, IgnoresCaseOfAsciiLetters) {
  EventBrowser browser = open();
  EXPECT_EQ(browser.rollouts({.text = "upper"}).value().total,
            browser.rollouts({.text = "UPPER"}).value().total);
  EXPECT_GT(browser.rollouts({.text = "upper"}).value().total, 0);
}

TEST_F(Browser, FindsItems) {
  EventBrowser browser = open();
  std::int64_t all = 0;
  const std::vector<ItemTotal> totals = browser.item_totals().value();
  for (const ItemTotal& total : totals) {
    const ItemPage page =
        browser.items({.kind = total.kind, .fate = total.fate, .range = {.limit = 1000}}).value();
    EXPECT_EQ(page.total, total.count);
    ASSERT_EQ(page.rows.size(), total.count);
    for (const ItemRow& row : page.rows) {
      EXPECT_EQ(row.item.kind, total.kind);
      EXPECT_EQ(row.item.fate, total.fate);
      EXPECT_EQ(row.item.data["source"], "def f(x): return x");
    }
    all += total.count;
  }
  EXPECT_EQ(browser.items({.range = {.limit = 0}}).value().total, all);
  EXPECT_EQ(browser.items({.text = "def f(x)"}).value().total, all);
  const ItemPage newest = browser.items({.range = {.limit = 2}}).value();
  EXPECT_GT(newest.rows.at(0).id, newest.rows.at(1).id);
}

TEST_F(Browser, KnowsStepsAndLastValues) {
  EventBrowser browser = open();
  EXPECT_EQ(browser.steps().value().size(), kSteps);
  EXPECT_EQ(browser.last_step().value(), (StepPoint{kSteps, 100.0 + kSteps, 0.5}));
  EXPECT_EQ(browser.last_value("reward").value(),
            kSteps - 1);  // the last is no number
  EXPECT_EQ(browser.last_value("none").value(), std::nullopt);
  EXPECT_THAT(browser.rollout_environments().value(), ElementsAre("Bridge", "Sorting"));
}

TEST(EventBrowser, BearsAnEmptyRunAndNoRun) {
  const TestFolder folder;
  ASSERT_TRUE(EventStore::open(folder / "run.db"));
  EventBrowser browser = EventBrowser::open(folder / "run.db").value();
  EXPECT_EQ(browser.last_step().value(), std::nullopt);
  EXPECT_THAT(browser.item_totals().value(), IsEmpty());
  EXPECT_EQ(browser.rollouts({}).value().total, 0);
  EXPECT_FALSE(EventBrowser::open(folder / "none.db"));
}

}  // namespace
}  // namespace redqueen::run
