import type { EventStore, NewCommit } from '@keyfold/event-store';
import { TokenSigner } from '@keyfold/security';
import { JwtService } from '@nestjs/jwt';
import { randomUUID } from 'node:crypto';

const DAY = 86_400_000;
/** The admin that the first start creates. */
const ADMIN = 1;

/** A login of an account some days ago, with a token for two days. Sessions with odd numbers were logged out. */
type OldSession = Readonly<{ id: string; daysAgo: number; accountId: number }>;

/**
 * Stores old sessions in an empty store, of the admin or of so many accounts in turn: the even ones expired, the odd ones were logged out.
 * Returns their ids.
 */
export async function appendOldSessions(
  store: EventStore,
  count: number,
  daysAgo = 100,
  accounts = 1,
): Promise<string[]> {
  const old = Array.from({ length: count }, (_, index): OldSession => {
    return { id: `old-${index}`, daysAgo, accountId: ADMIN + (index % accounts) };
  });
  await Promise.all(old.map((session) => store.append(started(session))));
  await Promise.all(old.filter((_, index) => index % 2 === 1).map((session) => store.append(loggedOut(session))));
  return old.map(({ id }) => id);
}

/** Returns the token of such a session, signed like those of the service. */
export function tokenOf(id: string, secret: string, daysAgo = 100): string {
  const signer = new TokenSigner(new JwtService({ secret }), { issuer: 'keyfold', lifetimeHours: 48 });
  const subject = { accountId: ADMIN, sessionId: id, username: 'admin', passwordTimestamp: 0 };
  return signer.sign({ ...subject, now: Date.now() - daysAgo * DAY });
}

/** Returns how many sessions a service has compacted, according to its log. */
export const compactedIn = (log: string) =>
  [...log.matchAll(/compacted (\d+) sessions/g)].reduce((sum, [, count]) => sum + Number(count), 0);

function started(session: OldSession): NewCommit {
  const { id, daysAgo, accountId } = session;
  const startedAt = Math.floor((Date.now() - daysAgo * DAY) / 1_000);
  const times = { startedAt, expiresAt: startedAt + (2 * DAY) / 1_000 };
  const login = { generation: 1, factors: ['password'], address: '192.0.2.77', client: 'an old browser' };
  const data = { sessionId: id, accountId, ...login, ...times };
  return commitOf(session, 1, daysAgo, 'StartSession', { type: 'SessionStarted', v: 1, data });
}

const loggedOut = (session: OldSession) =>
  commitOf(session, 2, session.daysAgo - 1, 'EndSession', { type: 'SessionEnded', v: 1, data: { reason: 'logout' } });

const commitOf = (
  { id, accountId }: OldSession,
  version: number,
  daysAgo: number,
  type: string,
  event: NewCommit['events'][number],
): NewCommit => ({
  stream: `session-${id}`,
  partition: String(accountId),
  version,
  command: { id: randomUUID(), type, hash: 'hash' },
  at: Date.now() - Math.round(daysAgo * DAY),
  actor: `login:${accountId}`,
  correlation: 'an old request',
  events: [event],
});
