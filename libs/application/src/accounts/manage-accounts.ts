import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountDecider, DomainError, GUEST_ID, type AccountFields } from '@keyfold/domain';
import { Counter } from '@keyfold/event-store';
import { accountStream, StreamLoader } from '@keyfold/projections';
import { LoginThrottle } from '@keyfold/security';
import { contextOf, protectAdmins, Administrator, Caller } from '../caller/caller.js';
import { AccountCommand } from '../caller/caller-command.js';
import { CommandRunner, type CommandContext } from '../commands/command-runner.js';
import { codeAccountKey } from '../login/code-check.js';
import { nameHash, UserNames } from '../login/user-names.js';
import { SecretRevocation } from '../named-secrets/secret-revocation.js';
import { Origin } from '../origin.js';
import { NewPasswords } from './new-passwords.js';

/** The fields of an account that an administrator sends. An empty `password` means that none was given. */
export type AccountInput = AccountFields & Readonly<{ username: string; password: string }>;

/** The injection token of the number of ids that a process takes from the store at once. */
export const ACCOUNT_ID_BLOCK = Symbol('the size of a block of account ids');

/** Issues ids for new accounts. It takes them from the store in blocks; a process that stops loses the rest of its block. */
@Injectable()
export class AccountIds {
  #next = 0;
  #end = 0;

  constructor(
    private readonly counter: Counter,
    @Inject(ACCOUNT_ID_BLOCK) private readonly blockSize: number,
  ) {}

  async next(): Promise<number> {
    if (this.#next >= this.#end) {
      const first = await this.counter.take('account', this.blockSize, GUEST_ID + 1);
      // A concurrent caller may have taken a block as well: the later block replaces the earlier one, whose ids stay unused.
      this.#next = first;
      this.#end = first + this.blockSize;
    }
    return this.#next++;
  }

  /** Gives up the rest of the block, because an import has taken an id of it. */
  dropBlock(): void {
    this.#end = this.#next;
  }
}

const NO_ID = 0;
const NO_PASSWORD = { sealedHash: '', timestamp: 0 };

/** Creates an account on behalf of an administrator. The password may be empty. */
export class RegisterAccountCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly account: AccountInput,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RegisterAccountCommand)
export class RegisterAccountHandler implements ICommandHandler<RegisterAccountCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly names: UserNames,
    private readonly ids: AccountIds,
    private readonly passwords: NewPasswords,
  ) {}

  async execute({ caller, account, origin }: RegisterAccountCommand): Promise<void> {
    const { username, password: text, ...rest } = account;
    const wanted = {
      ...rest,
      type: 'RegisterAccount',
      origin: 'administrator',
      name: await this.names.claim(username),
      // compat: the original's database stores true for a missing or false value (wire contract 2.7).
      allowLdap: true,
    } as const;
    // A command that would be refused must cost neither an id nor a hash.
    accountDecider.decide(accountDecider.initialState, { ...wanted, accountId: NO_ID, password: NO_PASSWORD });
    await this.passwords.require(text);
    const context = contextOf(caller, origin);
    const register = async () => {
      const accountId = await this.ids.next();
      const password = await this.passwords.makeUnchecked(text, accountId, context.actor);
      await this.runner.run(accountStream(accountId), { ...wanted, accountId, password }, context);
    };
    await register().catch((error: unknown) => {
      if (!(error instanceof DomainError && error.code === 'account-id-taken')) throw error;
      this.ids.dropBlock();
      return register();
    });
  }
}

/**
 * Replaces all fields of an account on behalf of an administrator. An empty password keeps the old one. `revokeSecrets` also revokes the access
 * tokens and app passwords.
 */
export class UpdateAccountCommand extends Command<void> {
  constructor(
    readonly caller: Caller,
    readonly accountId: number,
    readonly account: AccountInput & Readonly<{ revokeSecrets: boolean }>,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateAccountCommand)
export class UpdateAccountHandler implements ICommandHandler<UpdateAccountCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly names: UserNames,
    private readonly passwords: NewPasswords,
    private readonly revocation: SecretRevocation,
  ) {}

  async execute({ caller, accountId, account: written, origin }: UpdateAccountCommand): Promise<void> {
    await protectAdmins(caller, accountId, this.runner);
    const { username, password: text, revokeSecrets, ...rest } = written;
    const wanted = { ...rest, type: 'UpdateAccount', name: await this.names.claim(username) } as const;
    const context = contextOf(caller, origin);
    const ref = accountStream(accountId);
    if (text !== '') await this.runner.require(ref, wanted);
    const password = await this.passwords.makeUnlessEmpty(text, accountId, context.actor);
    const change = (each: CommandContext) => this.runner.run(ref, { ...wanted, ...password }, each);
    await (revokeSecrets ? this.revocation.after(accountId, context, change) : change(context));
  }
}

export type AccountChanges = Readonly<Partial<Omit<AccountFields, 'role'>> & { username?: string }>;

/** Changes some fields of an account on behalf of an administrator, and never undoes a concurrent change of another field. */
export class UpdateAccountFieldsCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly changes: AccountChanges,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateAccountFieldsCommand)
export class UpdateAccountFieldsHandler implements ICommandHandler<UpdateAccountFieldsCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly names: UserNames,
  ) {}

  async execute({ caller, accountId, changes, origin }: UpdateAccountFieldsCommand): Promise<void> {
    const { username, ...fields } = changes;
    const name = username === undefined ? {} : { name: await this.names.claim(username) };
    await this.runner.run(
      accountStream(accountId),
      { type: 'UpdateAccount', ...fields, ...name },
      contextOf(caller, origin),
    );
  }
}

/** Deletes an account in one commit. Its keys and sessions end with it, because every answer about them checks the account. */
export class DeleteAccountCommand extends AccountCommand {}

@CommandHandler(DeleteAccountCommand)
export class DeleteAccountHandler implements ICommandHandler<DeleteAccountCommand> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ caller, accountId, origin }: DeleteAccountCommand): Promise<void> {
    await protectAdmins(caller, accountId, this.runner);
    await this.runner.run(accountStream(accountId), { type: 'DeleteAccount' }, contextOf(caller, origin));
  }
}

/** Gives an account a new password and changes nothing else. Its sessions end. */
export class SetPasswordCommand extends Command<void> {
  constructor(
    readonly caller: Administrator,
    readonly accountId: number,
    readonly password: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

/** @throws `HashQueueFull`, `account-not-found`, `password-too-short` or `password-too-common`. */
@CommandHandler(SetPasswordCommand)
export class SetPasswordHandler implements ICommandHandler<SetPasswordCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly passwords: NewPasswords,
  ) {}

  async execute({ caller, accountId, password: text, origin }: SetPasswordCommand): Promise<void> {
    const context = contextOf(caller, origin);
    const password = await this.passwords.make(text, accountId, context.actor);
    await this.runner.run(accountStream(accountId), { type: 'SetPassword', password }, context);
  }
}

/** The locks that were lifted: whether codes were locked, and how many keys of the throttle were blocked. */
export type LiftedLocks = Readonly<{ code: boolean; blocks: number }>;

/**
 * Lifts the lock of an account's one-time code and the throttle's blocks of this account, and forgets its failures. The limits of a source
 * or network for all accounts stay.
 */
export class UnlockAccountCommand extends AccountCommand<LiftedLocks> {}

/** @throws `account-not-found`. */
@CommandHandler(UnlockAccountCommand)
export class UnlockAccountHandler implements ICommandHandler<UnlockAccountCommand> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly loader: StreamLoader,
    private readonly throttle: LoginThrottle,
  ) {}

  async execute({ caller, accountId, origin }: UnlockAccountCommand): Promise<LiftedLocks> {
    const ref = accountStream(accountId);
    const [{ state: account }] = await this.loader.load(ref);
    if (account.status !== 'active') throw new DomainError('account-not-found');
    // The counters go first: with them, the next wrong code would lock the account again.
    const passwords = await this.throttle.unblock('password', nameHash(account.username));
    const codes = account.twoFactor ? await this.throttle.unblock('one-time-code', codeAccountKey(account)) : 0;
    await this.runner.run(ref, { type: 'UnlockTwoFactor' }, contextOf(caller, origin));
    return { code: account.twoFactor?.locked ?? false, blocks: passwords + codes };
  }
}
