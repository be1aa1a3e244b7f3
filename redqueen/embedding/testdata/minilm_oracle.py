"""What the Python packages tokenizers and sentence_transformers say, for word_piece_test.cc and minilm_test.cc.

  minilm_oracle.py tokens MODEL TEXTS OUT    for each text: its token numbers, cut as the model cuts them
  minilm_oracle.py embed MODEL TEXTS OUT     for each text: its embedding

TEXTS is a JSON list of strings, each the hexadecimal digits of a text's bytes. Bytes that are no UTF-8 are read as
U+FFFD, which the tokenizer drops.
"""

import json
import os
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"


def main():
    mode, model_folder, texts_file, out = sys.argv[1:]
    with open(texts_file) as file:
        texts = [bytes.fromhex(text).decode("utf-8", errors="replace") for text in json.load(file)]
    if mode == "tokens":
        from tokenizers import Tokenizer

        with open(os.path.join(model_folder, "sentence_bert_config.json")) as file:
            longest = json.load(file)["max_seq_length"]
        tokenizer = Tokenizer.from_file(os.path.join(model_folder, "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(longest)
        result = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    else:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(model_folder, device="cpu")
        result = [[float(x) for x in row] for row in model.encode(texts, batch_size=16)]
    with open(out, "w") as file:
        json.dump(result, file)


main()
