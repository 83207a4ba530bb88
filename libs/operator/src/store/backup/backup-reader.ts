import { join } from 'node:path';
import type { OperatorOutput } from '../../command-run.js';
import type { Sealer } from '@keyfold/security';
import { readManifest } from './backup-folder.js';
import { decryptionFor, type Decryption, type Secrets } from './encryption.js';
import { UnusableBackup, type ReadManifest } from './manifest.js';
import { checkPart, readPart, type SlotPage } from './part-file.js';

type Watched = Readonly<{ output: OperatorOutput; signal: AbortSignal }>;

/** Reads a backup that nothing writes meanwhile. */
export class BackupReader {
  private constructor(
    private readonly folder: string,
    readonly manifest: ReadManifest,
    private readonly decrypt: Decryption,
  ) {}

  /** Throws `UnusableBackup`. */
  static async open(folder: string, secrets: Secrets, sealer: Sealer | undefined): Promise<BackupReader> {
    const manifest = await readManifest(folder, sealer);
    return new BackupReader(folder, manifest, decryptionFor(manifest.encryption, secrets));
  }

  get commits(): number {
    return this.manifest.parts.reduce((sum, { commits }) => sum + commits, 0);
  }

  /** Compares every file with the manifest, then reads every commit. Throws `UnusableBackup` and the reason of the signal. */
  async check({ output, signal }: Watched): Promise<void> {
    const { parts } = this.manifest;
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    let read = 0;
    for (const part of parts) {
      await checkPart(this.folder, part, true, async (length) => {
        signal.throwIfAborted();
        await output.progress?.({ done: (read += length), total: bytes, unit: 'byte' });
      });
    }
    let done = 0;
    for await (const { commits } of this.pages()) {
      signal.throwIfAborted();
      await output.progress?.({ done: (done += commits.length), total: this.commits, unit: 'commit' });
    }
  }

  /** Yields all commits, those of each slot in the order of its feed. Throws `UnusableBackup`. */
  async *pages(): AsyncGenerator<SlotPage> {
    for (const part of this.manifest.parts) {
      const next = new Map(part.slots.map(({ slot, after }) => [slot, after + 1]));
      try {
        for await (const page of readPart(join(this.folder, part.file), this.decrypt)) {
          requireDense(page, next);
          yield page;
        }
      } catch (error) {
        throw error instanceof UnusableBackup ? new UnusableBackup(`${part.file}: ${error.message}`) : error;
      }
      const short = part.slots.find(({ slot, upTo }) => next.get(slot) !== upTo + 1);
      if (short) throw new UnusableBackup(`${part.file} lacks commits of slot ${short.slot}`);
    }
  }
}

/** Requires that a page follows what was read of its slot. `next`: the next position of each slot. */
function requireDense({ slot, commits }: SlotPage, next: Map<number, number>): void {
  for (const { position } of commits) {
    if (next.get(slot) !== position)
      throw new UnusableBackup(`position ${position} of slot ${slot} does not follow the one before it`);
    next.set(slot, position + 1);
  }
}
