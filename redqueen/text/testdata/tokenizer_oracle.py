"""What the Python package `tokenizers` says, for tokenizer_test.cc and bpe_trainer_test.cc.

  tokenizer_oracle.py make KIND CORPUS OUT          a tokenizer.json of a KIND, trained on CORPUS
  tokenizer_oracle.py train OPTIONS CORPUS OUT      a tokenizer.json trained with our options
  tokenizer_oracle.py encode TOKENIZER TEXTS OUT    for each text: token numbers, with the post-processor's, decoded text

CORPUS and TEXTS are JSON lists of strings, OPTIONS a JSON object, all in files.
"""

import json
import sys

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), behavior="isolated", invert=False)


def byte_level(use_regex):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=use_regex)


QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3 = QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")

DEEPSEEK = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CJK = r"[一-龥぀-ゟ゠-ヿ]+"


# Normalizer and pre-tokenizers as the families have them.
KINDS = {
    "qwen": (normalizers.NFC(), [split(QWEN), byte_level(False)]),
    "gpt2": (None, [byte_level(True)]),
    "llama3": (None, [split(LLAMA3), byte_level(False)]),
    "deepseek": (
        normalizers.Sequence([]),
        [split(r"\p{N}{1,3}"), split(CJK), split(DEEPSEEK), byte_level(False)],
    ),
    "smollm": (None, [pre_tokenizers.Digits(individual_digits=True), byte_level(True)]),
    "digit_runs": (None, [pre_tokenizers.Digits(individual_digits=False), byte_level(True)]),
    # Phi-4 and OLMo 2 remove what their pattern does not match, which is nothing.
    "removed": (
        None,
        [
            pre_tokenizers.Split(Regex(LLAMA3), behavior="removed", invert=True),
            byte_level(False),
        ],
    ),
    # Falcon cuts on after ByteLevel, in the byte alphabet.
    "falcon": (
        None,
        [
            pre_tokenizers.Punctuation(behavior="contiguous"),
            byte_level(True),
            pre_tokenizers.Digits(individual_digits=False),
            split(r"[0-9][0-9][0-9]"),
        ],
    ),
    "prefix": (
        normalizers.Sequence([normalizers.NFKC(), normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]),
        [pre_tokenizers.ByteLevel(add_prefix_space=True, trim_offsets=False, use_regex=True)],
    ),
    "prefix_pieces": (
        normalizers.NFD(),
        [
            pre_tokenizers.Split(Regex(r"\p{N}"), behavior="merged_with_previous"),
            pre_tokenizers.Split("e", behavior="merged_with_next"),
            pre_tokenizers.Split(Regex(r"\s"), behavior="contiguous", invert=True),
            pre_tokenizers.Split(Regex(r"[;?]"), behavior="removed"),
            pre_tokenizers.Punctuation(behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=True, trim_offsets=False, use_regex=False),
        ],
    ),
    "distilled": (normalizers.Sequence([normalizers.NFC()]), [split(QWEN), byte_level(False)]),
}


def metaspace(scheme):
    return pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme=scheme, split=False)


# Vocabularies of characters: normalizer, pre-tokenizer, whether the decoder strips the first space.
SPACE = "\u2581"
TO_SPACES = normalizers.Replace(" ", SPACE)
CHARACTER_KINDS = {
    "llama_spm": (normalizers.Sequence([normalizers.Prepend(SPACE), TO_SPACES]), None, True),
    "mistral": (None, metaspace("first"), True),
    "always": (None, metaspace("always"), True),
    "never": (normalizers.NFC(), metaspace("never"), False),
    "split": (normalizers.NFKD(), pre_tokenizers.Metaspace(SPACE, "first", split=True), True),
    "whole": (None, metaspace("first"), True),
    "gemma": (TO_SPACES, pre_tokenizers.Split(" ", behavior="merged_with_previous"), False),
}


# Vocabularies that lack bytes: of which kind, and the options of the model.
GAPS = {
    "gaps": ("gpt2", {}),
    "gaps_whole": ("llama3", {"ignore_merges": True}),
    "gaps_unknown": ("qwen", {"unk_token": "<|endoftext|>"}),
    "gaps_fused": ("gpt2", {"unk_token": "<|endoftext|>", "fuse_unk": True}),
    "gaps_characters": ("gemma", {"unk_token": None}),
    "gaps_characters_unknown": ("mistral", {"fuse_unk": False}),
    "gaps_characters_fused": ("gemma", {}),
}
LACKING = b"\x00\x04\r7Tz\x80\x93\x9f\xa9\xc0\xc3\xd7\xf0\xff"


def remove_bytes(tokenizer):
    """Takes the bytes of LACKING out, and numbers what is left as `tokenizers` does when it reads a file."""
    model = tokenizer["model"]
    vocab = model["vocab"]
    if model["byte_fallback"]:
        gone = {f"<0x{byte:02X}>" for byte in LACKING}
    else:
        alphabet = [*range(33, 127), *range(161, 173), *range(174, 256)]
        others = [byte for byte in range(256) if byte not in alphabet]
        gone = {chr(byte if byte in alphabet else 256 + others.index(byte)) for byte in LACKING}
    assert len(gone) == len(LACKING) and all(vocab.pop(token) is not None for token in gone)
    model["merges"] = [merge for merge in model["merges"] if gone.isdisjoint(merge)]
    model["vocab"] = {token: i for i, token in enumerate(sorted(vocab, key=vocab.get))}
    for token in tokenizer["added_tokens"]:
        if token["content"] in model["vocab"]:
            token["id"] = model["vocab"][token["content"]]
        else:
            token["id"] -= len(gone)


def post_processor(kind, tokenizer):
    begin, end = "<|endoftext|>", "<|im_start|>"
    ids = [(token, tokenizer.token_to_id(token)) for token in (begin, end)]
    byte_level = processors.ByteLevel(trim_offsets=False)
    if kind in ("llama3", "llama_spm", "mistral"):
        template = processors.TemplateProcessing(
            single=f"{begin} $A", pair=f"{begin} $A {begin} $B:1", special_tokens=ids
        )
        return processors.Sequence([byte_level, template]) if kind == "llama3" else template
    if kind == "distilled":
        return processors.TemplateProcessing(single=f"{begin} $A {end}", special_tokens=ids)
    if kind == "removed":
        return processors.RobertaProcessing(ids[1], ids[0], trim_offsets=False)
    if kind == "whole":
        return processors.BertProcessing(ids[1], ids[0])
    return byte_level if kind == "qwen" else None


def train_characters(kind, corpus):
    """BPE with byte_fallback. Words are cut for the training only."""
    normalizer, pieces, strips = CHARACTER_KINDS[kind]
    special = ["<unk>", "<|endoftext|>", "<|im_start|>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = TO_SPACES
    tokenizer.pre_tokenizer = pre_tokenizers.Split(SPACE, behavior="merged_with_next")
    trainer = trainers.BpeTrainer(
        vocab_size=1100,
        min_frequency=2,
        special_tokens=special + [f"<0x{byte:02X}>" for byte in range(256)],
        limit_alphabet=300,
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus, trainer)
    text = json.loads(tokenizer.to_str())
    # Bytes are tokens of the model only.
    text["added_tokens"] = [token for token in text["added_tokens"] if token["content"] in special]
    text["normalizer"] = text["pre_tokenizer"] = None
    tokenizer = Tokenizer.from_str(json.dumps(text))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pieces is not None:
        tokenizer.pre_tokenizer = pieces
    parts = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    if strips:
        parts.append(decoders.Strip(" ", 1, 0))
    tokenizer.decoder = decoders.Sequence(parts)
    return tokenizer


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
    kind, options = GAPS.get(kind, (kind, None))
    if kind in KINDS:
        normalizer, pieces = KINDS[kind]
        tokenizer = train(pieces, normalizer, corpus, 900, 2, ["<|endoftext|>", "<|im_start|>"])
    else:
        tokenizer = train_characters(kind, corpus)
    # Added after training, as chat models have them: not all special, some normalized, one inside another.
    tokenizer.add_tokens(
        [
            AddedToken("<think>", special=False, normalized=False),
            AddedToken("<think>!", special=False, normalized=False),
            AddedToken("caf\u00e9 noir", special=False, normalized=True),
            AddedToken("\u00c3\u00a9!", special=False, normalized=False),
            AddedToken("<mask>", lstrip=True, normalized=False),
            AddedToken("<fill>", lstrip=True, rstrip=True, normalized=True),
            AddedToken("whole", single_word=True, normalized=kind == "qwen"),
        ]
    )
    tokenizer.add_special_tokens([AddedToken("<|pad|>", rstrip=True, normalized=False, special=True)])
    processor = post_processor(kind, tokenizer)
    if processor is not None:
        tokenizer.post_processor = processor
    text = json.loads(tokenizer.to_str())
    text["model"]["ignore_merges"] = kind in ("llama3", "whole")
    if options is not None:
        remove_bytes(text)
        text["model"].update(options)
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
        whole = tokenizer.encode_batch(texts, add_special_tokens=True)
        with open(out, "w") as file:
            json.dump([[a.ids, b.ids, tokenizer.decode(a.ids)] for a, b in zip(encodings, whole)], file)


main()
