import {
  accessTokensAggregate,
  accountAggregate,
  appPasswordsAggregate,
  erasuresAggregate,
  openlistUserAggregate,
  sessionAggregate,
  siteSettingsAggregate,
  sshKeyRingAggregate,
  sshKeyUseAggregate,
  type Aggregate,
  type Decision,
  type DomainEvent,
} from '@keyfold/domain';

/** An aggregate without the type of its ids and events. Its functions are methods, so that `StreamAggregate<unknown>` fits every one. */
export type StreamAggregate<State, Command = never, Event extends DomainEvent = DomainEvent> = Readonly<
  Pick<Aggregate<never, never, never>, 'name' | 'streamPrefix' | 'upcasters'>
> &
  Readonly<{
    decider: Readonly<{
      initialState: State;
      decide(state: State, command: Command): Decision<Event>;
      evolve(state: State, event: DomainEvent): State;
    }>;
  }>;

/** One stream, and the aggregate that folds it and decides commands on it. */
export type StreamRef<State, Command = never, Event extends DomainEvent = DomainEvent> = Readonly<{
  stream: string;
  partition: string;
  aggregate: StreamAggregate<State, Command, Event>;
}>;

/** Everything that belongs to one account shares its partition, so that its order is kept. */
function refTo<Id, State, Command, Event extends DomainEvent>(
  aggregate: Aggregate<Id, State, Command, Event>,
  id: Id,
  partition: number | string,
): StreamRef<State, Command, Event> {
  return { stream: aggregate.streamOf(id), partition: String(partition), aggregate };
}

export const accountStream = (accountId: number) => refTo(accountAggregate, accountId, accountId);
export const sessionStream = (sessionId: string, accountId: number) => refTo(sessionAggregate, sessionId, accountId);
export const sshKeyRingStream = (accountId: number) => refTo(sshKeyRingAggregate, accountId, accountId);
export const sshKeyUseStream = (accountId: number) => refTo(sshKeyUseAggregate, accountId, accountId);
export const accessTokensStream = (accountId: number) => refTo(accessTokensAggregate, accountId, accountId);
export const appPasswordsStream = (accountId: number) => refTo(appPasswordsAggregate, accountId, accountId);
export const openlistUserStream = (accountId: number) => refTo(openlistUserAggregate, accountId, accountId);
export const siteSettingsStream = refTo(siteSettingsAggregate, 'site', siteSettingsAggregate.streamPrefix);
export const erasuresStream = refTo(erasuresAggregate, 'site', erasuresAggregate.streamPrefix);

const aggregates: readonly StreamAggregate<unknown>[] = [
  accountAggregate,
  sessionAggregate,
  sshKeyRingAggregate,
  sshKeyUseAggregate,
  accessTokensAggregate,
  appPasswordsAggregate,
  openlistUserAggregate,
  siteSettingsAggregate,
  erasuresAggregate,
];

/** Returns the reference to a stream of the feed; undefined for void commits and for streams of a newer version of the program. */
export function streamRef(stream: string, partition: string): StreamRef<unknown> | undefined {
  // No prefix begins with another one, so at most one matches.
  const aggregate = aggregates.find(({ streamPrefix }) => stream.startsWith(streamPrefix));
  return aggregate && { stream, partition, aggregate };
}
