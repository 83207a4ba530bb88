import {
  contextOf,
  operator,
  resealSecrets,
  walkSecrets,
  type SealedSecret,
  type SecretPage,
} from '@keyfold/application';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { sealingKeyIdOf } from '@keyfold/security';
import pLimit from 'p-limit';
import { newOrigin, type CommandRun } from '../command-run.js';
import { counted } from '../output/printable.js';
import { tableOf } from '../output/table.js';

/** Streams that are changed concurrently, so that they share round trips to the store. */
const CONCURRENT_STREAMS = 64;

/**
 * Reseals every secret with the first sealing key. Each stream is changed by its own commit, and streams that need no change are skipped,
 * so the next run continues an interrupted one.
 */
export async function resealAllSecrets(_: object, { ports, output, signal }: CommandRun): Promise<ExitCode> {
  const sealer = await ports.sealer();
  const runner = await ports.runner();
  const limit = pLimit(CONCURRENT_STREAMS);
  const context = contextOf(operator, newOrigin());
  const count = { resealed: 0, unchanged: 0, problems: 0 };
  const report = (problem: string) => {
    count.problems++;
    return output.err(problem);
  };
  const visit = async ({ streams, read, total }: SecretPage) => {
    await limit.map(streams, async (stream) => {
      const done = await resealSecrets(stream, sealer, runner, context);
      count.resealed += done.resealed;
      count.unchanged += done.unchanged;
      for (const problem of done.problems) await report(problem);
    });
    await output.progress?.({ done: read, total, unit: 'commit' });
  };
  await walkSecrets(ports.store, ports.feed, { visit, report }, signal);
  await output.out(
    `resealed ${counted(count.resealed, 'secret')} with the key "${sealer.sealingKeyId}"; ${count.unchanged} already had it`,
  );
  if (count.problems === 0) return DONE;
  await output.err(`${counted(count.problems, 'problem')}. Keep the old keys until a run finds no problems`);
  return FAILED;
}

/** The column and the JSON field of each kind of secret. */
const KINDS: Readonly<Record<SealedSecret['kind'], Readonly<{ column: string; field: string }>>> = {
  password: { column: 'passwords', field: 'passwords' },
  'two-factor secret': { column: 'two-factor', field: 'twoFactorSecrets' },
  'recovery codes': { column: 'codes', field: 'recoveryCodes' },
  'password in OpenList': { column: 'openlist', field: 'openlistPasswords' },
  'static token': { column: 'token', field: 'staticTokens' },
  setting: { column: 'settings', field: 'settings' },
};
const kinds = Object.keys(KINDS) as SealedSecret['kind'][];
/** Maximum number of streams to show for each key. */
const MAX_SHOWN_STREAMS = 3;

type Use = { readonly counts: Map<SealedSecret['kind'], number>; readonly streams: Set<string> };

/** Shows which sealing keys are in use, by how many secrets and in which streams. Needs no key itself. */
export async function showSealingKeys(
  { json }: { json: boolean },
  { ports, output, signal }: CommandRun,
): Promise<ExitCode> {
  const uses = new Map<string, Use>();
  let problems = 0;
  const report = (problem: string) => {
    problems++;
    return output.err(problem);
  };
  const visit = async ({ streams, read, total }: SecretPage) => {
    for (const { stream, secrets } of streams) for (const secret of secrets) count(uses, stream, secret);
    await output.progress?.({ done: read, total, unit: 'commit' });
  };
  await walkSecrets(ports.store, ports.feed, { visit, report }, signal);
  for (const line of json ? [asJson(uses)] : linesOf(uses)) await output.out(line);
  if (problems === 0) return DONE;
  await output.err(`${counted(problems, 'problem')}. Other keys may be needed, too`);
  return FAILED;
}

function count(uses: Map<string, Use>, stream: string, { kind, sealed }: SealedSecret): void {
  const key = sealingKeyIdOf(sealed) ?? '?';
  const use = uses.get(key) ?? { counts: new Map(), streams: new Set() };
  uses.set(key, use);
  use.counts.set(kind, (use.counts.get(kind) ?? 0) + 1);
  if (use.streams.size <= MAX_SHOWN_STREAMS) use.streams.add(stream);
}

const countsOf = ({ counts }: Use) => kinds.map((kind) => counts.get(kind) ?? 0);

function* linesOf(uses: ReadonlyMap<string, Use>): Generator<string> {
  const rows = sorted(uses).map(([key, use]) => [key, ...countsOf(use), sampleOf(use)]);
  const total = kinds.map((_, index) => sorted(uses).reduce((sum, [, use]) => sum + (countsOf(use)[index] ?? 0), 0));
  const columns = kinds.map((kind) => KINDS[kind].column);
  yield* tableOf(['key', ...columns, 'streams'], rows, ['total', ...total, '']);
  yield 'Sealing keys that are not listed are no longer needed.';
}

function sampleOf({ streams }: Use): string {
  const shown = [...streams].slice(0, MAX_SHOWN_STREAMS).join(', ');
  return streams.size > MAX_SHOWN_STREAMS ? `${shown}, ...` : shown;
}

const asJson = (uses: ReadonlyMap<string, Use>) =>
  JSON.stringify({
    keys: sorted(uses).map(([key, use]) => {
      const counts = countsOf(use).map((count, index) => [KINDS[kinds[index]!].field, count] as const);
      return { key, ...Object.fromEntries(counts) };
    }),
  });

const sorted = (uses: ReadonlyMap<string, Use>) => [...uses].toSorted(([a], [b]) => (a < b ? -1 : 1));
