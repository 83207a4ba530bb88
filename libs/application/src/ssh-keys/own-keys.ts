import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { UpdateSshKey } from '@keyfold/domain';
import { sshKeyRingStream } from '@keyfold/projections';
import { parseSshPublicKey } from '@keyfold/security';
import { contextOf, type Caller, type CallerWithKeys } from '../caller/caller.js';
import { Clock } from '../commands/clock.js';
import { CommandRunner } from '../commands/command-runner.js';
import type { Origin } from '../origin.js';
import { keyListOf, type ListedSshKey } from './listed-keys.js';

/**
 * Adds a public key to the caller's ring. `keyText` is a line of an `authorized_keys` file. `expiresAt` is in unix milliseconds; without
 * it the key never expires.
 */
export class AddOwnSshKeyCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly title: string,
    readonly keyText: string,
    readonly expiresAt: number | undefined,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(AddOwnSshKeyCommand)
export class AddOwnSshKeyHandler implements ICommandHandler<AddOwnSshKeyCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, title, keyText, expiresAt, origin }: AddOwnSshKeyCommand): Promise<void> {
    const { accountId } = caller.account;
    const key = parseSshPublicKey(keyText);
    const command = { type: 'AddSshKey', accountId, title, key, expiresAt, now: this.clock.now() } as const;
    await this.runner.run(sshKeyRingStream(accountId), command, contextOf(caller, origin));
  }
}

/** Changes title and expiry of a key of the caller. A key of another account is refused like a nonexistent one. */
export class UpdateOwnSshKeyCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly keyId: number,
    readonly change: Pick<UpdateSshKey, 'title' | 'expiresAt'>,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `ssh-key-not-found`, or the other refusals of `UpdateSshKey`. */
@CommandHandler(UpdateOwnSshKeyCommand)
export class UpdateOwnSshKeyHandler implements ICommandHandler<UpdateOwnSshKeyCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly clock: Clock,
  ) {}

  async execute({ caller, keyId, change, origin }: UpdateOwnSshKeyCommand): Promise<void> {
    const ref = sshKeyRingStream(caller.account.accountId);
    const command = { type: 'UpdateSshKey', keyId, ...change, now: this.clock.now() } as const;
    await this.runner.run(ref, command, contextOf(caller, origin));
  }
}

/** Removes a key of the caller. A key of another account is refused like a nonexistent one. */
export class RemoveOwnSshKeyCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly keyId: number,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `ssh-key-not-found`. */
@CommandHandler(RemoveOwnSshKeyCommand)
export class RemoveOwnSshKeyHandler implements ICommandHandler<RemoveOwnSshKeyCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, keyId, origin }: RemoveOwnSshKeyCommand): Promise<void> {
    const ref = sshKeyRingStream(caller.account.accountId);
    await this.runner.run(ref, { type: 'RemoveSshKey', keyId }, contextOf(caller, origin));
  }
}

/** Lists the caller's keys, oldest first. */
export class ListOwnSshKeysQuery extends Query<readonly ListedSshKey[]> {
  constructor(readonly caller: CallerWithKeys) {
    super();
  }
}

@QueryHandler(ListOwnSshKeysQuery)
export class ListOwnSshKeysHandler implements IQueryHandler<ListOwnSshKeysQuery> {
  constructor(private readonly clock: Clock) {}

  async execute({ caller }: ListOwnSshKeysQuery): Promise<readonly ListedSshKey[]> {
    return keyListOf(caller.keys, this.clock.now());
  }
}
