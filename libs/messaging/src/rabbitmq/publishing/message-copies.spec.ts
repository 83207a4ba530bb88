import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ModelConnection } from '../../../testing/model-connection.js';
import type { BrokerConnection } from '../connection/broker-connection.js';
import { MessageCopies } from './message-copies.js';

let connection: ModelConnection;
let copies: MessageCopies;
const problems: string[] = [];

beforeEach(async () => {
  vi.useFakeTimers();
  connection = new ModelConnection();
  problems.length = 0;
  copies = new MessageCopies(connection as unknown as BrokerConnection, (problem) => problems.push(problem));
  await vi.advanceTimersByTimeAsync(200);
});
afterEach(async () => {
  await copies.close();
  vi.useRealTimers();
});

const { signal } = new AbortController();
const put = (messageId: string) => copies.put('retry', Buffer.from('{}'), { messageId }, signal);

describe('copies', () => {
  it('are sent without waiting for the confirms of earlier ones', async () => {
    const sent = [put('1'), put('2')];
    await vi.advanceTimersByTimeAsync(0);
    expect(connection.confirms).toHaveLength(2);
    for (const confirm of connection.confirms) confirm(null);
    await Promise.all(sent);
  });

  it('are resent while the queue refuses them, and the problem is reported once', async () => {
    const sent = put('1');
    for (let refusals = 0; refusals < 3; refusals++) {
      await vi.waitFor(() => expect(connection.confirms).toHaveLength(1));
      connection.confirms.pop()!(new Error('message nacked'));
    }
    await vi.waitFor(() => expect(connection.confirms).toHaveLength(1));
    connection.confirms.pop()!(null);
    await sent;
    expect(problems).toEqual(['queue retry refuses messages']);
  });
});
