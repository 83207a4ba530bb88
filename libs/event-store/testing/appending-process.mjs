/**
 * A process for the tests to kill or to starve: appends to the event store in a file from several writers at once, and prints
 * `appended <command id>` for every commit that was acknowledged. A refusal is printed as `refused <error>` and ends
 * its writer, so the process ends by itself only when nothing can be written any more.
 *
 * Usage: node appending-process.mjs <file> <bytes a commit>
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import '../../../test/support/typescript-sources.mjs';

const { eventStoreSchema, SqliteEventStore } = await import('../src/sqlite/sqlite-event-store.ts');
const { SqliteFile } = await import('../src/sqlite/sqlite-file.ts');

const [path, size] = process.argv.slice(2);
const store = new SqliteEventStore(new SqliteFile(path, eventStoreSchema));
// Written at once, so that a killed process has printed whatever it had acknowledged and come to print.
const print = (...words) => writeSync(1, `${words.join(' ')}\n`);

async function appendForEver() {
  const stream = `account-${randomUUID()}`;
  for (let version = 1; ; version++) {
    const { commit } = await store.append({
      partition: stream,
      stream,
      version,
      command: { id: randomUUID(), type: 'account.rename', hash: 'hash-1' },
      at: 0,
      actor: 'account:1',
      correlation: 'request-1',
      events: [{ type: 'account.renamed', v: 1, data: { name: 'x'.repeat(Number(size)) } }],
      holds: [`${stream}:${version}`],
    });
    print('appended', commit.command.id);
  }
}

await Promise.all(Array.from({ length: 8 }, () => appendForEver().catch((error) => print('refused', error.name))));
await store.close();
