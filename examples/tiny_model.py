"""A language model of a few thousand random weights with a tokenizer of bytes, so that the examples run on any machine,
offline, in seconds. Put a real one in its place: `AutoModelForCausalLM.from_pretrained(…)` and its tokenizer."""
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

TEMPLATE = ("{% for tool in tools or [] %}tool: {{ tool['function']['name'] }}\n{% endfor %}"
            "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
            "{% if add_generation_prompt %}assistant: {% endif %}")


def tiny_model(seed=0):
    """(model, tokenizer)."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(["<pad>", "<eos>", *alphabet])}
    bytes_alone = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytes_alone, pad_token="<pad>", eos_token="<eos>", padding_side="left")
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(seed)
    model = Qwen2ForCausalLM(Qwen2Config(
        vocab_size=len(vocabulary), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=8192, pad_token_id=0, eos_token_id=1, bos_token_id=None))
    return model, tokenizer
