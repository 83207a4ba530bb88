import { StoreUnavailable, type Commit } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { accountStream, sshKeyRingStream, type StreamRef } from '../loading/stream-ref.js';
import { ListUpdates } from './list-updates.js';

const [account, ring] = [accountStream(7), sshKeyRingStream(7)];
const commit = { version: 1 } as Commit;
const away = new StoreUnavailable('away');

/** Updates whose projections fail if `error` is set; `projected` and `behind` hold the streams concerned. */
function newUpdates(error?: Error) {
  const [projected, behind]: [string[], unknown[]] = [[], []];
  const project = async ({ stream }: StreamRef<unknown>, known?: readonly Commit[]) => {
    if (error) throw error;
    if (known?.[0] === commit) projected.push(stream);
    return 'projected' as const;
  };
  const updates = new ListUpdates({ project }, ({ stream }, reason, correlation) =>
    behind.push([stream, reason, correlation]),
  );
  return { updates, projected, behind };
}

describe('after an append', () => {
  it('only streams with a list are projected', async () => {
    const { updates, projected, behind } = newUpdates();
    for (const ref of [account, ring]) await updates.appended(ref, commit, 'request-1');
    expect(projected).toEqual(['account-7']);
    expect(behind).toEqual([]);
  });

  it('a failed projection is reported and not thrown', async () => {
    const { updates, behind } = newUpdates(away);
    for (const ref of [account, ring]) await updates.appended(ref, commit, 'request-1');
    expect(behind).toEqual([['account-7', away, 'request-1']]);
  });
});

it('after an append with an unknown outcome, only streams with a list are reported', () => {
  const { updates, behind } = newUpdates();
  for (const ref of [account, ring]) updates.unknown(ref, away, 'request-1');
  expect(behind).toEqual([['account-7', away, 'request-1']]);
});
