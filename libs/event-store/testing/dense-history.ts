import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import type { Commit } from '../src/commit.js';
import { isCompacted } from '../src/compaction.js';
import { COMMITS, positionOfKey, slotOf, slotOfKey, toCommit, type CommitDocument } from '../src/mongo/commit.model.js';
import { collectionOf } from '../src/mongo/mongo-connection.js';

/** Every commit of a database in the order of its places. Fails unless feeds and streams are whole and in one order. */
export async function denseHistory(connection: Connection): Promise<Commit[]> {
  const documents = await collectionOf<CommitDocument>(connection, COMMITS).find().sort({ _id: 1 }).toArray();
  for (const [slot, feed] of Map.groupBy(documents, ({ _id }) => slotOfKey(_id))) {
    const ordinals = feed.map(({ _id }) => positionOfKey(_id));
    expect(ordinals, `slot ${slot}`).toEqual(feed.map((_, index) => index + 1));
    expect(feed.filter((commit) => !isCompacted(commit) && slotOf(commit.partition) !== slot)).toEqual([]);
  }
  const commits = documents.map(toCommit);
  for (const [stream, ofStream] of Map.groupBy(commits, (commit) => commit.stream)) {
    const versions = ofStream.map(({ version }) => version);
    expect(versions, stream).toEqual(ofStream.map((_, index) => index + 1));
  }
  return commits;
}
