import { Injectable } from '@nestjs/common';
import { CommandBus, type Command } from '@nestjs/cqrs';
import type { Caller, Origin } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { CommandIdReused, EventStore } from '@keyfold/event-store';
import { IDEMPOTENCY_KEY_LETTERS, inputRefusal } from '@keyfold/http-envelope';
import { Sealer } from '@keyfold/security';
import { createHash } from 'node:crypto';
import { callerOf, originOf, type KeyfoldRequest } from './request-reading.js';

/** The name of the header, as in draft-ietf-httpapi-idempotency-key-header. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

type Create<Result> = (caller: Caller, origin: Origin) => Command<Result>;

const HASH_BYTES = 32;
/** Visible ASCII characters, which every client can send. */
const KEY = new RegExp(`^[!-~]{1,${IDEMPOTENCY_KEY_LETTERS}}$`);

/**
 * A request that its client may repeat. The id of its command follows from caller and key. Its hashes follow from what it asks for, one
 * for each sealing key.
 */
type Repeatable = Readonly<{ commandId: string; requestHashes: readonly string[] }>;

/**
 * Executes the commands of requests, at most once per account and `Idempotency-Key`. The key is kept with the commit and never expires. A
 * request that was refused or changed nothing does not use it up.
 */
@Injectable()
export class IdempotentCommands {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly store: EventStore,
    private readonly sealer: Sealer,
  ) {}

  /**
   * Executes the command. A repeat of a request that changed something executes nothing and gets the same answer.
   *
   * @throws Refusal 400 if the key is malformed, 422 if the account used it for another request; what the command throws
   */
  async run(request: KeyfoldRequest, create: Create<void>): Promise<null> {
    await this.#run(request, create, () => undefined);
    return null;
  }

  /**
   * Executes a command whose result is shown only once. A repeat executes nothing and is refused.
   *
   * @throws Refusal 409 for a repeat, and like `run`
   */
  runShownOnce<Result>(request: KeyfoldRequest, create: Create<Result>): Promise<Result> {
    return this.#run(request, create, () => {
      throw inputRefusal('idempotency-key-spent');
    });
  }

  async #run<Result>(request: KeyfoldRequest, create: Create<Result>, repeated: () => Result): Promise<Result> {
    const key = request.headers['idempotency-key'];
    if (key === undefined) return this.commandBus.execute(create(callerOf(request), originOf(request)));
    const repeat = this.#repeatable(request, String(key));
    if (await this.#wasExecuted(repeat)) return repeated();
    const { commandId, requestHashes } = repeat;
    const requestHash = requestHashes[0]!;
    try {
      return await this.commandBus.execute(create(callerOf(request), { ...originOf(request), commandId, requestHash }));
    } catch (error) {
      // The first request may have finished meanwhile, and its own change be the reason for this refusal.
      const isAnswer = error instanceof DomainError || error instanceof CommandIdReused;
      if (!isAnswer || !(await this.#wasExecuted(repeat))) throw error;
      return repeated();
    }
  }

  async #wasExecuted({ commandId, requestHashes }: Repeatable): Promise<boolean> {
    const earlier = await this.store.findCommand(commandId);
    if (earlier && !requestHashes.includes(earlier.command.hash)) throw inputRefusal('idempotency-key-reused');
    return earlier !== undefined;
  }

  #repeatable(request: KeyfoldRequest, key: string): Repeatable {
    if (!KEY.test(key)) throw inputRefusal('idempotency-key-invalid');
    const { accountId } = callerOf(request).account;
    const { method, url, body = '' } = request;
    // The body may contain a password, which could be guessed from a plain hash.
    const hashes = this.sealer.deriveWithEach(`request ${digest(method, url, body)}`, HASH_BYTES);
    return {
      commandId: `request:${digest(accountId, key)}`,
      requestHashes: hashes.map((hash) => hash.toString('base64url')),
    };
  }
}

/** Hashes the parts. None but the last may contain a line break. */
function digest(...parts: readonly (string | number | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(Buffer.isBuffer(part) ? part : `${part}\n`);
  return hash.digest('base64url');
}
