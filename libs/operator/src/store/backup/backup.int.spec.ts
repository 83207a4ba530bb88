import { accountStream, erasuresStream, siteSettingsStream, type StreamRef } from '@keyfold/projections';
import { relayName } from '@keyfold/messaging';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { hash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allCommits, backupScenes, openBackupScene, type BackupScene } from '../../../testing/backup-scene.js';
import type { OperatorScene } from '../../../testing/operator-scene.js';
import { eraseAccountData } from '../erasure/erase-account-data.js';

const { signal } = new AbortController();

/** Fills a store with accounts that have keys, secrets and sessions, one of them compacted. */
async function fill(scene: OperatorScene, first: number, last: number): Promise<void> {
  for (let id = first; id <= last; id++) {
    await scene.register(id, `user ${id}`);
    await scene.addSshKey(id, `key of ${id}`);
    await scene.startSession(id, { address: `192.0.2.${id}` });
    await scene.addAppPassword(id, 'mail');
  }
  const sessionId = await scene.startSession(first);
  await scene.ports.compaction.compact([`session-${sessionId}`]);
}

/** Brings the relay to a position of a slot, with an account of it parked there. */
async function relayTo(scene: OperatorScene, accountId: number): Promise<void> {
  const { relayLeases, parkedRelays, feed } = scene.ports;
  const slot = feed.slotOf(String(accountId));
  const [lease] = await relayLeases.take(relayName, 'worker', [slot], 60_000);
  await parkedRelays.park({ slot, partition: String(accountId), position: 1, error: 'no queue', at: 1, epoch: 1 });
  await relayLeases.advance(lease!, 2);
  await relayLeases.release([lease!]);
}

async function stateOf({ ports }: OperatorScene) {
  const { counter, relayLeases, parkedRelays } = ports;
  return {
    commits: await allCommits(ports),
    counters: await counter.read(),
    relay: (await relayLeases.progress(relayName)).map(({ slot, position }) => ({ slot, position })),
    parked: await parkedRelays.all(),
  };
}

/** Records that an account is erased and erases it, as `keyfold account erase` does. */
async function erase(scene: OperatorScene, accountId: number): Promise<void> {
  await scene.change(accountId, { type: 'DeleteAccount' });
  const runner = await scene.ports.runner();
  const command = { type: 'RecordErasure', accountId, erasedAt: 1_000 } as const;
  await runner.run(erasuresStream, command, { actor: 'operator', correlation: 'erasure' });
  await eraseAccountData(scene.ports, accountId, signal);
}

const loaded = async <State>({ ports }: OperatorScene, ref: StreamRef<State>) =>
  (await ports.loader.load(ref))[0].state;

describe.each(backupScenes)('a backup on %s', (_, open) => {
  const restored = async (scene: BackupScene, ...args: Parameters<BackupScene['restore']>) => {
    const { status, out, err } = await scene.restore(...args);
    expect(status, [...out, ...err].join('\n')).toBe(0);
    const target = await scene.target.open();
    const verified = await target.run({ command: 'verify', args: {} });
    expect(verified.out.join()).toContain('no problems');
    return target;
  };

  it('of several runs restores every commit, the counters and the progress of the relay', async () => {
    const scene = await open();
    const { source } = scene;
    await fill(source, 5, 7);
    await source.ports.counter.take('account', 40, 3);
    expect(await scene.backUp()).toMatchObject({ status: 0 });
    await fill(source, 8, 9);
    await source.run({ command: 'account disable', args: { username: 'user 5' } });
    await relayTo(source, 5);
    expect((await scene.backUp()).out[0]).toMatch(/^000002\.commits\.gz: 10 commits of 10 streams/);
    expect((await scene.backUp()).out).toContain('nothing new since the last run');
    expect(await stateOf(await restored(scene))).toEqual(await stateOf(source));
  });

  it('restores the state at a time', async () => {
    const scene = await open();
    await fill(scene.source, 5, 5);
    const at = Date.now();
    await expect.poll(() => Date.now()).toBeGreaterThan(at);
    const before = await allCommits(scene.source.ports);
    await fill(scene.source, 6, 6);
    await scene.backUp();
    expect(await allCommits((await restored(scene, { at })).ports)).toEqual(before);
  });

  it('leaves out erased accounts, also those that the backup still contains, and records them', async () => {
    const scene = await open();
    const { source } = scene;
    for (const id of [5, 6, 7]) await source.register(id, `user ${id}`);
    await source.startSession(5, { address: '203.0.113.5' });
    await source.startSession(6, { address: '203.0.113.6' });
    await scene.backUp();
    await source.project();
    await erase(source, 5);
    await source.register(8, 'user 5');
    await scene.backUp();
    const erasures = `${JSON.stringify({ id: 6, erased: '2026-11-26T00:00:00.000Z' })}\n`;
    const target = await restored(scene, { erasures });
    expect(JSON.stringify([...(await allCommits(target.ports))])).not.toMatch(/203\.0\.113/);
    expect((await loaded(target, erasuresStream)).accounts).toEqual([
      { accountId: 5, erasedAt: 1_000 },
      { accountId: 6, erasedAt: Date.UTC(2026, 10, 26) },
    ]);
    expect(await loaded(target, accountStream(8))).toMatchObject({ username: 'user 5' });
  });

  it.each([
    ['a time before its first commit', { at: 1 }, 'every commit of the backup is later'],
    [
      'a list that erases the administrator',
      { erasures: '{"id":1,"erased":"2026-11-26T00:00:00.000Z"}' },
      'a line that',
    ],
  ])('is not restored with %s', async (_title, request, reason) => {
    const scene = await open();
    await scene.source.startFirst();
    await scene.backUp();
    const { status, err } = await scene.restore(request);
    expect([status, err.at(-1)]).toEqual([2, expect.stringContaining(reason)]);
    await expect(scene.target.open()).rejects.toThrow();
  });

  it('is not written if a stream cannot be folded', async () => {
    const scene = await open();
    await scene.source.register(5, 'ann');
    await scene.backUp();
    const [{ version }] = await scene.source.ports.loader.load(accountStream(5));
    const events = [{ type: 'AccountArchived', v: 1, data: {} }];
    const command = { id: 'id', type: 'ArchiveAccount', hash: '' };
    const commit = {
      ...accountStream(5),
      version: version + 1,
      command,
      at: 1,
      actor: 'test',
      correlation: 'id',
      events,
    };
    await scene.source.ports.store.append(commit);
    const before = readFileSync(join(scene.folder, 'manifest.json'), 'utf8');
    const { status, out } = await scene.backUp();
    expect([status, ...out]).toEqual([1, expect.stringContaining('cannot fold commit 2 of stream account-5')]);
    expect(readFileSync(join(scene.folder, 'manifest.json'), 'utf8')).toBe(before);
    expect(readdirSync(scene.folder).toSorted()).toEqual(['000001.commits.gz', 'lock', 'manifest.json']);
  });

  it('in the folder of another store is refused', async () => {
    const scene = await open();
    const other = await open();
    await fill(scene.source, 5, 5);
    await fill(other.source, 5, 6);
    await scene.backUp();
    const { status, err } = await other.backUp({ folder: scene.folder });
    expect([status, ...err]).toEqual([2, expect.stringContaining('of another store')]);
  });
});

describe('the files of a backup', () => {
  const open = openBackupScene;
  /** Returns why a backup cannot be restored. */
  const refusal = async (scene: BackupScene, ...args: Parameters<BackupScene['restore']>) => {
    const { status, err } = await scene.restore({ dryRun: true, ...args[0] }, args[1]);
    expect(status).toBe(2);
    return err.at(-1);
  };

  it('are checked: one changed byte in any of them is found', async () => {
    const scene = await open();
    await fill(scene.source, 5, 7);
    await scene.backUp();
    await fill(scene.source, 8, 8);
    await scene.backUp();
    for (const name of ['manifest.json', '000001.commits.gz', '000002.commits.gz']) {
      const path = join(scene.folder, name);
      const content = readFileSync(path);
      for (let offset = 0; offset < content.length; offset += Math.ceil(content.length / 20)) {
        const changed = Buffer.from(content);
        changed[offset]! ^= 1;
        writeFileSync(path, changed);
        expect(await refusal(scene), `${name} at ${offset}`).toMatch(`${name} is damaged`);
      }
      writeFileSync(path, content);
    }
    expect(await scene.restore({ dryRun: true })).toMatchObject({ status: 0 });
  });

  it.each([
    ['missing', (path: string) => rmSync(path)],
    ['empty', (path: string) => writeFileSync(path, '')],
    ['longer', (path: string) => appendFileSync(path, 'x')],
  ])('are checked by each run, which fails if an earlier one is %s', async (_, damage) => {
    const scene = await open();
    for (const id of [5, 6, 7]) {
      await scene.source.register(id, `user ${id}`);
      await scene.backUp();
    }
    const before = readFileSync(join(scene.folder, 'manifest.json'), 'utf8');
    for (const name of ['000001.commits.gz', '000003.commits.gz']) {
      const path = join(scene.folder, name);
      const content = readFileSync(path);
      damage(path);
      const { status, err } = await scene.backUp();
      expect([status, err.at(-1)]).toEqual([2, expect.stringContaining(name)]);
      expect(err.at(-1)).toContain('Use another copy of the backup, or name a new folder. The backup was not changed');
      writeFileSync(path, content);
    }
    expect(readFileSync(join(scene.folder, 'manifest.json'), 'utf8')).toBe(before);
    expect(await scene.backUp()).toMatchObject({ status: 0 });
  });

  it('are read in turn: one of seven runs finds a changed byte, whether there is anything new or not', async () => {
    const scene = await open();
    for (const id of [5, 6, 7]) {
      await scene.source.register(id, `user ${id}`);
      await scene.backUp();
    }
    for (const name of ['000001.commits.gz', '000002.commits.gz', '000003.commits.gz']) {
      const path = join(scene.folder, name);
      const content = readFileSync(path);
      const changed = Buffer.from(content);
      changed[20]! ^= 1;
      writeFileSync(path, changed);
      const found: unknown[] = [];
      for (let run = 0; run < 7 && found.length === 0; run++) {
        const { status, err } = await scene.backUp();
        if (status !== 0) found.push([status, err.at(-1)]);
      }
      expect(found).toEqual([[2, expect.stringContaining(`${name} is damaged`)]]);
      writeFileSync(path, content);
    }
    expect(await scene.backUp()).toMatchObject({ status: 0 });
  });

  describe('that somebody changed', () => {
    /** Makes an administrator of every account, with sizes and checksums as they must be. `hmac`: whether the HMAC stays. */
    function forge(scene: BackupScene, hmac: boolean): void {
      const [manifestPath, partPath] = ['manifest.json', '000001.commits.gz'].map((name) => join(scene.folder, name));
      const commits = gunzipSync(readFileSync(partPath!)).toString();
      const forged = gzipSync(commits.replaceAll('"role":0', '"role":2'));
      writeFileSync(partPath!, forged);
      const {
        checksum: _,
        hmac: given,
        ...manifest
      } = JSON.parse(readFileSync(manifestPath!, 'utf8')) as {
        checksum: string;
        hmac: string;
        parts: object[];
      };
      const [first, ...others] = manifest.parts;
      const parts = [{ ...first, bytes: forged.length, sha256: hash('sha256', forged) }, ...others];
      const body = JSON.stringify({ ...manifest, parts, ...(hmac && { hmac: given }) }).slice(0, -1);
      writeFileSync(manifestPath!, `${body},"checksum":"${hash('sha256', body)}"}\n`);
    }
    const WARNING = /^warning: the backup may have been changed: manifest.json has no HMAC\. Use it only if/;

    it('are refused by a restore and by the next run', async () => {
      const scene = await open();
      await scene.source.register(5, 'ann');
      await scene.backUp();
      forge(scene, true);
      expect(await refusal(scene)).toContain('its HMAC differs. Use another copy of the backup');
      const { status, err } = await scene.backUp();
      expect([status, err.at(-1)]).toEqual([2, expect.stringContaining('its HMAC differs')]);
    });

    it('are restored with a warning if they have no HMAC, and later runs give them none', async () => {
      const scene = await open();
      await scene.source.register(5, 'ann');
      await scene.backUp();
      forge(scene, false);
      await scene.source.register(6, 'bea');
      const { status, err } = await scene.backUp();
      expect([status, err[0]]).toEqual([0, expect.stringMatching(/^warning: .* has no HMAC\. Start a new folder/)]);
      const restored = await scene.restore();
      expect([restored.status, ...restored.err]).toEqual([
        0,
        'checking the backup',
        expect.stringMatching(WARNING),
        ...Array.from({ length: 3 }, () => expect.any(String) as unknown),
      ]);
    });
  });

  it('stay trusted while the sealing key is replaced, and without it are restored with a warning and not continued', async () => {
    const scene = await open();
    const [old, added] = [scene.sealingKeys, `k2:${Buffer.alloc(32, 9).toString('base64')}`];
    const warnings = async (ran: Promise<{ status: number; err: readonly string[] }>) => {
      const { status, err } = await ran;
      expect(status, err.join('\n')).toBe(0);
      return err.filter((line) => line.startsWith('warning: '));
    };
    await fill(scene.source, 5, 5);
    expect(await warnings(scene.backUp())).toEqual([]);
    scene.sealingKeys = `${added},${old}`;
    expect(await warnings(scene.restore({ dryRun: true }))).toEqual([]);
    expect(await warnings(scene.backUp())).toEqual([]);
    scene.sealingKeys = added;
    expect(await warnings(scene.restore({ dryRun: true }))).toEqual([]);
    scene.sealingKeys = old;
    expect(await warnings(scene.restore({ dryRun: true }))).toEqual([expect.stringContaining('the sealing key k2')]);
    scene.sealingKeys = undefined;
    const { status, err } = await scene.backUp();
    expect([status, err.at(-1)]).toEqual([
      2,
      expect.stringMatching(/k2.* is missing\. Set the sealing keys of the service/),
    ]);
    expect(await warnings(scene.restore())).toEqual([expect.stringContaining('the sealing key k2')]);
  });

  it('are not written with sealing keys of another service', async () => {
    const scene = await open();
    const { ports } = scene.source;
    const sealed = (await ports.sealer()).seal('token', 'site-settings/static-token');
    const runner = await ports.runner();
    const reset = { type: 'ResetStaticToken', sealedToken: sealed } as const;
    await runner.run(siteSettingsStream, reset, { actor: 'operator', correlation: 'token' });
    scene.sealingKeys = `k2:${Buffer.alloc(32, 9).toString('base64')}`;
    await expect(scene.backUp()).rejects.toThrow('its sealing key "k1" is not configured');
    expect(readdirSync(scene.folder)).toEqual(['lock']);
  });

  it('can be encrypted to a recipient, and open only with its key', async () => {
    const scene = await open();
    await fill(scene.source, 5, 5);
    const identity = await generateX25519Identity();
    const recipients = [await identityToRecipient(identity)];
    await scene.backUp({ recipients });
    await fill(scene.source, 6, 6);
    expect((await scene.backUp()).err[0]).toContain('has the encryption "recipient", but this run has "none"');
    await scene.backUp({ recipients });
    expect(readFileSync(join(scene.folder, '000002.commits.gz.age'), 'latin1')).toMatch(/^age-encryption\.org\/v1\n/);
    expect(await refusal(scene)).toContain('Name its private key with --identity');
    expect(await refusal(scene, { identities: await generateX25519Identity() })).toContain('does not open the backup');
    expect(await scene.restore({ identities: `# created\n${identity}\n` })).toMatchObject({ status: 0 });
  });

  it('can be encrypted with a passphrase, which stays the same', async () => {
    const scene = await open();
    await fill(scene.source, 5, 5);
    await scene.backUp({ passphrase: 'correct horse' });
    await fill(scene.source, 6, 6);
    expect((await scene.backUp({ passphrase: 'another' })).err[0]).toContain('does not open the backup');
    expect(await refusal(scene)).toContain('Name its file with --passphrase-file');
    expect(await scene.restore({ passphrase: 'correct horse', dryRun: true })).toMatchObject({ status: 0 });
  });

  it('that a killed run left are deleted by the next one', async () => {
    const scene = await open();
    await fill(scene.source, 5, 5);
    const leave = (...names: readonly string[]) => {
      for (const name of names) writeFileSync(join(scene.folder, name), 'half');
    };
    await scene.backUp();
    leave('000002.commits.gz.part');
    await scene.backUp();
    await fill(scene.source, 6, 6);
    leave('000002.commits.gz', 'manifest.json.part');
    await scene.backUp();
    const names = ['000001.commits.gz', '000002.commits.gz', 'lock', 'manifest.json'];
    expect(readdirSync(scene.folder).toSorted()).toEqual(names);
    expect(await scene.restore({ dryRun: true })).toMatchObject({ status: 0 });
  });

  it('of another kind of store, or without a manifest, are refused', async () => {
    const scene = await open();
    await fill(scene.source, 5, 5);
    expect(await refusal(scene)).toContain('Name a folder that "keyfold backup" has written');
    await scene.backUp();
    expect((await scene.restore({}, 'mongodb')).err[0]).toContain('then run "keyfold store copy"');
    expect(await scene.restore({ dryRun: true }, 'mongodb')).toMatchObject({ status: 0 });
    writeFileSync(join(scene.folder, 'notes'), '');
    expect((await scene.backUp()).err[0]).toContain('contains other files (notes)');
  });
});
