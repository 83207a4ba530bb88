import { describe, expect, it } from 'vitest';
import { firstErrorOf, reasonOf } from './reason-of.js';

const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}:5672`);
/** As Node makes it for a host with several addresses: without a message. */
const bothRefused = () =>
  Object.assign(new AggregateError([refused('::1'), refused('127.0.0.1')]), { code: 'ECONNREFUSED' });
const BOTH = 'connect ECONNREFUSED ::1:5672; connect ECONNREFUSED 127.0.0.1:5672';

describe('the reason of an error is', () => {
  it('its message', () => {
    expect(reasonOf(new Error(' write EPROTO: wrong version number\n'))).toBe('write EPROTO: wrong version number');
  });

  it('the messages of all errors that it joins', () => {
    expect(reasonOf(bothRefused())).toBe(BOTH);
    expect(reasonOf(new AggregateError([refused('::1'), refused('127.0.0.1')], 'no address answers'))).toBe(
      `no address answers: ${BOTH}`,
    );
  });

  it('its message and that of its cause', () => {
    expect(reasonOf(new TypeError('fetch failed', { cause: bothRefused() }))).toBe(`fetch failed: ${BOTH}`);
    expect(reasonOf(new Error('', { cause: refused('::1') }))).toBe('connect ECONNREFUSED ::1:5672');
    expect(reasonOf(new Error('cannot connect', { cause: 'no route' }))).toBe('cannot connect: no route');
    expect(reasonOf(new Error('cannot connect', { cause: { servers: 1 } }))).toBe('cannot connect');
  });

  it('not repeated, even if several errors have it', () => {
    const wrapped = new Error(`RabbitMQ is down: ${BOTH}`, { cause: bothRefused() });
    expect(reasonOf(wrapped)).toBe(wrapped.message);
    expect(reasonOf(new Error('cannot send', { cause: wrapped }))).toBe(`cannot send: ${wrapped.message}`);
    expect(reasonOf(new AggregateError([refused('::1'), refused('::1')]))).toBe('connect ECONNREFUSED ::1:5672');
  });

  it('that of the work, and then that of the disposal that failed after it', () => {
    const work = new RangeError('cannot read', { cause: refused('::1') });
    const later = new SuppressedError(new Error('cannot close'), new Error('cannot remove'));
    const joined = new SuppressedError(later, work);
    expect(reasonOf(joined)).toBe('cannot read; connect ECONNREFUSED ::1:5672; cannot remove; cannot close');
    expect([joined, later, work].map((error) => (firstErrorOf(error) as Error).message)).toEqual([
      'cannot read',
      'cannot remove',
      'cannot read',
    ]);
  });

  it('found even if its causes are circular', () => {
    const error = new Error('first');
    error.cause = new Error('second', { cause: error });
    expect(reasonOf(error)).toBe('first: second');
  });
});

describe('the reason of an error without a message is', () => {
  it('its code', () => {
    expect(reasonOf(Object.assign(new AggregateError([]), { code: 'ETIMEDOUT' }))).toBe('ETIMEDOUT');
    expect(reasonOf(new Error('', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) }))).toBe('ECONNRESET');
  });

  it('its name if it has no code', () => {
    expect(reasonOf(new AggregateError([]))).toBe('AggregateError');
    expect(reasonOf(new RangeError('\n'))).toBe('RangeError');
  });
});

it.each([
  ['gone', 'gone'],
  [undefined, 'undefined'],
  ['', 'unknown error'],
  [Object.assign(new Error(), { name: '' }), 'unknown error'],
])('a thrown value that is not an error has a reason as well: %j', (thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});
