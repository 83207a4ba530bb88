import { GUEST_ID } from '@keyfold/domain';
import { voidStreamOf } from '@keyfold/event-store';
import { linkedUser, MirrorBlocked, userPages, type FoundUser, type OpenListMirror } from '@keyfold/openlist';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { accountStream } from '@keyfold/projections';
import pLimit from 'p-limit';
import { accountPages } from '../../accounts/show-accounts.js';
import { onMirrors, type CommandRun, type OperatorPorts } from '../../command-run.js';
import { counted, quoted } from '../../output/printable.js';
import { catchUpIfAlone } from '../../store/migrate.js';
import { loadMarked, needsMirror, type Mirrored } from './mirrored-users.js';

/** Mirrors that are made concurrently. Most of the time, each waits for requests with its former password. */
const CONCURRENT_MIRRORS = 32;

/** Gives every mirror a new password, makes the missing ones, and deletes those whose account was deleted. */
export const rebuildMirrors = (_: object, run: CommandRun): Promise<ExitCode> =>
  onMirrors(run, async (mirror) => {
    await catchUpIfAlone(run);
    const rebuild = new MirrorRebuild(mirror, run);
    await rebuild.renewMarked();
    await rebuild.makeMissing();
    const { made, deleted, left } = rebuild.count;
    await run.output.out(`made ${counted(made, 'mirror')}, deleted ${deleted}`);
    return left === 0 ? DONE : FAILED;
  });

type Marked = Mirrored & Readonly<{ user: FoundUser }>;

class MirrorRebuild {
  readonly count = { made: 0, deleted: 0, left: 0 };
  readonly #renewed = new Set<number>();
  readonly #limit = pLimit(CONCURRENT_MIRRORS);

  constructor(
    private readonly mirror: OpenListMirror,
    private readonly run: CommandRun,
  ) {}

  /** Takes over the users that have a mark of an account. */
  async renewMarked(): Promise<void> {
    const { ports, output } = this.run;
    const { total } = await this.mirror.api.users(1, 1);
    let done = 0;
    for await (const page of userPages(this.mirror.api)) {
      await this.#limit.map(await loadMarked(page, ports.loader), (each) =>
        this.#orReport(each.accountId, () => this.#renew(each)),
      );
      done += page.length;
      await output.progress?.({ done, total, unit: 'user' });
    }
  }

  /** Makes mirrors of the accounts that have none. */
  async makeMissing(): Promise<void> {
    const { mirror } = this;
    for await (const page of accountPages(this.run.ports.readModels)) {
      const missing = page.filter((account) => needsMirror(account) && !this.#renewed.has(account.accountId));
      await this.#limit.map(missing, ({ accountId }) =>
        this.#orReport(accountId, async () => {
          mirror.forget(accountId);
          await mirror.carry(accountId);
          this.count.made++;
        }),
      );
    }
    await this.#orReport(GUEST_ID, async () => {
      mirror.forget(GUEST_ID);
      await mirror.carry(GUEST_ID);
    });
  }

  async #renew(marked: Marked): Promise<void> {
    const { accountId, account, link, user } = marked;
    if (!needsMirror(account)) {
      if (account.status === 'absent' && !(await wasErased(accountId, this.run.ports)))
        return this.#leave(
          `user ${user.id} of OpenList (${quoted(user.username)}) has the mark of account ${accountId}, which this store never had`,
        );
      await this.mirror.removeSurplus(accountId, user.id);
      return void this.count.deleted++;
    }
    if (link.userId !== user.id) {
      // A link proves that this store made the mirror. Without one, the user may be of another store.
      const linked = await linkedUser(this.mirror.api, link);
      if (linked && linked.id !== user.id) {
        await this.mirror.removeSurplus(accountId, user.id);
        return void this.count.deleted++;
      }
      if (!linked && user.username !== account.username)
        return this.#leave(
          `user ${user.id} of OpenList (${quoted(user.username)}) has the mark of account ${accountId}, but another name`,
        );
    }
    await this.mirror.adopt(accountId, user.id);
    this.#renewed.add(accountId);
    this.count.made++;
  }

  async #leave(problem: string): Promise<void> {
    this.count.left++;
    await this.run.output.err(`${problem}. It was left alone`);
  }

  async #orReport(accountId: number, work: () => Promise<void>): Promise<void> {
    this.run.signal.throwIfAborted();
    try {
      await work();
    } catch (error) {
      if (!(error instanceof MirrorBlocked)) throw error;
      this.count.left++;
      await this.run.output.err(`account ${accountId} has no current mirror: ${error.message}`);
    }
  }
}

async function wasErased(accountId: number, { store }: OperatorPorts): Promise<boolean> {
  const stream = voidStreamOf(accountStream(accountId).stream);
  return (await store.readStreams([{ stream, version: 0 }])).length > 0;
}
