import { LookUpPastSshKeysQuery } from '@keyfold/application';
import type { QueryBus } from '@nestjs/cqrs';
import { expect, it } from 'vitest';
import { PastLookUps } from './past-look-ups.js';

it('one look-up runs, 16 wait, and further ones are refused until one ends', async () => {
  const ends: (() => void)[] = [];
  const execute = () => new Promise((resolve) => ends.push(() => resolve(null)));
  const lookUps = new PastLookUps({ execute } as unknown as QueryBus);
  const ask = () => lookUps.execute(new LookUpPastSshKeysQuery('ann', undefined, 0));
  const accepted = Array.from({ length: 17 }, ask);
  expect(ends).toHaveLength(1);
  await expect(ask()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 });
  ends[0]!();
  await accepted[0];
  accepted.push(ask());
  for (const [index, each] of accepted.entries()) {
    ends[index]!();
    expect(await each).toBeNull();
  }
});
