import { type Account, type ResealSecrets, type SiteSettings } from '@keyfold/domain';
import type { Commit, CommitFeed, EventStore } from '@keyfold/event-store';
import {
  accountStream,
  foldCommit,
  initialOf,
  siteSettingsStream,
  streamRef,
  UnfoldableStream,
  walkFeed,
  type StreamRef,
} from '@keyfold/projections';
import pLimit from 'p-limit';
import type { CommandContext, CommandRunner } from '../command-runner.js';
import { sealedFor } from '../sealed-for.js';

/** A secret that is in force. `context` is what it was sealed for. */
export type SealedSecret = Readonly<{
  kind: 'password' | 'two-factor secret' | 'static token';
  sealed: string;
  context: string;
}>;

/** A stream with its secrets; `run` decides the command on it. */
export type SecretHolder = Readonly<{
  stream: string;
  secrets: readonly SealedSecret[];
  run(commands: CommandRunner, command: ResealSecrets, context: CommandContext): Promise<void>;
}>;

/** What some commits of the feed lead to, and how many of all commits were read by then. */
export type SecretPage = Readonly<{ holders: readonly SecretHolder[]; read: number; total: number }>;

/** `report` hears of streams that cannot be folded and of empty positions; `visit` gets the pages, several at once. */
export type SecretVisitor = Readonly<{
  visit(page: SecretPage): Promise<void>;
  report(problem: string): Promise<void>;
}>;

/** Slots that are read at once. */
const SLOTS_AT_ONCE = 4;

/**
 * Finds every secret that the service can still be asked to open, page by page of the feed. Folds each stream from its first commit and
 * never reads a document, so a secret that is not found here is not needed by a rebuild either. Streams that began after the call are
 * left out. Throws the reason of the signal, which is heeded after every page.
 *
 * @throws StoreUnavailable
 */
export async function walkSecrets(
  store: EventStore,
  feed: CommitFeed,
  { visit, report }: SecretVisitor,
  signal: AbortSignal,
): Promise<void> {
  const heads = await feed.readHeads();
  const total = [...heads.values()].reduce((sum, head) => sum + head, 0);
  let read = 0;
  await pLimit(SLOTS_AT_ONCE).map(heads, async ([slot, head]) => {
    for await (const page of walkFeed(feed, slot, head, false, report)) {
      signal.throwIfAborted();
      const holders = await holdersOf(store, page, report);
      read += page.length;
      await visit({ holders, read, total });
    }
  });
}

/** The holders whose streams begin on the page. */
async function holdersOf(
  store: EventStore,
  page: readonly Commit[],
  report: (problem: string) => Promise<void>,
): Promise<SecretHolder[]> {
  const begun = page
    .filter(({ version }) => version === 1)
    .map(({ stream, partition }) => streamRef(stream, partition))
    .filter((ref) => ref !== undefined)
    .filter(({ aggregate: { name } }) => name === 'account' || name === 'site-settings');
  if (begun.length === 0) return [];
  const commits = await store.readStreams(begun.map(({ stream }) => ({ stream, version: 0 })));
  const streams = Map.groupBy(commits, ({ stream }) => stream);
  const holders: SecretHolder[] = [];
  for (const ref of begun) {
    try {
      holders.push(holderOf(ref, stateOf(ref, streams.get(ref.stream) ?? [])));
    } catch (error) {
      if (!(error instanceof UnfoldableStream)) throw error;
      await report(error.message);
    }
  }
  return holders.filter(({ secrets }) => secrets.length > 0);
}

const stateOf = ({ aggregate }: StreamRef<unknown>, commits: readonly Commit[]): unknown =>
  commits.reduce((loaded, commit) => foldCommit(aggregate, loaded, commit), initialOf(aggregate)).state;

function holderOf({ stream, aggregate }: StreamRef<unknown>, state: unknown): SecretHolder {
  if (aggregate.name === 'site-settings') {
    const { sealedApiToken: sealed } = state as SiteSettings;
    return {
      stream,
      secrets: [{ kind: 'static token', sealed, context: sealedFor.apiToken } as const].filter(isSet),
      run: (commands, command, context) => commands.run(siteSettingsStream, command, context),
    };
  }
  const account = state as Account;
  return {
    stream,
    secrets: secretsOf(account),
    run: (commands, command, context) => commands.run(accountStream(account.accountId), command, context),
  };
}

function secretsOf({ accountId, sealedPasswordHash, twoFactor, pendingEnrolment }: Account): SealedSecret[] {
  const shown = [twoFactor?.sealedSecret, pendingEnrolment?.sealedSecret].map((sealed = ''): SealedSecret => {
    return { kind: 'two-factor secret', sealed, context: sealedFor.twoFactor(accountId) };
  });
  const password = { kind: 'password', sealed: sealedPasswordHash, context: sealedFor.password(accountId) } as const;
  return [password, ...shown].filter(isSet);
}

const isSet = ({ sealed }: SealedSecret) => sealed !== '';
