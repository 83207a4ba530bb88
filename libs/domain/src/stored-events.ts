import { accountUpcasters, type AccountEvent } from './account/account.events.js';
import { erasuresUpcasters, type ErasuresEvent } from './erasures/erasures.events.js';
import type { AggregateName } from './kernel/aggregate.js';
import type { Upcasters } from './kernel/upcasting.js';
import { accessTokensAggregate, type AccessTokensEvent } from './named-secrets/access-tokens.js';
import { appPasswordsAggregate, type AppPasswordsEvent } from './named-secrets/app-passwords.js';
import { openlistUserUpcasters, type OpenListUserEvent } from './openlist-user/openlist-user.events.js';
import { sessionUpcasters, type SessionEvent } from './session/session.events.js';
import { siteSettingsUpcasters, type SiteSettingsEvent } from './site-settings/site-settings.events.js';
import { sshKeyRingUpcasters, type SshKeyRingEvent } from './ssh-key-ring/ssh-key-ring.events.js';
import { sshKeyUseUpcasters, type SshKeyUseEvent } from './ssh-key-use/ssh-key-use.events.js';

/** The events of each aggregate. The compiler requires an entry for each aggregate. */
type EventsOf = {
  account: AccountEvent;
  session: SessionEvent;
  'ssh-keys': SshKeyRingEvent;
  'ssh-key-use': SshKeyUseEvent;
  'access-tokens': AccessTokensEvent;
  'app-passwords': AppPasswordsEvent;
  'openlist-user': OpenListUserEvent;
  'site-settings': SiteSettingsEvent;
  erasures: ErasuresEvent;
};

/** Any event of a commit, in its current version. */
export type CurrentEvent = EventsOf[AggregateName];

const upcastersOf = {
  account: accountUpcasters,
  session: sessionUpcasters,
  'ssh-keys': sshKeyRingUpcasters,
  'ssh-key-use': sshKeyUseUpcasters,
  'access-tokens': accessTokensAggregate.upcasters,
  'app-passwords': appPasswordsAggregate.upcasters,
  'openlist-user': openlistUserUpcasters,
  'site-settings': siteSettingsUpcasters,
  erasures: erasuresUpcasters,
} satisfies Record<AggregateName, Upcasters>;

/** The upcasters of all types of all aggregates. No event type belongs to two of them. */
export const storedUpcasters: Upcasters = Object.assign({}, ...Object.values(upcastersOf)) as Upcasters;
