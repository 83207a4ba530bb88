import { DomainError, sshKeyRingDecider } from '@keyfold/domain';
import { CommandIdReused } from '@keyfold/event-store';
import { sshKeyRingStream, sshKeyUseStream } from '@keyfold/projections';
import { describe, expect, it } from 'vitest';
import { publicKey } from '../../../domain/testing/ssh-key-ring.events.js';
import { addSshKey, changeAccount, registerAccount, updateAccount } from '../../testing/accounts.js';
import { EmbeddedService } from '../../testing/embedded-service.js';
import { MINUTE } from '../../testing/settable-clock.js';
import { RecordSshKeyUseCommand, RecordSshKeyUseHandler } from './record-key-use.js';

const ANN = 7;
const laptop = publicKey('laptop');
const context = { actor: 'test', correlation: 'test' };

/** A service with Ann and her key, which records uses of the key. */
class KeyUses {
  readonly service = new EmbeddedService();
  readonly #handler = new RecordSshKeyUseHandler(this.service.loader, this.service.runner, this.service.clock);
  readonly addedAt = this.service.clock.now();
  #messages = 0;

  static async prepared(): Promise<KeyUses> {
    const uses = new KeyUses();
    await registerAccount(uses.service, ANN, 'ann');
    await addSshKey(uses.service, ANN, 'laptop');
    return uses;
  }

  /** Records a use this long after the key was added, reported by a message of its own. */
  async record(after: number, differing: Partial<RecordSshKeyUseCommand['use']> = {}): Promise<void> {
    const report = { reporter: 'message', reportId: `m${++this.#messages}`, origin: { correlation: 'c' } };
    const usual = { accountId: ANN, fingerprint: laptop.fingerprint, usedAt: this.addedAt + after, ...report };
    await this.#handler.execute(new RecordSshKeyUseCommand({ ...usual, ...differing }));
  }

  /** Returns how long after its addition the key was last used, and how many uses are recorded. */
  async recorded(): Promise<{ after: number | undefined; count: number }> {
    const [{ state, version }] = await this.service.loader.load(sshKeyUseStream(ANN));
    const [last] = Object.values(state.lastUsed);
    return { after: last === undefined ? undefined : last - this.addedAt, count: version };
  }

  /** Lets the key expire this long after its addition, and the time of a use of twenty minutes pass. */
  async letExpire(after: number): Promise<void> {
    const change = { keyId: ANN * 2 ** 20 + 1, expiresAt: this.addedAt + after, now: this.addedAt };
    await this.#ring({ type: 'UpdateSshKey', ...change });
    this.service.clock.advance(20 * MINUTE);
    await this.#ring({ type: 'ExpireSshKeys', now: this.service.clock.now() });
  }

  removeKey(): Promise<void> {
    return this.#ring({ type: 'RemoveSshKey', keyId: ANN * 2 ** 20 + 1 });
  }

  async #ring(command: Parameters<typeof sshKeyRingDecider.decide>[1]): Promise<void> {
    await this.service.runner.run(sshKeyRingStream(ANN), command, context);
  }
}

const refused = (code: DomainError['code']) => new DomainError(code);

describe('the use of a key', () => {
  it('is recorded with its own time and with the message that reported it', async () => {
    const uses = await KeyUses.prepared();
    await uses.record(MINUTE);
    expect(await uses.recorded()).toEqual({ after: MINUTE, count: 1 });
    const commit = (await uses.service.store.readFeed(0, 0, 10)).at(-1);
    expect(commit).toMatchObject({
      stream: 'ssh-key-use-7',
      command: { id: 'message:m1' },
      actor: 'message',
      correlation: 'c',
      causation: 'm1',
    });
  });

  it('is recorded once if its message arrives twice, even if both are handled concurrently', async () => {
    const uses = await KeyUses.prepared();
    await Promise.all([uses.record(0, { reportId: 'same' }), uses.record(0, { reportId: 'same' })]);
    await uses.record(0, { reportId: 'same' });
    // A later time proves that the message id, and not the ten minutes, is the reason.
    uses.service.clock.advance(60 * MINUTE);
    await uses.record(30 * MINUTE, { reportId: 'same' });
    expect(await uses.recorded()).toEqual({ after: 0, count: 1 });
  });

  it('is refused under the id of a message about another account', async () => {
    const uses = await KeyUses.prepared();
    await uses.record(0, { reportId: 'same' });
    await registerAccount(uses.service, 8, 'bob');
    await addSshKey(uses.service, 8, 'his', { key: laptop });
    await expect(uses.record(0, { accountId: 8, reportId: 'same' })).rejects.toBeInstanceOf(CommandIdReused);
  });

  it.each([
    ['five minutes ahead', 5 * MINUTE, 5 * MINUTE],
    ['five minutes before the key was added, with the time of the addition', -5 * MINUTE, 0],
  ])('is recorded if its time is %s', async (_, after, recorded) => {
    const uses = await KeyUses.prepared();
    await uses.record(after);
    expect(await uses.recorded()).toEqual({ after: recorded, count: 1 });
  });

  it.each([5 * MINUTE + 1, -5 * MINUTE - 1])('is refused for an impossible time (%i ms)', async (after) => {
    const uses = await KeyUses.prepared();
    await expect(uses.record(after)).rejects.toEqual(refused('ssh-key-use-untimely'));
    expect(await uses.recorded()).toEqual({ after: undefined, count: 0 });
  });

  it('is refused for an account that does not exist or was deleted', async () => {
    const uses = await KeyUses.prepared();
    await expect(uses.record(0, { accountId: 8 })).rejects.toEqual(refused('account-not-found'));
    await changeAccount(uses.service, ANN, { type: 'DeleteAccount' });
    await expect(uses.record(0)).rejects.toEqual(refused('account-not-found'));
  });

  it('is recorded for a disabled account, because it happened before', async () => {
    const uses = await KeyUses.prepared();
    await updateAccount(uses.service, ANN, { disabled: true });
    await uses.record(0);
    expect(await uses.recorded()).toEqual({ after: 0, count: 1 });
  });

  it('is recorded for an expired key, even if it happened after the expiry', async () => {
    const uses = await KeyUses.prepared();
    await uses.letExpire(MINUTE);
    await uses.record(20 * MINUTE);
    expect(await uses.recorded()).toEqual({ after: 20 * MINUTE, count: 1 });
  });

  it('is refused for a key that the account does not or no longer have', async () => {
    const uses = await KeyUses.prepared();
    await expect(uses.record(0, { fingerprint: publicKey('phone').fingerprint })).rejects.toEqual(
      refused('ssh-key-not-found'),
    );
    await uses.removeKey();
    await expect(uses.record(0)).rejects.toEqual(refused('ssh-key-not-found'));
  });
});
