import { type Account, type OpenListUser, type ResealSecrets, type SiteSettings } from '@keyfold/domain';
import type { Commit, CommitFeed, EventStore } from '@keyfold/event-store';
import {
  accountStream,
  foldCommits,
  openlistUserStream,
  siteSettingsStream,
  streamRef,
  UnfoldableStream,
  walkFeed,
  type StreamRef,
} from '@keyfold/projections';
import pLimit from 'p-limit';
import type { CommandContext, CommandRunner } from '../commands/command-runner.js';
import { sealingContext } from './sealing.js';

/** A secret that the service still uses. `key` is that of a setting, `context` the context in which the secret was sealed. */
export type SealedSecret = Readonly<{
  kind: 'password' | 'two-factor secret' | 'recovery codes' | 'static token' | 'setting' | 'password in OpenList';
  key?: string;
  sealed: string;
  context: string;
}>;

/** A stream and its secrets. `run` runs the command on that stream. */
export type SealedStream = Readonly<{
  stream: string;
  secrets: readonly SealedSecret[];
  run(runner: CommandRunner, command: ResealSecrets, context: CommandContext): Promise<unknown>;
}>;

/** The streams with secrets that begin on one page of the feed, with the commits read so far and in total. */
export type SecretPage = Readonly<{ streams: readonly SealedStream[]; read: number; total: number }>;

/** `visit` receives the pages, several concurrently. `report` receives streams that cannot be folded and empty positions. */
export type SecretVisitor = Readonly<{
  visit(page: SecretPage): Promise<void>;
  report(problem: string): Promise<void>;
}>;

/** Number of slots to read concurrently. */
const PARALLEL_SLOTS = 4;

/**
 * Finds every secret that the service may still have to open, page by page of the feed. Folds each stream from its first commit and
 * reads no documents, so a rebuild needs no other secrets either. Skips streams that began after the call. Checks the signal after every
 * page.
 *
 * @throws StoreUnavailable, or the reason of the signal
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
  await pLimit(PARALLEL_SLOTS).map(heads, async ([slot, head]) => {
    for await (const page of walkFeed(feed, slot, head, false, report)) {
      signal.throwIfAborted();
      const streams = await sealedStreamsOf(store, page, report);
      read += page.length;
      await visit({ streams, read, total });
    }
  });
}

/** Returns the streams with secrets that begin on the page. */
async function sealedStreamsOf(
  store: EventStore,
  page: readonly Commit[],
  report: (problem: string) => Promise<void>,
): Promise<SealedStream[]> {
  const begun = page
    .filter(({ version }) => version === 1)
    .map(({ stream, partition }) => streamRef(stream, partition))
    .filter((ref) => ref !== undefined)
    .filter(({ aggregate: { name } }) => name === 'account' || name === 'openlist-user' || name === 'site-settings');
  if (begun.length === 0) return [];
  const commits = await store.readStreams(begun.map(({ stream }) => ({ stream, version: 0 })));
  const streams = Map.groupBy(commits, ({ stream }) => stream);
  const sealed: SealedStream[] = [];
  for (const ref of begun) {
    try {
      sealed.push(sealedStreamOf(ref, foldCommits(ref.aggregate, streams.get(ref.stream) ?? []).state));
    } catch (error) {
      if (!(error instanceof UnfoldableStream)) throw error;
      await report(error.message);
    }
  }
  return sealed.filter(({ secrets }) => secrets.length > 0);
}

function sealedStreamOf({ stream, aggregate }: StreamRef<unknown>, state: unknown): SealedStream {
  if (aggregate.name === 'site-settings') {
    return {
      stream,
      secrets: secretsOfSettings(state as SiteSettings),
      run: (runner, command, context) => runner.run(siteSettingsStream, command, context),
    };
  }
  if (aggregate.name === 'openlist-user') {
    const { accountId, sealedPassword: sealed } = state as OpenListUser;
    return {
      stream,
      secrets: [
        { kind: 'password in OpenList', sealed, context: sealingContext.openlistUser(accountId) } as const,
      ].filter(isSet),
      run: (runner, command, context) => runner.run(openlistUserStream(accountId), command, context),
    };
  }
  const account = state as Account;
  return {
    stream,
    secrets: secretsOfAccount(account),
    run: (runner, command, context) => runner.run(accountStream(account.accountId), command, context),
  };
}

function secretsOfSettings({ sealedStaticToken, sealedValues }: SiteSettings): SealedSecret[] {
  const token = { kind: 'static token', sealed: sealedStaticToken, context: sealingContext.staticToken } as const;
  const values = Object.entries(sealedValues).map(([key, sealed]): SealedSecret => {
    return { kind: 'setting', key, sealed, context: sealingContext.setting(key) };
  });
  return [token, ...values].filter(isSet);
}

function secretsOfAccount({ accountId, sealedPasswordHash, twoFactor, pendingEnrolment }: Account): SealedSecret[] {
  const twoFactorSecrets = [twoFactor?.sealedSecret, pendingEnrolment?.sealedSecret].map(
    (sealed = ''): SealedSecret => {
      return { kind: 'two-factor secret', sealed, context: sealingContext.twoFactor(accountId) };
    },
  );
  const password = {
    kind: 'password',
    sealed: sealedPasswordHash,
    context: sealingContext.password(accountId),
  } as const;
  const recoveryCodes = {
    kind: 'recovery codes',
    sealed: twoFactor?.recoveryCodes?.sealedCodes ?? '',
    context: sealingContext.recoveryCodes(accountId),
  } as const;
  return [password, ...twoFactorSecrets, recoveryCodes].filter(isSet);
}

const isSet = ({ sealed }: SealedSecret) => sealed !== '';
