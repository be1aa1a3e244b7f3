"""TRL's GRPOTrainer with a reward function that asks the server: two steps of a random model of some thousand weights."""
import tempfile

from common import Checks, arguments, ask, tries
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer

given, check = arguments(__doc__), Checks()


def reward(completions, address, **_):  # what a user writes
    texts = [one if isinstance(one, str) else one[-1]["content"] for one in completions]
    items = [{"address": where, "response": text} for where, text in zip(address, texts)]
    return [verdict["reward"] for verdict in ask(f"{given.url}/v1/score", {"items": items})["verdicts"]]


for problem, response, is_right in tries(given.problems):
    got = reward([[{"role": "assistant", "content": response}]], [problem["address"]])
    check("the reward", is_right(got[0]), (problem["address"], got))

heard = []


def overheard(completions, address, **more):
    rewards = reward(completions, address, **more)
    heard.extend(zip(address, [one[-1]["content"] for one in completions], rewards))
    return rewards


letters = sorted(pre_tokenizers.ByteLevel.alphabet())
bytes_only = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(["<pad>", "<eos>", *letters])}, merges=[]))
bytes_only.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
bytes_only.decoder = decoders.ByteLevel()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytes_only, pad_token="<pad>", eos_token="<eos>", padding_side="left")
tokenizer.chat_template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
model = Qwen2ForCausalLM(Qwen2Config(vocab_size=len(letters) + 2, hidden_size=16, intermediate_size=32, num_hidden_layers=1,
                                     num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=2048))
rows = Dataset.from_list([{"prompt": [{"role": "user", "content": problem["prompt"]}], "address": problem["address"]}
                          for problem in given.problems])
with tempfile.TemporaryDirectory() as folder:
    settings = GRPOConfig(output_dir=folder, per_device_train_batch_size=4, num_generations=2, max_completion_length=8,
                          max_steps=2, report_to=[], save_strategy="no", use_cpu=True, logging_steps=1)
    GRPOTrainer(model=model, reward_funcs=overheard, processing_class=tokenizer, train_dataset=rows, args=settings).train()
check("two batches of four were asked", len(heard) == 8, len(heard))
for address, text, value in heard:
    alone = ask(f"{given.url}/v1/score", {"address": address, "response": text})["reward"]
    check("alone it is scored the same", alone == value, (address, text, value, alone))
check.end()
