import { isoTime, walkSecrets, type SealedSecret, type SecretPage } from '@keyfold/application';
import type { Commit } from '@keyfold/event-store';
import { relayName } from '@keyfold/messaging';
import { DONE, FAILED, WRONG_USAGE, type ExitCode } from '@keyfold/process';
import { projectorName } from '@keyfold/projections';
import { parseSealingKeys, Sealer, sealingKeyIdOf } from '@keyfold/security';
import type { FillingStore } from '@keyfold/wiring';
import { randomUUID } from 'node:crypto';
import { recordedErasures, recordErasure } from '../erasure/erasure-records.js';
import { verifyStore } from '../verify-store.js';
import type { OperatorOutput, OperatorPorts } from '../../command-run.js';
import { operatorStore } from '../../operator-store.js';
import { counted } from '../../output/printable.js';
import { BackupReader } from './backup-reader.js';
import type { Secrets } from './encryption.js';
import { erasedCommit, parseErasures } from './erased-commits.js';
import { UnusableBackup, type ErasedAccount, type Manifest } from './manifest.js';
import type { SlotPage } from './part-file.js';

/** Further erased accounts are only counted. */
const MAX_SHOWN_ACCOUNTS = 20;
const PROGRESS_INTERVAL = 500;

/** `at`: unix milliseconds. `erasures`: lines of `keyfold account erasures --json`. */
export type RestoreRequest = Readonly<{
  folder: string;
  at?: number | undefined;
  dryRun: boolean;
  erasures?: string | undefined;
}> &
  Secrets;

/** `openTarget` opens an empty store. `sealingKeys`: those of its service, if they are known here. */
export type RestoreRun = Readonly<{
  store: Manifest['store'];
  openTarget(): Promise<FillingStore>;
  sealingKeys: string | undefined;
  sessionDays: number;
  output: OperatorOutput;
  signal: AbortSignal;
}>;

/** Checks a backup, then restores it into an empty store. */
export async function restoreBackup(request: RestoreRequest, run: RestoreRun): Promise<ExitCode> {
  try {
    const sealer = run.sealingKeys === undefined ? undefined : new Sealer(parseSealingKeys(run.sealingKeys));
    const backup = await BackupReader.open(request.folder, request, sealer);
    if (!request.dryRun) requireSameKind(backup.manifest, run);
    const erased = new Map(
      [...backup.manifest.erased, ...parseErasures(request.erasures ?? '')].map((each) => [each.accountId, each]),
    );
    await run.output.err('checking the backup');
    await backup.check(run);
    await describe(backup, erased, run);
    if (request.dryRun) return DONE;
    return await fillTarget(backup, [...erased.values()], request, run, sealer);
  } catch (error) {
    if (!(error instanceof UnusableBackup)) throw error;
    await run.output.err(`${error.message}. Nothing was restored`);
    return WRONG_USAGE;
  }
}

function requireSameKind({ store }: Manifest, run: RestoreRun): void {
  if (store === run.store) return;
  throw new UnusableBackup(
    `the backup is of a store on ${store}, but the settings name ${run.store}. Restore it into a store on ${store}, then run "keyfold store copy"`,
  );
}

async function describe(
  { manifest: { parts, keyfold, sealingKeys, doubt }, commits }: BackupReader,
  erased: ReadonlyMap<number, unknown>,
  { output }: Pick<RestoreRun, 'output'>,
): Promise<void> {
  const last = parts.at(-1);
  await output.out(
    `the backup is undamaged: ${counted(commits, 'commit')} in ${counted(parts.length, 'part')}, the last one of ${last ? isoTime(last.cutAt) : 'an empty store'}, by ${keyfold}`,
  );
  if (doubt !== undefined)
    await output.err(
      `warning: the backup may have been changed: ${doubt}. Use it only if nobody else could write to its folder`,
    );
  if (erased.size > 0) {
    const ids = [...erased.keys()];
    const shown = ids.slice(0, MAX_SHOWN_ACCOUNTS).join(', ') + (ids.length > MAX_SHOWN_ACCOUNTS ? ', ...' : '');
    await output.out(`${counted(ids.length, 'erased account')} will be left out: ${shown}`);
  }
  if (sealingKeys.length > 0) await output.out(`its secrets are sealed with the keys ${sealingKeys.join(', ')}`);
}

async function fillTarget(
  backup: BackupReader,
  erased: readonly ErasedAccount[],
  { at = Infinity }: RestoreRequest,
  run: RestoreRun,
  sealer: Sealer | undefined,
): Promise<ExitCode> {
  const target = await run.openTarget();
  const { ports, close } = operatorStore(target, {
    isAlone: true,
    sessionDays: run.sessionDays,
    sealingKeys: () => run.sealingKeys ?? '',
  });
  try {
    const restore = new Restore(backup, new Set(erased.map(({ accountId }) => accountId)), ports, run);
    await restore.fill(at);
    await restore.setCounters();
    await restore.setRelay();
    await restore.recordErasures(erased);
    await restore.project();
    if (!(await restore.verify())) return FAILED;
    await restore.checkSealingKeys(sealer);
    await target.finish();
    await run.output.out('the store is restored. Start the service on it');
    return DONE;
  } finally {
    await close();
  }
}

class Restore {
  readonly #heads = new Map<number, number>();

  constructor(
    private readonly backup: BackupReader,
    private readonly erased: ReadonlySet<number>,
    private readonly ports: OperatorPorts,
    private readonly run: RestoreRun,
  ) {}

  /** Takes over the commits of each slot up to the first one that is later than a time. */
  async fill(at: number): Promise<void> {
    const { output, signal } = this.run;
    await output.err('writing the commits');
    const ended = new Set<number>();
    const total = this.backup.commits;
    let done = 0;
    for await (const { slot, commits } of this.backup.pages()) {
      signal.throwIfAborted();
      const taken = ended.has(slot) ? [] : commits.slice(0, prefixUpTo(at, commits));
      if (taken.length < commits.length) ended.add(slot);
      await this.#takeOver({ slot, commits: taken });
      await output.progress?.({ done: (done += commits.length), total, unit: 'commit' });
    }
    const restored = [...this.#heads.values()].reduce((sum, head) => sum + head, 0);
    if (restored === 0 && total > 0)
      throw new UnusableBackup('every commit of the backup is later than the time of --at. Name a later time');
    await output.out(`restored ${counted(restored, 'commit')}${restored < total ? ` of ${total}` : ''}`);
  }

  async #takeOver({ slot, commits }: SlotPage): Promise<void> {
    const last = commits.at(-1);
    if (!last) return;
    const isErased = ({ partition }: Commit) => this.erased.has(Number(partition));
    await this.ports.intake.takeOver(
      slot,
      commits.map((commit) => (isErased(commit) ? erasedCommit(slot, commit) : commit)),
    );
    this.#heads.set(slot, last.position);
  }

  async setCounters(): Promise<void> {
    for (const [name, next] of Object.entries(this.backup.manifest.counters))
      await this.ports.counter.skipTo(name, next);
  }

  /** The relay goes on where it was, so that nothing is announced again that the backup records as sent. */
  async setRelay(): Promise<void> {
    const { checkpoints, parked } = this.backup.manifest.relay;
    const { relayLeases, parkedRelays } = this.ports;
    if (checkpoints.length === 0) return;
    const positions = new Map(checkpoints.map(({ slot, position }) => [slot, position]));
    const leases = await relayLeases.take(relayName, `restore:${randomUUID()}`, [...positions.keys()], 60_000);
    const epochs = new Map(leases.map(({ slot, epoch }) => [slot, epoch]));
    const headOf = (slot: number) => this.#heads.get(slot) ?? 0;
    for (const record of parked)
      if (record.position <= headOf(record.slot))
        await parkedRelays.park({ ...record, epoch: epochs.get(record.slot) ?? 1 });
    await Promise.all(
      leases.map((lease) => relayLeases.advance(lease, Math.min(positions.get(lease.slot)!, headOf(lease.slot)))),
    );
    await relayLeases.release(leases);
  }

  /** The restored log lacks erasures that were recorded later, or elsewhere. */
  async recordErasures(erased: readonly ErasedAccount[]): Promise<void> {
    const { accounts } = await recordedErasures(this.ports);
    const recorded = new Set(accounts.map(({ accountId }) => accountId));
    for (const each of erased) {
      this.run.signal.throwIfAborted();
      if (!recorded.has(each.accountId)) await recordErasure(each, this.ports);
    }
  }

  /** Fills the read models. */
  async project(): Promise<void> {
    const { feed, leases } = this.ports;
    const { output, signal } = this.run;
    await output.err('filling the lists');
    const total = [...(await feed.readHeads()).values()].reduce((sum, head) => sum + head, 0);
    const projector = this.ports.newProjector!(() => undefined);
    const report = async () => {
      const done = (await leases.progress(projectorName)).reduce((sum, { position }) => sum + position, 0);
      await output.progress?.({ done, total, unit: 'commit' });
    };
    const reports = setInterval(() => void report().catch(() => undefined), PROGRESS_INTERVAL);
    signal.addEventListener('abort', () => void projector.stop());
    try {
      await projector.catchUp();
    } finally {
      clearInterval(reports);
      await projector.stop();
    }
    signal.throwIfAborted();
  }

  /** Returns whether the store is whole. */
  async verify(): Promise<boolean> {
    const { output, signal } = this.run;
    await output.err('verifying the store');
    const isWhole = (await verifyStore({}, { ports: this.ports, output, signal })) === DONE;
    if (!isWhole) await output.err('the store is not usable. Restore another backup');
    return isWhole;
  }

  /** Reports which keys the restored secrets need, and opens one secret of each. */
  async checkSealingKeys(sealer: Sealer | undefined): Promise<void> {
    const { store, feed } = this.ports;
    const samples = new Map<string, SealedSecret>();
    const visitor = {
      visit: async ({ streams }: SecretPage) => {
        for (const secret of streams.flatMap(({ secrets }) => secrets))
          samples.set(sealingKeyIdOf(secret.sealed) ?? '?', secret);
      },
      report: async () => undefined,
    };
    await walkSecrets(store, feed, visitor, this.run.signal);
    const missing = [...samples].filter(([, secret]) => !canOpen(sealer, secret)).map(([key]) => key);
    if (missing.length === 0) return;
    await this.run.output.err(
      `cannot check the sealing keys ${missing.toSorted().join(', ')}, because this command does not have them. Nobody can log in without them: make sure that the service has them before it starts`,
    );
  }
}

function canOpen(sealer: Sealer | undefined, { sealed, context }: SealedSecret): boolean {
  try {
    return sealer?.open(sealed, context) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the number of commits before the first one that is later than a time. */
function prefixUpTo(time: number, commits: readonly Commit[]): number {
  const later = commits.findIndex(({ at }) => at > time);
  return later === -1 ? commits.length : later;
}
