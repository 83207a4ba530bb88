import { InvalidConfiguration } from '@keyfold/process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newCommit } from '../../../event-store/testing/new-commit.js';
import { temporaryFolder } from '../../../event-store/testing/open-sqlite.js';
import { unusableFiles } from '../../../../test/support/unusable-files.js';
import { prepareDataFolder } from './data-folder.js';
import { openToFill } from './filling-store.js';
import { openSqlite } from './sqlite-store.module.js';

const commit = { ...newCommit('account-1', 1), position: 1 };

describe('a folder that a command fills', () => {
  it('keeps its secrets and has the store once the command has finished', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'sealing-key'), 'key', { mode: 0o600 });
    const store = await openToFill(folder, 'restore');
    await store.adapters.intake.takeOver(0, [commit]);
    await store.finish();
    await store.close();
    expect(readdirSync(folder).toSorted()).toEqual(['keyfold.db', 'lock', 'sealing-key', 'views.db']);
    const { adapters, close } = await openSqlite(folder);
    expect(await adapters.feed.readFeed(0, 0, 9)).toEqual([commit]);
    await close();
  });

  it('cannot be started on before, and is continued or started over by the next run', async () => {
    const folder = temporaryFolder();
    const killed = await openToFill(folder, 'restore');
    await killed.adapters.intake.takeOver(0, [commit]);
    await killed.close();
    expect(existsSync(join(folder, 'keyfold.db'))).toBe(false);
    expect(() => prepareDataFolder(folder)).toThrow(
      `a command that fills ${folder} has not finished. Run it again, or delete ${join(folder, 'restore.part')}`,
    );
    for (const [startOver, head] of [
      [false, 1],
      [true, 0],
    ] as const) {
      const next = await openToFill(folder, 'restore', { startOver });
      expect(await next.adapters.feed.readHeads()).toEqual(new Map([[0, head]]));
      await next.close();
    }
  });

  it('has no copy of the data left after a kill in the last step', async () => {
    const folder = temporaryFolder();
    const killed = await openToFill(folder, 'restore');
    await killed.adapters.intake.takeOver(0, [commit]);
    await killed.close();
    renameSync(join(folder, 'restore.part/keyfold.db'), join(folder, 'keyfold.db'));
    const { adapters, close } = await openSqlite(folder);
    expect(await adapters.feed.readFeed(0, 0, 9)).toEqual([commit]);
    await close();
    expect(existsSync(join(folder, 'restore.part'))).toBe(false);
  });

  it.each(['keyfold.db', 'views.db', 'notes'])('is refused and left unchanged if it contains %s', async (name) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), 'kept');
    await expect(openToFill(folder, 'restore')).rejects.toThrow(InvalidConfiguration);
    await expect(openToFill(folder, 'restore')).rejects.toThrow(`${folder} is not empty (${name})`);
    expect(readdirSync(folder)).toEqual([name]);
  });

  it('is refused while another command fills it', async () => {
    const folder = join(temporaryFolder(), 'data');
    mkdirSync(folder);
    const store = await openToFill(folder, 'restore');
    await expect(openToFill(folder, 'restore')).rejects.toThrow('in use by another process');
    await store.close();
  });
});

/** Returns the files of a folder that this process has open, in any thread. */
function openIn(folder: string): string[] {
  const paths = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // That of the listing.
      return '';
    }
  });
  return paths.filter((path) => path.startsWith(folder));
}

it.each(unusableFiles)(
  'a store with a %s cannot be opened, and nothing of it stays open',
  async (_, spoil, problem) => {
    const folder = temporaryFolder();
    const { adapters, close } = await openSqlite(folder);
    await adapters.intake.takeOver(0, [commit]);
    expect(openIn(folder)).not.toEqual([]);
    await close();
    spoil(folder);
    await expect(openSqlite(folder)).rejects.toThrow(problem);
    expect(openIn(folder)).toEqual([]);
  },
);
