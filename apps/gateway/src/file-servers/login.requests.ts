import { fileProtocols, type FileProtocol } from '@keyfold/domain';
import { IsIn, IsIP, IsOptional, Length, MaxLength } from 'class-validator';
import { NAME_LETTERS } from './key-look-up.requests.js';

/** The longest password and the longest key line. */
const SECRET_LETTERS = 4_096;
const KEY_LETTERS = 16_384;

/** A login that a file server asks about. It has either `password` or `public_key`. */
export class LoginToCheck {
  @IsIn(fileProtocols, { message: `$property must be one of ${fileProtocols.join(', ')}` })
  protocol: FileProtocol = undefined as never;

  @Length(1, NAME_LETTERS, { message: `$property must be a text of 1 to ${NAME_LETTERS} letters` })
  username: string = '';

  @IsOptional()
  @Length(1, SECRET_LETTERS, { message: `$property must be a text of 1 to ${SECRET_LETTERS} letters` })
  password: string | undefined = undefined;

  /** A line of `authorized_keys`, or the base64 of the key alone. */
  @IsOptional()
  @Length(1, KEY_LETTERS, { message: `$property must be a text of 1 to ${KEY_LETTERS} letters` })
  public_key: string | undefined = undefined;

  /** A code that the server asked for separately; empty if it can ask for one. */
  @IsOptional()
  @MaxLength(100, { message: '$property must be a text of at most 100 letters' })
  code: string | undefined = undefined;

  /** The IP address of the client of the server. */
  @IsOptional()
  @IsIP(undefined, { message: '$property must be an IP address' })
  address: string | undefined = undefined;
}
