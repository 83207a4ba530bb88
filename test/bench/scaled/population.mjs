import { CommitWriter } from './commit-writer.mjs';
import { connected, migrate } from './database.mjs';
import { domain, eventStore } from './built.mjs';
import { accountStory } from './story.mjs';

/**
 * Prepares an empty database and fills it with accounts, each with a session and `keys` keys. Returns `{ accountId,
 * headers }` for `kept` of them, spread evenly. A projector has to create the documents.
 */
export async function populate(uri, count, keys, kept = count) {
  await migrate(uri);
  return connected(uri, async (connection) => {
    const first = await new eventStore.MongoCounter(connection).take('account', count, domain.GUEST_ID + 1);
    const writer = new CommitWriter(connection);
    const accounts = [];
    for (let made = 0; made < count; made += 1) {
      const accountId = first + made;
      const { commits, signToken } = accountStory(accountId, keys);
      await writer.write(commits);
      if (accounts.length < ((made + 1) * kept) / count) accounts.push({ accountId, headers: headersOf(signToken()) });
    }
    await writer.end();
    return accounts;
  });
}

const headersOf = (token) => ({ Authorization: token, 'Content-Type': 'application/json' });
