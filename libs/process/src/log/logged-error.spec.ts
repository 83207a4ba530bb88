import { expect, it } from 'vitest';
import { loggedError } from './logged-error.js';

it('an error is told with its kind, code, text and causes, and without what it was about', () => {
  const cause = new Error('E11000 duplicate key');
  const error = Object.assign(new RangeError('cannot be stored', { cause }), {
    code: 11_000,
    document: { sealed: 'something secret' },
  });
  const told = loggedError(error);
  expect(told).toMatchObject({
    type: 'RangeError',
    code: 11_000,
    message: expect.stringContaining('cannot be stored'),
  });
  expect((told as { stack: string }).stack).toContain('E11000 duplicate key');
  expect(JSON.stringify(told)).not.toContain('secret');
});

it('an error of several addresses, which has no text of its own, is told with those of all', () => {
  const refused = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5672`));
  expect(loggedError(new AggregateError(refused))).toMatchObject({
    type: 'AggregateError',
    message: 'connect ECONNREFUSED ::1:5672; connect ECONNREFUSED 127.0.0.1:5672',
  });
});

it('what was thrown and is no error is told as it is', () => {
  expect(loggedError('gone')).toBe('gone');
});
