import type { JwtService, JwtVerifyOptions } from '@nestjs/jwt';
import { randomUUID } from 'node:crypto';
import { DEVICE_AUDIENCE as AUDIENCE, EarlierTokenSecrets } from './token-signer.js';

/**
 * A device that logged in to an account. `nameHash`: the hash of the account's name at that time. `enrolment`: the two-factor enrolment
 * whose code the device passed, if any.
 */
export type Device = Readonly<{ id: string; accountId: number; nameHash: string; enrolment?: number | undefined }>;

const LIFETIME_DAYS = 90;

/**
 * Signs and verifies device tokens. A device gets one at each login and presents it at the next, as proof that the owner of the account has
 * used the device. The token grants no access, but the attempts of a device are counted separately from those of strangers.
 */
export class DeviceTokens {
  constructor(
    private readonly jwt: JwtService,
    private readonly earlier = new EarlierTokenSecrets(),
  ) {}

  /** Returns a token that is valid for 90 days. A device without an id gets a new one. `now` is in unix milliseconds. */
  sign(
    { id = randomUUID(), accountId, nameHash, enrolment }: Omit<Device, 'id'> & { id?: string | undefined },
    now: number,
  ): string {
    const iat = Math.floor(now / 1_000);
    const claims = {
      sub: String(accountId),
      name: nameHash,
      jti: id,
      ...(enrolment !== undefined && { enr: enrolment }),
      aud: AUDIENCE,
      iat,
      exp: iat + LIFETIME_DAYS * 86_400,
    };
    return this.jwt.sign(claims, { algorithm: 'HS256' });
  }

  /** Returns the device, or undefined if the signature is invalid or the token has expired. `now` is in unix milliseconds. */
  read(token: string, now: number): Device | undefined {
    const options: JwtVerifyOptions = {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      clockTimestamp: Math.floor(now / 1_000),
    };
    const claims = this.earlier.verify<{ sub: string; name: string; jti: string; enr?: number }>(
      this.jwt,
      token,
      options,
    );
    if (!claims) return undefined;
    const { jti: id, sub, name: nameHash, enr: enrolment } = claims;
    return { id, accountId: Number(sub), nameHash, ...(enrolment !== undefined && { enrolment }) };
  }
}
