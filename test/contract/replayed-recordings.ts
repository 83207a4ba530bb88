import { afterAll, beforeAll, describe, it } from 'vitest';
import { readKeys, readRecordings, type RecordedCase, type Recording } from './recording.js';
import { Replayer, type ReplayedServer } from './replayer.js';

/** A server on data of its own, which are gone afterwards. */
type FreshServer = ReplayedServer & Readonly<{ dispose(): Promise<void> }>;
type Start = () => Promise<FreshServer>;

const keys = readKeys();

/** Replays every recording, each against a server of its own. `start` starts one. */
export function itAnswersAsRecorded(start: Start): void {
  for (const { group, given, cases } of readRecordings('account')) {
    describe(`the recording ${group}`, () => {
      const server = serverOfSuite(start);
      const replayer = replayerOfSuite(server, given);
      for (const recorded of cases) {
        it(titleOf(recorded), () => (recorded.fresh ? replayAlone(recorded, start) : replayer().replay(recorded)));
      }
    });
  }
}

/**
 * Replays recordings, one after another, against one server, for servers that take long to start: every recording unless `groups`
 * names some. No recording uses the accounts of another. The one case that needs a fresh server always runs, and runs first.
 */
export function itAnswersAsRecordedAtOneServer(start: Start, groups?: readonly string[]): void {
  const server = serverOfSuite(start);
  const recordings = readRecordings('account');
  const chosen = groups?.map((name) => recordingNamed(name, recordings)) ?? recordings;
  const [fresh, ...more] = recordings.flatMap(({ cases }) => cases.filter((recorded) => recorded.fresh));
  if (!fresh || more.length > 0) throw new Error('one server can be fresh for one case');

  it(titleOf(fresh), () => withReplayer(server(), (replayer) => replayer.replay(fresh)));

  for (const { group, given, cases } of chosen) {
    describe(`the recording ${group}`, () => {
      const replayer = replayerOfSuite(server, given);
      for (const recorded of cases.filter((each) => !each.fresh)) {
        it(titleOf(recorded), () => replayer().replay(recorded));
      }
    });
  }
}

function recordingNamed(name: string, recordings: readonly Recording[]): Recording {
  const found = recordings.find(({ group }) => group === name);
  if (!found) throw new Error(`there is no recording ${name}`);
  return found;
}

/** A server that runs as long as the suite. */
function serverOfSuite(start: Start): () => FreshServer {
  let server: FreshServer | undefined;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.dispose());
  return () => known(server);
}

/** One whose saved values live as long as the suite, after the steps that prepare it. */
function replayerOfSuite(server: () => FreshServer, given: RecordedCase['steps']): () => Replayer {
  let replayer: Replayer | undefined;
  beforeAll(async () => {
    replayer = new Replayer(server(), keys);
    await replayer.prepare(given);
  });
  afterAll(() => replayer?.close());
  return () => known(replayer);
}

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the suite has not begun');
  return value;
}

async function replayAlone(recorded: RecordedCase, start: Start): Promise<void> {
  const server = await start();
  try {
    await withReplayer(server, (replayer) => replayer.replay(recorded));
  } finally {
    await server.dispose();
  }
}

async function withReplayer(server: FreshServer, work: (replayer: Replayer) => Promise<void>): Promise<void> {
  const replayer = new Replayer(server, keys);
  try {
    await work(replayer);
  } finally {
    replayer.close();
  }
}

/** A case that is not compared still sends its requests, and each must get some answer; its title says so. */
function titleOf({ id, title, difference }: RecordedCase): string {
  if (!difference) return `${id} ${title}`;
  return `${id} ${title} (${'skip' in difference ? 'not compared' : 'differs on purpose'}: ${difference.why})`;
}
