import { Contended, StoreUnavailable } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { faultOf } from './fault-of.js';

describe('faultOf', () => {
  it.each([new StoreUnavailable('the disk is full'), new Contended('stream account-1 changes too fast')])(
    'answers $name with status 503 and a retry hint, and reports it',
    (error) => {
      const reported: string[] = [];
      const fault = faultOf(error, (message) => reported.push(message));
      expect(fault).toMatchObject({ status: 503, message: 'the store is not available', retryAfterSeconds: 5 });
      expect(reported).toEqual([error.message]);
    },
  );

  it('leaves unexpected errors to the exception filter', () => {
    expect(faultOf(new TypeError('bug'), () => undefined)).toBeUndefined();
  });
});
