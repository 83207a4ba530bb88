import { describe, expect, it } from 'vitest';
import { holdTokenRefusals, isTokenRefused } from './refused-token.js';

const answer = (code: number, message: string) => ({
  status: 200,
  body: Buffer.from(JSON.stringify({ code, message, data: null })),
});

describe('OpenList refuses the token', () => {
  it.each([
    'token is invalidated',
    'token is expired',
    'Password has been changed, login please',
    'failed find user: record not found',
    'Current user is disabled, replace please',
    "that's not even a token",
  ])('with the text: %s', (message) => {
    expect(isTokenRefused(answer(401, message))).toBe(true);
  });

  it('with the status 401 of WebDAV', () => {
    expect(isTokenRefused({ status: 401, body: Buffer.alloc(0) })).toBe(true);
  });

  it.each([
    answer(401, 'Guest user is disabled, login please'),
    answer(403, 'token is invalidated'),
    answer(200, 'success'),
  ])('not with another answer: %j', (other) => {
    expect(isTokenRefused(other)).toBe(false);
  });
});

it('only short answers of the API are held back', () => {
  const head = { status: 200, type: 'application/json; charset=utf-8', length: 57 };
  expect(holdTokenRefusals(head)).toBe(512);
  for (const other of [{ status: 206 }, { type: 'text/html' }, { length: 513 }, { length: undefined }])
    expect(holdTokenRefusals({ ...head, ...other })).toBeUndefined();
});
