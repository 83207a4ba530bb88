import { LOCKED, OpenListUnavailable } from '@keyfold/openlist';
import type { AnswerHead, HeldAnswer, Holding } from './relay.js';

/** In bytes. Every refusal of a token is shorter. */
const REFUSAL_BYTES = 512;
/** The messages with which OpenList refuses a token, and not what is asked with it. */
const TOKEN_REFUSALS =
  /^(token is (invalidated|expired)|token not active yet|couldn't handle this token|that's not even a token|failed find user: .*|Password has been changed, login please|Current user is disabled, replace please)$/;

export const tokenNotTaken = () => new OpenListUnavailable('OpenList does not take the token of the account');

export const holdNothing: Holding = () => undefined;

/** Holds back the answers of the API that may refuse the token. Few others are as short. */
export const holdTokenRefusals: Holding = ({ status, type, length }: AnswerHead) =>
  status === 200 && length !== undefined && length <= REFUSAL_BYTES && type.startsWith('application/json')
    ? REFUSAL_BYTES
    : undefined;

/** Holds back the answers of WebDAV that refuse the login, or every login from the address. */
export const holdLoginRefusals: Holding = ({ status }) =>
  status === 401 || status === LOCKED ? REFUSAL_BYTES : undefined;

/** Returns whether OpenList refused the token or the login of the request. */
export function isTokenRefused({ status, body }: Pick<HeldAnswer, 'status' | 'body'>): boolean {
  if (status === 401) return true;
  const envelope = envelopeIn(body);
  return envelope?.code === 401 && TOKEN_REFUSALS.test(envelope.message);
}

function envelopeIn(body: Buffer): { code: number; message: string } | undefined {
  // Most short answers are successes.
  if (!body.includes('"code":401')) return undefined;
  try {
    const { code, message } = JSON.parse(body.toString()) as Record<string, unknown>;
    return typeof code === 'number' && typeof message === 'string' ? { code, message } : undefined;
  } catch {
    return undefined;
  }
}
