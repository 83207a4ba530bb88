import type { Commit } from '@keyfold/event-store';
import { requireSealingKeyOf } from '@keyfold/application';
import { DONE, FAILED, serviceVersion, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { foldCommits, siteSettingsStream, walkFeed } from '@keyfold/projections';
import { firstErrorOf, reasonOf } from '@keyfold/reporting';
import { parseSealingKeys, Sealer, sealingKeyIdOf } from '@keyfold/security';
import type { LogAdapters, OpenLog } from '@keyfold/wiring';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { OperatorOutput } from '../../command-run.js';
import { counted } from '../../output/printable.js';
import { BackupFolder } from './backup-folder.js';
import { findDifference, takeCut, type Cut } from './cut.js';
import { decryptionFor, encryptionFor, type Encryption, type Secrets } from './encryption.js';
import { UnusableBackup, type Manifest, type Part } from './manifest.js';
import { checkPart, hashOfFile, writePart, type SlotPage } from './part-file.js';
import { StreamCheck, type Range } from './stream-check.js';

/** Further problems are only counted. */
const MAX_SHOWN_PROBLEMS = 100;
/** The content of every earlier part is read once in so many runs. */
const CHECK_RUNS = 7;

export type BackupRequest = Readonly<{ folder: string; recipients: readonly string[] }> & Secrets;

/** `record` writes in the store that a folder has a backup of it. `sealingKeys`: those of its service, if they are known here. */
export type BackupRun = Readonly<{
  store: Manifest['store'];
  openLog(): Promise<OpenLog>;
  record(): Promise<ExitCode>;
  sealingKeys: string | undefined;
  now(): number;
  output: OperatorOutput;
  signal: AbortSignal;
}>;

/** Adds what a store has since the last run to a backup folder, or everything to a new one. */
export async function makeBackup(request: BackupRequest, run: BackupRun): Promise<ExitCode> {
  try {
    await using opened = new AsyncDisposableStack();
    const encryption = encryptionFor(request.recipients, request.passphrase);
    const sealer = run.sealingKeys === undefined ? undefined : new Sealer(parseSealingKeys(run.sealingKeys));
    const folder = opened.adopt(await BackupFolder.open(request.folder, sealer), (each) => each.close());
    const doubt = folder.manifest ? folder.manifest.doubt : sealer ? undefined : 'no sealing key is set';
    // A run without the key would remove the protection for good.
    if (doubt !== undefined && folder.manifest?.isSigned)
      throw new UnusableBackup(`${doubt}. Set the sealing keys of the service, or name a new folder`);
    if (doubt !== undefined)
      await run.output.err(
        `warning: cannot verify that this backup is unchanged: ${doubt}. Start a new folder, with the sealing keys of the service set`,
      );
    await checkParts(folder, run);
    await requireSameWay(folder, encryption, request);
    // Before the cut, so that the store never has a backup that it does not know.
    const recorded = await run.record();
    if (recorded !== DONE) return recorded;
    const log = opened.adopt(await run.openLog(), (each) => each.close());
    // An HMAC with keys of another service would keep the right keys from restoring the backup.
    const settings = await log.adapters.store.readStreams([{ stream: siteSettingsStream.stream, version: 0 }]);
    if (sealer) requireSealingKeyOf(foldCommits(siteSettingsStream.aggregate, settings).state, sealer);
    // An HMAC would hide a change that was made before.
    return await new Backup(folder, log.adapters, encryption, run, doubt === undefined ? sealer : undefined).make();
  } catch (thrown) {
    const error = firstErrorOf(thrown);
    if (!(error instanceof UnusableBackup)) throw error;
    await run.output.err(`${reasonOf(thrown)}. The backup was not changed`);
    return WRONG_USAGE;
  }
}

/** Checks the size of every earlier part, and the content of those whose turn it is: a chain with a bad part cannot be restored. Throws `UnusableBackup`. */
async function checkParts({ path, manifest }: BackupFolder, { signal }: BackupRun): Promise<void> {
  if (!manifest) return;
  const { parts, runs } = manifest;
  try {
    for (const [index, part] of parts.entries())
      await checkPart(path, part, index % CHECK_RUNS === runs % CHECK_RUNS, async () => signal.throwIfAborted());
  } catch (error) {
    throw error instanceof UnusableBackup ? new UnusableBackup(`${error.message}, or name a new folder`) : error;
  }
}

/** Parts that need different secrets could not be restored with one. Throws `UnusableBackup`. */
async function requireSameWay({ path, manifest }: BackupFolder, { way }: Encryption, secrets: Secrets): Promise<void> {
  if (!manifest) return;
  const { encryption, parts } = manifest;
  if (encryption !== way)
    throw new UnusableBackup(`the backup in the folder has the encryption "${encryption}", but this run has "${way}"`);
  const last = parts.at(-1);
  if (way !== 'passphrase' || !last) return;
  const plain = decryptionFor(way, secrets)(createReadStream(join(path, last.file)));
  for await (const _ of plain) break;
}

class Backup {
  readonly #sealingKeys: Set<string>;
  #streams = 0;
  #problems = 0;
  #done = 0;

  constructor(
    private readonly folder: BackupFolder,
    private readonly log: LogAdapters,
    private readonly encryption: Encryption,
    private readonly run: BackupRun,
    private readonly sealer: Sealer | undefined,
  ) {
    this.#sealingKeys = new Set(folder.manifest?.sealingKeys);
  }

  async make(): Promise<ExitCode> {
    const { manifest } = this.folder;
    await this.#requireSameStore(manifest);
    const cut = await takeCut(this.log, this.run.now());
    const ranges = rangesOf(manifest, cut);
    const part = ranges.length === 0 ? undefined : await this.#write(ranges, cut);
    if (this.#problems > 0) return this.#refuse();
    const next: Manifest = {
      format: 1,
      keyfold: serviceVersion,
      store: this.run.store,
      encryption: this.encryption.way,
      parts: [...(manifest?.parts ?? []), ...(part ? [part] : [])],
      runs: (manifest?.runs ?? 0) + 1,
      heads: cut.heads,
      counters: cut.counters,
      relay: cut.relay,
      sealingKeys: [...this.#sealingKeys].toSorted(),
      erased: cut.erased,
    };
    await this.folder.complete(next, part?.file, this.sealer);
    await this.#summarize(next, part);
    return DONE;
  }

  async #requireSameStore(manifest: Manifest | undefined): Promise<void> {
    if (!manifest) return;
    const isOther = manifest.store !== this.run.store || (await findDifference(this.log, manifest)) !== undefined;
    if (isOther)
      throw new UnusableBackup(
        'the backup in the folder is of another store, or of a later state of this one. Name a new folder',
      );
  }

  /** Writes the part and reads it again. */
  async #write(ranges: readonly Range[], cut: Cut): Promise<Part> {
    const number = (this.folder.manifest?.parts.length ?? 0) + 1;
    const file = `${String(number).padStart(6, '0')}.commits.gz${this.encryption.apply ? '.age' : ''}`;
    const path = this.folder.unfinished(file);
    const written = await writePart(path, this.#pages(ranges), this.encryption);
    if ((await hashOfFile(path, written.bytes)) !== written.sha256)
      throw new UnusableBackup(`${path} does not contain what was written to it. Check its disk`);
    return { file, ...written, commits: sizeOf(ranges), cutAt: cut.at, slots: [...ranges] };
  }

  async *#pages(ranges: readonly Range[]): AsyncGenerator<SlotPage> {
    const total = sizeOf(ranges);
    for (const range of ranges) {
      const { slot, after, upTo } = range;
      const check = new StreamCheck(this.log.store, range, this.#report);
      for await (const page of walkFeed(this.log.feed, slot, upTo, this.run.store === 'sqlite', this.#report, after)) {
        this.run.signal.throwIfAborted();
        await check.pass(page);
        this.#noteSealingKeys(page);
        yield { slot, commits: page };
        this.#done += page.length;
        await this.run.output.progress?.({ done: this.#done, total, unit: 'commit' });
      }
      await check.finish();
      this.#streams += check.streams;
    }
  }

  #noteSealingKeys(page: readonly Commit[]): void {
    for (const { events } of page)
      for (const { sealed = {} } of events)
        for (const value of Object.values(sealed)) this.#sealingKeys.add(sealingKeyIdOf(value) ?? '?');
  }

  readonly #report = async (problem: string): Promise<void> => {
    this.#problems++;
    if (this.#problems <= MAX_SHOWN_PROBLEMS) await this.run.output.out(problem);
  };

  async #refuse(): Promise<ExitCode> {
    await this.run.output.err(
      `${counted(this.#problems, 'problem')}. The backup was not changed. Run "keyfold verify", and restore an earlier backup if the store is damaged`,
    );
    return FAILED;
  }

  async #summarize({ parts, sealingKeys, erased }: Manifest, part: Part | undefined): Promise<void> {
    const { output } = this.run;
    const all = parts.reduce((sum, { commits }) => sum + commits, 0);
    await output.out(
      part
        ? `${part.file}: ${counted(part.commits, 'commit')} of ${counted(this.#streams, 'stream')}, ${counted(part.bytes, 'byte')}`
        : 'nothing new since the last run',
    );
    await output.out(`the backup has ${counted(all, 'commit')} in ${counted(parts.length, 'part')}`);
    if (erased.length > 0) await output.out(`a restore leaves out ${counted(erased.length, 'erased account')}`);
    if (sealingKeys.length > 0)
      await output.out(`a restore needs the sealing keys ${sealingKeys.join(', ')}, which are not in the backup`);
  }
}

const sizeOf = (ranges: readonly Range[]) => ranges.reduce((sum, { after, upTo }) => sum + upTo - after, 0);

function rangesOf(manifest: Manifest | undefined, { heads }: Cut): Range[] {
  const reached = new Map(manifest?.heads.map(({ slot, position }) => [slot, position]));
  return heads
    .map(({ slot, position }) => ({ slot, after: reached.get(slot) ?? 0, upTo: position }))
    .filter(({ after, upTo }) => upTo > after);
}
