import { expect } from 'vitest';
import { ADMIN_PASSWORD } from '../accounts.js';
import { Member } from './member.js';
import type { ClientPair } from './paired-reads.js';
import { Site } from './site.js';

/** Number of accounts that change in parallel. */
export const MEMBERS = 32;
/** Only every 30th round ends sessions, because the new logins cost password hashes. */
const ROUNDS_TO_NEW_SESSIONS = 30;

/** Accounts and settings that change in parallel and read each change back through another client. */
export class Members {
  #rounds = 0;

  private constructor(
    private readonly members: readonly Member[],
    private readonly site: Site,
  ) {}

  /** Creates the accounts. */
  static async create(clients: ClientPair): Promise<Members> {
    const admin = (await clients[0].login('admin', ADMIN_PASSWORD)) ?? '';
    const names = Array.from({ length: MEMBERS }, (_, index) => `watched-${index}`);
    const members = await Promise.all(names.map((name) => Member.create(clients, admin, name)));
    return new Members(members, new Site(clients, admin));
  }

  /** Makes this many changes of accounts, beside changes of settings, and expects that each one is visible to the read that follows it. */
  async expectNothingStale(changes: number): Promise<void> {
    const target = this.#changes() + changes;
    const work = async (member: Member) => {
      for (let succeeded = true; succeeded && this.#changes() < target;) {
        const round = ++this.#rounds;
        const endsSessions = round % ROUNDS_TO_NEW_SESSIONS === 0;
        succeeded = await member.reads.runRound(async () => {
          await member.changeAccount(round);
          if (endsSessions) await member.changeSessions(round);
        });
      }
    };
    const settings = this.site.reads.pairs;
    const changeSettings = async () => {
      do {
        await this.site.reads.runRound(() => this.site.changeSettings(++this.#rounds));
      } while (this.#changes() < target && this.site.reads.violations.length === 0);
    };
    await Promise.all([...this.members.map(work), changeSettings()]);
    expect([this.site, ...this.members].flatMap(({ reads }) => reads.violations)).toEqual([]);
    expect(this.#changes()).toBeGreaterThanOrEqual(target);
    expect(this.site.reads.pairs).toBeGreaterThan(settings);
  }

  #changes(): number {
    return this.members.reduce((total, { reads }) => total + reads.pairs, 0);
  }
}
