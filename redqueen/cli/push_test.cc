// Policies go to the Hub and come from it: what is uploaded, the model card, what is refused, and
// downloads that do not end as they should.

#include <gmock/gmock.h>

#include <filesystem>
#include <iterator>
#include <regex>

#include "redqueen/base/json.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/checkpoint/source/hub.h"
#include "redqueen/checkpoint/source/model_files.h"
#include "redqueen/cli/testing/fixture.h"
#include "redqueen/cli/testing/loopback_hub.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPushedShape =
    "--set curriculum.suite=Sorting --set run.threads=1 --set model.vocabulary=300 "
    "--set model.tokenizer_problems=4 --set model.hidden_size=16 --set model.intermediate_size=32 "
    "--set model.layers=1 --set model.heads=2 --set model.key_value_heads=1 --set "
    "model.head_dim=8 --set policy.prompt_format=terse ";

TEST(HubNames, AreThoseThatTheHubTakes) {
  for (const char* name : {"org/name", "a/b", "Org-1/name_2.5-x"})
    EXPECT_TRUE(is_hub_model_name(name)) << name;
  for (const std::string& name :
       {std::string("name"), std::string("/name"), std::string("org/"), std::string("org/a/b"),
        std::string("org/na me"), std::string("org/-name"), std::string("org/name."),
        std::string("org/a--b"), std::string("org/a..b"), std::string("org/name.git"),
        std::string("../name"), "org/" + std::string(93, 'x')}) {
    EXPECT_FALSE(is_hub_model_name(name)) << name;
  }
}

TEST(HubNames, OfSnapshotsAreTold) {
  EXPECT_EQ(hub_model_of("hf:org/name"), "org/name");
  EXPECT_EQ(hub_model_of("hf:org/name@abc"), "org/name@abc");
  EXPECT_EQ(hub_model_of("/c/hub/models--org--my-name/snapshots/abc"), "org/my-name@abc");
  for (const char* path : {"/home/me/model", "model", "hf:/home/me/model", "openai:http://h/v1",
                           "/c/models--org/snapshots/abc", "/c/models--org--name/refs/main"}) {
    EXPECT_EQ(hub_model_of(path), "") << path;
  }
}

class Push : public CliFixture {
 protected:
  void SetUp() override {
    const std::string python = model_python(source_dir()).string();
    if (std::system((python + " -c 'import huggingface_hub' 2>/dev/null").c_str()) != 0)
      GTEST_SKIP() << "no Python with huggingface_hub";
    const Outcome made = run(fmt::format("policy init --out {} {}", at("policy"), kPushedShape));
    ASSERT_EQ(made.code, 0) << made.err;
    fs::create_directories(at("hub/org"));
  }

  std::string beside(const std::string& name) const { return read_file(at(name)); }

  // `shell` comes before the command.
  Outcome with_hub(const std::string& url, const std::string& words,
                   const std::string& token = "good", const std::string& shell = "") const {
    // The Hub here speaks LFS.
    return run_program(
        fmt::format("{} env HF_HUB_DISABLE_XET=1 HF_ENDPOINT={} HF_HOME={} HF_TOKEN={} {}", shell,
                    url, at("cache"), token, redqueen_binary()),
        words);
  }
  std::string sample(const std::string& policy) const {
    return fmt::format(
        "policy sample --policy {} --prompt hi --set run.threads=1 --set "
        "sampling.max_new_tokens=4",
        policy);
  }
};

TEST_F(Push, WhatIsPushedComesBack) {
  const LoopbackHub hub(at("hub"), fs::path(at("hub")).parent_path());
  write_file(at("policy") + "/notes.txt", "mine");
  const std::string push = fmt::format("policy push {} org/mine", at("policy"));
  const Outcome pushed = with_hub(hub.url, push);
  ASSERT_EQ(pushed.code, 0) << pushed.err;
  EXPECT_THAT(pushed.out, HasSubstr("org/mine: pushed (" + hub.url + "/org/mine/commit/"));
  EXPECT_EQ(beside("visibility"), "private") << "nothing is public by itself";
  const fs::path there = at("hub/org/mine");
  for (const char* file : {"model.safetensors", "config.json", "tokenizer.json", "redqueen.toml"})
    EXPECT_EQ(read_file(there / file), read_file(fs::path(at("policy")) / file)) << file;
  EXPECT_FALSE(fs::exists(there / "notes.txt")) << "what is no part of a model stays here";
  EXPECT_THAT(read_file(there / "README.md"),
              AllOf(HasSubstr("library_name: transformers"), HasSubstr("Prompt format `terse`"),
                    HasSubstr("No run lies beside them"), Not(HasSubstr(at("policy")))));
  const Outcome ours = run(sample(at("policy")));
  const Outcome theirs = with_hub(hub.url, sample("hf:org/mine"));
  EXPECT_EQ(theirs.code, 0) << theirs.err;
  EXPECT_EQ(theirs.out, ours.out);
  // Once more, now public: a model that is there keeps its visibility, and loses weights of an
  // earlier push that would be read instead.
  write_file(there / "model.safetensors.index.json", "{}");
  EXPECT_EQ(with_hub(hub.url, push + " --public").code, 0);
  EXPECT_EQ(beside("visibility"), "private");
  EXPECT_FALSE(fs::exists(there / "model.safetensors.index.json"));
  EXPECT_TRUE(fs::exists(there / "model.safetensors"));
  EXPECT_EQ(with_hub(hub.url, fmt::format("policy push {} other/open --public", at("policy"))).code,
            0);
  EXPECT_EQ(beside("visibility"), "public");
}

TEST_F(Push, WhatCannotBePushedIsASentence) {
  const LoopbackHub hub(at("hub"), fs::path(at("hub")).parent_path());
  const auto push = [&](const std::string& name, const std::string& token = "good",
                        const std::string& url = "") {
    return with_hub(url.empty() ? hub.url : url,
                    fmt::format("policy push {} {}", at("policy"), name), token);
  };
  for (const char* name : {"mine", "org/a/b", "'org/my name'", "org/a--b"}) {
    const Outcome invalid = push(name);
    EXPECT_EQ(invalid.code, 2) << name;
    EXPECT_THAT(invalid.err, HasSubstr("is called org/name")) << name;
  }
  const Outcome tokenless = push("org/mine", "");
  EXPECT_EQ(tokenless.code, 2);
  EXPECT_THAT(tokenless.err, HasSubstr("there is no token"));
  const Outcome unknown = push("org/mine", "bad");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("does not know the token"));
  const Outcome nobody = push("nobody/mine");
  EXPECT_EQ(nobody.code, 1);
  EXPECT_THAT(nobody.err,
              AllOf(HasSubstr("no such organisation"), HasSubstr("namespace \"nobody\"")));
  const Outcome full = push("org/quota");
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("storage limit reached"));
  const Outcome away = push("org/mine", "good", "http://127.0.0.1:1");
  EXPECT_EQ(away.code, 1);
  EXPECT_THAT(away.err, HasSubstr("http://127.0.0.1:1 cannot be reached"));
  // A model that somebody made otherwise is left alone.
  fs::create_directories(at("hub/org/theirs"));
  write_file(at("hub/org/theirs/README.md"), "# By hand\n");
  const Outcome theirs = push("org/theirs");
  EXPECT_EQ(theirs.code, 2);
  EXPECT_THAT(theirs.err, HasSubstr("was not made by policy push"));
  EXPECT_EQ(read_file(at("hub/org/theirs/README.md")), "# By hand\n");
  // Folders that hold no policy.
  EXPECT_EQ(run(fmt::format("policy push {} org/mine", at("nothing"))).code, 2);
  fs::remove(at("policy") + "/model.safetensors");
  const Outcome empty = push("org/mine");
  EXPECT_EQ(empty.code, 1);
  EXPECT_THAT(empty.err, HasSubstr("model.safetensors"));
  EXPECT_FALSE(fs::exists(at("hub/org/mine")));
}

TEST_F(Push, TheCardSaysWhatTheRunMeasured) {
  const Outcome trained = run(fmt::format(
      "train --policy {} --run {} --quiet {} --set batch.prompts=2 --set batch.sampled_prompts=2 "
      "--set batch.rollouts=2 --set batch.dynamic_sampling=false --set sampling.max_new_tokens=4 "
      "--set run.steps=1 --set evaluation.problems=3 --set evaluation.levels=[0] "
      "--set train.learning_rate=0.00123",
      at("policy"), at("run"), kPushedShape));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string policy = at("run") + "/policy";
  const Outcome card = run(fmt::format("policy push {}/ org/mine --dry-run", policy));
  ASSERT_EQ(card.code, 0) << card.err;
  EXPECT_THAT(card.out,
              AllOf(HasSubstr("by the recipe `rlve` on the suite `Sorting`, after 1 updates"),
                    HasSubstr("| environment | policy | updates | solved | 95 % interval |"),
                    HasSubstr("| **all** | before | 0 | "), HasSubstr("| **all** | after | 1 | "),
                    HasSubstr("train.learning_rate = 0.00123\n"),
                    HasSubstr("what model that is was not recorded"), Not(HasSubstr("\nlicense:")),
                    Not(HasSubstr("\nbase_model:"))));
  EXPECT_THAT(card.out, Not(HasSubstr(fs::path(at("run")).parent_path().string())))
      << "paths of this machine are nobody's business";
  const Outcome told = run(fmt::format(
      "policy push {} org/mine --dry-run --base org/base@abc --license apache-2.0", policy));
  EXPECT_THAT(told.out, AllOf(HasSubstr("\nbase_model: org/base\n"), HasSubstr("org/base@abc"),
                              HasSubstr("\nlicense: \"apache-2.0\"\n")));
  const Outcome no_run =
      run(fmt::format("policy push {} org/mine --dry-run --run {}", policy, at("policy")));
  EXPECT_EQ(no_run.code, 2);
  EXPECT_THAT(no_run.err, HasSubstr("this is no run"));
}

TEST_F(Push, AdaptersNameTheirBaseOnTheHub) {
  const LoopbackHub hub(at("hub"), fs::path(at("hub")).parent_path());
  fs::copy(at("policy"), at("hub/org/base"));
  write_file(at("hub/org/base/README.md"), "---\nlicense: mit\n---\n# Base\n");
  ASSERT_EQ(with_hub(hub.url, sample("hf:org/base")).code, 0);
  // Beside a folder of this machine, and beside a snapshot of the Hub.
  ASSERT_EQ(run(fmt::format("policy adapt {} --out {} --rank 2", at("policy"), at("local"))).code,
            0);
  const Outcome refused = run(fmt::format("policy push {} org/mine --dry-run", at("local")));
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--base org/name"));
  fs::path snapshot;
  for (const auto& entry : fs::directory_iterator(at("cache/hub/models--org--base/snapshots")))
    snapshot = entry.path();
  ASSERT_EQ(
      run(fmt::format("policy adapt {} --out {} --rank 2", snapshot.string(), at("adapters"))).code,
      0);
  const Outcome pushed = with_hub(hub.url, fmt::format("policy push {} org/mine", at("adapters")));
  ASSERT_EQ(pushed.code, 0) << pushed.err;
  const Json config = Json::parse(read_file(at("hub/org/mine/adapter_config.json")));
  EXPECT_EQ(config["base_model_name_or_path"], "org/base");
  EXPECT_EQ(config["revision"], snapshot.filename().string());
  EXPECT_EQ(read_file(at("hub/org/mine/adapter_model.safetensors")),
            read_file(at("adapters") + "/adapter_model.safetensors"));
  EXPECT_THAT(read_file(at("hub/org/mine/README.md")),
              AllOf(HasSubstr("base_model: org/base\n"), HasSubstr("license: \"mit\"\n"),
                    HasSubstr("library_name: peft")));
}

// A file may not grow beyond a few kilobytes, as on a disk that is full.
TEST_F(Push, ADownloadWithoutRoomIsASentenceAndGoesOnLater) {
  const LoopbackHub hub(at("hub"), fs::path(at("hub")).parent_path());
  fs::copy(at("policy"), at("hub/org/small"));
  ASSERT_GT(fs::file_size(at("hub/org/small/model.safetensors")), 16U << 10);
  // Blocks of 512 bytes in sh.
  const Outcome full = with_hub(hub.url, sample("hf:org/small"), "", "trap '' XFSZ; ulimit -f 32;");
  EXPECT_EQ(full.code, 1) << full.err;
  EXPECT_THAT(full.err, HasSubstr("the disk is full"));
  const Outcome later = with_hub(hub.url, sample("hf:org/small"), "");
  EXPECT_EQ(later.code, 0) << later.err;
}

TEST_F(Push, AnInterruptedDownloadLeavesNoHalfAndGoesOnFileByFile) {
  const LoopbackHub hub(at("hub"), fs::path(at("hub")).parent_path());
  fs::copy(at("policy"), at("hub/org/slow"));
  // Interrupted as Ctrl-C does it once half of the weights are there.
  const std::string script = fmt::format(
      "import os, signal, subprocess, sys, time\n"
      "child = subprocess.Popen(sys.argv[1:], start_new_session=True)\n"
      "while not os.path.exists('{}') and child.poll() is None: time.sleep(0.05)\n"
      "time.sleep(1)\n"
      "os.killpg(child.pid, signal.SIGINT)\n"
      "code = child.wait(60)\n"
      "sys.exit(128 - code if code < 0 else code)\n",
      at("stalled"));
  write_file(at("interrupt.py"), script);
  const Outcome cut =
      with_hub(hub.url, sample("hf:org/slow"), "",
               "env HF_HUB_DOWNLOAD_TIMEOUT=60 /usr/bin/python3 " + at("interrupt.py"));
  EXPECT_EQ(cut.code, 130) << cut.err;
  EXPECT_THAT(cut.out, Not(HasSubstr("---- response")));
  write_file(at("go"), "");
  const Outcome later = with_hub(hub.url, sample("hf:org/slow"), "");
  EXPECT_EQ(later.code, 0) << later.err;
  EXPECT_EQ(later.out, run(sample(at("policy"))).out);
  // The weights are asked for again, files that were whole are not; no half of one is left.
  const std::string log = beside("log");
  const auto count = [&](const std::string& file) {
    const std::regex asked("GET /org/slow/resolve/[0-9a-f]+/" + file + " ");
    return std::distance(std::sregex_iterator(log.begin(), log.end(), asked),
                         std::sregex_iterator());
  };
  EXPECT_EQ(count("config.json"), 1) << log;
  EXPECT_EQ(count("model.safetensors"), 2) << log;
  for (const auto& entry : fs::recursive_directory_iterator(at("cache")))
    EXPECT_NE(entry.path().extension(), ".incomplete") << entry.path();
}

}  // namespace
}  // namespace redqueen
