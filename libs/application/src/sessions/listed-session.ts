import { sessionRefusal, type Account, type Session } from '@keyfold/domain';

/** A session as lists show it. `works` is false if its account is disabled or deleted, or ended it by a change of its own. */
export type ListedSession = Readonly<{
  session: Session;
  username: string;
  /** In unix seconds, possibly some minutes too early. */
  lastActive: number;
  works: boolean;
  isCurrent: boolean;
}>;

/** Returns the list entry of a session. `current` is the session of the caller, if there is one. */
export function listedSession(
  session: Session,
  { account, lastActive, current }: Readonly<{ account: Account; lastActive: number; current: string | undefined }>,
): ListedSession {
  const { sessionId, credential } = session;
  return {
    session,
    username: account.username,
    lastActive,
    works: account.status === 'active' && !account.disabled && isCredited(account, sessionId, credential),
    isCurrent: sessionId === current,
  };
}

const isCredited = (account: Account, session: string, credential: number) =>
  sessionRefusal(account, { credential, session }) === undefined;
