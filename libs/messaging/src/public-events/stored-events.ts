import {
  accessTokensUpcasters,
  accountUpcasters,
  sessionUpcasters,
  siteSettingsUpcasters,
  sshKeyRingUpcasters,
  sshKeyUseUpcasters,
  type AccessTokensEvent,
  type AccountEvent,
  type AggregateName,
  type SessionEvent,
  type SiteSettingsEvent,
  type SshKeyRingEvent,
  type SshKeyUseEvent,
  type Upcasters,
} from '@keyfold/domain';

/** The events of each aggregate. The compiler requires an entry for each aggregate. */
type EventsOf = {
  account: AccountEvent;
  session: SessionEvent;
  'ssh-keys': SshKeyRingEvent;
  'ssh-key-use': SshKeyUseEvent;
  'access-tokens': AccessTokensEvent;
  'site-settings': SiteSettingsEvent;
};

/** Any event of a commit, in its current version. */
export type CurrentEvent = EventsOf[AggregateName];

const upcastersOf = {
  account: accountUpcasters,
  session: sessionUpcasters,
  'ssh-keys': sshKeyRingUpcasters,
  'ssh-key-use': sshKeyUseUpcasters,
  'access-tokens': accessTokensUpcasters,
  'site-settings': siteSettingsUpcasters,
} satisfies Record<AggregateName, Upcasters>;

/** The upcasters of all aggregates. No event type belongs to two of them. */
export const storedUpcasters: Upcasters = Object.assign({}, ...Object.values(upcastersOf)) as Upcasters;
