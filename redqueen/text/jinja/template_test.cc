#include "redqueen/text/jinja/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "redqueen/base/rng.h"
#include "redqueen/text/testing/transformers_oracle.h"

namespace redqueen::jinja {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::string render(std::string_view source, const Json& values = Json::object(),
                   const std::optional<std::tm>& now = {}) {
  const auto parsed = Template::parse(source);
  if (!parsed) return "error: " + parsed.error().message;
  const auto text = parsed->render(values, now);
  return text ? *text : "error: " + text.error().message;
}

// Every case of testdata/template_cases.json, as transformers compiles and runs it.
TEST(Template, MakesOfEveryCaseWhatTransformersMakes) {
  if (!has_transformers()) GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
  const Json file = Json::parse(std::ifstream("redqueen/text/testdata/template_cases.json"));
  Json cases = Json::array();
  for (const Json& source : file["templates"]) cases.push_back({source, file["values"]});
  const TestFolder scratch;
  const std::string out = (scratch / "out.json").string();
  ASSERT_TRUE(ask_transformers(scratch,
                               {{"expressions", Json::array({{{"out", out}, {"cases", cases}}})}}));
  const Json answers = Json::parse(std::ifstream(out));
  ASSERT_EQ(answers.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string source = cases[i][0];
    const std::string ours = render(source, file["values"]);
    if (answers[i].is_null()) {
      EXPECT_THAT(ours, testing::StartsWith("error: line ")) << source;
    } else {
      EXPECT_EQ(ours, answers[i].get<std::string>()) << source;
    }
  }
}

TEST(Template, ErrorsSayTheLine) {
  EXPECT_EQ(render("a\n{{ nothing.at.all }}"), "error: line 2: 'nothing' is undefined");
  EXPECT_EQ(render("a\nb\n{{ raise_exception('Not so') }}"),
            "error: line 3: the template refuses: Not so");
  EXPECT_THAT(render("{% if x %}\n\n{{ 1 + }}"), HasSubstr("line 3"));
  EXPECT_THAT(render("\n{% while x %}"), HasSubstr("\"while\" is not supported"));
  EXPECT_THAT(render("\n{{ x | frobnicate }}"), HasSubstr("line 2: the filter \"frobnicate\""));
  EXPECT_THAT(render("{{ 'text"), HasSubstr("no end"));
}

TEST(Template, TellsTheDateItIsTold) {
  std::tm day{};
  day.tm_year = 124;
  day.tm_mon = 6;
  day.tm_mday = 26;
  EXPECT_EQ(render("{{ strftime_now('%d %b %Y') }}", Json::object(), day), "26 Jul 2024");
  EXPECT_EQ(render("{{ strftime_now is defined }}"), "False");
  EXPECT_EQ(render("{{ strftime_now('%a %d %b %Y %j') }}"), "Fri 26 Jul 2024 208");
}

// Whatever a template does, it ends soon and in bounds.
TEST(Template, WorkIsBounded) {
  EXPECT_THAT(
      render("{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"),
      HasSubstr("too long"));
  EXPECT_THAT(render("{% for a in range(9000000000) %}{% endfor %}"), HasSubstr("range"));
  EXPECT_THAT(render("{% set ns = namespace(x='ab') %}{% for a in range(60) %}"
                     "{% set ns.x = ns.x + ns.x %}{% endfor %}"),
              HasSubstr("grows"));
  EXPECT_THAT(render("{% set ns = namespace(x=[1]) %}{% for a in range(60) %}"
                     "{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}"),
              HasSubstr("large"));
  EXPECT_THAT(render("{{ 'x' * 9000000000 }}"), HasSubstr("bytes"));
  EXPECT_THAT(render("{{ ('x' * 16000000) | replace('x', 'yy') }}"), HasSubstr("bytes"));
  EXPECT_THAT(render("{% for a in range(100) %}{{ 'x' * 1000000 }}{% endfor %}"),
              HasSubstr("output"));
  EXPECT_THAT(render("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), HasSubstr("deeply"));
  EXPECT_THAT(render("{{ " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }}"),
              HasSubstr("deeply"));
  std::string chain = "{{ x";
  for (int i = 0; i < 3000; ++i) chain += ".y";
  EXPECT_THAT(render(chain + " }}"), HasSubstr("deeply"));
  for (int i = 0; i < 100000; ++i) chain += ".y";
  EXPECT_THAT(render(chain + " }}"), HasSubstr("too long"));
}

// Pieces of templates thrown together: an answer or an error, nothing else.
TEST(Template, NonsenseIsAnErrorAndNoCrash) {
  const std::vector<std::string> pieces = {
      "{{",    "}}",   "{%",    "%}",         "{#",         "#}",      "-",     " if ",
      " for ", " in ", " set ", " endif ",    " endfor ",   " else ",  " x ",   "m",
      "[",     "]",    "(",     ")",          "{",          "}",       ".",     ",",
      ":",     "|",    "=",     "==",         " is ",       " not ",   "'",     "\"",
      "1",     "2.5",  "trim",  "length",     "tojson",     " macro ", "~",     "\xFF",
      "é",     "\\",   "\n",    " namespace", "loop.index", "::-1",    " and ", "**",
      "//",    "%"};
  const std::vector<std::string> starts = {"{{ ", "{% if m %}{{ ", "{% for x in m %}{{ x",
                                           "{% set x = "};
  const std::vector<std::string> ends = {" }}", " }}{% endif %}", "}}{% endfor %}", " %}{{ x }}"};
  const Json values = {{"m", {1, "two", {{"k", nullptr}}}}, {"x", "text"}};
  int rendered = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Rng rng(RandomAddress{.seed = 12, .index = i});
    const std::size_t frame = rng.below(starts.size());
    std::string source = starts[frame];
    for (std::int64_t left = rng.integer(1, 8); left > 0; --left) source += rng.choice(pieces);
    source += ends[frame];
    rendered += !render(source, values).starts_with("error: ");
  }
  EXPECT_GT(rendered, 100);
}

}  // namespace
}  // namespace redqueen::jinja
