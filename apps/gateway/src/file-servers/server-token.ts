import {
  accessTokenRefused,
  requireScope,
  type Caller,
  type CallerIdentifier,
  type Origin,
  type SecurityLog,
} from '@keyfold/application';
import { DomainError, type AccessTokenScope } from '@keyfold/domain';
import { refusalFor } from '@keyfold/http-envelope';
import { isAccessTokenForm } from '@keyfold/security';
import { failed, type FileServerAnswer } from './file-server-answer.js';

/** The caller of an accepted request, or the answer to a refused one. */
type Checked = Readonly<{ caller: Caller }> | Readonly<{ refusal: FileServerAnswer }>;

/** Checks the tokens of file servers. */
export class ServerToken {
  constructor(
    private readonly callers: CallerIdentifier,
    private readonly security: SecurityLog,
  ) {}

  /** Accepts an access token with the scope and refuses everything else: sessions and the static token can do too much. */
  async check(scope: AccessTokenScope, authorization: string | undefined, origin: Origin): Promise<Checked> {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (!isAccessTokenForm(token)) {
      if (authorization !== undefined) this.security.report(accessTokenRefused(origin));
      return unauthorized(`send an access token with the scope ${scope} as "Authorization: Bearer kf_…"`);
    }
    try {
      const caller =
        this.callers.identifyCached(token, 'account') ?? (await this.callers.identify(token, 'account', () => origin));
      requireScope(caller, scope);
      return { caller };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { message } = refusalFor(error);
      return error.code === 'access-token-scope-missing' ? { refusal: failed(403, message) } : unauthorized(message);
    }
  }
}

const unauthorized = (message: string) => ({ refusal: failed(401, message, { 'WWW-Authenticate': 'Bearer' }) });
