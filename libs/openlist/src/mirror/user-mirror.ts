import { sealingContext, type CommandRunner } from '@keyfold/application';
import { mayLogInOver, type Account, type OpenListUser, type SshKeyRing } from '@keyfold/domain';
import { openlistUserStream } from '@keyfold/projections';
import type { Sealer } from '@keyfold/security';
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROLE_GUEST, type FoundUser, type OpenListApi } from '../api/openlist-api.js';
import { MirrorBlocked, OpenListRefused, OpenListUnavailable } from '../api/openlist.errors.js';
import type { RequireTurn } from './account-turns.js';
import { findUser, linkedUser } from './found-users.js';
import { compareKeys, keyLine } from './mirrored-keys.js';
import {
  accountOfMirror,
  differingFields,
  guestOf,
  markOf,
  mirrorOf,
  newPassword,
  type MirroredFields,
} from './mirrored-user.js';

/** A mirror that is up to date. `changed`: its tokens have ended. */
export type Mirror = Readonly<{ userId: number; fields: MirroredFields; password: string; changed: boolean }>;

/** A name that an account needs belongs to the mirror of another account, which must give it up first. */
export class NameHeld extends Error {
  override readonly name = 'NameHeld';

  constructor(
    /** The account of the other mirror. */
    readonly accountId: number,
    readonly user: FoundUser,
  ) {
    super('the name belongs to the mirror of another account');
  }
}

/** Milliseconds. */
const MORE_THAN_A_SECOND = 1_050;
/**
 * Milliseconds after the account was loaded in which a WebDAV request is sent with the login of the mirror, and in which OpenList has checked it. The first
 * need not cover a connection to a distant OpenList: a request that waited for one is looked up again. The rest allows for a lost packet.
 */
export const LOGIN_SENT = 300;
export const LOGIN_CHECKED = 1_000;
/** The users at the end of the list, among which a new one is found. */
const NEWEST = 20;

/** Makes and changes users of OpenList. Every method runs in a turn of the account. */
export class UserMirror {
  constructor(
    private readonly api: OpenListApi,
    private readonly sealer: Sealer,
    private readonly runner: Pick<CommandRunner, 'run'>,
    private readonly now: () => number,
  ) {}

  /**
   * Brings the user of an active account up to date, and makes one if there is none.
   *
   * @throws `NameHeld`, `MirrorBlocked`, `OpenListUnavailable`.
   */
  async update(account: Account, link: OpenListUser, requireTurn: RequireTurn): Promise<Mirror> {
    const user = await linkedUser(this.api, link);
    if (!user) return this.#create(account, link, requireTurn);
    const password = this.#passwordOf(link);
    if (user.sso_id !== markOf(account.accountId, password)) return this.take(account, user, requireTurn);
    if (link.userId === 0) return this.#complete(account, user, password, requireTurn);
    const wanted = mirrorOf(account, password);
    const changed = differingFields(user, wanted).length > 0;
    const isRenamed = user.username !== wanted.username;
    if (isRenamed) await checkedLogins(user);
    if (changed) await this.#change(user, wanted, account, password, requireTurn);
    // A process may have died after it stored this state and before OpenList read it.
    else await this.api.refresh([user.username]);
    // A later change of name would no longer see that there may be logins to wait for.
    if (!isRenamed && !mayUseWebDav(wanted)) await checkedLogins(user);
    return { userId: user.id, fields: wanted, password, changed };
  }

  /**
   * Makes this user the mirror of the account, with a new password and no second factor. The link is stored first: then no other thread or process uses the
   * old password once the new one is set.
   */
  async take(account: Account, user: FoundUser, requireTurn: RequireTurn): Promise<Mirror> {
    const password = newPassword();
    requireTurn();
    await this.api.removeTwoFactor(user.id);
    const mirror = await this.#link(account, user.id, password);
    await checkedLogins(user);
    await this.#change(user, mirror.fields, account, password, requireTurn);
    return mirror;
  }

  /**
   * Gives the guest of OpenList the rights of ours. If it may use WebDAV, which alone asks for its password, it also gets one that every process can
   * derive.
   */
  async updateGuest(account: Account, requireTurn: RequireTurn): Promise<Mirror> {
    const guest = await this.guest();
    const wanted = guestOf(account, guest);
    const changed = differingFields(guest, wanted).length > 0;
    const password = hash('sha256', `guest ${this.api.administrator}`);
    // Nothing in OpenList shows which password it has.
    if (mayUseWebDav(wanted)) await this.#write(guest, wanted, password, requireTurn);
    else if (changed) await this.#write(guest, wanted, '', requireTurn);
    else await this.api.refresh([guest.username]);
    return { userId: guest.id, fields: wanted, password, changed };
  }

  /** Returns the only guest of OpenList, which is one of its first users. */
  async guest(): Promise<FoundUser> {
    const { users } = await this.api.users(1, NEWEST);
    const guest =
      users.find(({ role }) => role === ROLE_GUEST) ?? (await findUser(this.api, ({ role }) => role === ROLE_GUEST));
    if (!guest) throw new MirrorBlocked('OpenList has no guest');
    return guest;
  }

  /** Deletes the mirror of a deleted account. */
  async remove(link: OpenListUser, requireTurn: RequireTurn): Promise<undefined> {
    const user = await linkedUser(this.api, link);
    if (!user) return;
    await checkedLogins(user);
    await this.#delete(user, requireTurn);
  }

  /** Brings the SSH keys up to date. `authorization` returns a token of the user, which only a missing key needs. */
  async updateKeys(
    { userId, fields }: Mirror,
    ring: SshKeyRing,
    authorization: () => Promise<string>,
    requireTurn: RequireTurn,
  ): Promise<void> {
    // OpenList may have another user with this id since its database was restored.
    if ((await this.api.user(userId))?.sso_id !== fields.sso_id)
      throw new OpenListUnavailable('OpenList no longer has the mirror of the account');
    const { missing, surplus } = compareKeys(ring, await this.api.keys(userId), this.now());
    for (const { id } of surplus) {
      requireTurn();
      await this.api.deleteKey(id);
    }
    for (const key of missing) {
      requireTurn();
      // OpenList refuses a key that a proxy sent twice.
      const isMissing = async () => compareKeys(ring, await this.api.keys(userId), this.now()).missing.includes(key);
      await this.api.addKey(await authorization(), key.title, keyLine(key)).catch(async (error: unknown) => {
        if (await isMissing()) blocked(error);
      });
    }
  }

  /** Takes the name of a mirror away, which gets that of its account with the next change. The mirror of a deleted account is deleted. */
  async giveUpName(account: Account, user: FoundUser, requireTurn: RequireTurn): Promise<void> {
    const found = await this.api.user(user.id);
    if (found?.username !== user.username || accountOfMirror(found) !== accountOfMirror(user)) return;
    if (account.status === 'absent')
      throw new MirrorBlocked('the mirror of an account that this store never had has the name. Delete it in OpenList');
    await checkedLogins(found);
    if (account.status === 'deleted') return this.#delete(found, requireTurn);
    const renamed = { ...found, username: `keyfold-${account.accountId}-${randomUUID()}` };
    await this.#write(found, renamed, '', requireTurn);
  }

  /**
   * The intention is stored first, as a link without an id: the answer may be lost, and the account may get another name before the retry. OpenList may also
   * execute a request long after its connection was cut, so the user is disabled until it is linked.
   */
  async #create(account: Account, link: OpenListUser, requireTurn: RequireTurn): Promise<Mirror> {
    const isIntended = link.userId === 0 && link.sealedPassword !== '';
    const password = isIntended ? this.#passwordOf(link) : newPassword();
    const wanted = mirrorOf(account, password);
    // A user who has the name may keep it for long, and each retry would store an intention.
    if (!isIntended && !(await this.api.refreshUser(wanted.username))) await this.#link(account, 0, password);
    requireTurn();
    try {
      await this.api.createUser({ ...wanted, disabled: true, password });
    } catch (error) {
      if (!(error instanceof OpenListRefused)) throw error;
      return this.take(account, await this.#ownUserNamed(account, error), requireTurn);
    }
    const isNew = ({ sso_id: mark }: FoundUser) => mark === wanted.sso_id;
    const created = (await this.#newest()).find(isNew) ?? (await findUser(this.api, isNew));
    if (!created) throw new OpenListUnavailable('OpenList does not list the user that it has created');
    return this.#complete(account, created, password, requireTurn);
  }

  /** Links a user that was created, and gives it the rights of the account. */
  async #complete(account: Account, created: FoundUser, password: string, requireTurn: RequireTurn): Promise<Mirror> {
    const mirror = await this.#link(account, created.id, password);
    const { fields } = mirror;
    if (!fields.disabled && hadOtherOwner(account)) await this.#enable(created, fields, password, requireTurn);
    else if (differingFields(created, fields).length > 0) await this.#write(created, fields, password, requireTurn);
    return mirror;
  }

  #passwordOf({ accountId, sealedPassword }: OpenListUser): string {
    return this.sealer.open(sealedPassword, sealingContext.openlistUser(accountId));
  }

  async #link(account: Account, userId: number, password: string): Promise<Mirror> {
    const { accountId } = account;
    const sealedPassword = this.sealer.seal(password, sealingContext.openlistUser(accountId));
    const command = { type: 'LinkOpenListUser', accountId, userId, sealedPassword } as const;
    await this.runner.run(openlistUserStream(accountId), command, { actor: 'mirror', correlation: randomUUID() });
    return { userId, fields: mirrorOf(account, password), password, changed: true };
  }

  /** Deletes the keys first: OpenList keeps those of a deleted user. */
  async #delete(user: FoundUser, requireTurn: RequireTurn): Promise<void> {
    for (const { id } of await this.api.keys(user.id)) {
      requireTurn();
      await this.api.deleteKey(id);
    }
    requireTurn();
    await this.api.deleteUser(user);
  }

  /** Changes a mirror. One that takes over a name is first disabled. */
  async #change(
    found: FoundUser,
    wanted: MirroredFields,
    account: Account,
    password: string,
    requireTurn: RequireTurn,
  ): Promise<void> {
    if (found.username === wanted.username || wanted.disabled || !hadOtherOwner(account))
      return this.#write(found, wanted, password, requireTurn);
    await this.#write(found, { ...wanted, disabled: true }, password, requireTurn);
    return this.#enable(found, wanted, password, requireTurn);
  }

  /**
   * Enables a user in a later second than the one in which it got its name. A token of OpenList only names a user and the second of its last password, so
   * a token of the former owner of the name would otherwise speak for the new one.
   */
  async #enable(found: FoundUser, wanted: MirroredFields, password: string, requireTurn: RequireTurn): Promise<void> {
    await sleep(MORE_THAN_A_SECOND);
    return this.#write(found, wanted, password, requireTurn);
  }

  async #write(found: FoundUser, wanted: MirroredFields, password: string, requireTurn: RequireTurn): Promise<void> {
    requireTurn();
    try {
      await this.api.updateUser({ id: found.id, ...wanted, password });
    } catch (error) {
      if (!(error instanceof OpenListRefused)) throw error;
      throw reasonFor(
        await findUser(this.api, ({ id, username }) => username === wanted.username && id !== found.id),
        error,
      );
    }
    await this.api.refresh([found.username, wanted.username]);
  }

  /** Returns the user of this name if it is a mirror of the account that a crash left without a link. */
  async #ownUserNamed({ accountId, username }: Account, refusal: OpenListRefused): Promise<FoundUser> {
    const user = await findUser(this.api, (each) => each.username === username);
    if (user && accountOfMirror(user) === accountId) return user;
    throw reasonFor(user, refusal);
  }

  async #newest(): Promise<readonly FoundUser[]> {
    const { total } = await this.api.users(1, 1);
    const last = Math.max(1, Math.ceil(total / NEWEST));
    const pages = [last, last - 1].filter((page) => page > 0).map((page) => this.api.users(page, NEWEST));
    return (await Promise.all(pages)).flatMap(({ users }) => users);
  }
}

/**
 * Waits until OpenList has checked the login of every WebDAV request that was sent before the account changed. With another name or password of the mirror
 * such a login would be wrong. Requests that are sent later have loaded the changed account, and wait for the turn.
 */
async function checkedLogins(user: FoundUser): Promise<void> {
  if (accountOfMirror(user) !== undefined && mayUseWebDav(user)) await sleep(LOGIN_CHECKED);
}

const mayUseWebDav = ({ permission }: MirroredFields): boolean => mayLogInOver('webdav', permission);

function blocked(error: unknown): never {
  if (error instanceof OpenListRefused && error.code !== 401)
    throw new MirrorBlocked(`OpenList refuses an SSH key with the code ${error.code}`);
  throw error;
}

/** Returns why OpenList refuses a user, whose name `other` may have. Its own texts depend on its database. */
function reasonFor(other: FoundUser | undefined, { code }: OpenListRefused): Error {
  const accountId = other && accountOfMirror(other);
  if (other && accountId !== undefined) return new NameHeld(accountId, other);
  return new MirrorBlocked(
    other
      ? 'a user of OpenList that is no mirror has the name. Run "keyfold openlist adopt"'
      : `OpenList refuses the user with the code ${code}`,
  );
}

/** Returns whether another account, or this one, had the name before. */
const hadOtherOwner = ({ turn }: Account): boolean => turn > 1;
