#include "redqueen/synth/novelty/tag_clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/base/text_file.h"
#include "redqueen/synth/novelty/novelty_text.h"

namespace redqueen::synth {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> tags(std::string_view source, std::string_view prompt) {
  return names_of_tags(find_tags(source, prompt));
}

TEST(FindTagsTest, ReadsPromptNamesAndOperators) {
  EXPECT_THAT(tags("", "Find the shortest path between two nodes of the graph."),
              testing::AllOf(Contains("graphs"), Contains("paths"), Contains("optimization")));
  EXPECT_THAT(tags("import heapq\nx = adjacencyList\n", ""),
              testing::AllOf(Contains("graphs"), Contains("stacks and queues")));
  EXPECT_THAT(tags("x = a ^ b\n", ""), testing::ElementsAre("bit operations"));
  EXPECT_THAT(tags("def is_prime(n): pass\n", ""), testing::ElementsAre("number theory"));
  EXPECT_THAT(tags("minHeap = GCDTable\n", ""), Contains("number theory"));
}

TEST(FindTagsTest, IgnoresCommentsStringsAndPartsOfWords) {
  EXPECT_THAT(tags("x = 'a graph' # prime\n'''knapsack'''\n", ""), IsEmpty());
  EXPECT_THAT(tags("", "Expenditure and sdpx are nothing; neither is telegraph."), IsEmpty());
  EXPECT_THAT(tags("", "paragraph"), Not(Contains("graphs")));
  EXPECT_THAT(tags("", ""), IsEmpty());
}

// What every environment has tells none from another.
TEST(FindTagsTest, IgnoresTheInterfacesOwnNames) {
  EXPECT_THAT(tags(R"(
class Anything(VerifiableEnvironment):
    prompt_template = "…"
    passing = 0.9

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.parameter = grow(3, difficulty)
        self.ref_answer = rng.random()

    def _prompt_generate(self):
        return self.prompt_template

    def _process(self, response):
        tokens = response.split()
        rows = parse_int_rows(response) or parse_int_list(response)
        return parse_int(tokens[-1]) % 7

    def scorer(self, parsed):
        return share_reward(parsed, 1) or closeness_reward(parsed, 1) or ratio_reward(parsed, 1)

    def reference_text(self):
        return str(self.ref_answer)
)",
                   ""),
              IsEmpty());
  EXPECT_THAT(tags("def _process(self, x):\n    return x\ndef scorer(self, tree):\n    pass\n", ""),
              testing::ElementsAre("trees"));
  EXPECT_THAT(tags("def parse_int_tree(parsed_roman): pass\n", ""),
              testing::ElementsAre("trees", "parsing"));
}

// The base class and its helpers, as they are shipped.
TEST(FindTagsTest, IgnoresWhatTheBaseOffers) {
  const std::string base = read_text_file("configs/evoenv/base.py", ErrorKind::kUsage).value();
  int names = 0;
  for (const PythonLine& line : python_lines(base)) {
    if (line.tokens.size() < 2 || (line.tokens[0].text != "def" && line.tokens[0].text != "class"))
      continue;
    ++names;
    EXPECT_THAT(tags(line.tokens[1].text, ""), IsEmpty()) << line.tokens[1].text;
  }
  EXPECT_GE(names, 10);
}

TEST(FindTagsTest, TellsTheTenSeedsTasksApart) {
  const std::vector<std::string> prompts = {
      "Sort the following integers in ascending order.",
      "Output the minimum of every contiguous window of size K of the array.",
      "Pick items of maximum total value under a weight limit: a knapsack.",
      "Find every bridge of the undirected graph.",
      "Two players take turns; who wins the game of Euclid?",
      "Compute the N-th term of a linear recurrence modulo m."};
  TagClusters clusters;
  for (const std::string& prompt : prompts) EXPECT_TRUE(clusters.offer(find_tags("", prompt)));
  for (const std::string& prompt : prompts) EXPECT_FALSE(clusters.offer(find_tags("", prompt)));
}

TEST(FindTagsTest, SurvivesAnyBytes) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    Rng rng({.seed = 4, .purpose = hash_name("tags"), .index = i});
    std::string text;
    for (std::int64_t left = rng.integer(0, 200); left > 0; --left) {
      text += static_cast<char>(rng.below(256));
    }
    EXPECT_EQ(find_tags(text, text).size(), tag_names().size());
  }
}

TEST(JaccardTest, DividesWhatIsSharedByWhatEitherHas) {
  EXPECT_DOUBLE_EQ(jaccard({true, true, false, false}, {true, false, true, false}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(jaccard({true, false}, {false, true}), 0);
  EXPECT_DOUBLE_EQ(jaccard({true, true}, {true, true}), 1);
  EXPECT_DOUBLE_EQ(jaccard({false, false}, {false, false}), 1);
}

// A vector of these tags.
TagVector tag_clusters_of(std::initializer_list<std::size_t> tags) {
  TagVector vector(tag_names().size());
  for (const std::size_t tag : tags) vector[tag] = true;
  return vector;
}

TEST(TagClustersTest, RegistersWhatIsLessThanHalfLikeAll) {
  TagClusters clusters;
  EXPECT_TRUE(clusters.offer(tag_clusters_of({0, 1})));
  EXPECT_FALSE(clusters.offer(tag_clusters_of({0, 1, 2, 3})));  // 2/4 is not below a half
  EXPECT_TRUE(clusters.offer(tag_clusters_of({0, 2, 3})));      // 1/4
  EXPECT_FALSE(clusters.offer(tag_clusters_of({2, 3})));        // 0 and 2/3
  EXPECT_TRUE(clusters.offer(tag_clusters_of({})));
  EXPECT_FALSE(clusters.offer(tag_clusters_of({})));
  EXPECT_EQ(clusters.all().size(), 3u);
}

TEST(TagClustersTest, GoesOnWhereItWas) {
  TagClusters clusters;
  clusters.offer(tag_clusters_of({0, 1}));
  clusters.offer(tag_clusters_of({5}));
  TagClusters other;
  ASSERT_TRUE(other.restore(parse_json(dump_json(clusters.state())).value()));
  EXPECT_EQ(other.all(), clusters.all());
  EXPECT_THAT(other.restore(Json::parse(R"([["arrays", "dragons"]])")).error().message,
              HasSubstr("dragons"));
  EXPECT_FALSE(other.restore(Json::object()));
  EXPECT_FALSE(other.restore(Json::parse("[1]")));
  EXPECT_EQ(other.all(), clusters.all());
}

TEST(TagWindowsTest, CountsPerWindow) {
  TagWindows windows;
  windows.add(0, tag_clusters_of({0, 1}));
  windows.add(9, tag_clusters_of({1}));
  windows.add(25, tag_clusters_of({2}));
  ASSERT_EQ(windows.windows().size(), 2u);
  EXPECT_EQ(windows.windows().at(0).environments, 2);
  EXPECT_EQ(windows.windows().at(0).counts[1], 2);
  EXPECT_EQ(windows.windows().at(20).counts[2], 1);
  EXPECT_EQ(windows.windows().at(20).counts[0], 0);
}

}  // namespace
}  // namespace redqueen::synth
