import type { Commit, EventStore, StreamPoint } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import type { CommandRun } from '../command-run.js';
import { showEvents } from './show-events.js';

const commit: Commit = {
  position: 17,
  partition: '7',
  stream: 'account-7',
  version: 2,
  command: { id: 'c0ffee', type: 'ChangePassword', hash: 'hash' },
  at: 1_768_478_400_000,
  actor: 'session:7',
  session: '7c1f',
  correlation: 'request-1',
  clientCorrelation: 'client-1',
  holds: ['otp:7:1:58949280'],
  events: [
    {
      type: 'PasswordChanged',
      v: 1,
      data: { generation: 2, note: 'a "quote"\nand \u001b[31m' },
      sealed: { passwordHash: 'k1.c2VhbGVk' },
    },
  ],
};

async function shown(commits: readonly Commit[] | EventStore['readStreams'], json: boolean) {
  const readStreams = typeof commits === 'function' ? commits : async () => commits;
  const lines: string[] = [];
  const write = async (line: string) => void lines.push(line);
  const run = {
    ports: { store: { readStreams } },
    output: { out: write, err: write },
    signal: new AbortController().signal,
  } as unknown as CommandRun;
  return { status: await showEvents({ stream: 'account-7', json }, run), lines };
}

describe('a commit is shown', () => {
  it('as text, one value per line and without secrets', async () => {
    expect(await shown([commit], false)).toEqual({
      status: 0,
      lines: [
        'account-7 2  2026-01-15T12:00:00.000Z',
        '  command      ChangePassword c0ffee',
        '  actor        session:7',
        '  session      7c1f',
        '  correlation  request-1',
        '  client id    client-1',
        '  position     17',
        '  holds        otp:7:1:58949280',
        '  PasswordChanged v1',
        '    generation: 2',
        '    note: "a \\"quote\\"\\nand \\u001b[31m"',
        '    passwordHash: sealed with key k1',
      ],
    });
  });

  it('as JSON, one line per commit, with its secrets replaced', async () => {
    const { lines } = await shown([commit, { ...commit, version: 3 }], true);
    const [event] = commit.events;
    const sealed = { passwordHash: 'sealed with key k1' };
    expect(JSON.parse(lines[0]!)).toEqual({ ...commit, events: [{ ...event, sealed }] });
    expect(lines).toHaveLength(2);
  });
});

it('a compacted stream is reported, and the positions of its commits are shown', async () => {
  const { causation: _, holds: __, ...left } = { ...commit, causation: '', stream: 'void-account-7', events: [] };
  const ofVoids = async ([point]: readonly StreamPoint[]) => (point?.stream === 'void-account-7' ? [left] : []);
  const { status, lines } = await shown(ofVoids, false);
  expect(status).toBe(0);
  expect(lines[0]).toBe('account-7 was compacted: its events were removed because of their age');
  expect(lines).toContain('  position     17');
});

it('a missing stream is a failure', async () => {
  expect(await shown([], false)).toMatchObject({ status: 1, lines: [expect.stringContaining('no stream account-7')] });
});
