// One durable commit after another, each in its own transaction, like a store without group commit.
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { answerWith } from '../child.mjs';

const EVENTS = JSON.stringify([{ type: 'SshKeyAdded', v: 1, data: { text: 'x'.repeat(330) } }]);
const STREAMS = 64;

/** Returns the commits per second that were written to the file at `path`. */
answerWith(({ path, seconds }) => {
  const database = open(path);
  const [{ stored }] = database.prepare('SELECT count(*) AS stored FROM commits').all();
  const insert = database.prepare('INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const start = performance.now();
  let made = 0;
  for (; performance.now() - start < seconds * 1000; made += 1) {
    const position = stored + made + 1;
    const [account, version] = [position % STREAMS, Math.floor(position / STREAMS)];
    const command = [randomUUID(), 'AddSshKey', 'x'.repeat(43)];
    const context = [Date.now(), `session:${account}`, randomUUID()];
    insert.run(position, String(account), `ssh-keys-${account}`, version, ...command, ...context, EVENTS);
  }
  const took = performance.now() - start;
  database.close();
  return (made * 1000) / took;
});

/** Creates the columns and the two unique indexes of the service's commits. */
function open(path) {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS commits (
      position INTEGER PRIMARY KEY, partition TEXT NOT NULL, stream TEXT NOT NULL, version INTEGER NOT NULL,
      command_id TEXT NOT NULL UNIQUE, command_type TEXT NOT NULL, command_hash TEXT NOT NULL,
      at INTEGER NOT NULL, actor TEXT NOT NULL, correlation TEXT NOT NULL,
      events TEXT NOT NULL, UNIQUE (stream, version)
    ) STRICT`);
  return database;
}
