import type { Caller } from '@keyfold/application';
import { describe, expect, it } from 'vitest';
import { callerOf, callerWithKeysOf, type KeyfoldRequest } from './request-reading.js';

const requestFrom = (caller?: Partial<Caller>) => ({ caller }) as KeyfoldRequest;

describe('a route without a caller guard', () => {
  it('has no caller', () => {
    expect(() => callerOf(requestFrom())).toThrow('the route has no caller guard');
  });
});

describe('a route whose guard does not load keys', () => {
  it('has a caller without keys', () => {
    const request = requestFrom({ by: 'session' });
    expect(callerOf(request)).toEqual({ by: 'session' });
    expect(() => callerWithKeysOf(request)).toThrow("the route's guard does not load the caller's keys");
  });
});
