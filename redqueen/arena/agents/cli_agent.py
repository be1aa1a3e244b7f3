"""Lets a coding program that takes one prompt a call answer the turns of an arena's judge: each prompt becomes a call, and what the
program says at its end becomes the answer. Its argument is a JSON object: the words of the first call and of those that follow; the
prompt is added as the last word."""
import json
import subprocess
import sys


def events(output):
    """The JSON objects that the program printed, one a line."""
    for line in output.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def said(event):
    """The text of an event that has some: of Claude Code and Qoder a result, of Codex a message, of Kimi one of the assistant's."""
    item = event.get("item")
    if event.get("type") == "result":
        return event.get("result")
    if isinstance(item, dict) and item.get("type") == "agent_message":
        return item.get("text")
    return event.get("content") if event.get("role") == "assistant" else None


def complaint(event):
    """The text of an event that reports a fault: of Codex an error, or the turn that ended with one."""
    fault = event.get("error") if event.get("type") == "turn.failed" else event if event.get("type") == "error" else None
    return fault.get("message") if isinstance(fault, dict) else None


def used(event):
    """The tokens that a call took, where an event sums them up."""
    usage = event.get("usage") if event.get("type") in ("result", "turn.completed") else None
    if not isinstance(usage, dict):
        return None
    cached = sum(usage.get(name, 0) for name in ("cache_creation_input_tokens", "cache_read_input_tokens"))
    total = usage.get("input_tokens", 0) + cached
    return {"input_tokens": total, "cached_tokens": cached or usage.get("cached_input_tokens", 0),  # one program's input includes them
            "output_tokens": usage.get("output_tokens", 0)}


def answer(words, message):
    done = subprocess.run([*words, message], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace")
    told = list(events(done.stdout))
    tell = complaint if done.returncode and any(map(complaint, told)) else said
    texts = [text for text in map(tell, told) if isinstance(text, str) and text]
    usages = [usage for usage in map(used, told) if usage]
    data = {"exit_code": done.returncode, **({"usage": usages[-1]} if usages else {})}
    text = texts[-1] if texts else done.stdout[-4000:]
    return {"text": text, "data": data, **({"stop": True} if done.returncode else {})}


calls = json.loads(sys.argv[1])
for line in sys.stdin:
    prompt = json.loads(line)
    words = calls["first" if prompt["turn"] == 1 else "next"]
    print(json.dumps(answer(words, prompt["message"])), flush=True)
