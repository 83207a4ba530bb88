import { IsInstant } from '@keyfold/http-envelope';
import { IsOptional, Length, Matches, MaxLength } from 'class-validator';

/** The longest user name, as in the question of other services over RabbitMQ. */
export const NAME_LETTERS = 4_096;

const IsFingerprint = (): PropertyDecorator =>
  Matches(/^SHA256:[A-Za-z0-9+/]{43}$/, {
    message: '$property must have the form that ssh-keygen -lf prints: SHA256:…',
  });

/** Which keys a server asks for. */
export class KeyLookUp {
  /** Nobody has the empty name. */
  @MaxLength(NAME_LETTERS, { message: `$property must be a text of at most ${NAME_LETTERS} letters` })
  username: string | undefined = undefined;

  @IsOptional()
  @IsFingerprint()
  fingerprint: string | undefined = undefined;

  /** Asks for the keys at an earlier time. */
  @IsOptional()
  @IsInstant()
  at: string | undefined = undefined;
}

/** A key whose owners a server asks for. */
export class KeyOwnerLookUp {
  @IsFingerprint()
  fingerprint: string = '';

  /** An account id as decimal digits. */
  @Matches(/^\d{1,15}$/, { message: '$property must be the id of an account' })
  after: string = '0';
}

/** The report that a key opened a session. */
export class KeyUseReport {
  /** Chosen by the server; a repeated report with the same id has no effect. */
  @Matches(/^[\w.-]{8,64}$/, { message: '$property must have 8 to 64 letters, digits, _, . or -' })
  id: string = '';

  @Length(1, NAME_LETTERS, { message: `$property must be a text of 1 to ${NAME_LETTERS} letters` })
  username: string = '';

  @IsFingerprint()
  fingerprint: string = '';

  /** When the server verified the signature. */
  @IsInstant()
  time: string = '';
}
