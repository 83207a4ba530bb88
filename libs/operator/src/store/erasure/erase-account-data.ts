import { sessionAggregate } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import {
  accessTokensStream,
  accountStream,
  appPasswordsStream,
  keyOwnersIn,
  sshKeyRingStream,
  sshKeyUseStream,
  streamRef,
  type StreamRef,
} from '@keyfold/projections';
import type { OperatorPorts } from '../../command-run.js';

/** Counts what an erasure removed. */
export type ErasedCount = { streams: number; commits: number; documents: number };

type ErasurePorts = Pick<OperatorPorts, 'store' | 'history' | 'compaction' | 'readModels' | 'tokenUses'>;

const COMMITS_READ = 1_000;
/** Limits the duration of a write. */
const STREAMS_ERASED_TOGETHER = 50;

/**
 * Makes all commits of an account void, without their holds and hashes, and removes what was derived from them. Call it only for a
 * deleted account, after every reader of the feed has passed its commits. Safe to repeat, also after a crash: the stream of the account
 * is erased last, so that the account remains deleted until then. Throws `StoreUnavailable` and the reason of the signal.
 */
export async function eraseAccountData(
  ports: ErasurePorts,
  accountId: number,
  signal: AbortSignal,
): Promise<ErasedCount> {
  const count: ErasedCount = { streams: 0, commits: 0, documents: 0 };
  const partition = String(accountId);
  const account = accountStream(accountId);
  // Commits of requests that were in flight may still arrive.
  for (let found = true; found;) {
    found = false;
    for await (const streams of streamsOf(ports, partition, account.stream)) {
      signal.throwIfAborted();
      found = true;
      await eraseStreams(ports, streams, partition, count);
    }
  }
  // Also those that are void already: a former run may have ended before their documents were removed.
  const known = [sshKeyRingStream, sshKeyUseStream, accessTokensStream, appPasswordsStream].map((of) => of(accountId));
  await eraseStreams(
    ports,
    [...known, account].map(({ stream }) => stream),
    partition,
    count,
  );
  for (const parked of await ports.readModels.parked())
    if (parked.partition === partition) await ports.readModels.unpark(parked);
  return count;
}

/** Yields the streams of a partition that are not void, except one, each at least once. */
async function* streamsOf({ history }: ErasurePorts, partition: string, except: string): AsyncGenerator<string[]> {
  for (let before; ;) {
    const page = await history.readHistory({ partition, ...(before && { before }) }, COMMITS_READ);
    const streams = [...new Set(page.map(({ commit }) => commit.stream))].filter((stream) => stream !== except);
    for (let from = 0; from < streams.length; from += STREAMS_ERASED_TOGETHER)
      yield streams.slice(from, from + STREAMS_ERASED_TOGETHER);
    before = page.at(-1)?.cursor;
    if (!before) return;
  }
}

async function eraseStreams(
  ports: ErasurePorts,
  streams: readonly string[],
  partition: string,
  count: ErasedCount,
): Promise<void> {
  const { store, compaction, readModels, tokenUses } = ports;
  const refs = streams.map((stream) => streamRef(stream, partition)).filter((ref) => ref !== undefined);
  const commits = await store.readStreams(streams.map((stream) => ({ stream, version: 0 })));
  // Only the commits lead to the rest, so they are erased last. A list update may still write a document, so these are removed twice.
  await readModels.removeKeyOwners(keyOwnersIn(commits));
  await tokenUses.forget(tokensIn(streams, commits));
  count.documents += await removeDocuments(ports, refs);
  count.commits += await compaction.erase(streams);
  count.streams += new Set(commits.map(({ stream }) => stream)).size;
  await removeDocuments(ports, refs);
}

async function removeDocuments({ readModels }: ErasurePorts, refs: readonly StreamRef<unknown>[]): Promise<number> {
  await readModels.removeFormer(refs);
  const documents = await readModels.get(refs);
  const found = refs.flatMap((ref) => {
    const document = documents.get(ref.stream);
    return document ? [{ ref, version: document.version }] : [];
  });
  await Promise.all(found.map(({ ref, version }) => readModels.remove(ref, version)));
  return found.length;
}

/** Returns the names under which uses of the account's tokens are recorded (`TokenUse`). */
function tokensIn(streams: readonly string[], commits: readonly Commit[]): string[] {
  const { streamPrefix } = sessionAggregate;
  const sessions = streams.filter((stream) => stream.startsWith(streamPrefix));
  const secrets = commits
    .flatMap(({ events }) => events)
    .flatMap(({ type, data: { tokenId, appPasswordId } }) => {
      if (type === 'AccessTokenCreated') return [`access-token-${String(tokenId)}`];
      return type === 'AppPasswordCreated' ? [`app-password-${String(appPasswordId)}`] : [];
    });
  return [...sessions.map((stream) => stream.slice(streamPrefix.length)), ...secrets];
}
