import { absentAccount, type Account } from '@keyfold/domain';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accountStream, sessionStream, siteSettingsStream, sshKeyRingStream } from '../src/loading/stream-ref.js';
import type { ReadModelStore } from '../src/read-model-store.js';
import { accounts } from '../src/read-model.js';
import { keyOwnersCases } from './key-owners.contract.js';
import { dueListCases, expiringListCases } from './list.contract.js';
import { parked, parkedCases } from './parked-streams.contract.js';

/** An empty store of its own, closed after the running test. `reopen` closes the store and opens the same data again. */
export type OpenReadModels = Readonly<{ store: ReadModelStore; reopen(): Promise<ReadModelStore> }>;

/** The state of an account that is in the list of accounts, at the place of its id. */
export const active = (accountId: number, username = `account ${accountId}`): Account => ({
  ...absentAccount,
  status: 'active',
  accountId,
  username,
});
/** The state of an account that was in the list. */
export const deleted = (accountId: number): Account => ({ ...absentAccount, status: 'deleted', accountId });

/** Runs the contract of the port `ReadModelStore` against an adapter; `open` is called in every test. */
export function describeReadModelStore(name: string, open: () => Promise<OpenReadModels>): void {
  describe(`${name} keeps the contract of a read model store`, () => {
    const newStore = async () => (await open()).store;
    describe.each([
      ['a document', documentCases],
      ['a list', listCases],
      ['a list that expires', expiringListCases],
      ['a list of what is due', dueListCases],
      ['the index of SSH keys', keyOwnersCases],
      ['parked streams', parkedCases],
    ])('%s', (_, cases) => {
      cases(newStore);
    });

    it('documents, lists and parked streams survive the process', async () => {
      const { store, reopen } = await open();
      await store.put(accountStream(7), { state: active(7), version: 1 });
      await store.park(parked('account-8', 20));
      const reopened = await reopen();
      expect(await reopened.get([accountStream(7)])).toEqual(
        new Map([['account-7', { state: active(7), version: 1 }]]),
      );
      expect(await reopened.list(accounts, 0, 10)).toEqual({ items: [active(7)], total: 1 });
      expect(await reopened.parked()).toEqual([parked('account-8', 20)]);
    });
  });
}

type NewStore = () => Promise<ReadModelStore>;
const account = accountStream(7);
const stateOf = async (store: ReadModelStore) => (await store.get([account])).get(account.stream);

function documentCases(newStore: NewStore): void {
  it('is returned as it was written, with its version', async () => {
    const store = await newStore();
    const document = { state: active(7, 'ann "б" \u2028 $set a.b'), version: 3 };
    await store.put(account, document);
    expect(await store.get([account])).toStrictEqual(new Map([['account-7', document]]));
  });

  it('is returned with keys of any form, as JSON represents it', async () => {
    const store = await newStore();
    const values = {
      'a.b': '1',
      $set: '$version',
      '': '$$ROOT',
      'a\u0000b': '\u0000',
      ['__proto__']: 'x',
      '10': 'y',
      '9': 'z',
    };
    const state = { values, nested: [[-0.5, 2 ** 53, null, [{ $literal: { '$a.$b': [] } }]]], missing: undefined };
    await store.put(siteSettingsStream, { state: state as never, version: 1 });
    const found = (await store.get([siteSettingsStream])).get(siteSettingsStream.stream);
    expect(JSON.stringify(found)).toBe(JSON.stringify({ version: 1, state }));
  });

  it('is only replaced by a later version', async () => {
    const store = await newStore();
    for (const [version, name] of [
      [2, 'second'],
      [1, 'first'],
      [2, 'another second'],
      [3, 'third'],
      [2, 'late'],
    ] as const) {
      await store.put(account, { state: active(7, name), version });
    }
    expect(await stateOf(store)).toEqual({ state: active(7, 'third'), version: 3 });
    expect((await store.list(accounts, 0, 10)).items).toEqual([active(7, 'third')]);
  });

  it('is repaired by a rebuild unless a later version is stored', async () => {
    const store = await newStore();
    await store.replace(account, { state: active(7, 'first'), version: 1 });
    await store.put(account, { state: active(7, 'wrong'), version: 2 });
    await store.replace(account, { state: active(7, 'right'), version: 2 });
    await store.replace(account, { state: active(7, 'late'), version: 1 });
    expect(await stateOf(store)).toEqual({ state: active(7, 'right'), version: 2 });
  });

  it('ends at the latest version if all are written at once', async () => {
    const store = await newStore();
    const versions = Array.from({ length: 60 }, (_, index) => ((index * 7) % 60) + 1);
    await Promise.all(versions.map((version) => store.put(account, { state: active(7, `v${version}`), version })));
    expect(await stateOf(store)).toEqual({ state: active(7, 'v60'), version: 60 });
  });

  it('is found among documents of other models, and missing ones are left out', async () => {
    const store = await newStore();
    const [ring, session] = [sshKeyRingStream(7), sessionStream('s1', 7)];
    await store.put(account, { state: active(7), version: 1 });
    await store.put(ring, { state: { keys: [], keysEver: 4, bytes: 0 }, version: 9 });
    expect(await store.get([ring, session, account])).toEqual(
      new Map<string, unknown>([
        ['ssh-keys-7', { state: { keys: [], keysEver: 4, bytes: 0 }, version: 9 }],
        ['account-7', { state: active(7), version: 1 }],
      ]),
    );
    expect(await store.get([])).toEqual(new Map());
  });

  it('reaches each of many concurrent callers', async () => {
    const store = await newStore();
    const ids = Array.from({ length: 50 }, (_, index) => index + 1);
    await Promise.all(ids.map((id) => store.put(accountStream(id), { state: active(id), version: id })));
    const answers = await Promise.all(ids.map((id) => store.get([accountStream(id), accountStream(id + 1)])));
    answers.forEach((answer, index) => {
      const expected = [index + 1, index + 2].filter((id) => id <= 50);
      expect([...answer.keys()].sort()).toEqual(expected.map((id) => `account-${id}`).sort());
      for (const id of expected) expect(answer.get(`account-${id}`)).toEqual({ state: active(id), version: id });
    });
  });

  it('is listed with all others of its model in stream order', async () => {
    const store = await newStore();
    const odd = active(9, 'Nine\u0000\ud800');
    for (const state of [odd, active(10), active(1)])
      await store.put(accountStream(state.accountId), { state, version: state.accountId });
    await store.put(accountStream(1), { state: deleted(1), version: 2 });
    await store.put(sshKeyRingStream(1), { state: { keys: [], keysEver: 4, bytes: 0 }, version: 1 });
    const [one, ten, nine] = [
      { stream: 'account-1', version: 2, sortKey: null, text: null, state: deleted(1) },
      { stream: 'account-10', version: 10, sortKey: 10, text: 'account 10', state: active(10) },
      { stream: 'account-9', version: 9, sortKey: 9, text: 'nine\u0000\ufffd', state: odd },
    ];
    expect(await store.documents(accounts, '', 10)).toEqual([one, ten, nine]);
    expect(await store.documents(accounts, '', 2)).toEqual([one, ten]);
    expect(await store.documents(accounts, 'account-10', 2)).toEqual([nine]);
    expect(await store.documents(accounts, 'account-9', 2)).toEqual([]);
  });

  it('is removed if it still has the version that was read, and can be written again with any version', async () => {
    const store = await newStore();
    await store.put(account, { state: active(7), version: 3 });
    await store.remove(account, 2);
    await store.remove(accountStream(8), 1);
    expect(await stateOf(store)).toEqual({ state: active(7), version: 3 });
    await store.remove(account, 3);
    expect(await stateOf(store)).toBeUndefined();
    expect(await store.list(accounts, 0, 10)).toEqual({ items: [], total: 0 });
    expect(await store.documents(accounts, '', 10)).toEqual([]);
    await store.put(account, { state: active(7, 'again'), version: 1 });
    expect(await stateOf(store)).toEqual({ state: active(7, 'again'), version: 1 });
    expect(await store.list(accounts, 0, 10)).toEqual({ items: [active(7, 'again')], total: 1 });
  });

  it('of an earlier version of the program is removed, and those of other streams and of the running one stay', async () => {
    const store = await newStore();
    const other = accountStream(8);
    for (const ref of [account, other]) await store.put(ref, { state: active(7), version: 1 });
    await store.removeFormer([account, other]);
    expect(await store.get([account, other])).toHaveProperty('size', 2);
    const { schema } = accounts;
    const runVersion = (number: number) => void Object.assign(accounts, { schema: number });
    onTestFinished(() => runVersion(schema));
    // There is nothing at the schema numbers in between.
    runVersion(schema + 3);
    await store.removeFormer([account]);
    runVersion(schema);
    expect([...(await store.get([account, other])).keys()]).toEqual([other.stream]);
  });
}

function listCases(newStore: NewStore): void {
  async function listed(...ids: number[]) {
    const store = await newStore();
    await Promise.all(ids.map((id) => store.put(accountStream(id), { state: active(id), version: 1 })));
    return store;
  }
  const idsOf = async (store: ReadModelStore, offset: number, limit: number) => {
    const { items, total } = await store.list(accounts, offset, limit);
    return { ids: items.map(({ accountId }) => accountId), total };
  };

  it('has its entries in the order of their sort keys', async () => {
    const store = await listed(100, 9, 5_000, 20, 3, 1_023, 1_024, 1_025);
    expect(await idsOf(store, 0, 10)).toEqual({ ids: [3, 9, 20, 100, 1_023, 1_024, 1_025, 5_000], total: 8 });
  });

  it('is read in pages, and a page past the end is empty', async () => {
    const store = await listed(1, 2, 3, 4_000, 5_000);
    expect(await idsOf(store, 0, 2)).toEqual({ ids: [1, 2], total: 5 });
    expect(await idsOf(store, 2, 2)).toEqual({ ids: [3, 4_000], total: 5 });
    expect(await idsOf(store, 4, 2)).toEqual({ ids: [5_000], total: 5 });
    expect(await idsOf(store, 5, 2)).toEqual({ ids: [], total: 5 });
    expect(await idsOf(store, 0, 0)).toEqual({ ids: [], total: 5 });
    expect(await idsOf(store, 1, Number.MAX_SAFE_INTEGER)).toEqual({ ids: [2, 3, 4_000, 5_000], total: 5 });
    expect(await idsOf(store, Number.MAX_SAFE_INTEGER, 2)).toEqual({ ids: [], total: 5 });
  });

  it('ends a page at the first entry that the reader does not take, and can be read again', async () => {
    const store = await listed(...Array.from({ length: 300 }, (_, index) => index + 1));
    const asked: number[] = [];
    const takes = ({ accountId }: Account) => asked.push(accountId) > 0 && accountId !== 250;
    const { items, total } = await store.list(accounts, 1, Number.MAX_SAFE_INTEGER, takes);
    expect(items.map(({ accountId }) => accountId)).toEqual(Array.from({ length: 248 }, (_, index) => index + 2));
    expect(total).toBe(300);
    expect(asked.at(-1)).toBe(250);
    expect((await idsOf(store, 248, 3)).ids).toEqual([249, 250, 251]);
  });

  it('is read from its end as well', async () => {
    const store = await listed(...Array.from({ length: 120 }, (_, index) => index + 1));
    const { items, total } = await store.list(accounts, 10, 90, () => true, { descending: true });
    expect(items.map(({ accountId }) => accountId)).toEqual(Array.from({ length: 90 }, (_, index) => 110 - index));
    expect(total).toBe(120);
  });

  it('is searched by a part of the text, in any letter case', async () => {
    const store = await newStore();
    const names = [
      'Ann',
      'ben',
      'joann.b',
      '"q\\n',
      'п.Ann',
      'a*',
      'line\nfeed',
      '汉字',
      'gone ann',
      '[x]\u0000y',
      'ΑΣΑΣ',
    ];
    await Promise.all(names.map((name, id) => store.put(accountStream(id), { state: active(id, name), version: 1 })));
    await store.put(accountStream(8), { state: deleted(8), version: 2 });
    const found = async (search: string, descending = false) => {
      const { items, total } = await store.list(accounts, 0, 10, () => true, { search, descending });
      expect(total).toBe(items.length);
      return items.map(({ username }) => username);
    };
    expect(await found('aNN')).toEqual(['Ann', 'joann.b', 'п.Ann']);
    expect(await found('ANN', true)).toEqual(['п.Ann', 'joann.b', 'Ann']);
    expect(await found('П.ann')).toEqual(['п.Ann']);
    expect(await found(']\u0000Y')).toEqual(['[x]\u0000y']);
    for (const search of ['ΑΣ', 'ας', 'ασα', 'σΑς']) expect(await found(search)).toEqual(['ΑΣΑΣ']);
    expect(await found('.')).toEqual(['joann.b', 'п.Ann']);
    expect(await found('*')).toEqual(['a*']);
    expect(await found('n')).toEqual(['Ann', 'ben', 'joann.b', '"q\\n', 'п.Ann', 'line\nfeed']);
    expect(await found('\\')).toEqual(['"q\\n']);
    expect(await found('"Q')).toEqual(['"q\\n']);
    expect(await found('\n')).toEqual(['line\nfeed']);
    expect(await found('汉')).toEqual(['汉字']);
    expect(await found('username')).toEqual([]);
  });

  it('has pages and a total of what a search finds, each entry once', async () => {
    const store = await newStore();
    const ids = Array.from({ length: 2_200 }, (_, index) => index + 1);
    const isFound = (id: number) => id <= 120 || id > 2_100 || id % 1_000 === 0;
    await Promise.all(
      ids.map((id) => store.put(accountStream(id), { state: active(id, isFound(id) ? 'found' : 'other'), version: 1 })),
    );
    const [up, down] = [ids.filter(isFound), ids.filter(isFound).toReversed()];
    for (const [descending, all] of [
      [false, up],
      [true, down],
    ] as const) {
      for (const [offset, limit] of [
        [0, 10],
        [45, 130],
        [0, Number.MAX_SAFE_INTEGER],
        [220, 50],
        [500, 5],
      ] as const) {
        const selection = { search: 'found', descending };
        const { items, total } = await store.list(accounts, offset, limit, () => true, selection);
        expect(items.map(({ accountId }) => accountId)).toEqual(all.slice(offset, offset + limit));
        expect(total).toBe(all.length);
      }
    }
    const takes = ({ accountId }: Account) => accountId < 60;
    const page = await store.list(accounts, 5, 1_000, takes, { search: 'found' });
    expect([page.items.length, page.total]).toEqual([54, up.length]);
  });

  it('loses an entry without a sort key', async () => {
    const store = await listed(1, 2);
    await store.put(accountStream(1), { state: deleted(1), version: 2 });
    expect(await idsOf(store, 0, 10)).toEqual({ ids: [2], total: 1 });
    await store.put(accountStream(1), { state: deleted(1), version: 3 });
    expect(await idsOf(store, 0, 10)).toEqual({ ids: [2], total: 1 });
  });

  it('regains a repaired entry', async () => {
    const store = await listed(1, 2);
    await store.replace(accountStream(1), { state: deleted(1), version: 1 });
    expect(await idsOf(store, 0, 10)).toEqual({ ids: [2], total: 1 });
    await store.replace(accountStream(1), { state: active(1), version: 1 });
    expect(await idsOf(store, 0, 10)).toEqual({ ids: [1, 2], total: 2 });
  });

  it('never shows a stream without a sort key', async () => {
    const store = await listed(2);
    await store.put(accountStream(1), { state: absentAccount, version: 1 });
    expect(await idsOf(store, 0, 10)).toEqual({ ids: [2], total: 1 });
  });
}
