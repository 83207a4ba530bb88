import { afterAll, beforeAll, describe, it } from 'vitest';
import { readKeys, readRecordings, type RecordedCase, type Recording, type Step } from './recording.js';
import { Replayer, type ReplayedServer } from './replayer.js';

/** A server with its own data, both of which `dispose` removes. */
type FreshServer = ReplayedServer & Readonly<{ dispose(): Promise<void> }>;
type Start = () => Promise<FreshServer>;

const keys = readKeys();

/** Replays every recording, each against its own server, which `start` starts. */
export function itAnswersAsRecorded(start: Start): void {
  for (const { group, given, cases } of readRecordings()) {
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
 * Replays recordings one after another against one server, for servers that start slowly: all of them, or those of
 * `groups`. No recording uses accounts of another. The cases that need a fresh server run first; they only read.
 */
export function itAnswersAsRecordedAtOneServer(start: Start, groups?: readonly string[]): void {
  const server = serverOfSuite(start);
  const recordings = readRecordings();
  const chosen = groups?.map((name) => recordingNamed(name, recordings)) ?? recordings;

  for (const fresh of recordings.flatMap(({ cases }) => cases.filter((recorded) => recorded.fresh))) {
    it(titleOf(fresh), () => {
      if (fresh.steps.some(changesSomething)) throw new Error('a case that needs a fresh server may only read');
      return withReplayer(server(), (replayer) => replayer.replay(fresh));
    });
  }

  for (const { group, given, cases } of chosen) {
    describe(`the recording ${group}`, () => {
      const replayer = replayerOfSuite(server, given);
      for (const recorded of cases.filter((each) => !each.fresh)) {
        it(titleOf(recorded), () => replayer().replay(recorded));
      }
    });
  }
}

const changesSomething = (step: Step) => !('send' in step && step.send.method === 'GET');

function recordingNamed(name: string, recordings: readonly Recording[]): Recording {
  const found = recordings.find(({ group }) => group === name);
  if (!found) throw new Error(`recording ${name} does not exist`);
  return found;
}

/** Starts a server for the duration of the suite. */
function serverOfSuite(start: Start): () => FreshServer {
  let server: FreshServer | undefined;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.dispose());
  return () => known(server);
}

/** Creates a replayer that keeps its values for the duration of the suite, and runs the steps that prepare it. */
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
  if (value === undefined) throw new Error('the suite has not started');
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

/** A case that is not compared still sends its requests and expects some answer. Its title says so. */
function titleOf({ id, title, difference }: RecordedCase): string {
  if (!difference) return `${id} ${title}`;
  return `${id} ${title} (${'skip' in difference ? 'not compared' : 'deliberately different'}: ${difference.why})`;
}
