#!/usr/bin/env python3
"""Decoding and training on the CPU beside transformers, TRL and llama.cpp: the same shapes, one thread, CPU milliseconds.

Engines take turns, and of several rounds the least counts. Decoding is a step of 1, 8, 16 or 32 rows behind a prompt of 64 tokens;
a prefill computes a prompt of 512 tokens and what it predicts; training is forward, backward and AdamW over groups of responses to
the same prompt, once with 8 responses to a prompt of 128 tokens, once (100M-group) with 16 to one of 256; a GRPO step samples,
rewards and trains. SmolLM2-135M has the shape of that checkpoint, with random weights. Everything is done once before it is
measured. Needs a build (build/train_bench). What .venv lacks is installed in a separate environment, build/peers, once.

    bench/peers.py [--shapes 0.5M 100M 100M-group] [--peers transformers trl llama.cpp] [--rounds 3] [--json FILE]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
# As in redqueen/train/peers_bench.cc.
SHAPES = {
    "0.5M": {"vocabulary": 1200, "hidden": 96, "inner": 256, "layers": 4, "heads": 4, "kv_heads": 2, "head_dim": 24,
             "groups": 8, "rollouts": 8, "prompt": 64, "response": 48},
    "100M": {"vocabulary": 32000, "hidden": 768, "inner": 2304, "layers": 12, "heads": 12, "kv_heads": 4, "head_dim": 64,
             "groups": 2, "rollouts": 8, "prompt": 128, "response": 64},
    "SmolLM2-135M": {"vocabulary": 49152, "hidden": 576, "inner": 1536, "layers": 30, "heads": 9, "kv_heads": 3, "head_dim": 64,
                     "groups": 4, "rollouts": 8, "prompt": 64, "response": 64, "rows": (1, 8, 32), "prefill": 512},
}
# A group as RLVE has them; it decodes as 100M does.
SHAPES["100M-group"] = SHAPES["100M"] | {"groups": 1, "rollouts": 16, "prompt": 256, "rows": ()}
PROMPT, STEPS, ROWS = 64, 64, (1, 16)
PEERS = ("transformers", "trl", "llama.cpp")
PACKAGES = {"llama.cpp": ["xllamacpp==2026.10.11549", "gguf==0.19.0"]}  # llama-cpp-python has no wheels
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1"}


def environment(peers):
    """The python of build/peers, which sees all of .venv and has what `peers` need besides."""
    wanted = sorted(package for peer in peers for package in PACKAGES.get(peer, []))
    python = ROOT / ".venv/bin/python"
    if not wanted:
        return python
    folder = ROOT / "build/peers"
    noted = folder / ".packages"
    if not noted.exists() or noted.read_text() != " ".join(wanted):
        print(f"peers.py: installing {' '.join(wanted)}", file=sys.stderr)
        subprocess.run([python, "-m", "venv", folder], check=True)
        ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
        shared, own = (subprocess.run([which, "-c", ask], check=True, capture_output=True, text=True).stdout.strip()
                       for which in (python, folder / "bin/python"))
        (pathlib.Path(own) / "shared.pth").write_text(shared + "\n")
        subprocess.run([folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:",
                        *wanted], check=True)
        noted.write_text(" ".join(wanted))
    return folder / "bin/python"


def rows_of(shape):
    return shape.get("rows", ROWS)


# ---- Each engine: shape → {"decode 1": ms, "decode 16": ms, "prefill": ms, "train": ms, "grpo": ms}, as far as it can. ----

def redqueen(name, dtype):
    output = subprocess.run([ROOT / "build/train_bench", f"--benchmark_filter=^(decode|prefill|train|grpo)/{name}/{dtype}(/|$)",
                             "--benchmark_format=json"], check=True, capture_output=True, text=True,
                            env={**os.environ, **ONE_THREAD}).stdout
    result = {}
    for row in json.loads(output)["benchmarks"]:
        what, _, _, *rest = row["name"].split("/iterations")[0].split("/")
        if row.get("error_occurred"):
            raise RuntimeError(f"{row['name']}: {row['error_message']}")
        result[f"decode {rest[0]}" if what == "decode" else what] = row["cpu_time"]
    return result


def model_of(shape):
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(1)
    return Qwen3ForCausalLM(Qwen3Config(
        vocab_size=shape["vocabulary"], hidden_size=shape["hidden"], intermediate_size=shape["inner"],
        num_hidden_layers=shape["layers"], num_attention_heads=shape["heads"], num_key_value_heads=shape["kv_heads"],
        head_dim=shape["head_dim"], max_position_embeddings=1024, tie_word_embeddings=True, bos_token_id=None,
        eos_token_id=None, pad_token_id=None))


def cpu_milliseconds(work):
    begin = time.process_time()
    work()
    return 1000 * (time.process_time() - begin)


def transformers(name, dtype):
    import torch

    torch.set_num_threads(1)
    shape = SHAPES[name]
    model = model_of(shape).to(getattr(torch, dtype))
    result = {}
    for rows in rows_of(shape):
        ids = torch.randint(1, shape["vocabulary"], (rows, PROMPT))

        def generate(length, ids=ids):
            with torch.inference_mode():
                model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0, min_new_tokens=length,
                               max_new_tokens=length, pad_token_id=0)

        generate(4)
        first = cpu_milliseconds(lambda: generate(1))  # the prompt
        result[f"decode {rows}"] = (cpu_milliseconds(lambda: generate(STEPS + 1)) - first) / STEPS
    if "prefill" in shape:
        ids = torch.randint(1, shape["vocabulary"], (1, shape["prefill"]))

        def prefill():
            with torch.inference_mode():
                model(ids, use_cache=True, logits_to_keep=1)

        prefill()
        result["prefill"] = cpu_milliseconds(prefill)
    rows = shape["groups"] * shape["rollouts"]
    ids = torch.randint(1, shape["vocabulary"], (rows, shape["prompt"] + shape["response"]))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)

    def step():
        logits = model(ids, logits_to_keep=shape["response"] + 1).logits[:, :-1]
        chosen = ids[:, -shape["response"]:]
        torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), chosen.flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()

    step()
    result["train"] = cpu_milliseconds(step)
    return result


def trl(name, dtype):
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    torch.set_num_threads(1)
    shape = SHAPES[name]
    words = Tokenizer(models.WordLevel({f"w{i}": i for i in range(shape["vocabulary"])}, unk_token="w0"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    texts = [" ".join(f"w{1 + (i * 7919 + j * 104729) % (shape['vocabulary'] - 1)}" for j in range(shape["prompt"]))
             for i in range(shape["groups"])]
    rows = shape["groups"] * shape["rollouts"]
    times = []

    class Timed(GRPOTrainer):
        def training_step(self, *arguments, **keywords):
            times.append(time.process_time())
            return super().training_step(*arguments, **keywords)

    with tempfile.TemporaryDirectory() as out:
        trainer = Timed(
            model=model_of(shape).to(getattr(torch, dtype)),
            processing_class=PreTrainedTokenizerFast(tokenizer_object=words, eos_token="w0", pad_token="w0"),
            reward_funcs=lambda completion_ids, **_: [float(i % 2) for i in range(len(completion_ids))],
            train_dataset=Dataset.from_list([{"prompt": text} for text in texts]),
            args=GRPOConfig(
                output_dir=out, use_cpu=True, report_to=[], save_strategy="no", logging_steps=1000,
                per_device_train_batch_size=rows, gradient_accumulation_steps=1, num_generations=shape["rollouts"],
                max_completion_length=shape["response"], max_steps=2, beta=0.0, learning_rate=1e-6, temperature=1.0,
                bf16=dtype == "bfloat16", disable_tqdm=True,
                generation_kwargs={"min_new_tokens": shape["response"]}))
        trainer.train()
        times.append(time.process_time())
    return {"grpo": 1000 * (times[-1] - times[-2])}  # the first step warms up


def write_gguf(model, shape, dtype, file):
    """The model as llama.cpp reads it, with a vocabulary of words that nobody uses: prompts are tokens."""
    import gguf
    import torch

    writer = gguf.GGUFWriter(file, "qwen3")
    writer.add_context_length(1024)
    writer.add_embedding_length(shape["hidden"])
    writer.add_block_count(shape["layers"])
    writer.add_feed_forward_length(shape["inner"])
    writer.add_head_count(shape["heads"])
    writer.add_head_count_kv(shape["kv_heads"])
    writer.add_key_length(shape["head_dim"])
    writer.add_value_length(shape["head_dim"])
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e4)
    writer.add_tokenizer_model("llama")
    special = [b"<unk>", b"<s>", b"</s>"]
    writer.add_token_list(special + [f"w{i}".encode() for i in range(3, shape["vocabulary"])])
    writer.add_token_scores([0.0] * shape["vocabulary"])
    writer.add_token_types([2, 3, 3] + [1] * (shape["vocabulary"] - 3))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.QWEN3, shape["layers"])
    for key, tensor in model.state_dict().items():
        if key == "lm_head.weight":
            continue  # tied
        wide = tensor.dim() == 1 or dtype == "float32"
        data = tensor.float().numpy() if wide else tensor.to(torch.bfloat16).view(torch.int16).numpy().view("uint8")
        writer.add_tensor(names.get_name(key, (".weight",)), data,
                          raw_dtype=None if wide else gguf.GGMLQuantizationType.BF16)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def llama_cpp(name, dtype):
    import xllamacpp

    shape = SHAPES[name]
    result = {}
    if not rows_of(shape):
        return result
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model.gguf")
        write_gguf(model_of(shape), shape, dtype, file)
        parameters = xllamacpp.CommonParams()
        parameters.model.path = file
        parameters.n_ctx = 512 * max(rows_of(shape))
        parameters.n_parallel = max(rows_of(shape))
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
        parameters.n_gpu_layers = 0
        parameters.warmup = False
        server = xllamacpp.Server(parameters)

        def ask(row, length):
            prompt = [3 + (row * 7919 + j * 104729) % (shape["vocabulary"] - 3) for j in range(PROMPT)]
            body = {"prompt": prompt, "n_predict": length, "ignore_eos": True, "cache_prompt": False, "temperature": 1.0,
                    "samplers": ["temperature"], "return_tokens": True}
            request = urllib.request.Request(f"{server.listening_address}/completion", json.dumps(body).encode(),
                                             {"Content-Type": "application/json"})
            answer = json.load(urllib.request.urlopen(request, timeout=600))
            assert answer["tokens_predicted"] == length, answer

        def all_rows(rows, length):
            threads = [threading.Thread(target=ask, args=(row, length)) for row in range(rows)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        for rows in rows_of(shape):
            all_rows(rows, 4)
            first = cpu_milliseconds(lambda rows=rows: all_rows(rows, 1))
            result[f"decode {rows}"] = (cpu_milliseconds(lambda rows=rows: all_rows(rows, STEPS + 1)) - first) / STEPS
    return result


ENGINES = {"redqueen": redqueen, "transformers": transformers, "trl": trl, "llama.cpp": llama_cpp}


def floor(name, dtype):
    """Milliseconds that one thread takes to read the weights of a step once, the better of a sum and a copy."""
    import torch

    torch.set_num_threads(1)
    shape = SHAPES[name]
    numbers = sum(parameter.numel() for parameter in model_of(shape).parameters())
    memory = torch.ones(numbers if dtype == "float32" else numbers // 2)
    other = torch.empty_like(memory)
    best = min(min(cpu_milliseconds(memory.sum), cpu_milliseconds(lambda: other.copy_(memory)) / 2) for _ in range(5))
    return {f"decode {rows}": best for rows in rows_of(shape)}


def training_gflop(shape, shared):
    """Operations in matrix products of a step of training, a prompt counted once, or once a response, in 10⁹."""
    width = shape["hidden"]
    heads, kv_heads = shape["heads"] * shape["head_dim"], shape["kv_heads"] * shape["head_dim"]
    body = shape["layers"] * (width * (2 * heads + 2 * kv_heads) + 3 * width * shape["inner"])
    groups, rollouts, prompt, response = (shape[key] for key in ("groups", "rollouts", "prompt", "response"))
    prompts = groups * (1 if shared else rollouts)
    tokens = prompts * prompt + groups * rollouts * response
    pairs = prompts * prompt**2 / 2 + groups * rollouts * response * (prompt + response / 2)
    predicted = groups * rollouts * response
    return (6 * (body * tokens + shape["vocabulary"] * width * predicted) + 12 * shape["layers"] * heads * pairs) / 1e9


def measure(python, engine, shape, dtype):
    done = subprocess.run([python, __file__, "--one", engine, shape, dtype], capture_output=True, text=True,
                          env={**os.environ, **ONE_THREAD})
    if done.returncode != 0:
        raise SystemExit(f"peers.py: {engine}, {shape}, {dtype}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument("--types", nargs="+", choices=("float32", "bfloat16"), default=["float32", "bfloat16"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path, help="where to write the lines of the table")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)  # one measurement, in a separate process
    options = parser.parse_args()
    if options.one:
        engine, shape, dtype = options.one
        print(json.dumps(floor(shape, dtype) if engine == "floor" else ENGINES[engine](shape, dtype)))
        return
    if not (ROOT / "build/train_bench").exists():
        raise SystemExit("peers.py: there is no build/train_bench; make it with: cmake --build build --target train_bench")
    python = environment(options.peers)
    rows = []
    for shape in options.shapes:
        for dtype in options.types:
            best = {}
            for _ in range(options.rounds):
                for engine in ["redqueen", *options.peers, "floor"]:
                    for what, value in measure(python, engine, shape, dtype).items():
                        mine = best.setdefault(engine, {})
                        mine[what] = min(value, mine.get(what, value))
            decodes = [f"decode {count}" for count in rows_of(SHAPES[shape])]
            for what in decodes + ["prefill"] * ("prefill" in SHAPES[shape]) + ["train", "grpo"]:
                rows.append([shape, dtype, what] + [best.get(engine, {}).get(what)
                                                    for engine in ("redqueen", *PEERS, "floor")])
    print("| shape | type | CPU ms of a step | redqueen | transformers | TRL | llama.cpp | floor |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        print("| " + " | ".join("" if value is None else value if isinstance(value, str) else f"{value:.3g}"
                                for value in row) + " |")
    for shape in options.shapes:
        ours, theirs = (training_gflop(SHAPES[shape], shared) for shared in (True, False))
        print(f"{shape}: a step of training takes {ours:.3g} GFLOP where a prompt is computed once, {theirs:.3g} where it is "
              f"computed for every response: {theirs / ours:.2f} times at equal speed.")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
