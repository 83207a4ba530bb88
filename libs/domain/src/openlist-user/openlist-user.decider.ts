import type { Aggregate } from '../kernel/aggregate.js';
import type { Decider, Decision } from '../kernel/decider.js';
import type { ResealSecrets } from '../kernel/reseal-secrets.js';
import { openlistUserUpcasters, type OpenListUserEvent, type OpenListUserLinked } from './openlist-user.events.js';

/** Records which user of OpenList mirrors the account, and its sealed password. */
export type LinkOpenListUser = Readonly<{ type: 'LinkOpenListUser'; sealedPassword: string }> &
  OpenListUserLinked['data'];

export type OpenListUserCommand = LinkOpenListUser | ResealSecrets;

/** The user of OpenList that mirrors an account. Without one, `userId` is 0 and `sealedPassword` empty. */
export type OpenListUser = Readonly<{ accountId: number; userId: number; sealedPassword: string }>;

export const openlistUserDecider: Decider<OpenListUser, OpenListUserCommand, OpenListUserEvent> = {
  initialState: { accountId: 0, userId: 0, sealedPassword: '' },
  decide,
  evolve: (_user, { data, sealed }) => ({ ...data, sealedPassword: sealed.password }),
};

export const openlistUserAggregate: Aggregate<number, OpenListUser, OpenListUserCommand, OpenListUserEvent> = {
  name: 'openlist-user',
  decider: openlistUserDecider,
  upcasters: openlistUserUpcasters,
  streamPrefix: 'openlist-user-',
  streamOf: (accountId) => `openlist-user-${accountId}`,
};

function decide(user: OpenListUser, command: OpenListUserCommand): Decision<OpenListUserEvent> {
  switch (command.type) {
    case 'LinkOpenListUser':
      return linked(command, command.sealedPassword);
    case 'ResealSecrets': {
      const password = command.resealed.get(user.sealedPassword);
      return password === undefined ? { events: [] } : linked(user, password);
    }
  }
}

const linked = ({ accountId, userId }: OpenListUserLinked['data'], password: string): Decision<OpenListUserEvent> => ({
  events: [{ type: 'OpenListUserLinked', v: 1, data: { accountId, userId }, sealed: { password } }],
});
