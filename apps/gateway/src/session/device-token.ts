import type { IncomingHttpHeaders } from 'node:http';

/** Programs send the device token of their last login in the header; browsers send the cookie. */
const HEADER = 'x-device-token';
const COOKIE = 'keyfold_device';
const IN_COOKIES = new RegExp(`(?:^|; ?)${COOKIE}=([\\w.-]+)`);
/** Longer values are not device tokens. */
const MAX_LENGTH = 1_024;
const NINETY_DAYS = 90 * 86_400;

/** Returns the device token of a request, unverified. */
export function deviceTokenOf(headers: IncomingHttpHeaders): string | undefined {
  const token = headers[HEADER] || IN_COOKIES.exec(headers.cookie ?? '')?.[1];
  return typeof token === 'string' && token.length <= MAX_LENGTH ? token : undefined;
}

/** Returns whether the client wants its device token in the response body. */
export const wantsDeviceToken = (headers: IncomingHttpHeaders): boolean => headers[HEADER] !== undefined;

/** Returns the cookie that a browser sends at its next login. Scripts cannot read it, other sites cannot send it, and it grants no access. */
export const deviceCookie = (token: string): string =>
  `${COOKIE}=${token}; Path=/api/auth/login; Max-Age=${NINETY_DAYS}; HttpOnly; SameSite=Strict`;
