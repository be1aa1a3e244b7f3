#!/usr/bin/env python3
"""evopolicygym-session: asks the judge of the run in whose workspace an agent works. The last line on stdout (or, when the judge says
no, on stderr) is its answer in JSON. Exit code 0: done; 1: the judge refused; 2: it could not be asked."""
import argparse
import json
import os
import pathlib
import socket
import struct
import sys


def episodes(text):
    """"0:2,4:8" or "3": numbers of training cases, ranges half open."""
    numbers = []
    for part in text.split(','):
        first, colon, end = part.partition(':')
        numbers += range(int(first), int(end) if colon else int(first) + 1)
    return numbers


def exactly(connection, count):
    data = b''
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError('the judge ended the connection')
        data += part
    return data


def ask(workspace, request):
    os.chdir(workspace)  # the socket's name is short where it is seen from here
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ['EVOPOLICYGYM_SESSION_SOCKET'])
        body = json.dumps({'protocol': 'agent-session/v3', **request}).encode()
        connection.sendall(struct.pack('>I', len(body)) + body)
        return json.loads(exactly(connection, struct.unpack('>I', exactly(connection, 4))[0]))


def main():
    parser = argparse.ArgumentParser(prog='evopolicygym-session', description='Submit the policy, or end the search.')
    verbs = parser.add_subparsers(dest='method', required=True)
    submit = verbs.add_parser('submit', help='play training episodes with the policy in program/')
    submit.add_argument('program', help='the folder program/ of the workspace')
    submit.add_argument('--episodes', required=True, type=episodes, help='which, rising: "0:2,4:8"')
    finish = verbs.add_parser('finish', help='end the search and name the submissions to choose from')
    finish.add_argument('submission_ids', nargs='+')
    given = parser.parse_args()
    try:
        workspace = pathlib.Path(os.environ['EVOPOLICYGYM_WORKSPACE'])
        if given.method == 'submit':
            if pathlib.Path(given.program).resolve(strict=True) != (workspace / 'program').resolve(strict=True):
                raise ValueError(f'{given.program} is not the folder program/ of the workspace')
            answer = ask(workspace, {'method': 'submit', 'episode_indices': given.episodes})
        else:
            answer = ask(workspace, {'method': 'finish', 'submission_ids': given.submission_ids})
    except (OSError, KeyError, ValueError, EOFError) as error:
        answer = {'ok': False, 'error': {'code': 'client_error', 'message': f'{type(error).__name__}: {error}'}}
    fine = answer.get('ok') is True
    print(json.dumps(answer, sort_keys=True), file=sys.stdout if fine else sys.stderr)
    return 0 if fine else 2 if answer['error']['code'] == 'client_error' else 1


if __name__ == '__main__':
    sys.exit(main())
