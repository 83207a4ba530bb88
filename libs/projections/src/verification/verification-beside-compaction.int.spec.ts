import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { registered, renamed } from '../../../domain/testing/account.events.js';
import { loggedOut, sessionStarted } from '../../../domain/testing/session.events.js';
import { EmbeddedProjections } from '../../testing/embedded-projections.js';
import { verify } from '../../testing/verified.js';
import { accountStream, sessionStream } from '../loading/stream-ref.js';

const old = sessionStream('old', 7);

it('finds no problem if a session is compacted while it is read', async () => {
  const projections = new EmbeddedProjections();
  await projections.append(old, sessionStarted({ sessionId: 'old' }));
  await projections.append(old, loggedOut);
  await projections.newProjector().catchUp();
  const { store } = projections;
  const read = store.readStreams.bind(store);
  // As MongoDB does, whose cursors see what changed before them.
  store.readStreams = async (points) => {
    const found = await read(points);
    await store.compact([old.stream]);
    return found.filter(({ stream, version }) => stream !== old.stream || version === 1);
  };
  expect((await verify(projections)).problems).toEqual([]);
});

it('finds a stream without its first commit even during a compaction', async () => {
  const projections = new EmbeddedProjections();
  await projections.append(old, sessionStarted({ sessionId: 'old' }));
  await projections.append(accountStream(7), registered('ann 0'));
  await projections.append(accountStream(8), registered('bob'));
  for (let name = 0; name < 200; name++)
    await projections.append(accountStream(7), renamed(`ann ${name}`, `ann ${name + 1}`));
  await projections.append(old, loggedOut);
  await projections.newProjector().catchUp();
  const database = new DatabaseSync(projections.events.path);
  database.exec("UPDATE commits SET version = 2 WHERE stream = 'account-8'");
  database.close();
  const { store } = projections;
  const read = store.readFeed.bind(store);
  // The session's first commit has passed by then, and its last one has not.
  store.readFeed = async (slot, after, limit) => {
    const page = await read(slot, after, limit);
    await store.compact([old.stream]);
    return page;
  };
  expect((await verify(projections)).problems).toContain(
    'slot 0 has 1 commits up to position 204 whose stream has no commit 1',
  );
});
