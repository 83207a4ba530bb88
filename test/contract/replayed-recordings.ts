import { afterAll, beforeAll, describe, it } from 'vitest';
import { StandaloneProcess, type ProcessEnv } from '../support/standalone-process.js';
import { readKeys, readRecordings, type RecordedCase, type Step } from './recording.js';
import { Replayer, type ReplayedServer } from './replayer.js';

/** A server with its own data, both of which `dispose` removes. */
type FreshServer = ReplayedServer & Readonly<{ dispose(): Promise<void> }>;

/** Starts the standalone app, with these settings, as a server to replay against. */
export async function standaloneServer(env: ProcessEnv = {}): Promise<FreshServer> {
  const server = await StandaloneProcess.start(env);
  const restart = (more?: ProcessEnv) => server.restart(more);
  return { urls: [server.baseUrl], restart, dispose: () => server.dispose() };
}

/** The recordings whose cases change accounts and sessions and then read them. */
export const STATEFUL_GROUPS: readonly string[] = ['account/tokens', 'account/lock'];

/**
 * Replays recordings one after another against one server, which `start` starts: all of them, or those of `groups`. No
 * recording uses accounts of another. The cases that need a fresh server, of all recordings, run first; they only read.
 */
export function itAnswersAsRecorded(start: () => Promise<FreshServer>, groups?: readonly string[]): void {
  const keys = readKeys();
  const recordings = readRecordings();
  const chosen = recordings.filter(({ group }) => !groups || groups.includes(group));
  if (groups && chosen.length < groups.length) throw new Error(`a recording of ${groups.join()} does not exist`);
  let server: FreshServer | undefined;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.dispose());

  /** Defines a test for each case, after the steps that prepare all of them. */
  function itReplays(cases: readonly RecordedCase[], given: Step[] = []): void {
    let replayer: Replayer | undefined;
    beforeAll(async () => {
      replayer = new Replayer(server!, keys);
      await replayer.prepare(given);
    });
    afterAll(() => replayer?.close());
    for (const recorded of cases) it(titleOf(recorded), () => replayer!.replay(recorded));
  }

  describe('a fresh server', () => {
    const fresh = recordings.flatMap(({ cases }) => cases.filter((recorded) => recorded.fresh));
    if (fresh.some(({ steps }) => steps.some(changesSomething)))
      throw new Error('a case that needs a fresh server may only read');
    itReplays(fresh);
  });
  for (const { group, given, cases } of chosen.filter((recording) => recording.cases.some(isCompared))) {
    const others = cases.filter((recorded) => !recorded.fresh && isCompared(recorded));
    describe(`the recording ${group}`, () => {
      itReplays(others, given);
    });
  }
}

const changesSomething = (step: Step) => !('send' in step && step.send.method === 'GET');

const isCompared = ({ difference }: RecordedCase) => !(difference && 'skip' in difference);

const titleOf = ({ id, title, difference }: RecordedCase) =>
  difference ? `${id} ${title} (deliberately different: ${difference.why})` : `${id} ${title}`;
