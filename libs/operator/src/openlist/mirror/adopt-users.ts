import { accountOfMirror, MirrorBlocked, type OpenListMirror } from '@keyfold/openlist';
import { DONE, type ExitCode } from '@keyfold/process';
import pLimit from 'p-limit';
import { z } from 'zod';
import { onMirrors, refuseInput, type CommandRun } from '../../command-run.js';
import { quoted } from '../../output/printable.js';
import { planAdoptions, type Adoption } from './adoption-plan.js';
import { loadMirrored } from './mirrored-users.js';

/** Users that are adopted concurrently. */
const CONCURRENT_USERS = 4;

const confirmedUsers: z.ZodType<readonly Pick<Adoption, 'userId' | 'accountId'>[]> = z.array(
  z.object({ userId: z.int(), accountId: z.int() }),
);

/** The result for a confirmed user. `problem` is null if it was adopted. */
export type Adopted = Readonly<{ userId: number; problem: string | null }>;

/** `users`: the confirmed ones. Without them the plan is written. */
type Args = Readonly<{ names: readonly string[]; users?: readonly unknown[] | undefined }>;

/** Adopts users of OpenList, or plans it. Writes a line of JSON for each user (`Adopted`, `Adoption`). Without names it takes all. */
export const adoptUsers = ({ names, users }: Args, run: CommandRun): Promise<ExitCode> =>
  onMirrors(run, (mirror) => (users === undefined ? plan(mirror, names, run) : adopt(mirror, users, run)));

async function plan(mirror: OpenListMirror, names: readonly string[], run: CommandRun): Promise<ExitCode> {
  const { ports, output, signal } = run;
  const unfound = new Set(names);
  for await (const adoption of planAdoptions(mirror, ports, names.length > 0 ? new Set(names) : undefined)) {
    signal.throwIfAborted();
    unfound.delete(adoption.name);
    await output.out(JSON.stringify(adoption));
  }
  const [name] = unfound;
  if (name === undefined) return DONE;
  return refuseInput(
    `OpenList has no user ${quoted(name)} that Keyfold can adopt: the user does not exist or is a mirror already, or no account has the name or was imported from it`,
    run,
  );
}

async function adopt(mirror: OpenListMirror, users: readonly unknown[], run: CommandRun): Promise<ExitCode> {
  const { output, signal } = run;
  const confirmed = confirmedUsers.safeParse(users);
  if (!confirmed.success) return refuseInput('another version of keyfold sent these users', run);
  const report = (result: Adopted) => output.out(JSON.stringify(result));
  const adoptEach = async (some: typeof confirmed.data, isLast: boolean) => {
    const refused = await pLimit(CONCURRENT_USERS).map(some, async (each) => {
      signal.throwIfAborted();
      const problem = (await adoptOne(mirror, each, run)) ?? null;
      if (problem === null || isLast) await report({ userId: each.userId, problem });
      return problem === null ? [] : [each];
    });
    return refused.flat();
  };
  // Another one may have given up a name that a refused one needs.
  await adoptEach(await adoptEach(confirmed.data, false), true);
  return DONE;
}

/** Returns why the user was not adopted. */
async function adoptOne(
  mirror: OpenListMirror,
  { userId, accountId }: Pick<Adoption, 'userId' | 'accountId'>,
  { ports }: CommandRun,
): Promise<string | undefined> {
  const user = await mirror.api.user(userId);
  if (user?.role !== 0 || accountOfMirror(user) !== undefined) return 'it has changed in OpenList meanwhile';
  const { link } = await loadMirrored(accountId, ports.loader);
  try {
    await mirror.adopt(accountId, userId);
    if (link.userId !== 0 && link.userId !== userId) await mirror.removeSurplus(accountId, link.userId);
    return undefined;
  } catch (error) {
    if (error instanceof MirrorBlocked) return error.message;
    throw error;
  }
}
