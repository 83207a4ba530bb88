import { signal } from '@preact/signals';
import type { components } from './openapi.js';

export type Account = components['schemas']['MeResponse'];

/** compat: the roles of the original. */
export const ADMINISTRATOR = 2;
export const GUEST = 1;

const STORED = 'keyfold-token';

/** The token of the session. It is stored only on "stay signed in", and only until the tab closes. */
export const token = signal<string | undefined>(sessionStorage.getItem(STORED) ?? undefined);
/** The signed-in account, once it is known. */
export const current = signal<Account | undefined>();
/** How a session ended: unexpectedly, or by a change that the person has just made. */
type Ending = 'unexpected' | 'expected';
/** The session ended while the page was in use: the reason, and the call that waits for a new one. */
export const interrupted = signal<Readonly<{ reason: string; ending: Ending; resume: () => void }> | undefined>();

let ended: Promise<void> | undefined;

export function keepToken(value: string, stay: boolean): void {
  if (stay) sessionStorage.setItem(STORED, value);
  else sessionStorage.removeItem(STORED);
  token.value = value;
}

export const staysSignedIn = (): boolean => sessionStorage.getItem(STORED) !== null;

export function forgetToken(): void {
  sessionStorage.removeItem(STORED);
  token.value = undefined;
  current.value = undefined;
}

/** Asks the person to sign in again in place. Resolves when there is a new token. Calls that fail meanwhile wait for the same. */
export function signedOut(reason: string, ending: Ending = 'unexpected'): Promise<void> {
  ended ??= new Promise<void>((resolve) => {
    interrupted.value = { reason, ending, resume: resolve };
  }).finally(() => {
    ended = undefined;
    interrupted.value = undefined;
  });
  return ended;
}
