import { accountAggregate } from '@keyfold/domain';
import { describe, expect, it, vi } from 'vitest';
import { disabled, registered, renamed } from '../../../domain/testing/account.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { accountStream, streamRef, type StreamAggregate, type StreamRef } from '../loading/stream-ref.js';

const account = accountStream(7);
const unknownEvent = { type: 'AccountArchived', v: 1, data: {} };

/** The aggregate of a later version of the program, which reads an archived account as a disabled one. */
const laterAggregate: StreamAggregate<unknown> = {
  ...accountAggregate,
  upcasters: {
    ...accountAggregate.upcasters,
    AccountArchived: [(event) => ({ ...event, type: 'AccountDisabled' })],
  },
};
const laterRef = (stream: string, partition: string): StreamRef<unknown> => ({
  stream,
  partition,
  aggregate: laterAggregate,
});

const documentOf = async ({ readModels }: EmbeddedProjections, ref = account) =>
  (await readModels.get([ref])).get(ref.stream);

describe('projecting a stream', () => {
  it('updates its document, and may be repeated', async () => {
    const projections = new EmbeddedProjections();
    const projection = projections.newProjection();
    await projections.append(account, registered('ann'));
    expect(await projection.project(account)).toBe('projected');
    await projections.append(account, renamed('ann', 'anna'));
    await projections.append(account, disabled);
    for (const _ of [1, 2]) expect(await projection.project(account)).toBe('projected');
    expect(await documentOf(projections)).toMatchObject({ state: { username: 'anna', disabled: true }, version: 3 });
  });

  it('does not bring back the document of an erased stream from the cache', async () => {
    const projections = new EmbeddedProjections();
    const projection = projections.newProjection();
    await projections.append(account, registered('ann'));
    await projection.project(account);
    await projections.store.erase([account.stream]);
    await projections.readModels.remove(account, 1);
    expect(await projection.project(account)).toBe('projected');
    expect(await documentOf(projections)).toBeUndefined();
  });

  it('ends at the latest document if it runs concurrently', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, registered('ann'));
    const work: Promise<unknown>[] = [];
    for (let count = 1; count <= 20; count++) {
      await projections.append(account, renamed('ann', `ann ${count}`));
      work.push(projections.newProjection().project(account));
    }
    await Promise.all(work);
    expect(await documentOf(projections)).toMatchObject({ state: { username: 'ann 20' }, version: 21 });
  });
});

describe('projecting with known commits', () => {
  async function threeCommits() {
    const projections = new EmbeddedProjections();
    const commits = [
      await projections.append(account, registered('ann')),
      await projections.append(account, renamed('ann', 'anna')),
      await projections.append(account, renamed('anna', 'bea')),
    ] as const;
    return { projections, commits, reads: vi.spyOn(projections.store, 'readStreams') };
  }

  it('adds them to the document without reading the stream, even if it has some already', async () => {
    const { projections, commits, reads } = await threeCommits();
    await projections.newProjection().project(account, commits.slice(0, 2));
    expect(await documentOf(projections)).toMatchObject({ state: { username: 'anna' }, version: 2 });
    await projections.newProjection().project(account, commits);
    expect(await documentOf(projections)).toMatchObject({ state: { username: 'bea' }, version: 3 });
    await projections.newProjection().project(account, commits.slice(0, 1));
    expect(await documentOf(projections)).toMatchObject({ state: { username: 'bea' }, version: 3 });
    expect(reads).not.toHaveBeenCalled();
  });

  it('reads the stream if they do not follow the document', async () => {
    const { projections, commits } = await threeCommits();
    await projections.newProjection().project(account, commits.slice(2));
    expect(await documentOf(projections)).toMatchObject({ state: { username: 'bea' }, version: 3 });
  });

  it('writes a cached state that was not written yet', async () => {
    const { projections, commits } = await threeCommits();
    const loader = projections.newLoader();
    await loader.load(account);
    await projections.newProjection(loader).project(account, commits);
    expect(await documentOf(projections)).toMatchObject({ state: { username: 'bea' }, version: 3 });
  });
});

describe('a stream that cannot be folded', () => {
  it('is parked with its commit and the reason, and its document is not changed', async () => {
    const projections = new EmbeddedProjections();
    const projection = projections.newProjection();
    await projections.append(account, registered('ann'));
    await projection.project(account);
    await projections.append(account, unknownEvent);
    for (const _ of [1, 2]) expect(await projection.project(account)).toBe('parked');
    expect(await projections.readModels.parked()).toEqual([
      {
        stream: 'account-7',
        partition: '7',
        version: 2,
        error: expect.stringContaining('AccountArchived, version 1') as unknown,
        at: 1_768_478_400_000,
      },
    ]);
    expect(await documentOf(projections)).toMatchObject({ state: { username: 'ann' }, version: 1 });
  });

  it('is also parked if its document cannot be written, so that it blocks no others', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, registered('ann'));
    const decider = { ...accountAggregate.decider, evolve: () => ({ endless: 1n }) } as never;
    const unwritable: StreamRef<unknown> = { ...account, aggregate: { ...laterAggregate, decider } };
    expect(await projections.newProjection().project(unwritable)).toBe('parked');
    expect(await projections.readModels.parked()).toMatchObject([{ stream: 'account-7', version: 0 }]);
  });

  it('stays parked until a version of the program can read it', async () => {
    const projections = new EmbeddedProjections();
    const projection = projections.newProjection();
    await projections.append(account, registered('ann'));
    await projections.append(account, unknownEvent);
    await projection.project(account);
    await projection.retryParked(streamRef);
    expect(await projections.readModels.parked()).toHaveLength(1);

    await projection.retryParked(laterRef);
    expect(await projections.readModels.parked()).toEqual([]);
    expect(await documentOf(projections)).toMatchObject({ state: { username: 'ann', disabled: true }, version: 2 });
  });

  it('is released independently of others', async () => {
    const projections = new EmbeddedProjections();
    const projection = projections.newProjection();
    const [archived, merged] = [accountStream(8), accountStream(9)];
    await projections.append(archived, registered('bea', { accountId: 8 }), unknownEvent);
    await projections.append(merged, { type: 'AccountMerged', v: 1, data: {} });
    for (const ref of [merged, archived]) await projection.project(ref);
    await projection.retryParked(laterRef);
    expect((await projections.readModels.parked()).map(({ stream }) => stream)).toEqual(['account-9']);
    expect(await documentOf(projections, archived)).toMatchObject({ state: { disabled: true } });
  });

  it('stays parked while its aggregate is unknown', async () => {
    const projections = new EmbeddedProjections();
    await projections.append(account, unknownEvent);
    const projection = projections.newProjection();
    await projection.project(account);
    await projection.retryParked(() => undefined);
    expect(await projections.readModels.parked()).toHaveLength(1);
  });
});
