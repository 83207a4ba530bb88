import type { JwtService, JwtVerifyOptions } from '@nestjs/jwt';
import { randomUUID } from 'node:crypto';
import { DEVICE_AUDIENCE as AUDIENCE, EarlierTokenSecrets } from './token-signer.js';

/**
 * A device that logged in to an account. `nameHash`: of the name that the account had then. `enrolment`: the two-factor enrolment whose
 * code it passed, if any.
 */
export type Device = Readonly<{ id: string; accountId: number; nameHash: string; enrolment?: number | undefined }>;

const LIFETIME_DAYS = 90;

/**
 * Signs what a device keeps after a login and shows at the next one: proof that the owner of the account has used it. It opens nothing; the
 * tries of a device are counted apart from those of strangers.
 */
export class DeviceTokens {
  constructor(
    private readonly jwt: JwtService,
    private readonly earlier = new EarlierTokenSecrets(),
  ) {}

  /** A token for 90 days. A device without an id is a new one. `now` in unix milliseconds. */
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

  /** The device when the signature is ours and the token is not too old. `now` in unix milliseconds. */
  read(token: string, now: number): Device | undefined {
    const options: JwtVerifyOptions = {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      clockTimestamp: Math.floor(now / 1_000),
    };
    const claims = this.earlier.verified<{ sub: string; name: string; jti: string; enr?: number }>(
      this.jwt,
      token,
      options,
    );
    if (!claims) return undefined;
    const { jti: id, sub, name: nameHash, enr: enrolment } = claims;
    return { id, accountId: Number(sub), nameHash, ...(enrolment !== undefined && { enrolment }) };
  }
}
