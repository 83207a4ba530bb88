import { afterAll, beforeAll, describe, it } from 'vitest';
import { readKeys, readRecordings, type RecordedCase } from './recording.js';
import { Replayer, type ReplayedServer } from './replayer.js';

/** A server on data of its own, which are gone afterwards. */
type FreshServer = ReplayedServer & Readonly<{ dispose(): Promise<void> }>;

const keys = readKeys();

/** Replays every recording, each against a server of its own. `start` starts one. */
export function itAnswersAsRecorded(start: () => Promise<FreshServer>): void {
  for (const { group, given, cases } of readRecordings('account')) {
    describe(`the recording ${group}`, () => {
      let server: FreshServer | undefined;
      let replayer: Replayer;

      beforeAll(async () => {
        server = await start();
        replayer = new Replayer(server, keys);
        await replayer.prepare(given);
      });

      afterAll(async () => {
        replayer?.close();
        await server?.dispose();
      });

      for (const recorded of cases) {
        it(titleOf(recorded), () => (recorded.fresh ? replayAlone(recorded, start) : replayer.replay(recorded)));
      }
    });
  }
}

async function replayAlone(recorded: RecordedCase, start: () => Promise<FreshServer>): Promise<void> {
  const server = await start();
  const replayer = new Replayer(server, keys);
  try {
    await replayer.replay(recorded);
  } finally {
    replayer.close();
    await server.dispose();
  }
}

/** A case that is not compared still sends its requests, and each must get some answer; its title says so. */
function titleOf({ id, title, difference }: RecordedCase): string {
  if (!difference) return `${id} ${title}`;
  return `${id} ${title} (${'skip' in difference ? 'not compared' : 'differs on purpose'}: ${difference.why})`;
}
