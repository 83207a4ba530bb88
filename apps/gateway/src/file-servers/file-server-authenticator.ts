import {
  CheckFileServerLoginCommand,
  LookUpSshKeysQuery,
  type Origin,
  type FileServerFactor,
  type FileServerLogin,
} from '@keyfold/application';
import { mayLogInOver, mayWriteOver, type LoginProtocol } from '@keyfold/domain';
import { parseOfferedKey } from '@keyfold/security';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { plainAddress, TrustedNetworks } from '../request/client-address.js';

/** Milliseconds until the answer to a login. A full queue of hashes takes two seconds, and the throttle and the code come on top. */
export const LOGIN_TIMEOUT = 10_000;

/** A login that a file server asks about. `address` is what the server says about its client, if it says anything. */
export type AskedLogin = Readonly<{ protocol: LoginProtocol; username: string; address: string | undefined }> &
  (
    | Readonly<{ password: string; code: string | undefined; publicKey?: undefined }>
    | Readonly<{ publicKey: string; password?: undefined }>
  );

/** An account that may come in. `write`: whether it may also write over the protocol of the login. */
export type AdmittedAccount = Readonly<{
  id: number;
  username: string;
  basePath: string;
  permission: number;
  write: boolean;
}>;

/** The answer. Without an account, the answer hides the reason unless the password or app password was right. */
export type CheckedLogin = Readonly<{
  account: AdmittedAccount | null;
  factors: readonly FileServerFactor[];
  refusal?: Extract<FileServerLogin, string>;
}>;

const REFUSED: CheckedLogin = { account: null, factors: [] };

/** Checks the logins that file servers ask about, whatever the form in which they ask. */
@Injectable()
export class FileServerAuthenticator {
  readonly #log = new Logger(FileServerAuthenticator.name);
  #isReported = false;

  /** `trusted` servers are believed when they name the address of their client. The first other one is logged. */
  constructor(
    private readonly queryBus: QueryBus,
    private readonly commandBus: CommandBus,
    private readonly trusted: TrustedNetworks,
  ) {}

  /**
   * Checks a login. `origin` has the address of the server.
   *
   * @throws `too-many-attempts`; `HashQueueFull`.
   */
  check(login: AskedLogin, origin: Origin): Promise<CheckedLogin> {
    return login.publicKey === undefined ? this.#checkPassword(login, origin) : this.#checkKey(login);
  }

  async #checkPassword(login: AskedLogin & { password: string }, { address: server, ...rest }: Origin) {
    const { protocol, username, password, code } = login;
    const address = this.#addressOf(login.address, server);
    const origin = { ...rest, address };
    const checked = await this.commandBus.execute(
      new CheckFileServerLoginCommand({ protocol, username, password, code, address, origin }),
    );
    if (typeof checked === 'string') return { ...REFUSED, refusal: checked };
    return { account: admitted(protocol, checked.account), factors: checked.factors };
  }

  /** An offered key proves nothing yet, so it is not recorded as used. */
  async #checkKey({ protocol, username, publicKey }: AskedLogin & { publicKey: string }): Promise<CheckedLogin> {
    const key = parseOfferedKey(publicKey);
    if (!key) return REFUSED;
    const found = await this.queryBus.execute(new LookUpSshKeysQuery(username, key.fingerprint));
    if (!found || found.keys.length === 0 || !mayLogInOver(protocol, found.permission)) return REFUSED;
    return { account: admitted(protocol, found), factors: ['public-key'] };
  }

  /** Without its client's address, a server counts as the client. */
  #addressOf(client: string | undefined, server = ''): string {
    if (client === undefined) return plainAddress(server);
    if (this.trusted.contains(server)) return plainAddress(client);
    if (!this.#isReported)
      this.#log.warn(
        { server: plainAddress(server) },
        'ignored the address of a client: if the server is yours, add it to KEYFOLD_SERVERS_TRUSTED',
      );
    this.#isReported = true;
    return plainAddress(server);
  }
}

const admitted = (
  protocol: LoginProtocol,
  { accountId: id, username, basePath, permission }: Omit<AdmittedAccount, 'id' | 'write'> & { accountId: number },
): AdmittedAccount => ({ id, username, basePath, permission, write: mayWriteOver(protocol, permission) });
