#include "redqueen/data_sets/packed_tests.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "redqueen/base/base64.h"
#include "redqueen/base/rng.h"

namespace redqueen::data_sets {
namespace {

// base64.b64encode(zlib.compress(pickle.dumps(kText, PROTOCOL))) in Python, for protocols 2, 4, 5.
constexpr const char* kText = R"([{"input": "5\n3", "output": "5", "testtype": "stdin"}])";
constexpr const char* kProtocols[] = {
    "eJxrYIowZ2BgiK5WyswrKC1RslJQMo3JM1bSUVDKLy2BiYC4JanFJSWVBakggeKSlMw8pdrYQgY9AEZvEos=",
    "eJxrYJlqzQABPebR1UqZeQWlJUpWCkqmMXnGSjoKSvmlJTARELcktbikpLIgFSRQXJKSmadUGztFDwB5SBO0",
    "eJxrYJ1qzQABPebR1UqZeQWlJUpWCkqmMXnGSjoKSvmlJTARELcktbikpLIgFSRQXJKSmadUGztFDwB5jRO1"};

TEST(PackedTests, AreThoseOfPython) {
  for (const char* packed : kProtocols) {
    const auto text = unpack_tests(packed);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(*text, kText);
  }
}

TEST(PackedTests, RefuseWhatIsNoString) {
  // pickle.dumps([1]), pickle.dumps(print), compressed; a text; nothing.
  for (const char* packed :
       {"eJxrYJnKxgABsVO8GRP1ABkRAuw=", "eJxrYJkqxgABPRxJpZk5JZl5xVN6WAuKMvNKpkyeogcAjFMKaQ==",
        "bm90IHpsaWI=", "***", ""})
    EXPECT_FALSE(unpack_tests(packed)) << packed;
}

TEST(PackedTests, SurviveDamage) {
  Rng rng({.purpose = hash_name("packed tests")});
  const std::string whole = kProtocols[1];
  for (int i = 0; i < 3000; ++i) {
    std::string packed = whole.substr(0, rng.below(whole.size() + 1));
    if (!packed.empty()) packed[rng.below(packed.size())] = static_cast<char>(rng.integer(32, 126));
    (void)unpack_tests(packed);
  }
}

TEST(PackedTests, AreBounded) {
  const std::string zeros(kMaxUnpackedBytes + 1, '0');
  std::string small(compressBound(zeros.size()), '\0');
  uLongf size = small.size();
  ASSERT_EQ(compress2(reinterpret_cast<Bytef*>(small.data()), &size,
                      reinterpret_cast<const Bytef*>(zeros.data()), zeros.size(), 1),
            Z_OK);
  const auto text = unpack_tests(base64(small.substr(0, size), Base64::kPadded));
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("bytes when unpacked"), std::string::npos);
}

}  // namespace
}  // namespace redqueen::data_sets
