import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Account, SshKeyRing } from '@keyfold/domain';
import { accountStream, sshKeyRingStream, StreamLoader } from '@keyfold/projections';
import { UserNames } from '../user-names.js';

/** A key that may log in; `blob` is its wire form in base64. */
export type LookedUpSshKey = Readonly<{
  keyId: number;
  title: string;
  type: string;
  blob: string;
  fingerprint: string;
}>;

/** An account that may log in with a key, and its keys, oldest first. */
export type LookedUpAccount = Readonly<{
  accountId: number;
  username: string;
  permission: number;
  keys: readonly LookedUpSshKey[];
}>;

/** Bit 10 of the permissions: log in and read over FTP and SFTP (wire contract 3.2). No role has it by itself, also not the administrator's. */
const SFTP_LOGIN = 1 << 10;

/**
 * The keys that may log in under a name now, all or the one of a fingerprint. Null for a name that nobody has, a disabled account, and
 * one without the permission.
 */
export class LookUpSshKeys extends Query<LookedUpAccount | null> {
  constructor(
    readonly username: string,
    readonly fingerprint?: string,
  ) {
    super();
  }
}

@QueryHandler(LookUpSshKeys)
export class LookUpSshKeysHandler implements IQueryHandler<LookUpSshKeys> {
  constructor(
    private readonly loader: StreamLoader,
    private readonly names: UserNames,
  ) {}

  async execute({ username, fingerprint }: LookUpSshKeys): Promise<LookedUpAccount | null> {
    const found = (await this.#atOnce(username)) ?? (await this.#byHolds(username));
    if (!found || found.account.disabled || !(found.account.permission & SFTP_LOGIN)) return null;
    const { account, ring } = found;
    return {
      accountId: account.accountId,
      username: account.username,
      permission: account.permission,
      keys: ring.keys
        .filter(({ key }) => fingerprint === undefined || key.fingerprint === fingerprint)
        .map(({ keyId, title, key }) => ({
          keyId,
          title,
          type: key.type,
          blob: key.blob,
          fingerprint: key.fingerprint,
        })),
    };
  }

  /** The account that had the name when it was last asked for, if it still has it: account and keys in one round trip. */
  async #atOnce(username: string): Promise<Found | undefined> {
    const last = this.names.lastOwnerOf(username);
    if (last === undefined) return undefined;
    const [account, ring] = await this.loader.load(accountStream(last), sshKeyRingStream(last));
    const { state } = account;
    return state.status === 'active' && state.username === username ? { account: state, ring: ring.state } : undefined;
  }

  async #byHolds(username: string): Promise<Found | undefined> {
    const account = await this.names.accountOf(username);
    if (!account) return undefined;
    const [ring] = await this.loader.load(sshKeyRingStream(account.accountId));
    return { account, ring: ring.state };
  }
}

type Found = Readonly<{ account: Account; ring: SshKeyRing }>;
