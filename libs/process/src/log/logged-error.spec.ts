import { expect, it } from 'vitest';
import { loggedError } from './logged-error.js';

it('an error is logged with its type, code, message and causes, and without its other fields', () => {
  const cause = new Error('E11000 duplicate key');
  const error = Object.assign(new RangeError('cannot be stored', { cause }), {
    code: 11_000,
    document: { sealed: 'something secret' },
  });
  const logged = loggedError(error);
  expect(logged).toMatchObject({
    type: 'RangeError',
    code: 11_000,
    message: expect.stringContaining('cannot be stored'),
  });
  expect((logged as { stack: string }).stack).toContain('E11000 duplicate key');
  expect(JSON.stringify(logged)).not.toContain('secret');
});

it('an error of several addresses has no message of its own and is logged with the messages of all', () => {
  const refused = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5672`));
  expect(loggedError(new AggregateError(refused))).toMatchObject({
    type: 'AggregateError',
    message: 'connect ECONNREFUSED ::1:5672; connect ECONNREFUSED 127.0.0.1:5672',
  });
});

it('a thrown value that is not an error is logged unchanged', () => {
  expect(loggedError('gone')).toBe('gone');
});
