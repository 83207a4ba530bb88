import {
  accountUpcasters,
  sessionUpcasters,
  siteSettingsUpcasters,
  sshKeyRingUpcasters,
  sshKeyUseUpcasters,
  type AccountEvent,
  type AggregateName,
  type SessionEvent,
  type SiteSettingsEvent,
  type SshKeyRingEvent,
  type SshKeyUseEvent,
  type Upcasters,
} from '@keyfold/domain';

/** The events of each aggregate; the compiler asks for a new aggregate here and below. */
type EventsOf = {
  account: AccountEvent;
  session: SessionEvent;
  'ssh-keys': SshKeyRingEvent;
  'ssh-key-use': SshKeyUseEvent;
  'site-settings': SiteSettingsEvent;
};

/** Everything that can be in a commit, in the shape of today. */
export type StoredFact = EventsOf[AggregateName];

const upcastersOf = {
  account: accountUpcasters,
  session: sessionUpcasters,
  'ssh-keys': sshKeyRingUpcasters,
  'ssh-key-use': sshKeyUseUpcasters,
  'site-settings': siteSettingsUpcasters,
} satisfies Record<AggregateName, Upcasters>;

/** How stored events are read, of all aggregates: no type belongs to two of them. */
export const storedUpcasters: Upcasters = Object.assign({}, ...Object.values(upcastersOf)) as Upcasters;
