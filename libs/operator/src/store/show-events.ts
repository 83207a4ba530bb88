import { isoTime } from '@keyfold/application';
import type { StoredEvent } from '@keyfold/domain';
import { voidStreamOf, type Commit } from '@keyfold/event-store';
import type { CommandRun } from '../command-run.js';
import { DONE, FAILED, type ExitCode } from '@keyfold/process';
import { printable } from '../output/printable.js';

/** Shows the commits of a stream, oldest first. Sealed values are not opened, and hashes of secrets are not shown. */
export async function showEvents(
  { stream, json }: { stream: string; json: boolean },
  { ports, output, signal }: CommandRun,
): Promise<ExitCode> {
  let commits = await ports.store.readStreams([{ stream, version: 0 }]);
  if (commits.length === 0) {
    commits = await ports.store.readStreams([{ stream: voidStreamOf(stream), version: 0 }]);
    if (commits.length > 0) await output.err(`${printable(stream)} ${whyVoid(commits)}`);
  }
  if (commits.length === 0) {
    await output.err(
      `no stream ${printable(stream)}. Streams are named account-<id>, ssh-keys-<account id>, ssh-key-use-<account id>, access-tokens-<account id>, app-passwords-<account id>, session-<session id>, site-settings and erasures`,
    );
    return FAILED;
  }
  for (const commit of commits) {
    signal.throwIfAborted();
    if (json) await output.out(JSON.stringify({ ...commit, events: commit.events.map(withoutSecrets) }));
    else for (const line of linesOf(commit)) await output.out(line);
  }
  return DONE;
}

/** Only an erasure empties the hashes of commands. */
const whyVoid = (commits: readonly Commit[]) =>
  commits.every(({ command }) => command.hash === '')
    ? 'was erased'
    : 'was compacted: its events were removed because of their age';

function* linesOf(commit: Commit): Generator<string> {
  const { stream, version, at, position, command, actor, session, correlation, clientCorrelation, causation } = commit;
  yield `${printable(stream)} ${version}  ${isoTime(at)}`;
  yield `  command      ${printable(command.type)} ${printable(command.id)}`;
  yield `  actor        ${printable(actor)}`;
  if (session !== undefined) yield `  session      ${printable(session)}`;
  yield `  correlation  ${printable(correlation)}`;
  if (clientCorrelation !== undefined) yield `  client id    ${printable(clientCorrelation)}`;
  if (causation !== undefined) yield `  causation    ${printable(causation)}`;
  yield `  position     ${position}`;
  for (const key of commit.holds ?? []) yield `  holds        ${printable(key)}`;
  for (const event of commit.events) {
    yield `  ${printable(event.type)} v${event.v}`;
    for (const [name, value] of Object.entries(shownData(event)))
      yield `    ${printable(name)}: ${JSON.stringify(value)}`;
    for (const [name, value] of Object.entries(event.sealed ?? {}))
      yield `    ${printable(name)}: ${sealedWith(value)}`;
  }
}

const withoutSecrets = (event: StoredEvent) => ({
  ...event,
  data: shownData(event),
  ...(event.sealed && {
    sealed: Object.fromEntries(Object.entries(event.sealed).map(([name, value]) => [name, sealedWith(value)])),
  }),
});

/** The events with the hash of a secret, which only the store may contain. */
const HASHED = ['AccessTokenCreated', 'AppPasswordCreated'];
const shownData = ({ type, data }: StoredEvent) => (HASHED.includes(type) ? { ...data, hash: 'hidden' } : data);

/** A sealed value begins with the id of its key; see `Sealer`. */
const sealedWith = (value: string) => `sealed with key ${printable(value.slice(0, value.indexOf('.')))}`;
