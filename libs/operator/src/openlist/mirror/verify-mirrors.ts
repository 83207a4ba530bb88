import { GUEST_ID } from '@keyfold/domain';
import { linkedUser, ROLE_GUEST, userPages, type FoundUser, type OpenListMirror } from '@keyfold/openlist';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import type { Sealer } from '@keyfold/security';
import pLimit from 'p-limit';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountPages } from '../../accounts/show-accounts.js';
import { onMirrors, type CommandRun, type OperatorPorts } from '../../command-run.js';
import { counted, quoted } from '../../output/printable.js';
import { catchUpIfAlone } from '../../store/migrate.js';
import { compareMirror } from './compare-mirror.js';
import { guestDifferences } from './mirror-differences.js';
import { loadMarked, loadMirrored, needsMirror, type Mirrored } from './mirrored-users.js';

/** Further differences are only counted. */
const MAX_SHOWN_DIFFERENCES = 1_000;
/** Users whose keys are read concurrently. */
const CONCURRENT_USERS = 8;
/** How long changes may take from an account to its mirror, in milliseconds. */
const SETTLE_TIME = 3_000;

/** Compares every mirror with its account. Writes a line for each difference that is still there after some seconds. */
export const verifyMirrors = (_: object, run: CommandRun): Promise<ExitCode> =>
  onMirrors(run, async (mirror) => {
    const { ports, output, signal } = run;
    await catchUpIfAlone(run);
    const check = new MirrorCheck(mirror, ports, await ports.sealer());
    await check.compareAll(run);
    const { mirrors, keys, unknown } = check.count;
    if (check.hasSuspects && !ports.isAlone) await sleep(SETTLE_TIME, undefined, { signal });
    let differences = 0;
    for await (const difference of check.differences(signal)) {
      differences++;
      if (differences <= MAX_SHOWN_DIFFERENCES) await output.out(difference);
    }
    if (differences > MAX_SHOWN_DIFFERENCES) await output.out(`... and ${differences - MAX_SHOWN_DIFFERENCES} more`);
    if (unknown > 0) await output.err(`${counted(unknown, 'user')} of OpenList that Keyfold does not know`);
    const result = differences === 0 ? 'no differences' : counted(differences, 'difference');
    await output.out(`${counted(mirrors, 'mirror')} with ${counted(keys, 'SSH key')}: ${result}`);
    return differences === 0 ? DONE : FAILED;
  });

/** Compares page by page. What differs is compared again alone, because accounts change meanwhile. */
class MirrorCheck {
  readonly count = { mirrors: 0, keys: 0, unknown: 0 };
  readonly #mirrored = new Set<number>();
  readonly #suspects = new Set<number>();
  readonly #strays: number[] = [];
  #guest: FoundUser | undefined;

  constructor(
    private readonly mirror: OpenListMirror,
    private readonly ports: OperatorPorts,
    private readonly sealer: Sealer,
  ) {}

  get hasSuspects(): boolean {
    return this.#suspects.size + this.#strays.length > 0;
  }

  async compareAll({ output, signal }: CommandRun): Promise<void> {
    const { api } = this.mirror;
    const limit = pLimit(CONCURRENT_USERS);
    const { total } = await api.users(1, 1);
    let done = 0;
    for await (const page of userPages(api)) {
      const marked = await loadMarked(page, this.ports.loader);
      await limit.map(marked, async (each) => {
        signal.throwIfAborted();
        if (each.link.userId !== each.user.id || !needsMirror(each.account))
          return void this.#strays.push(each.user.id);
        this.#mirrored.add(each.accountId);
        if ((await this.#differencesOf(each, each.user)).length > 0) this.#suspects.add(each.accountId);
      });
      this.#guest ??= page.find(({ role }) => role === ROLE_GUEST);
      this.count.unknown += page.filter(({ role }) => role === 0).length - marked.length;
      done += page.length;
      await output.progress?.({ done, total, unit: 'user' });
    }
    this.count.mirrors = this.#mirrored.size;
    if ((await this.#accountDifferences(GUEST_ID)).length > 0) this.#suspects.add(GUEST_ID);
    for await (const page of accountPages(this.ports.readModels))
      for (const account of page)
        if (needsMirror(account) && !this.#mirrored.has(account.accountId)) this.#suspects.add(account.accountId);
  }

  async *differences(signal: AbortSignal): AsyncGenerator<string> {
    for (const userId of this.#strays) {
      signal.throwIfAborted();
      yield* await this.#strayDifferences(userId);
    }
    for (const accountId of this.#suspects) {
      signal.throwIfAborted();
      yield* await this.#accountDifferences(accountId);
    }
  }

  async #accountDifferences(accountId: number): Promise<string[]> {
    const mirrored = await loadMirrored(accountId, this.ports.loader);
    const { account } = mirrored;
    if (accountId === GUEST_ID) return this.#guestDifferences(mirrored);
    if (!needsMirror(account)) return [];
    const user = await linkedUser(this.mirror.api, mirrored.link);
    if (!user) return [`account ${accountId} (${quoted(account.username)}) has no mirror`];
    const differences = await this.#differencesOf(mirrored, user);
    return differences.map((each) => `the mirror of account ${accountId} (${quoted(account.username)}) ${each}`);
  }

  async #guestDifferences({ account }: Mirrored): Promise<string[]> {
    const guest = this.#guest && (await this.mirror.api.user(this.#guest.id));
    if (account.status !== 'active') return [];
    if (!guest) return ['OpenList has no guest'];
    return guestDifferences(guest, account).map((each) => `the guest of OpenList ${each}`);
  }

  async #differencesOf(mirrored: Mirrored, user: FoundUser): Promise<readonly string[]> {
    const { api } = this.mirror;
    const { keys, differences } = await compareMirror(mirrored, user, { api, sealer: this.sealer, ports: this.ports });
    this.count.keys += keys;
    return differences;
  }

  async #strayDifferences(userId: number): Promise<string[]> {
    const found = await this.mirror.api.user(userId);
    const [stray] = await loadMarked(found ? [found] : [], this.ports.loader);
    if (!stray) return [];
    const { accountId, account, link, user } = stray;
    const name = `user ${userId} of OpenList (${quoted(user.username)})`;
    if (!needsMirror(account)) return [`${name} has the mark of account ${accountId}, which has no mirror`];
    if (link.userId === userId) return [];
    return [`${name} has the mark of account ${accountId}, but is not its mirror`];
  }
}
