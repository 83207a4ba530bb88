import { expect } from 'vitest';
import { newAddress } from '../accounts.js';
import type { ApiClient } from '../api-client.js';
import { newAppPassword } from '../app-passwords.js';
import { timesLength } from '../test-length.js';

/** Two ways to the service: through two gateways, or through any of the threads. */
type Pair = readonly [ApiClient, ApiClient];

const ACCOUNTS = timesLength(3);
const ROUNDS = 8;

/**
 * Creates and revokes app passwords of several accounts at once, from number `first` on. Expects that the login after each change sees it, although another
 * gateway or thread answers it. `signIn` creates an account named `ownerName` and signs in twice. `servers` are file servers.
 */
export async function expectNoStaleLogins(
  signIn: (account: number) => Promise<Pair>,
  servers: Pair,
  first = 0,
): Promise<void> {
  const stale: string[] = [];
  await Promise.all(Array.from({ length: ACCOUNTS }, (_, n) => churn(first + n)));
  expect(stale).toEqual([]);

  async function churn(account: number): Promise<void> {
    const owners = await signIn(account);
    const username = ownerName(account);
    for (let round = 0; round < ROUNDS; round++) {
      const [here, there] = round % 2 === 0 ? [0, 1] : [1, 0];
      const { id, password } = await newAppPassword(owners[here]!, { protocol: 'webdav' });
      const ask = async (server: number, expected: string) => {
        const login = { protocol: 'webdav', username, password, address: newAddress() };
        const { factors } = (await servers[server]!.post('/logins', login)).data<{ factors: string[] }>();
        if (factors.join() !== expected)
          stale.push(`${username}, round ${round}: [${factors.join()}], not [${expected}]`);
      };
      await ask(there!, 'app-password');
      (await owners[there!]!.post('/api/me/app_passwords/revoke', { id })).data();
      await ask(here!, '');
    }
  }
}

/** Returns the name of an account of `expectNoStaleLogins`. */
export const ownerName = (account: number) => `owner-${account}`;
