import {
  accountAggregate,
  sessionAggregate,
  siteSettingsAggregate,
  sshKeyRingAggregate,
  sshKeyUseAggregate,
  type Account,
  type Aggregate,
  type DomainEvent,
  type Session,
  type SiteSettings,
  type SshKeyRing,
  type SshKeyUse,
  type Upcasters,
} from '@keyfold/domain';

/**
 * One document per stream: the folded state of that stream, so that the state that commands decide on, the answers by id and the
 * lists come from one fold. `schema` is raised when the state's shape changes; the old documents are then filled anew.
 */
export type ReadModel<State> = Readonly<{
  name: string;
  schema: number;
  /** What the streams of this model start with, up to the id. */
  streamPrefix: string;
  initialState: State;
  upcasters: Upcasters;
  evolve(state: State, event: DomainEvent): State;
  weightOf(state: State): number;
  /** The place of the stream in the model's list, or null: not listed. A model without this function has no list. */
  placeOf?(state: State): number | null;
}>;

/** One stream and how it is folded. */
export type StreamRef<State> = Readonly<{ stream: string; partition: string; model: ReadModel<State> }>;

const modelOf = <Id, State, Command, Event extends DomainEvent>(
  { name, decider, upcasters, weightOf }: Aggregate<Id, State, Command, Event>,
  model: Pick<ReadModel<State>, 'name' | 'schema' | 'placeOf'>,
): ReadModel<State> => ({
  ...model,
  streamPrefix: name === 'site-settings' ? name : `${name}-`,
  initialState: decider.initialState,
  upcasters,
  evolve: (state, event) => decider.evolve(state, event as Event),
  weightOf,
});

export const accounts = modelOf(accountAggregate, {
  name: 'accounts',
  schema: 1,
  placeOf: (account: Account) => (account.status === 'active' ? account.accountId : null),
});
export const sessions: ReadModel<Session> = modelOf(sessionAggregate, { name: 'sessions', schema: 1 });
export const sshKeyRings: ReadModel<SshKeyRing> = modelOf(sshKeyRingAggregate, { name: 'ssh_key_rings', schema: 1 });
export const sshKeyUses: ReadModel<SshKeyUse> = modelOf(sshKeyUseAggregate, { name: 'ssh_key_uses', schema: 1 });
export const siteSettings: ReadModel<SiteSettings> = modelOf(siteSettingsAggregate, {
  name: 'site_settings',
  schema: 1,
});

/** Every read model there is; `ssh-keys-` and `ssh-key-use-` differ, so a stream belongs to exactly one. */
export const readModels: readonly ReadModel<unknown>[] = [accounts, sessions, sshKeyRings, sshKeyUses, siteSettings];

export const accountStream = (accountId: number): StreamRef<Account> => ({
  stream: accountAggregate.streamOf(accountId),
  partition: String(accountId),
  model: accounts,
});
export const sessionStream = (sessionId: string, accountId: number): StreamRef<Session> => ({
  stream: sessionAggregate.streamOf(sessionId),
  partition: String(accountId),
  model: sessions,
});
export const sshKeyRingStream = (accountId: number): StreamRef<SshKeyRing> => ({
  stream: sshKeyRingAggregate.streamOf(accountId),
  partition: String(accountId),
  model: sshKeyRings,
});
export const sshKeyUseStream = (accountId: number): StreamRef<SshKeyUse> => ({
  stream: sshKeyUseAggregate.streamOf(accountId),
  partition: String(accountId),
  model: sshKeyUses,
});
export const siteSettingsStream: StreamRef<SiteSettings> = {
  stream: siteSettingsAggregate.streamOf('site'),
  partition: siteSettingsAggregate.streamOf('site'),
  model: siteSettings,
};

/** The model that a stream of the feed belongs to; void commits and streams of a newer version have none. */
export function streamRef(stream: string, partition: string): StreamRef<unknown> | undefined {
  const model = readModels.find(({ streamPrefix }) => stream.startsWith(streamPrefix));
  return model && { stream, partition, model };
}
