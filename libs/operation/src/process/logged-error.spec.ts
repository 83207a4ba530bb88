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

it('what was thrown and is no error is told as it is', () => {
  expect(loggedError('gone')).toBe('gone');
});
