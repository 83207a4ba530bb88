import { Injectable } from '@nestjs/common';
import type { Account, SessionStarted, StartSession, UsedCode } from '@keyfold/domain';
import { sessionStream } from '@keyfold/projections';
import { TokenSigner } from '@keyfold/security';
import { randomUUID } from 'node:crypto';
import { Clock } from '../commands/clock.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';

/** The client of a login. `client` is its user agent. */
export type LoginClientInfo = Readonly<{ address: string; client: string; origin: Origin }>;

/** The proof of a login. The commit of its session spends `usedCode`. */
export type ProvenFactors = Readonly<{ factors: SessionStarted['data']['factors']; usedCode?: UsedCode | undefined }>;

/** Starts the session of a verified login. */
@Injectable()
export class SessionStart {
  constructor(
    private readonly runner: CommandRunner,
    private readonly tokens: TokenSigner,
    private readonly clock: Clock,
  ) {}

  /** Returns the token of the new session. */
  async run(
    { accountId, username, passwordTimestamp, generation }: Account,
    { address, client, origin }: LoginClientInfo,
    { factors, usedCode }: ProvenFactors,
  ): Promise<string> {
    const sessionId = randomUUID();
    const subject = { accountId, sessionId, username, passwordTimestamp, now: this.clock.now() };
    const token = this.tokens.sign(subject);
    const { iat: startedAt, exp: expiresAt } = this.tokens.read(token)!;
    const command: StartSession = {
      type: 'StartSession',
      session: { sessionId, accountId, generation, factors, address, client, startedAt, expiresAt },
      ...(usedCode && { usedCode }),
    };
    const context = { actor: `login:${accountId}`, ...origin, newStream: true } as const;
    await this.runner.run(sessionStream(sessionId, accountId), command, context);
    return token;
  }
}
