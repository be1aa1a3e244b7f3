#include "redqueen/code_tasks/syntax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/base/rng.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::code_tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SyntaxReport inspect(const std::string& source, std::vector<std::string> components = {}) {
  return inspect_programs(sandbox::shared_sandbox(),
                          std::array{SyntaxQuery{source, std::move(components)}})[0];
}

std::optional<std::string> transform(TransformRequest request) {
  return transform_programs(sandbox::shared_sandbox(), std::array{std::move(request)})[0];
}

TEST(Syntax, CognitiveComplexityFollowsCampbell) {
  const auto cognitive = [](const std::string& body) {
    return inspect("def f(a, b):\n" + body).measures.cognitive;
  };
  EXPECT_EQ(cognitive("    return a + b\n"), 0);
  EXPECT_EQ(cognitive("    if a:\n        return b\n    return a\n"), 1);
  EXPECT_EQ(cognitive("    if a:\n        return b\n    elif b:\n        return a\n    else:\n     "
                      "   return 0\n"),
            3);
  // for (1), if (2), while (3), and one for the run of `and`.
  EXPECT_EQ(cognitive("    for x in a:\n        if x and b and a:\n            while b:\n          "
                      "      b -= 1\n    return b\n"),
            7);
  EXPECT_EQ(cognitive("    return f(a, b - 1) if b else a\n"), 2);  // a condition and the recursion
  EXPECT_EQ(cognitive("    try:\n        return a\n    except ValueError:\n        return b\n"), 1);
  EXPECT_EQ(cognitive("    return [x for x in a if x]\n"), 3);
}

TEST(Syntax, HalsteadVolumeCountsOperatorsAndOperands) {
  // a + b * a: operators Add, Mult; operands a, b * a, b, a.
  EXPECT_DOUBLE_EQ(inspect("def f(a, b):\n    return a + b * a\n").measures.halstead,
                   6 * std::log2(2 + 3));
  EXPECT_EQ(inspect("def f(a):\n    return a\n").measures.halstead, 0);
}

TEST(Syntax, SeesWhatAProgramDefinesAndUses) {
  EXPECT_TRUE(inspect("def f(x):\n    return x").defines_entry);
  EXPECT_FALSE(inspect("class A:\n    def f(x):\n        return x").defines_entry);
  EXPECT_FALSE(inspect("def f(x) return").fault.empty());
  EXPECT_FALSE(inspect("def f(x):\n    break").fault.empty());  // parses, but does not compile
  const SyntaxReport report = inspect(
      "def g_1(x):\n    return 1\ndef f(x):\n    return g_0(g_1(x))", {"g_0", "g_1", "g_2"});
  EXPECT_THAT(report.unused, ElementsAre("g_2"));
  EXPECT_THAT(report.redefined, ElementsAre("g_1"));
}

TEST(Syntax, SurvivesWhatIsMeantToBreakIt) {
  const std::vector<SyntaxQuery> queries{{"x = " + std::string(100000, '('), {}},
                                         {"x = " + std::string(20000, '-') + "1", {}},
                                         {std::string("\0def f(x): pass", 16), {}},
                                         {"\xff\xfe", {}},
                                         {"def f(x):\n    return x", {}}};
  const std::vector<SyntaxReport> reports = inspect_programs(sandbox::shared_sandbox(), queries);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(reports[i].fault.empty()) << i;
  EXPECT_TRUE(reports[4].defines_entry);
}

TEST(Syntax, TransformsOnlyWhatThereIsToTransform) {
  const std::string plain = "import re\ndef f( x ):\n  return  '# no comment'";
  EXPECT_EQ(transform({.source = plain, .strip_comments = true, .strip_globals = true}), plain);
  const std::string rich =
      "'''About.'''\nimport re\nLIMIT = 3\n\ndef f(x):\n    '''Doc.'''\n    # because\n    return "
      "x\n\nprint(f(1))";
  const auto bare = transform({.source = rich, .strip_comments = true, .strip_globals = true});
  ASSERT_TRUE(bare);
  EXPECT_EQ(*bare, "import re\n\ndef f(x):\n    return x");
  EXPECT_THAT(*transform({.source = rich, .strip_globals = true}), HasSubstr("Doc."));
  EXPECT_THAT(*transform({.source = rich, .strip_comments = true}), HasSubstr("LIMIT = 3"));
  EXPECT_EQ(transform({.source = "def f(:"}), std::nullopt);
  EXPECT_EQ(*transform({.source = "def f(x):\n    return f(x - 1)", .entry = "g_0"}),
            "def g_0(x):\n    return g_0(x - 1)");
}

TEST(Syntax, KnowsLiteralsFromExpressions) {
  const auto is = [](const std::string& text, LiteralKind kind) -> bool {
    return are_literals(sandbox::shared_sandbox(), std::array{LiteralQuery{text, kind}})[0];
  };
  for (const char* text : {"1", "-2.5", "'a'", "[1, (2,), {3: None}]", "{1, 2}", "set()", "nan",
                           "-inf", "1-2j", "Counter({'a': 1})", "True", " [] "}) {
    EXPECT_TRUE(is(text, LiteralKind::kValue)) << text;
  }
  for (const char* text :
       {"", "1 + 1", "2 * [0]", "list(range(3))", "f(1)", "__import__('os')", "x",
        "[x for x in "
        "[1]]",
        "lambda: 1", "f'{1}'", "set(range(3))", "1 if 1 else 2", "().__class__", "1; 2"}) {
    EXPECT_FALSE(is(text, LiteralKind::kValue)) << text;
  }
  for (const char* text : {"1, 2", "x=[1]", "'a' * 3, k=2", "1,", "(1, 2)"})
    EXPECT_TRUE(is(text, LiteralKind::kArguments)) << text;
  for (const char* text : {"1) + f(2", "*[1]", "**{}", "x", "open('a')", "1\n)\n(2"})
    EXPECT_FALSE(is(text, LiteralKind::kArguments)) << text;
}

// --- tree distance ------------------------------------------------------------------------------

struct Node {
  int label = 0;
  std::vector<Node> children;
};

// Grows a random tree of `size` nodes, each hung below a random earlier one.
Node random_tree(int size, Rng& rng) {
  std::vector<int> parents(static_cast<std::size_t>(size), -1);
  std::vector<int> labels;
  for (int i = 0; i < size; ++i) {
    if (i > 0) parents[i] = static_cast<int>(rng.below(static_cast<std::uint64_t>(i)));
    labels.push_back(static_cast<int>(rng.below(3)));
  }
  std::vector<Node> nodes;
  for (int i = 0; i < size; ++i) nodes.push_back({labels[i], {}});
  for (int i = size - 1; i > 0; --i) {
    auto& siblings = nodes[parents[i]].children;
    siblings.insert(siblings.begin(), nodes[i]);
  }
  return nodes[0];
}

void flatten(const Node& node, LabelledTree& tree) {
  const auto first = static_cast<int>(tree.size());
  for (const Node& child : node.children) flatten(child, tree);
  tree.labels.push_back(std::to_string(node.label));
  tree.leftmost.push_back(first);
}

int nodes_of(const std::vector<Node>& forest) {
  int count = 0;
  for (const Node& node : forest) count += 1 + nodes_of(node.children);
  return count;
}

std::vector<Node> without_last_root(std::vector<Node> forest) {
  const std::vector<Node> children = forest.back().children;
  forest.pop_back();
  forest.insert(forest.end(), children.begin(), children.end());
  return forest;
}

// The recursion on forests that defines the distance.
int brute_distance(const std::vector<Node>& a, const std::vector<Node>& b) {
  if (a.empty() || b.empty()) return nodes_of(a) + nodes_of(b);
  int best =
      std::min(brute_distance(without_last_root(a), b), brute_distance(a, without_last_root(b))) +
      1;
  const std::vector<Node> rest_a(a.begin(), a.end() - 1);
  const std::vector<Node> rest_b(b.begin(), b.end() - 1);
  const int relabel = a.back().label == b.back().label ? 0 : 1;
  return std::min(best, brute_distance(rest_a, rest_b) +
                            brute_distance(a.back().children, b.back().children) + relabel);
}

TEST(TreeDistance, EqualsTheRecursionThatDefinesIt) {
  Rng rng({.purpose = hash_name("trees")});
  for (int i = 0; i < 60; ++i) {
    const Node a = random_tree(static_cast<int>(rng.integer(1, 5)), rng);
    const Node b = random_tree(static_cast<int>(rng.integer(1, 5)), rng);
    LabelledTree flat_a, flat_b;
    flatten(a, flat_a);
    flatten(b, flat_b);
    EXPECT_EQ(tree_edit_distance(flat_a, flat_b), brute_distance({a}, {b}));
    EXPECT_EQ(tree_edit_distance(flat_b, flat_a), tree_edit_distance(flat_a, flat_b));
    EXPECT_EQ(tree_edit_distance(flat_a, flat_a), 0);
  }
}

TEST(TreeDistance, DoesNotSeeNamesOfVariables) {
  const LabelledTree a = inspect("def f(x):\n    y = x + 1\n    return y").tree;
  const LabelledTree b = inspect("def f(n):\n    m = n + 2\n    return m").tree;
  const LabelledTree c = inspect("def f(n):\n    return [n] * 3").tree;
  EXPECT_EQ(tree_edit_distance(a, b), 0);
  EXPECT_GT(tree_edit_distance(a, c), 0);
  EXPECT_LE(tree_difference(a, c), 1.0);
  std::string large = "def f(x):\n";
  for (int i = 0; i < 200; ++i) large += "    x = x + 1\n";
  EXPECT_EQ(inspect(large + "    return x").tree.size(), 0U);
}

}  // namespace
}  // namespace redqueen::code_tasks
