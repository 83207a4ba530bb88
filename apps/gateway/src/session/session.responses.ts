import { ApiProperty } from '@nestjs/swagger';
import type { ListedSession } from '@keyfold/application';

/** A session in the list of its owner. The first fields are AList's, in its order (wire contract 3.4). Times are in unix seconds. */
export class SessionResponse {
  @ApiProperty() session_id!: string;
  @ApiProperty({ type: 'integer' }) user_id!: number;
  @ApiProperty({ type: 'integer', description: 'When the session was last used, to within some minutes.' })
  last_active!: number;
  @ApiProperty({ type: 'integer', description: '0: works, 1: is refused, because its account was changed.' })
  status!: number;
  @ApiProperty({ description: 'The user agent that logged in.' }) ua!: string;
  @ApiProperty({ description: 'The address that logged in.' }) ip!: string;
  @ApiProperty({ type: 'integer' }) started!: number;
  @ApiProperty({ type: 'integer' }) expires!: number;
  @ApiProperty({ description: "Whether this is the caller's session." }) current!: boolean;
  @ApiProperty({ type: [String], description: 'The verified factors. More values may be added.' }) factors!: string[];
}

/** A session in the list of an administrator. */
export class AnySessionResponse extends SessionResponse {
  @ApiProperty({ description: 'Empty if the account was deleted.' }) username!: string;
}

/** A page of the sessions of all accounts. */
export class SessionPageResponse {
  @ApiProperty({ type: [AnySessionResponse] }) content!: AnySessionResponse[];
  @ApiProperty({ type: 'integer' }) total!: number;
}

const [WORKS, IS_REFUSED] = [0, 1];

export function sessionResponse({ session, lastActive, works, isCurrent }: ListedSession): SessionResponse {
  return {
    session_id: session.sessionId,
    user_id: session.accountId,
    last_active: lastActive,
    status: works ? WORKS : IS_REFUSED,
    ua: session.client,
    ip: session.address,
    started: session.startedAt,
    expires: session.expiresAt,
    current: isCurrent,
    factors: [...session.factors],
  };
}

export function anySessionResponse(listed: ListedSession): AnySessionResponse {
  const { session_id, user_id, ...rest } = sessionResponse(listed);
  return { session_id, user_id, username: listed.username, ...rest };
}
