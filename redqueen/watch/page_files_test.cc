#include "redqueen/watch/page_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "redqueen/base/base64.h"
#include "redqueen/base/sha256.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/watch/carried_data.h"
#include "redqueen/watch/testing/example_run.h"

namespace redqueen::watch {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string_view file(std::string_view name) {
  const auto found = std::ranges::find(page_files(), name, &PageFile::name);
  return found == page_files().end() ? std::string_view() : found->text;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// What lies in third_party/ is what the package has.
TEST(PageFiles, HaveUplotAsItWasPublished) {
  EXPECT_EQ(sha256(file("uplot.js")),
            "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f");
  EXPECT_EQ(sha256(file("uplot.css")),
            "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04");
}

TEST(PageFiles, NameEachOtherAndNothingElse) {
  const std::string_view index = file("index.html");
  for (const PageFile& one : page_files()) {
    EXPECT_FALSE(one.text.empty()) << one.name;
    if (one.name == "index.html") continue;
    EXPECT_THAT(index, HasSubstr(fmt::format("\"{}\"", one.name)));
    // Nothing is fetched from elsewhere.
    if (one.name.starts_with("page")) {
      EXPECT_THAT(one.text, Not(HasSubstr("://"))) << one.name;
    }
  }
  EXPECT_THAT(index, Not(HasSubstr("://")));
}

// The one way in which text becomes markup is not used.
TEST(PageFiles, NeverMakeMarkupOfText) {
  for (const char* way :
       {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("})
    EXPECT_THAT(file("page.js"), Not(HasSubstr(way)));
}

TEST(PageFiles, AreScriptsThatDoWhatTheySay) {
  if (!std::filesystem::exists(".venv/bin/python")) GTEST_SKIP() << "no .venv with QuickJS";
  EXPECT_EQ(std::system(".venv/bin/python redqueen/watch/testdata/check_scripts.py"), 0);
}

TEST(CarriedPage, HoldsItsDataWhateverTheySay) {
  const TestFolder folder;
  make_example_run(folder / "first", 20);
  make_example_run(folder / "second", 5);
  const std::vector<RunPlace> runs = {{"first", folder / "first"}, {"second", folder / "second"}};
  const Json data = carried_data(runs).value();
  EXPECT_EQ(data["views"]["first"]["rollouts"].size(), 40);
  EXPECT_EQ(data["views"]["first"]["items"].size(), 40);
  EXPECT_TRUE(data.contains("comparison"));
  const std::string page = page_with_data(data, "a <b>");
  EXPECT_THAT(page, HasSubstr("<title>a &lt;b&gt;</title>"));
  // Its own three scripts and no other: texts cannot end the element that holds them.
  EXPECT_EQ(count(page, "<script"), 3);
  EXPECT_EQ(count(page, "</script"), 3);
  EXPECT_EQ(count(page, "<img"), 0);
  // What the page reads is what was put in.
  constexpr std::string_view kBegin = "id=\"data\">";
  const std::size_t begin = page.find(kBegin) + kBegin.size();
  const std::size_t end = page.find("</script>", begin);
  EXPECT_EQ(parse_json(page.substr(begin, end - begin)).value(),
            parse_json(dump_json(data)).value());
}

// The policy names the scripts by what they are, so that nothing else runs.
TEST(CarriedPage, AllowsItsOwnScriptsOnly) {
  const std::string page = page_with_data(Json::object(), "t");
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("'unsafe-eval'")));
  for (const char* name : {"uplot.js", "page.js"}) {
    const std::string sum = base64(sha256_digest(file(name)), Base64::kPadded);
    EXPECT_THAT(page, HasSubstr("'sha256-" + sum + "'")) << name;
    EXPECT_THAT(page, HasSubstr(std::string(file(name)) + "</script>")) << name;
  }
}

}  // namespace
}  // namespace redqueen::watch
