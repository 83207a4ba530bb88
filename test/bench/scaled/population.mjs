import { CommitWriter } from './commit-writer.mjs';
import { connected, migrate } from './database.mjs';
import { domain, eventStore } from './built.mjs';
import { accountStory } from './story.mjs';

/**
 * Prepares an empty database and fills it with so many accounts, each with a session and `keys` keys. Answers what `kept` of them
 * send, as `{ accountId, headers }`: evenly chosen, so that they lie everywhere. Documents are left to a projector.
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
