import type { IncomingHttpHeaders } from 'node:http';

/** Where a program shows the device token of its last login; browsers show the cookie by themselves. */
const HEADER = 'x-device-token';
const COOKIE = 'keyfold_device';
const IN_COOKIES = new RegExp(`(?:^|; ?)${COOKIE}=([\\w.-]+)`);
/** Longer texts are no device token. */
const LONGEST = 1_024;
const NINETY_DAYS = 90 * 86_400;

/** The device token that a request shows, whatever it is worth. */
export function shownDeviceToken(headers: IncomingHttpHeaders): string | undefined {
  const token = headers[HEADER] || IN_COOKIES.exec(headers.cookie ?? '')?.[1];
  return typeof token === 'string' && token.length <= LONGEST ? token : undefined;
}

/** Whether the client wants its device token in the answer. */
export const asksForDeviceToken = (headers: IncomingHttpHeaders): boolean => headers[HEADER] !== undefined;

/** For the login of a browser alone: no script and no other site gets at it, and it opens nothing. */
export const deviceCookie = (token: string): string =>
  `${COOKIE}=${token}; Path=/api/auth/login; Max-Age=${NINETY_DAYS}; HttpOnly; SameSite=Strict`;
