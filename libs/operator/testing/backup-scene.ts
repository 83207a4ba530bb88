import type { Commit } from '@keyfold/event-store';
import { openMongoToFill, openSqliteToFill, type FillingStore } from '@keyfold/wiring';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freshDatabaseUri } from '../../../test/support/mongo/mongo-database.js';
import { makeBackup, type BackupRequest } from '../src/store/backup/make-backup.js';
import { restoreBackup, type RestoreRequest } from '../src/store/backup/restore-backup.js';
import type { OperatorPorts } from '../src/command-run.js';
import { openEmbeddedStore, openSharedStore } from '../src/operator-store.js';
import { openScene, OperatorScene, operatorStores, SCENE_OPTIONS, type Ran } from './operator-scene.js';

type Kind = 'sqlite' | 'mongodb';
type Target = Readonly<{ fill(): Promise<FillingStore>; open(): Promise<OperatorScene> }>;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const targets: Readonly<Record<Kind, () => Target>> = {
  sqlite() {
    const folder = join(temporaryFolder(), 'restored');
    return {
      fill: () => openSqliteToFill(folder, 'restore', { startOver: true }),
      open: () => opened(openEmbeddedStore({ folder, ...SCENE_OPTIONS })),
    };
  },
  mongodb() {
    const uri = freshDatabaseUri();
    const options = { prepare: false, leaseMilliseconds: 10_000, ...SCENE_OPTIONS };
    return {
      fill: () => openMongoToFill(uri, 'keyfold restore', { startOver: true }),
      open: () => opened(openSharedStore(uri, options)),
    };
  },
};

async function opened(opening: ReturnType<typeof openEmbeddedStore>): Promise<OperatorScene> {
  const store = await opening;
  onTestFinished(() => store.close());
  return new OperatorScene(store);
}

/** A store, a backup of it and a new store of the same kind. */
export class BackupScene {
  readonly folder = join(temporaryFolder(), 'backup');
  readonly target: Target;
  /** The sealing keys of the next commands. */
  sealingKeys: string | undefined = SCENE_OPTIONS.sealingKeys;

  constructor(
    readonly source: OperatorScene,
    private readonly kind: Kind,
  ) {
    this.target = targets[kind]();
  }

  /** Runs `keyfold backup`. */
  backUp(differing: Partial<BackupRequest> = {}): Promise<Ran> {
    return ranWith((output) =>
      makeBackup(
        { folder: this.folder, recipients: [], ...differing },
        {
          store: this.kind,
          openLog: async () => ({ adapters: this.source.ports, close: async () => undefined }),
          record: async () => 0,
          sealingKeys: this.sealingKeys,
          now: () => Date.now(),
          output,
          signal: new AbortController().signal,
        },
      ),
    );
  }

  /** Runs `keyfold restore`. */
  restore(differing: Partial<RestoreRequest> = {}, store = this.kind): Promise<Ran> {
    return ranWith((output) =>
      restoreBackup(
        { folder: this.folder, dryRun: false, ...differing },
        {
          store,
          openTarget: () => this.target.fill(),
          sealingKeys: this.sealingKeys,
          sessionDays: 90,
          output,
          signal: new AbortController().signal,
        },
      ),
    );
  }
}

type Output = Parameters<typeof makeBackup>[1]['output'];

async function ranWith(command: (output: Output) => ReturnType<typeof makeBackup>): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const output = {
    out: async (line: string) => void out.push(line),
    err: async (line: string) => void err.push(line),
  };
  return { status: await command(output), out, err };
}

/** Every commit of a store, by slot. */
export async function allCommits({ feed }: Pick<OperatorPorts, 'feed'>): Promise<Map<number, Commit[]>> {
  const slots = new Map<number, Commit[]>();
  for (const [slot, head] of await feed.readHeads()) if (head > 0) slots.set(slot, await feed.readFeed(slot, 0, head));
  return slots;
}

/** Opens a scene on SQLite. */
export const openBackupScene = async () => new BackupScene(await openScene(), 'sqlite');

/** Both stores, each with a function that opens a scene with a new one. */
export const backupScenes = operatorStores.map(
  ([name, open]) =>
    [name, async () => new BackupScene(await open(), name === 'SQLite' ? 'sqlite' : 'mongodb')] as const,
);
