"""What the Python package `tokenizers` says, for tokenizer_test.cc and bpe_trainer_test.cc.

  tokenizer_oracle.py make KIND CORPUS OUT          a tokenizer.json of a KIND, trained on CORPUS
  tokenizer_oracle.py train OPTIONS CORPUS OUT      a tokenizer.json trained with our options
  tokenizer_oracle.py encode TOKENIZER TEXTS OUT    for each text: token numbers, decoded text

CORPUS and TEXTS are JSON lists of strings, OPTIONS a JSON object, all in files.
"""

import json
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), behavior="isolated", invert=False)


def byte_level(use_regex):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=use_regex)


QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3 = QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")

KINDS = {
    "qwen": (normalizers.NFC(), [split(QWEN), byte_level(False)]),
    "gpt2": (None, [byte_level(True)]),
    "llama3": (None, [split(LLAMA3), byte_level(False)]),
    "splits": (None, [split(r"\p{N}{1,3}"), split(r"[一-龥぀-ゟ゠-ヿ]+"), split(QWEN), byte_level(False)]),
}


def train(pieces, normalizer, corpus, vocab_size, min_frequency, special_tokens):
    tokenizer = Tokenizer(models.BPE())
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pieces[0] if len(pieces) == 1 else pre_tokenizers.Sequence(pieces)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus, trainer)
    return tokenizer


def make(kind, corpus, out):
    normalizer, pieces = KINDS[kind]
    tokenizer = train(pieces, normalizer, corpus, 900, 2, ["<|endoftext|>", "<|im_start|>"])
    # Added after training, as chat models have them: not all special, one normalized, one inside another.
    tokenizer.add_tokens(
        [
            AddedToken("<think>", special=False, normalized=False),
            AddedToken("<think>!", special=False, normalized=False),
            AddedToken("caf\u00e9 noir", special=False, normalized=True),
        ]
    )
    text = json.loads(tokenizer.to_str())
    text["model"]["ignore_merges"] = kind == "llama3"
    with open(out, "w") as file:
        json.dump(text, file)


def main():
    mode, first, second, out = sys.argv[1:]
    with open(second) as file:
        texts = json.load(file)
    if mode == "make":
        make(first, texts, out)
    elif mode == "train":
        with open(first) as file:
            options = json.load(file)
        tokenizer = train([split(options.pop("pattern")), byte_level(False)], None, texts, **options)
        tokenizer.save(out)
    elif mode == "encode":
        tokenizer = Tokenizer.from_file(first)
        encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
        decoded = [tokenizer.decode(encoding.ids) for encoding in encodings]
        with open(out, "w") as file:
            json.dump([[encoding.ids, text] for encoding, text in zip(encodings, decoded)], file)


main()
