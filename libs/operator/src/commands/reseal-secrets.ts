import { actorOf, operator, resealSecrets, walkSecrets, type SecretPage } from '@keyfold/application';
import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { counted } from '../output/counted.js';
import type { CommandRun } from './operator-ports.js';

/** Streams that are changed at once: they share the round trips to the store. */
const STREAMS_AT_ONCE = 64;

/**
 * Seals every secret with the first sealing key. Each stream is changed by a commit of its own and one that needs no change is passed
 * over, so a run that was interrupted is continued by the next.
 */
export async function resealAllSecrets(_: object, { ports, output, signal }: CommandRun): Promise<ExitCode> {
  const sealer = await ports.sealer();
  const limit = pLimit(STREAMS_AT_ONCE);
  const context = { actor: actorOf(operator), correlation: randomUUID() };
  const count = { resealed: 0, unchanged: 0, problems: 0 };
  const report = (problem: string) => {
    count.problems++;
    return output.err(problem);
  };
  const visit = async ({ holders, read, total }: SecretPage) => {
    await limit.map(holders, async (holder) => {
      const done = await resealSecrets(holder, sealer, ports.commands, context);
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
  await output.err(`${counted(count.problems, 'problem')}: keep the old keys until there is none`);
  return FAILED;
}
