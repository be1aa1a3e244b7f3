#include "redqueen/cli/bench/programs.h"

#include <gtest/gtest.h>

#include "redqueen/base/sha256.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"

namespace redqueen {
namespace {

TEST(BenchPrograms, ReadsArgumentsAndSource) {
  const auto programs = read_bench_programs("# for readers\n#> 1, 'a'\nx = 1\n\n#> []\ny = 2");
  ASSERT_EQ(programs.size(), 2U);
  EXPECT_EQ(programs[0].arguments, "1, 'a'");
  EXPECT_EQ(programs[0].source, "x = 1\n\n");
  EXPECT_EQ(programs[1].arguments, "[]");
  EXPECT_EQ(programs[1].source, "y = 2\n");
}

// Other programs would make earlier measurements incomparable.
TEST(BenchPrograms, AreThoseThatWereMeasured) {
  std::string all;
  const auto programs =
      read_bench_programs(read_file(source_dir() / "redqueen" / "cli" / "bench" / "programs.py"));
  for (const BenchProgram& program : programs)
    all += program.source + '\0' + program.arguments + '\0';
  EXPECT_EQ(programs.size(), 40U);
  EXPECT_EQ(sha256(all), "76d038f732aeb4cf0343e3f99d066b9f8df57f0d6b26bc077e9130adac4d35f1");
}

}  // namespace
}  // namespace redqueen
