"""A chat endpoint that plays a coding model for tests. Prints its port, then answers until stdin closes.

It takes the turns of a small story, one for each message that it was answered with: a poor policy, a look at the feedback, an edit, a
try, a submission of what is left, the end. What it was sent last is written to the file that the argument names."""
import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

POOR = """class Policy:
    def __init__(self, obs_space, action_space, env_meta):
        pass

    def act(self, obs):
        return 0
"""
EDIT = {'path': 'system/policy.py', 'find': 'return 0', 'replace': 'return int(obs[2] + obs[3] + 0.05 * obs[0] + 0.1 * obs[1] > 0)'}


def turn(number, messages):
    left = re.findall(r'"remaining_budget":(\d+)', json.dumps([m.get('content') for m in messages]).replace('\\', ''))
    story = [
        [('write', {'path': 'system/policy.py', 'text': POOR}), ('submit', {'cases': [0]})],
        [('read', {'path': 'feedback/submit_000/summary.json'}), ('read', {'path': '../judge/ledger.jsonl'})],
        [('edit', EDIT), ('write', {'path': '/tmp/escape', 'text': 'x'})],
        [('run', {'path': 'system/policy.py'}), ('submit', {'cases': [10 ** 9]}), ('nothing', {})],
        [('submit', {'cases': list(range(1, 1 + int(left[-1] if left else 1)))})],
    ]
    return story[number] if number < len(story) else [('finish', {})]


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        if len(sys.argv) > 1 and sys.argv[1]:
            with open(sys.argv[1], 'w') as file:
                json.dump(request, file)
        number = sum(message['role'] == 'assistant' for message in request['messages'])
        calls = [{'id': f'call_{number}_{i}', 'type': 'function', 'function': {'name': name, 'arguments': json.dumps(arguments)}}
                 for i, (name, arguments) in enumerate(turn(number, request['messages']))]
        message = {'role': 'assistant', 'content': f'turn {number}', 'tool_calls': calls}
        usage = {'prompt_tokens': 100, 'completion_tokens': 20}
        choice = {'index': 0, 'message': message, 'finish_reason': 'tool_calls'}
        body = json.dumps({'choices': [choice], 'usage': usage}).encode()
        if request.get('stream'):
            for i, call in enumerate(calls):
                call['index'] = i
            delta = {'choices': [{'index': 0, 'delta': message, 'finish_reason': None}]}
            end = {'choices': [{'index': 0, 'delta': {}, 'finish_reason': 'tool_calls'}], 'usage': usage}
            body = b''.join(b'data: ' + json.dumps(part).encode() + b'\n\n' for part in (delta, end)) + b'data: [DONE]\n\n'
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream' if request.get('stream') else 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
