import { afterAll, beforeAll, describe, it } from 'vitest';
import { StandaloneProcess } from '../support/standalone-process.js';
import { readKeys, readRecordings, type RecordedCase } from './recording.js';
import { Replayer } from './replayer.js';

const keys = readKeys();

for (const { group, given, cases } of readRecordings('account')) {
  describe(`the recording ${group}`, () => {
    let server: StandaloneProcess | undefined;
    let replayer: Replayer;

    beforeAll(async () => {
      server = await StandaloneProcess.start();
      replayer = new Replayer(server, keys);
      await replayer.prepare(given);
    });

    afterAll(async () => {
      replayer?.close();
      await server?.dispose();
    });

    for (const recorded of cases) {
      it(titleOf(recorded), () => (recorded.fresh ? replayAlone(recorded) : replayer.replay(recorded)));
    }
  });
}

async function replayAlone(recorded: RecordedCase): Promise<void> {
  const server = await StandaloneProcess.start();
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
