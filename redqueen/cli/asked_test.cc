// Policies that lie in a folder of their own, as a user has downloaded them: how commands ask them,
// and how GGUF files become such folders.

#include <gmock/gmock.h>
#include <cstdlib>
#include <filesystem>

#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/checkpoint/source/model_files.h"
#include "redqueen/cli/testing/fixture.h"
#include "redqueen/cli/testing/loopback_hub.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSmall =
    "--set curriculum.suite=Sorting --set run.threads=1 --set model.vocabulary=300 "
    "--set model.tokenizer_problems=4 --set model.hidden_size=16 --set model.intermediate_size=32 "
    "--set model.layers=1 --set model.heads=2 --set model.key_value_heads=1 --set "
    "model.head_dim=8 ";
constexpr const char* kTemplate =
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

class Asked : public CliFixture {
 protected:
  // A policy as others publish it: with a chat template, and without a redqueen.toml.
  void make_published() const {
    const Outcome made = run(fmt::format("policy init --out {} {}", at("policy"), kSmall));
    ASSERT_EQ(made.code, 0) << made.err;
    fs::remove(at("policy") + "/redqueen.toml");
    write_file(at("policy") + "/chat_template.jinja", kTemplate);
  }
  Outcome eval(const std::string& words) const {
    return run(
        fmt::format("eval --policy {} --suite Sorting --levels 0 --problems 2 "
                    "--set evaluation.max_new_tokens=5 --set run.threads=1 {}",
                    at("policy"), words));
  }
};

TEST_F(Asked, AFolderWithAChatTemplateIsAskedInChat) {
  make_published();
  const Outcome chat = eval("");
  ASSERT_EQ(chat.code, 0) << chat.err;
  EXPECT_THAT(chat.err, HasSubstr("is asked in the prompt format chat, because it has a chat "
                                  "template, for at most 5 tokens a response"));
  EXPECT_THAT(chat.out, AllOf(HasSubstr("cut"), HasSubstr("100.0 %")))
      << "random weights do not end in five tokens";
  const Outcome told = eval("--set policy.prompt_format=boxed");
  EXPECT_THAT(told.err, HasSubstr("in the prompt format boxed, as the settings say"));
  fs::remove(at("policy") + "/chat_template.jinja");
  EXPECT_THAT(eval("").err,
              HasSubstr("in the prompt format plain, because it has no chat template"));
}

TEST_F(Asked, ATextOfTheUsersIsLaidOutAsItIsSaid) {
  make_published();
  const std::string sample = fmt::format(
      "policy sample --policy {} --prompt 'What is 17 + 25?' --set run.threads=1 "
      "--set sampling.max_new_tokens=4 ",
      at("policy"));
  const Outcome chat = run(sample);
  ASSERT_EQ(chat.code, 0) << chat.err;
  EXPECT_THAT(chat.err, HasSubstr("in the prompt format chat:bare"));
  EXPECT_THAT(chat.out, HasSubstr("<|im_start|>user\nWhat is 17 + 25?<|im_end|>\n"
                                  "<|im_start|>assistant\n"));
  const Outcome with_system = run(sample + "--set policy.system_prompt='Be brief.'");
  EXPECT_THAT(with_system.out, HasSubstr("<|im_start|>system\nBe brief.<|im_end|>\n"));
  const Outcome bare = run(sample + "--set policy.prompt_format=plain");
  EXPECT_THAT(bare.err, HasSubstr("in the prompt format bare"));
  EXPECT_THAT(bare.out,
              AllOf(HasSubstr("---- prompt\nWhat is 17 + 25?\n"), Not(HasSubstr("<|im_start|>"))));
}

TEST_F(Asked, WhatIsNoGgufFileIsRefusedAndLeavesNothing) {
  write_file(at("text.gguf"), "no model");
  Outcome outcome = run(fmt::format("policy import {} --out {}", at("text.gguf"), at("model")));
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("this is no GGUF file"));
  outcome = run(fmt::format("policy import {} --out {}", at("none.gguf"), at("model")));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there is no such file"));
  outcome = run(fmt::format("policy fetch gpt-5 --out {}", at("model")));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("smollm2-135m"));
  fs::create_directory(at("model"));
  write_file(at("model") + "/notes.txt", "mine");
  outcome = run(fmt::format("policy fetch smollm2-135m --out {}", at("model")));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is there already"));
  for (const auto& entry : fs::directory_iterator(fs::path(at("model")).parent_path()))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("draft")));
}

// The oracle is transformers itself, reading the same file; the file is written from a model with
// random weights by the package gguf.
TEST_F(Asked, AGgufFileBecomesAFolderAsTransformersReadsIt) {
  const std::string python = model_python(source_dir()).string();
  if (std::system((python + " -c 'import gguf, torch, transformers' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "no Python with gguf and transformers";
  const std::string oracle = python + " redqueen/cli/testdata/gguf_oracle.py ";
  for (const char* type : {"F16", "Q8_0", "Q4_1"}) {
    ASSERT_EQ(std::system(fmt::format("{} write {} {}", oracle, type, at("m.gguf")).c_str()), 0);
    const std::string folder = at(type);
    const Outcome made = run(fmt::format("policy import {} --out {}", at("m.gguf"), folder));
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(std::system(fmt::format("{} compare {} {}", oracle, at("m.gguf"), folder).c_str()), 0)
        << type;
    const Outcome again = run(fmt::format("policy import {} --out {}", at("m.gguf"), folder));
    EXPECT_EQ(again.code, 2) << "a folder is not replaced";
  }
  // A file of which the end is missing.
  fs::resize_file(at("m.gguf"), fs::file_size(at("m.gguf")) * 2 / 3);
  const Outcome half = run(fmt::format("policy import {} --out {}", at("m.gguf"), at("half")));
  EXPECT_EQ(half.code, 1) << half.err;
  EXPECT_THAT(half.err, HasSubstr("broken or ends early"));
  EXPECT_FALSE(fs::exists(at("half")));
}

TEST_F(Asked, AModelOfTheHubIsFetchedOnceAndNamedByItsCommit) {
  const std::string python = model_python(source_dir()).string();
  if (std::system((python + " -c 'import huggingface_hub' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "no Python with huggingface_hub";
  make_published();
  for (const char* name : {"small", "gated", "half"}) {
    fs::create_directories(at("hub/org"));
    fs::copy(at("policy"), at("hub/org/") + name);
  }
  const LoopbackHub hub(at("hub"), fs::path(at("hub")).parent_path());
  const auto sample = [&](const std::string& policy, const std::string& url,
                          const std::string& variables = "") {
    return run_program(fmt::format("env HF_ENDPOINT={} HF_HOME={} HF_TOKEN= {} {}", url,
                                   at("cache"), variables, redqueen_binary()),
                       fmt::format("policy sample --policy {} --prompt hi --set run.threads=1 "
                                   "--set sampling.max_new_tokens=2",
                                   policy));
  };
  const Outcome first = sample("hf:org/small", hub.url);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.err, testing::ContainsRegex("hf:org/small@[0-9a-f]{40} is asked in the prompt "
                                                "format chat:bare"));
  EXPECT_THAT(first.err, HasSubstr("model.safetensors")) << "progress";
  // From the cache, without asking the Hub.
  const std::string asked = read_file(at("log"));
  const Outcome second = sample("hf:org/small", "http://127.0.0.1:1");
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(read_file(at("log")), asked);
  // Weights of which the first answer was cut arrive all the same.
  const Outcome half = sample("hf:org/half@main", hub.url);
  EXPECT_EQ(half.code, 0) << half.err;
  EXPECT_EQ(read_file(at("cut")), "1") << "the Hub has cut an answer";
  // What cannot be had is a sentence.
  const Outcome gated = sample("hf:org/gated", hub.url);
  EXPECT_EQ(gated.code, 1);
  EXPECT_THAT(gated.err, HasSubstr("want their licence accepted"));
  EXPECT_EQ(sample("hf:org/gated", hub.url, "HF_TOKEN=good").code, 0);
  const Outcome none = sample("hf:org/none", hub.url);
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("the Hub has no such model"));
  const Outcome away = sample("hf:org/other", "http://127.0.0.1:1");
  EXPECT_EQ(away.code, 1);
  EXPECT_THAT(away.err, HasSubstr("http://127.0.0.1:1 cannot be reached"));
  // A folder stays one.
  EXPECT_EQ(sample("hf:" + at("policy"), "http://127.0.0.1:1").code, 0);
}

}  // namespace
}  // namespace redqueen
