import { walkSecrets, type SealedSecret, type SecretPage } from '@keyfold/application';
import { sealingKeyIdOf } from '@keyfold/security';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';
import type { CommandRun } from './operator-ports.js';
import { tableOf } from '../output/table.js';

/** The column and the JSON field of each kind of secret. */
const KINDS: Readonly<Record<SealedSecret['kind'], Readonly<{ column: string; field: string }>>> = {
  password: { column: 'passwords', field: 'passwords' },
  'two-factor secret': { column: 'two-factor', field: 'twoFactorSecrets' },
  'recovery codes': { column: 'codes', field: 'recoveryCodes' },
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
  const visit = async ({ holders, read, total }: SecretPage) => {
    for (const { stream, secrets } of holders) for (const secret of secrets) count(uses, stream, secret);
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
