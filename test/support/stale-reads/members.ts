import { expect } from 'vitest';
import { ADMIN_PASSWORD } from '../accounts.js';
import { Member, type ClientPair } from './member.js';

/** Number of accounts that change in parallel. */
export const MEMBERS = 32;
/** Only every 30th round ends sessions, because the new logins cost password hashes. */
const ROUNDS_TO_NEW_SESSIONS = 30;

/** Accounts that change in parallel and read each change back through another client. */
export class Members {
  #rounds = 0;

  private constructor(private readonly members: readonly Member[]) {}

  /** Creates the accounts. */
  static async create(clients: ClientPair): Promise<Members> {
    const admin = (await clients[0].login('admin', ADMIN_PASSWORD)) ?? '';
    const names = Array.from({ length: MEMBERS }, (_, index) => `watched-${index}`);
    return new Members(await Promise.all(names.map((name) => Member.create(clients, admin, name))));
  }

  /** Makes this many changes and expects that each one is visible to the read that follows it. */
  async expectNothingStale(changes: number): Promise<void> {
    const target = this.#changes() + changes;
    const work = async (member: Member) => {
      for (let succeeded = true; succeeded && this.#changes() < target;) {
        const round = ++this.#rounds;
        const endsSessions = round % ROUNDS_TO_NEW_SESSIONS === 0;
        succeeded = await member.runRound(async () => {
          await member.changeAccount(round);
          if (endsSessions) await member.changeSessions(round);
        });
      }
    };
    await Promise.all(this.members.map(work));
    expect(this.members.flatMap(({ violations }) => violations)).toEqual([]);
    expect(this.#changes()).toBeGreaterThanOrEqual(target);
  }

  #changes(): number {
    return this.members.reduce((total, { pairs }) => total + pairs, 0);
  }
}
